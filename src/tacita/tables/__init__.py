"""Tables: one row per person, with quasi-identifiers that others may know and a sensitive value that nobody may learn.

Read in this order: `columns` (what is declared), `records`, `models` (what every group must satisfy), `checking`, then one
publisher after the other (`mondrian`, `full_domain`, `cell_suppression`, `buckets`), `verifying` (the independent check) and
`metrics`.
"""

from tacita.tables.checking import Violations, violations
from tacita.tables.columns import Categorical, Numeric, Schema, Sensitive
from tacita.tables.declarations import declared, read_schema
from tacita.tables.metrics import TableLoss, measure_table
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
from tacita.tables.parsing import parse_models
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords, read_table
from tacita.tables.verified import Bucketize, CellSuppression, FullDomain, Mondrian
from tacita.tables.verifying import VerificationError

__all__ = [
    "AlphaK",
    "Bucketize",
    "Categorical",
    "CellSuppression",
    "ConfidenceBound",
    "DistinctDiversity",
    "EntropyDiversity",
    "FullDomain",
    "KAnonymity",
    "Model",
    "Mondrian",
    "Numeric",
    "PublishedBuckets",
    "PublishedTable",
    "RecursiveDiversity",
    "Schema",
    "Sensitive",
    "TCloseness",
    "TableLoss",
    "TableRecords",
    "VerificationError",
    "Violations",
    "declared",
    "measure_table",
    "parse_models",
    "read_schema",
    "read_table",
    "violations",
]
