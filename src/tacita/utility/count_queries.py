"""Count queries: how they are drawn, exact answers to them, and the error of a release.

Two kinds of answers (how many records contain a set, how often a sequence occurs) stand around the workloads that ask for them;
`measure_queries`, at the end, draws a workload, answers it on both sides and compares.

The relative error of a query Q is |Q(release) - Q(raw)| / max(Q(raw), s). The sanity bound s, a share of the number of raw
records, keeps queries that hardly anybody matches from dominating the average; it is 0.1 % in all of the papers. The absolute
error is |Q(release) - Q(raw)|.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Numbers, Reals, Words
from tacita.arrays.parts import joined_lists
from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.counting.blocks.conversation import added_up
from tacita.errors import ParameterError
from tacita.mining.sequences import require_codes
from tacita.public.parameters import Chosen, whole_number
from tacita.seeded import PublicGenerator, public_generator

__all__ = [
    "QueryError",
    "QueryKind",
    "QueryWorkload",
    "count_location_sets",
    "count_occurrences",
    "itemsets",
    "location_sequences",
    "location_sets",
    "measure_queries",
    "relative_errors",
    "require_queries",
]


# How many records contain every symbol of a set: exact answers to many such queries on a million records.
#
# This is the count query of Definition 3.4 of Chen et al. (KDD 2012) and Definition 6.5 of the thesis for locations in
# sequences, and of Definition 4.2 of the thesis for items in baskets. Three ways give the same answers; the sizes decide which
# is used:
#
# - Over a small universe, one table holds the answers to all possible queries.
# - A query with a rare symbol starts from the records that have it and keeps those that also have the others.
# - Other queries intersect bitmaps, one per symbol, of the records that have it.


_TABLE_SYMBOLS = 22
_BITMAP_BYTES = 2**27
_PAIRS_AT_ONCE = 2**17
_PAIR_COST = 1000  # how many bits are intersected in the time it takes to look up one record


def count_location_sets(sequences: Ragged, queries: Ragged, *, symbols: int) -> Integers:
    """For each query, the number of sequences in which all of its symbols occur, in any order.

    >>> count_location_sets(Ragged.from_lists([[0, 1, 0], [1, 2]]), Ragged.from_lists([[1], [1, 0], [0, 2]]), symbols=3)
    array([2, 1, 0])
    """
    require_queries(queries, symbols=symbols)
    require_codes(sequences, symbols=symbols)
    if symbols <= _TABLE_SYMBOLS:
        return _superset_sums(_masks(sequences), symbols)[_masks(queries)]
    sets = distinct(sequences, symbols=symbols)
    rank = np.argsort(np.argsort(np.bincount(sets.codes, minlength=symbols), kind="stable"))
    rarest_first = distinct(Ragged(rank[queries.codes], queries.offsets), symbols=symbols)
    answers = np.zeros(len(queries), dtype=np.int64)
    for part in _parts(sets, rank, symbols):
        part.add_answers(rarest_first, answers)
    return answers


def require_queries(queries: Ragged, *, symbols: int) -> None:
    """Refuse codes outside the universe, and empty queries."""
    require_codes(queries, symbols=symbols)
    if np.any(queries.lengths == 0):
        message = "a query must have at least one symbol, but some have none"
        raise ParameterError(message)


def _masks(sets: Ragged) -> Integers:
    """Each set as a number whose bits are its symbols."""
    masks = np.zeros(len(sets), dtype=np.int64)
    filled = np.flatnonzero(sets.lengths)
    if filled.size:
        bits = np.left_shift(1, sets.codes, dtype=np.int64)
        masks[filled] = np.bitwise_or.reduceat(bits, sets.offsets[filled])
    return masks


def _superset_sums(masks: Integers, symbols: int) -> Integers:
    """For each set, how many of the masks contain it: for each symbol, the counts with it are added to those without it."""
    table = np.bincount(masks, minlength=1 << symbols).astype(np.int64, copy=False)
    for symbol in range(symbols):
        halves = table.reshape(-1, 2, 1 << symbol)
        halves[:, 0] += halves[:, 1]
    return table


class _Postings:
    """For each symbol, by its rank, the records that have it: as a list and as a bitmap."""

    def __init__(self, ranks: AnyIntegers, rows: Numbers, *, records: int, symbols: int) -> None:
        self._records = records
        self._sizes = np.bincount(ranks, minlength=symbols)
        self._groups = offsets_of(self._sizes)
        order = np.argsort(ranks, kind="stable")
        self._rows = rows[order]
        self._bytes, self._bits = self._rows >> 3, np.left_shift(1, self._rows & 7).astype(np.uint8)
        self._width = _bitmap_width(records)
        self._bitmap = np.zeros(symbols * self._width, dtype=np.uint8)
        cells = ranks[order] * np.int64(self._width) + self._bytes
        firsts = np.flatnonzero(np.diff(cells, prepend=-1))
        if firsts.size:
            self._bitmap[cells[firsts]] = np.bitwise_or.reduceat(self._bits, firsts)

    def add_answers(self, queries: Ragged, answers: Integers) -> None:
        """Add to each answer the number of records here that have all symbols of the query; queries list rare symbols first."""
        candidates = self._sizes[queries.codes[queries.offsets[:-1]]]
        is_single = queries.lengths == 1
        answers[is_single] += candidates[is_single]
        is_rare = candidates * _PAIR_COST <= queries.lengths * self._records
        rare = np.flatnonzero(~is_single & is_rare & (candidates > 0))
        batch = np.cumsum(candidates[rare]) // _PAIRS_AT_ONCE
        for asking in np.split(rare, np.flatnonzero(np.diff(batch)) + 1):
            answers[asking] += self._by_pairs(queries, asking)
        others = np.flatnonzero(~is_single & ~is_rare)
        answers[others] += self._by_bitmaps(queries, others)

    def _by_pairs(self, queries: Ragged, asking: Integers) -> Integers:
        """Answer some queries of two or more symbols, from pairs of a query and a record that may match it."""
        begins, lengths = queries.offsets[asking], queries.lengths[asking]
        of_query, rows = self._having_two(queries.codes[begins], queries.codes[begins + 1])
        answers = np.zeros(asking.size, dtype=np.int64)
        for place in range(2, int(lengths.max(initial=0)) + 1):
            goes_on = lengths[of_query] > place
            answers += np.bincount(of_query[~goes_on], minlength=asking.size)
            of_query, rows = of_query[goes_on], rows[goes_on]
            if not rows.size:
                break
            cells = queries.codes[begins[of_query] + place] * np.int64(self._width) + (rows >> 3)
            has_it = (self._bitmap[cells] >> (rows & 7).astype(np.uint8)) & 1 == 1
            of_query, rows = of_query[has_it], rows[has_it]
        return answers

    def _having_two(self, firsts: AnyIntegers, seconds: AnyIntegers) -> tuple[Integers, Numbers]:
        """The pairs in which the record has the two rarest symbols of the query; nearly all of the work is here."""
        sizes = self._sizes[firsts]
        ends = np.cumsum(sizes)
        places = np.repeat((self._groups[firsts] - (ends - sizes)).astype(np.int32), sizes)
        places += np.arange(places.size, dtype=np.int32)
        cells = np.repeat(seconds * np.int64(self._width), sizes)
        cells += self._bytes[places]
        pairs = np.flatnonzero(self._bitmap[cells] & self._bits[places])
        return np.searchsorted(ends, pairs, side="right"), self._rows[places[pairs]]

    def _by_bitmaps(self, queries: Ragged, asking: Integers) -> Integers:
        """Answer some queries, sorted so that neighbours share the intersections of their common beginning."""
        words = self._bitmap.view(np.uint64).reshape(-1, self._width // 8)
        asked = [tuple(queries.codes[queries.offsets[query] : queries.offsets[query + 1]].tolist()) for query in asking.tolist()]
        answers: dict[tuple[int, ...], int] = {}
        before: tuple[int, ...] = ()
        common: list[Words] = []
        for query in sorted(set(asked)):
            shared = 0
            while shared < min(len(before), len(query)) and before[shared] == query[shared]:
                shared += 1
            del common[shared:]
            for symbol in query[len(common) :]:
                common.append(words[symbol] & common[-1] if common else words[symbol])
            answers[query] = int(np.bitwise_count(common[-1]).sum())
            before = query
        return np.array([answers[query] for query in asked], dtype=np.int64)


def _bitmap_width(records: int) -> int:
    """The size in bytes of one symbol's bitmap, which is made of 64-bit words."""
    return -(-records // 64) * 8


def _parts(sets: Ragged, rank: Integers, symbols: int) -> Iterator[_Postings]:
    """The records in parts whose bitmaps fit into bounded memory; the answers of the parts add up."""
    size = max(64, _BITMAP_BYTES // symbols * 8)
    narrow: AnyIntegers = rank.astype(np.uint16 if symbols <= 2**16 else np.int32)  # NumPy sorts 16-bit numbers by radix
    for first in range(0, len(sets), size):
        offsets = sets.offsets[first : first + size + 1]
        ranks = narrow[sets.codes[offsets[0] : offsets[-1]]]
        rows = np.repeat(np.arange(offsets.size - 1, dtype=np.int32), np.diff(offsets))
        yield _Postings(ranks, rows, records=offsets.size - 1, symbols=symbols)


# Workloads: random count queries, drawn as in the papers; they are public, so they may be seeded.
#
# A workload has subsets. The queries of subset i of n have lengths uniform between 1 and i/n of the longest. The prefix tree
# papers use 4 subsets of 10,000 queries up to the height (Chen et al., KDD 2012, section 5.1), the n-gram part of the thesis 5
# of 10,000 up to length 20 (section 6.4.3), and its part on sets 5 of 10,000 up to the largest basket (section 4.4.1).


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


# How often a sequence occurs contiguously; one record may count several times (thesis, section 6.4.3).
#
# Many such queries on a million records are answered exactly and all at once.


_TABLE_CELLS = 2**24


def count_occurrences(sequences: Ragged, queries: Ragged, *, symbols: int) -> Integers:
    """For each query, how often it occurs contiguously in the sequences; occurrences may overlap.

    >>> count_occurrences(Ragged.from_lists([[0, 0, 0], [1, 0]]), Ragged.from_lists([[0, 0], [1, 0], [1, 1]]), symbols=2)
    array([2, 1, 0])
    """
    require_codes(sequences, symbols=symbols)
    require_queries(queries, symbols=symbols)
    begins = np.zeros(sequences.codes.size + 1, dtype=np.bool_)
    begins[sequences.offsets] = True
    places = np.arange(sequences.codes.size)
    nodes = np.zeros(places.size, dtype=np.int64)  # which distinct beginning of a query each occurrence matches
    answers = np.zeros(len(queries), dtype=np.int64)
    of_query, longer = np.zeros(len(queries), dtype=np.int64), np.arange(len(queries))
    for length in range(1, int(queries.lengths.max(initial=0)) + 1):
        asked = of_query[longer] * symbols + queries.codes[queries.offsets[longer] + length - 1]
        kept, of_query[longer] = np.unique(asked, return_inverse=True)
        places, nodes = _continued(places, nodes * symbols + sequences.codes[places], kept)
        answers[longer] = np.bincount(nodes, minlength=kept.size)[of_query[longer]]
        places = places + 1
        further = ~begins[places]
        places, nodes = places[further], nodes[further]
        longer = longer[queries.lengths[longer] > length]
    return answers


def _continued(places: Integers, keys: Integers, kept: Integers) -> tuple[Integers, Integers]:
    """The positions whose key is kept, and the key's index among the kept ones; by table or by bisection."""
    domain = int(kept[-1]) + 1
    if domain <= _TABLE_CELLS:
        table = np.full(domain + 1, -1, dtype=np.int64)
        table[kept] = np.arange(kept.size)
        nodes = table[np.minimum(keys, domain)]
    else:
        guess = np.minimum(np.searchsorted(kept, keys), kept.size - 1)
        nodes = np.where(kept[guess] == keys, guess, -1)
    found = np.flatnonzero(nodes >= 0)
    return places[found], nodes[found]


# The error of a release.


class QueryKind(StrEnum):
    """What a count query asks."""

    LOCATION_SET = "location set"
    OCCURRENCES = "occurrences"
    ITEMSET = "itemset"


_DRAW: dict[QueryKind, Callable[..., tuple[Ragged, ...]]] = {
    QueryKind.LOCATION_SET: location_sets,
    QueryKind.OCCURRENCES: location_sequences,
    QueryKind.ITEMSET: itemsets,
}
_ANSWER: dict[QueryKind, Callable[..., Integers]] = {
    QueryKind.LOCATION_SET: count_location_sets,
    QueryKind.OCCURRENCES: count_occurrences,
    QueryKind.ITEMSET: count_location_sets,
}


@dataclass(frozen=True, kw_only=True)
class QueryError:
    """How well one subset of a workload is answered."""

    kind: Chosen[QueryKind] = Chosen(QueryKind)
    max_length: int
    queries: int
    matched: int
    """How many of the queries have a raw answer above 0; an error of 0 on the others is easy to achieve."""
    average_relative_error: float
    average_absolute_error: float

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {
            "kind": str(self.kind),
            "max_length": self.max_length,
            "queries": self.queries,
            "matched": self.matched,
            "average_relative_error": self.average_relative_error,
            "average_absolute_error": self.average_absolute_error,
        }


def relative_errors(raw: Integers, released: Integers, *, sanity_bound: float) -> Reals:
    """The relative error of each answer.

    >>> relative_errors(np.array([10, 0]), np.array([8, 1]), sanity_bound=2.0)
    array([0.2, 0.5])
    """
    if not 0 < sanity_bound < float("inf"):
        message = f"a sanity bound must be finite and above 0, got {sanity_bound}"
        raise ParameterError(message)
    return np.asarray(np.abs(released - raw) / np.maximum(raw, sanity_bound), dtype=np.float64)


def measure_queries(
    raw: Ragged,
    released: Ragged,
    *,
    symbols: int,
    kind: QueryKind,
    workload: QueryWorkload,
    sanity_share: float = 0.001,
) -> tuple[QueryError, ...]:
    """Draw a workload, answer it on both sides, and average the relative errors of each subset."""
    subsets = _DRAW[kind](workload, symbols=symbols)
    answer = partial(_ANSWER[kind], queries=joined_lists(subsets), symbols=symbols)  # at once, so that data is prepared once
    on_raw, on_released = (added_up(side, answer) for side in (raw, released))
    errors = relative_errors(on_raw, on_released, sanity_bound=sanity_share * len(raw))
    places = np.cumsum([len(subset) for subset in subsets])[:-1]
    return tuple(
        QueryError(
            kind=kind,
            max_length=max_length,
            queries=subset.size,
            matched=int(np.count_nonzero(on_raw[subset])),
            average_relative_error=float(errors[subset].mean()),
            average_absolute_error=float(np.abs(on_released[subset] - on_raw[subset]).mean()),
        )
        for max_length, subset in zip(workload.max_lengths, np.split(np.arange(errors.size), places), strict=True)
    )
