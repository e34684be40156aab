"""Growing a noisy prefix tree: ask for one level after another, rung by rung.

Which prefixes and groups are asked for depends only on earlier answers, so the questions reveal nothing beyond the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers
from tacita.counting import PrefixCounts
from tacita.errors import TooManyNodesError
from tacita.privacy.account import Account
from tacita.privacy.noise import passing_probability
from tacita.privacy.publishing import Progress
from tacita.privacy.questions import Cells, noisy_cells
from tacita.public.ladder import CellLayout
from tacita.sequences.prefix_trees.schedule import Question, Schedule
from tacita.trees import LevelNoise, NoisyTree, TreeLevel

__all__ = ["GrownTree", "grow"]


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
