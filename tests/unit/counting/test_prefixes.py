from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays import scatter as tallying
from tacita.arrays.ragged import Ragged
from tacita.counting.local import prefixes
from walks import SimpleWalk


@pytest.mark.parametrize("by_table", [True, False])
@given(
    rows=st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=15),
    keep=st.lists(st.floats(0, 1), min_size=3, max_size=3),
    seed=st.integers(0, 100),
)
def test_both_ways_of_counting_agree_with_counting_prefixes_by_hand(by_table, rows, keep, seed):
    with pytest.MonkeyPatch.context() as patch:
        for module in (prefixes, tallying):
            patch.setattr(module, "fits_table", lambda *_: by_table)
        check_walk(rows, keep, seed)


def check_walk(rows, keep, seed):
    generator = np.random.default_rng(seed)
    counter = SimpleWalk(Ragged.from_lists(rows), symbols=5)
    prefixes = [()]
    for share in keep:
        keys, counts = counter.counts()
        found = {(*prefixes[key // 5], key % 5): count for key, count in zip(keys.tolist(), counts.tolist(), strict=True)}
        length = len(prefixes[0]) + 1 if prefixes else 0
        by_hand = Counter(tuple(row[:length]) for row in rows if len(row) >= length and tuple(row[: length - 1]) in prefixes)
        assert found == (by_hand if prefixes else {})
        assert counter.domain == 5 * len(prefixes)
        kept = np.flatnonzero(generator.random(counter.domain) < share)
        prefixes = [(*prefixes[key // 5], int(key % 5)) for key in kept]
        counter.keep(kept)
        if not prefixes:
            break


def test_a_large_domain_is_counted_without_a_table():
    counter = SimpleWalk(Ragged.from_lists([[7], [7], [10**6 - 1]]), symbols=10**6)
    assert not tallying.fits_table(counter.domain, 3)
    keys, counts = counter.counts()
    assert (keys.tolist(), counts.tolist()) == ([7, 10**6 - 1], [2, 1])


def test_codes_of_any_width_are_counted_in_64_bits():
    counter = SimpleWalk(Ragged(np.array([200, 3], dtype=np.uint8), np.array([0, 2])), symbols=250)
    counter.keep(np.arange(250))
    assert counter.counts()[0].tolist() == [200 * 250 + 3]
