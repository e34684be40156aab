"""Which groups of a raw or published table violate a model, and what generalization cost.

The first part answers for raw tables, for released ones, and for the owner who asks why. The second is for the owner only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.public.parameters import instance_of
from tacita.tables.columns import Categorical
from tacita.tables.guarantee import as_models
from tacita.tables.histograms import Histograms, combined, group_rows, histograms
from tacita.tables.models import Model, violating
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords
from tacita.tables.schema import Schema
from tacita.tables.trees import node_ranges

__all__ = ["TableLoss", "Violations", "groups_of", "measure_table", "violations"]

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


# What generalization costs (section 2.3): ILoss, discernibility, classification and the number of steps up the taxonomies.
#
# These figures compare a published table with the raw one, so they are for the owner only.
#
# - `iloss`: a cell that could be one of v values of a column with d values loses (v - 1) / d (Xiao and Tao, SIGMOD 2006, [124]
#   of the thesis); the mean over all cells of all people, where a person who was left out loses (d - 1) / d in every cell.
# - `discernibility`: every row costs as many as there are rows that look like it; a person who was left out costs all of them
#   (Bayardo and Agrawal, ICDE 2005; the thesis cites Skowron).
# - `classification`: the share of people whose sensitive value (the class) is not the most frequent one of their group, or who
#   were left out (Iyengar, KDD 2002).
# - `steps`: how many steps up its taxonomy each categorical cell was moved, in sum (the minimal distortion of section 2.3.1).


@dataclass(frozen=True, kw_only=True)
class TableLoss:
    """What a published table has lost. For the owner only."""

    raw_rows: int
    released_rows: int
    groups: int
    iloss: float
    discernibility: int
    classification: float | None
    steps: int

    def __str__(self) -> str:
        """Render for a terminal."""
        rows = [(name.replace("_", " "), value) for name, value in self._figures().items()]
        lines = [f"{name:<24}{value:>16,.4f}" if isinstance(value, float) else f"{name:<24}{value:>16,}" for name, value in rows]
        return "\n".join([OWNER_ONLY, "", *lines])

    def as_json(self) -> dict[str, object]:
        """The figures for scripts, with the same warning."""
        return {"warning": OWNER_ONLY, **self._figures()}

    def _figures(self) -> dict[str, int | float]:
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in found.items() if value is not None}


def measure_table(records: TableRecords, published: PublishedTable) -> TableLoss:
    """Compare a published table with the raw one that it was made from."""
    instance_of(records, TableRecords, name="the raw table")
    instance_of(published, PublishedTable, name="the published table")
    raw, rows = len(records), len(published)
    missing = max(0, raw - rows)
    sizes = published.sizes
    domains = np.array(records.schema.sizes)
    widths = np.stack([published.widths(place) for place in range(domains.size)], axis=1)
    lost = ((widths - 1) / domains).mean(axis=1)
    hidden = float(((domains - 1) / domains).mean())
    total = max(1, rows + missing)
    return TableLoss(
        raw_rows=raw,
        released_rows=rows,
        groups=int(sizes.size),
        iloss=float((lost * sizes).sum() + hidden * missing) / total,
        discernibility=int((sizes * sizes).sum()) + missing * raw,
        classification=_misclassified(published, missing) / total if published.sensitive is not None else None,
        steps=_steps(published),
    )


def _misclassified(published: PublishedTable, missing: int) -> int:
    found, _ = groups_of(published)
    return int(found.sizes.sum() - found.largest().sum()) + missing


def _steps(published: PublishedTable) -> int:
    """Summed over all categorical cells: the depth of the labels below a range, less its own.

    A group of siblings that the taxonomy has no node for counts like its parent. What depth the hidden label has is not
    published; where labels lie at different depths, the deepest one below the range counts.
    """
    total = 0
    sizes = published.sizes
    for place, column in enumerate(published.schema.quasi):
        if not isinstance(column, Categorical):
            continue
        label_depth = column.taxonomy.tree.depths[column.tree.label_at]
        depths = node_depths(column)
        keys = published.lows[:, place] * (column.size + 1) + published.highs[:, place]
        different, inverse = np.unique(keys, return_inverse=True)
        steps = [
            int(label_depth[low:high].max()) - _depth(depths, low, high)
            for low, high in (divmod(key, column.size + 1) for key in different.tolist())
        ]
        total += int((np.array(steps, dtype=np.int64)[inverse.reshape(-1)] * sizes).sum())
    return total


def node_depths(column: Categorical) -> dict[tuple[int, int], int]:
    """The depth of each node of the taxonomy by its range; of several nodes with one range, the lowest counts."""
    found: dict[tuple[int, int], int] = {}
    ranges = zip(*(part.tolist() for part in node_ranges(column.taxonomy, column.tree.place_of)), strict=True)
    for key, depth in zip(ranges, column.taxonomy.tree.depths.tolist(), strict=True):
        found[key] = max(found.get(key, 0), depth)
    return found


def _depth(depths: dict[tuple[int, int], int], low: int, high: int) -> int:
    """The depth of the lowest node that holds a range."""
    return max(depth for (begin, end), depth in depths.items() if begin <= low and high <= end)
