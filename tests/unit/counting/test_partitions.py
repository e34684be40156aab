"""Partition counts against a slow walk over Python sets."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.counting.local import PartitionCounter, different_lists, mask_counts
from tacita.counting.local import sets as partitioning

ITEMS = 9
BASKETS = st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1).map(sorted), max_size=40)


@pytest.mark.parametrize("together", [True, False])
@given(rows=BASKETS, places=st.permutations(range(ITEMS)), data=st.data())
def test_masks_and_partitions_are_those_of_a_slow_walk(together, rows, places, data):
    """Two nodes are split one after the other; some masks of the first are kept and become partitions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partitioning, "MOST_MASKED", 24 if together else 0)
        compare(rows, places, data)


def compare(rows, places, data):
    counter = PartitionCounter(Ragged.from_lists(rows), place_of=np.array(places, dtype=np.int64))
    first = [(0, 2), (2, 3), (3, 6)]
    where = [0] * len(rows)

    def mask(row, children):
        return sum(1 << bit for bit, (low, high) in enumerate(children) if any(low <= places[item] < high for item in row))

    def slow(children):
        alive = ((where[place], mask(row, children)) for place, row in enumerate(rows) if where[place] >= 0)
        return Counter((partition, bits) for partition, bits in alive if bits)

    partitions = np.array([0], dtype=np.int64)
    found = zip(*(part.tolist() for part in counter.counts(first, partitions)), strict=True)
    assert {(partition, bits): count for partition, bits, count in found} == slow(first)
    kept = data.draw(st.sets(st.integers(1, 7))) | {7}
    become = {bits: 10 + place for place, bits in enumerate(sorted(kept))}
    counter.keep(first, partitions, kept=np.array(sorted(kept), dtype=np.int64), become=np.array(sorted(become.values())))
    for place, row in enumerate(rows):
        if mask(row, first):
            where[place] = become.get(mask(row, first), -1)
    second = [(4, 5), (5, 6)]  # below the third child of the first node
    alive = np.array(sorted({where[place] for place in range(len(rows)) if where[place] > 0} | {10}), dtype=np.int64)
    partitions_now = alive[alive >= 10]
    expected = {key: count for key, count in slow(second).items() if key[0] >= 10}
    found = zip(*(part.tolist() for part in counter.counts(second, partitions_now)), strict=True)
    assert {(int(partitions_now[partition]), bits): count for partition, bits, count in found} == expected


@given(BASKETS)
def test_whole_baskets_are_counted_by_masks_and_by_lists_alike(rows):
    baskets = Ragged.from_lists(rows)
    masks, counts = mask_counts(baskets, items=ITEMS)
    expected = Counter(tuple(row) for row in rows)
    assert dict(zip(masks.tolist(), counts.tolist(), strict=True)) == {
        sum(1 << item for item in row): count for row, count in expected.items()
    }
    assert np.all(np.diff(masks) > 0)
    lists, numbers = different_lists(baskets, symbols=ITEMS)
    assert dict(zip(map(tuple, lists.to_lists()), numbers.tolist(), strict=True)) == expected
