"""How near the single columns, pairs and triples of released rows are to those of the private table.

The distance of two marginals is their total variation: the share of rows that would have to change to make them equal. Numbers
and dates are compared in at most `BINS` equal parts of their declared range, categories value by value. Beside the release stand
the private table's own single columns treated as independent, without noise: what nothing about the dependence of columns gives.

How strongly two columns depend on each other is Cramer's V of the same codes, from 0 to 1, without the bias that few rows in many
cells have (Bergsma 2013). For the owner only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.seeded import public_generator
from tacita.tables.columns import Categorical, Column
from tacita.tables.published import PublishedTable
from tacita.tables.records import TableRecords
from tacita.tables.schema import Schema, Sensitive

__all__ = ["Associations", "MarginalDistances", "marginal_distances"]

BINS = 32
MOST_SETS = 300
"""At most this many pairs and triples are compared, a fixed sample of all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Associations:
    """How strongly each pair of columns depends on each other, in the private table and in the release."""

    names: tuple[str, ...]
    raw: Reals
    released: Reals

    def _farthest(self) -> tuple[int, int]:
        away = np.triu(np.abs(self.raw - self.released), 1)
        one, other = divmod(int(np.argmax(away)), len(self.names))
        return one, other

    @property
    def mean_difference(self) -> float:
        """The mean difference over all pairs."""
        above = np.triu_indices(len(self.names), 1)
        return float(np.abs(self.raw - self.released)[above].mean()) if above[0].size else 0.0

    def __str__(self) -> str:
        """One line: the mean difference, and the pair that is farthest."""
        one, other = self._farthest()
        pair = f"{self.names[one]} x {self.names[other]}"
        figures = f"{self.released[one, other]:.3f} where it is {self.raw[one, other]:.3f}"
        return f"association of two columns: off by {self.mean_difference:.4f} on average, most in {pair} ({figures})"

    def as_json(self) -> dict[str, object]:
        """The same for scripts, with every pair."""
        pairs = [
            {"columns": [self.names[one], self.names[other]], "raw": float(self.raw[one, other])}
            | {"released": float(self.released[one, other])}
            for one, other in combinations(range(len(self.names)), 2)
        ]
        return {"mean_difference": self.mean_difference, "pairs": pairs}


@dataclass(frozen=True, kw_only=True)
class MarginalDistances:
    """Mean total variations, from 0 (the same) to 1, of sets of one, two and three columns, and of each column alone."""

    columns: dict[str, float]
    orders: dict[int, float]
    independent: dict[int, float]
    associations: Associations

    def __str__(self) -> str:
        """Render for a terminal."""
        lines = [f"{'distance of marginals':<24}{'released':>16}{'independent':>16}  (0: the same, 1: nothing in common)"]
        for order, distance in self.orders.items():
            alone = f"{self.independent[order]:>16.4f}" if order in self.independent else " " * 16
            lines.append(f"{f'  {order} columns' if order > 1 else '  1 column':<24}{distance:>16.4f}{alone}")
        worst = sorted(self.columns, key=lambda name: (-self.columns[name], name))[:3]
        lines.append("farthest columns: " + ", ".join(f"{name} {self.columns[name]:.4f}" for name in worst))
        if len(self.columns) > 1:
            lines.append(str(self.associations))
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """The same for scripts."""
        return {
            "columns": self.columns,
            "by_order": {str(order): distance for order, distance in self.orders.items()},
            "independent": {str(order): distance for order, distance in self.independent.items()},
            "associations": self.associations.as_json(),
        }


def marginal_distances(records: TableRecords, published: PublishedTable) -> MarginalDistances:
    """Compare released rows with the private ones."""
    raw, made, sizes = (
        _coded(records.schema, _columns(records)),
        _coded(records.schema, _columns(published)),
        _sizes(records.schema),
    )
    names = records.schema.names
    orders, independent = {}, {}
    ones = [_shares(raw, (column,), sizes) for column in range(len(sizes))]
    for order in (1, 2, 3):
        if order > len(sizes):
            break
        sets = _sets(len(sizes), order)
        orders[order] = float(np.mean([_distance(_shares(raw, each, sizes), _shares(made, each, sizes)) for each in sets]))
        if order > 1:
            alone = [_distance(_shares(raw, each, sizes), _product([ones[column] for column in each])) for each in sets]
            independent[order] = float(np.mean(alone))
    single = {name: _distance(ones[column], _shares(made, (column,), sizes)) for column, name in enumerate(names)}
    associations = Associations(names=tuple(names), raw=_associations(raw, sizes), released=_associations(made, sizes))
    return MarginalDistances(columns=single, orders=orders, independent=independent, associations=associations)


def _associations(columns: Sequence[Integers], sizes: Sequence[int]) -> Reals:
    """Cramer's V of each pair: the root of chi squared / n, less what chance alone gives, over the largest it can be."""
    found = np.eye(len(sizes))
    rows = columns[0].size
    for one, other in combinations(range(len(sizes)), 2):
        table = _shares(columns, (one, other), sizes).reshape(sizes[one], sizes[other])
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if rows < 2 or min(table.shape) < 2:
            continue
        expected = np.outer(table.sum(axis=1), table.sum(axis=0))
        by_chance = (table.shape[0] - 1) * (table.shape[1] - 1) / (rows - 1)
        squared = max(float(((table - expected) ** 2 / expected).sum()) - by_chance, 0.0)
        most = min(size - (size - 1) ** 2 / (rows - 1) for size in table.shape) - 1
        found[one, other] = found[other, one] = min((squared / most) ** 0.5, 1.0) if most > 0 else 0.0
    return found


def _columns(table: TableRecords | PublishedTable) -> list[Integers]:
    """The places of every column, sensitive ones last."""
    quasi = (
        table.quasi
        if isinstance(table, TableRecords)
        else [table.lows[table.groups, place] for place in range(table.lows.shape[1])]
    )
    hidden = () if table.sensitive is None else table.schema.hidden_codes(table.sensitive)
    return [*quasi, *hidden]


def _is_binned(column: Column | Sensitive) -> bool:
    return not isinstance(column, Categorical | Sensitive) and column.count > BINS


def _sizes(schema: Schema) -> list[int]:
    return [BINS + 1 if _is_binned(column) else column.size for column in schema.all_columns]


def _coded(schema: Schema, columns: Sequence[Integers]) -> list[Integers]:
    """Places, or the number of their part; missing values have the last one."""
    found = []
    for column, places in zip(schema.all_columns, columns, strict=True):
        if _is_binned(column) and not isinstance(column, Sensitive):
            found.append(np.where(places >= column.count, BINS, places * BINS // column.count).astype(np.int64))
        else:
            found.append(places)
    return found


def _sets(columns: int, order: int) -> list[tuple[int, ...]]:
    if comb(columns, order) <= MOST_SETS:
        return list(combinations(range(columns), order))
    generator = public_generator(order)
    drawn = (tuple(sorted(generator.permutation(columns)[:order].tolist())) for _ in range(MOST_SETS))
    return list(dict.fromkeys(drawn))


def _shares(columns: Sequence[Integers], chosen: tuple[int, ...], sizes: Sequence[int]) -> Reals:
    keys = columns[chosen[0]]
    for column in chosen[1:]:
        keys = keys * sizes[column] + columns[column]
    counts = np.bincount(keys, minlength=prod(sizes[column] for column in chosen))
    return np.asarray(counts / max(keys.size, 1), dtype=np.float64)


def _product(ones: Sequence[Reals]) -> Reals:
    found = ones[0]
    for one in ones[1:]:
        found = np.multiply.outer(found, one).ravel()
    return found


def _distance(one: Reals, other: Reals) -> float:
    return float(np.abs(one - other).sum()) / 2
