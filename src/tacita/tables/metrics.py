"""What generalization costs (section 2.3): ILoss, discernibility, classification and the number of steps up the taxonomies.

They compare a published table with the raw one, so they are for the owner only.

- `iloss`: a cell that could be one of v values of a column with d values loses (v - 1) / d (Xiao and Tao, SIGMOD 2006, [124] of
  the thesis); the mean over all cells of all people, where a person who was left out loses (d - 1) / d in every cell.
- `discernibility`: every row costs as many as there are rows that look like it; a person who was left out costs all of them
  (Bayardo and Agrawal, ICDE 2005; the thesis cites Skowron).
- `classification`: the share of people whose sensitive value (the class) is not the most frequent one of their group, or who were
  left out (Iyengar, KDD 2002).
- `steps`: how many steps up its taxonomy each categorical cell was moved, in sum (the minimal distortion of section 2.3.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.privacy.guarantee import OWNER_ONLY
from tacita.public.parameters import instance_of
from tacita.tables.binary_tree import node_ranges
from tacita.tables.checking import groups_of
from tacita.tables.columns import Categorical
from tacita.tables.published import PublishedTable
from tacita.tables.records import TableRecords

__all__ = ["TableLoss", "measure_table"]


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
    lost = ((published.highs - published.lows - 1) / domains).mean(axis=1)
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
