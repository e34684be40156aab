"""The exact law of what a mechanism publishes, on data so small that every answer can be tried.

All that a mechanism learns are answers, and every answer has a known probability. So the mechanism is run once for each
combination of answers, and the probabilities of the combinations that lead to the same release are added up. Values are tried
from the threshold up to `span` above it; runs with a value beyond that are the rest, whose probability is known too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, prod
from typing import Any

import numpy as np

from tacita.arrays.ragged import chosen, lexicographic_order
from tacita.audit.blocks import by_block
from tacita.audit.cases import AuditCase
from tacita.audit.stand_in import StandIn
from tacita.privacy.selection import selection_probabilities
from tacita.privacy.transcript import BlockQuestion, CellQuestion, Cells, Lists, SelectionQuestion, StableQuestion, Transcript

__all__ = ["exact_law", "is_within_span"]


def exact_law(case: AuditCase, records: Any, *, span: int) -> dict[Hashable, float]:  # noqa: ANN401
    """The probability of each release together with "no value was beyond the span"; what they leave to 1 is the rest."""
    law: defaultdict[Hashable, float] = defaultdict(float)
    path: list[_Choice] = []
    while True:
        answers = _Enumerating(path, span)
        release = case.mechanism.publish(records, budget=case.budget, ledger=StandIn(answers))
        law[case.outcome(release)] += prod(choice.chances[choice.taken] for choice in path)
        while path and path[-1].taken == len(path[-1].options) - 1:
            path.pop()
        if not path:
            return dict(law)
        path[-1].taken += 1


def is_within_span(transcript: Transcript, *, span: int) -> bool:
    """Whether an actual run is among those that the enumeration tries."""
    return all(
        _is_tried(question, answer, span)
        for question, answer in transcript.entries
        if not isinstance(question, SelectionQuestion) and not isinstance(answer, int)
    )


def _is_tried(question: CellQuestion | BlockQuestion | StableQuestion, answer: Cells | Lists, span: int) -> bool:
    if isinstance(question, BlockQuestion) and isinstance(answer, Cells):
        middles = np.array([terms.threshold or 0 for terms in question.table], dtype=np.int64)
        from_middle = answer.values - middles[question.terms[question.block_of(answer.keys)]]
        return bool(np.all(np.abs(from_middle) <= span))  # what has a threshold is above it in any case
    return not isinstance(question, BlockQuestion) and bool(np.all(answer.values <= question.threshold + span))


@dataclass
class _Choice:
    """One question with all its answers, and which of them is taken in this run."""

    options: list[Any]
    chances: list[float]
    taken: int = 0


@dataclass
class _Enumerating:
    """Gives the answers that a path of choices names, and lengthens the path where it ends."""

    path: list[_Choice]
    span: int
    position: int = 0

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """One value, or nothing, for each cell of the domain; cells are independent, so each is a choice of its own."""
        true = dict(zip(counts.keys.tolist(), counts.values.tolist(), strict=True))
        kept = {}
        for key in range(question.domain):
            value = self._choose(lambda key=key: _cell_law(question.rate, question.threshold, true.get(key, 0), self.span))
            if value is not None:
                kept[key] = value
        return Cells(np.array(list(kept), dtype=np.int64), np.array(list(kept.values()), dtype=np.int64))

    def blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        """The same for each block; a cell without a threshold has some value in any case."""
        return by_block(self.cells, self._open_cells, question, counts)

    def _open_cells(self, rate: Fraction, size: int, counts: Cells) -> Cells:
        true = dict(zip(counts.keys.tolist(), counts.values.tolist(), strict=True))
        values = [self._choose(lambda key=key: _open_law(rate, true.get(key, 0), self.span)) for key in range(size)]
        return Cells(np.arange(size, dtype=np.int64), np.array(values, dtype=np.int64))

    def stable(self, question: StableQuestion, counts: Lists) -> Lists:
        """One value, or nothing, for each list that somebody has."""
        order = lexicographic_order(counts.lists)
        values = [
            self._choose(lambda count=count: _cell_law(question.epsilon, question.threshold, count, self.span))
            for count in counts.values[order].tolist()
        ]
        kept = np.array([value is not None for value in values], dtype=np.bool_)
        found = np.array([value for value in values if value is not None], dtype=np.int64)
        return Lists(chosen(counts.lists, order[kept]), found)

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Each candidate."""
        chances = selection_probabilities(scores, epsilon=question.epsilon, sensitivity=question.sensitivity)
        chosen = self._choose(lambda: _Choice(list(range(len(scores))), chances.tolist()))
        return int(chosen)

    def _choose(self, options: Any) -> Any:  # noqa: ANN401 - the answers of any question
        if self.position == len(self.path):
            self.path.append(options())
        choice = self.path[self.position]
        self.position += 1
        return choice.options[choice.taken]


def _cell_law(rate: Fraction, threshold: int, count: int, span: int) -> _Choice:
    """Dropped, or kept with each value up to the span."""
    ratio = exp(-float(rate))
    values = range(threshold, threshold + span + 1)
    gap = threshold - count  # P[X < gap]
    dropped = ratio ** (1 - gap) / (1 + ratio) if gap <= 0 else 1 - ratio**gap / (1 + ratio)
    return _Choice([None, *values], [dropped, *_chances(ratio, values, count)])


def _open_law(rate: Fraction, count: int, span: int) -> _Choice:
    """Each value up to the span on either side of nothing."""
    values = range(-span, span + 1)
    return _Choice([*values], _chances(exp(-float(rate)), values, count))


def _chances(ratio: float, values: range, count: int) -> list[float]:
    return [(1 - ratio) / (1 + ratio) * ratio ** abs(value - count) for value in values]
