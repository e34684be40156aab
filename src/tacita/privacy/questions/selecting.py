"""Private selection: which candidate has a high score, asked once or in each of several disjoint parts.

*For an epsilon*, by permute-and-flip: candidates are visited in random order; candidate i is accepted with probability

    exp(-epsilon * (best - q_i) / (2 * sensitivity))

The expected error is never larger than that of the exponential mechanism. *For a rho*, by the exponential mechanism itself, which
draws candidates with replacement until one is accepted: its range of log ratios is bounded by epsilon, so that it costs epsilon^2
/ 8 where permute-and-flip would cost epsilon^2 / 2. Scores are integers or fractions, so no rounding touches a probability.

References: McKenna and Sheldon, NeurIPS 2020, Algorithm 1; Cesar and Rogers, ALT 2021, lemma 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.privacy.concentrated import rho_of_selection, root_below
from tacita.privacy.enclosure import exp_minus
from tacita.privacy.questions.question import Asks, Choice, Outcomes
from tacita.privacy.randomness import Bernoulli, Source, uniform_below

__all__ = [
    "ManySelections",
    "SelectionQuestion",
    "ShareDifferences",
    "exponential",
    "exponential_log_probabilities",
    "permute_and_flip",
    "select",
    "selection_log_probabilities",
    "selection_probabilities",
]


# The sampler and its law. `selection_log_probabilities` is the law that an audit compares the sampler with.


def permute_and_flip(scores: Sequence[int | Fraction], *, epsilon: Fraction, sensitivity: Fraction, source: Source) -> int:
    """Choose the index of a high score; one record changes each score by at most `sensitivity`."""
    best, factor = _best(scores), epsilon / (2 * sensitivity)
    order = list(range(len(scores)))
    for looked_at in range(len(order)):
        other = looked_at + uniform_below(len(order) - looked_at, source)
        order[looked_at], order[other] = order[other], order[looked_at]
        exponent = factor * (best - scores[order[looked_at]])  # only of candidates that are looked at
        if exponent == 0 or Bernoulli(exp_minus(exponent)).draw(source):
            return order[looked_at]
    message = "the best candidate is always accepted when it is reached"  # pragma: no cover
    raise AssertionError(message)  # pragma: no cover


def exponential(scores: Sequence[int | Fraction], *, epsilon: Fraction, sensitivity: Fraction, source: Source) -> int:
    """Choose an index with a probability proportional to exp(epsilon * score / (2 * sensitivity))."""
    best, factor = _best(scores), epsilon / (2 * sensitivity)
    while True:
        drawn = uniform_below(len(scores), source)
        exponent = factor * (best - scores[drawn])
        if exponent == 0 or Bernoulli(exp_minus(exponent)).draw(source):
            return drawn


def exponential_log_probabilities(scores: Sequence[int | Fraction], *, epsilon: Fraction, sensitivity: Fraction) -> Reals:
    """The law of `exponential`, for audits."""
    logs = -np.array([float(exponent) for exponent in _exponents(scores, epsilon, sensitivity)])
    return np.asarray(logs - np.log(np.exp(logs).sum()), dtype=np.float64)


def selection_log_probabilities(scores: Sequence[int | Fraction], *, epsilon: Fraction, sensitivity: Fraction) -> Reals:
    """The law of `permute_and_flip`, for audits: with uniform arrival times, P(i) = p_i * integral of prod_{j != i} (1 - p_j t).

    The integrand is a polynomial, for which Gauss-Legendre quadrature of enough nodes is exact up to rounding. The logarithm of
    p_i is its exponent, so that nothing underflows.
    """
    log_accept = -np.array([float(exponent) for exponent in _exponents(scores, epsilon, sensitivity)])
    nodes, weights = np.polynomial.legendre.leggauss(len(log_accept) // 2 + 1)
    factors = 1 - np.outer((nodes + 1) / 2, np.exp(log_accept))
    others = np.array([np.prod(np.delete(factors, index, axis=1), axis=1) for index in range(len(log_accept))])
    return np.asarray(log_accept + np.log(others @ weights / 2), dtype=np.float64)


def selection_probabilities(scores: Sequence[int | Fraction], *, epsilon: Fraction, sensitivity: Fraction) -> Reals:
    """The distribution of `permute_and_flip` as plain probabilities."""
    return np.asarray(np.exp(selection_log_probabilities(scores, epsilon=epsilon, sensitivity=sensitivity)))


def _exponents(scores: Sequence[int | Fraction], epsilon: Fraction, sensitivity: Fraction) -> list[Fraction]:
    best = _best(scores)
    return [epsilon * (best - Fraction(score)) / (2 * sensitivity) for score in scores]


def _best(scores: Sequence[int | Fraction]) -> int | Fraction:
    if not scores:
        message = "a private selection needs at least one candidate, got none"
        raise ParameterError(message)
    return max(scores)


Scores = tuple[Fraction, ...]


@dataclass(frozen=True, kw_only=True)
class SelectionQuestion:
    """Asks which candidate has a high score, for an epsilon or a rho; one record changes each score by at most `sensitivity`."""

    step: str
    epsilon: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    sensitivity: Fraction
    candidates: int

    @property
    def exponential_epsilon(self) -> Fraction:
        """The epsilon of the exponential mechanism that a rho pays for, rounded down."""
        return root_below(8 * self.rho)

    @property
    def delta(self) -> Fraction:
        """Selection is pure."""
        return Fraction(0)

    @property
    def noise(self) -> str:
        """The noise in words."""
        if self.rho:
            return f"exponential mechanism over candidates, {self.candidates} of them"
        return f"permute-and-flip over {self.candidates} candidates"

    def check(self, truth: Scores, /) -> None:
        """There must be a score for each candidate."""
        if len(truth) != self.candidates:
            message = f"a selection among {self.candidates} candidates needs one score for each, got {len(truth)}"
            raise ParameterError(message)

    def draw(self, truth: Scores, source: Source, /) -> int:
        """Choose the index of a high score."""
        if self.rho:
            return exponential(truth, epsilon=self.exponential_epsilon, sensitivity=self.sensitivity, source=source)
        return permute_and_flip(truth, epsilon=self.epsilon, sensitivity=self.sensitivity, source=source)

    def _log_probabilities(self, scores: Scores) -> Reals:
        if self.rho:
            return exponential_log_probabilities(scores, epsilon=self.exponential_epsilon, sensitivity=self.sensitivity)
        return selection_log_probabilities(scores, epsilon=self.epsilon, sensitivity=self.sensitivity)

    def log_ratio(self, answer: int, first: Scores, second: Scores, /) -> float:
        """Compare the probabilities of this index."""
        mine, other = (self._log_probabilities(scores)[answer] for scores in (first, second))
        return float(mine - other)

    def largest_rho(self, first: Scores, second: Scores, /) -> Fraction:
        """The rho that the exponential mechanism loses between two truths."""
        change = max(abs(mine - other) for mine, other in zip(first, second, strict=True))
        return rho_of_selection(self.exponential_epsilon * change / self.sensitivity)

    def largest_loss(self, first: Scores, second: Scores, /) -> Fraction:
        """The most that any answer can lose between two truths."""
        change = max(abs(mine - other) for mine, other in zip(first, second, strict=True))
        return Fraction(self.epsilon * change / self.sensitivity)

    def outcomes(self, truth: Scores, /, *, span: int) -> Outcomes[int]:  # noqa: ARG002 - candidates are few
        """Each candidate."""
        chances = np.exp(self._log_probabilities(truth))
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
    planned = account.planned(step)
    question = SelectionQuestion(
        step=step,
        epsilon=planned.epsilon,
        rho=planned.rho,
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


# One choice in each of several disjoint parts of the data, at the cost of one: a record is in one part only.
#
# The score of a candidate is a difference of two shares, high / of_high - low / of_low, in whole numbers. Permute-and-flip
# looks at few candidates before it accepts one, so only their scores, and the best one, are computed as fractions.

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
