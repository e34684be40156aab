"""How often a sequence occurs contiguously; one record may count several times (thesis, section 6.4.3).

Many such queries on a million records are answered exactly and all at once.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.mining.weighted import require_codes
from tacita.utility.containment import require_queries

__all__ = ["count_occurrences"]


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
