"""The independent check of (K,C)_L-privacy: every set of up to L pairs of every record is written out and counted.

It shares nothing with the algorithms that suppress: no columns, no levels, no pruning, nothing about minimal violations. Records
of one length are a matrix, each way to choose columns of it gives rows, and Polars groups them. A release exists only after
this has found nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import TacitaError
from tacita.trajectories.requirement import Requirement

__all__ = ["UnverifiedError", "Verdict", "verify"]

ROWS_AT_ONCE = 1 << 23


class UnverifiedError(TacitaError):
    """What was to be published does not keep the promise, so nothing is published."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How many different sets were counted, and how many of them violate."""

    sets: int
    violating: int

    @property
    def holds(self) -> bool:
        """Whether nothing violates."""
        return self.violating == 0


def verify(
    records: Ragged,
    requirement: Requirement,
    *,
    persons: npt.NDArray[np.integer] | None = None,
    sensitive: npt.NDArray[np.bool_] | None = None,
) -> Verdict:
    """Count every set of up to the known pairs that occurs; `persons` has one number per record, `sensitive` one row per person.

    >>> verify(Ragged.from_lists([[1, 2], [1, 2], [2]]), Requirement(crowd=2, known_pairs=2))
    Verdict(sets=3, violating=0)
    >>> verify(Ragged.from_lists([[1, 2], [1], [2]]), Requirement(crowd=2, known_pairs=2)).violating
    1
    """
    people = np.arange(len(records)) if persons is None else np.asarray(persons)
    flags = np.zeros((int(people.max(initial=-1)) + 1, len(requirement.groups)), np.bool_) if sensitive is None else sensitive
    longest = int(records.lengths.max(initial=0))
    most = longest if requirement.known_pairs is None else min(longest, requirement.known_pairs)
    sets = violating = 0
    for size in range(1, most + 1):
        total = sum(comb(int(length), size) for length in records.lengths)
        parts = -(-total // ROWS_AT_ONCE)
        for part in range(parts):
            counted = _counted(_sets_of(records, people, size, part, parts), flags)
            sets += len(counted)
            violating += counted.filter(_violates(requirement)).height
    return Verdict(sets=sets, violating=violating)


def _sets_of(records: Ragged, people: npt.NDArray[np.integer], size: int, part: int, parts: int) -> pl.DataFrame:
    """One row per set of a record and the person, of those sets whose first code falls into this part."""
    frames = []
    for length in np.unique(records.lengths).tolist():
        if length < size:
            continue
        which = np.flatnonzero(records.lengths == length)
        matrix = records.codes[records.offsets[which][:, None] + np.arange(length)]
        for columns in combinations(range(length), size):
            mine = matrix[:, columns[0]] % parts == part
            frame = {f"pair {place}": matrix[mine, column] for place, column in enumerate(columns)}
            frames.append(pl.DataFrame({**frame, "person": people[which[mine]]}))
    return pl.concat(frames)


def _counted(rows: pl.DataFrame, flags: npt.NDArray[np.bool_]) -> pl.DataFrame:
    """How many persons have each set, and how many of them are in each sensitive group."""
    rows = rows.unique()
    people = rows["person"].to_numpy()
    groups = {f"group {place}": flags[people, place] for place in range(flags.shape[1])}
    pairs = [name for name in rows.columns if name.startswith("pair")]
    return (
        rows.with_columns(**{name: pl.Series(values) for name, values in groups.items()})
        .group_by(pairs)
        .agg(pl.len().cast(pl.Int64).alias("persons"), *(pl.col(name).sum().cast(pl.Int64) for name in groups))
    )


def _violates(requirement: Requirement) -> pl.Expr:
    wrong = pl.col("persons") < requirement.crowd
    for place, group in enumerate(requirement.groups):
        bound = group.confidence
        wrong = wrong | (pl.col(f"group {place}") * bound.denominator > pl.col("persons") * bound.numerator)
    return wrong
