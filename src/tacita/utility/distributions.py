"""How far distributions of a release are from those of the raw data.

The distance is total variation: half of the sum of the differences between the shares, the largest difference that any event can
show; 0 for equal distributions, 1 for disjoint ones. Where one side has nothing to distribute it is 1, and 0 where neither has.
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
    """Total variation distances of how sequences are made.

    Of their lengths, first and last symbols, of all symbols, of transitions, of pairs of first and last symbol, of how many
    different places they have, of whether they end where they began, of steps by how long ago their place was visited. The last
    one is no distance of distributions, but the share of next places that only the raw data foresees; see `behaviour`.
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
    """Total variation distances: of the sizes of baskets, and of all items."""

    sizes: float
    items: float

    def as_json(self) -> dict[str, float]:
        """The figures for scripts."""
        return asdict(self)


def total_variation(first: Integers, second: Integers) -> float:
    """The distance between how often each value occurs in two lists of whole numbers that are not negative.

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
    """What is distributed: a value for each sequence, symbol or transition."""
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
