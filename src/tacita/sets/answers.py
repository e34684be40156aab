"""How many people have exactly some basket, or some items among others, with error bars, from a release that holds noisy counts.

`ItemsetAnswers` uses the noisy counts of itemsets that a release may hold; `BasketAnswers` uses baskets that are noisy counts
themselves: `histogram`, `stable-histogram` and `diffpart` repeat each basket as often as its noisy count says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np
import polars as pl

from tacita.errors import ParameterError
from tacita.io import Counted, Drawn, NoisyCounts
from tacita.privacy.budget import PureDP
from tacita.privacy.estimates import LEVEL, Estimate, NoiseLaw, WeighedNoise, around, dropped, laws_of, no_error_bars
from tacita.public.universe import Universe
from tacita.sets.diffpart import DiffPart, PartitionRule
from tacita.sets.partitioning import Split, SplitOrder
from tacita.sets.published import CORE_SIZES, SIZES, PublishedBaskets, itemset_step

__all__ = ["BasketAnswers", "ItemsetAnswers", "LeafTests", "answers_of_baskets", "estimates_table", "named_items"]


# Answers from noisy counts of itemsets: how many people have some items.
#
# A basket of s items has C(s - j, k - j) itemsets of k items that hold given j ones. So the sum over the itemsets of k items
# that hold them, divided by that number, says how many baskets of s items do; and the sum over all sizes, how many baskets do.


def named_items(items: Iterable[str], universe: Universe) -> frozenset[str]:
    """The items of a question."""
    wanted = frozenset(items)
    if not wanted or any(item not in universe for item in wanted):
        message = f"a basket must hold one item of the universe at least and no other, got {sorted(wanted)}"
        raise ParameterError(message)
    return wanted


def estimates_table(estimates: Mapping[frozenset[str], Estimate]) -> pl.DataFrame:
    """Baskets with their intervals, largest first."""
    rows = sorted(estimates.items(), key=lambda each: (-each[1].value, sorted(each[0])))
    return pl.DataFrame(
        {
            "basket": [sorted(basket) for basket, _ in rows],
            "count": [each.value for _, each in rows],
            "low": [each.low for _, each in rows],
            "high": [each.high for _, each in rows],
        },
        schema={"basket": pl.List(pl.String), "count": pl.Float64, "low": pl.Float64, "high": pl.Float64},
    )


@dataclass(frozen=True)
class ItemsetAnswers:
    """Answers from `itemset-counts` with `with_counts`."""

    counts: NoisyCounts
    universe: Universe
    manifest: Mapping[str, Any]
    _known: dict[tuple[int, int], dict[frozenset[object], list[Drawn]]] = field(default_factory=dict, repr=False, compare=False)

    def people(self, *, level: float = LEVEL) -> Estimate:
        """How many baskets there are."""
        return _sum(self.counts.drawn[SIZES].values(), level)

    def sizes(self, *, level: float = LEVEL) -> pl.DataFrame:
        """How many baskets there are in each group of sizes."""
        found = [(span, _sum([drawn], level)) for span, drawn in self.counts.drawn[SIZES].items()]
        return pl.DataFrame(
            [(*span, each.value, each.low, each.high) for span, each in found],
            schema={"least": pl.Int64, "most": pl.Int64, "count": pl.Float64, "low": pl.Float64, "high": pl.Float64},
            orient="row",
        )

    def containing(self, items: Iterable[str], *, level: float = LEVEL) -> Estimate:
        """How many people have these items, and perhaps others; the interval holds for items not chosen by their count.

        Baskets too large to be counted whole were cut for it, so that they may hold more: the interval reaches as far up.
        """
        wanted = named_items(items, self.universe)
        if not wanted <= self._counted:
            raise no_error_bars(self.manifest, f"not all of {sorted(wanted)} were counted together with other items")
        value, noise = Fraction(0), Counter[WeighedNoise]()
        for size, itemsets in self._itemsets.items():
            order = len(next(iter(itemsets)))
            if size < len(wanted):
                continue
            if order < len(wanted):
                raise no_error_bars(self.manifest, f"of baskets of {size} items, only sets of {order} were asked for")
            weight = Fraction(1, comb(size - len(wanted), order - len(wanted)))
            for drawn in self._holding(size, len(wanted))[wanted]:
                value += weight * drawn.count
                noise[WeighedNoise(scale=drawn.scale, weight=weight)] += 1
        return around(float(value), noise, level=level, more=self._cut(level))

    def count(self, basket: Iterable[str], *, level: float = LEVEL) -> Estimate:
        """How many people have exactly these items, if whole baskets of their number were asked for."""
        wanted = named_items(basket, self.universe)
        itemsets = self._itemsets.get(len(wanted), {})
        holds_cut = len(wanted) == max(self._itemsets, default=0) < len(self._counted)
        is_whole = bool(itemsets) and len(next(iter(itemsets))) == len(wanted) and not holds_cut
        if not is_whole or CORE_SIZES in self.counts.drawn:
            raise no_error_bars(self.manifest, f"whole baskets of {len(wanted)} items were not asked for; ask containing()")
        return _sum(self._holding(len(wanted), len(wanted))[wanted], level)

    def table(self, *, level: float = LEVEL) -> pl.DataFrame:
        """Every item that was counted together with others, with how many people have it, largest first."""
        return estimates_table({frozenset([item]): self.containing([item], level=level) for item in self._counted})

    @cached_property
    def _itemsets(self) -> dict[int, Mapping[Counted, Drawn]]:
        """The noisy counts of itemsets in baskets of each size."""
        sizes = range(1, len(self.universe) + 1)
        steps = ((size, self.counts.drawn.get(itemset_step(size))) for size in sizes)
        return {size: found for size, found in steps if found is not None}

    @cached_property
    def _counted(self) -> frozenset[str]:
        """The items that were counted together: every itemset of them has a count."""
        return frozenset(str(item) for itemsets in self._itemsets.values() for itemset in itemsets for item in itemset)

    def _holding(self, size: int, items: int) -> Mapping[frozenset[object], list[Drawn]]:
        """For each set of so many items, the counts in baskets of one size of all itemsets that hold it."""
        if (size, items) not in self._known:
            found: dict[frozenset[object], list[Drawn]] = {}
            for itemset, drawn in self._itemsets[size].items():
                for part in combinations(itemset, items):
                    found.setdefault(frozenset(part), []).append(drawn)
            self._known[size, items] = found
        return self._known[size, items]

    def _cut(self, level: float) -> float:
        """How many baskets at most had more of these items than the largest that were asked for, and were cut to that many."""
        largest, core = max(self._itemsets, default=0), self.counts.drawn.get(CORE_SIZES)
        if largest >= len(self._counted):
            return 0.0
        if core is None:
            beyond = [drawn for (_, most), drawn in self.counts.drawn[SIZES].items() if most > largest]  # type: ignore[operator]
        else:
            last = max(inside for inside, _, _ in core)  # type: ignore[type-var]
            beyond = [drawn for (inside, _, _), drawn in core.items() if inside > largest or inside == last]  # type: ignore[operator]
        return _sum(beyond, level).high


def _sum(drawn: Iterable[Drawn], level: float) -> Estimate:
    drawn = list(drawn)
    return around(sum(each.count for each in drawn), Counter(WeighedNoise(scale=each.scale) for each in drawn), level=level)


# What a basket has to pass in DiffPart to be published, recomputed from the manifest.
#
# Which splits a basket takes part in, what each costs and which noisy counts they keep follow from the universe, the parameters
# and the basket alone: on its way, a basket meets one test at each split, and the last of them is its own noisy count.


@dataclass(frozen=True, kw_only=True)
class LeafTests:
    """The tests on the way to every basket over a universe."""

    universe: Universe
    epsilon: Fraction
    order: SplitOrder
    rule: PartitionRule

    @classmethod
    def of(cls, manifest: Mapping[str, Any], universe: Universe) -> LeafTests:
        """Those of a release; its taxonomy must be the one that the fan-out makes, as another is not part of the folder."""
        given = manifest["mechanism"]["parameters"]
        if given.get("taxonomy") is not None:
            raise no_error_bars(manifest, "it was split along a taxonomy that is not part of the folder")
        budget = PureDP(manifest["budget"]["plan"]["epsilon"])
        method = DiffPart(fan_out=given["fan_out"], threshold=given["threshold"], allocation=given["allocation"])
        return cls(universe=universe, epsilon=budget.epsilon, order=method.order(universe), rule=method.rule(budget, universe))

    def tests(self, basket: frozenset[str]) -> list[NoiseLaw]:
        """The noise and the threshold of each test, in their order; the last is that of the basket itself."""
        positions = [int(self.order.place_of[self.universe.code(item)]) for item in basket]
        left, operations, waiting = self.epsilon, max(1, len(self.order.splits)), {0}
        tests: list[NoiseLaw] = []
        while waiting:
            split = self.order.splits[turn] if (turn := min(waiting)) < len(self.order.splits) else self.order.last
            waiting.discard(turn)
            for_split, for_leaf = self.rule.parts(left, operations)
            go_on, end = self.rule.thresholds(split, is_last=not waiting, for_split=for_split, for_leaf=for_leaf)
            children = _children(split, positions)
            if not waiting and all(child < len(split.labels) for child in children):
                return [*tests, NoiseLaw(scale=1 / for_leaf, threshold=end)]
            tests.append(NoiseLaw(scale=1 / for_split, threshold=go_on))
            left -= for_split
            operations += sum(split.below[child] for child in children) - 1 - sum(split.below)
            waiting |= {split.inner[child - len(split.labels)] for child in children if child >= len(split.labels)}
        return tests


def _children(split: Split, positions: Sequence[int]) -> list[int]:
    """The children of a split in which a basket has items."""
    return [child for child, (begin, end) in enumerate(split.children) if any(begin <= position < end for position in positions)]


# Answers from baskets that are noisy counts, and which answers a release allows.


PARTITIONS, HISTOGRAMS = "diffpart", ("histogram", "stable-histogram")
SYNTHETIC = "its baskets are synthetic; the owner may publish noisy counts too: with_counts for itemset-counts"


def answers_of_baskets(published: PublishedBaskets, manifest: Mapping[str, Any]) -> BasketAnswers | ItemsetAnswers:
    """The answers that a release of baskets allows; an error if it allows none."""
    if published.counts is not None:
        return ItemsetAnswers(published.counts, published.universe, manifest)
    if manifest["mechanism"]["name"] in {PARTITIONS, *HISTOGRAMS}:
        return BasketAnswers(published, manifest)
    raise no_error_bars(manifest, SYNTHETIC)


@dataclass(frozen=True)
class BasketAnswers:
    """Answers from baskets that are noisy counts."""

    published: PublishedBaskets
    manifest: Mapping[str, Any]

    def count(self, basket: Iterable[str], *, level: float = LEVEL) -> Estimate:
        """How many people have exactly these items; the interval holds for a basket that was not chosen by its count."""
        wanted = named_items(basket, self.published.universe)
        count, tests = self._counts.get(wanted), self.tests(wanted)
        return dropped(tests, level=level) if count is None else tests[-1].estimate(count, level=level)

    def table(self, *, level: float = LEVEL) -> pl.DataFrame:
        """Every published basket with its interval, largest first."""
        return estimates_table({basket: self.count(basket, level=level) for basket in self._counts})

    def tests(self, basket: frozenset[str]) -> list[NoiseLaw]:
        """What a basket has to pass to be published; the last of it is the noise of its own count."""
        if self.manifest["mechanism"]["name"] == PARTITIONS:
            return self._leaves.tests(basket)
        return [laws_of(self.manifest)["baskets"]]

    @cached_property
    def _leaves(self) -> LeafTests:
        return LeafTests.of(self.manifest, self.published.universe)

    @cached_property
    def _counts(self) -> dict[frozenset[str], int]:
        baskets, labels = self.published.baskets, self.published.universe.labels
        codes, ends = baskets.codes.astype(np.int64), baskets.offsets.tolist()
        raw = Counter(codes[start:end].tobytes() for start, end in pairwise(ends))
        return {frozenset(labels[code] for code in np.frombuffer(key, dtype=np.int64)): count for key, count in raw.items()}
