"""Baskets: shoppers of several types, items in categories, popularity by a Zipf law.

The preset has the size of the FIMI data set *retail* (Brijs, 2003: 88,162 baskets of a Belgian supermarket, 16,470 items, mean
10.3, at most 76). Categories, types of shoppers and the exponent are our assumptions. Chen's thesis has no shopping baskets: its
set-valued data are sequences without their order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import Popularity, heavy_lengths, is_exponent, is_spread, require_sizes, sorted_distinct

__all__ = ["BasketWorld"]

ROUNDS = 40  # rounds in which an item already in the basket is redrawn; after a quarter of them, uniformly among all items


@dataclass(frozen=True, kw_only=True)
class BasketWorld:
    """A made-up shop; the same fields give the same world.

    Every basket belongs to a shopper of one of `shopper_types` equally frequent types, each with `favourites` categories of its
    own. An item comes from a favourite category with probability `loyalty`, otherwise from the whole shop; either way, popularity
    follows a Zipf law with `exponent`. Lengths have a heavy tail (see `heavy_lengths`). The items of a basket are distinct and in
    increasing order.

    >>> world = BasketWorld(baskets=1000, items=50, categories=5, mean_length=3, max_length=20)
    >>> len(world.baskets_of_codes()), world.taxonomy.name(world.taxonomy.parents[0])
    (1000, 'category 1')
    """

    baskets: int
    items: int
    categories: int
    shopper_types: int = 6
    favourites: int = 3
    loyalty: float = 0.6
    exponent: float = 0.8
    mean_length: float = 10.3
    max_length: int = 76
    spread: float = 0.8
    seed: int = 0

    kind: ClassVar[str] = "sets"

    def __post_init__(self) -> None:
        """Check the sizes and the probability."""
        require_sizes(
            self,
            (1 <= self.categories <= self.items, "a shop needs at least one category, and at least one item per category"),
            (
                self.baskets >= 0 and self.shopper_types >= 1,
                "a shop needs a type of shoppers, and must not have a negative number of baskets",
            ),
            (1 <= self.favourites <= self.categories, "a shopper must have between one favourite category and all of them"),
            (1 <= self.mean_length <= self.max_length <= self.items, "lengths must fit: 1 <= mean <= max <= number of items"),
            (
                0 <= self.loyalty <= 1 and is_spread(self.spread),
                "loyalty must be between 0 and 1, and the spread above 0 and up to 5",
            ),
            (
                is_exponent(self.exponent) and self.seed >= 0,
                "Zipf exponents must be between 0 and 10, and a seed must not be negative",
            ),
        )

    @classmethod
    def supermarket(cls, *, baskets: int = 88_162, seed: int = 0) -> BasketWorld:
        """A supermarket by the figures of *retail*: 16,470 items, mean length 10.3, at most 76."""
        return cls(baskets=baskets, items=16_470, categories=120, spread=0.65, seed=seed)

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return f"{self.baskets:,} baskets of a shop with {self.items:,} items in {self.categories} categories; one row per item"

    @cached_property
    def universe(self) -> Universe:
        """The items, category by category, numbered from 1."""
        return Universe([str(item + 1) for item in range(self.items)])

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """Each item in its category."""
        names = [f"category {category + 1}" for category in self._category.tolist()]
        return Taxonomy.from_edges(zip(self.universe.labels, names, strict=True), universe=self.universe)

    @cached_property
    def _category(self) -> Integers:
        return np.arange(self.items) * self.categories // self.items

    def baskets_of_codes(self) -> Ragged:
        """One increasing list of item codes per basket."""
        return self._drawn

    @cached_property
    def _drawn(self) -> Ragged:
        generator = np.random.default_rng(self.seed)
        popularity = Popularity.zipf(self.items, exponent=self.exponent, generator=generator)
        order = np.argsort(generator.random((self.shopper_types, self.categories)), axis=1)
        favourites = order[:, : self.favourites]
        lengths = heavy_lengths(generator, self.baskets, mean=self.mean_length, longest=self.max_length, spread=self.spread)
        types = generator.integers(0, self.shopper_types, self.baskets)
        basket = np.repeat(np.arange(self.baskets), lengths)
        keys = np.sort(basket * self.items + self._draw(generator, popularity, favourites, types[basket]))
        keys = self._without_doubles(keys, lambda who: self._draw(generator, popularity, favourites, types[who]), generator)
        offsets = offsets_of(np.bincount(keys // self.items, minlength=self.baskets))
        return Ragged((keys % self.items).astype(np.int32), offsets)

    def _without_doubles(
        self,
        keys: Integers,
        draw: Callable[[Integers], Integers],
        generator: np.random.Generator,
    ) -> Integers:
        """Redraw items that a basket already holds; only baskets with duplicates are looked at again."""
        settled: list[Integers] = []
        for attempt in range(ROUNDS):
            again = np.flatnonzero(keys[1:] == keys[:-1]) + 1
            if not again.size:
                break
            basket = keys // self.items
            has_doubles = np.zeros(self.baskets, dtype=np.bool_)
            has_doubles[basket[again]] = True
            open_still = has_doubles[basket]
            fresh = draw(basket[again]) if attempt < ROUNDS // 4 else generator.integers(0, self.items, again.size)
            keys[again] = basket[again] * self.items + fresh
            settled.append(keys[~open_still])
            keys = np.sort(keys[open_still])
        return sorted_distinct(np.concatenate([*settled, keys]))

    def _draw(
        self,
        generator: np.random.Generator,
        popularity: Popularity,
        favourites: Integers,
        types: Integers,
    ) -> Integers:
        """One item for each shopper of these types."""
        firsts = np.searchsorted(self._category, np.arange(self.categories + 1))
        chosen = favourites[types, generator.integers(0, self.favourites, types.size)]
        is_loyal = generator.random(types.size) < self.loyalty
        first, last = np.where(is_loyal, firsts[chosen], 0), np.where(is_loyal, firsts[chosen + 1], self.items)
        return popularity.draw_between(generator, first, last).astype(np.int64)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Long rows: id, label."""
        baskets = self.baskets_of_codes()
        columns = {
            "id": np.repeat(np.arange(len(baskets)), baskets.lengths),
            "label": pl.Series(self.universe.labels, dtype=pl.String).gather(baskets.codes),
        }
        return {self.kind: pl.DataFrame(columns)}

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        baskets = self.baskets_of_codes()
        frequencies = np.bincount(baskets.codes, minlength=self.items)
        return {
            "records": len(baskets),
            "labels": self.items,
            "mean length": baskets.codes.size / max(len(baskets), 1),
            "max length": int(baskets.lengths.max(initial=0)),
            "labels that occur": int(np.count_nonzero(frequencies)),
            "share of baskets with the most frequent item": float(frequencies.max() / max(len(baskets), 1)),
        }
