"""All minimal violating sequences of a database of trajectories, for the owner.

Chen's thesis, 2012, Definition 5.5 and Algorithm 5.1; how they are found is told in `occurrences`. A list of them says which of
the owner's people stand out and how, so it must not leave the house.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tacita.trajectories.occurrences import Level, levels
from tacita.trajectories.pair_columns import PairColumns
from tacita.trajectories.requirement import Requirement

__all__ = ["Violations", "find_violations"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Violations:
    """Minimal violating sets by size: the codes of their pairs, increasing, one row per set, and how many persons have each."""

    codes: tuple[npt.NDArray[np.int64], ...] = field(repr=False)
    persons: tuple[npt.NDArray[np.int64], ...] = field(repr=False)

    def __len__(self) -> int:
        """The number of minimal violating sets."""
        return sum(len(rows) for rows in self.codes)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """One after another; for small data."""
        return (tuple(row) for rows in self.codes for row in rows.tolist())


def find_violations(columns: PairColumns, requirement: Requirement) -> Violations:
    """Every set of up to the known pairs that too few persons share, or that tells too much, and no part of which does so."""
    codes, persons = [], []
    for level in levels(columns, requirement):
        found = _codes(level, columns)
        codes.append(found)
        persons.append(level.persons[level.violating])
        del level  # the next one needs the memory
    return Violations(codes=tuple(codes), persons=tuple(persons))


def _codes(level: Level, columns: PairColumns) -> npt.NDArray[np.int64]:
    rows = columns.codes[level.pairs(columns, np.flatnonzero(level.violating))]
    rows.sort(axis=1)
    return rows
