"""Groups of sizes, and rare items in baskets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.simplex import on_simplex
from tacita.errors import TooManyNodesError
from tacita.sets.synthesis import NoisySizes, SizeGroups, TailSizes, with_tails


@given(st.integers(1, 200), st.integers(1, 20), st.integers(0, 1))
def test_groups_cover_every_size_once(largest, exact, first):
    groups = SizeGroups.doubling(largest, exact=exact, first=first)
    covered = [size for least, most in zip(groups.least, groups.most, strict=True) for size in range(least, most + 1)]
    assert covered == list(range(first, largest + 1))
    assert all(most < 2 * least for least, most in zip(groups.least, groups.most, strict=True) if least > 0)


def test_numbers_of_groups_are_spread_over_their_sizes():
    groups = SizeGroups.doubling(8, exact=2)
    sizes = groups.spread(np.array([5.0, 7.0, 20.0, 40.0]))
    assert sizes[:3].tolist() == [0, 5, 7]
    assert sizes[3:5].sum() == pytest.approx(20)
    assert sizes[5:].sum() == pytest.approx(40)
    assert (np.diff(sizes[5:]) < 0).all()


def test_sizes_that_noise_could_explain_do_not_stand_out():
    sizes = NoisySizes(groups=SizeGroups.doubling(4, exact=2), numbers=np.array([100.0, 3.0, -50.0]), deviation=10.0)
    assert sizes.standing_out().tolist() == [0, 100, 0, 0, 0]
    assert sizes.baskets == 53
    none = NoisySizes(groups=sizes.groups, numbers=np.array([-1.0, 3.0, -50.0]), deviation=10.0)
    assert none.standing_out().tolist() == [0, 1, 0, 0, 0]
    assert none.baskets == 0


def test_a_size_within_a_group_is_as_uncertain_as_it_is_large():
    sizes = NoisySizes(groups=SizeGroups.doubling(4, exact=2), numbers=np.array([100.0, 3.0, 180.0]), deviation=10.0)
    assert sizes.variances()[[1, 2]].tolist() == [100, 100]
    assert sizes.variances()[3] == pytest.approx(100 + 100**2)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=8))
def test_shares_are_not_negative_and_keep_the_sum(numbers):
    found = on_simplex(np.array(numbers), max(sum(numbers), 1.0))
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(max(sum(numbers), 1.0))


@given(st.integers(0, 60), st.integers(0, 60), st.lists(st.floats(0, 30), min_size=3, max_size=3))
def test_rare_items_go_into_baskets_and_no_basket_is_empty_or_has_one_twice(empty, pairs, counts):
    rows = [np.zeros((empty, 0), dtype=np.int64), np.tile(np.array([[1, 4]]), (pairs, 1))]
    groups = SizeGroups.doubling(4, exact=2, first=0)
    without = SizeGroups(groups.least[1:], groups.most[1:])
    tails = [
        TailSizes(groups=without, numbers=np.array([3.0, 2.0, -1.0])),
        TailSizes(groups=groups, numbers=np.array([3.0, -2.0, 1.0, 1.0])),
    ]
    made = with_tails(rows, tails, np.array([0, 2, 7]), np.array(counts)).to_lists()
    assert all(basket and basket == sorted(set(basket)) for basket in made)
    assert made == sorted(made)
    assert sum({1, 4} <= set(basket) for basket in made) == pairs
    assert len(made) <= empty + pairs
    rare = sum(item in {0, 2, 7} for basket in made for item in basket)
    assert rare <= sum(counts) + 1


def test_rare_items_come_as_often_as_they_are_likely_and_independently_of_each_other():
    rows = [np.zeros((0, 0), dtype=np.int64), np.zeros((20_000, 1), dtype=np.int64)]
    groups = SizeGroups.doubling(4, exact=2, first=0)
    tails = [
        TailSizes(groups=SizeGroups(groups.least[1:], groups.most[1:]), numbers=np.zeros(3)),
        TailSizes(groups=groups, numbers=np.array([0.0, 0.0, 20_000.0, 0.0])),
    ]
    counts = np.array([*[2000.0] * 10, *[1000.0] * 20])
    made = with_tails(rows, tails, np.arange(1, 31), counts)
    found = np.bincount(made.codes, minlength=31)
    assert found.tolist() == [20_000, *counts]
    lists = made.to_lists()
    pairs = [sum({first, second} <= set(basket) for basket in lists) for first, second in ((1, 2), (3, 4), (5, 20), (21, 30))]
    assert pairs == pytest.approx([100, 100, 50, 25], rel=0.35)  # two places of 20,000 baskets


def test_more_rare_items_than_memory_holds_are_refused():
    groups = SizeGroups.doubling(4, exact=2, first=0)
    tails = [TailSizes(groups=groups, numbers=np.array([0.0, 1.0, 0.0, 0.0]))]
    with pytest.raises(TooManyNodesError, match="raise epsilon"):
        with_tails([np.zeros((5, 0), dtype=np.int64)], tails, np.array([1]), np.array([1e12]))
