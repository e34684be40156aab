"""Private events of a stream, timestamp by timestamp, in columns.

An event is a time, a person and a status. Timestamps are the intervals of a public grid, statuses the cells of a public
universe, to which a cell for all others is added. What happens to an event must not depend on its status, or the number of
people who are there would show it: so an unknown status is counted in that other cell, and of several events of one person in
one interval the first in the order of the stream counts, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.errors import ParameterError
from tacita.io import ReadOptions, dataset_name, event_rows
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.moments import Moment

__all__ = ["OTHER", "StreamRecords", "read_stream", "with_other"]

OTHER = "other"

Places = npt.NDArray[np.intp]


def with_other(cells: Universe, *, other: str = OTHER) -> Universe:
    """The cells with one for all other statuses, last, unless it is among them.

    >>> with_other(Universe(["north", "south"])).labels
    ('north', 'south', 'other')
    """
    return cells if other in cells else Universe([*cells.labels, other], origin=cells.origin)


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamRecords:
    """Who was where when: the people of interval t are `users[starts[t]:starts[t + 1]]`, each once, in increasing order.

    >>> towns = Universe(["north", "south"])
    >>> clock = TimeGrid(start=0, interval=60, intervals=2)
    >>> events = [(5, "ann", "north"), (9, "bob", "at sea"), (30, "ann", "south"), (70, "bob", "south")]
    >>> records = StreamRecords.from_events(events, cells=towns, grid=clock)
    >>> [moment.counts().tolist() for moment in records.moments()]
    [[1, 0, 1], [0, 1, 0]]
    """

    starts: Places = field(repr=False)
    users: Places = field(repr=False)
    places: Places = field(repr=False)
    cells: Universe = field(repr=False)
    grid: TimeGrid
    name: str = "unnamed"
    ids: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Check that the columns fit together."""
        sizes = {self.users.size, self.places.size, int(self.starts[-1]) if self.starts.size else -1}
        if len(sizes) != 1 or self.starts.size != self.grid.intervals + 1:
            message = "the columns of a stream must have one length, and one start per interval of the grid"
            raise ParameterError(message)
        if self.places.size and not 0 <= int(self.places.min()) <= int(self.places.max()) < len(self.cells):
            message = "every status must be the place of a cell in the universe"
            raise ParameterError(message)

    @classmethod
    def from_events(
        cls, events: list[tuple[int, str, str]], *, cells: Universe, grid: TimeGrid, name: str = "unnamed"
    ) -> StreamRecords:
        """Build from a Python list of time (a number, or microseconds since 1970), person and status, in the order of arrival."""
        universe = with_other(cells)
        other = universe.code(OTHER)
        rows = pl.DataFrame(
            {
                "place": grid.places(np.array([time for time, _, _ in events], dtype=np.int64)),
                "id": pl.Series([person for _, person, _ in events], dtype=pl.String),
                "code": np.array([universe.code(cell) if cell in universe else other for _, _, cell in events], dtype=np.int64),
            }
        )
        return cls.from_rows(rows.with_columns(pl.col("place").replace(-1, None)), cells=universe, grid=grid, name=name)

    @classmethod
    def from_rows(cls, rows: pl.DataFrame, *, cells: Universe, grid: TimeGrid, name: str) -> StreamRecords:
        """Build from the columns `place`, `id` and `code` in the order of arrival; null is outside the grid, or no cell."""
        kept = (
            rows.filter(pl.col("place").is_not_null())
            .unique(subset=["place", "id"], keep="first", maintain_order=True)
            .with_columns(pl.col("code").fill_null(cells.code(OTHER)), user=pl.col("id").rank("dense") - 1)
            .sort("place", "user")
        )
        ids = kept.select(pl.col("id").unique().sort().cast(pl.String)).to_series().to_list()
        return cls(
            starts=np.searchsorted(kept["place"].to_numpy(), np.arange(grid.intervals + 1)).astype(np.intp),
            users=kept["user"].to_numpy().astype(np.intp),
            places=kept["code"].to_numpy().astype(np.intp),
            cells=cells,
            grid=grid,
            name=name,
            ids=tuple(ids),
        )

    @property
    def unit(self) -> str:
        """What one protected thing is, for the guarantee."""
        return "one person's events"

    @property
    def records_per_person(self) -> int:
        """All events of a person are one record; its windows say how many of them are protected."""
        return 1

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each event, whatever the data; for the manifest, so public facts only."""
        return (
            "events outside the time grid were left out",
            f"a status that is not among the cells was counted as {OTHER!r}",
            "of several events of one person in one interval the first counted, whatever its status",
        )

    def moments(self) -> Iterator[Moment]:
        """The timestamps in order, empty ones too."""
        for place in range(self.grid.intervals):
            part = slice(int(self.starts[place]), int(self.starts[place + 1]))
            yield Moment(place=place, users=self.users[part], cells=self.places[part], size=len(self.cells))

    def histograms(self) -> npt.NDArray[np.int64]:
        """The true counts, one row per timestamp. Private: for the owner's measures."""
        return np.array([moment.counts() for moment in self.moments()], dtype=np.int64)


def read_stream(
    path: str | Path, *, cells: Universe, grid: TimeGrid, options: ReadOptions | None = None, name: str | None = None
) -> StreamRecords:
    """Read events from long rows (Parquet, CSV, JSON lines) of time, id and label, in the order of arrival."""
    universe = with_other(cells)
    name = dataset_name(path, name)
    rows = event_rows(path, universe=universe, options=ReadOptions() if options is None else options, grid=grid)
    return StreamRecords.from_rows(rows, cells=universe, grid=grid, name=name)
