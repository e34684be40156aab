"""What groups of a table violate a model: for raw tables, for released ones, and for the owner who asks why."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.public.parameters import instance_of
from tacita.tables.columns import Schema
from tacita.tables.histograms import Histograms, combined, group_rows, histograms
from tacita.tables.models import Model, violating
from tacita.tables.parsing import as_models
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords

__all__ = ["Violations", "groups_of", "violations"]

Table = TableRecords | PublishedTable | PublishedBuckets


@dataclass(frozen=True, kw_only=True, eq=False)
class Violations:
    """Which groups violate a model, and how many there are; of a raw table this is private."""

    violated: Booleans = field(repr=False)
    sizes: Integers = field(repr=False)

    def __len__(self) -> int:
        """The number of groups that violate."""
        return int(np.count_nonzero(self.violated))

    def __bool__(self) -> bool:
        """Whether any group violates."""
        return bool(self.violated.any())

    @property
    def groups(self) -> int:
        """The number of all groups."""
        return int(self.sizes.size)

    @property
    def rows(self) -> int:
        """How many rows are in groups that violate."""
        return int(self.sizes[self.violated].sum())


def violations(table: Table, models: str | Model | tuple[Model, ...]) -> Violations:
    """The groups of a raw or published table that violate any of the models.

    >>> from tacita.tables import Numeric, Schema
    >>> ages = TableRecords(schema=Schema(quasi=(Numeric(name="age", low=0, high=99),)), quasi=(np.array([30, 30, 41]),))
    >>> len(violations(ages, "k=2"))
    1
    """
    instance_of(table, TableRecords, PublishedTable, PublishedBuckets, name="a table")
    chosen, schema = as_models(models), table.schema
    for model in chosen:
        if model.needs_sensitive:
            schema.required_sensitive(model.statement())
    found, overall = groups_of(table)
    return Violations(violated=violating(chosen, found, overall, schema), sizes=found.sizes)


def groups_of(table: Table) -> tuple[Histograms, Integers]:
    """The groups of a table with their sensitive values, and the values of the whole table."""
    schema = table.schema
    symbols = 1 if schema.sensitive is None else schema.sensitive.size
    match table:
        case TableRecords():
            group_of, firsts = group_rows(combined(table.quasi, schema.sizes))
            groups, values = firsts.size, table.sensitive
        case PublishedTable():
            group_of, groups, values = table.groups, table.lows.shape[0], table.sensitive
        case PublishedBuckets():
            group_of, values = table.sensitive_buckets, table.sensitive
            groups = int(group_of.max(initial=-1)) + 1
    found = histograms(group_of, values, groups=groups, symbols=symbols)
    return found, _overall(found, schema)


def _overall(found: Histograms, schema: Schema) -> Integers:
    symbols = 1 if schema.sensitive is None else schema.sensitive.size
    return np.bincount(found.values, weights=found.counts, minlength=symbols).astype(np.int64)
