"""What the simplest releases of baskets would keep: the floor that a method must not fall below.

*nothing* is an empty release. *independent* is what anybody writes in thirty lines: a tenth of epsilon for the sizes of baskets,
the rest for how many baskets have each item, counted in baskets cut at the noisy mean size, and items drawn independently.
*chain* orders the items of a basket as the universe does and counts transitions, cut in the same way; it needs a cell for each
pair of items, so it is made for small universes only.

Floors are computed from raw data with seeded noise, for comparison alone: nothing here is private, and nothing is published.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.simplex import on_simplex
from tacita.seeded import PublicGenerator, public_generator

__all__ = ["LARGEST_CHAIN", "chain_baskets", "independent_baskets"]

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FOR_SIZES = 0.1
LARGEST_CHAIN = 300
MOST_FLOOR_ITEMS = 50_000_000
ROUNDS = 20
EXACT = 64


def independent_baskets(baskets: Ragged, *, items: int, epsilon: float, seed: int = 0) -> Ragged:
    """Noisy sizes, and items drawn one by one in proportion to their noisy numbers."""
    generator = public_generator(seed)
    sizes, cut = _noisy_sizes(generator, baskets, epsilon)
    codes = _cut(generator, baskets, cut).codes
    numbers = np.bincount(codes, minlength=items) + generator.laplace(0, cut / ((1 - FOR_SIZES) * epsilon), items)
    chances = np.maximum(numbers, 0) / max(np.maximum(numbers, 0).sum(), 1e-9)
    running = np.cumsum(chances)
    drawn = np.repeat(np.arange(sizes.size), np.minimum(sizes, np.count_nonzero(chances))) * items
    keys = drawn + _chosen(generator, running, drawn.size)
    for _ in range(ROUNDS):  # an item that its basket has already is drawn again
        keys.sort()
        again = np.flatnonzero(keys[1:] == keys[:-1]) + 1
        if not again.size:
            break
        keys[again] = keys[again] // items * items + _chosen(generator, running, again.size)
    keys = np.unique(keys)
    lengths = np.bincount(keys // items)
    return Ragged((keys % items).astype(np.int32), offsets_of(lengths[lengths > 0]))


def chain_baskets(baskets: Ragged, *, items: int, epsilon: float, seed: int = 0) -> Ragged:
    """A first-order Markov chain over the items of a basket in the order of the universe; `items` is both start and end."""
    generator = public_generator(seed)
    sizes, most = _noisy_sizes(generator, baskets, epsilon)
    cut = _cut(generator, baskets, most)
    steps = np.zeros((items + 1, items + 1))
    first, last = cut.codes[cut.offsets[:-1]], cut.codes[cut.offsets[1:] - 1]
    inner = np.ones(cut.codes.size, dtype=np.bool_)
    inner[cut.offsets[:-1]] = False
    np.add.at(steps, (cut.codes[:-1][inner[1:]], cut.codes[1:][inner[1:]]), 1)
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


def _noisy_sizes(generator: PublicGenerator, baskets: Ragged, epsilon: float) -> tuple[Integers, int]:
    """A size for each basket of the floor, and the mean size, at which baskets are cut; large sizes are counted in groups."""
    largest = int(baskets.lengths.max(initial=1))
    edges = np.unique([*range(1, min(largest, EXACT) + 2), *np.geomspace(EXACT + 1, max(largest + 1, EXACT + 1), 24).astype(int)])
    numbers = np.histogram(baskets.lengths, bins=edges)[0]
    noisy = numbers + generator.laplace(0, 1 / (FOR_SIZES * epsilon), numbers.size)
    kept = np.rint(on_simplex(noisy, max(float(noisy.sum()), 1.0))).astype(np.int64)
    kept[0] += not kept.any()
    sizes = generator.integers(np.repeat(edges[:-1], kept), np.repeat(edges[1:], kept))
    return sizes[: int(MOST_FLOOR_ITEMS / sizes.mean())], max(round(float(sizes.mean())), 1)


def _cut(generator: PublicGenerator, baskets: Ragged, most: int) -> Ragged:
    """Keep `most` items of each basket, whichever."""
    basket = np.repeat(np.arange(len(baskets)), baskets.lengths)
    order = np.lexsort((generator.random(basket.size), basket))
    rank = np.arange(basket.size) - baskets.offsets[:-1][basket]
    kept = np.zeros(basket.size, dtype=np.bool_)
    kept[order[rank < most]] = True
    return Ragged(baskets.codes[kept], offsets_of(np.minimum(baskets.lengths, most)))


def _chosen(generator: PublicGenerator, running: Reals, number: int) -> Integers:
    places = np.searchsorted(running, generator.random(number) * running[-1], side="right")
    return np.asarray(np.minimum(places, running.size - 1), dtype=np.int64)
