"""A published stream: one histogram per timestamp, noisy and free to be looked at.

Histograms are kept in sixteenths of a person, since means of several are published too. A written release has one row per
timestamp and cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays import Booleans, Integers, Reals
from tacita.errors import ParameterError
from tacita.io import FileFormat, Framed, StoredFormat, write_universe
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.privacy.estimates import Interval
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.pictures import stream_pictures

__all__ = ["OTHER", "PublishedStream", "error_columns", "known_errors", "with_other"]

SIXTEENTHS = 16
OTHER = "other"
"""The cell of all statuses that are not among the cells."""


def with_other(cells: Universe, *, other: str = OTHER) -> Universe:
    """The cells with one for all other statuses, last, unless it is among them.

    >>> with_other(Universe(["north", "south"])).labels
    ('north', 'south', 'other')
    """
    return cells if other in cells else Universe([*cells.labels, other], origin=cells.origin)


def known_errors(known: Sequence[tuple[Interval | None, Reals | None]], *, cells: int) -> tuple[Reals, Reals]:
    """Intervals and deviations of several timestamps as arrays, NaN where nothing is known."""
    intervals, deviations = np.full((len(known), cells, 2), np.nan), np.full((len(known), cells), np.nan)
    for place, (interval, deviation) in enumerate(known):
        if interval is not None:
            intervals[place] = np.stack(interval, axis=1)
        if deviation is not None:
            deviations[place] = deviation
    return intervals, deviations


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
    (pace) expects its counts to be, in the root of the mean square. Both are NaN where nothing says so.
    """

    sixteenths: Integers = field(repr=False)
    measured: Booleans = field(repr=False)
    intervals: Reals = field(repr=False)
    deviations: Reals = field(repr=False)
    cells: Universe = field(repr=False)
    grid: TimeGrid

    def __post_init__(self) -> None:
        """Check that there is a count for each timestamp and cell."""
        instance_of(self.grid, TimeGrid, name="the grid of a stream")
        shape = (self.grid.intervals, len(self.cells))
        shapes = (self.sixteenths.shape, self.deviations.shape, self.intervals.shape, self.measured.shape)
        if shapes != (shape, shape, (*shape, 2), shape[:1]):
            message = "a published stream must have one row per interval of the grid and one column per cell"
            raise ParameterError(message)

    @property
    def public(self) -> PublicInputs:
        """Everything public that it was made with."""
        return PublicInputs(universe=self.cells, grid=self.grid)

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "stream"

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

    def pictures_beside(self, sides: Mapping[str, npt.NDArray[np.generic]]) -> list[Picture]:
        """Pictures of several sides, of which this release is the last."""
        return stream_pictures(sides, intervals=self.intervals, deviations=self.deviations, cells=self.cells, grid=self.grid)

    def frame(self) -> pl.DataFrame:
        """One row per timestamp and cell: time, cell, count, whether it was measured, and what is known of its error."""
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
