"""Zero-concentrated differential privacy: what Gaussian noise costs, how costs add up, what a total means as (epsilon, delta).

Gaussian noise of variance v on whole numbers that one person changes by at most d in the sense of squares costs rho = d^2 / (2 v)
(Canonne, Kamath and Steinke 2020, theorem 4). Costs add up. A pure epsilon costs epsilon^2 / 2, an exponential mechanism of
epsilon costs epsilon^2 / 8 (Bun and Steinke 2016; Rogers and Steinke 2021). For every alpha > 1, rho implies (epsilon, delta)
with

    delta = exp((alpha - 1) (alpha rho - epsilon)) / (alpha - 1) * (1 - 1 / alpha)^alpha

(Canonne, Kamath and Steinke 2020, corollary 13). Any alpha proves something, so alpha is found roughly and the bound for it is
computed with many digits and rounded up: nothing is promised that does not hold.

Exact amounts: numbers as typed become fractions, fractions become text, and a whole is split without a remainder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, isfinite, isqrt, log, log1p, sqrt

from tacita.errors import BudgetError, ParameterError

__all__ = [
    "LARGEST_DENOMINATOR",
    "Exact",
    "decimal_text",
    "delta_of",
    "epsilon_of",
    "exact",
    "for_readers",
    "rho_for",
    "rho_of_gaussian",
    "rho_of_pure",
    "rho_of_selection",
    "root_below",
    "rounded_up",
    "share_of",
    "split",
]

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


Exact = int | str | Decimal | Fraction | float
MOST_DIGITS = 1000
"""Longer numbers are refused before they are written out, which could take for ever."""


def exact(value: Exact, *, name: str) -> Fraction:
    """Convert a number as typed into an exact fraction; a float represents its shortest decimal form.

    >>> exact("0.1", name="epsilon"), exact(0.1, name="epsilon"), exact("1/3", name="epsilon")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal | Fraction | float):
        message = f"{name} must be a number or a decimal string, got {value!r}"
        raise BudgetError(message)
    if isinstance(value, float | Decimal) and not isfinite(value):
        message = f"{name} must be finite, got {value}"
        raise BudgetError(message)
    if _is_huge(value):
        message = f"{name} must be a number of fewer than {MOST_DIGITS:,} digits, exponents written out, got {str(value)[:40]!r}"
        raise BudgetError(message)
    try:
        fraction = Fraction(float.__repr__(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError):
        message = f"{name} must be a finite number such as 1, 0.5 or 1/3, got {value!r}"
        raise BudgetError(message) from None
    return Fraction(int(fraction.numerator), int(fraction.denominator))  # Python's integers, which never overflow


LARGEST_DENOMINATOR = 10**6
"""So that products of counts and shares fit 64 bits, in every method and in every independent check."""


def share_of(value: Exact, *, name: str) -> Fraction:
    """A share from 0 to 1 as typed, exactly: `0.6`, `3/5` or `60%`.

    >>> share_of("60%", name="confidence"), share_of("1/3", name="confidence")
    (Fraction(3, 5), Fraction(1, 3))
    """
    text = value.strip() if isinstance(value, str) else value
    try:
        is_percent = isinstance(text, str) and text.endswith("%")
        found = exact(text[:-1].strip() if isinstance(text, str) and is_percent else text, name=name) / (100 if is_percent else 1)
    except BudgetError:
        message = f"{name} must be a share such as 0.6, 3/5 or 60%, got {value!r}"
        raise ParameterError(message) from None
    if not 0 <= found <= 1 or found.denominator > LARGEST_DENOMINATOR:
        message = f"{name} must be from 0 to 1, with a denominator of at most {LARGEST_DENOMINATOR:,}, got {value}"
        raise ParameterError(message)
    return found


def _is_huge(value: Exact) -> bool:
    """Whether a number would take for ever to write out, such as 1e-999999999."""
    if isinstance(value, Decimal):
        return abs(value.adjusted()) >= MOST_DIGITS
    if not isinstance(value, str):
        return False
    exponents = (part.strip().lstrip("+-").replace("_", "") for part in value.lower().split("e")[1:])
    return len(value) >= MOST_DIGITS or any(part.isdecimal() and int(part) >= MOST_DIGITS for part in exponents)


@lru_cache(maxsize=1024)
def decimal_text(value: Fraction) -> str:
    """Write a fraction exactly: as a short decimal if there is one, otherwise as a quotient.

    >>> decimal_text(Fraction(1, 8)), decimal_text(Fraction(1, 12))
    ('0.125', '1/12')
    """
    for places in range(13):  # past a dozen places a quotient reads better
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).zfill(places + 1)
            text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
            return f"-{text}" if value < 0 else text
    return str(value)


def split(whole: Fraction, weights: Sequence[int | Fraction]) -> list[Fraction]:
    """Share `whole` in proportion to positive weights; the shares add up to it exactly.

    >>> shares = split(Fraction(1, 10), [1, 1, 1])
    >>> sum(shares) == Fraction(1, 10)
    True
    """
    fractions = [Fraction(weight) for weight in weights]
    if not fractions or min(fractions) <= 0:
        message = f"a budget is split by one or more positive weights, got {list(weights)}"
        raise BudgetError(message)
    total = sum(fractions, Fraction(0))
    return [whole * weight / total for weight in fractions]


def rounded_up(value: Fraction, *, digits: int = 4) -> str:
    """A positive amount in few digits, never less than it is.

    >>> rounded_up(Fraction(11_621, 10_000)), rounded_up(Fraction(1, 10**9))
    ('1.163', '1e-9')
    """
    with localcontext(Context(prec=digits, rounding=ROUND_CEILING)):
        return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():g}"


_ROOT_BITS = 40


def root_below(value: Fraction) -> Fraction:
    """The square root of a positive fraction, rounded down to 40 significant bits.

    >>> root_below(Fraction(4)), root_below(Fraction(2)) ** 2 <= 2, float(root_below(Fraction(2)))
    (Fraction(2, 1), True, 1.4142135623724243)
    """
    shift = 0
    while value * 4**shift < 4**_ROOT_BITS:
        shift += 1
    return Fraction(isqrt(value * 4**shift // 1), 2**shift)


SHORT = 4
"""To how many digits amounts are rounded for readers."""


def for_readers(words: str) -> str:
    """The same words with numbers that one can read: long fractions and decimals to four digits.

    >>> for_readers("discrete Laplace, scale 4398046511104/947645996103, all kept"), for_readers("1/3")
    ('discrete Laplace, scale 4.641, all kept', '1/3')
    """
    return re.sub(r"\d{2,}/\d{2,}|\d+/\d{3,}|\d{5,}/\d+|\d+\.\d{5,}", _four_digits, words)


def _four_digits(found: re.Match[str]) -> str:
    is_short = "/" not in found[0] and len(found[0].replace(".", "").lstrip("0")) <= SHORT
    return found[0] if is_short else f"{float(Fraction(found[0])):.{SHORT}g}"
