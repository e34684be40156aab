"""One private choice in each of several disjoint parts of the data, at the cost of one.

The score of a candidate is a difference of two shares, high/of_high - low/of_low, in whole numbers. Permute-and-flip looks at few
candidates before it takes one, so only the scores of those (and of the best) are computed as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.privacy.enclosure import exp_minus
from tacita.privacy.questions.question import Choice, Outcomes
from tacita.privacy.randomness import Bernoulli, Source, uniform_below
from tacita.privacy.selection import selection_log_probabilities, selection_probabilities

__all__ = ["ManySelections", "ShareDifferences"]


_ROUNDING = 1e-12
"""Shares are at most 1, so scores in floating point are within this of the exact ones."""


@dataclass(frozen=True, eq=False)
class ShareDifferences:
    """Scores of all candidates of all parts, one after the other: high / of_high - low / of_low."""

    high: Integers
    of_high: Integers
    low: Integers
    of_low: Integers

    def exact(self, place: int) -> Fraction:
        """One score."""
        return Fraction(int(self.high[place]), int(self.of_high[place])) - Fraction(int(self.low[place]), int(self.of_low[place]))

    def rounded(self) -> Reals:
        """All scores, nearly."""
        return np.asarray(self.high / self.of_high - self.low / self.of_low, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class ManySelections:
    """The question which candidate of each part has a high score; a record is in one part and changes its scores by little.

    `sizes` has the number of candidates of each part, and `sensitivity` bounds how far one record changes a score.
    """

    step: str
    epsilon: Fraction
    sensitivity: Fraction
    sizes: tuple[int, ...]

    @property
    def delta(self) -> Fraction:
        """Selection is pure."""
        return Fraction(0)

    @property
    def noise(self) -> str:
        """The noise in words; how many parts there are follows from noisy answers."""
        return "permute-and-flip in each of several disjoint parts"

    def check(self, truth: ShareDifferences, /) -> None:
        """There must be a score for each candidate, and a candidate at least in each part."""
        if min(self.sizes, default=1) < 1 or truth.high.size != sum(self.sizes):
            message = "a selection needs a candidate at least, and a score for each"
            raise ParameterError(message)

    def draw(self, truth: ShareDifferences, source: Source, /) -> tuple[int, ...]:
        """Choose the index of a high score in each part."""
        rounded, base, chosen = truth.rounded(), 0, []
        for size in self.sizes:
            part = rounded[base : base + size]
            near_best = np.flatnonzero(part >= part.max() - _ROUNDING)
            best = max(truth.exact(base + place) for place in near_best.tolist())
            chosen.append(self._flip(truth, base, size, best, source))
            base += size
        return tuple(chosen)

    def _flip(self, truth: ShareDifferences, base: int, size: int, best: Fraction, source: Source) -> int:
        order = list(range(size))
        for looked_at in range(size):
            other = looked_at + uniform_below(size - looked_at, source)
            order[looked_at], order[other] = order[other], order[looked_at]
            exponent = self.epsilon * (best - truth.exact(base + order[looked_at])) / (2 * self.sensitivity)
            if exponent == 0 or Bernoulli(exp_minus(exponent)).draw(source):
                return order[looked_at]
        message = "the best candidate is taken whenever it is reached"  # pragma: no cover
        raise AssertionError(message)  # pragma: no cover

    def _scores(self, truth: ShareDifferences) -> list[list[Fraction]]:
        ends = np.cumsum(self.sizes).tolist()
        return [[truth.exact(place) for place in range(end - size, end)] for size, end in zip(self.sizes, ends, strict=True)]

    def log_ratio(self, answer: tuple[int, ...], first: ShareDifferences, second: ShareDifferences, /) -> float:
        """Compare the probabilities of these indices."""
        ratio = 0.0
        for index, mine, other in zip(answer, self._scores(first), self._scores(second), strict=True):
            if mine != other:
                logs = [
                    selection_log_probabilities(scores, epsilon=self.epsilon, sensitivity=self.sensitivity)[index]
                    for scores in (mine, other)
                ]
                ratio += float(logs[0] - logs[1])
        return ratio

    def largest_loss(self, first: ShareDifferences, second: ShareDifferences, /) -> Fraction:
        """The most that any answer can lose, summed over the parts whose scores differ."""
        parts = zip(self._scores(first), self._scores(second), strict=True)
        changes = (max(abs(mine - other) for mine, other in zip(*part, strict=True)) for part in parts)
        return sum((self.epsilon * change / self.sensitivity for change in changes), Fraction(0))

    def outcomes(self, truth: ShareDifferences, /, *, span: int) -> Outcomes[tuple[int, ...]]:  # noqa: ARG002 - candidates are few
        """Each candidate of each part."""
        laws = [
            selection_probabilities(scores, epsilon=self.epsilon, sensitivity=self.sensitivity) for scores in self._scores(truth)
        ]
        return Outcomes([Choice(range(law.size), law.tolist()) for law in laws], _joined)

    def covers(self, answer: tuple[int, ...], /, *, span: int) -> bool:  # noqa: ARG002 - candidates are few
        """Every candidate is among the outcomes."""
        return all(0 <= index < size for index, size in zip(answer, self.sizes, strict=True))

    def nothing(self) -> tuple[int, ...]:
        """The first candidates are as good as any."""
        return (0,) * len(self.sizes)


def _joined(values: Sequence[Any]) -> tuple[int, ...]:
    return tuple(int(value) for value in values)
