"""Top-down partitioning of a table under differential privacy, with the columns to refine chosen by a private selection.

Section 4.3.2 of Chen's thesis proposes to carry DiffPart over to relational data, "by considering the correlations among multiple
taxonomy trees", with the exponential mechanism to choose the attribute to split in each operation. This is that, with one cut per
column for all rows (as in the top-down specialization of Fung, Wang and Yu, ICDE 2005, and DiffGen by Mohammed, Chen, Fung and
Yu, KDD 2011). It begins with everything hidden. Each round has as candidates all ranges that the columns are cut into so far; one
of them is chosen by its score, and cut in two where its public tree parts it. At the end, the rows of every combination of ranges
and sensitive value are counted, with noise.

Scores, all exact, that one row changes by one at the most:

- `skew`: how many rows an even spread over the range would put on the wrong side of the cut. For data whose use is unknown: rows
  are published with ranges, and whoever counts in them spreads them evenly.
- `balance`: how many rows are on the smaller side of the cut.
- `gain`: how many more rows have the most frequent class of their side than have that of the whole range (the thesis's *max*,
  less what the range has uncut, so that a large range is not chosen for its size alone). For classification.

With a part f of the range below the cut, a row below it changes the skew by 1 - f, one above it by f. A row raises the smaller
side by 0 or 1. A row of one class raises the largest class count of its side by 0 or 1, and that of the range by 0 or 1, so the
gain changes by at most one in either direction. Information gain has no exact rational value and Gini's is not of bounded
sensitivity without a division, so neither is offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.arrays import Integers
from tacita.counting import TableCounts
from tacita.errors import ParameterError
from tacita.io import FileFormat
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential, Step, exact, split
from tacita.privacy.laws import Change, Law
from tacita.privacy.limits import refuse_flood
from tacita.privacy.noise import LARGEST_DOMAIN, threshold_passed_by
from tacita.privacy.publishing import Made, PrivateMethod, Progress, require_pure
from tacita.privacy.questions.cells import noisy_cells
from tacita.privacy.questions.selecting import select
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen, whole_number
from tacita.tables.columns import Categorical, Column
from tacita.tables.published import SCHEMA_INPUT, PublishedTable, schema_of, table_of_groups
from tacita.tables.records import CountedTable
from tacita.tables.schema import Schema

__all__ = ["NoisyCells", "SplitScore", "TopDown", "noisy_cells_of", "top_down_plan"]


# Cuts and counts, through an account.


FALSE_CELLS = 1.0
"""How many empty cells may pass the default threshold on average."""

CELLS = "cells"


class SplitScore(StrEnum):
    """By which score the next cut is chosen."""

    SKEW = "skew"
    BALANCE = "balance"
    GAIN = "gain"


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyCells:
    """The ranges that each column was cut into, and the noisy counts of the cells that were kept, by their number."""

    starts: tuple[Integers, ...]
    keys: Integers
    counts: Integers


def split_name(number: int) -> str:
    """The name of a selection in the plan."""
    return f"cut {number + 1}"


def possible_splits(schema: Schema) -> int:
    """How many cuts there can be: one less than there are places, for each column."""
    return sum(size - 1 for size in schema.sizes)


def top_down_plan(schema: Schema | None, budget: Budget, *, splits: int, share: Fraction) -> Plan:
    """Where the budget goes: equal parts of a share for the selections, the rest for the counts."""
    rounds = splits if schema is None else min(splits, possible_splits(schema))
    if not rounds:
        return Step(name=CELLS, epsilon=budget.epsilon, note="rows of every combination of ranges and sensitive value")
    for_splits = budget.epsilon * share
    parts = [
        Step(name=split_name(number), epsilon=epsilon, note="which range to cut in two")
        for number, epsilon in enumerate(split(for_splits, [1] * rounds))
    ]
    cells = Step(name=CELLS, epsilon=budget.epsilon - for_splits, note="rows of every combination of ranges and sensitive value")
    return Sequential(name="top-down", parts=(*parts, cells))


def noisy_cells_of(
    counter: TableCounts, account: Account, schema: Schema, *, score: SplitScore, progress: Progress | None = None
) -> NoisyCells:
    """Cut as the plan of the account says, then count."""
    symbols = 1 if schema.sensitive is None else schema.sensitive.size
    starts = [[0] for _ in schema.quasi]
    steps = [step for step in account.plan.steps() if step.name != CELLS]
    for number, step in enumerate(steps, start=1):
        candidates = list(_candidates(schema, starts))
        scores = [_score(counter, score, *candidate) for candidate in candidates]
        column, _, cut, _ = candidates[select(account, step.name, scores=scores)]
        starts[column] = sorted([*starts[column], cut])
        if progress is not None:
            progress(number, len(steps))
    cuts = tuple(np.array(column, dtype=np.int64) for column in starts)
    domain = _domain(cuts, symbols)
    epsilon = account.planned(CELLS).epsilon
    keys, counts = counter.cell_counts(cuts)
    kept = noisy_cells(account, CELLS, keys=keys, counts=counts, domain=domain, threshold=cell_threshold(domain, epsilon))
    return NoisyCells(starts=cuts, keys=kept.keys, counts=kept.values)


def cell_threshold(domain: int, epsilon: Fraction) -> int:
    """The noisy count that a cell must reach to be kept, so that empty ones hardly ever do."""
    return threshold_passed_by(min(0.5, FALSE_CELLS / domain), epsilon)


def _domain(cuts: Sequence[Integers], symbols: int) -> int:
    domain = symbols
    for starts in cuts:
        domain *= int(starts.size)
    if domain >= LARGEST_DOMAIN:
        message = "a table with so many cuts has more cells than can be numbered; ask for fewer cuts"
        raise ParameterError(message)
    return domain


def _candidates(schema: Schema, starts: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, int, int]]:
    """Every range of every column that can be cut: the column, where it begins, where it is cut, and where it ends."""
    for place, (column, begins) in enumerate(zip(schema.quasi, starts, strict=True)):
        for low, high in zip(begins, [*begins[1:], column.size], strict=True):
            if high - low > 1:
                yield place, low, _cut(column, low, high), high


def _cut(column: Column, low: int, high: int) -> int:
    """Where a range is cut: between the children of its node, or in the middle."""
    if isinstance(column, Categorical):
        return int(column.tree.cuts(np.array([low]), np.array([high - 1]))[0])
    return (low + high) // 2


def _score(counter: TableCounts, score: SplitScore, column: int, low: int, cut: int, high: int) -> int | Fraction:
    left, right = counter.class_counts(column, low, cut), counter.class_counts(column, cut, high)
    if score is SplitScore.SKEW:
        return abs(int(left.sum()) - Fraction(int(left.sum() + right.sum()) * (cut - low), high - low))
    if score is SplitScore.BALANCE:
        return min(int(left.sum()), int(right.sum()))
    return int(left.max()) + int(right.max()) - int((left + right).max())


# The publisher.


@dataclass(frozen=True, kw_only=True)
class TopDown(PrivateMethod[CountedTable, PublishedTable]):
    """Publish a table by cutting its columns where a private selection says, and counting what falls together with noise.

    Needs: declared columns; the number of cuts, the share of the budget that choosing them gets, and the score, all fixed without
    a look at the data. Guarantees: epsilon-differential privacy for the whole release, manifest included. Neighbours: adding or
    removing one row; of a person with several rows, named by a column, at most a cap are kept, and the person is protected, and
    the ledger charged, at that many times epsilon. Budget: a share for the selections, in equal parts that add up (sequential
    composition), and the rest for the counts of disjoint cells, of which a row is in one (parallel composition). Not covered: how
    long a run takes; several rows of a person where no column says whose they are. Reference: Chen, PhD thesis, Concordia
    University 2012, section 4.3.2 (a proposal without an algorithm); departs from DiffGen (KDD 2011) by exact integer scores,
    permute-and-flip, discrete noise and a threshold in place of noise on all cells.

    >>> from tacita import PureDP
    >>> print(TopDown(splits=2, share="0.5").explain(PureDP("1")))
    top-down partitioning, epsilon = 1
    top-down: epsilon 1, the sum of
    ├─ cut 1: epsilon 0.25 (which range to cut in two)
    ├─ cut 2: epsilon 0.25 (which range to cut in two)
    └─ cells: epsilon 0.5 (rows of every combination of ranges and sensitive value)
    """

    name: ClassVar[str] = "top-down"
    takes: ClassVar[type] = CountedTable

    splits: int = 14
    share: Fraction = Fraction(1, 10)
    score: Chosen[SplitScore] = Chosen(SplitScore, SplitScore.SKEW)

    def __post_init__(self) -> None:
        """Check the public parameters."""
        whole_number(self.splits, name="splits", least=1, most=1000)
        share = exact(self.share, name="share")
        if not 0 < share < 1:
            message = f"share must be above 0 and below 1, got {self.share}"
            raise ParameterError(message)
        object.__setattr__(self, "share", share)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        require_pure(budget, public, method="top-down partitioning proves")
        schema = schema_of(public) if SCHEMA_INPUT in public.others else None
        if schema is not None:
            schema.refuse_missing("top-down")
        if schema is not None and self.score is SplitScore.GAIN:
            schema.required_sensitive("the score gain")
        return top_down_plan(schema, budget, splits=self.splits, share=self.share)

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one protected unit changes what a step asks; None for a step that there is not."""
        if step == CELLS:
            return Change()
        return Change(law=Law.CHOICE) if step.startswith("cut ") else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        plan = self.plan(budget, public)
        facts = (
            () if SCHEMA_INPUT not in public.others else (f"the columns can be cut {possible_splits(schema_of(public)):,} times",)
        )
        return Explanation(title=f"top-down partitioning, {budget}", plan=plan, facts=facts)

    def _made(self, records: CountedTable, account: Account, _budget: Budget, progress: Progress | None) -> Made[PublishedTable]:
        """Ask, and build the data from the answers; `progress` is told of each cut that is chosen."""
        cells = noisy_cells_of(records.counts(), account, records.schema, score=self.score, progress=progress)
        return Made(
            data=synthetic_rows(records.schema, cells, file_format=records.file_format, separator=records.separator),
            rules=("cells with a noisy count below their threshold were dropped, empty ones included",),
        )


def synthetic_rows(schema: Schema, cells: NoisyCells, *, file_format: FileFormat, separator: str | None = None) -> PublishedTable:
    """As many rows for each cell as its noisy count says."""
    refuse_flood(float(cells.counts.sum(dtype=np.float64)) * len(schema.names))
    symbols = 1 if schema.sensitive is None else schema.sensitive.size
    places, classes = cells.keys // symbols, cells.keys % symbols
    lows = np.zeros((places.size, len(schema.quasi)), dtype=np.int64)
    highs = np.zeros_like(lows)
    for column in range(len(schema.quasi) - 1, -1, -1):
        starts = cells.starts[column]
        which = places % starts.size
        places = places // starts.size
        lows[:, column] = starts[which]
        highs[:, column] = np.append(starts[1:], schema.sizes[column])[which]
    group_of = np.repeat(np.arange(cells.keys.size), cells.counts)
    sensitive = None if schema.sensitive is None else classes[group_of]
    return table_of_groups(schema, lows, highs, group_of, sensitive, file_format=file_format, separator=separator)
