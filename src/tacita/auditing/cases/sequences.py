"""Audits of sequences: small data sets, and how mechanisms are reduced to a size that can be audited."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.auditing.cases.case import (
    DELTA,
    SPAN,
    Pair,
    Rows,
    Variant,
    crowd_above,
    crowd_of,
    encoded,
    outcome_of,
    removals,
    sampled_neighbours,
)
from tacita.privacy.budget import Budget, PureDP
from tacita.public.inputs import PerPerson
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.sequences import (
    Allocation,
    Granularity,
    Lost,
    NGram,
    PrefixTree,
    PrivateLength,
    Raked,
    SequenceRecords,
    Synthesis,
    Threshold,
)
from tacita.trees import Inference

__all__ = ["FEW", "Grams", "SequenceCase", "Steps", "Trees"]

MOST_LISTED = 2000
"""Up to this many possible sequences, neighbours are listed in full; beyond that, they are sampled."""

EVERY = 4
"""If neighbours are sampled, one data set is replayed on every fourth of the sample."""

FEW_DEPARTURES = 8
"""If neighbours are sampled, the number of positions at which a neighbour leaves a path."""


@dataclass(frozen=True, kw_only=True)
class SequenceCase:
    """A mechanism for sequences, on sequences of up to `longest` symbols over a few labels.

    The pair that should be tight has `crowd` people, enough to be kept, on a path of `depth` symbols, as deep as the mechanism
    looks. With several `intervals`, a label represents a place at a time: the first labels for all places in the first interval,
    and so on; no sequence goes back in time. A `steady` path repeats one symbol. If there are more than `MOST_LISTED` possible
    sequences, neighbours are sampled. One person has up to `per_person` sequences; neighbours differ in all of them.
    """

    name: str
    mechanism: Any
    budget: Budget
    labels: str = "ABC"
    longest: int = 3
    crowd: int = 400
    depth: int = 3
    intervals: int = 1
    span: int = SPAN
    steady: bool = False
    per_person: int = 1

    @property
    def lists_all(self) -> bool:
        """Whether all neighbours are listed."""
        return int(len(self.labels) ** (self.longest + 1)) <= MOST_LISTED

    @cached_property
    def domain(self) -> Rows:
        """Every sequence that a person can have, including the empty one; a sample if there are too many."""
        if not self.lists_all:
            return self._sampled()
        lengths = range(self.longest + 1)
        rows = ("".join(row) for length in lengths for row in product(self.labels, repeat=length))
        return tuple(row for row in rows if self._is_possible(row))

    def _sampled(self) -> Rows:
        """The empty sequence, the shortest ones, those of any length that repeat one or two symbols, and random ones."""
        generator = public_generator(len(self.labels))
        anything = [generator.integers(0, len(self.labels), length) for length in range(self.longest + 1)]
        randoms = ["".join(self.labels[place] for place in places) for places in anything]
        lengths = (1, self.longest // 2, self.longest - 1, self.longest)
        repeats = [(pattern * length)[:length] for pattern in (*self.labels, self.labels[:2]) for length in lengths]
        rows = dict.fromkeys(self._in_time(row) for row in ("", *self.labels, *repeats, *randoms[:: max(1, self.longest // 8)]))
        return tuple(row for row in rows if self._is_possible(row))

    @property
    def _places(self) -> int:
        return len(self.labels) // self.intervals

    def _is_possible(self, row: str) -> bool:
        times = [self.labels.index(label) // self._places for label in row]
        return all(earlier <= later for earlier, later in pairwise(times))

    def _in_time(self, row: str) -> str:
        """The same symbols in a possible order."""
        return row if self.intervals == 1 else "".join(sorted(row, key=self.labels.index))

    def records(self, rows: Rows) -> SequenceRecords:
        """Private records from rows, as if something had been dropped from each."""
        grid = TimeGrid(start=0, interval=1, intervals=self.intervals) if self.intervals > 1 else None
        universe, sequences = Universe(self.labels[: self._places]), encoded(rows, self.labels)
        dropped = sequences.codes.size + len(sequences)
        return SequenceRecords(
            sequences=sequences,
            universe=universe,
            grid=grid,
            name="audit",
            dropped_labels=dropped,
            per_person=PerPerson.JOIN if self.per_person == 1 else PerPerson.cap(self.per_person),
        )

    def of(self, mechanism: Any) -> SequenceCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def lists(self, held: Any) -> Ragged:  # noqa: ANN401 - records or published sequences
        """The contents of records, or of published data."""
        lists: Ragged = held.sequences
        return lists

    def parts(self, release: Any) -> frozenset[Hashable]:  # noqa: ANN401 - any release of this kind
        """The different lists that were published."""
        return frozenset(map(tuple, self.lists(release.data).to_lists()))

    def part_of(self, row: str) -> Hashable:
        """The list that a person with this row has."""
        return tuple(encoded((row,), self.labels).to_lists()[0])

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Some people anywhere, and often a crowd on one path, so that deep levels are reached."""
        anywhere = [self.domain[place] for place in generator.integers(0, len(self.domain), generator.integers(0, 8))]
        length = int(generator.integers(1, self.depth + 1))
        path = self._in_time("".join(self.labels[place] for place in generator.integers(0, len(self.labels), length)))
        return (*anywhere, *[path] * int(generator.integers(0, 2) * generator.integers(0, 2 * self.crowd)))

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every short sequence added, every one that leaves the longest path on any level, and every different one removed."""
        longest = max(rows, key=len, default="")
        others = [*self.domain, *self._departures(longest)]
        if not self.lists_all:
            others = others[len(rows) % EVERY :: EVERY]  # different ones for each data set
        for extra in dict.fromkeys(others):
            yield (*rows, *(extra,) * self.per_person)
        yield from removals(rows, each=self.per_person)

    def _departures(self, path: str) -> list[str]:
        """A path itself, each of its beginnings, and each of them with the next symbol changed."""
        changed = {label: self.labels[place - 1] for place, label in enumerate(self.labels)}
        starts = [path[:length] for length in range(len(path))]
        departures = [path, *starts, *(start + changed[path[len(start)]] for start in starts)]
        return [row for row in departures if self._is_possible(row)]

    def tight_pairs(self) -> Sequence[Pair]:
        """A crowd on one path, and one more person: on it (the loss can reach epsilon), or leaving it on any level."""
        path = self._path
        crowd = (path,) * self.crowd
        departures = self._departures(path)
        if not self.lists_all:
            departures = departures[:: max(1, len(departures) // FEW_DEPARTURES)]
        return [(crowd, (*crowd, *(extra,) * self.per_person)) for extra in departures]

    def crowd_of(self, number: int) -> Rows:
        """This many people, most with the first label alone, and ever fewer with each further one."""
        return crowd_of(self.labels, number)

    @property
    def _path(self) -> str:
        labels = self.labels[0] if self.steady else self.labels
        return self._in_time((labels * self.depth)[: self.depth])

    def output_pairs(self) -> Sequence[Pair]:
        """A few people; the one added or removed shares their path, or is alone with one, before or after the others' label."""
        first, second = self.labels[0], self.labels[1]
        return [((second,) * 3, (second,) * 3 + (first,)), ((first + second,) * 2, (first + second,) * 3)]

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of sequences
        """The published sequences, as one value."""
        return outcome_of(self.lists(release.data))

    def sampled_neighbours(self, records: SequenceRecords, *, number: int, seed: int) -> Iterator[tuple[str, SequenceRecords]]:
        """Neighbours of real data: one person removed, or one added with a copied or a random sequence.

        What was dropped while reading may also differ between neighbours, and does here.
        """
        sampled = sampled_neighbours(records.sequences, partial(_stranger, records), number=number, seed=seed)
        dropped = records.dropped_labels + 1
        return ((what, replace(records, sequences=lists, dropped_labels=dropped)) for what, lists in sampled)


def _stranger(records: SequenceRecords, length: int, generator: PublicGenerator) -> Integers:
    """Any symbols; with times, in order of time."""
    if records.grid is None:
        return generator.integers(0, len(records.universe), length)
    return np.sort(generator.integers(0, len(records.universe) * records.grid.intervals, length))


# The mechanisms, reduced.

FEW = "ABC"
TWO = FEW[:2]

GROUPS = Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "CD"), ("D", "CD"), ("CD", "BCD"), ("BCD", "*")])
"""A small taxonomy of unequal depth, for trees that need one."""


@dataclass(frozen=True)
class Trees:
    """Prefix trees."""

    variants: tuple[Variant, ...] = (
        Variant(name="prefix-tree", mechanism=PrefixTree(height=3)),
        Variant(name="prefix-tree, hybrid", mechanism=PrefixTree(height=2, taxonomy=GROUPS)),
        Variant(name="prefix-tree, with times", mechanism=PrefixTree(height=3), intervals=2),
        Variant(
            name="prefix-tree, hybrid with times", mechanism=PrefixTree(height=2, granularity=Granularity.HYBRID), intervals=2
        ),
        Variant(
            name="prefix-tree, continued",
            mechanism=PrefixTree(height=3, lost=Lost.CONTINUE, inference=Inference.CORRECTED),
        ),
        Variant(name="prefix-tree, private height", mechanism=PrefixTree(height=PrivateLength(longest=3, share="1/10"))),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> SequenceCase:
        """The mechanism as it is, except for a universe of a few labels, with a crowd large enough to be kept on every level."""
        mechanism, labels = _on_few_labels(variant), _labels(variant)
        height = mechanism.height.longest if isinstance(mechanism.height, PrivateLength) else mechanism.height
        case = SequenceCase(
            name=variant.name, mechanism=mechanism, budget=budget, labels=labels, depth=height, intervals=variant.intervals
        )
        records = case.records(())
        schedules = replace(mechanism, height=height).schedules(budget, records.public)
        asked = [question for schedule in schedules for question in schedule.questions(1)]
        return replace(case, crowd=max(crowd_above(question.threshold, question.epsilon) for question in asked))

    def output_case(self, variant: Variant) -> SequenceCase:
        """The mechanism with so few levels and labels, and at such a budget, that almost every release can be enumerated."""
        mechanism = variant.mechanism
        if mechanism.granularity is Granularity.HYBRID:
            groups = Taxonomy.from_edges([("A", "*"), ("B", "BC"), ("C", "BC"), ("BC", "*")])
            if variant.intervals > 1:
                small, labels = replace(mechanism, height=1, taxonomy=None), "ABCD"
            else:
                small, labels = replace(mechanism, height=1, taxonomy=groups), "ABC"
        else:
            height = mechanism.height
            few = replace(height, longest=2) if isinstance(height, PrivateLength) else min(height, 2)
            small, labels = replace(mechanism, height=few), "AB"
        levels = small.height.longest if isinstance(small.height, PrivateLength) else small.height
        return SequenceCase(
            name=variant.name,
            mechanism=small,
            budget=PureDP(Fraction(3, 2) * levels),
            labels=labels,
            longest=2,
            intervals=variant.intervals,
            span=1 if mechanism.lost is Lost.CONTINUE else SPAN,  # asking for ends adds half as many cells again
        )


@dataclass(frozen=True)
class Grams:
    """N-grams."""

    variants: tuple[Variant, ...] = (
        Variant(name="ngram", mechanism=NGram(max_length=3, max_gram=2)),
        Variant(name="ngram, with repeats", mechanism=NGram(max_length=4, max_gram=2)),
        Variant(
            name="ngram, joined as published",
            mechanism=NGram(max_length=3, max_gram=3, synthesis=Synthesis.JOINED, threshold=Threshold.PUBLISHED),
        ),
        Variant(
            name="ngram, private length",
            mechanism=NGram(max_length=PrivateLength(longest=3, share="1/10"), max_gram=2, allocation=Allocation.UNIFORM),
        ),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> SequenceCase:
        """The mechanism as it is, except for a universe of two labels, with a crowd large enough to be kept on every level.

        Sequences are one symbol longer than the longest length, so that a forgotten cut starts one path too many.
        """
        mechanism: NGram = variant.mechanism
        longest = mechanism.max_length.longest if isinstance(mechanism.max_length, PrivateLength) else mechanism.max_length
        rule = mechanism.pipeline(longest, symbols=len(TWO)).grams
        least = budget.epsilon / (2 * rule.levels)  # no question costs less, whatever the earlier answers
        crowd = crowd_above(rule.least(least), least / rule.starts)
        return SequenceCase(
            name=variant.name,
            mechanism=mechanism,
            budget=budget,
            labels=TWO,
            longest=longest + 1,
            depth=longest + 1,
            crowd=crowd,
            steady=bool(rule.leaps),
        )

    def output_case(self, variant: Variant) -> SequenceCase:
        """Single labels of sequences of one symbol, joined: a generator would also ask for lengths and beginnings.

        Those are the same kind of question, but too many for the output to be enumerated; the replay covers them.
        """
        mechanism: NGram = variant.mechanism
        length = mechanism.max_length
        few = replace(length, longest=1) if isinstance(length, PrivateLength) else 1
        return SequenceCase(
            name=variant.name,
            mechanism=replace(mechanism, max_length=few, max_gram=1, synthesis=Synthesis.JOINED),
            budget=PureDP(Fraction(3, 2)),
            labels="AB",
            longest=1,
        )


@dataclass(frozen=True)
class Steps:
    """Raked sequences."""

    variants: tuple[Variant, ...] = (
        Variant(name="raked", mechanism=Raked(max_length=3)),
        Variant(name="raked, single symbols", mechanism=Raked(max_length=1, with_counts=True)),
        Variant(name="raked, with times", mechanism=Raked(max_length=2), intervals=2),
        Variant(name="raked, single visits with times", mechanism=Raked(max_length=1), intervals=2),
        Variant(name="raked, with a delta", mechanism=Raked(max_length=3), delta=DELTA),
        Variant(name="raked, single symbols, with a delta", mechanism=Raked(max_length=1), delta=DELTA),
        Variant(name="raked, with times and a delta", mechanism=Raked(max_length=2), intervals=2, delta=DELTA),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> SequenceCase:
        """The mechanism as it is, except for a universe of two labels.

        Sequences are one symbol longer than the longest length, so that a forgotten cut shows.
        """
        longest: int = variant.mechanism.max_length
        return SequenceCase(
            name=variant.name,
            mechanism=_without_counts(variant.mechanism, has_delta=not isinstance(budget, PureDP)),
            budget=budget,
            labels=TWO if variant.intervals == 1 else "ABCD",
            longest=longest + 1,
            depth=longest + 1,
            intervals=variant.intervals,
        )

    def output_case(self, variant: Variant) -> SequenceCase:
        """Sequences of one symbol: the fewest cells that the mechanism can ask for.

        With a delta, what lies beyond the span counts in full: more values of less noise are listed, too many for those of times
        as well. The replay covers these; the name says so.
        """
        has_delta = variant.delta > 0
        return SequenceCase(
            name=variant.name + ", without times" * (has_delta and variant.intervals > 1),
            mechanism=_without_counts(replace(variant.mechanism, max_length=1), has_delta=has_delta),
            budget=PureDP(30 if has_delta else Fraction(3, 2)),
            labels="AB",
            longest=1,
            intervals=1 if has_delta else variant.intervals,
            span=6 if has_delta else SPAN,
        )


def _without_counts(mechanism: Raked, *, has_delta: bool) -> Raked:
    """The mechanism as it is, but for the noisy counts that it does not release with a delta."""
    return replace(mechanism, with_counts=mechanism.with_counts and not has_delta)


def _labels(variant: Variant) -> str:
    if variant.intervals > 1:
        return "ABCD"
    return "ABCD" if variant.mechanism.granularity is Granularity.HYBRID else "ABC"


def _on_few_labels(variant: Variant) -> PrefixTree:
    """The mechanism with a small taxonomy instead of its own, if it has one."""
    mechanism: PrefixTree = variant.mechanism
    if mechanism.granularity is Granularity.SIMPLE:
        return mechanism
    return replace(mechanism, taxonomy=None if variant.intervals > 1 else GROUPS)
