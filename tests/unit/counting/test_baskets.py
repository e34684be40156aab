"""Counts of items and itemsets by size, against counting by hand; cutting looks at one basket alone."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.arrays.scatter import itemset_numbers
from tacita.counting.local import BasketCounter
from tacita.counting.local.sets import cut_baskets

ITEMS = 7
BASKETS = st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1).map(sorted), max_size=25)


def counter_of(baskets):
    return BasketCounter(Ragged.from_lists(baskets), items=ITEMS)


def table(found):
    keys, counts = found
    assert (counts > 0).all()
    assert (np.diff(keys) > 0).all()
    return dict(zip(keys.tolist(), counts.tolist(), strict=True))


@given(BASKETS)
def test_sizes_are_counted_by_groups(baskets):
    least = np.array([1, 2, 4])
    expected = Counter(0 if len(basket) < 2 else 1 if len(basket) < 4 else 2 for basket in baskets)
    assert table(counter_of(baskets).sizes(least)) == expected


@given(BASKETS, st.integers(1, 4), st.integers(0, 3))
def test_a_basket_of_the_sizes_that_are_asked_for_is_shared_out_among_its_items(baskets, least, more):
    most, shared_from, expected = least + more, 3, Counter()
    for basket in baskets:
        for item in basket if least <= len(basket) <= most else ():
            expected[item] += 1000 // max(len(basket), shared_from)
    assert table(counter_of(baskets).shares(least=least, most=most, shared_from=shared_from, whole=1000)) == expected


@given(BASKETS, st.integers(1, 4))
def test_without_a_largest_size_no_basket_weighs_more_than_the_whole(baskets, shared_from):
    for basket in baskets:
        found = table(counter_of([basket]).shares(least=1, most=None, shared_from=shared_from, whole=1000))
        assert sum(found.values()) <= 1000
        assert set(found) == set(basket)


@given(BASKETS, st.integers(1, ITEMS), st.data())
def test_itemsets_are_counted_in_baskets_of_one_size(baskets, size, data):
    order = data.draw(st.integers(1, size))
    inside = Counter(itemset for basket in baskets if len(basket) == size for itemset in combinations(basket, order))
    expected = {int(itemset_numbers(np.array([itemset]), items=ITEMS)[0]): times for itemset, times in inside.items()}
    assert table(counter_of(baskets).itemsets(size=size, order=order, cells=comb(ITEMS, order))) == expected


@given(BASKETS, st.sets(st.integers(0, ITEMS - 1), min_size=1).map(sorted))
def test_a_core_and_the_other_items_share_out_every_basket(baskets, core):
    inside, outside = counter_of(baskets).onto(np.array(core))
    expected = Counter(min(len(set(basket) & set(core)), 2) * 3 + min(len(basket), 3) - 1 for basket in baskets)
    assert table(counter_of(baskets).core_sizes(np.array(core), most=2, least=np.array([1, 2, 3]))) == expected
    places = Counter(core.index(item) for basket in baskets for item in basket if item in core)
    one_by_one = {"least": 0, "most": None, "shared_from": ITEMS, "whole": ITEMS}
    assert table(inside.shares(**one_by_one)) == places
    rest = Counter(item for basket in baskets for item in basket if item not in core)
    assert table(outside.shares(**one_by_one)) == rest


@given(BASKETS, st.integers(1, 5))
def test_cutting_keeps_part_of_a_large_basket_whatever_is_around_it(baskets, most):
    cut = cut_baskets(Ragged.from_lists(baskets), most=most).to_lists()
    for basket, part in zip(baskets, cut, strict=True):
        assert len(part) == min(len(basket), most)
        assert set(part) <= set(basket)
        assert part == sorted(part)
        assert [part] == cut_baskets(Ragged.from_lists([basket]), most=most).to_lists()


def test_cutting_favours_no_item():
    generator = np.random.default_rng(1)
    baskets = Ragged.from_lists([np.sort(generator.choice(40, 8, replace=False)) for _ in range(20_000)])
    before, after = (np.bincount(side.codes, minlength=40) for side in (baskets, cut_baskets(baskets, most=3)))
    assert np.abs(after / before / (3 / 8) - 1).max() < 0.08


def test_a_counter_leaves_the_baskets_as_they_are():
    baskets = Ragged.from_lists([[0, 1, 2, 3, 4], [1, 2]])
    counter = BasketCounter(baskets, items=ITEMS)
    counter.cut(most=2).itemsets(size=2, order=1, cells=ITEMS)
    counter.onto(np.array([1, 4]))
    assert baskets.to_lists() == [[0, 1, 2, 3, 4], [1, 2]]
