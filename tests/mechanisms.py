"""One entry for each mechanism of the product, with what the contract suite needs to sweep over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from strategies import neighbouring_sequences, sequence_lists, sequence_records
from tacita.core.budget import Budget, PureDP
from tacita.core.taxonomy import Taxonomy
from tacita.sequences import PrefixTree, PrivateLength


@dataclass(frozen=True, kw_only=True)
class Case:
    """A mechanism with small parameters, ways to make data for it, and a value that must never reach an error."""

    name: str
    mechanism: Any
    budget: Budget
    records: Callable[[list[str]], Any]
    rows: Any
    pairs: Any
    is_adaptive: bool = False
    """Whether earlier answers decide by which steps the rest of the budget is spent."""


GROUPS = Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "CD"), ("D", "CD"), ("CD", "BCD"), ("BCD", "*")])

CASES = [
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=3),
        budget=PureDP("2"),
        records=sequence_records,
        rows=sequence_lists(),
        pairs=neighbouring_sequences(),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=2, threshold="published"),
        budget=PureDP("1/3"),
        records=sequence_records,
        rows=sequence_lists(),
        pairs=neighbouring_sequences(),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=3, taxonomy=GROUPS),
        budget=PureDP("3"),
        records=sequence_records,
        rows=sequence_lists(),
        pairs=neighbouring_sequences(),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=3, lost="continue", inference="corrected"),
        budget=PureDP("5/2"),
        records=sequence_records,
        rows=sequence_lists(),
        pairs=neighbouring_sequences(),
    ),
    Case(
        name="prefix-tree",
        mechanism=PrefixTree(height=PrivateLength(longest=4, share="1/8")),
        budget=PureDP("4"),
        records=sequence_records,
        rows=sequence_lists(),
        pairs=neighbouring_sequences(),
        is_adaptive=True,
    ),
]
