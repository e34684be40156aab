"""Exact amounts: numbers as typed become fractions, fractions become text, and a whole is split without a remainder."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import isfinite, isqrt

from tacita.errors import BudgetError, ParameterError

__all__ = ["LARGEST_DENOMINATOR", "Exact", "decimal_text", "exact", "root_below", "rounded_up", "share_of", "split"]

Exact = int | str | Decimal | Fraction | float
MOST_DIGITS = 1000
"""Longer numbers are refused before they are written out, which could take for ever."""


def exact(value: Exact, *, name: str) -> Fraction:
    """Convert a number as typed into an exact fraction; a float stands for its shortest decimal form.

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
