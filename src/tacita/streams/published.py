"""A published stream: one histogram per timestamp, noisy and free to be looked at.

Histograms are kept in sixteenths of a person, since means of several are published too. A written release has one row per
timestamp and cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.errors import ParameterError
from tacita.io import FileFormat, Framed, StoredFormat, write_universe
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.pictures import stream_pictures

__all__ = ["OTHER", "PublishedStream", "shown_band", "with_other"]

SIXTEENTHS = 16
OTHER = "other"
"""The cell of all statuses that are not among the cells."""


def with_other(cells: Universe, *, other: str = OTHER) -> Universe:
    """The cells with one for all other statuses, last, unless it is among them.

    >>> with_other(Universe(["north", "south"])).labels
    ('north', 'south', 'other')
    """
    return cells if other in cells else Universe([*cells.labels, other], origin=cells.origin)


def shown_band(band: npt.NDArray[np.float64]) -> list[float | None]:
    """A band as it is written: two decimals, and nothing where nothing is known.

    >>> shown_band(np.array([1.234, float("nan")]))
    [1.23, None]
    """
    return [None if value != value else value for value in np.round(band, 2).tolist()]  # noqa: PLR0124 - not a number


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedStream(Framed):
    """One row per timestamp in `sixteenths`; `measured` says at which of them the data was asked for new counts.

    `bands` holds half of the interval around each count that holds the true one in 95 of 100 cases, by what is public; NaN where
    nothing says so.
    """

    sixteenths: npt.NDArray[np.int64] = field(repr=False)
    measured: npt.NDArray[np.bool_] = field(repr=False)
    bands: npt.NDArray[np.float64] = field(repr=False)
    cells: Universe = field(repr=False)
    grid: TimeGrid

    def __post_init__(self) -> None:
        """Check that there is a count for each timestamp and cell."""
        shape = (self.grid.intervals, len(self.cells))
        if self.sixteenths.shape != shape or self.bands.shape != shape or self.measured.shape != shape[:1]:
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

    def __len__(self) -> int:
        """The number of timestamps."""
        return self.grid.intervals

    @property
    def histograms(self) -> npt.NDArray[np.float64]:
        """The published counts, one row per timestamp."""
        return self.sixteenths / SIXTEENTHS

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone."""
        return stream_pictures({"released": self.histograms}, bands=self.bands, cells=self.cells, grid=self.grid)

    def frame(self) -> pl.DataFrame:
        """One row per timestamp and cell: time, cell, count, whether the timestamp was measured, and the band of the count."""
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
                "band": pl.Series(np.round(self.bands.ravel(), 2)).fill_nan(None),
            }
        )

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `stream.*` as Parquet, CSV (the default) or JSON lines."""
        stored = StoredFormat.parse(file_format) if file_format else StoredFormat(FileFormat.CSV)
        write_universe(folder, self.cells)
        path = folder / f"stream{stored.ending}"
        write_frame(path, self.frame(), stored=stored)
        return path
