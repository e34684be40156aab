"""Asking for sets of columns, chosen round by round: the part of `marginals` that follows single columns.

Everything that is decided here depends on noisy answers and public numbers only. A row is in one cell of every marginal, so one
marginal costs what one count costs, and several add up. The score of a set of columns is the L1 distance between its true counts
and what the model says of them, in whole numbers: a row changes one count by 1, and so the score by at most 1. What is taken off
for noise is public.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.counting import MarginalCounts, TableCounts
from tacita.privacy.questions.cells import every_count
from tacita.privacy.questions.selecting import select
from tacita.tables.column_questions import (
    FOR_ROWS,
    Asked,
    Purse,
    ask_all_singles,
    ask_bins,
    ask_rows,
    ask_singles,
    first_sizes,
    for_ranges,
)
from tacita.tables.columns import Categorical
from tacita.tables.schema import Schema
from tacita.tables.synthesis.columns import STANDS_OUT, Codes, groups_of, merged
from tacita.tables.synthesis.estimates import Measured, single_counts, targets_of
from tacita.tables.synthesis.junction import Columns, Junction, cells_needed

__all__ = ["DROWNED", "ask_marginals"]

FOR_SINGLES = Fraction(15, 100)
"""The share for single columns that is asked first, of what the ranges leave."""

MOST_FOR_SINGLES = Fraction(75, 100)
"""The largest share for single columns, if their noise would still move more than `FINE` of the rows with less."""

FINE, STEPS = 0.02, 15
"""What the noise of single columns may move, and how many shares are tried to get there."""

FOR_CHOICES = Fraction(15, 100)
"""The share for choosing, of what single columns leave."""

DROWNED = 0.15
"""Sets of columns are asked for only if the noise of one typical pair, with all that is left, moves fewer of the rows."""

DOUBTFUL = 0.1
"""So many sets are chosen that a choice is in doubt about fewer of the rows."""

TYPICAL = 0.25
"""A typical pair is the one that this share of all pairs have fewer cells than: tables with large columns have small ones too."""

PRECISE = 0.02
"""There are more rounds as long as the noise of one typical pair moves fewer of the rows."""

FEWEST_ROUNDS, MOST_ROUNDS = 3, 8

WORTH = 0.5
"""A set is worth asking for if the model is wrong about it by more than this part of the noise that asking adds."""

LARGEST_MODEL = 400_000
"""The most cells of the model's tables together: a bound on time and memory."""

LARGEST_TRIPLE, MOST_TRIPLES = 64, 800
"""Triples of columns are candidates if they have at most so many cells; the smallest of them, up to so many."""

POOL, FEWEST_IN_POOL = 50_000, 1_000
"""Rows that are dealt from the model to see what it says of columns that no clique has together: ten times as many as there are,
within these bounds."""

TARGET_LINKS = 3
"""How many columns a named target is linked to before all others."""


Progress = Callable[[int, int], None]


def ask_marginals(
    counter: TableCounts, purse: Purse, schema: Schema, *, target: int | None = None, progress: Progress | None = None
) -> Asked:
    """Ask for single columns and for sets of them that the model gets wrong, and fit the model; spends all that is left.

    The number of rows comes first: it decides how much single columns need, and whether sets can be told from noise at all.
    Asking for single columns at once is worth more than asking twice for a half each.
    """
    rows = ask_rows(counter, purse)
    units = _for_singles(purse, schema, rows)
    left = purse.left - units - for_ranges(schema)
    are_seen = rows >= STANDS_OUT * purse.deviation(FOR_ROWS)  # or noise alone may explain their number
    if not are_seen or not _may_be_worth_it(purse, schema, rows, units=units, left=left, target=target):
        return ask_all_singles(counter, purse, schema)
    asked = ask_bins(counter, purse, schema, units=units)
    asked.codes = _codes(asked)
    rounds = _Rounds(counter=counter.coded([codes.coding for codes in asked.codes]), purse=purse, asked=asked, target=target)
    if rounds.are_worth_it:
        rounds.run(progress)
    if asked.model is None:  # no set was worth its noise
        ask_singles(counter, purse, asked, units=purse.left - len(asked.bins))
    return asked


@dataclass(eq=False)
class _Rounds:
    """Choosing sets of columns, asking for them, and fitting the model, again and again."""

    counter: MarginalCounts
    purse: Purse
    asked: Asked
    target: int | None
    measured: dict[Columns, Measured] = field(default_factory=dict)
    truth: dict[Columns, Integers] = field(default_factory=dict)
    said: Mapping[Columns, Reals] = field(default_factory=dict)
    choices: int = 0
    asks: int = 0

    def __post_init__(self) -> None:
        """Begin with independent columns."""
        self.sizes, self.rows = [codes.size for codes in self.asked.codes], self.asked.rows
        self.noisy = [codes.noisy for codes in self.asked.codes]
        self.variances = [codes.variances for codes in self.asked.codes]
        self.ones = single_counts(self.noisy, self.variances, {}, rows=self.rows)
        self.model, self.cells = Junction(self.ones, {}), sum(self.sizes)
        self.for_choices = int(self.purse.left * FOR_CHOICES)
        self.for_sets = self.purse.left - self.for_choices
        self.pairs = self._pairs()
        self.typical = float(np.quantile([self._cells(pair) for pair in self.pairs], TYPICAL)) if self.pairs else 0.0

    def _cells(self, columns: Columns) -> int:
        return prod(self.sizes[column] for column in columns)

    def _noise(self, cells: float, units: float) -> float:
        """How many rows the noise of a question of so many cells moves, twice."""
        return cells * self.purse.mean_noise(units)

    def _pairs(self) -> list[Columns]:
        """The pairs that may be worth asking for: no error is larger than two for each row."""
        every = [pair for pair in combinations(range(len(self.sizes)), 2) if self._fits(pair)]
        return [pair for pair in every if WORTH * self._noise(self._cells(pair), self.for_sets) < 2 * self.rows]

    def _triples(self) -> list[Columns]:
        small = [own for own in range(len(self.sizes)) if self.sizes[own] <= LARGEST_TRIPLE]
        found: list[Columns] = [columns for columns in combinations(small, 3) if self._cells(columns) <= LARGEST_TRIPLE]
        return sorted(found, key=lambda columns: (self._cells(columns), columns))[:MOST_TRIPLES]

    @property
    def are_worth_it(self) -> bool:
        """Whether some sets may be told from noise."""
        if self.target is not None and self._links():
            return True
        return bool(self.pairs) and self._noise(self.typical, self.for_sets) <= DROWNED * self.rows

    def _links(self) -> list[Columns]:
        """The pairs with the target that may be told from noise."""
        own = [pair for pair in self.pairs if self.target in pair]
        return [pair for pair in own if self._noise(self._cells(pair), self.for_sets) <= DROWNED * self.rows]

    def run(self, progress: Progress | None) -> None:
        """Spend what is left on sets, as long as some are worth it."""
        drowned = self._noise(self.typical, self.for_sets) > DROWNED * self.rows
        planned, rounds = (1, 1) if drowned else self._schedule()
        weights = [1 / number for number in range(1, rounds + 1)]
        for number in range(rounds):
            last = number == rounds - 1
            kept = self.for_choices * (rounds - number - 1) // rounds
            choice = max(1, self.for_choices // rounds // planned)
            now = self.purse.left - kept - choice * planned
            units = now if last else int(now * weights[number] / sum(weights[number:]))
            if number == 1:
                self.pairs += self._triples()
            chosen = self._chosen(self._links() if drowned else self.pairs, planned, choice, units, first=number == 0)
            if not chosen and last:
                chosen = list(self.measured)
            if chosen:
                self._ask(chosen, self.purse.left if last else units)
            else:
                planned = max(planned // 2, 1)
            if progress is not None:
                progress(number + 1, rounds)
        self.asked.model = self.model if self.measured else None

    def _schedule(self) -> tuple[int, int]:
        """How many sets are chosen in a round at most, and how many rounds there are."""
        planned = len(self.sizes) - 1
        rounds = next(
            (
                number
                for number in range(MOST_ROUNDS, FEWEST_ROUNDS, -1)
                if self._noise(self.typical, self.for_sets / number / planned) <= PRECISE * self.rows
            ),
            FEWEST_ROUNDS,
        )
        first = self.for_sets / sum(1 / number for number in range(1, rounds + 1))
        while planned > 1 and (
            self._noise(self.typical, first / planned) > DROWNED * self.rows
            or self.purse.doubt(self.for_choices / rounds / planned) > DOUBTFUL * self.rows
        ):
            planned -= 1
        while rounds > 1 and self.purse.doubt(self.for_choices / rounds) > DOUBTFUL * self.rows:
            rounds -= 1
        return planned, rounds

    def _chosen(self, candidates: Sequence[Columns], planned: int, choice: int, units: int, *, first: bool) -> list[Columns]:
        """Sets that make no circle, chosen one by one against stopping, whose score is 0."""
        open_sets = [columns for columns in candidates if self._fits(columns)]
        scores = self._scores(open_sets, planned, units)
        group = list(range(len(self.sizes)))
        chosen: list[Columns] = []
        for turn in range(planned):
            among = [columns for columns in open_sets if len({group[column] for column in columns}) > 1 and columns not in chosen]
            links = [columns for columns in among if self.target in columns] if first and turn < TARGET_LINKS else []
            among = links or among
            if not among:
                break
            listed = [scores[columns] for columns in among] + ([] if links and turn == 0 else [0])
            self.choices += 1
            name = f"choice {self.choices}"
            self.purse.pay([(name, choice, "which columns the model gets wrong, or none")])
            found = select(self.purse.account, name, scores=listed)
            if found == len(among):
                break
            if cells_needed([*self.measured, *chosen, among[found]], self.sizes) > LARGEST_MODEL:
                open_sets.remove(among[found])
                continue
            chosen.append(among[found])
            roots = {group[column] for column in among[found]}
            group = [min(roots) if own in roots else own for own in group]
        return chosen

    def _fits(self, columns: Columns) -> bool:
        """Whether the model stays small enough with one more set; the bound adds all but the largest column to every clique."""
        own = sorted(self.sizes[column] for column in columns)
        if self.cells * prod(own[:-1]) <= LARGEST_MODEL or any({*columns} <= {*clique} for clique in self.model.cliques):
            return True
        return cells_needed([*self.measured, columns], self.sizes) <= LARGEST_MODEL

    def _scores(self, candidates: Sequence[Columns], planned: int, units: int) -> dict[Columns, int]:
        """How wrong the model is about each set, less a part of the noise that asking would add; in whole rows."""
        self._count(candidates)
        says = self.said = self._says(candidates)
        typical = planned * self.typical**0.5
        scores = {}
        for columns in candidates:
            cells = self._cells(columns)
            noise = self._noise(cells, max(1.0, units * min(cells**0.5 / typical, 1.0)))
            wrong = int(np.abs(self.truth[columns] - np.rint(says[columns]).astype(np.int64)).sum())
            scores[columns] = wrong - int(WORTH * noise)
        return scores

    def _count(self, candidates: Sequence[Columns]) -> None:
        """Count what was not counted before, in one pass over the rows."""
        new = [columns for columns in candidates if columns not in self.truth]
        if new:
            parts = np.split(self.counter.marginals(new), np.cumsum([self._cells(columns) for columns in new])[:-1])
            self.truth |= dict(zip(new, parts, strict=True))

    def _says(self, candidates: Sequence[Columns]) -> Mapping[Columns, Reals]:
        """What the model says of each set, in rows."""
        found: dict[Columns, Reals] = {}
        pool: list[Integers] = []
        for columns in candidates:
            shares = self.model.marginal(columns) if self.measured else self.model.independent(columns)
            if shares is None:
                pool = pool or self.model.dealt(int(np.clip(10 * self.rows, FEWEST_IN_POOL, POOL)), salt=self.asks)
                keys = pool[columns[0]]
                for column in columns[1:]:
                    keys = keys * self.sizes[column] + pool[column]
                shares = np.bincount(keys, minlength=self._cells(columns)) / keys.size
            found[columns] = np.asarray(shares.ravel() * self.rows, dtype=np.float64)
        return found

    def _ask(self, chosen: Sequence[Columns], units: int) -> None:
        """Ask for the chosen sets, and fit the model to all that is known."""
        shares = self.purse.shares(units - len(chosen), [self._cells(columns) for columns in chosen])
        names = [column.name for column in self.asked.schema.all_columns]
        steps = []
        for columns, share in zip(chosen, shares, strict=True):
            self.asks += 1
            steps.append((f"marginal {self.asks}", share, " x ".join(names[column] for column in columns)))
        self.purse.pay(steps)
        for columns, (name, share, _) in zip(chosen, steps, strict=True):
            shape = [self.sizes[column] for column in columns]
            noisy = every_count(self.purse.account, name, self.truth[columns]).astype(np.float64).reshape(shape)
            variance = self.purse.deviation(share) ** 2
            known = self.measured.get(columns)
            self.measured[columns] = (
                Measured(noisy=noisy, variance=variance, expected=self.said[columns].reshape(shape))
                if known is None
                else known.again(noisy, variance)
            )
        self.ones = single_counts(self.noisy, self.variances, self.measured, rows=self.rows)
        self.model, self.cells = (
            Junction(self.ones, targets_of(self.measured, self.ones)),
            cells_needed(self.measured, self.sizes),
        )


# What single columns say before sets are chosen.


def _for_singles(purse: Purse, schema: Schema, rows: float) -> int:
    """The units for single columns: as few as leave their noise small, within bounds."""
    sizes = first_sizes(schema)
    first, most = int(purse.left * FOR_SINGLES), int(purse.left * MOST_FOR_SINGLES)
    for step in range(STEPS):
        units = first + (most - first) * step // STEPS
        noise = [size * purse.mean_noise(share) for size, share in zip(sizes, purse.shares(units, sizes), strict=True)]
        if float(np.mean(noise)) / 2 <= FINE * rows:
            return units
    return most


def _may_be_worth_it(purse: Purse, schema: Schema, rows: float, *, units: int, left: int, target: int | None) -> bool:
    """Whether a typical pair of columns, or one with the target, can be told from noise; no more values than that stand out."""
    sizes = first_sizes(schema)
    deviations = [purse.deviation(share) for share in purse.shares(units, sizes)]
    likely = [min(size, rows / STANDS_OUT / each + 1) for size, each in zip(sizes, deviations, strict=True)]
    noise = purse.mean_noise(left * float(1 - FOR_CHOICES))
    pairs = {pair: likely[pair[0]] * likely[pair[1]] * noise for pair in combinations(range(len(sizes)), 2)}
    linked = [each for pair, each in pairs.items() if target in pair]
    typical = float(np.quantile(list(pairs.values()), TYPICAL)) if pairs else float("inf")
    return min([typical, *linked]) <= DROWNED * rows


def _codes(asked: Asked) -> list[Codes]:
    found = []
    for number, column in enumerate(asked.schema.all_columns):
        groups = groups_of(column.taxonomy, column.tree.place_of) if isinstance(column, Categorical) else ()
        found.append(merged(number, asked.bins[number], asked.counts[number], asked.spreads[number], groups=groups))
    return found
