"""Audits of people with events: a class and a few events per person, and how the publisher is reduced."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np

from tacita.arrays.ragged import Ragged, chosen, offsets_of
from tacita.auditing.cases.case import (
    SPAN,
    AuditCase,
    Pair,
    Rows,
    Variant,
    a_few_and_one_more,
    anywhere_and_a_crowd,
    encoded,
    outcome_of,
    removals,
)
from tacita.auditing.cases.tables import NoisyMarginals
from tacita.io import LongColumns
from tacita.people import ByClass, PeopleRecords
from tacita.privacy.budget import Budget, PureDP
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.tables import Categorical, Schema, TableRecords

__all__ = ["Classes", "PeopleCase"]


@dataclass(frozen=True, kw_only=True)
class PeopleCase:
    """A publisher of people: the first letter of a row is the class, `?` for none; all others are events, such as `Bab`."""

    name: str
    mechanism: Any
    budget: Budget
    classes: str = "AB?"
    labels: str = "ab"
    longest: int = 2
    has_order: bool = True
    crowd: int = 300
    span: int = SPAN

    @cached_property
    def schema(self) -> Schema:
        """One column, which may have no value."""
        known = Universe(self.classes.replace("?", ""))
        return Schema(quasi=(Categorical(name="class", taxonomy=Taxonomy.flat(known), missing="?" in self.classes),))

    @cached_property
    def domain(self) -> Rows:
        """Every row that a person can have; events without an order are sets."""
        lists = ["".join(row) for length in range(self.longest + 1) for row in product(self.labels, repeat=length)]
        kept = lists if self.has_order else [row for row in lists if "".join(sorted(set(row))) == row]
        return tuple(own + row for own in self.classes for row in kept)

    def records(self, rows: Rows) -> PeopleRecords:
        """Private records from rows, as if something had been dropped."""
        column = self.schema.quasi[0]
        known = self.classes.replace("?", "")
        places = [column.count if row[0] == "?" else known.index(row[0]) for row in rows]
        table = TableRecords(schema=self.schema, quasi=(np.array(places, dtype=np.int64),), name="audit", dropped_rows=len(rows))
        return PeopleRecords(
            table=table,
            events=encoded(tuple(row[1:] for row in rows), self.labels),
            universe=Universe(self.labels),
            columns=LongColumns() if self.has_order else LongColumns(time=None),
            dropped_events=len(rows),
        )

    def of(self, mechanism: Any) -> PeopleCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def lists(self, held: Any) -> Ragged:  # noqa: ANN401 - records or published people
        """What each person shows: the class, then the events."""
        own = held.table.quasi[0] if isinstance(held, PeopleRecords) else held.table.lows[:, 0]
        lengths = held.events.lengths
        codes = np.zeros(int(lengths.sum()) + lengths.size, dtype=np.int32)
        firsts = held.events.offsets[:-1] + np.arange(lengths.size)
        inside = np.ones(codes.size, dtype=np.bool_)
        inside[firsts] = False
        codes[firsts], codes[inside] = own, held.events.codes + len(self.classes)
        return Ragged(codes, offsets_of(lengths + 1))

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Some people anywhere, and often a crowd with one row."""
        return anywhere_and_a_crowd(self.domain, generator, crowd=self.crowd, most=20)

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every person added, and every different one removed."""
        for extra in self.domain:
            yield (*rows, extra)
        yield from removals(rows)

    def tight_pairs(self) -> Sequence[Pair]:
        """A crowd with one row, and one more person, with that row or with the last one."""
        crowd = (self.domain[-1],) * self.crowd
        return [(crowd, (*crowd, extra)) for extra in (self.domain[-1], self.domain[0])]

    def output_pairs(self) -> Sequence[Pair]:
        """A few people; the one added or removed is like them, or alone."""
        return a_few_and_one_more(self.domain)

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of people
        """The published people, as one value."""
        return outcome_of(self.lists(release.data))

    def sampled_neighbours(self, records: PeopleRecords, *, number: int, seed: int) -> Iterator[tuple[str, PeopleRecords]]:
        """Neighbours of real data: one person removed, or a copy of one added."""
        generator = public_generator(seed)
        for turn in range(number):
            place, rows = int(generator.integers(0, len(records))), np.arange(len(records))
            kept = np.delete(rows, place) if turn % 2 == 0 else np.append(rows, place)
            table = replace(records.table, quasi=tuple(codes[kept] for codes in records.table.quasi), persons=None)
            what = f"person {place} removed" if turn % 2 == 0 else f"a copy of person {place} added"
            yield what, replace(records, table=table, events=chosen(records.events, kept))


@dataclass(frozen=True)
class Classes:
    """People by class, with events in order and with sets."""

    is_composed: ClassVar[bool] = True

    variants: tuple[Variant, ...] = (
        Variant(name="by-class, sequences", mechanism=ByClass(class_column="class")),
        Variant(name="by-class, sets", mechanism=ByClass()),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> PeopleCase:
        """A class and no class, two labels, up to two events: publishing each further class takes as long again."""
        is_named = variant.mechanism.class_column is not None
        return PeopleCase(name=variant.name, mechanism=variant.mechanism, budget=budget, classes="A?", has_order=is_named)

    def output_case(self, variant: Variant) -> AuditCase:
        """Its table alone, cut to one column: with events there are dozens of noisy numbers, too many to enumerate.

        Events are published by methods that have output tests of their own. The name says so.
        """
        table = NoisyMarginals()
        return replace(table.output_case(table.variants[0]), name=f"{variant.name}: its table, cut to one column")
