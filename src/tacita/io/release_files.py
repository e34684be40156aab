"""The files of a release folder, whatever the kind of data: its lists read back, its universe, and its noisy counts.

A folder must be intact: its manifest follows the schema, and its file matches the manifest.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from string import punctuation
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, ParameterError, UniverseError
from tacita.formats import FileFormat, format_of
from tacita.gate import digest_of, read_json, read_text, require_files, told
from tacita.io.formats import lines_of, require_file, rows_of
from tacita.io.options import POSITION, LongColumns
from tacita.io.sources import first_lines, holds_nothing
from tacita.io.times import AutoTime, comparable_times, grid_places
from tacita.privacy.release import MANIFEST_SCHEMA
from tacita.public.cells import CELLS, CellGrid
from tacita.public.parameters import path_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.schemas import manifest_schema, violations

__all__ = [
    "COUNTS_FILE",
    "Counted",
    "Drawn",
    "NoisyCounts",
    "ReleasedLists",
    "intact_file",
    "named_file",
    "outlines_differ",
    "read_manifest",
    "read_released",
    "release_universe",
    "released_cells",
    "released_counts",
    "released_rows",
    "require_kind",
    "write_outlines",
    "write_universe",
]


# Noisy counts as they were drawn, in a file of their own beside the data of a release.
#
# Synthetic data rewrites the noisy counts that it was made from, and no error bar follows from it. The counts themselves may be
# published too: they are the answers that the budget paid for, and the law of their noise is public.

COUNTS_FILE = "counts.csv"
_SCHEMA = {"step": pl.String, "of": pl.String, "count": pl.Int64, "scale": pl.Float64}

Counted = tuple[object, ...]
"""What a count is of: labels, numbers, or what the method's step asks for; as JSON can hold it."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """One noisy count, and the scale of its noise."""

    count: int
    scale: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyCounts:
    """One row per count: the step of the plan that drew it, as the manifest names it, what was counted, and its noise.

    >>> found = NoisyCounts.of([("lengths, round 1", [(1,), (2,)], [40, 12], [25.0, 25.0])])
    >>> found.drawn["lengths, round 1"][2,]
    Drawn(count=12, scale=25.0)
    """

    table: pl.DataFrame = field(repr=False)

    @classmethod
    def of(cls, parts: Iterable[tuple[str, Sequence[Sequence[object]], Iterable[float], Iterable[float]]]) -> NoisyCounts:
        """From the steps in their order, each with what was counted, the counts, and their scales."""
        encode = json.JSONEncoder(ensure_ascii=False).encode
        columns: dict[str, list[object]] = {name: [] for name in _SCHEMA}
        for step, counted, counts, scales in parts:
            columns["of"] += [encode(list(each)) for each in counted]
            columns["count"] += map(int, counts)
            columns["scale"] += map(float, scales)
            columns["step"] += [step] * (len(columns["of"]) - len(columns["step"]))
        return cls(table=pl.DataFrame(columns, schema=_SCHEMA))

    @classmethod
    def read(cls, path: Path) -> NoisyCounts:
        """The counts that `write` wrote."""
        try:
            found = cls(table=pl.read_csv(path, schema=_SCHEMA))
            found.drawn  # noqa: B018 - read everything now
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            message = f"the file {str(path)!r} does not hold noisy counts with their steps and scales"
            raise InputError(message) from None
        return found

    def __len__(self) -> int:
        """The number of counts."""
        return self.table.height

    @cached_property
    def drawn(self) -> dict[str, dict[Counted, Drawn]]:
        """The counts of each step by what was counted."""
        found: dict[str, dict[Counted, Drawn]] = {}
        for step, counted, count, scale in self.table.iter_rows():
            found.setdefault(step, {})[_hashable(json.loads(counted))] = Drawn(count=count, scale=scale)
        return found

    def write(self, folder: Path) -> Path:
        """Write `counts.csv`."""
        path = folder / COUNTS_FILE
        self.table.write_csv(path)
        return path


def _hashable(counted: list[object]) -> Counted:
    return tuple(tuple(each) if isinstance(each, list) else each for each in counted)


MANIFEST_FILE, UNIVERSE_FILE, OUTLINES_FILE = "manifest.json", "universe.json", "cells.geojson"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedLists:
    """What the file of a release holds."""

    lists: Ragged = field(repr=False)
    file_format: FileFormat
    columns: LongColumns


def read_manifest(folder: str | Path) -> Mapping[str, Any]:
    """The manifest of a release folder, if it follows its schema."""
    path = path_of(folder, name="the folder of a release") / MANIFEST_FILE
    if not path.exists():
        message = f"a release folder must hold a readable manifest.json, but {str(folder)!r} does not"
        raise InputError(message)
    require_files(path.parent, what="the release")
    manifest = read_json(path, what="the manifest")
    with told(f"the manifest {str(path)!r}"):
        wrong = violations(manifest, manifest_schema())
    if wrong or not isinstance(manifest, dict):
        message = f"the manifest {str(path)!r} does not follow the schema {MANIFEST_SCHEMA}: {'; '.join(wrong[:3])[:300]}"
        raise InputError(message)
    return manifest


def require_kind(folder: str | Path, manifest: Mapping[str, Any], *, kind: str) -> None:
    """Refuse a release of another kind, or one that does not hold one file of data, or one folder of files."""
    found, files = manifest["kind"], len({file["name"].partition("/")[0] for file in _data_files(manifest)})
    if found != kind or files != 1:
        message = f"the release {str(folder)!r} must hold one file of {kind}, but its manifest says {files} of {found}"
        raise InputError(message)


def release_universe(folder: str | Path, manifest: Mapping[str, Any], given: Universe | None) -> Universe:
    """The universe that a release was made with: the given one, after a check, or the one in the folder; it knows its cells."""
    described = manifest["public_inputs"].get("universe", {})
    if given is None:
        given = _stored_universe(Path(folder), manifest)
    if described.get("sha256") != given.digest():
        message = f"the release {str(folder)!r} was made with a different universe; the given one must have the same labels"
        raise UniverseError(message)
    cells = released_cells(manifest)
    if cells is None or given.labels[: len(cells.universe)] != cells.universe.labels:
        return given
    return Universe(given.labels, origin=given.origin, cells=cells)


def released_cells(manifest: Mapping[str, Any]) -> CellGrid | None:
    """The grid whose cells the places of a release are, or were before they were grouped, if it has one."""
    described = manifest["public_inputs"].get(CELLS)
    try:
        return None if described is None else CellGrid.from_json(described)
    except (KeyError, TypeError, ParameterError):
        message = "the manifest of a release of cells must describe their grid by box, rows, columns and digest; it does not"
        raise InputError(message) from None


def outlines_differ(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Whether the file of outlines is missing, or shows something else than the grid that the manifest describes."""
    cells = released_cells(manifest)
    listed = any(file["name"] == OUTLINES_FILE for file in manifest["files"])
    if cells is None or not cells.is_outlined:
        if listed:
            yield f"{OUTLINES_FILE} outlines cells that the manifest does not describe"
    elif not listed or read_text(folder / OUTLINES_FILE, what="the file") != cells.geojson():
        yield f"{OUTLINES_FILE} is missing, or does not outline the cells that the manifest describes"


def _stored_universe(folder: Path, manifest: Mapping[str, Any]) -> Universe:
    path = folder / UNIVERSE_FILE
    if not any(file["name"] == UNIVERSE_FILE for file in manifest["files"]) or not path.is_file():
        message = f"the release {str(folder)!r} holds no universe; give the public one that it was made with"
        raise UniverseError(message)
    stored = read_json(path, what="the file")
    try:
        return Universe(stored["labels"], origin=str(stored["origin"]))  # type: ignore[index] # checked right here
    except (ValueError, KeyError, TypeError):
        message = f"the file {str(path)!r} does not hold the labels of a universe"
        raise InputError(message) from None


def write_universe(folder: Path, universe: Universe) -> None:
    """Put the public labels beside the data, so that the recipient of a release knows what could have occurred, and where."""
    stored = {"labels": universe.labels, "origin": universe.origin}
    (folder / UNIVERSE_FILE).write_text(json.dumps(stored, ensure_ascii=False) + "\n", encoding="utf-8")
    if universe.cells is not None and universe.cells.is_outlined:
        write_outlines(folder, universe.cells)


def write_outlines(folder: Path, cells: CellGrid) -> None:
    """Put the outlines of cells beside the data, for any map program."""
    (folder / OUTLINES_FILE).write_text(cells.geojson(), encoding="utf-8")


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
        columns, lists, outside = _long_rows(frame, universe, grid)
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
    if not path.exists():
        require_file(path)  # raises the right error; the file of an empty release may be empty
    if digest_of(path, what="the file", size=described["bytes"]) != described["sha256"]:
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


def _long_rows(frame: pl.DataFrame, universe: Universe, grid: TimeGrid | None) -> tuple[LongColumns, Ragged, int]:
    """The columns, in the order id, label, position or time, and the rows in the order in which they were written."""
    record, label, *place = frame.columns
    time = "time" if place == [POSITION] else (place[0] if place else None)
    columns = LongColumns(person=record, label=label, time=time)
    labels = pl.DataFrame({label: pl.Series(universe.labels, dtype=pl.String), "code": np.arange(len(universe))})
    codes = frame.select(pl.col(label).cast(pl.String)).join(labels, on=label, how="left", maintain_order="left")["code"]
    if grid is not None and len(frame):
        times = comparable_times(frame[place[0]], AutoTime())
        codes = codes + len(universe) * grid_places(times, grid, time_format=AutoTime())
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


def released_rows(path: Path, names: Sequence[str]) -> tuple[pl.DataFrame, str | None]:
    """All columns of a file that Tacita wrote, and what divides them if it is not a comma.

    A file of text does not tell: they are divided by a comma, or else by the first character that gives these names.
    """
    separator, file_format = None, format_of(path)
    if "separator" in file_format.dialect:
        line = first_lines(path, 1)[0]
        separator = next((each for each in _DIVIDE if {*names} <= {*next(csv.reader([line], delimiter=each))}), ",")
    return rows_of(file_format, separator=separator).released(path), None if separator == "," else separator


_DIVIDE = tuple(dict.fromkeys(",;\t| " + punctuation.replace('"', "")))
"""Characters that may divide columns, usual ones first."""


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
