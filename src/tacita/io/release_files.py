"""Reading the lists of a release back from its folder, whatever the kind of data.

A folder must be intact: its manifest follows the schema, and its file matches the manifest.
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
from tacita.formats import FileFormat, format_of
from tacita.io.formats import lines_of, require_file, rows_of
from tacita.io.noisy_counts import COUNTS_FILE, NoisyCounts
from tacita.io.options import POSITION, LongColumns
from tacita.io.sources import holds_nothing
from tacita.io.times import AutoTime, comparable_times, grid_places
from tacita.privacy.release import MANIFEST_SCHEMA
from tacita.public.parameters import path_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = [
    "ReleasedLists",
    "intact_file",
    "named_file",
    "read_manifest",
    "read_released",
    "release_universe",
    "released_counts",
    "require_kind",
    "write_universe",
]

UNIVERSE_FILE = "universe.json"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedLists:
    """What the file of a release holds."""

    lists: Ragged = field(repr=False)
    file_format: FileFormat
    columns: LongColumns


def read_manifest(folder: str | Path) -> Mapping[str, Any]:
    """The manifest of a release folder."""
    path = path_of(folder, name="the folder of a release") / "manifest.json"
    try:
        manifest: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = manifest["schema"] == MANIFEST_SCHEMA and isinstance(manifest["public_inputs"], dict)
        known = known and isinstance(manifest["kind"], str)
        known = known and all(file[word] for file in manifest["files"] for word in ("name", "sha256", "role"))
    except OSError:
        message = f"a release folder must hold a readable manifest.json, but {str(folder)!r} does not"
        raise InputError(message) from None
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        message = f"the manifest {str(path)!r} does not follow the schema {MANIFEST_SCHEMA}"
        raise InputError(message)
    return manifest


def require_kind(folder: str | Path, manifest: Mapping[str, Any], *, kind: str) -> None:
    """Refuse a release of another kind, or one that does not hold one file of data, or one folder of files."""
    found, files = manifest["kind"], len({file["name"].partition("/")[0] for file in _data_files(manifest)})
    if found != kind or files != 1:
        message = f"the release {str(folder)!r} must hold one file of {kind}, but its manifest says {files} of {found}"
        raise InputError(message)


def release_universe(folder: str | Path, manifest: Mapping[str, Any], given: Universe | None) -> Universe:
    """The universe that a release was made with: the given one, after a check, or the one in the folder."""
    described = manifest["public_inputs"].get("universe", {})
    if given is None:
        given = _stored_universe(Path(folder), manifest)
    if described.get("sha256") != given.digest():
        message = f"the release {str(folder)!r} was made with a different universe; the given one must have the same labels"
        raise UniverseError(message)
    return given


def _stored_universe(folder: Path, manifest: Mapping[str, Any]) -> Universe:
    path = folder / UNIVERSE_FILE
    if not any(file["name"] == UNIVERSE_FILE for file in manifest["files"]) or not path.is_file():
        message = f"the release {str(folder)!r} holds no universe; give the public one that it was made with"
        raise UniverseError(message)
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return Universe(stored["labels"], origin=str(stored["origin"]))
    except (ValueError, KeyError, TypeError):
        message = f"the file {str(path)!r} does not hold the labels of a universe"
        raise InputError(message) from None


def write_universe(folder: Path, universe: Universe) -> None:
    """Put the public labels beside the data, so that the recipient of a release knows what could have occurred."""
    stored = {"labels": universe.labels, "origin": universe.origin}
    (folder / UNIVERSE_FILE).write_text(json.dumps(stored, ensure_ascii=False) + "\n", encoding="utf-8")


def _data_files(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [file for file in manifest["files"] if file["role"] == "data"]


def read_released(
    folder: str | Path,
    manifest: Mapping[str, Any],
    *,
    universe: Universe,
    ordered: bool,
    grid: TimeGrid | None = None,
) -> ReleasedLists:
    """The lists in the one file of a release; if they are `ordered`, long rows have a position or a time."""
    paths = [intact_file(Path(folder), manifest, file["name"]) for file in _data_files(manifest)]
    path = paths[0].parent if paths[0].parent != Path(folder) else paths[0]
    file_format = format_of(path)
    if grid is not None and not file_format.is_long:
        message = f"the release {str(folder)!r} has times, which the format {file_format} cannot hold"
        raise InputError(message)
    columns = LongColumns() if ordered else LongColumns(time=None)
    if file_format.is_long:
        frame = _frames(paths, file_format, columns)
        columns, lists, outside = _long_rows(frame, universe, grid, source=f"the release file {str(path)!r}")
    else:
        lists, outside = lines_of(file_format).released(path, universe)
    if outside:
        message = f"every label of the release {str(folder)!r} must belong to the universe, but some do not"
        raise InputError(message)
    return ReleasedLists(lists=lists, file_format=file_format, columns=columns)


def intact_file(folder: Path, manifest: Mapping[str, Any], name: str) -> Path:
    """A file that the manifest names; it must exist and be unchanged."""
    described = next(file for file in manifest["files"] if file["name"] == name)
    path = named_file(folder, described["name"])
    if not path.is_file():
        require_file(path)  # raises the right error; the file of an empty release may be empty
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != described["sha256"]:
        message = f"the file {str(path)!r} does not match its manifest; it was changed after the release was written"
        raise InputError(message)
    return path


def named_file(folder: Path, name: str) -> Path:
    """Where a file of a release lies: in its folder, or in one folder of many files there, and nowhere else."""
    parts = Path(name).parts
    return folder.joinpath(*(part for part in parts[-2:] if part not in {"..", "/"}))


def released_counts(folder: Path, manifest: Mapping[str, Any]) -> NoisyCounts | None:
    """The noisy counts that the release holds beside its data, if it does."""
    if all(file["name"] != COUNTS_FILE for file in manifest["files"]):
        return None
    return NoisyCounts.read(intact_file(folder, manifest, COUNTS_FILE))


def _long_rows(frame: pl.DataFrame, universe: Universe, grid: TimeGrid | None, *, source: str) -> tuple[LongColumns, Ragged, int]:
    """The columns, in the order id, label, position or time, and the rows in the order in which they were written."""
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


def _frames(paths: list[Path], file_format: FileFormat, columns: LongColumns) -> pl.DataFrame:
    """The rows of all files, in the order of their records; those of one record are in one file, in their order."""
    frames = [_frame(path, file_format, columns) for path in paths]
    if len(frames) == 1:
        return frames[0]
    together = pl.concat(frames, how="vertical_relaxed")
    return together.sort(pl.col(together.columns[0]).cast(pl.Int64), maintain_order=True)


def _frame(path: Path, file_format: FileFormat, columns: LongColumns) -> pl.DataFrame:
    """The rows of a file with the columns of a release, whatever their names, or of an empty file."""
    empty = {"id": pl.Int64(), "label": pl.String()} | ({} if columns.time is None else {POSITION: pl.Int64()})
    try:
        is_empty = file_format.is_text and holds_nothing(path)
        frame = pl.DataFrame(schema=empty) if is_empty else rows_of(file_format).released(path)
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
        message = f"the file {str(path)!r} does not have {what}"
        raise InputError(message)
    return frame
