"""Answers with error bars that follow from the public law of the noise and the manifest alone.

A manifest says of every draw which noise was added and which counts were kept. Where a release holds such noisy counts as they
were drawn, a count n comes with the interval [n - h, n + h], h the smallest whole number with P(|noise| <= h) at least the level.
For a sum of independent counts, the noise is the sum of discrete Laplace variables; its law is computed from the product of their
characteristic functions (1 - a)^2 / (1 - 2 a cos t + a^2), a = exp(-1/scale). A count that a threshold T dropped lies in
[0, T - 1 + h]: it fell below T, and noise took more than h from it with a probability of at most (1 - level) / 2. Where u people
were publicly left out of noisy counts n, up to u of them are in any one cell: the true count lies in [n - h, n + h + u], h the
smallest whole number that makes this hold with the level whatever the cell of those people, P(noise > h) + P(noise > h + u) being
at most 1 - level.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, lcm, log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError

__all__ = [
    "LEVEL",
    "Estimate",
    "Interval",
    "NoiseLaw",
    "WeighedNoise",
    "around",
    "counted_interval",
    "dropped",
    "gaussian_interval",
    "half_width",
    "laws_of",
    "no_error_bars",
    "weighed_half_width",
]

LEVEL = 0.95
_MOST_POINTS = 2**22
_FINE = 2**12


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A count of private data as a recipient can know it, with an interval that holds the true one with probability `level`.

    >>> print(Estimate(value=120, low=96, high=144))
    120, between 96 and 144 (95 %)
    """

    value: float
    low: float
    high: float
    level: float = LEVEL

    def __str__(self) -> str:
        """Render for people."""
        return f"{self.value:,.4g}, between {self.low:,.4g} and {self.high:,.4g} ({self.level:.0%})".replace("%", " %")

    def covers(self, truth: float) -> bool:
        """Whether the interval holds this number."""
        return self.low <= truth <= self.high

    def as_json(self) -> dict[str, float]:
        """For scripts."""
        return {"value": self.value, "low": self.low, "high": self.high, "level": self.level}


class Interval(NamedTuple):
    """The least and the largest that each of several true counts may be, at the level of `LEVEL`."""

    low: Integers
    high: Integers


@dataclass(frozen=True, kw_only=True)
class NoiseLaw:
    """Discrete Laplace noise of this scale on each count; those below the threshold were dropped, if there is one.

    Where counts of one draw have different scales and thresholds, the largest stand here, and intervals hold at least so often.
    """

    scale: Fraction
    threshold: int | None = None

    def estimate(self, count: float | None, *, level: float = LEVEL, least: float | None = 0) -> Estimate:
        """The estimate from a published count, or from None, which was not published; no true count is below `least`."""
        half = half_width((self.scale,), level=level)
        floor = float("-inf") if least is None else least
        if count is None:
            if self.threshold is None:
                message = "every count of this draw was published, so that one that is missing cannot be estimated"
                raise ParameterError(message)
            return Estimate(value=0, low=max(0.0, floor), high=max(floor, self.threshold - 1 + half), level=level)
        return Estimate(value=count, low=max(floor, count - half), high=max(floor, count + half), level=level)


def half_width(scales: Sequence[Fraction], *, level: float = LEVEL) -> int:
    """The smallest h such that the sum of independent noise of these scales is within h with probability `level`.

    >>> half_width((Fraction(10),)), half_width((Fraction(10),) * 4)
    (30, 57)
    """
    if not 0 < level < 1:
        message = f"a level must lie between 0 and 1, got {level}"
        raise ParameterError(message)
    numbers = Counter(WeighedNoise(scale=float(scale)) for scale in scales)
    return round(weighed_half_width(numbers, level=level))


@dataclass(frozen=True, kw_only=True, order=True)
class WeighedNoise:
    """Discrete Laplace noise of a scale that enters a sum with a weight."""

    scale: float
    weight: Fraction = Fraction(1)

    @property
    def ratio(self) -> float:
        """How much rarer each next number is."""
        return exp(-1 / self.scale)

    @property
    def variance(self) -> float:
        """That of the weighed noise."""
        return float(self.weight) ** 2 * 2 * self.ratio / (1 - self.ratio) ** 2


def weighed_half_width(numbers: Mapping[WeighedNoise, int], *, level: float = LEVEL) -> float:
    """The same for a sum of several of each, which lies on the multiples of the weights' common part.

    >>> weighed_half_width({WeighedNoise(scale=10.0): 1, WeighedNoise(scale=10.0, weight=Fraction(1, 2)): 4})
    40.5
    """
    if not 0 < level < 1:
        message = f"a level must lie between 0 and 1, got {level}"
        raise ParameterError(message)
    return _half_width(tuple(sorted((noise, number) for noise, number in numbers.items() if number)), level)


@lru_cache(maxsize=256)
def _half_width(numbers: tuple[tuple[WeighedNoise, int], ...], level: float) -> float:
    if not numbers:
        return 0.0
    if [number for _, number in numbers] == [1]:  # P(|noise| > h) = 2 a^(h + 1) / (1 + a), in units of the weight
        [(noise, _)] = numbers
        return max(0, ceil(-noise.scale * log((1 - level) * (1 + noise.ratio) / 2)) - 1) * float(noise.weight)
    deviation = sqrt(sum(number * noise.variance for noise, number in numbers))
    parts = lcm(*(noise.weight.denominator for noise, _ in numbers))
    unit, points = 1 / parts, 2 ** ceil(np.log2(60 * deviation * parts + 64))
    is_fine = points > _MOST_POINTS
    if is_fine:  # so fine that it is as good as continuous
        unit, points = deviation / _FINE, 64 * _FINE
    angles = 2 * np.pi * np.arange(points // 2 + 1) / points
    logarithm = np.zeros(angles.size)
    for noise, number in numbers:
        if is_fine:
            logarithm -= number * np.log1p(noise.variance / 2 * (angles / unit) ** 2)
        else:
            ratio, step = noise.ratio, int(noise.weight * parts)
            logarithm += number * (2 * np.log1p(-ratio) - np.log(1 - 2 * ratio * np.cos(step * angles) + ratio * ratio))
    law = np.fft.irfft(np.exp(logarithm), n=points)
    within = law[0] + 2 * np.cumsum(law[1 : points // 2])
    return 0.0 if law[0] >= level else (int(np.searchsorted(within, level)) + 1) * unit


def counted_interval(
    noisy: Integers, *, scale: Fraction, left_out: int = 0, people: int | None = None, level: float = LEVEL
) -> Interval:
    """Where the true counts of all cells lie, given noisy ones of everybody but `left_out` people; `people` are there in all.

    >>> interval = counted_interval(np.array([4, 100]), scale=Fraction(10))
    >>> interval.low.tolist(), interval.high.tolist()
    ([0, 70], [34, 130])
    >>> counted_interval(np.array([100]), scale=Fraction(10), left_out=50).high.tolist()
    [173]
    """
    ratio = exp(-1 / float(scale))  # P(noise > h) = a^(h + 1) / (1 + a)
    half = max(0, ceil(-float(scale) * log((1 - level) * (1 + ratio) / (1 + ratio**left_out))) - 1)
    return _interval(noisy, half, left_out, people)


def gaussian_interval(
    noisy: Integers, *, deviation: float, left_out: int = 0, people: int | None = None, level: float = LEVEL
) -> Interval:
    """The same for Gaussian noise: P(noise > h) is at most the tail of the continuous law from h on (Canonne et al. 2020).

    >>> gaussian_interval(np.array([100]), deviation=10.0)
    Interval(low=array([80]), high=array([120]))
    """
    law, low, high = NormalDist(0, deviation), 0, ceil(10 * deviation) + 1
    while low < high:
        half = (low + high) // 2
        if law.cdf(-half) + law.cdf(-half - left_out) <= 1 - level:
            high = half
        else:
            low = half + 1
    return _interval(noisy, high, left_out, people)


def _interval(noisy: Integers, half: int, left_out: int, people: int | None) -> Interval:
    low, high = np.maximum(noisy - half, 0), np.maximum(noisy + half + left_out, 0)
    return Interval(low, high) if people is None else Interval(np.minimum(low, people), np.minimum(high, people))


def around(value: float, noise: Mapping[WeighedNoise, int], *, level: float = LEVEL, more: float = 0) -> Estimate:
    """The estimate of a count from a sum with this noise; `more` is what may be missing from it. No count is below 0."""
    half = weighed_half_width(noise, level=level)
    return Estimate(value=value, low=max(0.0, value - half), high=max(0.0, value + half + more), level=level)


def dropped(tests: Sequence[NoiseLaw], *, level: float = LEVEL) -> Estimate:
    """The estimate of a count that was lost at one of these tests, which keep a noisy count from their threshold on."""
    tail = 1 - 2 * (1 - level) / max(2, len(tests))  # the probability of missing is shared by all tests
    bounds = [law.threshold - 1 + half_width((law.scale,), level=tail) for law in tests if law.threshold is not None]
    return Estimate(value=0, low=0, high=max(bounds, default=0), level=level)


def laws_of(manifest: Mapping[str, Any]) -> dict[str, NoiseLaw]:
    """The law of every draw of discrete Laplace noise that a manifest lists, by its step.

    >>> draw = {"step": "baskets", "noise": "discrete Laplace, scale 2.5, kept if the noisy count is at least 7"}
    >>> laws_of({"budget": {"draws": [draw]}})["baskets"]
    NoiseLaw(scale=Fraction(5, 2), threshold=7)
    """
    found = {}
    for draw in manifest.get("budget", {}).get("draws", ()):
        match = re.match(r"discrete Laplace, scale (?:\S+ to )?([0-9./]+),", draw["noise"])
        if match is not None:
            kept = re.search(r"at least (?:\d+ to )?(\d+)", draw["noise"])
            found[draw["step"]] = NoiseLaw(scale=Fraction(match[1]), threshold=int(kept[1]) if kept else None)
    return found


def no_error_bars(manifest: Mapping[str, Any], why: str) -> ParameterError:
    """The refusal to give an error bar that does not follow from what is public."""
    return ParameterError(f"no error bar follows from a release of {manifest['mechanism']['name']}: {why}")
