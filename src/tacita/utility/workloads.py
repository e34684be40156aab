"""Random count queries, drawn as in the papers; they are public, so they may be seeded.

A workload has subsets. The queries of subset i of n have lengths uniform between 1 and i/n of the longest. The prefix tree papers
use 4 subsets of 10,000 queries up to the height (Chen et al., KDD 2012, section 5.1), the n-gram part of the thesis 5 of 10,000
up to length 20 (section 6.4.3), and its part on sets 5 of 10,000 up to the largest basket (section 4.4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Numbers
from tacita.arrays.distinct import distinct
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.parameters import whole_number
from tacita.seeded import PublicGenerator, public_generator

__all__ = ["QueryWorkload", "itemsets", "location_sequences", "location_sets"]


@dataclass(frozen=True, kw_only=True)
class QueryWorkload:
    """How many queries to draw, and of which lengths.

    >>> QueryWorkload(longest=12, subsets=4).max_lengths
    (3, 6, 9, 12)
    """

    longest: int
    subsets: int
    queries_each: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, value, least in (
            ("subsets", self.subsets, 1),
            ("longest", self.longest, self.subsets),
            ("queries_each", self.queries_each, 1),
            ("seed", self.seed, 0),
        ):
            whole_number(value, name=name, least=least)

    @property
    def max_lengths(self) -> tuple[int, ...]:
        """The longest query of each subset."""
        return tuple(self.longest * number // self.subsets for number in range(1, self.subsets + 1))


def location_sets(workload: QueryWorkload, *, symbols: int) -> tuple[Ragged, ...]:
    """For each subset, queries that are sets: as many different locations as the length says, all such sets equally likely.

    No set is larger than the universe, so longer lengths are not drawn.
    """
    generator = public_generator(workload.seed)
    return tuple(_sets(generator, workload.queries_each, min(longest, symbols), symbols) for longest in workload.max_lengths)


def location_sequences(workload: QueryWorkload, *, symbols: int) -> tuple[Ragged, ...]:
    """For each subset, queries that are sequences: each location is drawn from the whole universe, so locations may repeat."""
    generator = public_generator(workload.seed)
    return tuple(_sequences(generator, workload.queries_each, longest, symbols) for longest in workload.max_lengths)


def itemsets(workload: QueryWorkload, *, symbols: int) -> tuple[Ragged, ...]:
    """For each subset, queries that are sets of items: items are drawn from the whole universe, and repeated ones are kept once.

    So a query can have fewer items than its length says. The thesis says "each item is randomly drawn from" the universe, not
    whether it is put back. Here it is: that is the plain reading, and it reproduces the known figures for MSNBC. Over its 17
    items, a query of up to 17 different ones would be nearly the whole universe.
    """
    return tuple(distinct(subset, symbols=symbols) for subset in location_sequences(workload, symbols=symbols))


def _sequences(generator: PublicGenerator, count: int, longest: int, symbols: int) -> Ragged:
    lengths = generator.integers(1, longest + 1, count)
    return Ragged(generator.integers(0, symbols, int(lengths.sum()), dtype=np.int32), offsets_of(lengths))


def _sets(generator: PublicGenerator, count: int, longest: int, symbols: int) -> Ragged:
    """Floyd's algorithm, all queries at once: for each of the last `length` codes, draw one up to it, or take it if taken."""
    lengths = generator.integers(1, longest + 1, count)
    drawn = np.full((count, longest), -1, dtype=np.int32)
    for place in range(longest):
        rows = np.flatnonzero(lengths > place)
        largest = symbols - lengths[rows] + place
        codes = generator.integers(0, largest + 1)
        taken = (drawn[rows] == codes[:, np.newaxis]).any(axis=1)
        drawn[rows, place] = np.where(taken, largest, codes)
    return Ragged(_in_rows(drawn), offsets_of(lengths))


def _in_rows(drawn: Numbers) -> Numbers:
    """The codes that were drawn, in increasing order within each row."""
    drawn.sort(axis=1)
    return drawn[drawn >= 0]
