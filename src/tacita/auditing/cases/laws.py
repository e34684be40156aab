"""The laws of all questions once more: answers as of larger data, and the most that a change of the truth can cost.

They are written from the definitions and share no code with the questions, so that a question that is wrong about itself is
noticed too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from tacita.auditing.exact_laws import BoundsLoss
from tacita.errors import ReplayError
from tacita.privacy.questions import (
    AnyQuestion,
    ArrangementQuestion,
    BlockQuestion,
    CellQuestion,
    Cells,
    EveryCount,
    LadderCount,
    Lists,
    ManySelections,
    PlacementQuestion,
    Question,
    SelectionQuestion,
    StableQuestion,
)
from tacita.privacy.randomness import Source
from tacita.streams.questions import SIXTEENTHS, ClosestQuestion, HistogramQuestion, NearnessQuestion

__all__ = ["Foreign", "question_loss", "question_rho"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class Foreign:
    """Answers as if everybody were there `factor` times, and as if every histogram were near the one before."""

    source: Source
    factor: int

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Enlarge the truth, then draw."""
        return question.draw(self._enlarged(question, truth), self.source)

    def _enlarged(self, question: AnyQuestion, truth: Any) -> Any:  # noqa: ANN401 - the truth of any question
        if isinstance(question, EveryCount | HistogramQuestion):
            return truth * self.factor
        if isinstance(question, NearnessQuestion):
            return truth // self.factor
        return replace(truth, values=truth.values * self.factor) if isinstance(truth, Cells | Lists) else truth


# The most that any answer can lose between two truths, by each question's definition.


def question_loss(question: Any, first: Any, second: Any) -> Fraction:  # noqa: ANN401, C901, PLR0911 - one case for each law
    """Rate times change, in fractions; for a choice, epsilon times the largest change of a score in units of its sensitivity."""
    match question:
        case BlockQuestion():
            return _block_loss(question, first, second)
        case CellQuestion():
            return Fraction(question.epsilon / question.sensitivity * sum(map(abs, _changes(first, second).values())))
        case EveryCount() | HistogramQuestion():
            change = np.abs(np.asarray(first) - np.asarray(second)).sum()
            return Fraction(question.epsilon / question.sensitivity * int(change))
        case SelectionQuestion():
            return question.epsilon / question.sensitivity * _largest(first, second)
        case ManySelections():
            ends = np.cumsum(question.sizes).tolist()
            parts = [range(end - size, end) for size, end in zip(question.sizes, ends, strict=True)]
            changes = [max(abs(first.exact(place) - second.exact(place)) for place in part) for part in parts]
            return question.epsilon / question.sensitivity * sum(changes, Fraction(0))
        case StableQuestion():
            mine, other = first.as_dict(), second.as_dict()
            changed = sum(abs(mine.get(row, 0) - other.get(row, 0)) for row in mine.keys() | other.keys())
            return Fraction(question.epsilon * changed)
        case ArrangementQuestion() | PlacementQuestion():  # an edge is one cell, and seen by one of its ends
            return question.epsilon / question.group * len(set(first.tolist()) ^ set(second.tolist()))
        case LadderCount():
            return _ladder_loss(question, first, second)
        case ClosestQuestion():
            return question.epsilon / question.sensitivity * Fraction(_largest(first, second)) / SIXTEENTHS
        case NearnessQuestion():
            slacks = [(question.bound - int(truth)) // SIXTEENTHS for truth in (first, second)]
            return question.epsilon / question.sensitivity * abs(slacks[0] - slacks[1])
        case BoundsLoss():
            return question.largest_loss(first, second)
    message = f"{type(question).__name__} must say what a change of its truth can cost: give it a method largest_loss"
    raise ReplayError(message)


def question_rho(question: Any, first: Any, second: Any) -> Fraction:  # noqa: ANN401 - one case for each law
    """The rho that a difference costs: squared changes in units of what was priced; of what is pure, half of its square."""
    match question:
        case EveryCount(rho=rho) if rho:
            squared = sum((int(mine) - int(other)) ** 2 for mine, other in zip(first, second, strict=True))
            return Fraction(question.rho * squared, question.squares)
        case SelectionQuestion(rho=rho) if rho:
            return Fraction(question.rho * (_largest(first, second) / question.sensitivity) ** 2)
    return question_loss(question, first, second) ** 2 / 2


def _largest(first: Any, second: Any) -> Fraction:  # noqa: ANN401 - numbers, one for each candidate
    return max(abs(_exact(mine) - _exact(other)) for mine, other in zip(first, second, strict=True))


def _exact(score: Any) -> Fraction:  # noqa: ANN401 - a number of Python's or of NumPy's
    return score if isinstance(score, Fraction) else Fraction(int(score))


def _changes(first: Cells, second: Cells) -> dict[int, int]:
    """By how much each cell differs; a cell that is named twice counts twice."""
    changes: dict[int, int] = {}
    for cells, sign in ((first, 1), (second, -1)):
        for key, value in zip(cells.keys.tolist(), cells.values.tolist(), strict=True):
            changes[key] = changes.get(key, 0) + sign * value
    return {key: change for key, change in changes.items() if change}


def _block_loss(question: BlockQuestion, first: Cells, second: Cells) -> Fraction:
    ends, loss = np.cumsum(question.sizes), Fraction(0)
    for key, change in _changes(first, second).items():
        block = int(np.searchsorted(ends, key, side="right"))
        loss += question.table[int(question.terms[block])].epsilon / question.sensitivity * abs(change)
    return loss


def _ladder_loss(question: LadderCount, first: Any, second: Any) -> Fraction:  # noqa: ANN401 - counts with their spreads
    """A ladder is proved for a count that changes by at most its spread, which changes by at most one."""
    if abs(first.count - second.count) > min(first.spread, second.spread) or abs(first.spread - second.spread) > 1:
        message = (
            f"step {question.step!r}: between neighbours a count changes by more than its spread, or the spread by more than 1"
        )
        raise ReplayError(message)
    return Fraction(0) if first == second else question.epsilon / question.group
