"""Private events of a stream, timestamp by timestamp, in columns, and one timestamp as a mechanism gets it.

An event is a time, a person and a status. Timestamps are the intervals of a public grid, statuses the cells of a public
universe, to which a cell for all others is added. What happens to an event must not depend on its status, or the number of
people who are there would show it: so an unknown status is counted in that other cell, and of several events of one person in
one interval the first in the order of the stream counts, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers, Places
from tacita.errors import ParameterError
from tacita.io import Misfits, ReadOptions, Source, dataset_name, event_rows
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe, require_universe
from tacita.streams.protection import Presence, Protection
from tacita.streams.published import OTHER, StreamReading, with_other

__all__ = [
    "OTHER",
    "Moment",
    "StreamRecords",
    "no_events",
    "point_rule",
    "read_for_kind",
    "read_stream",
    "required_grid",
    "with_other",
]


# One timestamp: who takes part, and exact counts, to which noise is yet to be added. Which cell a person is in is private.
# Whether the people themselves are public depends on the ledger: with `OwnWindows` they are, with `CommonWindow` a mechanism
# learns nothing of them.


@dataclass(frozen=True, kw_only=True, eq=False)
class Moment:
    """The people of one timestamp, each once, with the cell of each; or the counts alone, where nobody is named.

    >>> moment = Moment(place=0, users=np.array([3, 8]), cells=np.array([1, 1]), size=3)
    >>> moment.counts().tolist(), moment.counts(np.array([True, False])).tolist()
    ([0, 2, 0], [0, 1, 0])
    """

    place: int
    users: Places
    cells: Places = field(repr=False)
    """The cell of each; `size` for a person who is there but whose event cannot be read again, and is not counted."""
    size: int
    summed: Integers | None = field(default=None, repr=False)

    @classmethod
    def of_counts(cls, place: int, counts: Integers) -> Moment:
        """A timestamp of which only counts are known."""
        nobody = np.zeros(0, dtype=np.intp)
        return cls(place=place, users=nobody, cells=nobody, size=counts.size, summed=counts)

    def without_people(self) -> Moment:
        """The same with nobody named: all that a mechanism may see where presence is private."""
        return self.of_counts(self.place, self.counts())

    def counts(self, included: Booleans | None = None) -> Integers:
        """How many people are in each cell, all of them or those included."""
        if self.summed is not None:
            if included is not None:
                message = "people can be left out only where they are named"
                raise ParameterError(message)
            return self.summed
        cells = self.cells if included is None else self.cells[included]
        return np.bincount(cells, minlength=self.size)[: self.size].astype(np.int64)


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
    misfits: Misfits = field(default_factory=Misfits, repr=False)
    longer_windows: Mapping[str, int] = field(default_factory=dict, repr=False)
    """The numbers of protected contexts of people who have more of them than all others; public."""

    def __post_init__(self) -> None:
        """Check that the columns fit together."""
        for column in (self.starts, self.users, self.places):
            instance_of(column, np.ndarray, name="a column of a stream")
        sizes = {self.users.size, self.places.size, int(self.starts[-1]) if self.starts.size else -1}
        if len(sizes) != 1 or self.starts.size != self.grid.intervals + 1:
            message = "the columns of a stream must have one length, and one start per interval of the grid"
            raise ParameterError(message)
        if self.places.size and not 0 <= int(self.places.min()) <= int(self.places.max()) < len(self.cells):
            message = "every status must be the place of a cell in the universe"
            raise ParameterError(message)
        for column in (self.starts, self.users, self.places):
            column.setflags(write=False)

    @classmethod
    def from_events(
        cls, events: list[tuple[int, str, str]], *, cells: Universe, grid: TimeGrid, name: str = "unnamed"
    ) -> StreamRecords:
        """Build from a Python list of time (a number, or microseconds since 1970), person and status, in the order of arrival."""
        universe = with_other(cells)
        other = universe.code(OTHER)
        rows = pl.DataFrame(
            {
                "place": pl.Series(grid.places(np.array([time for time, _, _ in events], dtype=np.int64)), dtype=pl.Int64),
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
    def public(self) -> PublicInputs:
        """Everything public that they were read with."""
        return PublicInputs(universe=self.cells, grid=self.grid)

    def protection(self, contexts: int, presence: Presence) -> Protection:
        """So many contexts for everybody, and more for those who have longer windows."""
        codes = {person: code for code, person in enumerate(self.ids)}
        longer = {codes[person]: own for person, own in self.longer_windows.items() if person in codes}
        if any(own < contexts for own in self.longer_windows.values()):
            message = f"a longer window must have at least the {contexts:,} contexts of all others; leave shorter ones out"
            raise ParameterError(message)
        if self.longer_windows and presence is not Presence.PUBLIC:
            message = "windows for single people need public presence; leave them out, or choose presence public"
            raise ParameterError(message)
        return Protection(contexts=contexts, presence=presence, contexts_of=longer)

    @property
    def is_empty(self) -> bool:
        """A stream is published whether anybody is there or not."""
        return False

    @property
    def why_empty(self) -> str:
        """A stream is never empty: its timestamps are public."""
        return "the time grid has no timestamp"

    @property
    def owner_note(self) -> str:
        """What was read. For the owner's eyes only."""
        return self.misfits.told(f"{self.users.size:,} contexts of {len(self.ids):,} people are within the time grid")

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
        rules = (
            "events outside the time grid were left out",
            *point_rule(self.cells),
            f"a status that is not among the cells was counted as {OTHER!r}",
            "of several events of one person in one interval the first counted, whatever its status",
        )
        return (*rules, "people on a public list have longer windows than all others") if self.longer_windows else rules

    def moments(self) -> Iterator[Moment]:
        """The timestamps in order, empty ones too."""
        for place in range(self.grid.intervals):
            part = slice(int(self.starts[place]), int(self.starts[place + 1]))
            yield Moment(place=place, users=self.users[part], cells=self.places[part], size=len(self.cells))

    def histograms(self) -> Integers:
        """The true counts, one row per timestamp. Private: for the owner's measures."""
        return np.array([moment.counts() for moment in self.moments()], dtype=np.int64)


def point_rule(cells: Universe) -> tuple[str, ...]:
    """What became of points, if the statuses are cells of a grid."""
    return () if cells.cells is None else ("the status of a point is the cell of a public grid that it lies in",)


def read_stream(
    path: Source, *, cells: Universe, grid: TimeGrid, options: ReadOptions | None = None, name: str | None = None
) -> StreamRecords:
    """Read events from long rows (Parquet, CSV, JSON lines, or a data frame) of time, id and label, in the order of arrival."""
    require_universe(cells)
    universe = with_other(cells)
    name = dataset_name(path, name)
    misfits = Misfits()
    rows = event_rows(path, universe=universe, options=ReadOptions.of(options), grid=grid, misfits=misfits)
    return replace(StreamRecords.from_rows(rows, cells=universe, grid=grid, name=name), misfits=misfits)


def read_for_kind(
    source: Source, *, public: PublicInputs, options: StreamReading, name: str | None = None, strict: bool = False
) -> StreamRecords:
    """Read a stream as the registration of the kind asks for it."""
    if strict:
        message = "a status outside the cells is counted as other, and no stream is refused for what it holds; leave strict out"
        raise ParameterError(message)
    grid = required_grid(public)
    records = read_stream(source, cells=public.required_universe(), grid=grid, options=options.events, name=name)
    return replace(records, longer_windows=options.longer_windows)


def no_events(*, public: PublicInputs, options: StreamReading, name: str) -> StreamRecords:
    """A stream of nobody, for a rehearsal."""
    records = StreamRecords.from_events([], cells=public.required_universe(), grid=required_grid(public), name=name)
    return replace(records, longer_windows=options.longer_windows)


def required_grid(public: PublicInputs) -> TimeGrid:
    """The time grid, which a stream must have."""
    if public.grid is None:
        message = "a stream needs a public time grid: when its timestamps begin, how long they are, and how many there are"
        raise ParameterError(message)
    return public.grid
