"""Private trajectories: sets of (place, interval) pairs, whose they are, and attributes of these persons.

Chen's thesis, 2012, section 5.2.1. A record is a *set* of pairs: where somebody was in the same hour in two places, both count
and neither comes first. A person may have several records; then persons are counted, not records. Attributes belong to persons:
sensitive ones, which are published with every record, and quasi-identifiers, which an attacker may know like a pair. These are
pairs here (attribute and value in place of place and time), so that they are counted and suppressed with the trajectory. All
others stay in the house.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Numbers
from tacita.arrays.ragged import Ragged, are_sets, distinct, offsets_of
from tacita.errors import ParameterError
from tacita.io import FileFormat, LongColumns, Misfits, ReadOptions
from tacita.pictures.picture import html_facts
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories.indexed_sets import PairColumns
from tacita.trajectories.places import PlaceGroups, public_places
from tacita.trajectories.requirement import Requirement

__all__ = ["TrajectoryReading", "TrajectoryRecords"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TrajectoryRecords:
    """One set of codes per record; a code is `interval * len(universe) + place`, or represents a quasi-identifier after those.

    `persons` is the person of each record (None: every record is a person of its own), `attributes` has one row per person, and
    `quasi` names the (attribute, value) that each further code represents.

    >>> day = TimeGrid(start=0, interval=1, intervals=24)
    >>> town = Universe(["a", "b", "c"])
    >>> walks = [[("a", 1), ("c", 2), ("a", 1)], [("b", 2)]]
    >>> TrajectoryRecords.from_pairs(walks, universe=town, grid=day).trajectories.to_lists()
    [[3, 8], [7]]
    """

    trajectories: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    grid: TimeGrid
    persons: Numbers | None = field(default=None, repr=False)
    attributes: pl.DataFrame | None = field(default=None, repr=False)
    quasi: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=LongColumns)
    dropped_rows: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)
    read_rules: tuple[str, ...] = ()
    places: PlaceGroups | None = None
    """Which finer places these are groups of, if they were made coarser."""

    def __post_init__(self) -> None:
        """Check that records are sets of codes, and that every person has attributes or none has."""
        instance_of(self.trajectories, Ragged, name="the trajectories")
        codes = self.trajectories.codes
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < self.pairs + len(self.quasi):
            message = "every code of a trajectory must represent a place and an interval of the grid"
            raise ParameterError(message)
        if not are_sets(self.trajectories):
            message = (
                "the codes of a trajectory must strictly increase, and no trajectory may be empty; make them distinct before"
            )
            raise ParameterError(message)
        if self.persons is not None and self.persons.size != len(self.trajectories):
            message = f"every trajectory must have a person, got {self.persons.size} for {len(self.trajectories)} trajectories"
            raise ParameterError(message)
        if self.attributes is not None and len(self.attributes) != self.people:
            message = f"there must be one row of attributes per person, got {len(self.attributes)} for {self.people} persons"
            raise ParameterError(message)

    @property
    def pairs(self) -> int:
        """How many (place, interval) pairs there can be."""
        return len(self.universe) * self.grid.intervals

    @property
    def people(self) -> int:
        """The number of persons. For the owner's eyes only."""
        return len(self.trajectories) if self.persons is None else int(self.persons.max(initial=-1)) + 1

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were read with."""
        return public_places(self.universe, self.grid, self.places)

    def _repr_html_(self) -> str:
        """Public facts only, for a notebook: how many there are is private."""
        facts = [("universe", self.universe), ("time grid", self.grid), ("protected", self.unit)]
        return html_facts(f"Private trajectories, {self.name}", facts)

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner's eyes only."""
        total = self.dropped_rows + self.trajectories.codes.size
        return self.misfits.told(
            f"{self.dropped_rows:,} of {total:,} rows were outside the universe or the time grid and are dropped"
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be published."""
        return not self.trajectories.codes.size

    @property
    def why_empty(self) -> str:
        """What may be wrong if nothing is left."""
        if len(self.misfits):
            return f"no row that fits is left ({self.misfits.rules})"
        return "all rows outside the universe or the time grid would be dropped; is this the right universe, and grid?"

    @property
    def unit(self) -> str:
        """Who is protected."""
        return "one person, whose records are all counted as one" if self.persons is not None else "one person's trajectory"

    @property
    def records_per_person(self) -> int:
        """Persons are counted, however many records they have."""
        return 1

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each trajectory, whatever the data; for the manifest, so public facts only."""
        return (
            "places outside the universe and times outside the grid were dropped, and trajectories without others left out",
            "a place at which somebody was several times in one interval counts once in it",
            *self.read_rules,
        )

    @classmethod
    def from_pairs(
        cls,
        trajectories: Iterable[Sequence[tuple[str, int]]],
        *,
        universe: Universe,
        grid: TimeGrid,
        attributes: Mapping[str, Sequence[str | None]] | None = None,
        name: str = "unnamed",
    ) -> TrajectoryRecords:
        """Build from Python lists of (place, number of the interval); what is outside is dropped. For tests and small data."""
        rows, kept = [], []
        for place, trajectory in enumerate(trajectories):
            row = [
                interval * len(universe) + universe.code(label)
                for label, interval in trajectory
                if label in universe and 0 <= interval < grid.intervals
            ]
            if row:
                rows.append(row)
                kept.append(place)
        lists = distinct(Ragged.from_lists([sorted(row) for row in rows]), symbols=len(universe) * grid.intervals)
        table = (
            None if attributes is None else pl.DataFrame(attributes, schema_overrides=dict.fromkeys(attributes, pl.String))[kept]
        )
        return cls(trajectories=lists, universe=universe, grid=grid, attributes=table, name=name)

    def pair_columns(self, requirement: Requirement) -> PairColumns:
        """The records as columns, with who has a value of each sensitive group."""
        return PairColumns.of(self.trajectories, persons=self.persons, sensitive=self.sensitive_flags(requirement))

    def sensitive_flags(self, requirement: Requirement) -> Booleans:
        """One row per person, one column per sensitive group: whether the person has one of its values."""
        flags = np.zeros((self.people, len(requirement.groups)), dtype=np.bool_)
        known = {attribute for attribute, _ in self.quasi}
        for place, group in enumerate(requirement.groups):
            if group.attribute in known:
                message = f"an attribute is either sensitive or a quasi-identifier, got {group.attribute!r} as both"
                raise ParameterError(message)
            if self.attributes is None or group.attribute not in self.attributes.columns:
                message = f"the sensitive attribute {group.attribute!r} must be in the table of attributes; it is not"
                raise ParameterError(message)
            if self.people and not self.attributes[group.attribute].is_in(list(group.values)).any():
                message = (
                    f"nobody has a value of the sensitive group {group.attribute!r}, so its bound would hold for nothing; "
                    "are the values spelled as in the table of attributes?"
                )
                raise ParameterError(message)
            flags[:, place] = self.attributes[group.attribute].is_in(list(group.values)).fill_null(value=False).to_numpy()
        return flags

    def with_quasi_identifiers(self, names: Sequence[str]) -> TrajectoryRecords:
        """The same with some attributes as further pairs, which an attacker may know."""
        taken = [attribute for attribute, _ in self.quasi]
        if len({*names, *taken}) != len(names) + len({*taken}):
            message = f"every quasi-identifier must be named once, got {', '.join(names)}"
            raise ParameterError(message)
        codes = self.pairs + len(self.quasi)
        records = np.arange(len(self.trajectories)) if self.persons is None else self.persons
        added: list[tuple[str, str]] = []
        owners = [np.repeat(np.arange(len(self.trajectories)), self.trajectories.lengths)]
        numbers = [self.trajectories.codes.astype(np.int64)]
        for attribute in names:
            if self.attributes is None or attribute not in self.attributes.columns:
                message = f"the quasi-identifier {attribute!r} must be in the table of attributes; it is not"
                raise ParameterError(message)
            column = self.attributes[attribute]
            values = column.drop_nulls().unique().sort().to_list()
            place = column.replace_strict(values, np.arange(len(values)), default=None, return_dtype=pl.Int64)
            of_record = place.fill_null(-1).to_numpy()[records]
            there = np.flatnonzero(of_record >= 0)
            owners.append(there)
            numbers.append(of_record[there] + codes + len(added))
            added += [(attribute, value) for value in values]
        owner, number = np.concatenate(owners), np.concatenate(numbers)
        order = np.lexsort((number, owner))
        lists = Ragged(number[order].astype(np.int32), offsets_of(np.bincount(owner, minlength=len(self.trajectories))))
        return replace(self, trajectories=lists, quasi=(*self.quasi, *added))


@dataclass(frozen=True, kw_only=True)
class TrajectoryReading:
    """How a file of trajectories is read: its rows, and the table of attributes by id, if there is one."""

    rows: ReadOptions = field(default_factory=ReadOptions)
    attributes: Path | None = None
    quasi_identifiers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Quasi-identifiers are columns of the table of attributes."""
        if self.quasi_identifiers and self.attributes is None:
            message = "quasi-identifiers are columns of the table of attributes; name its file"
            raise ParameterError(message)
