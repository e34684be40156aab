"""How many baskets have an item that weighs less in large baskets than in small ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.sets.synthesis.item_law import Sizes, places_of_items, reached_at, reaching

ITEMS, SHARED_FROM = 60, 4


def races(*, baskets=6_000, seed=1):
    """Baskets that were filled in a race; each item's number, its weight, and what is known about sizes."""
    generator = np.random.default_rng(seed)
    rates = 1 / np.arange(1, ITEMS + 1)
    sizes = np.clip(np.rint(np.exp(generator.normal(1.2, 0.8, baskets))), 1, 30).astype(np.int64)
    arrival = np.argsort(generator.exponential(size=(baskets, ITEMS)) / rates, axis=1)
    inside = np.arange(ITEMS) < sizes[:, np.newaxis]
    codes = arrival[inside]
    weights = np.repeat(1 / np.maximum(sizes, SHARED_FROM), sizes)
    by_size = np.bincount(sizes).astype(np.float64)
    known = np.arange(by_size.size)
    return (
        np.bincount(codes, minlength=ITEMS),
        np.bincount(codes, weights=weights, minlength=ITEMS),
        Sizes(sizes=known.astype(np.float64), numbers=by_size, weights=1 / np.maximum(known, SHARED_FROM)),
    )


def test_frequent_items_are_in_fewer_baskets_than_their_share_of_the_weight_says():
    numbers, weights, sizes = races()
    found = places_of_items(weights, sizes)
    assert found[:10] == pytest.approx(numbers[:10], rel=0.03)
    assert weights[0] / weights.sum() * numbers.sum() > 1.08 * numbers[0]


def test_where_all_baskets_have_one_size_nothing_is_changed():
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    found = places_of_items(shares, Sizes(sizes=np.array([2.0]), numbers=np.array([1000.0]), weights=np.array([0.5])))
    assert found == pytest.approx(shares * 2000, rel=0.01)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_numbers_of_baskets_are_possible(shares, by_size):
    known = np.arange(1, len(by_size) + 1, dtype=np.float64)
    sizes = Sizes(sizes=known, numbers=np.array(by_size), weights=1 / np.maximum(known, 3))
    found = places_of_items(np.array(shares), sizes)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (found <= sum(by_size) * 1.3 + 1e-9).all()


def test_the_time_of_a_race_is_when_the_sum_is_reached():
    rates, times = np.array([1.0, 3.0]), np.array([10.0, 5.0])
    found = reaching(np.array([2.0, 9.0]), rates, times)
    reached = (times * -np.expm1(-rates * found[:, np.newaxis])).sum(axis=1)
    assert reached == pytest.approx([2.0, 9.0])


@given(st.dictionaries(st.integers(1, 400), st.integers(1, 5000), min_size=1, max_size=30), st.floats(0, 1))
def test_steps_reach_the_same_time_as_halving(rooms, share):
    rates, times = (np.array(list(side), dtype=np.float64) for side in (rooms.keys(), rooms.values()))
    wanted = float(round(share * (times.sum() - 1)))
    found = reached_at(wanted, rates, times)
    assert times @ -np.expm1(-rates * found) == pytest.approx(wanted, rel=1e-9, abs=1e-6)
    if wanted:
        assert found == pytest.approx(reaching(wanted, rates, times)[0], rel=1e-6)
