"""Identity and attribute linkage on tables (section 2.1): the attacker knows some quasi-identifiers of a person in the table.

Every set of at most `known` columns is tried, for every person. Identity linkage: how many rows could be the person's. Attribute
linkage: how sure the attacker can be of a sensitive value, which is its share among these rows. The worst case is what the most
revealing set of columns gives away about each person; the average is what a random set does.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.attacks.candidates import Candidates, candidates_in, raw_candidates
from tacita.attacks.result import Assessment, Figure
from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords

__all__ = ["Linkage"]


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
