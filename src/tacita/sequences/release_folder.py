"""Reading a release of sequences back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tacita.core.errors import InputError, UniverseError
from tacita.core.ragged import Ragged
from tacita.core.release import MANIFEST_SCHEMA
from tacita.core.universe import Universe
from tacita.io import FileFormat, LongColumns, format_of, read_long, read_seq
from tacita.io.formats import require_file
from tacita.sequences.published import PublishedSequences

__all__ = ["read_published"]


def read_published(folder: str | Path, *, universe: Universe) -> PublishedSequences:
    """Read the sequences of a release folder; it must be whole, and made with this universe."""
    folder = Path(folder)
    manifest = _manifest(folder)
    if manifest["public_inputs"]["universe"]["sha256"] != universe.digest():
        message = f"the release {str(folder)!r} was made with another universe than the one given; both must have the same labels"
        raise UniverseError(message)
    path = _data_file(folder, manifest)
    file_format = format_of(path)
    if file_format is FileFormat.SEQ:
        columns = LongColumns()
        sequences, outside = read_seq(path, universe=universe)
    else:
        columns, is_empty = _long_columns(path, file_format)
        sequences, outside = (Ragged.from_lists([]), 0) if is_empty else read_long(path, universe=universe, columns=columns)
    if outside:
        message = f"every label of the release {str(folder)!r} must belong to the universe, some do not"
        raise InputError(message)
    return PublishedSequences(sequences=sequences, universe=universe, file_format=file_format, columns=columns)


def _manifest(folder: Path) -> Mapping[str, Any]:
    path = folder / "manifest.json"
    try:
        manifest: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = manifest["schema"] == MANIFEST_SCHEMA and isinstance(manifest["public_inputs"]["universe"]["sha256"], str)
        kind, files = manifest["kind"], [(file["name"], file["sha256"]) for file in manifest["files"]]
    except OSError:
        message = f"a release folder must hold a manifest.json that can be read, {str(folder)!r} does not"
        raise InputError(message) from None
    except (ValueError, KeyError, TypeError):
        known, kind, files = False, None, []
    if not known:
        message = f"the manifest {str(path)!r} must follow the schema {MANIFEST_SCHEMA}; it does not"
        raise InputError(message)
    if kind != "sequences" or len(files) != 1:
        message = f"the release {str(folder)!r} must hold one file of sequences, its manifest tells of {len(files)} of {kind}"
        raise InputError(message)
    return manifest


def _data_file(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """The file that the manifest names, if it is there and as it was written."""
    (described,) = manifest["files"]
    path = require_file(folder / Path(described["name"]).name)
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != described["sha256"]:
        message = f"the file {str(path)!r} must be as its manifest describes it; it was changed since"
        raise InputError(message)
    return path


def _long_columns(path: Path, file_format: FileFormat) -> tuple[LongColumns, bool]:
    """The names of the columns, which come in the order id, label, position; and whether there are no rows."""
    try:
        if file_format is FileFormat.PARQUET:
            frame = pl.read_parquet(path, n_rows=1, glob=False)
        else:
            frame = pl.read_csv(path, n_rows=1, infer_schema=False, glob=False)
        record, label, position = frame.columns
    except (pl.exceptions.PolarsError, ValueError):
        message = f"the file {str(path)!r} must have three columns, for record, label and position; it does not"
        raise InputError(message) from None
    return LongColumns(id=record, label=label, time=position), frame.is_empty()
