"""How far the distributions of a release are from those of the raw data.

The distance is total variation: half the sum of the absolute differences between the shares, which is the largest difference in
the probability of any event. It is 0 for equal distributions and 1 for disjoint ones. If one side is empty it is 1, if both are
empty it is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.arrays.recency import recencies
from tacita.counting.blocks.adding import added_up
from tacita.utility.behaviour import (
    different_places,
    measure_next_place,
    origins_and_destinations,
    recency_of_steps,
    round_trips,
)

__all__ = ["BasketDistributions", "Distributions", "measure_basket_distributions", "measure_distributions", "total_variation"]


_TABLE_CELLS = 2**24

_FEATURES = (
    "lengths",
    "starts",
    "ends",
    "symbols",
    "transitions",
    "origins_destinations",
    "different_places",
    "round_trips",
    "returns",
)


@dataclass(frozen=True, kw_only=True)
class Distributions:
    """Total variation distances between features of raw and released sequences.

    The features are lengths, first symbols, last symbols, all symbols, transitions, pairs of first and last symbol, the number
    of different places, whether a sequence ends where it began, and how long ago the place of a step was last visited. The last
    figure is not a distance but the share of next places that only the raw data can predict; see `behaviour`.
    """

    lengths: float
    starts: float
    ends: float
    symbols: float
    transitions: float
    origins_destinations: float
    different_places: float
    round_trips: float
    returns: float
    next_place_lost: float

    def as_json(self) -> dict[str, float]:
        """The figures for scripts."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class BasketDistributions:
    """Total variation distances of basket sizes and of items."""

    sizes: float
    items: float

    def as_json(self) -> dict[str, float]:
        """The figures for scripts."""
        return asdict(self)


def total_variation(first: Integers, second: Integers) -> float:
    """The distance between the distributions of two lists of non-negative integers.

    >>> total_variation(np.array([1, 1, 2, 2]), np.array([2, 2, 2, 3]))
    0.5
    """
    return _between(_tally(first), _tally(second))


def measure_distributions(raw: Ragged, released: Ragged, *, symbols: int) -> Distributions:
    """Compare both sides."""
    distances = _distances(raw, released, partial(_values, symbols=symbols), names=_FEATURES)
    lost = measure_next_place(raw, released, symbols=symbols).lost
    return Distributions(**distances, next_place_lost=lost if len(released) else float(bool(len(raw))))


def measure_basket_distributions(raw: Ragged, released: Ragged) -> BasketDistributions:
    """Compare both sides."""
    return BasketDistributions(**_distances(raw, released, _basket_values, names=("sizes", "items")))


def _distances(
    raw: Ragged, released: Ragged, values: Callable[[Ragged], dict[str, Integers]], *, names: tuple[str, ...]
) -> dict[str, float]:
    """The distance of each feature; histograms add up over the parts of a side."""
    sides = [added_up(side, partial(_histograms, values, names)) for side in (raw, released)]
    return {
        name: _between(*((side[1][side[0] == place], side[2][side[0] == place]) for side in sides))
        for place, name in enumerate(names)
    }


def _histograms(values: Callable[[Ragged], dict[str, Integers]], names: tuple[str, ...], lists: Ragged) -> tuple[Integers, ...]:
    """The number of each feature, the values that it has, and how often."""
    found = values(lists)
    tallies = [_tally(found[name]) for name in names]
    features = np.repeat(np.arange(len(names)), [tally[0].size for tally in tallies])
    return features, np.concatenate([tally[0] for tally in tallies]), np.concatenate([tally[1] for tally in tallies])


def _tally(values: Integers) -> tuple[Integers, Integers]:
    """The different values, in order, and how often each of them occurs."""
    if values.size and int(values.max()) < _TABLE_CELLS:
        table = np.bincount(values)
        there = np.flatnonzero(table)
        return there, table[there]
    different, counts = np.unique(values, return_counts=True)
    return different, counts


def _between(first: tuple[Integers, Integers], second: tuple[Integers, Integers]) -> float:
    """The distance between two histograms."""
    sizes = [int(counts.sum()) for _, counts in (first, second)]
    if not all(sizes):
        return float(sizes[0] != sizes[1])
    values = np.union1d(first[0], second[0])
    shares = np.zeros((2, values.size))
    for row, (own, counts), size in zip(shares, (first, second), sizes, strict=True):
        row[np.searchsorted(values, own)] = counts / size
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def _basket_values(baskets: Ragged) -> dict[str, Integers]:
    return {"sizes": baskets.lengths, "items": baskets.codes.astype(np.int64)}


def _values(sequences: Ragged, symbols: int) -> dict[str, Integers]:
    """The values of each feature: one per sequence, symbol or transition."""
    codes = sequences.codes.astype(np.int64)
    lengths = sequences.lengths
    filled = lengths > 0
    first_places, last_places = sequences.offsets[:-1][filled], sequences.offsets[1:][filled] - 1
    goes_on = np.ones(codes.size, dtype=np.bool_)
    goes_on[last_places] = False
    places, found = np.flatnonzero(goes_on), recencies(sequences)
    return {
        "lengths": lengths,
        "starts": codes[first_places],
        "ends": codes[last_places],
        "symbols": codes,
        "transitions": codes[places] * symbols + codes[places + 1],
        "origins_destinations": origins_and_destinations(sequences, symbols=symbols),
        "different_places": different_places(sequences, found=found),
        "round_trips": round_trips(sequences),
        "returns": recency_of_steps(sequences, found=found),
    }
