"""The draws that all worlds share: popularity by a Zipf law, lengths with a heavy tail, times in increasing order."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Reals
from tacita.errors import ParameterError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "Popularity",
    "choose_slots",
    "heavy_lengths",
    "is_exponent",
    "is_spread",
    "mean_distinct",
    "positions_of",
    "require_sizes",
    "sorted_distinct",
]


@dataclass(frozen=True, eq=False)
class Popularity:
    """The probability with which each of several things is chosen."""

    weights: Reals

    @classmethod
    def zipf(cls, size: int, *, exponent: float, generator: np.random.Generator) -> Popularity:
        """The k-th most popular thing has weight 1 / k ** exponent; the order of popularity is drawn at random."""
        weights = np.arange(1, size + 1, dtype=np.float64) ** -exponent
        return cls(generator.permutation(weights / weights.sum()))

    @cached_property
    def cumulative(self) -> Reals:
        """Running sums of the weights, from 0 to 1."""
        running = np.append(0.0, np.cumsum(self.weights))
        return np.asarray(running / running[-1], dtype=np.float64)

    def draw(self, generator: np.random.Generator, size: int) -> Numbers:
        """Choose that many times, independently."""
        places = np.searchsorted(self.cumulative[1:-1], generator.random(size), side="right")
        return places.astype(np.int32)

    def draw_between(self, generator: np.random.Generator, first: Integers, last: Integers) -> Numbers:
        """Choose once from each range of things, excluding `last`."""
        low, high = self.cumulative[first], self.cumulative[last]
        wanted = low + generator.random(first.size) * (high - low)
        places = np.searchsorted(self.cumulative, wanted, side="right") - 1
        return np.clip(places, first, last - 1).astype(np.int32)


def heavy_lengths(generator: np.random.Generator, size: int, *, mean: float, longest: int, spread: float) -> Integers:
    """Lengths from 1 to `longest` with about this mean: 1 + Poisson, with lognormal rates.

    `spread` is the standard deviation of the logarithm of the rates; at 1, one in a hundred is ten times the typical rate.
    """
    rates = _typical_rate(mean, longest, spread) * np.exp(spread * generator.standard_normal(size))
    lengths = 1 + generator.poisson(np.minimum(rates, 4.0 * longest))
    return np.asarray(np.minimum(lengths, longest), dtype=np.int64)


def _typical_rate(mean: float, longest: int, spread: float) -> float:
    """The median rate at which the capped lengths have the wanted mean, by bisection of the closed form of a capped lognormal."""
    if mean <= 1 or longest <= 1:
        return 0.0
    law, cap = NormalDist(), longest - 1.0

    def capped_mean(rate: float) -> float:
        distance = math.log(cap / rate) / spread
        return rate * math.exp(spread**2 / 2) * law.cdf(distance - spread) + cap * (1 - law.cdf(distance))

    low, high = 1e-9, 1e6 * cap
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if capped_mean(middle) < mean - 1 else (low, middle)
    return low


def choose_slots(generator: np.random.Generator, wanted: Integers, weights: Reals) -> Booleans:
    """For each row, choose `wanted` different slots, preferring heavier ones; True where chosen.

    `weights` has one row for all, or one per row. A row that wants as many as there are slots gets them all.
    """
    shares = np.broadcast_to(weights, (wanted.size, weights.shape[-1]))
    slots = shares.shape[1]
    left = np.minimum(wanted, slots).astype(np.int64)
    still = shares.sum(axis=1)
    chosen = np.zeros((wanted.size, slots), dtype=np.bool_)
    for slot in range(slots):
        weight = shares[:, slot]
        take = generator.random(wanted.size) * still < left * weight
        take = (take & (left > 0)) | (left >= slots - slot)
        chosen[:, slot] = take
        left = left - take
        still = still - weight
    return chosen


def positions_of(offsets: Integers) -> Integers:
    """The position of each element within its list, from 0."""
    lengths = np.diff(offsets)
    return np.asarray(np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths), dtype=np.int64)


def mean_distinct(codes: AnyIntegers, offsets: Integers, *, labels: int) -> tuple[float, int]:
    """How many different codes a list has, on average and at most."""
    records = offsets.size - 1
    keys = sorted_distinct(np.repeat(np.arange(records), np.diff(offsets)) * np.int64(labels) + codes)
    counts = np.bincount(keys // labels, minlength=max(records, 1))
    return float(counts.sum() / max(records, 1)), int(counts.max(initial=0))


def sorted_distinct(keys: Integers) -> Integers:
    """The distinct keys in increasing order; by sorting, which takes a tenth of the time of `np.unique` on random keys."""
    ordered = np.sort(keys)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: ordered.size]])


def require_sizes(world: DataclassInstance, *rules: tuple[bool, str]) -> None:
    """Refuse a world that breaks one of its rules; the message names the rule and the numbers given."""
    for holds, rule in rules:
        if not holds:
            given = {field.name: getattr(world, field.name) for field in fields(world)}
            numbers = ", ".join(f"{name}={value}" for name, value in given.items() if isinstance(value, int | float))
            message = f"{rule}, got {numbers}"
            raise ParameterError(message)


def is_exponent(*exponents: float) -> bool:
    """Whether Zipf laws with these exponents can be computed."""
    return all(0 <= exponent <= 10 for exponent in exponents)


def is_spread(spread: float) -> bool:
    """Whether lengths can have this spread."""
    return 0 < spread <= 5
