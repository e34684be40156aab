"""What is asked, and at which cost: by public rules."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.privacy.funds import Funds
from tacita.sets.itemset_schedule import (
    CLASS_CELLS,
    CORE_CELLS,
    FOR_SIZES,
    LARGE_ENOUGH,
    LARGEST_SENSITIVITY,
    are_together,
    core_size,
    fine_groups,
    largest_stratum,
    order_of,
    plan_of_classes,
    plan_of_items,
    plan_of_strata,
    shared_from,
    shares_of,
    size_classes,
    size_groups,
)
from tacita.sets.synthesis.weights import MOST_CANDIDATES, MOST_FEATURES

EPSILONS = st.fractions(Fraction(1, 1000), 20)


def funds_of(epsilon):
    return Funds(amount=Fraction(epsilon))


@given(st.integers(2, 3000), st.floats(0, 1e12), EPSILONS, st.integers(2, 512))
def test_the_core_has_the_largest_number_of_items_whose_pairs_pay(items, baskets, epsilon, most):
    core = core_size(items, baskets=baskets, mean_size=4.0, funds=funds_of(epsilon), most=most)
    allowed = baskets * float(epsilon) / CORE_CELLS
    assert 2 <= core <= min(items, most)
    assert core == 2 or comb(core, 2) <= allowed * (1 + 1e-9)
    assert core == min(items, most) or comb(core + 1, 2) > allowed * (1 - 1e-9)


def test_a_universe_of_one_item_is_its_own_core():
    assert core_size(1, baskets=0.0, mean_size=1.0, funds=funds_of(1), most=256) == 1


@given(st.integers(1, 300), st.integers(1, 32), st.floats(0, 1e12), EPSILONS)
def test_an_order_pays_and_stays_within_bounds(items, size, baskets, epsilon):
    size = min(size, items)
    order = order_of(items, size, baskets=baskets, funds=funds_of(epsilon))
    assert 1 <= order <= size
    if order > 1:
        assert comb(items, order) * 3 <= baskets * float(epsilon) * (1 + 1e-9)
        assert comb(items, order) <= 2**17
        assert comb(size, order) <= LARGEST_SENSITIVITY
        assert comb(size, order) * min(comb(items, size), MOST_CANDIDATES) <= MOST_FEATURES


def test_more_baskets_are_asked_for_larger_itemsets():
    orders = [order_of(17, 5, baskets=baskets, funds=funds_of(1)) for baskets in (10, 1000, 5000, 10_000, 20_000)]
    assert orders == [1, 2, 3, 4, 5]


def test_the_largest_stratum_has_enough_baskets_of_its_size_or_above():
    by_size = np.array([0.0, 500.0, 100.0, 20.0, 20.0, 5.0])
    assert largest_stratum(10, by_size, funds=funds_of(1)) == 3
    assert largest_stratum(10, by_size, funds=funds_of(Fraction(10))) == 5
    assert largest_stratum(10, by_size, funds=funds_of(Fraction(1, 100))) == 0
    assert largest_stratum(2, by_size, funds=funds_of(Fraction(10))) == 2


def test_all_items_are_counted_together_if_every_pair_of_them_pays():
    assert are_together(17, baskets=12_240.0, mean_size=4.0, funds=funds_of(1), most=256)
    assert not are_together(17, baskets=12_239.0, mean_size=4.0, funds=funds_of(1), most=256)
    assert not are_together(17, baskets=1e9, mean_size=4.0, funds=funds_of(1), most=16)
    assert are_together(2, baskets=0.0, mean_size=4.0, funds=funds_of(1), most=256)


def test_single_items_get_all_that_is_left_where_pairs_would_drown():
    few = shares_of(1000, baskets=5000.0, mean_size=5.0, funds=funds_of(1), most=256)
    assert (few.core_size, few.items) == (0, Fraction(91, 100))
    many = shares_of(1000, baskets=100_000.0, mean_size=5.0, funds=funds_of(1), most=256)
    ample = shares_of(1000, baskets=1_000_000.0, mean_size=5.0, funds=funds_of(1), most=256)
    assert 14 <= many.core_size < ample.core_size
    assert ample.items < many.items < few.items
    assert shares_of(119, baskets=8000.0, mean_size=23.0, funds=funds_of(1), most=256).core_size > 6
    assert shares_of(119, baskets=8000.0, mean_size=3.0, funds=funds_of(1), most=256).core_size == 0


def test_sizes_are_in_classes_only_if_every_item_pays_in_each():
    by_size = np.array([0.0, *[100.0] * 10])
    one = size_classes(by_size, items=100, funds=funds_of(1))
    assert one.names() == ["1 or more"]
    two = size_classes(by_size * CLASS_CELLS, items=50, funds=funds_of(1))
    assert two.names() == ["1 to 5", "6 or more"]
    assert size_classes(np.array([0.0, 0.0, 0.0, 1e9, 0.0]), items=50, funds=funds_of(1)).names() == [
        "1 to 3",
        "4 or more",
    ]
    assert size_classes(np.array([0.0, 0.0, 0.0, 1e9]), items=50, funds=funds_of(1)).names() == ["1 or more"]


def test_small_baskets_are_in_one_class_however_many_they_are():
    small, large = np.array([0.0, 6e8, 2e8, 1e8, 1e8]), np.array([0.0, 3e8, 1e8, 2e8, 4e8])
    assert small @ np.arange(5) < LARGE_ENOUGH * small.sum() < large @ np.arange(5)
    assert size_classes(small, items=50, funds=funds_of(1)).names() == ["1 or more"]
    assert len(size_classes(large, items=50, funds=funds_of(1)).names()) == 2


@given(EPSILONS, st.floats(0, 1e9), st.integers(3, 5000), st.dictionaries(st.integers(1, 9), st.integers(1, 2), min_size=1))
def test_shares_add_up_to_the_budget_exactly(epsilon, baskets, items, orders):
    shares = shares_of(items, baskets=baskets, mean_size=4.0, funds=funds_of(epsilon), most=256)
    assert plan_of_items(shares, funds_of(epsilon)).epsilon == epsilon - epsilon * FOR_SIZES
    classes = size_classes(np.array([0.0, baskets, 1.0]), items=items, funds=funds_of(shares.items))
    assert plan_of_classes(funds_of(shares.items), classes).epsilon == shares.items
    assert plan_of_strata(funds_of(epsilon), orders).epsilon == epsilon


def test_single_items_get_the_less_beside_a_core_the_more_baskets_each_has():
    shares = [
        shares_of(1000, baskets=baskets, mean_size=5.0, funds=funds_of(1), most=256).items
        for baskets in (1e5, 1.5e5, 2e5, 3e5, 4e5, 1e7)
    ]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-2], shares[-1]) == (Fraction(3, 4), Fraction(9, 25), Fraction(9, 25))


def test_sizes_get_no_more_than_they_need():
    few, many = (shares_of(1000, baskets=baskets, mean_size=5.0, funds=funds_of(1), most=256) for baskets in (60_000.0, 1e7))
    assert (few.fine_sizes, few.core_sizes) == (Fraction(1, 24), Fraction(1, 25))
    assert (many.fine_sizes, many.core_sizes) == (Fraction(1, 50), Fraction(1, 50))


def test_sizes_are_asked_again_where_the_number_of_baskets_would_drown():
    shares = [
        shares_of(16_470, baskets=baskets, mean_size=5.0, funds=funds_of(Fraction(1, 2)), most=256).sizes_again * 2
        for baskets in (0.0, 100.0, 600.0, 1200.0, 2600.0)
    ]
    assert shares == [Fraction(1, 5), Fraction(1, 5), Fraction(13, 100), Fraction(5, 100), 0]


def test_baskets_are_shared_out_earlier_where_single_items_drown_or_have_several_classes():
    sizes = [
        shared_from(10.0, classes=classes, baskets=baskets, items=100, funds=funds_of(1))
        for classes, baskets in ((1, 1000.0), (1, 99.0), (2, 1000.0))
    ]
    assert sizes == [10, 5, 5]


@pytest.mark.parametrize(
    ("items", "names"), [(3, ["1", "2", "3 or more"]), (17, ["9 to 16", "17 or more"]), (10**6, ["8193 or more"])]
)
def test_sizes_are_asked_one_by_one_first_and_then_in_groups(items, names):
    assert size_groups(items).names()[-len(names) :] == names
    assert fine_groups(items).least.size <= 330
