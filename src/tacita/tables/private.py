"""The private publisher of tables: top-down partitioning under differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.errors import ParameterError
from tacita.io import FileFormat
from tacita.privacy.budget import Budget, Plan, exact
from tacita.privacy.explanation import Explanation
from tacita.privacy.flood import refuse_flood
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.neighbours import Neighbours
from tacita.privacy.publishing import Progress, charged, parameters_of, private_release, require_pure, require_records_of
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import one_of, whole_number
from tacita.tables.columns import Schema
from tacita.tables.published import SCHEMA_INPUT, PublishedTable, schema_of, table_of_groups
from tacita.tables.records import TableRecords
from tacita.tables.top_down import NoisyCells, SplitScore, noisy_cells_of, possible_splits, top_down_plan

__all__ = ["TopDown"]


@dataclass(frozen=True, kw_only=True)
class TopDown:
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

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        require_pure(budget, public, method="top-down partitioning proves")
        schema = schema_of(public) if SCHEMA_INPUT in public.others else None
        if schema is not None and self.score is SplitScore.GAIN:
            schema.required_sensitive("the score gain")
        return top_down_plan(schema, budget, splits=self.splits, share=self.share)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        plan = self.plan(budget, public)
        facts = (
            () if SCHEMA_INPUT not in public.others else (f"the columns can be cut {possible_splits(schema_of(public)):,} times",)
        )
        return Explanation(title=f"top-down partitioning, {budget}", plan=plan, facts=facts)

    def publish(
        self,
        records: TableRecords,
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Progress | None = None,
    ) -> Release[PublishedTable]:
        """Publish the records, spending the whole budget; `progress` is told of each cut that is chosen."""
        require_records_of(records, TableRecords, method="top-down")
        plan = self.plan(budget, records.public)
        with charged(records, "top-down", plan, ledger=ledger, neighbours=neighbours) as account:
            cells = noisy_cells_of(records.counts(), account, records.schema, score=self.score, progress=progress)
            return private_release(
                records,
                synthetic_rows(records.schema, cells, file_format=records.file_format),
                account,
                budget=budget,
                parameters=parameters_of(self),
                rules=("cells with a noisy count below their threshold were dropped, empty ones included",),
            )


def synthetic_rows(schema: Schema, cells: NoisyCells, *, file_format: FileFormat) -> PublishedTable:
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
    return table_of_groups(schema, lows, highs, group_of, sensitive, file_format=file_format)
