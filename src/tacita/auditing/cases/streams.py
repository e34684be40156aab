"""Audits of streams: small streams, and how the methods are reduced to a size that can be audited.

A row is a person, with one letter per timestamp and a dot where the person is absent. With presence public, all streams of a
case have the same people at the same timestamps, as the relation says. Neighbours are those of the relation that the mechanism
proves: statuses changed in a window of contexts, or all that happens in one of timestamps.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.auditing.cases.case import DELTA, SPAN, Pair, Rows, Variant
from tacita.auditing.cases.durable import Durable
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.guarantee import StatusContexts
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.streams import Pace, Presence, Republish, Sample, Strategy, StreamRecords, Uniform

__all__ = ["CONTEXTS", "StreamCase", "StreamSubject", "paces", "republishes", "samples", "uniforms", "varied"]

ABSENT = "."


@dataclass(frozen=True, kw_only=True)
class StreamCase:
    """A mechanism for streams, on a few people; `people` says who is there when, where that is public.

    Pairs that should be tight differ in everything that the relation allows in one window.
    """

    name: str
    mechanism: Any
    budget: Budget
    letters: str = "AB"
    people: Rows = ("AAAAAA", "AA.AA.", "A....A", "..AAAA")
    span: int = SPAN
    crowd: int = 1
    lists_all: bool = False
    longer: int = 0
    """By how many contexts the window of the first person is longer than that of all others."""

    @property
    def grid(self) -> TimeGrid:
        """One timestamp per letter."""
        return TimeGrid(start=0, interval=1, intervals=len(self.people[0]))

    def records(self, rows: Rows) -> StreamRecords:
        """A private stream from rows; a letter that is no cell is counted as other."""
        events = [
            (time, f"p{person}", row[time])
            for time in range(self.grid.intervals)
            for person, row in enumerate(rows)
            if row[time] != ABSENT
        ]
        made = StreamRecords.from_events(events, cells=Universe(self.letters), grid=self.grid, name="audit")
        own = {} if not self.longer else {"p0": (self._windows_of_contexts or 0) + self.longer}
        return replace(made, longer_windows=own)

    def of(self, mechanism: Any) -> StreamCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Random statuses, and where presence is private, random absences."""
        is_public = self._windows_of_contexts is not None
        statuses = f"{self.letters}x" + ("" if is_public else ABSENT * 2)
        drawn = [[statuses[int(generator.integers(0, len(statuses)))] for _ in row] for row in self.people]
        return tuple(
            "".join(ABSENT if is_public and mark == ABSENT else new for mark, new in zip(row, own, strict=True))
            for row, own in zip(self.people, drawn, strict=True)
        )

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """One person's window changed as a whole, for every person and every window, in each way that the relation allows."""
        for person, row in enumerate(rows):
            for window in self._windows(row, longer=self.longer if person == 0 else 0):
                for marks in self._instead([row[place] for place in window]):
                    changed = list(row)
                    for place, mark in zip(window, marks, strict=True):
                        changed[place] = mark
                    if "".join(changed) != row:
                        yield (*rows[:person], "".join(changed), *rows[person + 1 :])

    def tight_pairs(self) -> Sequence[Pair]:
        """Everybody in the first cell; the person who is always there is elsewhere in the first window, or in the last."""
        pairs = [(self.people, other) for other in self.neighbours(self.people) if other[0] != self.people[0]]
        return [pairs[0], pairs[-1]]

    def output_pairs(self) -> Sequence[Pair]:
        """The same."""
        return self.tight_pairs()

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of a stream
        """The published histograms and what is said of their errors, as one value."""
        data = release.data
        said = (*data.means.ravel().tolist(), *data.intervals.ravel().tolist(), *np.round(data.deviations, 2).ravel().tolist())
        known = (None if value != value else value for value in said)  # noqa: PLR0124 - not a number
        return (*data.sixteenths.ravel().tolist(), *data.measured.tolist(), *known)

    def sampled_neighbours(self, records: StreamRecords, *, number: int, seed: int) -> Iterator[tuple[str, StreamRecords]]:
        """Neighbours of a real stream: the statuses of one person in one window of their contexts, or one timestamp, changed."""
        generator = public_generator(seed)
        contexts = self._windows_of_contexts
        for _ in range(number):
            person = int(generator.integers(0, max(len(records.ids), 1)))
            own = np.flatnonzero(records.users == person)
            first = int(generator.integers(0, max(own.size, 1)))
            window = own[first : first + (contexts or 1)]
            places = records.places.copy()
            places[window] = (places[window] + 1) % len(records.cells)
            yield f"{window.size} statuses of person {person} changed", replace(records, places=places)

    @property
    def _windows_of_contexts(self) -> int | None:
        """How many contexts are changed together; None where presence is private."""
        relation = self.mechanism.relation(PublicInputs(grid=self.grid))
        return relation.contexts if isinstance(relation, StatusContexts) else None

    def _windows(self, row: str, *, longer: int = 0) -> Iterator[list[int]]:
        contexts = self._windows_of_contexts
        places = [place for place, mark in enumerate(row) if contexts is None or mark != ABSENT]
        length = longer + (contexts or self.mechanism.relation(PublicInputs(grid=self.grid)).timestamps)
        for start in range(max(len(places) - length + 1, 1)):
            yield places[start : start + length]

    def _instead(self, marks: list[str]) -> Iterator[list[str]]:
        """What a window may be changed into: the same move for all of it, one cell, nothing that is a cell, nobody."""
        following = dict(zip(f"{self.letters}x", f"{self.letters[1:]}x{self.letters[0]}", strict=True))
        if self.mechanism.presence is Presence.ADDED:
            yield [ABSENT] * len(marks)
            yield [mark if mark != ABSENT else self.letters[0] for mark in marks]
            return
        yield [following.get(mark, self.letters[0]) for mark in marks]
        yield [self.letters[0]] * len(marks)
        yield ["x"] * len(marks)
        if self.mechanism.presence is Presence.CHANGED:
            yield [ABSENT] * len(marks)


# The methods, reduced.

CONTEXTS = 2


@dataclass(frozen=True)
class StreamSubject:
    """Methods of streams with windows of two contexts, or with a level that has a name."""

    variants: tuple[Variant, ...]
    small: Mapping[str, Any] = field(default_factory=dict)
    """The parameters with which almost every release of the method can be enumerated."""

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> StreamCase:
        """A few people at six timestamps."""
        return StreamCase(name=variant.name, mechanism=variant.mechanism, budget=budget, longer=variant.longer)

    def output_case(self, variant: Variant) -> StreamCase:
        """One person at two timestamps in one of two cells, at an epsilon at which few values are likely; event-level."""
        durable = variant.mechanism if isinstance(variant.mechanism, Durable) else None
        method: Any = variant.mechanism if durable is None else durable.method
        small = replace(method, contexts="event", **self.small)
        mechanism = small if durable is None else replace(durable, method=small)
        budget = PureDP(20 if variant.delta else 6)  # a rho must be larger for noise that is as small
        return StreamCase(name=variant.name, mechanism=mechanism, budget=budget, letters="A", people=("AA",))


def varied(name: str, method: Any, *presences: Presence) -> tuple[Variant, ...]:  # noqa: ANN401 - a class of methods
    """One variant for each presence."""
    return tuple(
        Variant(name=f"{name}, presence {presence}", mechanism=method(contexts=CONTEXTS, presence=presence))
        for presence in presences
    )


def paces() -> StreamSubject:
    """Pace with every presence, its levels, a person with a longer window, and the publisher that goes on; and with a delta."""
    levels = (Variant(name=f"pace, {level}-level", mechanism=Pace(contexts=level)) for level in ("event", "user"))
    longer = Variant(name="pace, a longer window", mechanism=Pace(contexts=CONTEXTS), longer=1)
    lasting = (
        Variant(
            name="pace, the durable publisher, presence changed",
            mechanism=Durable(method=Pace(contexts=CONTEXTS, presence=Presence.CHANGED), group=2),
        ),
        Variant(name="pace, the durable publisher", mechanism=Durable(method=Pace(contexts=CONTEXTS)), longer=1),
    )
    both = varied("pace", Pace, Presence.PUBLIC, Presence.CHANGED)
    delta = (replace(each, name=f"{each.name}, with a delta", delta=DELTA) for each in both)
    return StreamSubject((*varied("pace", Pace, *Presence), *levels, longer, *lasting, *delta))


def uniforms() -> StreamSubject:
    """UNIFORM."""
    return StreamSubject(varied("uniform", Uniform, *Presence))


def samples() -> StreamSubject:
    """Sample."""
    return StreamSubject(varied("sample", Sample, Presence.PUBLIC, Presence.CHANGED))


def republishes() -> StreamSubject:
    """Adj, MMD and MA, and Adj with private presence, which is BD."""
    strategies = (
        Variant(
            name=f"republish, {strategy}",
            mechanism=Republish(contexts=CONTEXTS, strategy=strategy, past=None if strategy is Strategy.ADJACENT else 3),
        )
        for strategy in Strategy
    )
    return StreamSubject((*strategies, *varied("republish", Republish, Presence.CHANGED)))
