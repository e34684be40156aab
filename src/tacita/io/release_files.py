"""Reading the lists of a release back from its folder: what every kind of data has in common.

A folder must be whole: its manifest follows the schema, and the file is as the manifest describes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, UniverseError
from tacita.io.formats import FileFormat, format_of, require_file
from tacita.io.options import POSITION, LongColumns
from tacita.io.seq_lines import read_seq
from tacita.io.sources import input_text
from tacita.io.times import AutoTime, comparable_times, grid_places
from tacita.io.wide_lines import read_dat, read_wide
from tacita.privacy.release import MANIFEST_SCHEMA
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

GRAMS = "grams.csv"
"""What a release may hold beside its data."""

__all__ = ["ReleasedLists", "read_manifest", "read_released", "require_release"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedLists:
    """What the file of a release holds."""

    lists: Ragged = field(repr=False)
    file_format: FileFormat
    columns: LongColumns


def read_manifest(folder: str | Path) -> Mapping[str, Any]:
    """The manifest of a release folder, if it is one of a universe."""
    path = Path(folder) / "manifest.json"
    try:
        manifest: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = manifest["schema"] == MANIFEST_SCHEMA and isinstance(manifest["public_inputs"]["universe"]["sha256"], str)
        known = known and isinstance(manifest["kind"], str) and all(file["name"] and file["sha256"] for file in manifest["files"])
    except OSError:
        message = f"a release folder must hold a manifest.json that can be read, {str(folder)!r} does not"
        raise InputError(message) from None
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        message = f"the manifest {str(path)!r} must follow the schema {MANIFEST_SCHEMA}; it does not"
        raise InputError(message)
    return manifest


def require_release(folder: str | Path, manifest: Mapping[str, Any], *, kind: str, universe: Universe) -> None:
    """Refuse a release of another kind, or one that was made with another universe."""
    found = manifest["kind"]
    files = sum(file["name"] != GRAMS for file in manifest["files"])
    if found != kind or files != 1:
        message = f"the release {str(folder)!r} must hold one file of {kind}, its manifest tells of {files} of {found}"
        raise InputError(message)
    if manifest["public_inputs"]["universe"]["sha256"] != universe.digest():
        message = f"the release {str(folder)!r} was made with another universe than the one given; both must have the same labels"
        raise UniverseError(message)


def read_released(
    folder: str | Path,
    manifest: Mapping[str, Any],
    *,
    universe: Universe,
    ordered: bool,
    grid: TimeGrid | None = None,
) -> ReleasedLists:
    """The lists in the one file of a release; where they are `ordered`, long rows have a position or a time."""
    path = _data_file(Path(folder), manifest)
    file_format = format_of(path)
    if grid is not None and not file_format.is_long:
        message = f"the release {str(folder)!r} has times, which the format {file_format} cannot hold"
        raise InputError(message)
    columns = LongColumns() if ordered else LongColumns(time=None)
    match file_format:
        case FileFormat.SEQ:
            lists, outside = read_seq(path, universe=universe)
        case FileFormat.WIDE | FileFormat.DAT:
            lists, outside = _lines(path, file_format, universe)
        case FileFormat.PARQUET | FileFormat.CSV | FileFormat.JSONL:
            frame = _frame(path, file_format, columns)
            columns, lists, outside = _long_rows(frame, universe, grid, source=f"the release file {str(path)!r}")
    if outside:
        message = f"every label of the release {str(folder)!r} must belong to the universe, some do not"
        raise InputError(message)
    return ReleasedLists(lists=lists, file_format=file_format, columns=columns)


def _data_file(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """The file that the manifest names, if it is there and as it was written."""
    described = next(file for file in manifest["files"] if file["name"] != GRAMS)
    path = folder / Path(described["name"]).name
    if not path.is_file():
        require_file(path)  # says what is wrong; a release of nothing may be an empty file
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != described["sha256"]:
        message = f"the file {str(path)!r} must be as its manifest describes it; it was changed since"
        raise InputError(message)
    return path


def _lines(path: Path, file_format: FileFormat, universe: Universe) -> tuple[Ragged, int]:
    """One line a record; a release of nothing has no lines."""
    if _holds_nothing(path):
        return Ragged.from_lists([]), 0
    return (read_wide if file_format is FileFormat.WIDE else read_dat)(path, universe=universe)


def _long_rows(frame: pl.DataFrame, universe: Universe, grid: TimeGrid | None, *, source: str) -> tuple[LongColumns, Ragged, int]:
    """The columns, which come in the order id, label, position or time; and the rows in the order in which they were written."""
    record, label, *place = frame.columns
    time = "time" if place == [POSITION] else (place[0] if place else None)
    columns = LongColumns(id=record, label=label, time=time)
    labels = pl.DataFrame({label: pl.Series(universe.labels, dtype=pl.String), "code": np.arange(len(universe))})
    codes = frame.select(pl.col(label).cast(pl.String)).join(labels, on=label, how="left", maintain_order="left")["code"]
    if grid is not None and len(frame):
        times = comparable_times(frame[place[0]], AutoTime(), source=source)
        codes = codes + len(universe) * grid_places(times, grid, time_format=AutoTime(), source=source)
    if codes.null_count():
        return columns, Ragged.from_lists([]), codes.null_count()
    numbers = frame[record].cast(pl.Int64).to_numpy()
    begins = np.flatnonzero(np.diff(numbers, prepend=-1))
    lengths = np.diff(np.append(begins, numbers.size))
    return columns, Ragged(codes.cast(pl.Int32).to_numpy(), offsets_of(lengths)), 0


def _frame(path: Path, file_format: FileFormat, columns: LongColumns) -> pl.DataFrame:
    """The rows of a file that has the columns of a release, whatever they are called, or of one that holds nothing."""
    empty = {"id": pl.Int64(), "label": pl.String()} | ({} if columns.time is None else {POSITION: pl.Int64()})
    try:
        if file_format is FileFormat.PARQUET:
            frame = pl.read_parquet(path, glob=False)
        elif _holds_nothing(path):
            frame = pl.DataFrame(schema=empty)
        elif file_format is FileFormat.CSV:
            frame = pl.read_csv(input_text(path), infer_schema=False)
        else:
            frame = pl.read_ndjson(input_text(path))
        fits = frame.width == len(empty)
        frame.to_series(0).cast(pl.Int64)
    except (pl.exceptions.PolarsError, ValueError, IndexError):
        fits = False
    if not fits:
        what = (
            "two columns, for record and label"
            if columns.time is None
            else "three columns, for record, label and position or time"
        )
        message = f"the file {str(path)!r} must have {what}; it does not"
        raise InputError(message)
    return frame


def _holds_nothing(path: Path) -> bool:
    """Whether a text file, packed or not, has no line; the readers refuse such files, because nobody would publish one."""
    if path.stat().st_size > 64:  # more than what packing nothing takes
        return False
    try:
        pl.read_csv(path, has_header=False, infer_schema=False, quote_char=None, truncate_ragged_lines=True, glob=False)
    except pl.exceptions.NoDataError:
        return True
    return False
