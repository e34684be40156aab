"""Sensitive patterns: which symbols, in which order, within which window. They are public: an observer may know what is hidden.

A pattern of m symbols occurs at places i1 < ... < im of a sequence if these hold its symbols and im - i1 is at most the window
(Bonomi, Fan and Jin, WSDM 2016, Definition 1). Between the places there may be anything.

What it costs to show a symbol as a node above it (Bonomi, Fan and Jin, WSDM 2016, Definition 3 and section 6.1).

A cost is 0 for the symbol itself, positive for every node above it, and never falls on the way to the root. The paper prints
this last property the wrong way round. Costs of a symbol are rows `costs[symbol, depth]`, where depth 0 is the root.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np

from tacita.arrays import Reals
from tacita.errors import ParameterError
from tacita.public.parameters import Chosen, instance_of, whole_number
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe, public_text

__all__ = [
    "CostKind",
    "CostTable",
    "PatternList",
    "SensitivePatterns",
    "cost_rows",
]

LONGEST = 8
WIDEST = 10_000


@dataclass(frozen=True, kw_only=True)
class SensitivePatterns:
    """Patterns of codes over a universe, and the window in which they occur.

    >>> shop = Universe(["beer", "chips", "milk"])
    >>> SensitivePatterns.from_labels([["beer", "chips"]], universe=shop, window=10).codes
    ((0, 1),)
    """

    codes: tuple[tuple[int, ...], ...]
    window: int
    universe: Universe

    def __post_init__(self) -> None:
        """Check that there is a pattern, and that each can occur and comes once."""
        whole_number(self.window, name="the window", least=1, most=WIDEST)
        instance_of(self.codes, tuple, list, name="the sensitive patterns")
        if not self.codes:
            message = "there must be one sensitive pattern at least, got none"
            raise ParameterError(message)
        for place, pattern in enumerate(self.codes, start=1):
            if not 1 <= len(pattern) <= min(LONGEST, self.window + 1):
                longest = min(LONGEST, self.window + 1)
                message = f"a sensitive pattern must have 1 to {longest} symbols, pattern {place} has {len(pattern)}"
                raise ParameterError(message)
            if not all(0 <= code < len(self.universe) for code in pattern):
                message = f"every symbol of a sensitive pattern must be the place of a label, pattern {place} has another"
                raise ParameterError(message)
        if len(set(self.codes)) != len(self.codes):
            message = "every sensitive pattern must be given once, one comes twice"
            raise ParameterError(message)

    @classmethod
    def from_labels(cls, patterns: Iterable[Sequence[str]], *, universe: Universe, window: int) -> SensitivePatterns:
        """Build from lists of labels; a label that the universe does not have is refused."""
        codes = tuple(tuple(universe.code(label) for label in pattern) for pattern in patterns)
        return cls(codes=codes, window=window, universe=universe)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The patterns as labels."""
        return tuple(tuple(self.universe.labels[code] for code in pattern) for pattern in self.codes)

    def __len__(self) -> int:
        """The number of patterns."""
        return len(self.codes)

    def as_json(self) -> dict[str, object]:
        """The patterns as a manifest describes them: they are public."""
        return {"patterns": [list(pattern) for pattern in self.labels], "window": self.window, "sha256": self.digest()}

    def digest(self) -> str:
        """A hash of patterns and window, for manifests."""
        lines = ["\t".join(pattern) for pattern in self.labels]
        return hashlib.sha256("\n".join([str(self.window), *lines]).encode()).hexdigest()


@dataclass(frozen=True)
class PatternList:
    """Patterns as labels, before it is known which universe they belong to and within which window they occur.

    >>> PatternList.parse("beer, chips; wine, cheese").labels
    (('beer', 'chips'), ('wine', 'cheese'))
    """

    labels: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> PatternList:
        """Patterns by semicolons, their labels by commas; a text without a comma names a file of patterns."""
        if "," not in text:
            return cls.read(text)
        return cls(_rows(text.split(";")))

    @classmethod
    def read(cls, path: str | Path) -> PatternList:
        """Read one pattern per line, its labels by commas; empty lines and lines that begin with # are skipped."""
        return cls(_rows(public_text(path, what="list of sensitive patterns", error=ParameterError).splitlines()))

    def within(self, window: int, *, universe: Universe) -> SensitivePatterns:
        """The patterns over a universe; a label that it does not have is refused."""
        return SensitivePatterns.from_labels(self.labels, universe=universe, window=window)

    def digest(self) -> str:
        """A hash of the patterns, for manifests."""
        return hashlib.sha256("\n".join("\t".join(pattern) for pattern in self.labels).encode()).hexdigest()


def _rows(lines: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The labels of each line, in quotes where a label holds a comma; a comma at the end adds nothing."""
    rows = csv.reader([line for line in lines if line.strip() and not line.lstrip().startswith("#")], skipinitialspace=True)
    return tuple(tuple(label.strip() for label in row if label.strip()) for row in rows)


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
