"""Zero-concentrated differential privacy: what Gaussian noise costs, how costs add up, what a total means as (epsilon, delta).

Gaussian noise of variance v on whole numbers that one person changes by at most d in the sense of squares costs rho = d^2 / (2 v)
(Canonne, Kamath and Steinke 2020, theorem 4). Costs add up. A pure epsilon costs epsilon^2 / 2, an exponential mechanism of
epsilon costs epsilon^2 / 8 (Bun and Steinke 2016; Rogers and Steinke 2021). For every alpha > 1, rho implies (epsilon, delta)
with

    delta = exp((alpha - 1) (alpha rho - epsilon)) / (alpha - 1) * (1 - 1 / alpha)^alpha

(Canonne, Kamath and Steinke 2020, corollary 13). Any alpha proves something, so alpha is found roughly and the bound for it is
computed with many digits and rounded up: nothing is promised that does not hold.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, isfinite, log, log1p, sqrt

from tacita.errors import BudgetError

__all__ = ["delta_of", "epsilon_of", "rho_for", "rho_of_gaussian", "rho_of_pure", "rho_of_selection"]

_DIGITS = 60
_SLACK = Decimal(10) ** -40
"""Far more than what a dozen correctly rounded operations on 60 digits can be off by, with numbers up to a million."""

_LEAST = Decimal("1e-800")
"""Anything smaller is given as this: nobody asks for less."""

_GRID = 10**12
"""Results are decimals of twelve places: short to write, on the safe side."""


def rho_of_gaussian(squared_sensitivity: Fraction, variance: Fraction) -> Fraction:
    """What noise of this variance costs, for a person who changes the answers by so much in the sense of squares."""
    return squared_sensitivity / (2 * variance)


def rho_of_pure(epsilon: Fraction) -> Fraction:
    """What any mechanism costs that satisfies pure differential privacy."""
    return epsilon * epsilon / 2


def rho_of_selection(epsilon: Fraction) -> Fraction:
    """What an exponential mechanism costs, whose range of log ratios is bounded by epsilon."""
    return epsilon * epsilon / 8


@lru_cache(maxsize=1024)
def delta_of(rho: Fraction, epsilon: Fraction) -> Fraction:
    """A delta for which rho implies (epsilon, delta); at most 1, rounded up.

    >>> float(delta_of(Fraction(1, 100), Fraction(1))) < 1e-11
    True
    """
    if rho <= 0:
        return Fraction(0)
    bound = _bound(rho, epsilon, _best_alpha(float(rho), float(epsilon)))
    return min(Fraction(1), bound)


@lru_cache(maxsize=256)
def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """The smallest epsilon, nearly, for which rho implies (epsilon, delta); rounded up.

    >>> 0.8 < float(epsilon_of(Fraction(1, 50), Fraction(1, 10**6))) < 1.1
    True
    """
    _require_delta(delta)
    if rho <= 0:
        return Fraction(0)
    low, high = 0, int((float(rho) + 2 * sqrt(float(rho) * -_log(delta)) + 1) * _GRID)  # the classical bound is enough
    while low < high:
        middle = (low + high) // 2
        if delta_of(rho, Fraction(middle, _GRID)) <= delta:
            high = middle
        else:
            low = middle + 1
    return Fraction(high, _GRID)


@lru_cache(maxsize=256)
def rho_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho, nearly, that implies (epsilon, delta); rounded down.

    >>> rho = rho_for(Fraction(1), Fraction(1, 10**9))
    >>> delta_of(rho, Fraction(1)) <= Fraction(1, 10**9), 0.010 < float(rho) < 0.015
    (True, True)
    """
    _require_delta(delta)
    unit = Fraction(1, _GRID)
    while delta_of(unit, epsilon) > delta:  # a budget so small that even the twelfth decimal is too much
        unit /= _GRID
        if unit < Fraction(1, _GRID**4):
            message = f"epsilon {float(epsilon):.3g} with delta {float(delta):.3g} is too small a budget to be divided"
            raise BudgetError(message)
    low, high = 1, int(epsilon / unit) + 2
    while low < high:
        middle = (low + high + 1) // 2
        if delta_of(middle * unit, epsilon) <= delta:
            low = middle
        else:
            high = middle - 1
    return low * unit


def _require_delta(delta: Fraction) -> None:
    if not 0 < delta < 1:
        message = f"delta must be above 0 and below 1, got {float(delta):.3g}"
        raise BudgetError(message)


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)  # the fraction itself may underflow


def _log_bound(alpha: float, rho: float, epsilon: float) -> float:
    if not 1 < alpha < inf:
        return inf
    return (alpha - 1) * (alpha * rho - epsilon) + alpha * log1p(-1 / alpha) - log(alpha - 1)


def _best_alpha(rho: float, epsilon: float) -> Fraction:
    """Roughly the alpha with the smallest bound: the logarithm is convex in alpha, and searched on a scale of alpha - 1."""
    low, high = -40.0, 60.0
    for _ in range(120):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if _log_bound(1 + exp(first), rho, epsilon) <= _log_bound(1 + exp(second), rho, epsilon):
            high = second
        else:
            low = first
    found = 1 + exp((low + high) / 2)
    if not isfinite(found) or found <= 1:
        found = 2.0
    return Fraction(found)


def _bound(rho: Fraction, epsilon: Fraction, alpha: Fraction) -> Fraction:
    """The bound for one alpha, rounded up; logarithms of Python's decimals are correctly rounded."""
    with localcontext(Context(prec=_DIGITS)):
        above, over = _decimal(alpha - 1), _decimal(alpha)
        exponent = _decimal((alpha - 1) * (alpha * rho - epsilon))
        total = exponent + above * above.ln() - over * over.ln()
        scale = abs(exponent) + abs(above * above.ln()) + abs(over * over.ln()) + 1
        total += scale * _SLACK
        if total >= 0:
            return Fraction(1)
        if total < _LEAST.ln():
            return Fraction(_LEAST)
        value = total.exp() * (1 + _SLACK)
        return Fraction(value.quantize(Decimal(1).scaleb(value.adjusted() - 40), rounding=ROUND_CEILING))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
