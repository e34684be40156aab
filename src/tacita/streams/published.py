"""A published stream: noisy histograms, how they are written and read back, and answers with error bars; free to look at.

A stream is one histogram per timestamp. Histograms are kept in sixteenths of a person, since means of several are published
too. A written release has one row per timestamp and cell. `StreamReading` says how a file of private events is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays import Booleans, Integers, Reals
from tacita.errors import InputError, ParameterError
from tacita.formats import Holds, format_of, formats_of, named_formats
from tacita.io import (
    FileFormat,
    Framed,
    ReadOptions,
    StoredFormat,
    intact_file,
    read_manifest,
    release_universe,
    require_kind,
    write_universe,
)
from tacita.io.formats import rows_of
from tacita.io.writing import write_frame
from tacita.kinds.words import timed_reading
from tacita.pictures import Picture
from tacita.privacy.estimates import LEVEL, Estimate, Interval, NoiseLaw, half_width, laws_of, no_error_bars
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = [
    "OTHER",
    "PublishedStream",
    "StreamAnswers",
    "StreamReading",
    "error_columns",
    "known_errors",
    "known_means",
    "mean_column",
    "opened_stream",
    "output_format",
    "read_longer_windows",
    "read_published_stream",
    "stream_reading",
    "with_other",
]

SIXTEENTHS, THOUSANDTHS = 16, 1000
OTHER = "other"
"""The cell of all statuses that are not among the cells."""


def with_other(cells: Universe, *, other: str = OTHER) -> Universe:
    """The cells with one for all other statuses, last, unless it is among them.

    >>> with_other(Universe(["north", "south"])).labels
    ('north', 'south', 'other')
    """
    return cells if other in cells else Universe([*cells.labels, other], origin=cells.origin, cells=cells.cells)


def known_errors(known: Sequence[tuple[Interval | None, Reals | None]], *, cells: int) -> tuple[Reals, Reals]:
    """Intervals and deviations of several timestamps as arrays, NaN where nothing is known."""
    intervals, deviations = np.full((len(known), cells, 2), np.nan), np.full((len(known), cells), np.nan)
    for place, (interval, deviation) in enumerate(known):
        if interval is not None:
            intervals[place] = np.stack(interval, axis=1)
        if deviation is not None:
            deviations[place] = deviation
    return intervals, deviations


def known_means(means: Sequence[Integers | None], *, cells: int) -> Reals:
    """Means of several timestamps, which come in thousandths, as one array; NaN where there are none."""
    none = np.full(cells, np.nan)
    return np.array([none if each is None else each / THOUSANDTHS for each in means]).reshape(len(means), cells)


def mean_column(means: Reals) -> dict[str, pl.Series]:
    """The column `mean`, where a method has means."""
    return {"mean": pl.Series(means.ravel()).fill_nan(None)} if np.isfinite(means).any() else {}


def error_columns(intervals: Reals, deviations: Reals) -> dict[str, pl.Series]:
    """The columns `low` and `high`, and `deviation` where a method expects something; empty where nothing is known."""
    low, high = (pl.Series(intervals[..., side].ravel()).fill_nan(None).cast(pl.Int64) for side in (0, 1))
    if not np.isfinite(deviations).any():
        return {"low": low, "high": high}
    return {"low": low, "high": high, "deviation": pl.Series(np.round(deviations.ravel(), 2)).fill_nan(None)}


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedStream(Framed):
    """One row per timestamp in `sixteenths`; `measured` says at which of them the data was asked for new counts.

    `intervals` holds the least and the largest true count, by the law of the noise in at least 95 of 100 cases; the published
    count need not lie between them, since filters know more than one draw. `deviations` is how far off a method that filters
    (pace) expects its counts to be, in the root of the mean square. `means` are what it expects in the mean: their sums over
    cells and timestamps are right, while a count is the likeliest to be near one true count. All are NaN where nothing says so.
    """

    sixteenths: Integers = field(repr=False)
    measured: Booleans = field(repr=False)
    means: Reals = field(repr=False)
    intervals: Reals = field(repr=False)
    deviations: Reals = field(repr=False)
    cells: Universe = field(repr=False)
    grid: TimeGrid

    def __post_init__(self) -> None:
        """Check that there is a count for each timestamp and cell."""
        instance_of(self.grid, TimeGrid, name="the grid of a stream")
        shape = (self.grid.intervals, len(self.cells))
        shapes = (self.sixteenths.shape, self.means.shape, self.deviations.shape, self.intervals.shape, self.measured.shape)
        if shapes != (shape, shape, shape, (*shape, 2), shape[:1]):
            message = "a published stream must have one row per interval of the grid and one column per cell"
            raise ParameterError(message)

    @property
    def public(self) -> PublicInputs:
        """Everything public that it was made with."""
        return PublicInputs(universe=self.cells, grid=self.grid)

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "streams"

    @property
    def whole(self) -> str:
        """What is released, in a sentence."""
        return "a stream"

    def __len__(self) -> int:
        """The number of timestamps."""
        return self.grid.intervals

    @property
    def histograms(self) -> Reals:
        """The published counts, one row per timestamp."""
        return self.sixteenths / SIXTEENTHS

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone."""
        return self.pictures_beside({"released": self.histograms})

    def pictures_beside(
        self, sides: Mapping[str, npt.NDArray[np.generic]], *, grades: Mapping[str, tuple[str, float]] | None = None
    ) -> list[Picture]:
        """Pictures of several sides, of which this release is the last; `grades` are those of cells, and how far off they are."""
        from tacita.streams.pictures import stream_pictures  # noqa: PLC0415 - a publication draws nothing

        totals = (self.means if np.isfinite(self.means).all() else self.histograms).sum(axis=1)
        return stream_pictures(
            sides,
            totals=totals,
            deviations=self.deviations,
            measured=self.measured,
            cells=self.cells,
            grid=self.grid,
            grades=grades,
        )

    def frame(self) -> pl.DataFrame:
        """One row per timestamp and cell: time, cell, count, mean, whether it was measured, and what is known of errors."""
        cells = len(self.cells)
        times = pl.Series("time", self.grid.beginnings)
        places = np.repeat(np.arange(self.grid.intervals), cells)
        counts = self.sixteenths.ravel()
        whole = not np.any(counts % SIXTEENTHS)
        return pl.DataFrame(
            {
                "time": times.gather(places),
                "cell": pl.Series(self.cells.labels, dtype=pl.String).gather(np.tile(np.arange(cells), self.grid.intervals)),
                "count": counts // SIXTEENTHS if whole else counts / SIXTEENTHS,
                **mean_column(self.means),
                "measured": self.measured[places],
                **error_columns(self.intervals, self.deviations),
            }
        )

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `stream.*` as Parquet, CSV (the default) or JSON lines."""
        stored = StoredFormat.parse(file_format) if file_format else StoredFormat(FileFormat.CSV)
        write_universe(folder, self.cells)
        path = folder / f"stream{stored.ending}"
        write_frame(path, self.frame(), stored=stored)
        return path


# How a file of private events is read, and the public list of people who have longer windows than all others.


@dataclass(frozen=True, kw_only=True)
class StreamReading:
    """How a file of events is read, and who has longer windows than all others."""

    events: ReadOptions = field(default_factory=ReadOptions)
    longer_windows: Mapping[str, int] = field(default_factory=dict, repr=False)


def stream_reading(given: Mapping[str, Any]) -> StreamReading:
    """The reading options that were typed."""
    path = given.get("longer_windows")
    return StreamReading(events=timed_reading(given), longer_windows={} if path is None else read_longer_windows(path))


def read_longer_windows(path: str) -> dict[str, int]:
    """A public list of people and their numbers of contexts: a CSV file with the columns id and contexts."""
    try:
        frame = pl.read_csv(path, schema_overrides={"id": pl.String, "contexts": pl.Int64}, columns=["id", "contexts"])
    except (OSError, pl.exceptions.PolarsError):
        message = f"the list of longer windows {path!r} must be a CSV file with the columns id and contexts, whole numbers"
        raise InputError(message) from None
    if frame.null_count().sum_horizontal().item() or frame["id"].n_unique() != len(frame) or (frame["contexts"] < 1).any():
        message = f"the list of longer windows {path!r} must name each person once, with one or more contexts"
        raise InputError(message)
    return dict(zip(frame["id"].to_list(), frame["contexts"].to_list(), strict=True))


# Reading a release back from its folder, and the formats that it can be written in.


LARGEST = 2.0**62
"""What a count in sixteenths must stay below, to be a whole number of 64 bits."""


def read_published_stream(folder: str | Path, *, cells: Universe | None = None) -> PublishedStream:
    """Read the histograms of a release folder; it must be whole, and made with these cells, if they are given."""
    manifest = read_manifest(folder)
    return opened_stream(Path(folder), manifest, public=PublicInputs(universe=cells))


def opened_stream(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedStream:
    """The histograms of a release whose manifest was read; cells that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="streams")
    given = None if public.universe is None else with_other(public.universe)
    cells = release_universe(folder, manifest, given)
    grid = TimeGrid.from_json(manifest["public_inputs"]["time_grid"])
    path = intact_file(folder, manifest, next(file["name"] for file in manifest["files"] if file["role"] == "data"))
    frame = rows_of(format_of(path)).released(path)
    if len(frame) != grid.intervals * len(cells):
        message = f"the release {str(folder)!r} must have one row per timestamp and cell, {grid.intervals * len(cells):,} in all"
        raise InputError(message)
    shown = frame["count"].cast(pl.Float64).to_numpy() * float(SIXTEENTHS)
    if not (np.abs(shown) < LARGEST).all():
        message = f"the release {str(folder)!r} must show a count for every timestamp and cell; it does not"
        raise InputError(message)
    counts = np.rint(shown).astype(np.int64)
    measured = (frame["measured"].cast(pl.String) == "true").to_numpy()[:: len(cells)]
    shape = (grid.intervals, len(cells))
    low, high, deviations, means = (_known(frame, name).reshape(shape) for name in ("low", "high", "deviation", "mean"))
    return PublishedStream(
        sixteenths=counts.reshape(shape),
        measured=measured,
        means=means,
        intervals=np.stack([low, high], axis=2),
        deviations=deviations,
        cells=cells,
        grid=grid,
    )


def _known(frame: pl.DataFrame, column: str) -> Reals:
    """A column of numbers, NaN where nothing is known; a release has it only if something is."""
    if column not in frame.columns:
        return np.full(len(frame), np.nan)
    return frame[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def output_format(source: str, *, options: StreamReading, public: PublicInputs, wanted: str | None) -> str:  # noqa: ARG001 - rows in any case
    """The format of the release: the one that is wanted, or CSV."""
    stored = StoredFormat.parse(wanted or "csv")
    if Holds.COUNTS not in stored.file_format.holds:
        known = named_formats(formats_of(Holds.COUNTS))
        message = f"a stream is released as rows, so the format must be {known}, got {str(stored)!r}"
        raise ParameterError(message)
    return str(stored)


# How many people were in some cells at some times, with error bars, at timestamps whose counts were drawn anew.

STEP = "counts of a timestamp"


@dataclass(frozen=True)
class StreamAnswers:
    """Answers by the law of the noise, at timestamps that were measured: all of `uniform` and `tree`, some of other methods.

    What pace publishes is filtered; its intervals are those of the draw, and hold whatever the filters do.
    """

    published: PublishedStream
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a method none of whose counts follow from one law."""
        if self._law is None and not np.isfinite(self.published.intervals).any():
            raise no_error_bars(self.manifest, "no timestamp was measured by itself")

    def count(self, cell: str, time: int, *, level: float = LEVEL) -> Estimate:
        """How many people were in a cell at a timestamp, by its place from 0."""
        if self._law is not None:
            return self.total(cells=[cell], times=[time], level=level)
        [row], [column] = self._rows([time]), self._columns([cell])
        low, high = (float(end) for end in self.published.intervals[row, column])
        if level != LEVEL:
            raise no_error_bars(self.manifest, f"its intervals are of {LEVEL:.0%}, and no other level can be told from them")
        if not isfinite(low):
            raise no_error_bars(
                self.manifest, f"timestamp {time} was not measured by itself, and how counts move in between is not public"
            )
        return Estimate(value=float(self.published.histograms[row, column]), low=low, high=high, level=level)

    def total(self, *, cells: Sequence[str] | None = None, times: Sequence[int] | None = None, level: float = LEVEL) -> Estimate:
        """The sum over some cells and timestamps, all of them if not named: an event counts once for each."""
        if self._law is None:
            raise no_error_bars(
                self.manifest, "its counts have no independent noise of one scale, so that sums of them have no known law"
            )
        columns = self._columns(cells)
        rows = np.arange(len(self.published)) if times is None else np.array(self._rows(times), dtype=np.int64)
        value = float(self.published.histograms[np.ix_(rows, columns)].sum())
        half = half_width((self._law.scale,) * (rows.size * columns.size), level=level) if rows.size * columns.size else 0
        return Estimate(value=value, low=max(0.0, value - half), high=max(0.0, value + half), level=level)

    def table(self) -> pl.DataFrame:
        """Every published count with its interval, where it has one."""
        return self.published.frame()

    @property
    def _law(self) -> NoiseLaw | None:
        """The noise of every count, if that is the same for all."""
        return laws_of(self.manifest).get(STEP) if self.manifest["mechanism"]["name"] == "uniform" else None

    def _columns(self, cells: Sequence[str] | None) -> Integers:
        labels = self.published.cells.labels
        if cells is None:
            return np.arange(len(labels))
        unknown = [cell for cell in cells if cell not in self.published.cells]
        if unknown or len(set(cells)) != len(cells):
            message = f"cells must be among those of the stream, each once, got {list(cells)}"
            raise ParameterError(message)
        return np.array([labels.index(cell) for cell in cells], dtype=np.int64)

    def _rows(self, times: Sequence[int]) -> list[int]:
        if any(not 0 <= time < len(self.published) for time in times) or len(set(times)) != len(times):
            message = f"times must be places of timestamps from 0 to {len(self.published) - 1}, each once, got {list(times)}"
            raise ParameterError(message)
        return list(times)
