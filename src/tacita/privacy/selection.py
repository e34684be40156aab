"""Private selection by permute-and-flip, exactly.

Candidates are visited in random order; candidate i is accepted with probability exp(-epsilon * (best - q_i) / (2 * sensitivity)).
It is never worse than the exponential mechanism. Scores are integers or fractions, so no rounding touches a probability.

Reference: McKenna and Sheldon, NeurIPS 2020, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tacita.arrays import Reals
from tacita.errors import ParameterError
from tacita.privacy.enclosure import exp_minus
from tacita.privacy.randomness import Bernoulli, Source, uniform_below

__all__ = ["permute_and_flip", "selection_log_probabilities", "selection_probabilities"]


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
