"""The private publisher of tables: top-down partitioning under differential privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.counting import TableCounter
from tacita.errors import BudgetError, ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Plan, PureDP, exact
from tacita.privacy.explanation import Explanation
from tacita.privacy.flood import refuse_flood
from tacita.public.parameters import one_of, whole_number
from tacita.tables.columns import Schema
from tacita.tables.published import PublishedTable, table_of_groups
from tacita.tables.records import TableRecords
from tacita.tables.top_down import Cells, SplitScore, noisy_cells_of, possible_splits, top_down_plan

__all__ = ["TopDown"]

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class TopDown:
    """Publish a table by cutting its columns where a private selection says, and counting what falls together with noise.

    Needs: declared columns; the number of cuts, the share of the budget that choosing them gets, and the score, all fixed without
    a look at the data. Guarantees: epsilon-differential privacy for the whole release, manifest included. Neighbours: adding or
    removing one row, which holds all that the table has of one person. Budget: a share for the selections, in equal parts that
    add up (sequential composition), and the rest for the counts of disjoint cells, of which a row is in one (parallel
    composition). Not covered: how long a run takes; rows of one person that are not joined. Reference: Chen, PhD thesis,
    Concordia University 2012, section 4.3.2 (a proposal without an algorithm); departs from DiffGen (KDD 2011) by exact integer
    scores, permute-and-flip, discrete noise and a threshold in place of noise on all cells.

    >>> print(TopDown(splits=2, share="0.5").explain(PureDP("1")))
    top-down partitioning, epsilon = 1
    top-down: epsilon 1, the sum of
    ├─ cut 1: epsilon 0.25 (which range to cut in two)
    ├─ cut 2: epsilon 0.25 (which range to cut in two)
    └─ cells: epsilon 0.5 (rows of every combination of ranges and sensitive value)
    """

    splits: int = 14
    share: Fraction = Fraction(1, 10)
    score: SplitScore = SplitScore.SKEW

    def __post_init__(self) -> None:
        """Check the public parameters."""
        whole_number(self.splits, name="splits", least=1, most=1000)
        share = exact(self.share, name="share")
        if not 0 < share < 1:
            message = f"share must be above 0 and below 1, got {self.share}"
            raise ParameterError(message)
        object.__setattr__(self, "share", share)
        object.__setattr__(self, "score", one_of(SplitScore, self.score, name="score"))

    def plan(self, budget: Budget, *, schema: Schema | None = None) -> Plan:
        """Where the budget goes."""
        if not isinstance(budget, PureDP):
            message = (
                f"top-down partitioning proves pure differential privacy, so its budget must be PureDP, "
                f"got {type(budget).__name__}"
            )
            raise BudgetError(message)
        if schema is not None and self.score is SplitScore.GAIN:
            schema.required_sensitive("the score gain")
        return top_down_plan(schema, budget, splits=self.splits, share=self.share)

    def explain(self, budget: Budget, *, schema: Schema | None = None) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        facts = () if schema is None else (f"the columns can be cut {possible_splits(schema):,} times",)
        return Explanation(title=f"top-down partitioning, {budget}", plan=self.plan(budget, schema=schema), facts=facts)

    def released(self, records: TableRecords, account: Account) -> PublishedTable:
        """Cut, count, and turn noisy counts into rows; nothing here looks at the records but through the account."""
        schema = records.schema
        symbols = 1 if schema.sensitive is None else schema.sensitive.size
        counter = TableCounter(records.quasi, records.sensitive, sizes=schema.sizes, symbols=symbols)
        return synthetic_rows(schema, noisy_cells_of(counter, account, schema, score=self.score), records)


def synthetic_rows(schema: Schema, cells: Cells, records: TableRecords) -> PublishedTable:
    """As many rows for each cell as its noisy count says; of the records only the file format is used."""
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
    return table_of_groups(schema, lows, highs, group_of, sensitive, file_format=records.file_format)
