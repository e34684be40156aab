"""How mechanisms for sequences are reduced to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from tacita.audit.cases.case import SPAN
from tacita.audit.cases.sequences import SequenceCase
from tacita.audit.subjects.subject import Variant, crowd_above
from tacita.privacy.budget import Budget, PureDP
from tacita.public.taxonomy import Taxonomy
from tacita.sequences import (
    Allocation,
    Granularity,
    Itineraries,
    Lost,
    NGram,
    PrefixTree,
    PrivateLength,
    Synthesis,
    Threshold,
)
from tacita.sequences.itineraries.shares import SHARES, place_rule
from tacita.trees import Inference

__all__ = ["FEW", "Grams", "Returns", "Trees"]

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
class Returns:
    """Itineraries."""

    variants: tuple[Variant, ...] = (
        Variant(name="itinerary", mechanism=Itineraries(max_length=3, max_gram=2, recent=2)),
        Variant(
            name="itinerary, private length",
            mechanism=Itineraries(max_length=PrivateLength(longest=3, share="1/10"), max_gram=2, recent=2),
        ),
        Variant(name="itinerary, with times", mechanism=Itineraries(max_length=2, max_gram=2, recent=1), intervals=2),
        Variant(name="itinerary, single visits with times", mechanism=Itineraries(max_length=1), intervals=2),
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> SequenceCase:
        """The mechanism as it is, except for a universe of two labels, with a crowd whose grams of places are extended.

        Sequences are one symbol longer than the longest length, so that a forgotten cut starts one path too many.
        """
        mechanism: Itineraries = variant.mechanism
        longest = mechanism.max_length.longest if isinstance(mechanism.max_length, PrivateLength) else mechanism.max_length
        share = budget.epsilon * SHARES["places"][0] / 10
        return SequenceCase(
            name=variant.name,
            mechanism=variant.mechanism,
            budget=budget,
            labels=TWO if variant.intervals == 1 else "ABCD",
            longest=longest + 1,
            depth=longest + 1,
            intervals=variant.intervals,
            crowd=crowd_above(place_rule(len(TWO), starts=longest, length=2).least(share), share / longest),
        )

    def output_case(self, variant: Variant) -> SequenceCase:
        """Sequences of one symbol: the fewest cells that the mechanism can ask for."""
        length = variant.mechanism.max_length
        few = replace(length, longest=1) if isinstance(length, PrivateLength) else 1
        return SequenceCase(
            name=variant.name,
            mechanism=replace(variant.mechanism, max_length=few, max_gram=1, recent=1),
            budget=PureDP(Fraction(3, 2)),
            labels="AB",
            longest=1,
            intervals=variant.intervals,
        )


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
