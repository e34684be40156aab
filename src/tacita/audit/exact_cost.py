"""What a difference between two data sets can cost in one run, exactly and whatever the answers were.

A replay computes the loss of the answers that came. This module sums, over all questions of a run, the most that any answer could
lose: for counts with noise of rate r, r times the sum of all changes in the counts. Rates and counts are fractions and integers,
so nothing is rounded, and records may be of any size.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from tacita.errors import ReplayError
from tacita.privacy.answers import Trace, Transcript
from tacita.privacy.questions import AnyQuestion, BlockQuestion, CellQuestion, Question, SelectionQuestion, StableQuestion
from tacita.privacy.questions.cells import differing
from tacita.privacy.randomness import Source

__all__ = ["BoundsLoss", "Enlarging", "exact_cost", "exact_costs"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


@runtime_checkable
class BoundsLoss(Protocol):
    """A question of another kind, which itself says what a change of its truth can cost."""

    def largest_loss(self, first: Any, second: Any, /) -> Fraction:  # noqa: ANN401 - the truth of the question
        """The most that any answer can lose between two truths."""
        ...


@dataclass(frozen=True)
class Enlarging:
    """Answers as if everybody were there `factor` times, so that every cell with anybody in it is far above its threshold.

    The trace keeps the true counts of the data at hand.
    """

    source: Source
    factor: int
    trace: Trace = field(default_factory=Trace)

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Enlarge the counts, then draw; questions without counts, such as scores, are drawn unchanged."""
        self.trace.entries.append((question, deepcopy(truth)))
        larger: Any = truth
        if hasattr(truth, "values") and isinstance(truth.values, np.ndarray):
            larger = replace(larger, values=truth.values * self.factor)
        return question.draw(larger, self.source)


def exact_cost(transcript: Transcript, first: Trace, second: Trace) -> Fraction:
    """The most that answers to this transcript's questions can lose between two data sets on which it was replayed."""
    return sum(exact_costs(transcript, first, second).values(), Fraction(0))


def exact_costs(transcript: Transcript, first: Trace, second: Trace) -> dict[str, Fraction]:
    """The same for each step of the plan; all rounds of a step count as one."""
    if not len(transcript.entries) == len(first.entries) == len(second.entries):
        message = "both traces must come from replays of this transcript"
        raise ReplayError(message)
    costs: dict[str, Fraction] = {}
    for mine, other in zip(first.entries, second.entries, strict=True):
        step = mine[0].step.split(", round ")[0]
        costs[step] = costs.get(step, Fraction(0)) + _largest_loss(mine[0], mine[1], other[1])
    return costs


def _largest_loss(question: AnyQuestion, first: Any, second: Any) -> Fraction:  # noqa: ANN401 - the truth of any question
    if isinstance(question, BoundsLoss):
        return question.largest_loss(first, second)
    if isinstance(question, CellQuestion):
        _, (mine, other) = differing(first, second)
        return question.rate * int(np.abs(mine - other).sum())
    if isinstance(question, BlockQuestion):
        keys, (mine, other) = differing(first, second)
        terms = question.terms[question.block_of(keys)]
        changes = np.bincount(terms, weights=np.abs(mine - other), minlength=len(question.table))
        return sum((rate * int(change) for rate, change in zip(question.rates, changes, strict=True)), Fraction(0))
    if isinstance(question, StableQuestion):
        counts, others = first.as_dict(), second.as_dict()
        changed = sum(abs(counts.get(row, 0) - others.get(row, 0)) for row in counts.keys() | others.keys())
        return Fraction(question.epsilon * changed)
    if isinstance(question, SelectionQuestion):
        change = max(abs(mine - other) for mine, other in zip(first, second, strict=True))
        return Fraction(question.epsilon * change / question.sensitivity)
    message = f"{type(question).__name__} must say what a change of its truth can cost: give it a method largest_loss"
    raise ReplayError(message)
