"""Items that are counted one by one: how many of each there are, and which baskets they go into."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import TooManyNodesError
from tacita.sets.synthesis import NoisyWeights, SizeGroups, with_rest
from tacita.sets.synthesis.baskets import filled

NOTHING = np.zeros((0, 0), dtype=np.int64)


def weights(values, wholes, *, classes=None, deviation=1e-6):
    found = SizeGroups.starting([1], largest=8) if classes is None else classes
    return NoisyWeights(classes=found, values=np.array(values), wholes=np.array(wholes), deviation=deviation)


@given(st.lists(st.integers(0, 4), max_size=40), st.lists(st.floats(0, 40), min_size=1, max_size=9))
def test_no_basket_has_an_item_twice_or_more_than_its_room(room, counts):
    baskets, items = filled(np.array(room, dtype=np.int64), np.array(counts), salt=3)
    assert len(set(zip(baskets.tolist(), items.tolist(), strict=True))) == baskets.size
    assert (np.bincount(items, minlength=len(counts)) <= np.ceil(counts) + 1).all()
    assert np.bincount(baskets, minlength=len(room) or 1).max(initial=0) <= 4 + len(counts)


def test_items_come_as_often_as_their_numbers_say_and_independently_of_each_other():
    room = np.full(20_000, 2, dtype=np.int64)
    counts = np.array([*[2000.0] * 10, *[100.0] * 200])
    baskets, items = filled(room, counts, salt=1)
    assert np.bincount(items).tolist() == counts.tolist()
    assert np.bincount(baskets).tolist() == room.tolist()
    lists = [set() for _ in room]
    for basket, item in zip(baskets.tolist(), items.tolist(), strict=True):
        lists[basket].add(item)
    pairs = [sum({first, second} <= basket for basket in lists) for first, second in ((0, 1), (2, 3), (4, 9))]
    assert pairs == pytest.approx([100, 100, 100], rel=0.35)  # two of 40,000 places, 2,000 of each


def test_an_item_that_nearly_all_baskets_have_is_in_nearly_all():
    room = np.repeat([1, 5], [1000, 1000]).astype(np.int64)
    baskets, items = filled(room, np.array([1900.0, *[205.0] * 20]), salt=2)
    assert (items == 0).sum() == 1900
    assert baskets.size == room.sum()


def test_large_baskets_may_have_other_items_than_small_ones():
    classes = SizeGroups.starting([1, 3], largest=8)
    noisy = weights([[90.0, 10.0, 0.0], [0.0, 100.0, 100.0]], [100.0, 200.0], classes=classes)
    sizes = np.repeat([1, 3], [100, 0]).astype(np.int64)
    small = with_rest([np.zeros((100, 0), dtype=np.int64)], [sizes], np.arange(3), noisy)
    assert np.bincount(small.codes, minlength=3).tolist() == [90, 10, 0]


def test_a_class_that_noise_drowns_follows_the_others():
    classes = SizeGroups.starting([1, 3], largest=8)
    noisy = weights([[7500.0, 2500.0], [40.0, 60.0]], [10_000.0, 3.0], classes=classes, deviation=50.0)
    found = noisy.counts(1, items=np.arange(2), room=4.0, most=4.0)
    assert found == pytest.approx([3.0, 1.0], rel=0.05)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 300), st.integers(1, 30))
def test_counts_fill_the_room_and_no_item_is_in_more_baskets_than_there_are(shares, room, most):
    noisy = weights([shares], [max(sum(shares), 1.0)])
    found = noisy.counts(0, items=np.arange(len(shares)), room=room, most=float(most))
    assert (found <= most + 1e-9).all()
    assert (found >= 0).all()
    assert found.sum() <= room * (1 + 1e-6) + 1e-6


def test_core_items_stay_where_they_are_and_others_are_added():
    rows = [np.zeros((30, 0), dtype=np.int64), np.tile(np.array([[4]]), (70, 1))]
    sizes = [np.full(30, 1, dtype=np.int64), np.full(70, 2, dtype=np.int64)]
    noisy = weights([[20.0, 30.0, 50.0, 0.0, 70.0]], [100.0])
    made = with_rest(rows, sizes, np.array([0, 1, 2, 3]), noisy)
    lists = made.to_lists()
    assert lists == sorted(lists)
    assert np.bincount(made.codes, minlength=5).tolist() == [20, 30, 50, 0, 70]
    assert sorted(map(len, lists)) == [1] * 30 + [2] * 70


def test_without_any_baskets_there_are_none():
    noisy = weights([[1.0, 1.0]], [0.0])
    assert with_rest([NOTHING], [np.zeros(0, dtype=np.int64)], np.arange(2), noisy).to_lists() == []


def test_more_items_than_memory_holds_are_refused():
    with pytest.raises(TooManyNodesError, match="raise epsilon"):
        with_rest([NOTHING], [np.array([2**40])], np.array([1]), weights([[0.0, 1.0]], [1.0]))
