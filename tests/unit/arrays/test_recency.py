"""The rewriting of lists as new codes and as returns."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.arrays.recency import FEW, NEW, recencies, restored

LISTS = st.lists(st.lists(st.integers(0, 5), max_size=12), max_size=8)


def by_hand(row):
    """How many different codes ago each code of one list was there."""
    found = []
    for place, code in enumerate(row):
        earlier = [at for at in range(place) if row[at] == code]
        found.append(len(set(row[earlier[-1] + 1 : place])) if earlier else NEW)
    return found


@given(LISTS, st.sampled_from([1, FEW]), LISTS)
def test_recencies_count_different_codes_since_the_last_visit(rows, times, longer):
    rows = rows * times + [row * 3 for row in longer]  # many lists side by side, of which some go on one by one
    assert recencies(Ragged.from_lists(rows)).tolist() == [found for row in rows for found in by_hand(row)]


@given(LISTS, st.sampled_from([1, FEW]))
def test_lists_are_restored_from_their_recencies_and_new_codes(rows, times):
    lists = Ragged.from_lists(rows * times)
    found = recencies(lists)
    assert restored(found, lists.codes[found == NEW], lists.offsets).to_lists() == lists.to_lists()


def test_restoring_needs_the_right_new_codes():
    lists = Ragged.from_lists([[1, 2, 1]])
    found = recencies(lists)
    assert restored(found, np.array([3, 2]), lists.offsets).to_lists() == [[3, 2, 3]]
