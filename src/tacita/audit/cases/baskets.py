"""Small data sets of baskets, for audits."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.audit.cases.case import SPAN, Pair, Rows, crowd_of, encoded, outcome_of, removals, sampled_neighbours
from tacita.privacy.budget import Budget
from tacita.public.per_person import PerPerson
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator
from tacita.sets import BasketRecords

__all__ = ["BasketCase"]


@dataclass(frozen=True, kw_only=True)
class BasketCase:
    """A mechanism for baskets, on all sets of a few labels.

    The pair that should be tight has `crowd` people, enough to be kept, whose baskets hold everything: such a basket has items
    below every node of a taxonomy, so it takes the longest path. `small_pairs` are the pairs whose outputs are enumerated; by
    default, a few people have one basket, and the person who is added or removed shares it, or is alone with another one. The
    universe has `unused` more labels, which nobody has. One person has up to `per_person` baskets; neighbours differ in all of
    them.
    """

    name: str
    mechanism: Any
    budget: Budget
    labels: str = "ABCDE"
    unused: int = 0
    crowd: int = 400
    small_pairs: tuple[Pair, ...] = ()
    span: int = SPAN
    per_person: int = 1

    @cached_property
    def domain(self) -> Rows:
        """Every basket that a person can have."""
        sizes = range(1, len(self.labels) + 1)
        return tuple("".join(basket) for size in sizes for basket in combinations(self.labels, size))

    def records(self, rows: Rows) -> BasketRecords:
        """Private records from rows, as if something had been dropped from each basket, and a whole basket of each person."""
        baskets = encoded(rows, self.labels)
        return BasketRecords(
            baskets=baskets,
            universe=self.universe,
            name="audit",
            dropped_labels=baskets.codes.size + len(baskets),
            dropped_baskets=len(baskets),
            per_person=PerPerson.JOIN if self.per_person == 1 else PerPerson.cap(self.per_person),
        )

    @property
    def universe(self) -> Universe:
        """The labels that people have, and those that nobody has."""
        return Universe([*self.labels, *(f"unused {place}" for place in range(self.unused))])

    def of(self, mechanism: Any) -> BasketCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def lists(self, held: Any) -> Ragged:  # noqa: ANN401 - records or published baskets
        """The contents of records, or of published data."""
        lists: Ragged = held.baskets
        return lists

    def parts(self, release: Any) -> frozenset[Hashable]:  # noqa: ANN401 - any release of this kind
        """The different lists that were published."""
        return frozenset(map(tuple, self.lists(release.data).to_lists()))

    def part_of(self, row: str) -> Hashable:
        """The list that a person with this row has."""
        return tuple(encoded((row,), self.labels).to_lists()[0])

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Some people anywhere, and often a crowd with one basket, so that its path is followed to the end."""
        anywhere = [self.domain[place] for place in generator.integers(0, len(self.domain), generator.integers(0, 8))]
        basket = self.domain[int(generator.integers(0, len(self.domain)))]
        return (*[basket] * int(generator.integers(0, 2) * generator.integers(0, 2 * self.crowd)), *anywhere)

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every basket added, and every different one removed."""
        for extra in self.domain:
            yield (*rows, *(extra,) * self.per_person)
        yield from removals(rows, each=self.per_person)

    def tight_pairs(self) -> Sequence[Pair]:
        """A crowd with one basket, and one more person: with it (the loss can reach epsilon), one label fewer, or only one."""
        crowd = (self.labels,) * self.crowd
        without = [self.labels.replace(label, "") for label in self.labels]
        others = dict.fromkeys(basket for basket in [self.labels, *without, *self.labels] if basket)
        return [(crowd, (*crowd, *(extra,) * self.per_person)) for extra in others]

    def crowd_of(self, number: int) -> Rows:
        """This many people, most with the first label alone, and ever fewer with each further one."""
        return crowd_of(self.labels, number)

    def output_pairs(self) -> Sequence[Pair]:
        """A few people; the one added or removed shares their basket, or is alone with one, before or after the others' label."""
        if self.small_pairs:
            return self.small_pairs
        first, second = self.labels[0], self.labels[1]
        return [((second,) * 3, (second,) * 3 + (first,)), ((first + second,) * 2, (first + second,) * 3)]

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of baskets
        """The published baskets, as one value."""
        return outcome_of(self.lists(release.data))

    def sampled_neighbours(self, records: BasketRecords, *, number: int, seed: int) -> Iterator[tuple[str, BasketRecords]]:
        """Neighbours of real data: one basket removed, or one added, which is somebody else's or random.

        What was dropped while reading may also differ between neighbours, and does here.
        """
        sampled = sampled_neighbours(records.baskets, partial(_stranger, records), number=number, seed=seed)
        labels, whole = records.dropped_labels + 1, records.dropped_baskets + 1
        return ((what, replace(records, baskets=lists, dropped_labels=labels, dropped_baskets=whole)) for what, lists in sampled)


def _stranger(records: BasketRecords, size: int, generator: PublicGenerator) -> Integers:
    """Any items, each once."""
    return np.unique(generator.integers(0, len(records.universe), size))
