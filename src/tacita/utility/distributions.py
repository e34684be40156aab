"""How far the distributions of a release are from those of the raw data, and how well it predicts where people go next.

The distance is total variation: half the sum of the absolute differences between the shares, which is the largest difference in
the probability of any event. It is 0 for equal distributions and 1 for disjoint ones. If one side is empty it is 1, if both are
empty it is 0. All of this is computed from raw data, for the owner only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.arrays.recency import NEW, recencies
from tacita.counting.blocks.conversation import added_up

__all__ = [
    "BasketDistributions",
    "Distributions",
    "NextPlace",
    "different_places",
    "measure_basket_distributions",
    "measure_distributions",
    "measure_next_place",
    "measure_some",
    "origins_and_destinations",
    "recency_of_steps",
    "round_trips",
    "total_variation",
]


# The usual questions about movements: who goes from where to where, who comes back, how many places people visit, where next.


ROUND_TRIP = 3
"""The fewest symbols of a round trip: here, somewhere else, and back."""

FURTHEST = 10
"""Returns to places visited longer ago than this count as one class."""


@dataclass(frozen=True, kw_only=True)
class NextPlace:
    """How often the next symbol of a raw sequence is predicted from the two before it (from one, if the two were never seen).

    `raw` is the share predicted after learning from the raw data itself, `released` after learning from the release.
    """

    raw: float
    released: float

    @property
    def lost(self) -> float:
        """The share of the raw data's predictions that the release loses; 0 if nothing can be predicted."""
        return min(1.0, max(0.0, 1 - self.released / self.raw)) if self.raw > 0 else 0.0


def origins_and_destinations(sequences: Ragged, *, symbols: int) -> Integers:
    """The first and the last symbol of each non-empty sequence, as one number.

    >>> origins_and_destinations(Ragged.from_lists([[2, 0, 1], [], [3]]), symbols=10).tolist()
    [21, 33]
    """
    begins, ends = _filled(sequences)
    codes = sequences.codes.astype(np.int64)
    return np.asarray(codes[begins] * symbols + codes[ends - 1], dtype=np.int64)


def round_trips(sequences: Ragged) -> Integers:
    """1 for each sequence of three symbols or more that ends where it began, 0 for every other non-empty one.

    >>> round_trips(Ragged.from_lists([[2, 0, 2], [2, 2], [0, 1, 2]])).tolist()
    [1, 0, 0]
    """
    begins, ends = _filled(sequences)
    is_trip = (ends - begins >= ROUND_TRIP) & (sequences.codes[begins] == sequences.codes[ends - 1])
    return np.asarray(is_trip, dtype=np.int64)


def different_places(sequences: Ragged, *, found: Integers | None = None) -> Integers:
    """How many different symbols each non-empty sequence has; `found` are the recencies of all symbols, if they are known.

    >>> different_places(Ragged.from_lists([[2, 0, 2], [], [1]])).tolist()
    [2, 1]
    """
    begins, ends = _filled(sequences)
    found = recencies(sequences) if found is None else found
    new = np.concatenate([[0], np.cumsum(found == NEW)])
    return np.asarray(new[ends] - new[begins], dtype=np.int64)


def recency_of_steps(sequences: Ragged, *, found: Integers | None = None) -> Integers:
    """For each symbol after the first: 0 if it is new in its sequence, 1 if it repeats the last one, 2 the one before that, ...

    >>> recency_of_steps(Ragged.from_lists([[2, 0, 2, 2, 1]])).tolist()
    [0, 2, 1, 0]
    """
    is_first = np.zeros(sequences.codes.size, dtype=np.bool_)
    is_first[_filled(sequences)[0]] = True
    found = recencies(sequences) if found is None else found
    return np.minimum(found[~is_first] + 1, FURTHEST)


def measure_next_place(raw: Ragged, released: Ragged, *, symbols: int) -> NextPlace:
    """Learn from each side what usually comes next, and test it on the raw data.

    >>> data = Ragged.from_lists([[0, 1, 0, 1], [0, 1]])
    >>> measure_next_place(data, Ragged.from_lists([[0, 1, 2]]), symbols=3)
    NextPlace(raw=1.0, released=0.75)
    """
    steps, times = added_up(raw, partial(_steps, symbols=symbols))
    asked, right = (steps // symbols, steps // symbols % symbols), steps % symbols
    shares = []
    for learned, counts in ((steps, times), added_up(released, partial(_steps, symbols=symbols))):
        foreseen = np.full(right.size, -1, dtype=np.int64)
        for place, pairs in ((1, learned % symbols**2), (0, learned)):  # from one symbol, then from two if that pair is known
            if not learned.size:
                break
            known, usual = _usual(pairs, counts, symbols)
            found = np.minimum(np.searchsorted(known, asked[place]), known.size - 1)
            there = np.flatnonzero(known[found] == asked[place])
            foreseen[there] = usual[found[there]]
        shares.append(float(times[foreseen == right].sum() / times.sum()) if right.size else 0.0)
    return NextPlace(raw=shares[0], released=shares[1])


def _filled(sequences: Ragged) -> tuple[Integers, Integers]:
    """Where the non-empty sequences begin and end."""
    filled = sequences.lengths > 0
    return sequences.offsets[:-1][filled], sequences.offsets[1:][filled]


def _steps(sequences: Ragged, *, symbols: int) -> tuple[Integers, Integers]:
    """Each symbol after the first with the two before it, as one number, and how often they come; one before it may be missing.

    >>> [column.tolist() for column in _steps(Ragged.from_lists([[0, 1, 2], [1, 2]]), symbols=3)]
    [[5, 28, 32], [1, 1, 1]]
    """
    codes = sequences.codes.astype(np.int64)
    inside = np.arange(codes.size) - np.repeat(sequences.offsets[:-1], sequences.lengths)
    steps = np.flatnonzero(inside > 0)
    before = np.where(inside[steps] > 1, codes[np.maximum(steps - 2, 0)], symbols)
    found, counts = np.unique((before * symbols + codes[steps - 1]) * symbols + codes[steps], return_counts=True)
    return found, counts


def _usual(pairs: Integers, counts: Integers, symbols: int) -> tuple[Integers, Integers]:
    """The contexts that occur, in order, and the symbol that follows each most often; the first of them if several tie."""
    pairs, places = np.unique(pairs, return_inverse=True)
    counts = np.bincount(places.ravel(), weights=counts).astype(np.int64)
    order = np.lexsort((pairs, -counts, pairs // symbols))
    known, first = np.unique(pairs[order] // symbols, return_index=True)
    return known, pairs[order][first] % symbols


# Distances between distributions; that of lengths compares trips by length.


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
    figure is not a distance but the share of next places that only the raw data can predict; see `NextPlace`.
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


def measure_some(sides: Sequence[Ragged], *, symbols: int, names: tuple[str, ...]) -> dict[str, list[float]]:
    """The distances of some features of each further side from the first, which is counted once."""
    histograms = [added_up(side, partial(_histograms, partial(_values, symbols=symbols, names=names), names)) for side in sides]

    def tally(side: tuple[Integers, ...], place: int) -> tuple[Integers, Integers]:
        return side[1][side[0] == place], side[2][side[0] == place]

    raw, *others = histograms
    return {name: [_between(tally(raw, place), tally(side, place)) for side in others] for place, name in enumerate(names)}


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


def _values(sequences: Ragged, symbols: int, names: tuple[str, ...] = _FEATURES) -> dict[str, Integers]:
    """The values of each feature that is asked for: one per sequence, symbol or transition."""
    codes = sequences.codes.astype(np.int64)
    lengths = sequences.lengths
    filled = lengths > 0
    first_places, last_places = sequences.offsets[:-1][filled], sequences.offsets[1:][filled] - 1
    goes_on = np.ones(codes.size, dtype=np.bool_)
    goes_on[last_places] = False
    places = np.flatnonzero(goes_on)
    found = recencies(sequences) if {"different_places", "returns"} & set(names) else None
    values: dict[str, Callable[[], Integers]] = {
        "lengths": lambda: lengths,
        "starts": lambda: codes[first_places],
        "ends": lambda: codes[last_places],
        "symbols": lambda: codes,
        "transitions": lambda: codes[places] * symbols + codes[places + 1],
        "origins_destinations": lambda: origins_and_destinations(sequences, symbols=symbols),
        "different_places": lambda: different_places(sequences, found=found),
        "round_trips": lambda: round_trips(sequences),
        "returns": lambda: recency_of_steps(sequences, found=found),
    }
    return {name: values[name]() for name in names}
