"""Baskets of each size from the noisy numbers of their itemsets.

Filling baskets with items that are counted one by one: each as often as its number says, and independently of the others.

A basket has room for some items. Frequent items are placed one after another, the most frequent first: each goes into different
baskets, chosen by the room that they have left (sequential Poisson sampling, Ohlsson 1998, with a fixed hash in the place of
random numbers). Rare items fill the rest of the room in a scattered order; one that its basket already has is moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import TypeAlias

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import RaggedInParts, copied, part_of_each, parts_for
from tacita.arrays.ragged import Ragged, chosen, in_order, lexicographic_order, offsets_of
from tacita.arrays.scatter import FIRST, Stream, evenly_rounded, scattered, spread
from tacita.privacy.limits import refuse_flood
from tacita.sets.synthesis.item_law import NoisyWeights, reached_at
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.pairs import likely_pairs, log_lifts
from tacita.sets.synthesis.weights import candidates, fitted_weights

__all__ = [
    "CountedRows",
    "Stratum",
    "baskets_of_rows",
    "filled",
    "filled_in_parts",
    "made_in_parts",
    "strata_baskets",
    "with_rest",
]

SIGNIFICANT = 2.0
"""Fewer baskets than this many standard deviations of their noise are taken for none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Stratum:
    """The noisy itemsets of baskets of one size, and what an earlier question said about how many there are."""

    noisy: NoisyItemsets
    expected: float
    variance: float

    @property
    def baskets(self) -> float:
        """The number of baskets by both answers, each weighted by its precision; 0 if noise alone could explain it."""
        noisy = self.noisy
        own_variance = noisy.deviation(0) ** 2
        together = 1 / (1 / own_variance + 1 / self.variance)
        number = together * (noisy.baskets / own_variance + self.expected / self.variance)
        return number if number >= max(1.0, SIGNIFICANT * together**0.5) else 0.0


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Baskets of one size: different rows of increasing codes, in order, and how many baskets each of them stands for."""

    rows: Integers
    copies: Integers

    @classmethod
    def none(cls, size: int) -> CountedRows:
        """No baskets of a size."""
        return cls(np.zeros((0, size), dtype=np.int64), np.zeros(0, dtype=np.int64))

    @property
    def expanded(self) -> Integers:
        """One row per basket."""
        return np.repeat(self.rows, self.copies, axis=0)

    def part(self, number: int, parts: int) -> Integers:
        """One row per basket of one part."""
        return np.repeat(self.rows, part_of_each(self.copies, number, parts), axis=0)


def strata_baskets(strata: list[Stratum]) -> list[CountedRows]:
    """For each size, from small to large, the baskets of that size.

    Which items go together in large baskets is taken from smaller ones, if only these were asked for pairs.
    """
    rows: list[CountedRows] = []
    lifts = np.zeros(comb(strata[0].noisy.items, 2) if strata else 0)
    for stratum in strata:
        noisy, number = stratum.noisy, stratum.baskets
        if number:
            refuse_flood(number * noisy.size, in_parts=True)
            lifts = log_lifts(noisy, lifts, baskets=number)
            rows.append(_baskets(noisy, lifts, number))
        else:
            rows.append(CountedRows.none(noisy.size))
    return rows


def _baskets(noisy: NoisyItemsets, lifts: Reals, number: float) -> CountedRows:
    pool = candidates(noisy, lifts, baskets=number)
    pairs = likely_pairs(noisy, lifts, baskets=number) if 1 == noisy.order < noisy.size else None
    weights = fitted_weights(noisy, pool, baskets=number, borrowed_pairs=pairs)
    order = np.lexsort(pool.rows.T[::-1])
    copies = evenly_rounded(weights[order])
    kept = copies > 0
    return CountedRows(pool.rows[order[kept]], copies[kept])


Make: TypeAlias = Callable[[list[Integers], Stream, int], Ragged]
"""Whole baskets of rows of core items, by what scatters them, and in how many parts all are made."""


def made_in_parts(baskets: list[CountedRows], make: Make, *, symbols: float) -> Ragged:
    """Whole baskets of all these rows, in parts that are alike; `symbols` is about the sum of their sizes."""
    numbers = [baskets_of.copies for baskets_of in baskets]
    parts = parts_for(int(sum(copies.sum() for copies in numbers)))
    most = [int(sum(part_of_each(copies, part, parts).sum() for copies in numbers)) for part in range(parts)]
    return RaggedInParts(most, partial(_made_part, baskets, make, parts), symbols=symbols, is_exact=False)


def _made_part(baskets: list[CountedRows], make: Make, parts: int, number: int) -> Ragged:
    return make([baskets_of.part(number, parts) for baskets_of in baskets], Stream(number), parts)


def baskets_of_rows(baskets: list[CountedRows]) -> Ragged:
    """The baskets of all sizes, in the order of their codes."""
    lengths = [np.full(part.rows.shape[0], part.rows.shape[1], dtype=np.int64) for part in baskets]
    if not baskets:
        return Ragged.from_lists([])
    codes = np.concatenate([part.rows.ravel() for part in baskets]).astype(np.int32)
    different = Ragged(codes, offsets_of(np.concatenate(lengths)))
    order = lexicographic_order(different)
    return copied(chosen(different, order), np.concatenate([part.copies for part in baskets])[order])


SizesOf: TypeAlias = Callable[[list[int], Stream, int], list[Integers]]
"""The sizes of baskets with 0, 1, ... core items, given how many there are, in one of so many parts."""

FREQUENT = 0.01
"""Items in at least this share of the baskets are placed one after another."""

MOST_STEPS = 2**28
"""Baskets times frequent items; a bound on time."""

_ROUNDS = 12
_SALT = 1_000_003


def filled_in_parts(baskets: list[CountedRows], sizes: SizesOf, rest: Integers, noisy: NoisyWeights, *, symbols: float) -> Ragged:
    """All baskets of these rows of core items, filled with the `rest` of the items, in parts that are alike.

    `sizes` gives the sizes of the baskets of one part, by their number of core items; `symbols` is about the sum of all.
    """
    return made_in_parts(baskets, partial(_filled_part, sizes, rest, noisy), symbols=symbols)


def _filled_part(sizes: SizesOf, rest: Integers, noisy: NoisyWeights, rows: list[Integers], stream: Stream, parts: int) -> Ragged:
    return with_rest(rows, sizes([part.shape[0] for part in rows], stream, parts), rest, noisy, stream=stream)


def with_rest(
    rows: list[Integers], sizes: list[Integers], rest: Integers, noisy: NoisyWeights, *, stream: Stream = FIRST
) -> Ragged:
    """Baskets of some rows of core items and the `rest` of the items, which fill them up to their sizes; in the order of codes.

    Rows are given by their number of core items, and each has a size. A basket that stays empty is left out.
    """
    size = np.concatenate(sizes)
    inside = np.concatenate([np.full(part.shape[0], part.shape[1], dtype=np.int64) for part in rows])
    refuse_flood(float(size.sum(dtype=np.float64)))
    items = noisy.values.shape[1]
    keys = [np.repeat(np.arange(size.size), inside) * items + np.concatenate([part.ravel() for part in rows])]
    room = np.maximum(size - inside, 0) if rest.size else np.zeros_like(size)
    class_of = np.searchsorted(noisy.classes.least, size, side="right") - 1
    for place in range(noisy.classes.least.size):
        own = np.flatnonzero(class_of == place)
        counts = noisy.counts(place, items=rest, room=float(room[own].sum()), most=float(own.size))
        baskets, codes = filled(np.minimum(room[own], rest.size), counts, salt=place * _SALT, stream=stream)
        keys.append(own[baskets] * items + rest[codes])
    return _sets_of(np.concatenate(keys), items)


def filled(room: Integers, counts: Reals, *, salt: int, stream: Stream = FIRST) -> tuple[Integers, Integers]:
    """The basket and the item of each place that is filled: `room` is that of each basket, `counts` one number for each item."""
    whole = np.minimum(evenly_rounded(counts, start=stream.start), room.size)
    room, salt = room.copy(), stream.salt + salt
    order = np.argsort(-whole, kind="stable")
    frequent = min(int((whole >= max(FREQUENT * room.size, 1.0)).sum()), MOST_STEPS // max(room.size, 1))
    placed: list[tuple[Integers, Integers]] = []
    different = int(np.count_nonzero(whole))
    for turn, item in enumerate(order[:frequent].tolist()):
        chosen = _chosen(room, int(whole[item]), others=different - turn - 1, salt=salt + turn)
        room[chosen] -= 1
        placed.append((chosen, np.full(chosen.size, item, dtype=np.int64)))
    whole[order[:frequent]] = 0
    placed.append(_scattered(room, whole, salt=salt + frequent))
    return np.concatenate([part for part, _ in placed]), np.concatenate([part for _, part in placed])


def _chosen(room: Integers, number: int, *, others: int, salt: int) -> Integers:
    """That many different baskets, rather those with more room, as in a race (see `item_law`); those without room never.

    A basket that the items after this one could not fill is always chosen.
    """
    with_room = np.flatnonzero(room > 0)
    if with_room.size <= number:
        return with_room
    own = room[with_room]
    times = np.bincount(own)
    rooms = np.flatnonzero(times)
    rate = reached_at(float(number), rooms.astype(np.float64), times[rooms].astype(np.float64))
    places = spread(with_room, salt=salt) / -np.expm1(-rate * np.arange(times.size))[own]
    places[own > others] = -1.0
    return np.asarray(with_room[np.argpartition(places, number - 1)[:number]], dtype=np.int64)


def _scattered(room: Integers, counts: Integers, *, salt: int) -> tuple[Integers, Integers]:
    """Items in the order of a hash over all room; those that are twice in a basket change places, at last they go anywhere."""
    slots, items = np.repeat(np.arange(room.size), room), np.repeat(np.arange(counts.size), counts)
    symbols = max(counts.size, 1)
    items = items[np.argsort(scattered(np.arange(items.size), salt=salt), kind="stable")][: slots.size]
    baskets = slots[np.arange(items.size) * slots.size // max(items.size, 1)]
    placed = np.zeros(0, dtype=np.int64)
    for turn in range(_ROUNDS):
        keys = np.sort(baskets * symbols + items, kind="stable")
        again = np.concatenate([np.zeros(min(keys.size, 1), dtype=np.bool_), keys[1:] == keys[:-1]])
        if placed.size:
            again |= placed[np.minimum(np.searchsorted(placed, keys), placed.size - 1)] == keys
        placed = np.sort(np.concatenate([placed, keys[~again]]), kind="stable")
        if not again.any():
            break
        moved = keys[again]
        if turn < _ROUNDS // 2:  # they change places with some that were placed
            others = np.unique(scattered(np.arange(moved.size + 1), salt=salt - 1 - turn) % np.uint64(placed.size)).astype(
                np.int64
            )
            moved, placed = np.concatenate([moved, placed[others]]), np.delete(placed, others)
        baskets, items = np.divmod(moved, symbols)
        mixed = scattered(np.arange(items.size), salt=salt + 1 + turn)
        if turn < _ROUNDS // 2:
            baskets = baskets[np.argsort(mixed, kind="stable")]
        else:
            baskets = slots[(mixed % np.uint64(slots.size)).astype(np.int64)]
    return placed // symbols, placed % symbols


def _sets_of(keys: Integers, symbols: int) -> Ragged:
    """The sets encoded by distinct (basket, item) numbers, without empty ones."""
    keys = np.sort(keys, kind="stable")
    sizes = np.bincount(keys // symbols)
    return in_order(Ragged((keys % symbols).astype(np.int32), offsets_of(sizes[sizes > 0])))
