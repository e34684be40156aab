"""Asking for sets of columns, chosen round by round: the part of `marginals` that follows single columns.

Everything that is decided here depends on noisy answers and public numbers only. A row is in one cell of every marginal, so one
marginal costs what one count costs, and several add up. The score of a set of columns is the L1 distance between its true counts
and what the model says of them, in whole numbers: a row changes one count by 1, and so the score by at most 1. What is taken off
for noise is public.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod, sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.counting import MarginalCounts, TableCounts
from tacita.privacy.questions.cells import every_count
from tacita.privacy.questions.selecting import select
from tacita.tables.column_questions import (
    FOR_ROWS,
    Asked,
    Prices,
    Purse,
    ask_all_singles,
    ask_bins,
    ask_rows,
    ask_singles,
    first_sizes,
    for_ranges,
)
from tacita.tables.columns import Categorical, Column
from tacita.tables.schema import Schema, Sensitive
from tacita.tables.synthesis.columns import STANDS_OUT, Codes, groups_of, levels_of, merged
from tacita.tables.synthesis.estimates import Measured, freedom, single_counts, targets_of
from tacita.tables.synthesis.junction import Columns, Junction, cells_needed
from tacita.tables.synthesis.views import Marginal, Views, grouped, views_of_nodes, views_of_order

__all__ = ["Intended", "ask_marginals", "intended"]

DROWNED = 0.3
"""So many sets are asked for that what a typical pair loses, by the noise of its columns, its own and a doubtful choice, moves
fewer of the rows. With 0.15, pairs are left out that are worth their noise; with 0.4 or more, noise is bought."""

FINE, DOUBTFUL = 0.01, 0.1
"""Single columns get no more than moves fewer of the rows in one, and choices no more than leaves them in doubt about fewer."""

LEAST_PERCENT = 15
"""The least share for either, beside the one that balances all losses if that is smaller."""

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
    left = purse.left - for_ranges(schema)
    units = intended(purse.prices, schema, units=left, rows=rows, target=target).for_singles
    are_seen = rows >= STANDS_OUT * purse.prices.deviation(FOR_ROWS)  # or noise alone may explain their number
    if not are_seen or units == left:
        return ask_all_singles(counter, purse, schema)
    asked = ask_bins(counter, purse, schema, units=units)
    asked.codes = _codes(asked)
    rounds = _Rounds(counter=counter, purse=purse, asked=asked, target=target)
    if rounds.are_worth_it:
        rounds.run(progress)
    if asked.model is None:  # no set was worth its noise
        ask_singles(counter, purse, asked, units=purse.left - len(asked.bins))
    return asked


@dataclass(eq=False)
class _Rounds:
    """Choosing sets of columns, asking for them, and fitting the model, again and again."""

    counter: TableCounts
    purse: Purse
    asked: Asked
    target: int | None
    measured: dict[Marginal, Measured] = field(default_factory=dict)
    truth: dict[Marginal, Integers] = field(default_factory=dict)
    said: Mapping[Marginal, Reals] = field(default_factory=dict)
    counters: dict[int, MarginalCounts] = field(default_factory=dict)
    choices: int = 0
    asks: int = 0

    def __post_init__(self) -> None:
        """Begin with independent columns."""
        self.sizes, self.rows = [codes.size for codes in self.asked.codes], self.asked.rows
        self.noisy = [codes.noisy for codes in self.asked.codes]
        self.variances = [codes.variances for codes in self.asked.codes]
        self.views = Views(
            [_views(codes, column) for codes, column in zip(self.asked.codes, self.asked.schema.all_columns, strict=True)]
        )
        self.ones = single_counts(self.noisy, self.variances, [], rows=self.rows)
        self.model, self.cells = self._fitted()
        self.for_choices, self.for_sets = 0, self.purse.left
        self.pairs = self._pairs()
        singles = float(np.mean([np.sqrt(own.spreads).sum() for own in self.asked.codes]))
        whole = [self._weight(pair) for pair in self.pairs if not pair.level]
        self.typical = float(np.quantile(whole, TYPICAL)) if whole else 0.0
        left = _left(self.rows, singles)
        self.intended = _batches(self.purse.prices, self.purse.left, cells=self.typical, columns=len(self.sizes), rows=left)

    def _noise(self, marginal: Marginal, units: float) -> float:
        """How many rows the noise of a marginal moves, twice, once it agrees with the counts of single columns."""
        return self._weight(marginal) * self.purse.prices.mean_noise(units)

    def _weight(self, marginal: Marginal) -> float:
        return _weight(self.views.shape(marginal))

    def _pairs(self) -> list[Marginal]:
        """The pairs that may be worth asking for: no error is larger than two for each row."""
        views = [view for pair in combinations(range(len(self.sizes)), 2) for view in self.views.of_columns(pair)]
        return [pair for pair in views if self._fits(pair) and WORTH * self._noise(pair, self.for_sets) < 2 * self.rows]

    def _triples(self) -> list[Marginal]:
        """The finest views of triples that have few cells."""
        found = []
        for columns in combinations(range(len(self.sizes)), 3):
            small = (view for view in self.views.of_columns(columns) if self.views.cells(view) <= LARGEST_TRIPLE)
            if (view := next(small, None)) is not None:
                found.append(view)
        return sorted(found, key=lambda view: (self.views.cells(view), view.columns))[:MOST_TRIPLES]

    @property
    def are_worth_it(self) -> bool:
        """Whether some sets may be told from noise."""
        if self.target is not None and self._links():
            return True
        return bool(self.pairs) and self.intended.planned > 0

    def _links(self) -> list[Marginal]:
        """The pairs with the target that may be told from noise."""
        own = [pair for pair in self.pairs if self.target in pair.columns]
        return [pair for pair in own if self._noise(pair, self.for_sets) <= DROWNED * self.rows]

    def run(self, progress: Progress | None) -> None:
        """Spend what is left on sets, as long as some are worth it."""
        drowned = not self.intended.planned
        planned, rounds = (1, 1) if drowned else (self.intended.planned, self.intended.rounds)
        losses = _losses(self.purse.prices, self.purse.left, cells=self.typical, sets=planned * rounds)
        enough = _enough(lambda share: self.purse.prices.lost(losses[1], share) <= DOUBTFUL * self.rows)
        self.for_choices = int(self.purse.left * min(enough, self.purse.prices.balanced(losses)[1]))
        self.for_sets = self.purse.left - self.for_choices
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

    def _chosen(self, candidates: Sequence[Marginal], planned: int, choice: int, units: int, *, first: bool) -> list[Marginal]:
        """Sets that make no circle, chosen one by one against stopping, whose score is 0."""
        open_sets = [each for each in candidates if self._fits(each)]
        scores = self._scores(open_sets, planned, units)
        group = list(range(len(self.sizes)))
        chosen: list[Marginal] = []
        for turn in range(planned):
            among = [each for each in open_sets if len({group[column] for column in each.columns}) > 1]
            links = [each for each in among if self.target in each.columns] if first and turn < TARGET_LINKS else []
            among = links or among
            if not among:
                break
            listed = [scores[each] for each in among] + ([] if links and turn == 0 else [0])
            self.choices += 1
            name = f"choice {self.choices}"
            self.purse.pay([(name, choice, "which columns the model gets wrong, or none")])
            found = select(self.purse.account, name, scores=listed)
            if found == len(among):
                break
            columns = among[found].columns
            if self._cells([*self.measured, *chosen, among[found]]) > LARGEST_MODEL:
                open_sets.remove(among[found])
                continue
            chosen.append(among[found])
            roots = {group[column] for column in columns}
            group = [min(roots) if own in roots else own for own in group]
        return chosen

    def _fits(self, marginal: Marginal) -> bool:
        """Whether the model stays small enough with one more set."""
        more = self.model.cells_more(self.model.nodes.of(marginal), self.views.shape(marginal))
        if marginal in self.measured or self.cells + more <= LARGEST_MODEL:
            return True
        return self._cells([*self.measured, marginal]) <= LARGEST_MODEL

    def _scores(self, candidates: Sequence[Marginal], planned: int, units: int) -> dict[Marginal, int]:
        """How wrong the model is about each set, less a part of the noise that asking would add; in whole rows."""
        self._count(candidates)
        says = self.said = self._says(candidates)
        typical = planned * max(self.typical, 1.0) ** 0.5
        scores = {}
        for each in candidates:
            noise = self._noise(each, max(1.0, units * min(self._weight(each) ** 0.5 / typical, 1.0)))
            wrong = int(np.abs(self.truth[each] - np.rint(says[each]).astype(np.int64)).sum())
            scores[each] = wrong - int(WORTH * noise)
        return scores

    def _count(self, candidates: Sequence[Marginal]) -> None:
        """Count what was not counted before: one pass over the rows for each level of views that a finer one does not tell."""
        for level in sorted({each.level for each in candidates}):
            new = [each for each in candidates if each.level == level and each not in self.truth]
            passed = []
            for each in new:
                finer = next((view for view in self.views.finer(each) if view in self.truth), None)
                if finer is None:
                    passed.append(each)
                else:
                    self.truth[each] = self.views.regrouped(self.truth[finer], finer, each)
            if passed:
                counts = self._counter(level).marginals([each.columns for each in passed])
                parts = np.split(counts, np.cumsum([self.views.cells(each) for each in passed])[:-1])
                self.truth |= dict(zip(passed, parts, strict=True))

    def _counter(self, level: int) -> MarginalCounts:
        """What counts by one level of views."""
        if level not in self.counters:
            self.counters[level] = self.counter.coded(
                [codes.coding(self.views.of(Marginal((column,), level))[0]) for column, codes in enumerate(self.asked.codes)]
            )
        return self.counters[level]

    def _says(self, candidates: Sequence[Marginal]) -> Mapping[Marginal, Reals]:
        """What the model says of each set, in rows."""
        nodes = self.model.nodes
        whole: dict[Columns, Reals | None] = {}
        found: dict[Marginal, Reals] = {}
        pool: list[Integers] = []
        for each in candidates:
            own = nodes.of(each)
            if own not in whole:
                whole[own] = self.model.marginal(own) if self.measured else self.model.independent(own)
            known, groups = whole[own], self.views.of(each)
            if known is not None:
                shares = grouped(known, [nodes.every[number].grouped(group) for number, group in zip(own, groups, strict=True)])
            else:
                pool = pool or self.model.dealt(int(np.clip(10 * self.rows, FEWEST_IN_POOL, POOL)), salt=self.asks)
                shape = self.views.shape(each)
                drawn = [group[pool[nodes.whole[column]]] for group, column in zip(groups, each.columns, strict=True)]
                shares = np.bincount(np.ravel_multi_index(drawn, shape), minlength=prod(shape)) / drawn[0].size
            found[each] = np.asarray(shares.ravel() * self.rows, dtype=np.float64)
        return found

    def _ask(self, chosen: Sequence[Marginal], units: int) -> None:
        """Ask for the chosen sets, and fit the model to all that is known."""
        shares = self.purse.prices.shares(units - len(chosen), [self.views.cells(each) for each in chosen])
        names = [column.name for column in self.asked.schema.all_columns]
        steps = []
        for each, share in zip(chosen, shares, strict=True):
            self.asks += 1
            own = [names[column] for column in each.columns]
            steps.append((f"marginal {self.asks} {' x '.join(map(repr, own))}", share, " x ".join(own)))
        self.purse.pay(steps)
        for each, (name, share, _) in zip(chosen, steps, strict=True):
            shape = self.views.shape(each)
            noisy = every_count(self.purse.account, name, self.truth[each]).astype(np.float64).reshape(shape)
            variance = self.purse.prices.deviation(share) ** 2
            known = self.measured.get(each)
            self.measured[each] = (
                known.again(noisy, variance)
                if known is not None
                else Measured(
                    columns=each.columns,
                    groups=self.views.of(each),
                    noisy=noisy,
                    variance=variance,
                    expected=self.said[each].reshape(shape),
                )
            )
        self.ones = single_counts(self.noisy, self.variances, self.measured.values(), rows=self.rows)
        self.model, self.cells = self._fitted()

    def _fitted(self) -> tuple[Junction, int]:
        """A model of all that is known, and how many cells it has."""
        nodes = self.views.nodes(self.measured)
        ones = [grouped(self.ones[node.column], [node.group]) for node in nodes.every]
        likely = targets_of(self.measured.values(), self.ones)
        targets = {nodes.of(each): target for each, target in zip(self.measured, likely, strict=True)}
        return Junction(ones, targets, nodes=nodes), self._cells(self.measured)

    def _cells(self, marginals: Collection[Marginal]) -> int:
        """How many cells a model of these marginals has."""
        nodes = self.views.nodes(marginals)
        return cells_needed([*map(nodes.of, marginals), *nodes.chains], nodes.sizes)


# What single columns say before sets are chosen.


@dataclass(frozen=True, kw_only=True)
class Intended:
    """What is going to be asked, as far as the number of rows decides it."""

    planned: int
    """How many sets are chosen in a round at most; 0 if even one is not worth its noise."""
    rounds: int
    for_singles: int = 0
    """The units for single columns: all of them if nothing else is asked."""


def intended(prices: Prices, schema: Schema, *, units: int, rows: float, target: int | None = None) -> Intended:
    """How units are divided between single columns and sets of them, for about so many rows.

    In the mean over all pairs of columns, a pair has the noise of two single columns, whose squares add up; the noise of the
    chosen sets, and the doubt about choices, is in one pair of 2 / columns. Shares make the sum of these least. Only values that
    stand out from noise are likely to have codes of their own.
    """
    sizes = first_sizes(schema)
    shares = prices.shares(units, sizes)
    alone = float(np.mean([size * prices.mean_noise(share) for size, share in zip(sizes, shares, strict=True)]))
    singles = sqrt(2) * alone
    likely = [min(size, rows / STANDS_OUT / prices.deviation(share) + 1) for size, share in zip(sizes, shares, strict=True)]
    pairs = {pair: _weight([likely[column] for column in pair]) for pair in combinations(range(len(sizes)), 2)}
    cells = float(np.quantile(list(pairs.values()), TYPICAL)) if pairs else 0.0
    linked = min((each for pair, each in pairs.items() if target in pair), default=0.0)
    enough = _enough(lambda share: prices.lost(alone, share) / 2 <= FINE * rows)
    found, for_singles = Intended(planned=0, rounds=0), units // 2
    for _ in range(SETTLED):
        left = _left(rows, prices.lost(singles, max(for_singles, 1) / units))
        found = _batches(prices, units - for_singles, cells=cells, columns=len(sizes), rows=left)
        if not found.planned and (not linked or _drown(prices, units - for_singles, cells=linked, sets=1, rows=rows)):
            return replace(found, for_singles=units)
        sets = _losses(prices, units, cells=cells, sets=max(found.planned * found.rounds, 1))
        for_singles = int(units * prices.balanced([singles, *(2 / len(sizes) * loss for loss in sets)])[0])
        for_singles = min(for_singles, int(units * enough))
    return replace(found, for_singles=for_singles)


SETTLED = 3
"""How often shares and numbers of sets, which depend on each other, are computed in turn."""


def _weight(sizes: Sequence[float]) -> float:
    """How many noisy counts move as many rows as those of a marginal that agrees with the counts of its single columns."""
    return prod(sizes) * sqrt(freedom(sizes))


def _left(rows: float, singles: float) -> float:
    """So many rows may sets be precise for, if the noise of two single columns moves some of those that may be moved."""
    return rows - singles / DROWNED


def _enough(is_fine: Callable[[float], bool]) -> float:
    """The least share that is enough, or all."""
    return next((percent / 100 for percent in range(LEAST_PERCENT, 100) if is_fine(percent / 100)), 1.0)


def _losses(prices: Prices, units: float, *, cells: float, sets: int) -> tuple[float, float]:
    """What noise in so many cells loses, and a doubtful choice, if each of the sets has its part of all units; in rows."""
    return cells * prices.mean_noise(units / sets), prices.doubt(units / sets)


def _drown(prices: Prices, units: float, *, cells: float, sets: int, rows: float) -> bool:
    """Whether a typical set loses too many of the rows, with the best shares for sets and for choosing them."""
    losses = _losses(prices, units, cells=cells, sets=sets)
    lost = [prices.lost(loss, share) for loss, share in zip(losses, prices.balanced(losses), strict=True)]
    return sum(lost) > DROWNED * rows


def _batches(prices: Prices, units: float, *, cells: float, columns: int, rows: float) -> Intended:
    """As many rounds as pairs of so many cells are precise in, and fewer rounds, then fewer sets in one, if they drown."""
    planned = columns - 1 if cells else 0
    if not planned:
        return Intended(planned=0, rounds=0)
    are_precise = (
        number
        for number in range(MOST_ROUNDS, FEWEST_ROUNDS, -1)
        if _losses(prices, units, cells=cells, sets=number * planned)[0] <= PRECISE * rows
    )
    rounds = next(are_precise, FEWEST_ROUNDS)
    while rounds > 1 and _drown(prices, units, cells=cells, sets=planned * rounds, rows=rows):
        rounds -= 1
    while planned and _drown(prices, units, cells=cells, sets=planned * rounds, rows=rows):
        planned -= 1
    return Intended(planned=planned, rounds=rounds)


def _views(codes: Codes, column: Column | Sensitive) -> list[Integers]:
    """How a column may be looked at: by its order, or by its taxonomy."""
    if isinstance(column, Categorical):
        return views_of_nodes(codes, levels_of(column.taxonomy, column.tree.place_of))
    if isinstance(column, Sensitive):
        return views_of_order(codes, missing=False) if column.ordered else [np.arange(codes.size)]
    return views_of_order(codes, missing=column.missing)


def _codes(asked: Asked) -> list[Codes]:
    found = []
    for number, column in enumerate(asked.schema.all_columns):
        groups = groups_of(column.taxonomy, column.tree.place_of) if isinstance(column, Categorical) else ()
        found.append(merged(number, asked.bins[number], asked.counts[number], asked.spreads[number], groups=groups))
    return found
