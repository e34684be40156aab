"""Reading a release of sequences back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.core.errors import InputError, ParameterError, UniverseError
from tacita.core.ragged import Ragged, offsets_of
from tacita.core.release import MANIFEST_SCHEMA
from tacita.core.time_grid import TimeGrid
from tacita.core.universe import Universe
from tacita.io import AutoTime, FileFormat, LongColumns, format_of, read_dat, read_seq, read_wide
from tacita.io.formats import require_file
from tacita.io.options import POSITION
from tacita.io.sources import input_text
from tacita.io.times import comparable_times, grid_places
from tacita.sequences.published import PublishedSequences

__all__ = ["read_published"]


def read_published(folder: str | Path, *, universe: Universe, grid: TimeGrid | None = None) -> PublishedSequences:
    """Read the sequences of a release folder; it must be whole, and made with this universe.

    The time grid of a release with times stands in its manifest; one that is given must be that one.
    """
    folder = Path(folder)
    manifest = _manifest(folder)
    if manifest["public_inputs"]["universe"]["sha256"] != universe.digest():
        message = f"the release {str(folder)!r} was made with another universe than the one given; both must have the same labels"
        raise UniverseError(message)
    made_with = _grid(folder, manifest)
    if grid is not None and grid != made_with:
        message = f"the release {str(folder)!r} was made with another time grid than the one given, or without times"
        raise ParameterError(message)
    path = _data_file(folder, manifest)
    file_format = format_of(path)
    if made_with is not None and not file_format.is_long:
        message = f"the release {str(folder)!r} has times, which the format {file_format} cannot hold"
        raise InputError(message)
    columns = LongColumns()
    match file_format:
        case FileFormat.SEQ:
            sequences, outside = read_seq(path, universe=universe)
        case FileFormat.WIDE | FileFormat.DAT:
            sequences, outside = _lines(path, file_format, universe)
        case FileFormat.PARQUET | FileFormat.CSV | FileFormat.JSONL:
            columns, sequences, outside = _long_rows(path, file_format, universe, made_with)
    if outside:
        message = f"every label of the release {str(folder)!r} must belong to the universe, some do not"
        raise InputError(message)
    return PublishedSequences(sequences=sequences, universe=universe, grid=made_with, file_format=file_format, columns=columns)


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
    path = folder / Path(described["name"]).name
    if not path.is_file():
        require_file(path)  # says what is wrong; a release of nothing may be an empty file
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != described["sha256"]:
        message = f"the file {str(path)!r} must be as its manifest describes it; it was changed since"
        raise InputError(message)
    return path


def _grid(folder: Path, manifest: Mapping[str, Any]) -> TimeGrid | None:
    """The time grid that the manifest describes, if it is what its hash says."""
    described = manifest["public_inputs"].get("time_grid")
    if described is None:
        return None
    try:
        start, step = described["start"], described["interval"]
        grid = TimeGrid(
            start=datetime.fromisoformat(start) if isinstance(start, str) else start,
            interval=_duration(step) if isinstance(step, str) else step,
            intervals=described["intervals"],
        )
        fits = grid.as_json() == described
    except (ParameterError, ValueError, KeyError, TypeError):
        fits = False
    if not fits:
        message = f"the manifest of {str(folder)!r} must describe its time grid by start, interval and intervals; it does not"
        raise InputError(message)
    return grid


def _duration(text: str) -> timedelta:
    """Read what Python writes for a duration, such as `0:15:00` or `7 days, 1:00:00`."""
    found = re.fullmatch(r"(?:(\d+) days?, )?(\d+):(\d\d):(\d\d)(?:\.(\d{6}))?", text)
    if found is None:
        message = f"a duration must be written as 1 day, 0:15:00, got {text!r}"
        raise ValueError(message)
    days, hours, minutes, seconds, microseconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds, microseconds=microseconds)


def _lines(path: Path, file_format: FileFormat, universe: Universe) -> tuple[Ragged, int]:
    """One line a record; a release of nothing has no lines."""
    if _holds_nothing(path):
        return Ragged.from_lists([]), 0
    return (read_wide if file_format is FileFormat.WIDE else read_dat)(path, universe=universe)


def _long_rows(path: Path, file_format: FileFormat, universe: Universe, grid: TimeGrid | None) -> tuple[LongColumns, Ragged, int]:
    """The columns, which come in the order id, label, position or time; and the rows in the order in which they were written."""
    frame = _frame(path, file_format)
    record, label, place = frame.columns
    columns = LongColumns(id=record, label=label) if place == POSITION else LongColumns(id=record, label=label, time=place)
    labels = pl.DataFrame({label: pl.Series(universe.labels, dtype=pl.String), "code": np.arange(len(universe))})
    codes = frame.select(pl.col(label).cast(pl.String)).join(labels, on=label, how="left", maintain_order="left")["code"]
    if grid is not None and len(frame):
        times = comparable_times(frame[place], AutoTime(), source=f"the release file {str(path)!r}")
        codes = codes + len(universe) * grid_places(times, grid, time_format=AutoTime(), source=f"the release file {str(path)!r}")
    if codes.null_count():
        return columns, Ragged.from_lists([]), codes.null_count()
    numbers = frame[record].cast(pl.Int64).to_numpy()
    begins = np.flatnonzero(np.diff(numbers, prepend=-1))
    lengths = np.diff(np.append(begins, numbers.size))
    return columns, Ragged(codes.cast(pl.Int32).to_numpy(), offsets_of(lengths)), 0


def _frame(path: Path, file_format: FileFormat) -> pl.DataFrame:
    """The rows of a file that has three columns, or of one that holds nothing."""
    try:
        if file_format is FileFormat.PARQUET:
            frame = pl.read_parquet(path, glob=False)
        elif _holds_nothing(path):
            frame = pl.DataFrame(schema={"id": pl.Int64, "label": pl.String, POSITION: pl.Int64})
        elif file_format is FileFormat.CSV:
            frame = pl.read_csv(input_text(path), infer_schema=False)
        else:
            frame = pl.read_ndjson(input_text(path))
        record, _, _ = frame.columns
        frame[record].cast(pl.Int64)
    except (pl.exceptions.PolarsError, ValueError):
        message = f"the file {str(path)!r} must have three columns, for record, label and position or time; it does not"
        raise InputError(message) from None
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
