"""The independent check of (K,C)_L-privacy: every set of up to L pairs of every record is written out and counted.

It shares nothing with the algorithms that suppress: no columns, no levels, no pruning, nothing about minimal violations, and not
who is sensitive. What it checks is what will be written: the names of places and times, and the table of attributes. Records of
one length are a matrix, each way to choose columns of it gives rows, and Polars groups them. Each published record must also be a
part of the raw record that it comes from, with the same sensitive values, so that persons are counted rightly. A release exists
only after this has found nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import VerificationError
from tacita.trajectories.published import PublishedTrajectories
from tacita.trajectories.records import TrajectoryRecords
from tacita.trajectories.requirement import Requirement

__all__ = ["Verdict", "verify", "verify_published"]

ROWS_AT_ONCE = 1 << 23


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How many different sets were counted, and how many of them violate."""

    sets: int
    violating: int

    @property
    def holds(self) -> bool:
        """Whether nothing violates."""
        return self.violating == 0


def verify_published(
    published: PublishedTrajectories, requirement: Requirement, *, records: TrajectoryRecords, sources: npt.NDArray[np.integer]
) -> Verdict:
    """Check published data as it will be written; `sources` says which raw record each published one comes from.

    Refuses data that does not come from these records. Whether the requirement holds is for the caller to act on.
    """
    try:
        lists = _facts(published, records)
    except pl.exceptions.PolarsError:  # a place or a time that is not among the public ones
        raise VerificationError(_NOT_FROM_HERE) from None
    raw = records.trajectories
    span = int(max(raw.codes.max(initial=0), lists.codes.max(initial=0))) + 1
    there = np.repeat(np.arange(len(raw)), np.diff(raw.offsets)) * span + raw.codes
    wanted = np.repeat(sources, np.diff(lists.offsets)) * span + lists.codes
    if np.unique(sources).size != sources.size or not np.isin(wanted, there).all():
        raise VerificationError(_NOT_FROM_HERE)
    persons = sources if records.persons is None else records.persons[sources]
    flags = np.zeros((int(np.max(persons, initial=-1)) + 1, len(requirement.groups)), dtype=np.bool_)
    for place, group in enumerate(requirement.groups):
        shown, held = (
            None if table is None else table.get_column(group.attribute, default=None)
            for table in (published.attributes, records.attributes)
        )
        if shown is None or held is None or not shown.eq_missing(held.gather(persons)).all():
            raise VerificationError(_NOT_FROM_HERE)
        flags[persons, place] = [value in group.values for value in shown.to_list()]
    return verify(lists, requirement, persons=persons, sensitive=flags)


_NOT_FROM_HERE = (
    "the independent check found a published record that is no part of the raw record it comes from, so nothing is published; "
    "this is a defect of Tacita, please report it"
)


def _facts(published: PublishedTrajectories, records: TrajectoryRecords) -> Ragged:
    """What each published record shows, as sets of the codes of the raw records: pairs, then quasi-identifiers."""
    rows, columns = published.frame(), published.columns
    place = {label: code for code, label in enumerate(records.universe.labels)}
    number = rows[columns.person].to_numpy() - 1
    places = rows[columns.label].replace_strict(place, return_dtype=pl.Int64).to_numpy()
    times = rows.columns[2]
    beginnings = pl.Series(records.grid.beginnings)
    intervals = rows[times].replace_strict(beginnings, np.arange(len(beginnings)), return_dtype=pl.Int64).to_numpy()
    owners, codes = [number], [intervals * len(place) + places]
    for code, (attribute, value) in enumerate(records.quasi):
        if published.attributes is None or attribute not in published.attributes.columns:
            raise VerificationError(_NOT_FROM_HERE)
        mine = (published.attributes[attribute] == value).fill_null(value=False).arg_true().to_numpy()
        owners.append(mine)
        codes.append(np.full(mine.size, len(place) * len(beginnings) + code))
    owner, code_of = np.concatenate(owners), np.concatenate(codes)
    order = np.lexsort((code_of, owner))
    sizes = np.bincount(owner, minlength=len(published))
    return Ragged(code_of[order].astype(np.int32), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


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
