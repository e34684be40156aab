"""What the simplest releases of baskets would keep: the floor that a method must not fall below.

*nothing* is an empty release. *independent* is what anybody writes in thirty lines: a tenth of epsilon for the sizes of baskets,
the rest for how many baskets have each item, counted in baskets cut at the noisy mean size, and items drawn independently.
*chain* orders the items of a basket as the universe does and counts transitions, cut in the same way; it needs a cell for each
pair of items, so it is made for small universes only.

Floors are computed from raw data with seeded noise, for comparison alone: nothing here is private, and nothing is published.
`standing` compares a release with them by the share of the most frequent itemsets that it lists too, and by the error of queries
of the sizes that forecasts ask as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.seeded import public_generator
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.utility.count_queries import QueryKind
from tacita.utility.floors import (
    FOR_SIZES,
    INDEPENDENT,
    NOTHING,
    RELEASE,
    Standing,
    chosen_codes,
    cut,
    epsilon_of,
    noisy_chances,
    noisy_sizes,
)
from tacita.utility.kept import LONGEST, QUERIES, TOP, Asked, kept_columns
from tacita.utility.preservation import PatternKind

__all__ = ["LARGEST_CHAIN", "Kept", "chain_baskets", "independent_baskets", "kept_of", "standing"]

LARGEST_CHAIN = 300
ROUNDS = 20


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What one release, or a floor, keeps of the raw baskets."""

    baskets: int
    mean_size: float
    found: float
    """The share of the most frequent itemsets that are among its own."""
    lost: float
    """How much of their support is lost or too much, on average."""
    error: float
    """The average relative error of random queries."""


def standing(records: BasketRecords, published: PublishedBaskets, manifest: Mapping[str, Any]) -> Standing | None:
    """Compare a release with *nothing* and *independent* at its own epsilon, which its manifest says."""
    epsilon, items = epsilon_of(manifest), len(records.universe)
    if epsilon is None or not len(records.baskets):
        return None
    sides = {
        RELEASE: published.baskets,
        INDEPENDENT: independent_baskets(records.baskets, items=items, epsilon=epsilon),
        NOTHING: Ragged.from_lists([]),
    }
    return Standing(
        epsilon=epsilon,
        about=f"itemsets and queries of up to {LONGEST} items",
        columns=kept_columns("baskets", "mean size"),
        rows={name: asdict(kept_of(records.baskets, side, items=items)) for name, side in sides.items()},
        facts={"longest": LONGEST, "top": TOP},
    )


def kept_of(raw: Ragged, released: Ragged, *, items: int, queries: int = QUERIES) -> Kept:
    """What a release of raw baskets keeps of them, by the measures that forecasts use too."""
    asked = Asked(query=QueryKind.ITEMSET, pattern=PatternKind.ITEMSET, shortest=1, queries=queries)
    return Kept(
        baskets=len(released),
        mean_size=float(released.lengths.mean()) if len(released) else 0.0,
        **asked.kept(raw, released, symbols=items),
    )


def independent_baskets(baskets: Ragged, *, items: int, epsilon: float, seed: int = 0) -> Ragged:
    """Noisy sizes, and items drawn one by one in proportion to their noisy numbers."""
    generator = public_generator(seed)
    sizes, most = noisy_sizes(generator, baskets, epsilon)
    chances = noisy_chances(generator, baskets, codes=items, most=most, epsilon=epsilon)
    running = np.cumsum(chances)
    drawn = np.repeat(np.arange(sizes.size), np.minimum(sizes, np.count_nonzero(chances))) * items
    keys = drawn + chosen_codes(generator, running, drawn.size)
    for _ in range(ROUNDS):  # an item that its basket has already is drawn again
        keys.sort()
        again = np.flatnonzero(keys[1:] == keys[:-1]) + 1
        if not again.size:
            break
        keys[again] = keys[again] // items * items + chosen_codes(generator, running, again.size)
    keys = np.unique(keys)
    lengths = np.bincount(keys // items)
    return Ragged((keys % items).astype(np.int32), offsets_of(lengths[lengths > 0]))


def chain_baskets(baskets: Ragged, *, items: int, epsilon: float, seed: int = 0) -> Ragged:
    """A first-order Markov chain over the items of a basket in the order of the universe; `items` is both start and end."""
    generator = public_generator(seed)
    sizes, most = noisy_sizes(generator, baskets, epsilon)
    short = cut(generator, baskets, most)
    steps = np.zeros((items + 1, items + 1))
    first, last = short.codes[short.offsets[:-1]], short.codes[short.offsets[1:] - 1]
    inner = np.ones(short.codes.size, dtype=np.bool_)
    inner[short.offsets[:-1]] = False
    np.add.at(steps, (short.codes[:-1][inner[1:]], short.codes[1:][inner[1:]]), 1)
    steps[items, :items] = np.bincount(first, minlength=items)
    steps[:items, items] = np.bincount(last, minlength=items)
    steps += generator.laplace(0, (most + 1) / ((1 - FOR_SIZES) * epsilon), steps.shape)
    steps[items, items] = 0
    allowed = np.triu(np.ones_like(steps), 1)
    allowed[items, :items] = 1
    running = np.cumsum(np.maximum(steps, 1e-9) * allowed, axis=1)
    at, walks = np.full(sizes.size, items), []
    who = np.arange(sizes.size)
    for _ in range(items):
        wanted = generator.random(at.size) * running[at, -1]
        at = (running[at] <= wanted[:, np.newaxis]).sum(axis=1)
        at, who = at[at < items], who[at < items]
        if not at.size:
            break
        walks.append(who * items + at)
    keys = np.unique(np.concatenate(walks)) if walks else np.zeros(0, dtype=np.int64)
    lengths = np.bincount(keys // items)
    return Ragged((keys % items).astype(np.int32), offsets_of(lengths[lengths > 0]))
