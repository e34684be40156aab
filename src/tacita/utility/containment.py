"""Count the records that contain every symbol of a set: exact answers to many such queries on a million records.

This is the count query of Definition 3.4 of Chen et al. (KDD 2012) and Definition 6.5 of the thesis for locations in sequences,
and of Definition 4.2 of the thesis for items in baskets. Three ways give the same answers; the sizes decide which is used:

- Over a small universe, one table holds the answers to all possible queries.
- A query with a rare symbol starts from the records that have it and keeps those that also have the others.
- Other queries intersect bitmaps, one per symbol, of the records that have it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Numbers, Words
from tacita.arrays.distinct import distinct
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import ParameterError
from tacita.mining.weighted import require_codes

__all__ = ["count_location_sets", "require_queries"]


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
    narrow = rank.astype(np.uint16 if symbols <= 2**16 else np.int32)  # NumPy sorts 16-bit numbers by radix
    for first in range(0, len(sets), size):
        offsets = sets.offsets[first : first + size + 1]
        ranks = narrow[sets.codes[offsets[0] : offsets[-1]]]
        rows = np.repeat(np.arange(offsets.size - 1, dtype=np.int32), np.diff(offsets))
        yield _Postings(ranks, rows, records=offsets.size - 1, symbols=symbols)
