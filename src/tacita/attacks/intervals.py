"""Exact confidence intervals for a probability (Clopper and Pearson, 1934), by bisection of binomial tails."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

__all__ = ["clopper_pearson"]


def clopper_pearson(hits: int, runs: int, *, risk: float) -> tuple[float, float]:
    """An interval that misses the probability of a hit, on each side, with probability at most `risk`.

    >>> [round(end, 4) for end in clopper_pearson(5, 10, risk=0.025)]
    [0.1871, 0.8129]
    """
    low = 0.0 if hits == 0 else _bisect(lambda share: _at_least(hits, runs, share) >= risk)
    high = 1.0 if hits == runs else 1 - _bisect(lambda share: _at_least(runs - hits, runs, share) >= risk)
    return low, high


def _bisect(reached: object) -> float:
    """The smallest share at which a monotone question is answered yes, approached from below."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if callable(reached) and reached(middle) else (middle, high)
    return low


def _at_least(hits: int, runs: int, share: float) -> float:
    """The probability of at least this many hits."""
    if share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    whole = lgamma(runs + 1)
    terms = (
        exp(whole - lgamma(k + 1) - lgamma(runs - k + 1) + k * log(share) + (runs - k) * log1p(-share))
        for k in range(hits, runs + 1)
    )
    return sum(terms)
