"""What one person can change, for neighbouring pairs that hypothesis finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strategies import LABELS, neighbouring_sequences
from walks import SimpleWalk


@given(neighbouring_sequences(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_one_sequence_changes_one_count_of_each_level_by_one_at_most(pair, height, random):
    counters = [SimpleWalk(records.sequences, symbols=len(LABELS)) for records in pair]
    for _ in range(height):
        domain = counters[0].domain
        tables = [np.zeros(domain, dtype=np.int64) for _ in pair]
        for counter, table in zip(counters, tables, strict=True):
            keys, counts = counter.counts()
            table[keys] = counts
        assert np.abs(tables[1] - tables[0]).sum() <= 1
        kept = np.array([key for key in range(domain) if random.random() < 0.6], dtype=np.int64)[:50]
        for counter in counters:
            counter.keep(kept)
            assert counter.domain == kept.size * len(LABELS)
