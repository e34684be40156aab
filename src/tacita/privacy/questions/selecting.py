"""Which of some candidates has a high score, by permute-and-flip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

import numpy as np

from tacita.errors import ParameterError
from tacita.privacy.questions.question import Asks, Choice, Outcomes
from tacita.privacy.randomness import Source
from tacita.privacy.selection import permute_and_flip, selection_log_probabilities, selection_probabilities

__all__ = ["SelectionQuestion", "select"]

Scores = tuple[Fraction, ...]


@dataclass(frozen=True, kw_only=True)
class SelectionQuestion:
    """Asks which candidate has a high score; one record changes each score by at most `sensitivity`."""

    step: str
    epsilon: Fraction
    sensitivity: Fraction
    candidates: int

    @property
    def delta(self) -> Fraction:
        """Selection is pure."""
        return Fraction(0)

    @property
    def noise(self) -> str:
        """The noise in words."""
        return f"permute-and-flip over {self.candidates} candidates"

    def check(self, truth: Scores, /) -> None:
        """There must be a score for each candidate."""
        if len(truth) != self.candidates:
            message = f"a selection among {self.candidates} candidates needs one score for each, got {len(truth)}"
            raise ParameterError(message)

    def draw(self, truth: Scores, source: Source, /) -> int:
        """Choose the index of a high score."""
        return permute_and_flip(truth, epsilon=self.epsilon, sensitivity=self.sensitivity, source=source)

    def log_ratio(self, answer: int, first: Scores, second: Scores, /) -> float:
        """Compare the probabilities of this index."""
        logs = [
            selection_log_probabilities(scores, epsilon=self.epsilon, sensitivity=self.sensitivity)[answer]
            for scores in (first, second)
        ]
        return float(logs[0] - logs[1])

    def outcomes(self, truth: Scores, /, *, span: int) -> Outcomes[int]:  # noqa: ARG002 - candidates are few
        """Each candidate."""
        chances = selection_probabilities(truth, epsilon=self.epsilon, sensitivity=self.sensitivity)
        return Outcomes([Choice(range(len(truth)), chances.tolist())], lambda values: int(values[0]))

    def covers(self, answer: int, /, *, span: int) -> bool:  # noqa: ARG002 - candidates are few
        """Every candidate is among the outcomes."""
        return 0 <= answer < self.candidates

    def nothing(self) -> int:
        """The first candidate is as good as any."""
        return 0


def select(account: Asks, step: str, *, scores: Sequence[int | Fraction], sensitivity: Fraction | int = 1) -> int:
    """Choose the index of a high score; one record changes each score by at most `sensitivity`."""
    exact_scores = tuple(_exact_score(score) for score in scores)
    if isinstance(sensitivity, float) or sensitivity <= 0 or not exact_scores:
        message = f"a selection needs candidates and an exact sensitivity above 0, got {len(scores)} and {sensitivity!r}"
        raise ParameterError(message)
    question = SelectionQuestion(
        step=step,
        epsilon=account.planned(step).epsilon,
        sensitivity=_exact_score(sensitivity),
        candidates=len(exact_scores),
    )
    return account.ask(question, exact_scores)


def _exact_score(score: int | Fraction) -> Fraction:
    """The score as a fraction of Python integers, which never overflow; floats are refused."""
    if isinstance(score, float) or not isinstance(score, Rational | np.integer):
        message = "scores must be whole numbers or fractions"
        raise ParameterError(message)
    return Fraction(int(score.numerator), int(score.denominator))
