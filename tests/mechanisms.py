"""One entry for each mechanism of the product, with what the contract suite needs to sweep over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from strategies import neighbouring_sequences, sequence_lists, sequence_records
from tacita.core.budget import Budget, PureDP
from tacita.sequences import PrefixTree


@dataclass(frozen=True, kw_only=True)
class Case:
    """A mechanism with small parameters, ways to make data for it, and a value that must never reach an error."""

    name: str
    mechanism: Any
    budget: Budget
    records: Callable[[list[str]], Any]
    rows: Any
    pairs: Any


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
]
