"""Full-domain generalization with suppression: every column is shown at one level for all rows; what still violates is left out.

The candidates form a lattice, one level per column (Samarati, 2001; Sweeney, 2002). We look for the one of the smallest
information loss (ILoss, a row that is left out loses everything), exactly and for any model: candidates come in the order of a
lower bound, which is their loss if nothing had to be left out, and the search ends when the bound passes the best loss found.
Nothing is assumed about the model, because with suppression only k-anonymity and distinct l-diversity are monotone: merging a
group that violates an entropy with one that does not can make both violate. For k-anonymity, pairs of levels that already leave
too many rows in small groups rule out whole parts of the lattice (LeFevre, DeWitt and Ramakrishnan's Incognito, SIGMOD 2005, goes
up through all subsets of columns).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations, product

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.tables.histograms import combined, group_rows, histograms
from tacita.tables.models import AlphaK, KAnonymity, Model, violating
from tacita.tables.schema import Schema

__all__ = ["Generalization", "best_generalization", "rows_to_keep"]

Levels = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Generalization:
    """The levels of the best candidate, which rows are kept, and what it loses per cell on average."""

    levels: Levels
    kept: Booleans
    loss: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _Distinct:
    """The different rows with their numbers, and for each level of each column the range of each row as a small number."""

    ranges: list[list[Integers]]
    sizes: list[list[int]]
    losses: list[list[Reals]]
    sensitive: Integers | None
    weights: Integers
    symbols: int

    @property
    def rows(self) -> int:
        return int(self.weights.sum())


def best_generalization(
    schema: Schema, quasi: tuple[Integers, ...], sensitive: Integers | None, models: tuple[Model, ...], *, suppression: Fraction
) -> Generalization | None:
    """The candidate of the smallest loss that satisfies the models with at most this share of rows left out, if there is one."""
    data, group_of = _distinct(schema, quasi, sensitive)
    limit = int(suppression * data.rows)
    excluded = set(_excluded_pairs(data, models, limit))
    best: tuple[float, Levels, Booleans] | None = None
    for bound, levels in _by_bound(data):
        if best is not None and bound >= best[0]:
            break
        if any((one, levels[one], other, levels[other]) in excluded for one, other in combinations(range(len(levels)), 2)):
            continue
        kept = _kept(data, levels, models, schema, limit)
        if kept is not None:
            loss = _loss(data, levels, kept)
            if best is None or loss < best[0]:
                best = loss, levels, kept
    return None if best is None else Generalization(levels=best[1], kept=best[2][group_of], loss=best[0])


def _distinct(schema: Schema, quasi: tuple[Integers, ...], sensitive: Integers | None) -> tuple[_Distinct, Integers]:
    symbols = 1 if schema.sensitive is None or sensitive is None else schema.sensitive.size
    columns, sizes = (quasi, schema.sizes) if sensitive is None else ((*quasi, sensitive), (*schema.sizes, symbols))
    group_of, firsts = group_rows(combined(columns, sizes))
    ranges: list[list[Integers]] = []
    losses: list[list[Reals]] = []
    for column, codes in zip(schema.quasi, quasi, strict=True):
        places = codes[firsts]
        dense = [np.unique(low, return_inverse=True)[1].reshape(-1).astype(np.int64) for low, _ in column.levels]
        ranges.append([numbers[places] for numbers in dense])
        losses.append([((high - low - 1) / column.size)[places] for low, high in column.levels])
    data = _Distinct(
        ranges=ranges,
        sizes=[[int(numbers.max(initial=0)) + 1 for numbers in column] for column in ranges],
        losses=losses,
        sensitive=None if sensitive is None else sensitive[firsts],
        weights=np.bincount(group_of, minlength=firsts.size).astype(np.int64),
        symbols=symbols,
    )
    return data, group_of


def _by_bound(data: _Distinct) -> Iterator[tuple[float, Levels]]:
    """All candidates from the smallest loss on, suppression left aside; a level up never loses less."""
    width = len(data.ranges)
    means = [[float(np.average(loss, weights=data.weights)) for loss in column] for column in data.losses]
    first: Levels = (0,) * width
    waiting = [(sum(column[0] for column in means) / width, first)]
    seen = {first}
    while waiting:
        bound, levels = heappop(waiting)
        yield bound, levels
        for place in range(width):
            if levels[place] + 1 < len(means[place]):
                above = (*levels[:place], levels[place] + 1, *levels[place + 1 :])
                if above not in seen:
                    seen.add(above)
                    heappush(waiting, (sum(means[at][level] for at, level in enumerate(above)) / width, above))


def _excluded_pairs(data: _Distinct, models: tuple[Model, ...], limit: int) -> Iterator[tuple[int, int, int, int]]:
    """Levels of two columns that alone leave more rows in groups below k than may be left out."""
    least = max((model.k for model in models if isinstance(model, KAnonymity | AlphaK)), default=1)
    for one, other in combinations(range(len(data.ranges)), 2):
        for first, second in product(range(len(data.ranges[one])), range(len(data.ranges[other]))):
            keys = data.ranges[one][first] * data.sizes[other][second] + data.ranges[other][second]
            sizes = np.bincount(keys, weights=data.weights)
            if sizes[sizes < least].sum() > limit:
                yield one, first, other, second


def _kept(data: _Distinct, levels: Levels, models: tuple[Model, ...], schema: Schema, limit: int) -> Booleans | None:
    """Which different rows a candidate keeps, if it leaves out no more than the limit."""
    columns = tuple(column[level] for column, level in zip(data.ranges, levels, strict=True))
    sizes = tuple(column[level] for column, level in zip(data.sizes, levels, strict=True))
    group_of, _ = group_rows(combined(columns, sizes))
    return rows_to_keep(group_of, data.sensitive, models, schema, symbols=data.symbols, weights=data.weights, limit=limit)


def rows_to_keep(  # noqa: PLR0913 - what a decision about groups depends on
    group_of: Integers,
    sensitive: Integers | None,
    models: tuple[Model, ...],
    schema: Schema,
    *,
    symbols: int,
    weights: Integers,
    limit: int,
) -> Booleans | None:
    """Leave groups out until none violates; leaving out changes the whole table that t-closeness compares with.

    None if more rows than the limit would have to go.
    """
    kept = np.ones(group_of.size, dtype=np.bool_)
    while kept.any():
        different, here = np.unique(group_of[kept], return_inverse=True)
        values = None if sensitive is None else sensitive[kept]
        found = histograms(here.reshape(-1), values, groups=different.size, symbols=symbols, weights=weights[kept])
        overall = np.bincount(found.values, weights=found.counts, minlength=symbols).astype(np.int64)
        violated = violating(models, found, overall, schema)
        if not violated.any():
            return kept
        kept[np.flatnonzero(kept)[violated[here.reshape(-1)]]] = False
        if int(weights[~kept].sum()) > limit:
            return None
    return None


def _loss(data: _Distinct, levels: Levels, kept: Booleans) -> float:
    """What a cell loses on average; a row that is left out loses as if everything were hidden."""
    shown = np.mean([column[level] for column, level in zip(data.losses, levels, strict=True)], axis=0)
    hidden = np.mean([column[-1] for column in data.losses], axis=0)
    return float(np.average(np.where(kept, shown, hidden), weights=data.weights))
