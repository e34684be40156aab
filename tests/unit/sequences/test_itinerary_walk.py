"""Walkers in groups: dealt out evenly, never to a place that is not new, and written down as they went."""

import numpy as np
import pytest

from tacita.arrays.recency import NEW, Recent
from tacita.sequences.itineraries.synthesis.dealing import dealt, new_places
from tacita.sequences.itineraries.synthesis.places import Places
from tacita.sequences.itineraries.synthesis.steering import _ends_with, _odds_factor, _odds_factors
from tacita.sequences.itineraries.synthesis.walkers import Paths, Walkers
from tacita.testing import public_generator


def places_with(new):
    """Rows of new places; nothing else is used here."""
    rows, symbols = new.shape
    return Places(
        first=np.full(symbols, 1 / symbols),
        first_state=0,
        following=np.zeros((rows, symbols), dtype=np.int32),
        row_of=np.arange(rows),
        lasts=np.full(rows, -1),
        new=new.copy(),
        affinity=np.ones_like(new),
        ends=np.ones(rows),
        targets=(),
    )


def test_every_walker_is_dealt_out_once_and_every_number_is_the_expected_one_rounded():
    generator = public_generator(1)
    weights, sizes = generator.random((5, 300)), generator.integers(1, 40, 300)
    counts = dealt(weights, sizes, generator.random(300))
    assert counts.min() >= 0
    assert (counts.sum(axis=0) == sizes).all()
    expected = weights / weights.sum(axis=0) * sizes
    assert np.abs(counts - expected).max() < 1 + 1e-9


def test_walkers_without_any_weight_take_the_last_choice():
    assert dealt(np.zeros((3, 1)), np.array([4]), np.array([0.2]))[:, 0].tolist() == [0, 0, 4]


@pytest.mark.parametrize("size", [1, 50])
def test_a_new_place_was_not_visited_and_is_drawn_by_its_share_among_the_others(size):
    generator = public_generator(2)
    new = generator.random((2, 12)) ** 3
    new[0, 4:9] = 1e-12  # hardly ever reached, and still never in the way of others
    places = places_with(new)
    groups = 6000 // size
    rows = np.zeros(groups, dtype=np.int64)
    visited = np.full((3, groups), -1, dtype=np.int32)
    visited[0], visited[1, ::2] = 1, 11
    which, codes, numbers = new_places(places, rows, visited, np.full(groups, size), turn=3)
    assert np.bincount(which, weights=numbers, minlength=groups).tolist() == [size] * groups
    assert not (visited[:, which] == codes).any()
    share = places.new[0] / (1 - places.new[0, 1])
    there = np.bincount(codes[which % 2 == 1], weights=numbers[which % 2 == 1], minlength=12) / 3000
    share[1] = 0
    assert np.abs(there - share).max() < 0.01


def test_a_universe_that_was_visited_but_for_one_place_leaves_that_one():
    places = places_with(np.full((1, 4), 0.25))
    visited = np.array([[0], [1], [3]], dtype=np.int32)
    for size in (1, 7):
        _, codes, _ = new_places(places, np.zeros(1, dtype=np.int64), visited, np.array([size]), turn=0)
        assert set(codes.tolist()) == {2}


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.999])
def test_as_many_end_as_are_wanted(share):
    generator = public_generator(3)
    ends, sizes = generator.beta(0.5, 3, 2000), generator.integers(1, 30, 2000).astype(np.float64)
    groups = generator.integers(0, 3, 2000)
    wanted = share * np.bincount(groups, weights=sizes)
    factors = _odds_factors(ends, sizes, groups, wanted, furthest=14.0)
    assert np.bincount(groups, weights=_ends_with(ends, factors[groups]) * sizes) == pytest.approx(wanted, rel=0.02)


def test_paths_give_back_what_was_written_in_order():
    paths = Paths()
    first = paths.grow(np.array([-1, -1]), np.array([2, 0]))
    paths.end(first, np.array([1, 0]), length=1)
    second = paths.grow(first[[1, 0]], np.array([1, 2]))
    paths.end(second, np.array([2, 1]), length=2)
    assert paths.sequences(symbols=3).to_lists() == [[2], [0, 1], [0, 1], [2, 2]]
    weights = np.array([0.0, 1.0, 10.0])
    assert paths.sums_below(weights).tolist() == [11.0, 20.0, 20.0, 10.0]
    assert paths.first_places(paths.sums_below(weights), symbols=3).tolist() == [20.0, 0.0, 11.0]


def test_parts_of_walkers_are_alike_and_lose_nobody():
    recent = Recent.of(10)
    recent.visit(np.arange(10), np.full(10, NEW, dtype=np.int64))
    numbers = np.arange(10)
    walkers = Walkers(sizes=numbers + 1, template=numbers, states=numbers, recent=recent, firsts=0 * numbers, nodes=numbers)
    parts = walkers.parts(4)
    assert [len(part) for part in parts] == [4, 3, 3]
    assert sum(part.share for part in parts) == pytest.approx(1)
    assert sorted(np.concatenate([part.nodes for part in parts]).tolist()) == numbers.tolist()


def test_a_factor_that_is_met_exactly_is_kept():
    generator = public_generator(4)
    ends, sizes = generator.random(400), np.full(400, 3.0)
    wanted = 3 * generator.choice([0.125, 0.25, 0.5, 0.75], 400)
    each = _odds_factors(ends, sizes, np.arange(400), wanted, furthest=14.0)
    assert _ends_with(ends, each) * 3 == pytest.approx(wanted, rel=1e-6)
    common = _odds_factor(ends, sizes, 300.0)
    assert (_ends_with(ends, common) * 3).sum() == pytest.approx(300, rel=1e-8)
