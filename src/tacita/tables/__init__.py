"""Tables: one row per person, with quasi-identifiers that others may know and sensitive values that nobody may learn.

Read in this order: `values`, `columns` and `schema` (what is declared), `records`, `models` (what every group must satisfy),
`checking` (which groups violate them, and what generalization costs), then one publisher after the other (`marginals`;
`mondrian`, `full_domain` and `cell_suppression`, put together with buckets in `verified`; `top_down`) and `verifying` (the
independent check).
"""

from tacita.tables.checking import TableLoss, Violations, measure_table, violations
from tacita.tables.columns import Categorical, Moment, Numeric, Otherwise
from tacita.tables.declarations import declared, read_schema
from tacita.tables.guarantee import parse_models
from tacita.tables.marginals import Independent, Marginals
from tacita.tables.models import (
    AlphaK,
    ConfidenceBound,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    Model,
    RecursiveDiversity,
    TCloseness,
)
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableReading, TableRecords, no_table, read_for_kind, read_table
from tacita.tables.reopening import opened_table, read_published_table
from tacita.tables.schema import Schema, Sensitive, SensitiveColumns
from tacita.tables.top_down import SplitScore, TopDown
from tacita.tables.verified import Bucketize, CellSuppression, FullDomain, Mondrian

__all__ = [
    "AlphaK",
    "Bucketize",
    "Categorical",
    "CellSuppression",
    "ConfidenceBound",
    "DistinctDiversity",
    "EntropyDiversity",
    "FullDomain",
    "Independent",
    "KAnonymity",
    "Marginals",
    "Model",
    "Moment",
    "Mondrian",
    "Numeric",
    "Otherwise",
    "PublishedBuckets",
    "PublishedTable",
    "RecursiveDiversity",
    "Schema",
    "Sensitive",
    "SensitiveColumns",
    "SplitScore",
    "TCloseness",
    "TableLoss",
    "TableReading",
    "TableRecords",
    "TopDown",
    "Violations",
    "declared",
    "measure_table",
    "no_table",
    "opened_table",
    "parse_models",
    "read_for_kind",
    "read_published_table",
    "read_schema",
    "read_table",
    "violations",
]
