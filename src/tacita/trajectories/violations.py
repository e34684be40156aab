"""All minimal violating sequences of a database of trajectories, for the owner.

Chen's thesis, 2012, Definition 5.5 and Algorithm 5.1; how they are found is told in `first_pairs`, and in `occurrences` for
more than three pairs. A list of them says which of the owner's people stand out and how, so it must not leave the house.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.trajectories.first_pairs import MOST, fits, small_violations
from tacita.trajectories.occurrences import levels
from tacita.trajectories.pair_columns import PairColumns
from tacita.trajectories.requirement import Requirement

__all__ = ["Violations", "find_violations"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Violations:
    """Minimal violating sets by size: the codes of their pairs, increasing, one row per set, and how many persons have each."""

    codes: tuple[Integers, ...] = field(repr=False)
    persons: tuple[Integers, ...] = field(repr=False)

    def __len__(self) -> int:
        """The number of minimal violating sets."""
        return sum(len(rows) for rows in self.codes)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """One after another; for small data."""
        return (tuple(row) for rows in self.codes for row in rows.tolist())


def find_violations(columns: PairColumns, requirement: Requirement) -> Violations:
    """Every set of up to the known pairs that too few persons share, or that reveals too much, and no part of which does so."""
    longest = int(np.diff(columns.offsets).max(initial=0))
    most = longest if requirement.known_pairs is None else min(longest, requirement.known_pairs)
    codes, persons = [], []
    for pairs, number in _by_size(columns, requirement, most):
        rows = columns.codes[pairs]
        rows.sort(axis=1)
        codes.append(rows)
        persons.append(number)
    return Violations(codes=tuple(codes), persons=tuple(persons))


def _by_size(columns: PairColumns, requirement: Requirement, most: int) -> Iterator[tuple[AnyIntegers, Integers]]:
    """The pairs of each set and its persons, by the way that takes least memory."""
    if 0 < most <= MOST and fits(columns):
        yield from small_violations(columns, requirement, most=most)
        return
    for level in levels(columns, requirement):
        yield level.pairs(columns, np.flatnonzero(level.violating)), level.persons[level.violating]
