"""Visits, flows from place to place, and longer patterns with error bars, from a release that holds its noisy grams.

The grams of `ngram --with-grams` are the noisy counts as they were drawn: of single places (all of them), and of pairs and longer
runs of successive places that reached a threshold. They count occurrences in the sequences as they were cut to `max_length`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from tacita.errors import ParameterError
from tacita.privacy.estimates import LEVEL, Estimate, NoiseLaw, laws_of, no_error_bars
from tacita.sequences.published import PublishedSequences

__all__ = ["GramAnswers"]


@dataclass(frozen=True)
class GramAnswers:
    """Answers from the noisy grams of a release; the synthetic sequences themselves have no law that is known."""

    published: PublishedSequences
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a release without grams."""
        if self.published.grams is None:
            raise no_error_bars(self.manifest, "its sequences are synthetic; ngram with with_grams publishes noisy counts too")

    @cached_property
    def _counts(self) -> dict[tuple[str, ...], int]:
        """Counts of grams that do not say where a sequence ended."""
        grams = self.published.grams
        if grams is None:  # pragma: no cover - refused above
            return {}
        labels, size = self.published.universe.labels, len(self.published.universe)
        rows = grams.grams.to_lists()
        return {
            tuple(labels[code] for code in row): int(count)
            for row, count in zip(rows, grams.counts.tolist(), strict=True)
            if all(code < size for code in row)
        }

    def law(self, length: int) -> NoiseLaw:
        """The noise on grams of this length."""
        found = laws_of(self.manifest).get(f"grams, round {length}")
        if found is None:
            raise no_error_bars(self.manifest, f"no gram of length {length} was asked for")
        return found

    def visits(self, place: str, *, level: float = LEVEL) -> Estimate:
        """How many visits there are to a place."""
        return self.pattern([place], level=level)

    def flow(self, origin: str, destination: str, *, level: float = LEVEL) -> Estimate:
        """How many times a visit to one place is followed by one to another."""
        return self.pattern([origin, destination], level=level)

    def pattern(self, places: Sequence[str], *, level: float = LEVEL) -> Estimate:
        """How many times these places follow each other; for a pattern of three or more, its parts must have been kept too."""
        if not places or any(place not in self.published.universe for place in places):
            message = f"a pattern must be places of the universe, one at least, got {list(places)}"
            raise ParameterError(message)
        key = tuple(places)
        count = self._counts.get(key)
        if count is None and len(key) > 1 and key[:-1] not in self._counts:
            raise no_error_bars(self.manifest, f"what follows {list(key[:-1])} was not asked, because that was too rare")
        return self.law(len(key)).estimate(count, level=level)

    def table(self, length: int = 2, *, level: float = LEVEL) -> pl.DataFrame:
        """Every published gram of a length with its interval, largest first; of length 2 these are flows."""
        law = self.law(length)
        rows = sorted(
            ((key, count) for key, count in self._counts.items() if len(key) == length), key=lambda row: (-row[1], row[0])
        )
        estimates = [law.estimate(count, level=level) for _, count in rows]
        return pl.DataFrame(
            {
                "gram": [list(key) for key, _ in rows],
                "count": [each.value for each in estimates],
                "low": [each.low for each in estimates],
                "high": [each.high for each in estimates],
            },
            schema={"gram": pl.List(pl.String), "count": pl.Float64, "low": pl.Float64, "high": pl.Float64},
        )
