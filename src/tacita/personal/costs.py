"""What it costs to show a symbol as a node above it (Bonomi, Fan and Jin, WSDM 2016, Definition 3 and section 6.1).

A cost is 0 for the symbol itself, positive for every node above it, and never falls on the way to the root. The paper prints
this last property the wrong way round. Costs of a symbol are rows `costs[symbol, depth]`, where depth 0 is the root.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np

from tacita.arrays import Reals
from tacita.errors import ParameterError
from tacita.public.parameters import Chosen
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import public_text

__all__ = ["CostKind", "CostTable", "cost_rows"]


class CostKind(StrEnum):
    """The three costs of the paper; the root costs 1 in each."""

    LINEAR = "linear"
    EXPONENTIAL = "exponential"
    INFORMATION_LOSS = "information-loss"


@dataclass(frozen=True, kw_only=True)
class CostTable:
    """The owner's own costs: for a label and a node above it, what it costs to show this node in its place.

    Pairs that are not given cost what `otherwise` says.
    """

    costs: Mapping[tuple[str, str], float] = field(hash=False)
    otherwise: Chosen[CostKind] = Chosen(CostKind, CostKind.LINEAR)

    @classmethod
    def parse(cls, text: str) -> CostTable:
        """The table in the file of this name."""
        return cls.read(text)

    @classmethod
    def read(cls, path: str | Path, *, otherwise: CostKind = CostKind.LINEAR) -> CostTable:
        """Read the columns label, node and cost of a CSV file."""
        reader = csv.DictReader(io.StringIO(public_text(path, what="table of costs", error=ParameterError), newline=""))
        if not {"label", "node", "cost"} <= set(reader.fieldnames or []):
            message = f"the table of costs {str(path)!r} must have the columns label, node and cost"
            raise ParameterError(message)
        costs: dict[tuple[str, str], float] = {}
        for line, row in enumerate(reader, start=2):
            try:
                costs[(row["label"] or "").strip(), (row["node"] or "").strip()] = float(row["cost"] or "")
            except ValueError:
                message = f"every cost in {str(path)!r} must be a number, line {line} has {row['cost']!r}"
                raise ParameterError(message) from None
        return cls(costs=costs, otherwise=otherwise)

    def digest(self) -> str:
        """A hash of all costs, for manifests."""
        lines = [f"{label}\t{node}\t{cost}" for (label, node), cost in sorted(self.costs.items())]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def cost_rows(taxonomy: Taxonomy, cost: CostKind | CostTable) -> Reals:
    """The cost of each label at each depth of its path; infinite below the label."""
    kind = cost.otherwise if isinstance(cost, CostTable) else cost
    labels = len(taxonomy.universe)
    rows = np.full((labels, taxonomy.height + 1), np.inf)
    begin, end = taxonomy.tree.ranges
    for label in range(labels):
        path = taxonomy.above(label)[::-1]
        steps = len(path) - 1
        for depth, node in enumerate(path[:-1]):
            match kind:
                case CostKind.LINEAR:
                    rows[label, depth] = (steps - depth) / steps
                case CostKind.EXPONENTIAL:
                    rows[label, depth] = 2.0**-depth
                case CostKind.INFORMATION_LOSS:
                    rows[label, depth] = (end[node] - begin[node]) / labels
        rows[label, steps] = 0.0
    if isinstance(cost, CostTable):
        _fill_in(rows, taxonomy, cost)
    return rows


def _fill_in(rows: Reals, taxonomy: Taxonomy, table: CostTable) -> None:
    """Put the owner's costs in, then check that all of them together are costs."""
    left = dict(table.costs)
    for label, name in enumerate(taxonomy.universe.labels):
        path = taxonomy.above(label)[::-1]
        for depth, node in enumerate(path):
            given = left.pop((name, taxonomy.name(node)), None)
            if given is not None:
                rows[label, depth] = given
        costs = rows[label, : len(path)].tolist()
        if costs[-1] != 0 or not all(0 < cost < math.inf for cost in costs[:-1]):
            message = f"a cost must be positive, and 0 for the label itself; those of {name!r} are {costs}"
            raise ParameterError(message)
        if costs != sorted(costs, reverse=True):
            message = f"costs must not fall on the way to the root; those of {name!r} are {costs} from the root down"
            raise ParameterError(message)
    if left:
        label_name, node_name = next(iter(left))
        message = f"a cost must be for a label and a node above it, but {node_name!r} is not above {label_name!r}"
        raise ParameterError(message)
