"""A noisy prefix tree: what each question costs and keeps, and the growth of the tree, one level after another, rung by rung.

Which prefixes and groups are asked for depends only on earlier answers, so the questions reveal nothing beyond the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import ceil, sqrt

import numpy as np

from tacita.arrays import Integers
from tacita.counting import PrefixCounts
from tacita.errors import TooManyNodesError
from tacita.privacy.account import Account
from tacita.privacy.budget import Parallel, Plan, Sequential, Step
from tacita.privacy.noise import passing_probability, threshold_passed_by
from tacita.privacy.publishing import Progress
from tacita.privacy.questions import Cells, noisy_cells
from tacita.public.ladder import CellLayout, Ladder, Rung
from tacita.public.parameters import Chosen
from tacita.trees import LevelNoise, NoisyTree, TreeLevel

__all__ = ["FALSE_CHILDREN", "GrownTree", "Question", "Schedule", "Threshold", "grow"]


# The cost and the threshold of each question. All of it is public.
#
# `published` shares and thresholds follow Chen, Fung, Desai and Sossou, *Differentially private transit data publication*,
# section 4 (hybrid granularity), except for the share of a group: the published 2 / fan-out is the whole budget of a level, or
# more, for fan-outs up to 2, so here it is at most a half. The default bounds the expected number of false children, and on the
# way to a symbol every test rules out the same share of empty cells; its constants were chosen by measurement on simulated
# worlds.


FALSE_CHILDREN = Fraction(1, 2)
"""The default threshold lets a prefix have at most this many false children on average, so that they die out."""

GROUP_DEVIATIONS, SYMBOL_DEVIATIONS = 4, 2
"""The published thresholds, in standard deviations of the noise."""

FALSE_ENDS = 0.25
"""The share of prefixes at which a sequence may falsely seem to end; ends are not followed, so they cannot multiply."""

GROUP_SHARE = Fraction(1, 5)
"""The share of the remaining budget on the way to a symbol that the default spends on a group."""


class Threshold(StrEnum):
    """How large a noisy count must be to be kept."""

    DEFAULT = "default"
    PUBLISHED = "published"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One rung on one level."""

    step: str
    rung: Rung
    epsilon: Fraction
    threshold: int


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The questions of every level; each level has the same ladder and the budget `epsilon`."""

    ladder: Ladder
    epsilon: Fraction
    threshold: Chosen[Threshold] = Chosen(Threshold)

    def questions(self, level: int) -> list[Question]:
        """The questions of one level, from coarse to fine."""
        costs, least = self.costs, self.thresholds
        return [
            Question(step=self._step(level, rung), rung=rung, epsilon=costs[place], threshold=least[place])
            for place, rung in enumerate(self.ladder.rungs)
            if level > 1 or not rung.is_end
        ]

    def plan(self, level: int) -> Plan:
        """The cost of a level: on every path to a symbol it adds up to `epsilon`."""
        costs = dict(zip((id(rung) for rung in self.ladder.rungs), self.costs, strict=True))

        def below(depth: int) -> Plan:
            ways: list[Plan] = []
            for rung in self.ladder.rungs:
                if rung.depth != depth or (rung.is_end and level == 1):
                    continue
                step = Step(name=self._step(level, rung), epsilon=costs[id(rung)], note=self._note(level, rung))
                way = f"level {level}, by groups of depth {depth}"
                ways.append(step if rung.is_final else Sequential(name=way, parts=(step, below(depth + 1))))
            return ways[0] if len(ways) == 1 else Parallel(name=f"level {level}, ways from depth {depth}", parts=tuple(ways))

        return below(1)

    @cached_property
    def costs(self) -> list[Fraction]:
        """The cost of each rung: a share of what is left for groups, all that is left for symbols."""
        left = {1: self.epsilon}
        costs: dict[int, Fraction] = {}
        for depth in range(1, self.ladder.depth):
            costs[depth] = left[depth] * self._group_share(depth)
            left[depth + 1] = left[depth] - costs[depth]
        return [left[rung.depth] if rung.is_final else costs[rung.depth] for rung in self.ladder.rungs]

    def _group_share(self, depth: int) -> Fraction:
        if self.threshold is Threshold.DEFAULT:
            return GROUP_SHARE
        return min(Fraction(1, 2), Fraction(2, self.ladder.widest_below(depth)))

    @cached_property
    def thresholds(self) -> list[int]:
        """The smallest noisy count that is kept, for each rung."""
        if self.threshold is Threshold.PUBLISHED:
            return [
                max(1, ceil((SYMBOL_DEVIATIONS if rung.is_final else GROUP_DEVIATIONS) * sqrt(2) / float(cost)))
                for rung, cost in zip(self.ladder.rungs, self.costs, strict=True)
            ]
        return self._bounding_thresholds()

    def _bounding_thresholds(self) -> list[int]:
        """Thresholds under which a prefix has few false children; every test on the way to a symbol rules out the same share."""
        costs = self.costs
        least: list[int] = []
        finals = [rung for rung in self.ladder.rungs if rung.is_final and not rung.is_end]
        shares = {rung.depth: self._false_share(rung, len(finals)) for rung in finals}
        for rung, cost in zip(self.ladder.rungs, costs, strict=True):
            if rung.is_end:
                passing = FALSE_ENDS
            elif rung.is_final:
                passing = shares[rung.depth]
            else:
                passing = min(shares[depth] for depth in shares if depth > rung.depth)
            least.append(max(1, threshold_passed_by(passing, cost)))
        if self.ladder.depth == 1:
            least[-1] = max(least[-1], ceil(SYMBOL_DEVIATIONS * sqrt(2) / float(costs[-1])))
        return least

    def _false_share(self, final: Rung, finals: int) -> float:
        """The share of empty cells that may pass each test on the way to the symbols of this rung."""
        candidates = float(final.widest)
        for rung in self.ladder.rungs:
            if not rung.is_final and rung.depth < final.depth:
                candidates *= rung.widest
        return min(0.5, float((float(FALSE_CHILDREN) / finals / candidates) ** (1 / final.depth)))

    def false_children(self) -> float:
        """How many false children a kept prefix gets on average, at most."""
        costs, least = self.costs, self.thresholds
        return sum(
            self._false_groups(rung.depth, costs, least) * rung.widest * passing_probability(costs[place], least[place])
            for place, rung in enumerate(self.ladder.rungs)
            if rung.is_final and not rung.is_end
        )

    def _false_groups(self, depth: int, costs: list[Fraction], least: list[int]) -> float:
        """How many false groups are expected at most above this depth, for one prefix."""
        expected = 1.0
        for rung, cost, threshold in zip(self.ladder.rungs, costs, least, strict=True):
            if not rung.is_final and rung.depth < depth:
                expected *= rung.widest * passing_probability(cost, threshold)
        return expected

    def _step(self, level: int, rung: Rung) -> str:
        return f"level {level}" if self._is_one_question(level) else f"level {level}, {rung.name}"

    def _note(self, level: int, rung: Rung) -> str:
        if self._is_one_question(level):
            return f"prefixes of length {level}, disjoint"
        return f"{rung.name} after prefixes of length {level - 1}, disjoint"

    def _is_one_question(self, level: int) -> bool:
        return len(self.ladder.rungs) - (self.ladder.has_end and level == 1) == 1


# The growth of the tree.


@dataclass(frozen=True)
class GrownTree:
    """A noisy tree, and the noise of the nodes of each level."""

    tree: NoisyTree
    noise: tuple[LevelNoise, ...]


def grow(
    counter: PrefixCounts,
    account: Account,
    schedules: Sequence[Schedule],
    *,
    max_nodes: int,
    progress: Progress | None = None,
) -> GrownTree:
    """Grow a tree with one level for each schedule."""
    levels: list[TreeLevel] = []
    noise: list[LevelNoise] = []
    limit = _NodeLimit(max_nodes)
    for level, schedule in enumerate(schedules, start=1):
        above = levels[-1] if levels else None
        grown = _grow_level(counter, account, schedule, level, above, limit)
        levels.append(grown[0])
        noise.append(grown[1])
        if progress is not None:
            progress(level, len(schedules))
    return GrownTree(NoisyTree(tuple(levels)), tuple(noise))


def _grow_level(
    counter: PrefixCounts, account: Account, schedule: Schedule, level: int, above: TreeLevel | None, limit: _NodeLimit
) -> tuple[TreeLevel, LevelNoise]:
    prefixes = np.zeros(1, dtype=np.int64) if above is None else _open_nodes(above, schedule)
    nodes = np.zeros(prefixes.size, dtype=np.int64)
    skipped: Integers | int = 0 if above is None else schedule.ladder.skipped(above.symbols[prefixes])
    found: list[TreeLevel] = []
    finals: list[Question] = []
    expected_false = 0.0
    questions = schedule.questions(level)
    for depth in range(1, schedule.ladder.depth + 1):
        below = prefixes[:0], nodes[:0]
        for question in (asked for asked in questions if asked.rung.depth == depth):
            layout = CellLayout.of(question.rung, nodes, 0 if question.rung.is_end else skipped)
            kept = _ask(counter, account, question, layout, limit)
            groups, numbers = layout.places(kept.keys)
            if question.rung.symbols is None:
                below = prefixes[groups], numbers
            else:
                found.append(TreeLevel(prefixes[groups], question.rung.symbols[numbers], kept.values))
                finals.append(question)
                expected_false += layout.domain * passing_probability(question.epsilon, question.threshold)
        (prefixes, nodes), skipped = below, 0
        counter.descend()
    grown, order = TreeLevel.merged(found, symbols=schedule.ladder.symbols + 1)
    sizes = [len(part) for part in found]
    counter.advance(np.split(_group_numbers(grown, schedule)[np.argsort(order)], np.cumsum(sizes)[:-1]))
    rates = np.repeat([float(question.epsilon) for question in finals], sizes)
    thresholds = np.repeat([question.threshold for question in finals], sizes)
    return grown, LevelNoise(rate=rates[order], threshold=thresholds[order], expected_false=expected_false)


def _open_nodes(level: TreeLevel, schedule: Schedule) -> Integers:
    """The nodes that may have children: all except ends."""
    return np.flatnonzero(level.symbols < schedule.ladder.symbols)


def _group_numbers(level: TreeLevel, schedule: Schedule) -> Integers:
    """The index of each node among the open ones; an end has none."""
    is_open = level.symbols < schedule.ladder.symbols
    return np.where(is_open, np.cumsum(is_open) - 1, -1)


def _ask(counter: PrefixCounts, account: Account, question: Question, layout: CellLayout, limit: _NodeLimit) -> Cells:
    limit.refuse_flood(layout.domain * passing_probability(question.epsilon, question.threshold))
    keys, counts = counter.counts(layout)
    kept = noisy_cells(account, question.step, keys=keys, counts=counts, domain=layout.domain, threshold=question.threshold)
    counter.keep(layout, kept.keys)
    limit.nodes += kept.keys.size
    limit.refuse_flood(0)
    return kept


class _NodeLimit:
    """Stops before memory runs out; the number of nodes is noisy or expected, so stopping reveals nothing else."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.nodes = 0

    def refuse_flood(self, expected: float) -> None:
        """Refuse more nodes than the most."""
        nodes = self.nodes + expected
        if nodes > self.most:
            message = (
                f"the noisy tree must have at most max_nodes = {self.most:,} nodes but would have about {nodes:,.0f}; "
                "use the default threshold, a larger epsilon, a smaller height, or raise max_nodes"
            )
            raise TooManyNodesError(message)
