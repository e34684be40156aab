"""Itemsets as numbers: each has its own, and all below the number of itemsets are used."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.scatter import all_itemsets, itemset_numbers, places_of


@given(st.integers(1, 9), st.data())
def test_every_itemset_has_its_own_number_and_is_listed_in_its_row(items, data):
    order = data.draw(st.integers(1, items))
    rows = all_itemsets(items, order)
    assert sorted(map(tuple, rows.tolist())) == list(combinations(range(items), order))
    assert itemset_numbers(rows, items=items).tolist() == list(range(comb(items, order)))


def test_numbers_do_not_depend_on_how_many_items_there_are():
    rows = np.array([[0, 3, 4], [1, 2, 3]])
    assert itemset_numbers(rows, items=5).tolist() == itemset_numbers(rows, items=500).tolist()


def test_places_are_all_itemsets_of_places():
    assert places_of(4, 3) == ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    assert places_of(2, 3) == ()


def test_what_is_kept_for_later_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        all_itemsets(4, 2)[0, 0] = 1
