"""Private people: a row of a table for each person, and the list of that person's events.

A person is whoever the table has a row for; of several rows one counts, the first by a fixed hash. The events of a person are all
rows of the other file with the same person, whatever they are: in the order of their times if a column of times is named, and a
set otherwise. What is read of one person depends on the rows of that person alone. Events of persons without a row are left out,
and their number is told to the owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, chosen, distinct, offsets_of
from tacita.errors import ParameterError
from tacita.formats import FileFormat
from tacita.io import LongColumns, Misfits, ReadOptions, Source
from tacita.io.formats import STANDARD_INPUT
from tacita.io.long_rows import LongEvents, long_events
from tacita.io.ordering import lists_of_people
from tacita.io.reading import writable_format
from tacita.io.sources import input_name
from tacita.io.values import exact_text
from tacita.kinds.words import chosen_universe, timed_reading, untimed_reading
from tacita.people.synthesis import EVENTS, amounts_of, counted_schema
from tacita.pictures.picture import html_facts
from tacita.public.inputs import PublicInputs
from tacita.public.universe import Universe
from tacita.sequences import SequenceRecords
from tacita.sets import BasketRecords
from tacita.tables import TableReading, TableRecords, no_table, read_table
from tacita.tables.published import SCHEMA_INPUT, schema_of
from tacita.tables.records import columns, output_format, reading

__all__ = [
    "PeopleReading",
    "PeopleRecords",
    "no_people",
    "people_format",
    "people_of",
    "people_reading",
    "public_inputs",
    "read_people",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleRecords:
    """One row and one list of codes per person; `events[i]` belongs to row i and may be empty."""

    table: TableRecords
    events: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    columns: LongColumns
    """Of the events; without a time, events are sets."""
    dropped_events: int = field(default=0, repr=False)
    strangers: int = field(default=0, repr=False)
    """How many events belong to nobody with a row."""
    misfits: Misfits = field(default_factory=Misfits, repr=False)

    def __post_init__(self) -> None:
        """Every row has a list, and every code a label."""
        codes = self.events.codes
        has_labels = not codes.size or 0 <= int(codes.min()) <= int(codes.max()) < len(self.universe)
        if len(self.events) != len(self.table) or not has_labels:
            message = "people must have one list of events per row, of codes of labels in the universe"
            raise ParameterError(message)
        if EVENTS in self.table.schema.names:
            message = f"no column of the table may be called {EVENTS!r}, which is counted beside them; rename it"
            raise ParameterError(message)

    @property
    def name(self) -> str:
        """The name of the data set in a ledger."""
        return self.table.name

    @property
    def file_format(self) -> FileFormat:
        """The format of the table."""
        return self.table.file_format

    @property
    def has_order(self) -> bool:
        """Whether events have an order, which is public: a column of times was named."""
        return self.columns.time is not None

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were read with."""
        return PublicInputs(universe=self.universe, others={SCHEMA_INPUT: self.table.schema})

    def counted_table(self) -> TableRecords:
        """The table with one more column: how many events a person has. It depends on that person alone."""
        schema, amounts = counted_schema(self.table.schema), amounts_of(self.events.lengths)
        return replace(self.table, schema=schema, quasi=(*self.table.quasi, amounts))

    def events_of(self, column: int, places: Integers) -> SequenceRecords | BasketRecords:
        """The events of the persons with one of these values, as records of their own kind; who has none is left out."""
        mine = np.isin(self.table.quasi[column], places) & (self.events.lengths > 0)
        return self._records(chosen(self.events, np.flatnonzero(mine)))

    def all_events(self) -> SequenceRecords | BasketRecords:
        """The events of everybody who has some."""
        return self._records(chosen(self.events, np.flatnonzero(self.events.lengths > 0)))

    def _records(self, lists: Ragged) -> SequenceRecords | BasketRecords:
        given: dict[str, Any] = {"universe": self.universe, "name": self.name, "columns": self.columns}
        if self.has_order:
            return SequenceRecords(sequences=lists, **given)
        return BasketRecords(baskets=distinct(lists, symbols=len(self.universe)), **given)

    def __len__(self) -> int:
        """The number of persons; private."""
        return len(self.table)

    def _repr_html_(self) -> str:
        """Public facts only, for a notebook: how many there are is private."""
        facts = [("columns", ", ".join(self.table.schema.names)), ("universe", self.universe), ("protected", self.unit)]
        return html_facts(f"Private people, {self.name}", facts)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be published."""
        return self.table.is_empty

    @property
    def why_empty(self) -> str:
        """What may be wrong if nothing is left."""
        return self.table.why_empty

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner only."""
        events = (
            f"{self.dropped_events:,} events have labels outside the universe, and {self.strangers:,} belong to nobody with "
            "a row; both are dropped"
        )
        return f"{self.table.owner_note}; of the events: {self.misfits.told(events)}"

    @property
    def unit(self) -> str:
        """What one protected record is, for the guarantee."""
        return "one person: a row and all events"

    @property
    def records_per_person(self) -> int:
        """A person is one record."""
        return 1

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each person, whatever the data."""
        order = "in the order of their times" if self.has_order else "as a set, each label once"
        return (
            *self.table.rules,
            f"all events of a person were joined, {order}",
            "events with labels outside the universe, and events of persons without a row, were dropped",
        )


def people_of(
    table: TableRecords, rows: LongEvents, *, universe: Universe, options: ReadOptions, misfits: Misfits
) -> PeopleRecords:
    """Join a table, which knows whose its rows are, and events."""
    persons = pl.Series(dtype=pl.String) if table.persons is None else table.persons
    places = pl.DataFrame({"person": persons, "row": np.arange(len(persons))})
    found = pl.DataFrame({"person": exact_text(rows.ids)}).join(places, on="person", how="left", maintain_order="left")["row"]
    known = found.is_not_null()
    owners, codes = found.filter(known), rows.codes.filter(known)
    times = None if rows.times is None else rows.times.filter(known)
    if times is None:  # a set: each label once, in the order of the universe
        keys = np.unique(owners.to_numpy() * len(universe) + codes.to_numpy())
        lengths = np.bincount(keys // len(universe), minlength=len(persons))
        events = Ragged((keys % len(universe)).astype(np.int32), offsets_of(lengths))
    else:
        lengths = np.bincount(owners.to_numpy(), minlength=len(persons))
        events = Ragged(lists_of_people(codes, owners, times).codes, offsets_of(lengths))
    return PeopleRecords(
        table=table,
        events=events,
        universe=universe,
        columns=options.columns,
        dropped_events=rows.dropped,
        strangers=int((~known).sum()),
        misfits=misfits,
    )


@dataclass(frozen=True, kw_only=True)
class PeopleReading:
    """How the two private files are read: what is said of text, persons and formats holds for both."""

    table: TableReading
    events: Source | None
    rows: ReadOptions


def read_people(
    source: Source, *, public: PublicInputs, options: PeopleReading, name: str | None = None, strict: bool = False
) -> PeopleRecords:
    """Read a table of people and their events."""
    if options.events is None:
        message = "people with events need the file of the events; name it with --events"
        raise ParameterError(message)
    schema, universe = schema_of(public), public.required_universe()
    table = read_table(
        source,
        schema=schema,
        file_format=options.table.file_format,
        dialect=options.table.dialect,
        name=name,
        strict=strict,
        person=options.rows.columns.person,
    )
    misfits = Misfits()
    rows = long_events(options.events, misfits, universe=universe, options=options.rows)
    if strict:
        misfits.refuse(input_name(options.events))
    return people_of(table, rows, universe=universe, options=options.rows, misfits=misfits)


def no_people(*, public: PublicInputs, options: PeopleReading, name: str) -> PeopleRecords:
    """The people of nobody, for a rehearsal."""
    return PeopleRecords(
        table=no_table(public=public, options=options.table, name=name),
        events=Ragged.from_lists([]),
        universe=public.required_universe(),
        columns=options.rows.columns,
    )


# From what is typed to public inputs, reading options and formats; the registration of the kind names these functions.


Given = Mapping[str, Any]
"""What was typed, by field name."""


def public_inputs(given: Given) -> PublicInputs:
    """The declared columns and the labels of events."""
    return replace(columns(given), universe=chosen_universe(given))


def people_reading(given: Given) -> PeopleReading:
    """How the private files are read; events have an order if a column of times is named."""
    apart = {key: value for key, value in given.items() if key not in {"input_format", "per_person"}}
    rows = timed_reading(apart) if given.get("time") is not None else untimed_reading(apart)
    table = reading({**given, "person": rows.columns.person, "per_person": None})
    return PeopleReading(table=table, events=given.get("events"), rows=rows)


def people_format(source: str, *, options: PeopleReading, public: PublicInputs, wanted: str | None) -> str:
    """The format of both files of the release: the one that is wanted, or that of the table."""
    if STANDARD_INPUT in {source, str(options.events)}:
        message = "people with events are read from two files, not from standard input"
        raise ParameterError(message)
    found = output_format(source, options=options.table, public=public, wanted=wanted)
    return writable_format(found, public.required_universe())
