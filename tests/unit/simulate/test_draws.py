import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.simulate.draws import Popularity, choose_slots, heavy_lengths, mean_distinct
from tacita.simulate.streams import district_edges, neighbours


def generator():
    return np.random.default_rng(5)


def test_the_most_popular_weighs_twice_the_second_by_a_zipf_law_of_exponent_one():
    weights = np.sort(Popularity.zipf(9, exponent=1, generator=generator()).weights)[::-1]
    assert weights[0] / weights[1] == pytest.approx(2)
    assert weights[0] / weights[8] == pytest.approx(9)


def test_draws_follow_the_weights():  # flake rate: none, the generator is seeded
    popularity = Popularity(np.array([0.5, 0.0, 0.3, 0.2]))
    shares = np.bincount(popularity.draw(generator(), 100_000), minlength=4) / 100_000
    assert shares == pytest.approx([0.5, 0, 0.3, 0.2], abs=0.01)
    within = popularity.draw_between(generator(), np.full(100_000, 2), np.full(100_000, 4))
    assert np.bincount(within, minlength=4) / 100_000 == pytest.approx([0, 0, 0.6, 0.4], abs=0.01)


@given(st.integers(1, 60), st.floats(0, 1), st.floats(0.05, 3))
def test_lengths_are_between_one_and_the_longest(longest, part, spread):
    lengths = heavy_lengths(generator(), 50, mean=1 + part * (longest - 1), longest=longest, spread=spread)
    assert 1 <= lengths.min() <= lengths.max() <= longest


@pytest.mark.parametrize("spread", [0.3, 0.8, 1.2])
def test_lengths_have_the_mean_and_a_tail_that_grows_with_the_spread(spread):
    lengths = heavy_lengths(generator(), 100_000, mean=4.7, longest=200, spread=spread)
    assert lengths.mean() == pytest.approx(4.7, rel=0.03)
    assert (np.percentile(lengths, 99) > 15) == (spread > 0.5)


@given(st.lists(st.integers(0, 9), max_size=20), st.lists(st.floats(0.01, 5), min_size=1, max_size=7))
def test_as_many_slots_are_chosen_as_are_wanted(wanted, weights):
    chosen = choose_slots(generator(), np.array(wanted, dtype=np.int64), np.array(weights))
    assert chosen.sum(axis=1).tolist() == [min(count, len(weights)) for count in wanted]


def test_heavier_slots_are_chosen_rather():
    chosen = choose_slots(generator(), np.ones(50_000, dtype=np.int64), np.array([1.0, 3.0, 6.0]))
    assert chosen.mean(axis=0) == pytest.approx([0.1, 0.3, 0.6], abs=0.01)


def test_distinct_codes_are_counted_within_a_list():
    assert mean_distinct(np.array([1, 1, 2, 1, 0, 0]), np.array([0, 3, 3, 6]), labels=3) == (4 / 3, 2)
    assert mean_distinct(np.zeros(0, dtype=int), np.array([0]), labels=3) == (0, 0)


@given(st.integers(1, 40))
def test_neighbours_are_mutual_and_nobody_is_beside_himself(cells):
    around, ways = neighbours(cells)
    pairs = {(cell, int(other)) for cell in range(cells) for other in around[cell, : ways[cell]]}
    assert pairs == {(other, cell) for cell, other in pairs}
    assert all(cell != other and 0 <= other < cells for cell, other in pairs)


def test_districts_are_squares_of_cells():
    edges = district_edges("ABCDEFGHIJKLMNOP", side=2)
    assert [label for label, district in edges if district == "district 2"] == ["C", "D", "G", "H"]
    assert len({district for _, district in edges}) == 4
