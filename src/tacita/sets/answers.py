"""How many people have exactly some basket, with error bars, from a release that holds noisy counts of baskets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from tacita.errors import ParameterError
from tacita.privacy.estimates import LEVEL, Estimate, NoiseLaw, laws_of, no_error_bars
from tacita.sets.published import PublishedBaskets

__all__ = ["BasketAnswers"]

HISTOGRAMS = ("histogram", "stable-histogram")


@dataclass(frozen=True)
class BasketAnswers:
    """Answers from the release of a histogram; other methods rewrite their noisy counts."""

    published: PublishedBaskets
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a method whose baskets are no noisy counts."""
        if self.manifest["mechanism"]["name"] not in HISTOGRAMS:
            raise no_error_bars(self.manifest, "its baskets are synthetic; histogram and stable-histogram publish noisy counts")

    @property
    def law(self) -> NoiseLaw:
        """The noise of a count."""
        return laws_of(self.manifest)["baskets"]

    @cached_property
    def _counts(self) -> dict[frozenset[str], int]:
        baskets, labels = self.published.baskets, self.published.universe.labels
        codes, ends = baskets.codes.astype(np.int64), baskets.offsets.tolist()
        raw = Counter(codes[start:end].tobytes() for start, end in pairwise(ends))
        return {frozenset(labels[code] for code in np.frombuffer(key, dtype=np.int64)): count for key, count in raw.items()}

    def count(self, basket: Iterable[str], *, level: float = LEVEL) -> Estimate:
        """How many people have exactly these items; the interval holds for a basket that was not chosen by its count."""
        wanted = frozenset(basket)
        if not wanted or any(item not in self.published.universe for item in wanted):
            message = f"a basket must hold one item of the universe at least and no other, got {sorted(wanted)}"
            raise ParameterError(message)
        return self.law.estimate(self._counts.get(wanted), level=level)

    def table(self, *, level: float = LEVEL) -> pl.DataFrame:
        """Every published basket with its interval, largest first."""
        rows = sorted(self._counts.items(), key=lambda each: (-each[1], sorted(each[0])))
        estimates = [self.law.estimate(count, level=level) for _, count in rows]
        return pl.DataFrame(
            {
                "basket": [sorted(basket) for basket, _ in rows],
                "count": [each.value for each in estimates],
                "low": [each.low for each in estimates],
                "high": [each.high for each in estimates],
            },
            schema={"basket": pl.List(pl.String), "count": pl.Float64, "low": pl.Float64, "high": pl.Float64},
        )
