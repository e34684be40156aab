"""The searches on real data."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from tacita.io import declared_universe, read_seq
from tacita.mining import top_contiguous_patterns, top_gapped_patterns

pytestmark = pytest.mark.slow  # ten seconds


@pytest.fixture(scope="module")
def sequences(data_folder):
    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    return read_seq(path, universe=declared_universe(path))[0]


def contains(row, pattern):
    rest = iter(row)
    return all(symbol in rest for symbol in pattern)


def test_gapped_supports_are_those_of_a_plain_scan(sequences):
    found = top_gapped_patterns(sequences, count=300, symbols=17)
    assert len(found) == 300
    rows = Counter(map(tuple, sequences.to_lists()))
    for pattern, support in list(found.as_dict().items())[::37]:
        assert sum(weight for row, weight in rows.items() if contains(row, pattern)) == support


def test_single_symbols_are_found_as_often_as_the_data_set_is_known_to_have_them(sequences):
    rows = np.repeat(np.arange(len(sequences)), sequences.lengths)
    by_hand = np.bincount(np.unique(rows * 17 + sequences.codes) % 17, minlength=17)
    found = top_gapped_patterns(sequences, count=17, symbols=17, max_length=1).as_dict()
    assert {(code,): int(support) for code, support in enumerate(by_hand)} == found


def test_contiguous_supports_are_those_of_a_plain_count(sequences):
    found = top_contiguous_patterns(sequences, count=300, symbols=17, min_length=2).as_dict()
    rows = Counter(map(tuple, sequences.to_lists()))
    pairs = Counter()
    for row, weight in rows.items():
        for pair in pairwise(row):
            pairs[pair] += weight
    least = min(found.values())
    assert {pattern: count for pattern, count in found.items() if len(pattern) == 2} == {
        pair: count for pair, count in pairs.items() if count >= least
    }
