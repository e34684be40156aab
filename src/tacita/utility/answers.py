"""Exact answers to many count queries on a million records.

`count_location_sets`: in how many records do all locations of a set occur (Definition 3.4 of Chen et al., KDD 2012, 6.5 of the
thesis). `count_occurrences`: how often does a sequence occur, contiguously; a record may count several times (thesis, section
6.4.3).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tacita.core.errors import ParameterError
from tacita.core.ragged import Ragged, offsets_of
from tacita.mining import Weighted, collapse
from tacita.mining.weighted import require_codes

__all__ = ["count_location_sets", "count_occurrences"]

Integers = npt.NDArray[np.int64]

_BITMAP_BYTES = 2**27
_TABLE_CELLS = 2**24


def count_location_sets(sequences: Ragged, queries: Ragged, *, symbols: int) -> Integers:
    """For each query, the number of sequences in which all of its symbols occur, in any order.

    >>> count_location_sets(Ragged.from_lists([[0, 1, 0], [1, 2]]), Ragged.from_lists([[1], [1, 0], [0, 2]]), symbols=3)
    array([2, 1, 0])
    """
    _require_queries(queries, symbols)
    sets = collapse(_symbol_sets(sequences, symbols), symbols=symbols)
    rank = np.argsort(np.argsort(np.bincount(sets.sequences.codes, minlength=symbols), kind="stable"))
    rarest_first = [tuple(sorted(set(rank[query].tolist()))) for query in np.split(queries.codes, queries.offsets[1:-1])]
    distinct = sorted(set(rarest_first[: len(queries)]))
    answers = dict.fromkeys(distinct, 0)
    for part in _parts(sets, rank, symbols):
        for query, answer in zip(distinct, part.answers(distinct), strict=True):
            answers[query] += answer
    return np.array([answers[query] for query in rarest_first[: len(queries)]], dtype=np.int64)


def _require_queries(queries: Ragged, symbols: int) -> None:
    require_codes(queries, symbols=symbols)
    if np.any(queries.lengths == 0):
        message = "a query must have one symbol at least, some have none"
        raise ParameterError(message)


def _symbol_sets(sequences: Ragged, symbols: int) -> Ragged:
    """The different symbols of each sequence, in increasing order."""
    require_codes(sequences, symbols=symbols)
    rows = np.repeat(np.arange(len(sequences), dtype=np.int64), sequences.lengths)
    keys = np.sort(rows * symbols + sequences.codes)
    keys = keys[np.diff(keys, prepend=-1) > 0]
    rows, codes = np.divmod(keys, symbols)
    return Ragged(codes.astype(np.int32), offsets_of(np.bincount(rows, minlength=len(sequences))))


class _Postings:
    """For each symbol, by its rank, the records that have it: as a list and as a bitmap."""

    def __init__(self, ranks: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], weights: Integers, symbols: int) -> None:
        self._weights = weights
        self._groups = offsets_of(np.bincount(ranks, minlength=symbols))
        self._rows = rows[np.argsort(ranks, kind="stable")]
        self._bitmap = np.zeros((symbols, -(-weights.size // 8)), dtype=np.uint8)
        for bit in range(8):  # a record has a symbol once, so no cell is written twice in one turn
            there = rows % 8 == bit
            self._bitmap[ranks[there], rows[there] // 8] |= np.uint8(1 << bit)

    def answers(self, queries: list[tuple[int, ...]]) -> Iterator[int]:
        """The weight of the records that have every symbol of a query; queries come sorted, so that beginnings are shared."""
        chain: list[npt.NDArray[np.int64]] = []
        before: tuple[int, ...] = ()
        for query in queries:
            shared = 0
            while shared < min(len(chain), len(query)) and query[shared] == before[shared]:
                shared += 1
            del chain[shared:]
            while len(chain) < len(query) and not (chain and chain[-1].size == 0):
                chain.append(self._having(query[len(chain)], chain[-1] if chain else None))
            before = query
            yield int(self._weights[chain[-1]].sum())

    def _having(self, rank: int, rows: npt.NDArray[np.int64] | None) -> npt.NDArray[np.int64]:
        if rows is None:
            return self._rows[self._groups[rank] : self._groups[rank + 1]]
        bits = self._bitmap[rank][rows >> 3] >> (rows & 7).astype(np.uint8)
        return np.asarray(rows[(bits & 1).astype(np.bool_)], dtype=np.int64)


def _parts(sets: Weighted, rank: npt.NDArray[np.int64], symbols: int) -> Iterator[_Postings]:
    """The records in parts whose bitmaps fit into a bounded memory; answers of the parts add up."""
    size = max(8, _BITMAP_BYTES // symbols * 8)
    offsets = sets.sequences.offsets
    for first in range(0, len(sets.sequences), size):
        last = min(first + size, len(sets.sequences))
        ranks = rank[sets.sequences.codes[offsets[first] : offsets[last]]]
        rows = np.repeat(np.arange(last - first, dtype=np.int64), np.diff(offsets[first : last + 1]))
        yield _Postings(ranks, rows, sets.weights[first:last], symbols)


def count_occurrences(sequences: Ragged, queries: Ragged, *, symbols: int) -> Integers:
    """For each query, how often it occurs contiguously in the sequences; occurrences may overlap.

    >>> count_occurrences(Ragged.from_lists([[0, 0, 0], [1, 0]]), Ragged.from_lists([[0, 0], [1, 0], [1, 1]]), symbols=2)
    array([2, 1, 0])
    """
    require_codes(sequences, symbols=symbols)
    _require_queries(queries, symbols)
    begins = np.zeros(sequences.codes.size + 1, dtype=np.bool_)
    begins[sequences.offsets] = True
    places = np.arange(sequences.codes.size)
    nodes = np.zeros(places.size, dtype=np.int64)  # the number of each occurrence's beginning among the beginnings of queries
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
    """The places whose key is kept, and the number of the key among the kept ones; by a table or by bisection."""
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
