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
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.simplex import on_simplex
from tacita.seeded import PublicGenerator, public_generator
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.utility.count_queries import QueryKind, measure_queries
from tacita.utility.preservation import PatternKind, measure_patterns
from tacita.utility.rendering import OWNER_ONLY
from tacita.utility.workloads import QueryWorkload

__all__ = ["LARGEST_CHAIN", "LONGEST", "TOP", "Kept", "Standing", "chain_baskets", "independent_baskets", "kept_of", "standing"]

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FOR_SIZES = 0.1
LARGEST_CHAIN = 300
MOST_FLOOR_ITEMS = 50_000_000
ROUNDS = 20
EXACT = 64

TOP, LONGEST = 100, 3
"""How many of the most frequent itemsets are compared, and the size of the largest itemset and query."""

QUERIES, SANITY_SHARE = 4000, 0.001


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


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A release beside its floors. For the owner's eyes only."""

    epsilon: float
    rows: Mapping[str, Kept]

    def __str__(self) -> str:
        """Render for a terminal."""
        lines = [
            f"beside the simplest releases at the same epsilon, {self.epsilon:g} (itemsets and queries of up to {LONGEST} items)",
            f"{'':<14}{'baskets':>12}{'mean size':>11}{f'top {TOP} found':>15}{'support lost':>14}{'query error':>13}",
        ]
        for name, row in self.rows.items():
            figures = f"{row.baskets:>12,}{row.mean_size:>11.2f}{row.found:>15.2f}{row.lost:>14.2f}{row.error:>13.4f}"
            lines.append(f"  {name:<12}{figures}")
        if not self.rows["release"].baskets:
            lines.append("THIS RELEASE IS EMPTY: it says nothing; raise epsilon, or ask for less")
        elif self.rows["release"].found < self.rows["independent"].found:
            lines.append(
                "items drawn independently list more of the most frequent itemsets: another method or budget would be better"
            )
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """For scripts, with the same warning as all figures from raw data."""
        rows = {name: asdict(row) for name, row in self.rows.items()}
        return {"warning": OWNER_ONLY, "epsilon": self.epsilon, "longest": LONGEST, "top": TOP, "rows": rows}


def standing(records: BasketRecords, published: PublishedBaskets, manifest: Mapping[str, Any]) -> Standing | None:
    """Compare a release with *nothing* and *independent* at its own epsilon, which its manifest says."""
    spent = manifest.get("budget", {}).get("plan", {}).get("epsilon")
    if spent is None or not len(records.baskets):
        return None
    epsilon, items = float(Fraction(str(spent))), len(records.universe)
    sides = {
        "release": published.baskets,
        "independent": independent_baskets(records.baskets, items=items, epsilon=epsilon),
        "nothing": Ragged.from_lists([]),
    }
    return Standing(epsilon=epsilon, rows={name: kept_of(records.baskets, side, items=items) for name, side in sides.items()})


def kept_of(raw: Ragged, released: Ragged, *, items: int) -> Kept:
    """What a release of raw baskets keeps of them, by the measures that forecasts use too."""
    workload = QueryWorkload(longest=LONGEST, subsets=1, queries_each=QUERIES)
    (queries,) = measure_queries(
        raw, released, symbols=items, kind=QueryKind.ITEMSET, workload=workload, sanity_share=SANITY_SHARE
    )
    tops = measure_patterns(
        raw, released, symbols=items, kind=PatternKind.ITEMSET, counts=(TOP,), min_length=1, max_length=LONGEST
    ).tops
    return Kept(
        baskets=len(released),
        mean_size=float(released.lengths.mean()) if len(released) else 0.0,
        found=tops[0].true_positive_ratio if tops else 0.0,
        lost=tops[0].utility_loss if tops else 1.0,
        error=queries.average_relative_error,
    )


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
