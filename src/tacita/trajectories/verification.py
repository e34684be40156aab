"""The independent check of (K,C)_L-privacy: every set of up to L pairs of every record is written out and counted.

It shares nothing with the algorithms that suppress: no columns, no levels, no pruning, nothing about minimal violations, and not
who is sensitive. What it checks is what will be written: the names of places and times, and the table of attributes. Records of
one length are a matrix, each way to choose columns of it gives rows, and Polars groups them. Each published record must also be a
part of the raw record that it comes from, with the same sensitive values, so that persons are counted rightly. A release exists
only after this has found nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import VerificationError
from tacita.formats import format_of
from tacita.io.formats import rows_of
from tacita.trajectories.published import PublishedTrajectories
from tacita.trajectories.records import TrajectoryRecords
from tacita.trajectories.requirement import Requirement, SensitiveGroup

__all__ = ["Verdict", "verify", "verify_published", "verify_release"]

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


# The same check for anyone who receives a release.

MOST_SETS = 2**28
"""How many sets of a stranger's file are written out; of a file with more, the promise is not checked."""


def verify_release(folder: Path, manifest: Mapping[str, Any], _records: object = None) -> tuple[list[str], list[str]]:
    """What is wrong with published trajectories by the promise in their manifest, and what cannot be checked from the folder.

    Files are read as they are printed: a record is a number with pairs of place and time, and with attributes if there are any.
    """
    stated = manifest["guarantee"]
    groups = tuple(
        SensitiveGroup(attribute=group["attribute"], values=group["values"], confidence=group["confidence"])
        for group in stated["sensitive"]
    )
    known, is_one_each = stated["known_pairs"], stated["unit"] == "one person's trajectory"
    files = {str(file["role"]): folder / Path(file["name"]).name for file in manifest["files"]}
    facts, flags = _printed(_shown(files["data"]), _shown(files["attributes"]) if "attributes" in files else None, groups)
    sizes = facts.lengths.tolist()
    most = max(sizes, default=0) if known is None else known
    if sum(comb(size, taken) for size in sizes for taken in range(1, min(size, most) + 1)) > MOST_SETS:
        return [], [f"the crowds: the records have more than {MOST_SETS:,} sets of known pairs"]
    asked = groups if is_one_each else ()  # of several records of a person, shares of persons are unknown
    left = [] if is_one_each else ["how many persons are behind the records, since a person may have several"]
    requirement = Requirement(crowd=stated["crowd"], known_pairs=known, groups=asked) if asked or stated["crowd"] > 1 else None
    if requirement is None:
        return [], [*left, "the confidence in sensitive values"]
    found = verify(facts, requirement, sensitive=flags[:, : len(asked)])
    wrong = f"{found.violating:,} of {found.sets:,} sets that somebody may know have too small a crowd, or reveal too much"
    return [] if found.holds else [wrong], left


def _printed(
    rows: pl.DataFrame, attributes: pl.DataFrame | None, groups: tuple[SensitiveGroup, ...]
) -> tuple[Ragged, npt.NDArray[np.bool_]]:
    """What each record shows, as sets of codes, and which of the sensitive groups it belongs to."""
    numbers = rows.columns[0] if attributes is None else attributes.columns[0]
    records = (rows[numbers] if attributes is None else attributes[numbers]).unique(maintain_order=True)
    place = pl.DataFrame({"record": records, "place": np.arange(len(records))})
    sensitive = {group.attribute for group in groups}
    pairs = pl.concat_str([pl.col(name) for name in rows.columns[1:]], separator="\0")
    parts = [rows.select(pl.col(rows.columns[0]).alias("record"), pairs.alias("fact"))]
    flags = np.zeros((len(records), len(groups)), dtype=np.bool_)
    if attributes is not None:
        if attributes[numbers].is_duplicated().any() or not rows[rows.columns[0]].is_in(records.to_list()).all():
            message = "every record must have one row of attributes"
            raise VerificationError(message)
        for name in attributes.columns[1:]:
            if name not in sensitive:
                shown = attributes.select(pl.col(numbers).alias("record"), (pl.lit(f"{name}\1") + pl.col(name)).alias("fact"))
                parts.append(shown.drop_nulls())
        for column, group in enumerate(groups):
            flags[:, column] = [value in group.values for value in attributes[group.attribute].to_list()]
    every = pl.concat(parts).unique().join(place, on="record", maintain_order="left")
    codes = every["fact"].rank("dense").cast(pl.Int32).to_numpy() - 1
    owner = every["place"].to_numpy()
    order = np.lexsort((codes, owner))
    sizes = np.bincount(owner, minlength=len(records))
    return Ragged(codes[order].astype(np.int32), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)), flags


def _shown(path: Path) -> pl.DataFrame:
    """The cells of a file as text."""
    return rows_of(format_of(path)).released(path).with_columns(pl.all().cast(pl.String))


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
