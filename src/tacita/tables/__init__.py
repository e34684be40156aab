"""Tables: one row per person, with quasi-identifiers that others may know and sensitive values that nobody may learn.

Read in this order: `values`, `columns` and `schema` (what is declared), `rows` (how rows are encoded), `records` and `blocks` (in
memory, and anywhere), `models` (what every group must satisfy), `checking` (which groups violate them, and what generalization
costs), then one publisher after the other (`marginals`; `mondrian`, `full_domain` and `cell_suppression`, put together with
buckets in `verified`; `top_down`) and `verifying` (the independent check).
"""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.tables.blocks": ("TableInBlocks", "open_table", "read_for_kind"),
    "tacita.tables.checking": ("TableLoss", "Violations", "measure_table", "violations"),
    "tacita.tables.columns": ("Categorical", "Moment", "Numeric", "Otherwise"),
    "tacita.tables.declarations": ("declared", "read_schema"),
    "tacita.tables.guarantee": ("parse_models",),
    "tacita.tables.marginals": ("Independent", "Marginals"),
    "tacita.tables.models": (
        "AlphaK",
        "ConfidenceBound",
        "DistinctDiversity",
        "EntropyDiversity",
        "KAnonymity",
        "Model",
        "RecursiveDiversity",
        "TCloseness",
    ),
    "tacita.tables.published": ("PublishedBuckets", "PublishedTable"),
    "tacita.tables.records": ("CountedTable", "TableReading", "TableRecords", "no_table", "read_table"),
    "tacita.tables.reopening": ("opened_table", "read_published_table"),
    "tacita.tables.schema": ("Schema", "Sensitive", "SensitiveColumns"),
    "tacita.tables.top_down": ("SplitScore", "TopDown"),
    "tacita.tables.verified": ("Bucketize", "CellSuppression", "FullDomain", "Mondrian"),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
