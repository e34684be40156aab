"""How far the distributions of a release are from those of the raw data.

The distance is total variation: half the sum of the absolute differences between the shares, which is the largest difference in
the probability of any event. It is 0 for equal distributions and 1 for disjoint ones. If one side is empty it is 1, if both are
empty it is 0.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged
from tacita.utility.behaviour import (
    different_places,
    measure_next_place,
    origins_and_destinations,
    recency_of_steps,
    round_trips,
)

__all__ = ["BasketDistributions", "Distributions", "measure_basket_distributions", "measure_distributions", "total_variation"]

Integers = npt.NDArray[np.int64]

_TABLE_CELLS = 2**24


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
    if not first.size or not second.size:
        return float(first.size != second.size)
    largest = int(max(first.max(), second.max()))
    if largest < _TABLE_CELLS:
        tables = [np.bincount(side, minlength=largest + 1) / side.size for side in (first, second)]
        return float(np.abs(tables[0] - tables[1]).sum() / 2)
    values, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    parts = (places[: first.size], places[first.size :])
    tables = [np.bincount(part, minlength=values.size) / part.size for part in parts]
    return float(np.abs(tables[0] - tables[1]).sum() / 2)


def measure_distributions(raw: Ragged, released: Ragged, *, symbols: int) -> Distributions:
    """Compare both sides."""
    sides = [_values(side, symbols) for side in (raw, released)]
    lost = measure_next_place(raw, released, symbols=symbols).lost
    return Distributions(
        **{name: total_variation(sides[0][name], sides[1][name]) for name in sides[0]},
        next_place_lost=lost if len(released) else float(bool(len(raw))),
    )


def measure_basket_distributions(raw: Ragged, released: Ragged) -> BasketDistributions:
    """Compare both sides."""
    return BasketDistributions(
        sizes=total_variation(raw.lengths, released.lengths),
        items=total_variation(raw.codes.astype(np.int64), released.codes.astype(np.int64)),
    )


def _values(sequences: Ragged, symbols: int) -> dict[str, Integers]:
    """The values of each feature: one per sequence, symbol or transition."""
    codes = sequences.codes.astype(np.int64)
    lengths = sequences.lengths
    filled = lengths > 0
    first_places, last_places = sequences.offsets[:-1][filled], sequences.offsets[1:][filled] - 1
    goes_on = np.ones(codes.size, dtype=np.bool_)
    goes_on[last_places] = False
    places = np.flatnonzero(goes_on)
    return {
        "lengths": lengths,
        "starts": codes[first_places],
        "ends": codes[last_places],
        "symbols": codes,
        "transitions": codes[places] * symbols + codes[places + 1],
        "origins_destinations": origins_and_destinations(sequences, symbols=symbols),
        "different_places": different_places(sequences),
        "round_trips": round_trips(sequences),
        "returns": recency_of_steps(sequences),
    }
