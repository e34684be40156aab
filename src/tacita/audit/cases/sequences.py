"""Small data sets of sequences, for audits."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.audit.cases.case import SPAN, Pair, Rows, crowd_of, encoded, outcome_of, removals, sampled_neighbours
from tacita.privacy.budget import Budget
from tacita.public.per_person import PerPerson
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.sequences import SequenceRecords

__all__ = ["SequenceCase"]

MOST_LISTED = 2000
"""Up to this many possible sequences, neighbours are listed in full; beyond that, they are sampled."""

EVERY = 4
"""If neighbours are sampled, one data set is replayed on every fourth of the sample."""

FEW_DEPARTURES = 8
"""If neighbours are sampled, the number of positions at which a neighbour leaves a path."""


@dataclass(frozen=True, kw_only=True)
class SequenceCase:
    """A mechanism for sequences, on sequences of up to `longest` symbols over a few labels.

    The pair that should be tight has `crowd` people, enough to be kept, on a path of `depth` symbols, as deep as the mechanism
    looks. With several `intervals`, a label stands for a place at a time: the first labels for all places in the first interval,
    and so on; no sequence goes back in time. A `steady` path repeats one symbol. If there are more than `MOST_LISTED` possible
    sequences, neighbours are sampled. One person has up to `per_person` sequences; neighbours differ in all of them.
    """

    name: str
    mechanism: Any
    budget: Budget
    labels: str = "ABC"
    longest: int = 3
    crowd: int = 400
    depth: int = 3
    intervals: int = 1
    span: int = SPAN
    steady: bool = False
    per_person: int = 1

    @property
    def lists_all(self) -> bool:
        """Whether all neighbours are listed."""
        return int(len(self.labels) ** (self.longest + 1)) <= MOST_LISTED

    @cached_property
    def domain(self) -> Rows:
        """Every sequence that a person can have, including the empty one; a sample if there are too many."""
        if not self.lists_all:
            return self._sampled()
        lengths = range(self.longest + 1)
        rows = ("".join(row) for length in lengths for row in product(self.labels, repeat=length))
        return tuple(row for row in rows if self._is_possible(row))

    def _sampled(self) -> Rows:
        """The empty sequence, the shortest ones, those of any length that repeat one or two symbols, and random ones."""
        generator = public_generator(len(self.labels))
        anything = [generator.integers(0, len(self.labels), length) for length in range(self.longest + 1)]
        randoms = ["".join(self.labels[place] for place in places) for places in anything]
        lengths = (1, self.longest // 2, self.longest - 1, self.longest)
        repeats = [(pattern * length)[:length] for pattern in (*self.labels, self.labels[:2]) for length in lengths]
        rows = dict.fromkeys(self._in_time(row) for row in ("", *self.labels, *repeats, *randoms[:: max(1, self.longest // 8)]))
        return tuple(row for row in rows if self._is_possible(row))

    @property
    def _places(self) -> int:
        return len(self.labels) // self.intervals

    def _is_possible(self, row: str) -> bool:
        times = [self.labels.index(label) // self._places for label in row]
        return all(earlier <= later for earlier, later in pairwise(times))

    def _in_time(self, row: str) -> str:
        """The same symbols in a possible order."""
        return row if self.intervals == 1 else "".join(sorted(row, key=self.labels.index))

    def records(self, rows: Rows) -> SequenceRecords:
        """Private records from rows, as if something had been dropped from each."""
        grid = TimeGrid(start=0, interval=1, intervals=self.intervals) if self.intervals > 1 else None
        universe, sequences = Universe(self.labels[: self._places]), encoded(rows, self.labels)
        dropped = sequences.codes.size + len(sequences)
        return SequenceRecords(
            sequences=sequences,
            universe=universe,
            grid=grid,
            name="audit",
            dropped_labels=dropped,
            per_person=PerPerson.JOIN if self.per_person == 1 else PerPerson.cap(self.per_person),
        )

    def of(self, mechanism: Any) -> SequenceCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def lists(self, held: Any) -> Ragged:  # noqa: ANN401 - records or published sequences
        """The contents of records, or of published data."""
        lists: Ragged = held.sequences
        return lists

    def parts(self, release: Any) -> frozenset[Hashable]:  # noqa: ANN401 - any release of this kind
        """The different lists that were published."""
        return frozenset(map(tuple, self.lists(release.data).to_lists()))

    def part_of(self, row: str) -> Hashable:
        """The list that a person with this row has."""
        return tuple(encoded((row,), self.labels).to_lists()[0])

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Some people anywhere, and often a crowd on one path, so that deep levels are reached."""
        anywhere = [self.domain[place] for place in generator.integers(0, len(self.domain), generator.integers(0, 8))]
        length = int(generator.integers(1, self.depth + 1))
        path = self._in_time("".join(self.labels[place] for place in generator.integers(0, len(self.labels), length)))
        return (*anywhere, *[path] * int(generator.integers(0, 2) * generator.integers(0, 2 * self.crowd)))

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every short sequence added, every one that leaves the longest path on any level, and every different one removed."""
        longest = max(rows, key=len, default="")
        others = [*self.domain, *self._departures(longest)]
        if not self.lists_all:
            others = others[len(rows) % EVERY :: EVERY]  # different ones for each data set
        for extra in dict.fromkeys(others):
            yield (*rows, *(extra,) * self.per_person)
        yield from removals(rows, each=self.per_person)

    def _departures(self, path: str) -> list[str]:
        """A path itself, each of its beginnings, and each of them with the next symbol changed."""
        changed = {label: self.labels[place - 1] for place, label in enumerate(self.labels)}
        starts = [path[:length] for length in range(len(path))]
        departures = [path, *starts, *(start + changed[path[len(start)]] for start in starts)]
        return [row for row in departures if self._is_possible(row)]

    def tight_pairs(self) -> Sequence[Pair]:
        """A crowd on one path, and one more person: on it (the loss can reach epsilon), or leaving it on any level."""
        path = self._path
        crowd = (path,) * self.crowd
        departures = self._departures(path)
        if not self.lists_all:
            departures = departures[:: max(1, len(departures) // FEW_DEPARTURES)]
        return [(crowd, (*crowd, *(extra,) * self.per_person)) for extra in departures]

    def crowd_of(self, number: int) -> Rows:
        """This many people, most with the first label alone, and ever fewer with each further one."""
        return crowd_of(self.labels, number)

    @property
    def _path(self) -> str:
        labels = self.labels[0] if self.steady else self.labels
        return self._in_time((labels * self.depth)[: self.depth])

    def output_pairs(self) -> Sequence[Pair]:
        """A few people; the one added or removed shares their path, or is alone with one, before or after the others' label."""
        first, second = self.labels[0], self.labels[1]
        return [((second,) * 3, (second,) * 3 + (first,)), ((first + second,) * 2, (first + second,) * 3)]

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of sequences
        """The published sequences, as one value."""
        return outcome_of(self.lists(release.data))

    def sampled_neighbours(self, records: SequenceRecords, *, number: int, seed: int) -> Iterator[tuple[str, SequenceRecords]]:
        """Neighbours of real data: one person removed, or one added with a copied or a random sequence.

        What was dropped while reading may also differ between neighbours, and does here.
        """
        sampled = sampled_neighbours(records.sequences, partial(_stranger, records), number=number, seed=seed)
        dropped = records.dropped_labels + 1
        return ((what, replace(records, sequences=lists, dropped_labels=dropped)) for what, lists in sampled)


def _stranger(records: SequenceRecords, length: int, generator: PublicGenerator) -> Integers:
    """Any symbols; with times, in order of time."""
    if records.grid is None:
        return generator.integers(0, len(records.universe), length)
    return np.sort(generator.integers(0, len(records.universe) * records.grid.intervals, length))
