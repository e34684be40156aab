"""Identity and attribute linkage on tables (section 2.1): the attacker knows some quasi-identifiers of a person in the table.

First `candidates_in`: which published rows a person could be behind. Then the attack: every set of at most `known` columns is
tried, for every person. Identity linkage: how many rows could be the person's. Attribute linkage: how sure the attacker can be
of a sensitive value, which is its share among these rows. The worst case is what the most revealing set of columns gives away
about each person; the average is what a random set does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from tacita.arrays import Integers, Narrow, Reals
from tacita.attacks.result import Assessment, Figure
from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.tables.checking import groups_of
from tacita.tables.histograms import combined, group_rows, histograms
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords
from tacita.tables.schema import Schema

__all__ = ["Candidates", "Linkage", "candidates_in", "groups_of_people", "raw_candidates"]


# Candidates: a published row is one if its range holds the known value in every known column. For each known column and value,
# the groups whose range holds it are a row of bits; the candidates of a person are the bits that all of their known columns
# share. People with the same known values are looked at once.

CELLS_AT_ONCE = 20_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Different victims: who belongs to which, how many rows each could be behind, and the sensitive values of these rows.

    `values[v, s]` is how many candidate rows of victim v have value s (or, in buckets, could have it on average); None where the
    table has no sensitive column.
    """

    victim_of: Integers
    support: Integers
    values: Reals | None
    schema: Schema

    @property
    def confidence(self) -> Reals | None:
        """The share of the most frequent sensitive value among the candidates; 0 where there is no candidate.

        Of several sensitive columns, that of the column in which it is highest.
        """
        if self.values is None:
            return None
        highest = np.zeros(self.support.size)
        codes = self.schema.hidden_codes(np.arange(self.values.shape[1]))
        for part, of_part in zip(self.schema.hidden, codes, strict=True):
            shares = np.zeros((self.support.size, part.size))
            np.add.at(shares.T, of_part, self.values.T)
            highest = np.maximum(highest, shares.max(axis=1))
        return np.asarray(highest / np.maximum(1, self.support), dtype=np.float64)


def raw_candidates(records: TableRecords, known: tuple[int, ...]) -> Candidates:
    """Candidates in the raw table: the rows with the same known values."""
    victim_of, firsts = _victims(records, known)
    symbols = 1 if records.schema.sensitive is None else records.schema.sensitive.size
    found = histograms(victim_of, records.sensitive, groups=firsts.size, symbols=symbols)
    values = None
    if records.sensitive is not None:
        values = np.zeros((firsts.size, symbols))
        values[found.groups, found.values] = found.counts
    return Candidates(victim_of=victim_of, support=found.sizes, values=values, schema=records.schema)


def candidates_in(records: TableRecords, published: PublishedTable | PublishedBuckets, known: tuple[int, ...]) -> Candidates:
    """Candidates in a published table for all people of the raw one."""
    if isinstance(published, PublishedBuckets):
        return _in_buckets(records, published, known)
    victim_of, firsts = _victims(records, known)
    sizes = published.sizes
    weights = _sensitive_weights(published) if published.sensitive is not None else None
    support = np.zeros(firsts.size, dtype=np.int64)
    values = None if weights is None else np.zeros((firsts.size, weights.shape[1]))
    for part, covered in _covering(records, published, known, firsts):
        support[part] = covered @ sizes
        if weights is not None and values is not None:
            values[part] = covered @ weights
    return Candidates(victim_of=victim_of, support=support, values=values, schema=records.schema)


def groups_of_people(records: TableRecords, published: PublishedTable) -> Integers:
    """The one group that each person can be in if everything about them is known; -1 where there is none or more than one."""
    victim_of, firsts = _victims(records, tuple(range(len(records.quasi))))
    group = np.full(firsts.size, -1, dtype=np.int64)
    for part, covered in _covering(records, published, tuple(range(len(records.quasi))), firsts):
        alone = covered.sum(axis=1) == 1
        group[part] = np.where(alone, covered.argmax(axis=1), -1)
    return group[victim_of]


def _victims(records: TableRecords, known: tuple[int, ...]) -> tuple[Integers, Integers]:
    columns = tuple(records.quasi[place] for place in known)
    return group_rows(combined(columns, tuple(records.schema.sizes[place] for place in known)))


def _covering(
    records: TableRecords, published: PublishedTable, known: tuple[int, ...], firsts: Integers
) -> Iterator[tuple[slice, Narrow]]:
    """Some victims at a time, with a matrix that is 1 where a group's ranges hold all that is known of the victim."""
    bits = [_covering_bits(records, published, place) for place in known]
    groups = int(published.lows.shape[0])
    at_once = max(1, CELLS_AT_ONCE // max(1, groups))
    for begin in range(0, int(firsts.size), at_once):
        part = slice(begin, min(begin + at_once, int(firsts.size)))
        found = [
            covering[np.searchsorted(values, records.quasi[place][firsts[part]])]
            for (values, covering), place in zip(bits, known, strict=True)
        ]
        together = np.bitwise_and.reduce(found)
        yield part, np.unpackbits(together, axis=1, count=groups).astype(np.float32)


def _covering_bits(records: TableRecords, published: PublishedTable, place: int) -> tuple[Integers, npt.NDArray[np.uint8]]:
    """The values of a column that people have, and which groups hold each of them, as rows of bits."""
    values = np.unique(records.quasi[place])
    nothing = np.zeros((0, -(-published.lows.shape[0] // 8)), dtype=np.uint8)
    at_once = max(1, CELLS_AT_ONCE // max(1, published.lows.shape[0]))
    parts = [values[begin : begin + at_once] for begin in range(0, values.size, at_once)]
    rows = [nothing, *(np.packbits(published.holds(place, part), axis=1) for part in parts)]
    return values, np.concatenate(rows)


def _sensitive_weights(published: PublishedTable) -> Reals:
    found, overall = groups_of(published)
    weights = np.zeros((found.sizes.size, overall.size))
    weights[found.groups, found.values] = found.counts
    return weights


def _in_buckets(records: TableRecords, published: PublishedBuckets, known: tuple[int, ...]) -> Candidates:
    """Candidates are exact; of their sensitive values each is as likely as it is in the bucket."""
    victim_of, firsts = _victims(records, known)
    found, overall = groups_of(published)
    shares = np.zeros((found.sizes.size, overall.size))
    shares[found.groups, found.values] = found.counts / found.sizes[found.groups]
    both = tuple(np.concatenate([records.quasi[place][firsts], published.quasi[place]]) for place in known)
    keys = combined(both, tuple(records.schema.sizes[place] for place in known))
    wanted, there = keys[: firsts.size], keys[firsts.size :]
    order = np.argsort(wanted)
    spot = np.minimum(np.searchsorted(wanted[order], there), wanted.size - 1)
    victim = np.where(wanted[order][spot] == there, order[spot], -1)
    is_victim = victim >= 0
    values = np.stack(
        [
            np.bincount(victim[is_victim], weights=shares[published.buckets[is_victim], value], minlength=firsts.size)
            for value in range(overall.size)
        ],
        axis=1,
        dtype=np.float64,
    )
    support = np.bincount(victim[is_victim], minlength=firsts.size).astype(np.int64)
    return Candidates(victim_of=victim_of, support=support, values=values, schema=records.schema)


MOST_SETS = 20_000


@dataclass(frozen=True, kw_only=True)
class Linkage:
    """An attacker who knows up to `known` quasi-identifiers of a person; None means all of them."""

    known: int | None = None

    def __post_init__(self) -> None:
        """Check the number."""
        if self.known is not None:
            whole_number(self.known, name="known", least=1)

    def assess(self, records: TableRecords, published: PublishedTable | PublishedBuckets | None = None) -> Assessment:
        """Link all people of the raw table, in it or in what was published of it."""
        worst = _Worst(len(records))
        for columns in self._sets(len(records.quasi)):
            found = raw_candidates(records, columns) if published is None else candidates_in(records, published, columns)
            worst.look_at(found)
        against = "the raw table" if published is None else "the published table"
        knowledge = "all quasi-identifiers" if self.known is None else f"any {self.known} or fewer quasi-identifiers"
        return Assessment(
            attack="linkage",
            against=against,
            figures=worst.figures(),
            assumptions=(f"the attacker knows {knowledge} of a person, and that the person is in the table",),
        )

    def _sets(self, width: int) -> list[tuple[int, ...]]:
        if self.known is None:
            return [tuple(range(width))]
        sizes = range(1, min(self.known, width) + 1)
        number = sum(comb(width, size) for size in sizes)
        if number > MOST_SETS:
            message = f"{self.known} known columns out of {width} make {number:,} sets, more than {MOST_SETS:,}; lower known"
            raise ParameterError(message)
        return [columns for size in sizes for columns in combinations(range(width), size)]


class _Worst:
    """What the most revealing set of columns gives away about each person, and how often sets single a person out."""

    def __init__(self, people: int) -> None:
        self.smallest: Integers = np.full(people, np.iinfo(np.int64).max, dtype=np.int64)
        self.alone: Integers = np.zeros(people, dtype=np.int64)
        self.confidence: Reals | None = None
        self.sets = 0

    def look_at(self, found: Candidates) -> None:
        support = found.support[found.victim_of]
        there = support > 0
        self.smallest[there] = np.minimum(self.smallest, support)[there]
        self.alone += support == 1
        confidence = found.confidence
        if confidence is not None:
            here = confidence[found.victim_of]
            self.confidence = here if self.confidence is None else np.maximum(self.confidence, here)
        self.sets += 1

    def figures(self) -> tuple[Figure, ...]:
        people = max(1, self.smallest.size)
        matched = self.smallest[self.smallest < np.iinfo(np.int64).max]
        found = [
            Figure(name="people", value=float(self.smallest.size), is_share=False),
            Figure(name="sets of known columns", value=float(self.sets), is_share=False),
            Figure(
                name="smallest number of candidate rows",
                value=float(matched.min(initial=self.smallest.size)),
                is_share=False,
            ),
            Figure(
                name="median of each person's smallest number",
                value=float(np.median(matched)) if matched.size else 0.0,
                is_share=False,
            ),
            Figure(name="people singled out, worst set", value=float(np.count_nonzero(self.smallest == 1)) / people),
            Figure(name="people singled out, random set", value=float(self.alone.sum()) / (people * max(1, self.sets))),
        ]
        if self.confidence is not None:
            found += [
                Figure(name="highest confidence in a sensitive value", value=float(self.confidence.max(initial=0.0))),
                Figure(name="mean over people of their highest confidence", value=float(self.confidence.sum()) / people),
                Figure(
                    name="people whose sensitive value is certain, worst set",
                    value=float(np.count_nonzero(self.confidence >= 1)) / people,
                ),
            ]
        return tuple(found)
