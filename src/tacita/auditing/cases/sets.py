"""Audits of sets: small data sets of baskets, and how mechanisms are reduced to a size that can be audited."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import ceil, comb
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
    anywhere_and_a_crowd,
    crowd_above,
    crowd_of,
    encoded,
    outcome_of,
    removals,
    sampled_neighbours,
)
from tacita.counting.local.sets import MOST_MASKED
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.privacy.noise import stable_threshold
from tacita.public.inputs import PerPerson
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts, PartitionThreshold, StableHistogram
from tacita.sets.itemset_schedule import FOR_SIZES, TOGETHER_CELLS

__all__ = ["BasketCase", "FlatHistograms", "Itemsets", "Partitions", "StableHistograms"]


@dataclass(frozen=True, kw_only=True)
class BasketCase:
    """A mechanism for baskets, on all sets of a few labels.

    The pair that should be tight has `crowd` people, enough to be kept, whose baskets hold everything: such a basket has items
    below every node of a taxonomy, so it takes the longest path. `small_pairs` are the pairs whose outputs are enumerated; by
    default, a few people have one basket, and the person who is added or removed shares it, or is alone with another one. The
    universe has `unused` more labels, which nobody has. One person has up to `per_person` baskets; neighbours differ in all of
    them.
    """

    name: str
    mechanism: Any
    budget: Budget
    labels: str = "ABCDE"
    unused: int = 0
    crowd: int = 400
    small_pairs: tuple[Pair, ...] = ()
    span: int = SPAN
    per_person: int = 1

    @cached_property
    def domain(self) -> Rows:
        """Every basket that a person can have."""
        sizes = range(1, len(self.labels) + 1)
        return tuple("".join(basket) for size in sizes for basket in combinations(self.labels, size))

    def records(self, rows: Rows) -> BasketRecords:
        """Private records from rows, as if something had been dropped from each basket, and a whole basket of each person."""
        baskets = encoded(rows, self.labels)
        return BasketRecords(
            baskets=baskets,
            universe=self.universe,
            name="audit",
            dropped_labels=baskets.codes.size + len(baskets),
            dropped_baskets=len(baskets),
            per_person=PerPerson.JOIN if self.per_person == 1 else PerPerson.cap(self.per_person),
        )

    @property
    def universe(self) -> Universe:
        """The labels that people have, and those that nobody has."""
        return Universe([*self.labels, *(f"unused {place}" for place in range(self.unused))])

    def of(self, mechanism: Any) -> BasketCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def lists(self, held: Any) -> Ragged:  # noqa: ANN401 - records or published baskets
        """The contents of records, or of published data."""
        lists: Ragged = held.baskets
        return lists

    def parts(self, release: Any) -> frozenset[Hashable]:  # noqa: ANN401 - any release of this kind
        """The different lists that were published."""
        return frozenset(map(tuple, self.lists(release.data).to_lists()))

    def part_of(self, row: str) -> Hashable:
        """The list that a person with this row has."""
        return tuple(encoded((row,), self.labels).to_lists()[0])

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Some people anywhere, and often a crowd with one basket, so that its path is followed to the end."""
        return anywhere_and_a_crowd(self.domain, generator, crowd=self.crowd, most=8)

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every basket added, and every different one removed."""
        for extra in self.domain:
            yield (*rows, *(extra,) * self.per_person)
        yield from removals(rows, each=self.per_person)

    def tight_pairs(self) -> Sequence[Pair]:
        """A crowd with one basket, and one more person: with it (the loss can reach epsilon), one label fewer, or only one."""
        crowd = (self.labels,) * self.crowd
        without = [self.labels.replace(label, "") for label in self.labels]
        others = dict.fromkeys(basket for basket in [self.labels, *without, *self.labels] if basket)
        return [(crowd, (*crowd, *(extra,) * self.per_person)) for extra in others]

    def crowd_of(self, number: int) -> Rows:
        """This many people, most with the first label alone, and ever fewer with each further one."""
        return crowd_of(self.labels, number)

    def output_pairs(self) -> Sequence[Pair]:
        """A few people; the one added or removed shares their basket, or is alone with one, before or after the others' label."""
        if self.small_pairs:
            return self.small_pairs
        first, second = self.labels[0], self.labels[1]
        return [((second,) * 3, (second,) * 3 + (first,)), ((first + second,) * 2, (first + second,) * 3)]

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of baskets
        """The published baskets, as one value."""
        return outcome_of(self.lists(release.data))

    def sampled_neighbours(self, records: BasketRecords, *, number: int, seed: int) -> Iterator[tuple[str, BasketRecords]]:
        """Neighbours of real data: one basket removed, or one added, which is somebody else's or random.

        What was dropped while reading may also differ between neighbours, and does here.
        """
        sampled = sampled_neighbours(records.baskets, partial(_stranger, records), number=number, seed=seed)
        labels, whole = records.dropped_labels + 1, records.dropped_baskets + 1
        return ((what, replace(records, baskets=lists, dropped_labels=labels, dropped_baskets=whole)) for what, lists in sampled)


def _stranger(records: BasketRecords, size: int, generator: PublicGenerator) -> Integers:
    """Any items, each once."""
    return np.unique(generator.integers(0, len(records.universe), size))


# The mechanisms, reduced.

LABELS = "ABCDE"

WIDEST = 3
"""The widest fan-out that gives the few labels of an audit several levels."""

UNEQUAL = Taxonomy.from_edges(
    [("A", "*"), ("B", "BCDE"), ("C", "CDE"), ("D", "DE"), ("E", "DE"), ("DE", "CDE"), ("CDE", "BCDE"), ("BCDE", "*")]
)
"""A small taxonomy of unequal depth: every split has a label beside a group."""

FEW_UNEQUAL = Taxonomy.from_edges([("A", "*"), ("B", "BC"), ("C", "BC"), ("BC", "*")])


@dataclass(frozen=True)
class Partitions:
    """DiffPart."""

    variants: tuple[Variant, ...] = (
        Variant(name="diffpart, fan-out 2", mechanism=DiffPart(fan_out=2)),
        Variant(name="diffpart, fan-out 3", mechanism=DiffPart(fan_out=3)),
        Variant(name="diffpart, unequal depth", mechanism=DiffPart(taxonomy=UNEQUAL)),
        Variant(name="diffpart, the authors' thresholds", mechanism=DiffPart(fan_out=2, threshold=PartitionThreshold.AUTHORS)),
        Variant(name="diffpart, many labels", mechanism=DiffPart(fan_out=3), unused=MOST_MASKED),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> BasketCase:
        """On all sets of five items; a fan-out that would put them into one group is narrowed, but the code is the same."""
        mechanism = _narrowed(variant.mechanism, UNEQUAL)
        case = BasketCase(name=variant.name, mechanism=mechanism, budget=budget, labels=LABELS, unused=variant.unused)
        order, rule = mechanism.order(case.universe), mechanism.rule(budget, case.universe)
        smallest = budget.epsilon / 2 / len(order.splits)
        highest = max(rule.largest_threshold(split, smallest) for split in order.splits.of_each_shape())
        return replace(case, crowd=crowd_above(highest, smallest))

    def output_case(self, variant: Variant) -> BasketCase:
        """Three items: either one split of seven baskets, or two splits, the first with baskets beside a partition.

        The people are chosen so that most counts are at their threshold, and one value above it is enough. The authors'
        thresholds do not allow that; there, two items make one split. Labels that nobody has would be further cells to
        enumerate, so there are none; the replay and the black box have them. The name says so.
        """
        name = variant.name + (", cut to few" if variant.unused else "")
        mechanism = _narrowed(variant.mechanism, FEW_UNEQUAL)
        if mechanism.threshold is PartitionThreshold.AUTHORS:
            return BasketCase(name=name, mechanism=mechanism, budget=PureDP(Fraction(3, 2)), labels="AB")
        group = "BC" if mechanism.taxonomy is not None else "AB"
        alone = next(label for label in "ABC" if label not in group)
        people = (*group, group)
        return BasketCase(
            name=name,
            mechanism=mechanism,
            budget=PureDP(4),
            labels="ABC",
            small_pairs=((people[:-1], people), (people, (*people, alone)), (people, (*people, "ABC"))),
            span=0,
        )


def _narrowed(mechanism: DiffPart, taxonomy: Taxonomy) -> DiffPart:
    """The mechanism with a small taxonomy instead of its own, if it has one, and with a fan-out that makes several levels."""
    small = None if mechanism.taxonomy is None else taxonomy
    return replace(mechanism, taxonomy=small, fan_out=min(mechanism.fan_out, WIDEST))


@dataclass(frozen=True)
class Itemsets:
    """Itemset counts: with all items together if there are enough baskets, with a core of two, and with items one by one."""

    variants: tuple[Variant, ...] = (
        Variant(name="itemset-counts", mechanism=ItemsetCounts()),
        Variant(name="itemset-counts, a core of two", mechanism=ItemsetCounts(max_core=2)),
        Variant(name="itemset-counts, items one by one", mechanism=ItemsetCounts(max_core=len(LABELS))),
        Variant(name="itemset-counts, with a delta", mechanism=ItemsetCounts(), delta=DELTA),
        Variant(name="itemset-counts, a core of two, with a delta", mechanism=ItemsetCounts(max_core=2), delta=DELTA),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> BasketCase:
        """On all sets of five items, with a crowd that lets all of them be counted together if the core may be that large.

        Without a crowd, so few are there that single items get the whole budget.
        """
        pairs = comb(len(LABELS), 2)
        crowd = crowd_above(ceil(TOGETHER_CELLS * pairs / budget.epsilon), budget.epsilon * FOR_SIZES)
        if variant.mechanism.max_core == len(LABELS):
            crowd = 1
        return BasketCase(name=variant.name, mechanism=variant.mechanism, budget=budget, labels=LABELS, crowd=crowd)

    def output_case(self, variant: Variant) -> BasketCase:
        """Two items, always counted together, and a budget so large that the noise of sizes, which get little, can be enumerated.

        With a core beside other items there are more than thirty numbers, each with its own noise, whatever the universe: no span
        is small enough to enumerate them. So the output test does not cover this; the replay and the black box do. The name says
        so.
        """
        pairs = ((("A",), ("A", "B")), (("A",), ("A", "AB")))
        cut = ", cut to all items together" if variant.mechanism.max_core <= len(LABELS) else ""
        return BasketCase(
            name=variant.name + cut,
            mechanism=variant.mechanism,
            budget=PureDP(100 if variant.delta else 30),  # a rho must be larger for noise that is as small
            labels="AB",
            small_pairs=pairs,
            span=2,
        )


@dataclass(frozen=True)
class FlatHistograms:
    """The flat histogram."""

    variants: tuple[Variant, ...] = (Variant(name="histogram", mechanism=FlatHistogram()),)

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> BasketCase:
        """On all sets of five items."""
        highest = variant.mechanism.least(budget, universe=Universe(LABELS))
        crowd = crowd_above(highest, budget.epsilon)
        return BasketCase(name=variant.name, mechanism=variant.mechanism, budget=budget, labels=LABELS, crowd=crowd)

    def output_case(self, variant: Variant) -> BasketCase:
        """Two items, so three baskets."""
        return BasketCase(name=variant.name, mechanism=variant.mechanism, budget=PureDP(Fraction(3, 2)), labels="AB", span=4)


@dataclass(frozen=True)
class StableHistograms:
    """The stable histogram, whose delta must be large for its output to show anything."""

    variants: tuple[Variant, ...] = (Variant(name="stable-histogram", mechanism=StableHistogram()),)

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """One with a delta."""
        return ApproxDP(epsilon, DELTA)

    def replay_case(self, variant: Variant, budget: Budget) -> BasketCase:
        """On all sets of five items."""
        crowd = crowd_above(stable_threshold(budget.epsilon, budget.delta), budget.epsilon)
        return BasketCase(name=variant.name, mechanism=variant.mechanism, budget=budget, labels=LABELS, crowd=crowd)

    def output_case(self, variant: Variant) -> BasketCase:
        """At most two baskets; one that a single person has is published with a noticeable probability."""
        budget = ApproxDP(1, Fraction(1, 20))
        return BasketCase(name=variant.name, mechanism=variant.mechanism, budget=budget, labels="AB", span=12)
