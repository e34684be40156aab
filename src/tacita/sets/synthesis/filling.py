"""Filling baskets with items that are counted one by one: each as often as its number says, and independently of the others.

A basket has room for some items. Frequent items are placed one after another, the most frequent first: each goes into different
baskets, chosen by the room that they have left (sequential Poisson sampling, Ohlsson 1998, with a fixed hash in the place of
random numbers). Rare items fill the rest of the room in a scattered order; one that its basket already has is moved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, in_order, offsets_of
from tacita.arrays.scatter import FIRST, Stream, evenly_rounded, scattered, spread
from tacita.privacy.publishing import refuse_flood
from tacita.sets.synthesis.baskets import CountedRows, made_in_parts
from tacita.sets.synthesis.item_law import NoisyWeights
from tacita.sets.synthesis.saturation import reached_at

__all__ = ["filled", "filled_in_parts", "with_rest"]


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
    """That many different baskets, rather those with more room, as in a race (see `saturation`); those without room never.

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
