"""Giving baskets of frequent items their rare ones.

Rare items are counted one by one, not together with others; so they go into baskets independently of what is in there. How many
rare items a basket has is known only by groups of sizes, for each number of frequent ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.core.ragged import Ragged, offsets_of
from tacita.core.scatter import evenly_rounded, scattered
from tacita.sets.synthesis.sizes import SizeGroups, onto_simplex

__all__ = ["TailSizes", "in_order", "with_tails"]

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_ITEMS = 1_000_003


@dataclass(frozen=True, kw_only=True, eq=False)
class TailSizes:
    """Noisy numbers of baskets by the group of their number of rare items."""

    groups: SizeGroups
    numbers: Reals

    def sizes(self, baskets: int, *, salt: int) -> Integers:
        """A number of rare items for each of so many baskets, in no particular order."""
        shares = self.groups.spread(onto_simplex(self.numbers))
        copies = evenly_rounded(shares / shares.sum() * baskets)
        copies[int(np.argmax(shares))] += baskets - int(copies.sum())
        sizes = np.repeat(np.arange(shares.size), copies)
        return np.asarray(sizes[np.argsort(scattered(np.arange(baskets), salt=salt), kind="stable")], dtype=np.int64)


def with_tails(rows: list[Integers], tails: list[TailSizes], items: Integers, counts: Reals) -> Ragged:
    """Baskets of the rows of each stratum, with rare items added; in order of size, then of codes, without empty ones.

    `items` are the rare ones and `counts` how many of each there are likely to be: where the sizes of tails leave more or less
    room than that, the room is stretched.
    """
    basket = np.repeat(np.arange(sum(part.shape[0] for part in rows)), np.concatenate([_widths(part) for part in rows]))
    slots = np.concatenate([tail.sizes(part.shape[0], salt=part.shape[1]) for part, tail in zip(rows, tails, strict=True)])
    room = np.repeat(np.arange(slots.size), slots)
    added = np.repeat(items, evenly_rounded(counts)) if room.size else items[:0]
    added = added[np.argsort(scattered(np.arange(added.size), salt=_ITEMS), kind="stable")]
    taken = room[np.arange(added.size) * room.size // max(added.size, 1)]
    codes = np.concatenate([*(part.ravel() for part in rows), added])
    return _sorted_sets(np.concatenate([basket, taken]), codes)


def _widths(rows: Integers) -> Integers:
    return np.full(rows.shape[0], rows.shape[1], dtype=np.int64)


def _sorted_sets(basket: Integers, codes: Integers) -> Ragged:
    """Each basket once with its different codes; what is empty is gone."""
    symbols = int(codes.max(initial=0)) + 1
    keys = np.sort(basket * symbols + codes)
    keys = keys[np.concatenate([np.ones(min(keys.size, 1), dtype=np.bool_), keys[1:] > keys[:-1]])]
    sizes = np.bincount(keys // symbols)
    return in_order(Ragged((keys % symbols).astype(np.int32), offsets_of(sizes[sizes > 0])))


def in_order(baskets: Ragged) -> Ragged:
    """The same baskets by size, and by their codes within one size."""
    sizes = baskets.lengths
    parts: list[npt.NDArray[np.integer]] = [np.zeros(0, dtype=np.int32)]
    for size in np.unique(sizes).tolist():
        begins = baskets.offsets[:-1][sizes == size]
        rows = baskets.codes[begins[:, np.newaxis] + np.arange(size)]
        parts.append(rows[np.lexsort(rows.T[::-1])].ravel())
    return Ragged(np.concatenate(parts), offsets_of(np.sort(sizes)))
