"""Adding rare items to baskets of frequent ones.

Rare items are counted one by one, not together with others, so they are added to baskets independently of their contents. How
many rare items a basket has is known only by groups of sizes, for each number of frequent ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, in_order, offsets_of
from tacita.arrays.scatter import evenly_rounded, scattered
from tacita.arrays.simplex import on_simplex
from tacita.privacy.flood import refuse_flood
from tacita.sets.synthesis.sizes import SizeGroups

__all__ = ["TailSizes", "with_tails"]

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_ITEMS = 1_000_003
_ROUNDS = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class TailSizes:
    """Noisy numbers of baskets by the group of their number of rare items."""

    groups: SizeGroups
    numbers: Reals

    def sizes(self, baskets: int, *, salt: int) -> Integers:
        """A number of rare items for each of that many baskets, in no particular order."""
        shares = self.groups.spread(on_simplex(self.numbers, max(float(self.numbers.sum()), 1.0)))
        copies = evenly_rounded(shares / shares.sum() * baskets)
        copies[int(np.argmax(shares))] += baskets - int(copies.sum())
        sizes = np.repeat(np.arange(shares.size), copies)
        return np.asarray(sizes[np.argsort(scattered(np.arange(baskets), salt=salt), kind="stable")], dtype=np.int64)


def with_tails(rows: list[Integers], tails: list[TailSizes], items: Integers, counts: Reals) -> Ragged:
    """Baskets of the rows of each stratum, with rare items added; in the order of their codes, without empty ones.

    `items` are the rare ones and `counts` how many of each there are likely to be: if the sizes of tails leave more or less room
    than that, they are scaled.
    """
    basket = np.repeat(np.arange(sum(part.shape[0] for part in rows)), np.concatenate([_widths(part) for part in rows]))
    slots = np.concatenate([tail.sizes(part.shape[0], salt=part.shape[1]) for part, tail in zip(rows, tails, strict=True)])
    refuse_flood(float(slots.sum()))
    refuse_flood(float(counts.sum()))
    room = np.repeat(np.arange(slots.size), slots)
    added = np.repeat(items, evenly_rounded(counts)) if room.size else items[:0]
    added = added[np.argsort(scattered(np.arange(added.size), salt=_ITEMS), kind="stable")]
    symbols = int(max(items.max(initial=0), *(part.max(initial=0) for part in rows))) + 1
    keys = basket * symbols + np.concatenate([part.ravel() for part in rows])
    taken = room[np.arange(added.size) * room.size // max(added.size, 1)]
    return _sets_of(np.concatenate([keys, _distinct_places(taken, added, room, symbols)]), symbols)


def _distinct_places(baskets: Integers, items: Integers, room: Integers, symbols: int) -> Integers:
    """Each (basket, item) as one number; an item that its basket already has is moved to another, for as long as that helps."""
    placed = np.zeros(0, dtype=np.int64)
    for turn in range(_ROUNDS):
        keys = baskets * symbols + items
        order = np.argsort(keys, kind="stable")
        keys, items = keys[order], items[order]
        again = np.concatenate([np.zeros(min(keys.size, 1), dtype=np.bool_), keys[1:] == keys[:-1]])
        if placed.size:
            again |= placed[np.minimum(np.searchsorted(placed, keys), placed.size - 1)] == keys
        placed = np.sort(np.concatenate([placed, keys[~again]]), kind="stable")
        items = items[again]
        if not items.size:
            break
        baskets = room[(scattered(np.arange(items.size), salt=_ITEMS + 1 + turn) % np.uint64(room.size)).astype(np.int64)]
    return placed


def _widths(rows: Integers) -> Integers:
    return np.full(rows.shape[0], rows.shape[1], dtype=np.int64)


def _sets_of(keys: Integers, symbols: int) -> Ragged:
    """The sets encoded by distinct (basket, item) numbers, without empty ones."""
    keys = np.sort(keys, kind="stable")
    sizes = np.bincount(keys // symbols)
    return in_order(Ragged((keys % symbols).astype(np.int32), offsets_of(sizes[sizes > 0])))
