"""The utility of released sets: one report, as section 4.4.1 of the thesis measures it, the floors of a release, and pictures.

All of it is computed from raw data, without noise that would protect anybody. Passing it on means passing on private data: it is
for the owner's eyes only.

What the thesis leaves open, and how it is settled here:

- Query lengths are uniform between 1 and i/5 of the largest basket. The thesis does not say how that is rounded; here it is
  rounded down, as for MSNBC (3, 6, 10, 13, 17). If the largest basket has fewer than 5 items, the longest query has 5, so that no
  subset is empty.
- "Each item is randomly drawn" from the universe, whether with or without replacement is not said. Here it is with replacement,
  and repeated items count once (see `count_queries.itemsets`).
- The K most frequent itemsets include every size, even single items; ties at the K-th are not mentioned (see `preservation`).
- The thesis averages 10 runs but does not say of what. Here one release is measured, and averaging is left to the caller.
- Random queries over a large universe match next to nothing, so any small release answers them well. The number of queries with
  an answer above 0 is therefore reported next to the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.blocks.conversation import added_up
from tacita.mining.itemsets import require_sets
from tacita.pictures import Picture
from tacita.privacy.release import Release
from tacita.seeded import public_generator
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.sets.pictures import basket_pictures
from tacita.utility.count_queries import QueryKind, QueryWorkload, measure_queries
from tacita.utility.distributions import BasketDistributions, measure_basket_distributions
from tacita.utility.floors import (
    FOR_SIZES,
    INDEPENDENT,
    LONGEST,
    NOTHING,
    QUERIES,
    RELEASE,
    TOP,
    Asked,
    Standing,
    chosen_codes,
    cut,
    epsilon_of,
    kept_columns,
    noisy_chances,
    noisy_sizes,
)
from tacita.utility.preservation import PatternKind, measure_patterns
from tacita.utility.rendering import (
    Utility,
    floor_pictures,
    lists_of,
    mean_length,
    require_records,
    require_share,
    require_tops,
    shapes_picture,
    universe_size,
)
from tacita.utility.verdict import Judged, Judgement

__all__ = [
    "LARGEST_CHAIN",
    "THESIS",
    "Kept",
    "SetMeasures",
    "SetUtility",
    "chain_baskets",
    "independent_baskets",
    "judged",
    "kept_of",
    "pictures",
    "report",
    "sections",
    "standing",
]

SUBSETS = 5


@dataclass(frozen=True, kw_only=True)
class SetMeasures:
    """What is measured; by default what the thesis measures."""

    queries: QueryWorkload | None = None
    """None means 5 subsets of 10,000 queries, up to the size of the largest raw basket."""
    sanity_share: float = 0.001
    tops: tuple[int, ...] = (20, 40, 60, 80, 100)
    min_itemset_size: int = 1
    max_itemset_size: int | None = None

    def __post_init__(self) -> None:
        """Check the share and the tops; the search checks the sizes."""
        require_share(self.sanity_share)
        require_tops(self.tops)

    def workload(self, raw: Ragged) -> QueryWorkload:
        """The queries that are asked."""
        if self.queries is not None:
            return self.queries
        sizes: Integers = added_up(raw, _sizes)[0]
        return QueryWorkload(longest=max(SUBSETS, int(sizes.max())), subsets=SUBSETS)


THESIS = SetMeasures()


class SetUtility(Utility[BasketDistributions]):
    """How useful released sets are. For the owner's eyes only."""


def report(
    records: BasketRecords | Ragged,
    release: Release[PublishedBaskets] | PublishedBaskets | Ragged,
    *,
    symbols: int | None = None,
    measures: SetMeasures = THESIS,
) -> SetUtility:
    """Compare a release with the records it was made from; both must have the same universe.

    `symbols`, the size of the universe, is needed only if neither side carries a universe.
    """
    published = release.data if isinstance(release, Release) else release
    size = universe_size(records, published, symbols=symbols)
    raw, released = (lists_of(side, held="baskets") for side in (records, published))
    require_records(raw)
    for side in (raw, released):
        added_up(side, partial(_checked, size))
    return SetUtility(
        raw_records=len(raw),
        released_records=len(released),
        raw_mean_length=mean_length(raw),
        released_mean_length=mean_length(released),
        distributions=measure_basket_distributions(raw, released),
        queries=measure_queries(
            raw,
            released,
            symbols=size,
            kind=QueryKind.ITEMSET,
            workload=measures.workload(raw),
            sanity_share=measures.sanity_share,
        ),
        patterns=(
            measure_patterns(
                raw,
                released,
                symbols=size,
                kind=PatternKind.ITEMSET,
                counts=measures.tops,
                min_length=measures.min_itemset_size,
                max_length=measures.max_itemset_size,
            ),
        ),
    )


def sections(records: BasketRecords, published: PublishedBaskets) -> dict[str, SetUtility]:
    """What `tacita evaluate` compares: the sets as they are."""
    return {"sets": report(records, published)}


def _sizes(baskets: Ragged) -> tuple[Integers, Integers]:
    """How many baskets have each size."""
    different, counts = np.unique(baskets.lengths, return_counts=True)
    return different, counts


def _checked(symbols: int, baskets: Ragged) -> list[int]:
    require_sets(baskets, symbols=symbols)
    return [len(baskets)]


# The floors that a method must not fall below: what the simplest releases of baskets would keep.
#
# - *nothing* is an empty release.
# - *independent* is what anybody writes in thirty lines: a tenth of epsilon for the sizes of baskets, the rest for how many
#   baskets have each item, counted in baskets cut at the noisy mean size, and items drawn independently.
# - *chain* orders the items of a basket as the universe does and counts transitions, cut in the same way; it needs a cell for
#   each pair of items, so it is made for small universes only.
#
# Floors are computed from raw data with seeded noise, for comparison alone: they are not private, and none is published.
# `standing` compares a release with them by the share of the most frequent itemsets that it lists too, and by the error of
# queries of the sizes that forecasts ask as well.


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


# What a release is good for, and pictures of it beside the raw baskets.


def judged(records: BasketRecords, published: PublishedBaskets, manifest: Mapping[str, Any]) -> Judgement:
    """What a report says: questions of counting, itemsets, items and sizes, beside the floors."""
    require_records(records.baskets)
    epsilon, found = epsilon_of(manifest) or 1.0, standing(records, published, manifest)
    free = independent_baskets(records.baskets, items=len(records.universe), epsilon=epsilon)
    ours, simplest = (measure_basket_distributions(records.baskets, side).as_json() for side in (published.baskets, free))
    measures = []
    if found is not None:
        release, nothing, independent = (found.rows[name] for name in (RELEASE, NOTHING, INDEPENDENT))
        floors: dict[str, Any] = {"nothing": nothing["error"], "simplest": independent["error"]}
        use, short = f"People by up to {LONGEST} items together", "counts of people by items"
        measures.append(Judged(use=use, short=short, measure="count", off=release["error"], **floors, is_main=True))
        missed: dict[str, Any] = {
            "off": 1 - release["found"],
            "nothing": 1 - nothing["found"],
            "simplest": 1 - independent["found"],
        }
        use, note = "Most frequent itemsets", f"{100 * release['found']:.0f} of the {TOP} most frequent are found again"
        measures.append(Judged(use=use, short="frequent itemsets", measure="frequent", **missed, note=note))
    for name, use, short in (("items", "Baskets per item", "single items"), ("sizes", "Items per basket", "sizes of baskets")):
        off: dict[str, Any] = {"off": ours[name], "nothing": 1.0, "simplest": simplest[name]}
        measures.append(Judged(use=use, short=short, measure="distribution", **off))
    return Judgement(
        measures=measures,
        sizes=(len(records.baskets), len(published.baskets)),
        pieces="synthetic baskets",
        simplest="noisy numbers of items, drawn one by one",
        figures={} if found is None else {"beside the simplest releases": found.as_json()},
    )


def pictures(records: BasketRecords, published: PublishedBaskets, *, found: Judgement) -> list[Picture]:
    """How far off each measure is, and both sides."""
    sides = {"raw": records.baskets, "released": published.baskets}
    return [*floor_pictures(found), *basket_pictures(sides, universe=published.universe), shapes_picture(found)]
