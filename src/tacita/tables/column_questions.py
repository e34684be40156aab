"""Asking for the ranges and counts of single columns: the first part of `marginals`, and all of `independent`.

Everything that is decided here depends on noisy answers and public numbers only. A row is in one range of each level of a
column's count tree, and in one bin of each column.

Shares of the budget are whole parts of it. What is left after one question is one step of the plan, and each further question
replaces that step by itself and what is then left: nothing that a stop saves is lost, and nothing can be spent twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import Coding, on_simplex
from tacita.counting import TableCounts
from tacita.privacy.account import Account
from tacita.privacy.budget import Sequential, Step
from tacita.privacy.funds import Funds
from tacita.privacy.questions.cells import every_count
from tacita.tables.columns import Categorical
from tacita.tables.schema import Schema
from tacita.tables.synthesis.columns import (
    BINS,
    Bins,
    Codes,
    Leaf,
    cut_leaf,
    equal_parts,
    is_heavy,
    joined_leaves,
    single_places,
    split_further,
    widths_of,
)
from tacita.tables.synthesis.estimates import combined, rows_of
from tacita.tables.synthesis.junction import Junction

__all__ = [
    "FOR_ROWS",
    "REST",
    "UNITS",
    "Asked",
    "Prices",
    "Purse",
    "ask_all_singles",
    "ask_bins",
    "ask_rows",
    "ask_singles",
    "cut_columns",
    "first_sizes",
    "for_ranges",
]

UNITS = 1_000_000
"""A share of the budget is a whole number of this many parts of it, so that shares add up exactly and stay short to write."""

FOR_RANGES = 100_000
"""The units for cutting columns of many values into ranges, if there are any."""

FOR_ROWS = 10_000
"""The units for the number of rows."""

LEAST_DEVIATION = 1e-3

REST = "columns and marginals"
LEFT = "left"


# The budget, in parts.


@dataclass(frozen=True)
class Prices:
    """How much noise is bought for so many units of the funds."""

    funds: Funds

    def deviation(self, units: float) -> float:
        """The standard deviation of a count that costs so many units, floored so that an inverse variance is finite."""
        return max(self.funds.deviation(units / UNITS), LEAST_DEVIATION)

    def mean_noise(self, units: float) -> float:
        """The mean absolute noise of a count that costs so many units."""
        return self.funds.mean_noise(units / UNITS)

    def doubt(self, units: float) -> float:
        """By how many rows a choice for so many units takes a worse set for a better one, on average."""
        return self.funds.doubt(units / UNITS)

    def shares(self, units: int, cells: Sequence[int]) -> list[int]:
        """The units for questions of so many cells with the least noise in sum."""
        if self.funds.in_rho:
            roots = [round(each ** (2 / 3) * 2**20) for each in cells]
        else:
            roots = [isqrt(each << 40) for each in cells]
        return [max(1, units * root // sum(roots)) for root in roots]

    def lost(self, loss: float, share: float) -> float:
        """What is lost with a share, given what would be with everything: in rho, noise falls with the root of what it costs."""
        if not loss:  # noise too small for a float, whose balanced share is 0
            return 0.0
        return loss / (share**0.5 if self.funds.in_rho else share)

    def balanced(self, losses: Sequence[float]) -> list[float]:
        """The shares with which losses are least in sum, given what each would be with everything."""
        weights = [loss ** (2 / 3 if self.funds.in_rho else 1 / 2) for loss in losses]
        return [weight / sum(weights) for weight in weights]


class Purse:
    """What is left of a step of the plan; each payment replaces it by what is asked for and what is then left."""

    def __init__(self, account: Account, funds: Funds) -> None:
        """Begin with the step `REST`, which costs all funds."""
        self.account, self.prices, self.left = account, Prices(funds), UNITS
        self._step, self._payments = REST, 0

    def pay(self, steps: Sequence[tuple[str, int, str]]) -> None:
        """Set apart what the next questions cost: their names, units and notes."""
        self.left -= sum(units for _, units, _ in steps)
        self._payments += 1
        left = f"{LEFT} {self._payments}"
        parts = [self._step_of(*step) for step in steps]
        if self.left:
            parts.append(self._step_of(left, self.left, "for what noisy answers decide"))
        self.account.unfold(self._step, Sequential(name=REST, parts=tuple(parts)))
        self._step = left

    def _step_of(self, name: str, units: int, note: str) -> Step:
        return self.prices.funds.step(name, Fraction(units, UNITS), note=note)


# Columns with many values.


def cut_columns(schema: Schema) -> list[int]:
    """The columns with so many values in order that they are cut into ranges."""
    return [place for place, column in enumerate(schema.quasi) if not isinstance(column, Categorical) and column.count > 2 * BINS]


def _coding_of(column: int, parts: Sequence[tuple[int, int]]) -> Coding:
    """The number of the range that a place is in; places outside of all have the number after the last."""
    starts: list[int] = []
    codes: list[int] = []
    before = 0
    for code, (begin, end) in enumerate(parts):
        if begin > before or not starts:
            starts.append(before)
            codes.append(len(parts))
        starts.append(begin)
        codes.append(code)
        before = end
    starts.append(before)
    codes.append(len(parts))
    begins, last = np.array(starts, dtype=np.int64), np.array(codes, dtype=np.int64)
    kept = np.append(np.diff(begins) > 0, True)
    return Coding(column=column, starts=begins[kept], codes=last[kept], size=len(parts) + 1)


# Single columns.


@dataclass(eq=False)
class Asked:
    """What is known of a table: bins and noisy counts of single columns, and a model of how they hang together."""

    schema: Schema
    bins: list[Bins]
    counts: list[Reals] = field(default_factory=list)
    spreads: list[Reals] = field(default_factory=list)
    """The variance of each count."""
    answers: int = 0
    codes: list[Codes] = field(default_factory=list)
    model: Junction | None = None

    @property
    def rows(self) -> float:
        """The number of rows."""
        return rows_of(self.counts, self.spreads)[0]

    @property
    def deviation(self) -> float:
        """The deviation of that number."""
        return rows_of(self.counts, self.spreads)[1]

    @property
    def sizes(self) -> list[int]:
        """The numbers of bins."""
        return [bins.size for bins in self.bins]

    def dealt(self, rows: int) -> list[Integers]:
        """So many rows, as one array of places per column."""
        shares = [on_simplex(counts, self.rows) for counts in self.counts]
        model = self.model if self.model is not None else Junction([np.maximum(each, 1e-9) for each in shares], {})
        codes = self.codes if self.model is not None else self._every_bin()
        made = model.dealt(rows, salt=len(self.bins))
        columns = zip(codes, [made[number] for number in model.nodes.whole], shares, strict=True)
        return [own.placed(drawn, share, salt=10 * number) for number, (own, drawn, share) in enumerate(columns)]

    def _every_bin(self) -> list[Codes]:
        known = zip(self.bins, self.counts, self.spreads, strict=True)
        return [
            Codes(column=number, bins=bins, of_bin=np.arange(bins.size), counts=counts, spreads=spreads)
            for number, (bins, counts, spreads) in enumerate(known)
        ]


def first_sizes(schema: Schema) -> list[int]:
    """How many bins each column is asked in first."""
    return [bins.size for bins in _first_bins(schema)]


def _first_bins(schema: Schema) -> list[Bins]:
    cut = cut_columns(schema)
    return [
        equal_parts(schema.quasi[place].count, column.size) if place in cut else single_places(column.size)
        for place, column in enumerate(schema.all_columns)
    ]


def for_ranges(schema: Schema) -> int:
    """The units that are kept for what is inside of heavy ranges."""
    return FOR_RANGES if cut_columns(schema) else 0


def ask_rows(counter: TableCounts, purse: Purse) -> float:
    """About how many rows there are."""
    purse.pay([("rows", FOR_ROWS, "about how many rows there are")])
    everything = Coding(column=0, starts=np.zeros(1, dtype=np.int64), codes=np.zeros(1, dtype=np.int64), size=1)
    return max(float(every_count(purse.account, "rows", counter.coded([everything]).marginals([(0,)]))[0]), 1.0)


def ask_all_singles(counter: TableCounts, purse: Purse, schema: Schema) -> Asked:
    """Ask for single columns alone, with all that is left."""
    kept = for_ranges(schema) + len(schema.names)
    return ask_bins(counter, purse, schema, units=purse.left - kept)


def ask_bins(counter: TableCounts, purse: Purse, schema: Schema, *, units: int) -> Asked:
    """Ask for all columns, those of many values in equal parts, and then for what is inside of heavy parts."""
    asked = Asked(schema=schema, bins=_first_bins(schema))
    ask_singles(counter, purse, asked, units=units)
    rows, cut = asked.rows, cut_columns(schema)
    for column in cut:
        _cut_further(counter, purse, asked, column, rows=rows, units=FOR_RANGES // len(cut))
    return asked


def ask_singles(counter: TableCounts, purse: Purse, asked: Asked, *, units: int) -> None:
    """Ask for the bins of every column, once or once more."""
    asked.answers += 1
    shares = purse.prices.shares(units, asked.sizes)
    columns = [column.name for column in asked.schema.all_columns]
    names = [f"column {number} {name!r}, answer {asked.answers}" for number, name in enumerate(columns, start=1)]
    purse.pay([(name, share, f"values of {column}") for name, share, column in zip(names, shares, columns, strict=True)])
    codings = [
        Coding(column=number, starts=bins.begins, codes=np.arange(bins.size), size=bins.size)
        for number, bins in enumerate(asked.bins)
    ]
    exact = counter.coded(codings).marginals([(number,) for number in range(len(codings))])
    parts = np.split(exact, np.cumsum(asked.sizes)[:-1])
    for number, (name, counts, share) in enumerate(zip(names, parts, shares, strict=True)):
        noisy = every_count(purse.account, name, counts).astype(np.float64)
        spread = np.full(noisy.size, purse.prices.deviation(share) ** 2)
        if asked.answers == 1:
            asked.counts.append(noisy)
            asked.spreads.append(spread)
        else:
            asked.counts[number], asked.spreads[number] = combined(asked.counts[number], asked.spreads[number], noisy, spread)


def _cut_further(counter: TableCounts, purse: Purse, asked: Asked, column: int, *, rows: float, units: int) -> None:
    """Cut the heavy parts of a column further, level by level, and join those with few rows; a row is in one part of each level.

    A level that nothing is cut for is not asked, and what it would cost is saved.
    """
    own, bins = asked.schema.quasi[column], asked.bins[column]
    counts, deviations = asked.counts[column], np.sqrt(asked.spreads[column])
    ends = np.append(bins.begins[1:], own.count)
    known = [
        Leaf(begin=int(begin), end=int(end), count=float(count), deviation=float(deviation))
        for begin, end, count, deviation in zip(bins.begins, ends, counts, deviations, strict=True)
        if begin < own.count
    ]
    leaves: list[Leaf] = []
    widths = widths_of(own.count)
    for level, width in enumerate(widths[1:], start=2):
        cost = max(1, units // (len(widths) - 1))
        deviation = purse.prices.deviation(cost)
        heavy = [leaf for leaf in known if is_heavy(leaf, rows, deviation=deviation)]
        leaves += [leaf for leaf in known if leaf not in heavy]
        parts = [split_further(leaf, width=width) for leaf in heavy]
        known = []
        if not heavy:
            break
        step = f"ranges of column {column + 1} {own.name!r}, level {level}"
        purse.pay([(step, cost, f"rows in ranges of {own.name}")])
        exact = counter.coded([_coding_of(column, [part for each in parts for part in each])]).marginals([(0,)])[:-1]
        noisy = iter(every_count(purse.account, step, exact).tolist())
        for leaf, each in zip(heavy, parts, strict=True):
            inside = [Leaf(begin=begin, end=end, count=float(next(noisy)), deviation=deviation) for begin, end in each]
            standing, between = cut_leaf(leaf, inside)
            known += standing
            leaves += between
    joined = joined_leaves([*leaves, *known], rows, places=own.size)
    sums = [(sum(leaf.count for leaf in run), sum(leaf.deviation**2 for leaf in run)) for run in joined.leaves]
    if own.missing:
        sums[-1] = float(counts[-1]), float(asked.spreads[column][-1])
    asked.bins[column] = joined
    asked.counts[column], asked.spreads[column] = (np.array([each[side] for each in sums]) for side in (0, 1))
