"""How mechanisms for baskets are reduced to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, comb

from tacita.audit.cases.baskets import BasketCase
from tacita.audit.subjects.subject import Variant, crowd_above
from tacita.counting.local.partitions import MOST_MASKED
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.privacy.noise import stable_threshold
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sets import DiffPart, FlatHistogram, ItemsetCounts, PartitionThreshold, StableHistogram
from tacita.sets.itemset_schedule import FOR_SIZES, TOGETHER_CELLS

__all__ = ["FlatHistograms", "Itemsets", "Partitions", "StableHistograms"]

LABELS = "ABCDE"

WIDEST = 3
"""The widest fan-out that gives the few labels of an audit several levels."""

UNEQUAL = Taxonomy.from_edges(
    [("A", "*"), ("B", "BCDE"), ("C", "CDE"), ("D", "DE"), ("E", "DE"), ("DE", "CDE"), ("CDE", "BCDE"), ("BCDE", "*")]
)
"""A small taxonomy of unequal depth: every split has a label beside a group."""

FEW_UNEQUAL = Taxonomy.from_edges([("A", "*"), ("B", "BC"), ("C", "BC"), ("BC", "*")])

DELTA = Fraction(1, 1000)
"""The delta of audits if none is given."""


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
            name=variant.name + cut, mechanism=variant.mechanism, budget=PureDP(30), labels="AB", small_pairs=pairs, span=2
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
