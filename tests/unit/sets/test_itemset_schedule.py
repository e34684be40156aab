"""What is asked, and at which cost: by public rules."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.sets.itemset_schedule import (
    CORE_CELLS,
    FOR_SIZES,
    LARGEST_SENSITIVITY,
    asked_groups,
    core_size,
    largest_stratum,
    order_of,
    plan_of_core,
    plan_of_strata,
    size_groups,
)
from tacita.sets.synthesis import NoisySizes, SizeGroups
from tacita.sets.synthesis.candidates import MOST_CANDIDATES
from tacita.sets.synthesis.weights import MOST_FEATURES

EPSILONS = st.fractions(Fraction(1, 1000), 20)


@given(st.integers(2, 3000), st.floats(0, 1e12), EPSILONS, st.integers(2, 512))
def test_the_core_has_the_largest_number_of_items_whose_pairs_pay(items, baskets, epsilon, most):
    core = core_size(items, baskets=baskets, epsilon=epsilon, most=most)
    allowed = baskets * float(epsilon) / CORE_CELLS
    assert 2 <= core <= min(items, most)
    assert core == 2 or comb(core, 2) <= allowed * (1 + 1e-9)
    assert core == min(items, most) or comb(core + 1, 2) > allowed * (1 - 1e-9)


def test_a_universe_of_one_item_is_its_own_core():
    assert core_size(1, baskets=0.0, epsilon=Fraction(1), most=256) == 1


@given(st.integers(1, 300), st.integers(1, 32), st.floats(0, 1e12), EPSILONS)
def test_an_order_pays_and_stays_within_bounds(items, size, baskets, epsilon):
    size = min(size, items)
    order = order_of(items, size, baskets=baskets, epsilon=epsilon)
    assert 1 <= order <= size
    if order > 1:
        assert comb(items, order) * 3 <= baskets * float(epsilon) * (1 + 1e-9)
        assert comb(items, order) <= 2**17
        assert comb(size, order) <= LARGEST_SENSITIVITY
        assert comb(size, order) * min(comb(items, size), MOST_CANDIDATES) <= MOST_FEATURES


def test_more_baskets_are_asked_for_larger_itemsets():
    orders = [order_of(17, 5, baskets=baskets, epsilon=Fraction(1)) for baskets in (10, 1000, 5000, 10_000, 20_000)]
    assert orders == [1, 2, 3, 4, 5]


def test_the_largest_stratum_has_enough_baskets_of_its_size_or_above():
    by_size = np.array([0.0, 500.0, 100.0, 20.0, 20.0, 5.0])
    assert largest_stratum(10, by_size, epsilon=Fraction(1)) == 3
    assert largest_stratum(10, by_size, epsilon=Fraction(10)) == 5
    assert largest_stratum(10, by_size, epsilon=Fraction(1, 100)) == 0
    assert largest_stratum(2, by_size, epsilon=Fraction(10)) == 2


def test_single_items_are_asked_up_to_a_common_size_and_what_larger_baskets_lose_is_put_back():
    groups = size_groups(64)
    numbers = np.zeros(groups.least.size)
    numbers[:3] = 400.0, 300.0, 200.0
    numbers[-1] = 100.0
    asked, raised = asked_groups(NoisySizes(groups=groups, numbers=numbers, deviation=1.0))
    assert asked.names() == ["1", "2", "3 or more"]
    assert asked.most[-1] == 4
    assert raised > 4
    few, raised = asked_groups(NoisySizes(groups=groups, numbers=np.full(groups.least.size, -5.0), deviation=1.0))
    assert few.names() == ["1 or more"]
    assert raised == 1.0


@given(EPSILONS, st.integers(0, 5), st.dictionaries(st.integers(1, 9), st.integers(1, 2), min_size=1))
def test_shares_add_up_to_the_budget_exactly(epsilon, last, orders):
    groups = SizeGroups.doubling(64, exact=2).upto(last)
    assert plan_of_core(epsilon, groups).epsilon == epsilon - epsilon * FOR_SIZES
    assert plan_of_strata(epsilon, orders).epsilon == epsilon


@pytest.mark.parametrize(
    ("items", "names"), [(3, ["1", "2", "3 or more"]), (17, ["9 to 16", "17 or more"]), (1000, ["33 or more"])]
)
def test_sizes_are_asked_one_by_one_first_and_then_in_groups(items, names):
    assert size_groups(items).names()[-len(names) :] == names
