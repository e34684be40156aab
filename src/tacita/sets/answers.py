"""How many people have exactly some basket, with error bars, from baskets that are noisy counts.

`histogram`, `stable-histogram` and `diffpart` repeat each basket as often as its noisy count says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from tacita.privacy.estimates import LEVEL, Estimate, NoiseLaw, dropped, laws_of, no_error_bars
from tacita.sets.itemset_answers import ItemsetAnswers, estimates_table, named_items
from tacita.sets.leaf_tests import LeafTests
from tacita.sets.published import PublishedBaskets

__all__ = ["BasketAnswers", "answers_of_baskets"]

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
