"""Baskets of one size follow noisy numbers that stand out, and nothing else."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.counting.local import BasketCounter
from tacita.errors import TooManyNodesError
from tacita.privacy.funds import Funds
from tacita.sets.itemset_schedule import CELLS
from tacita.sets.synthesis import CountedRows, NoisyItemsets, Stratum, baskets_of_rows, strata_baskets
from tacita.sets.synthesis.weights import MOST_CANDIDATES, candidates


def numbers(rows, items, order):
    size, baskets = rows.shape[1], baskets_of_rows([CountedRows(rows, np.ones(rows.shape[0], dtype=np.int64))])
    keys, counts = BasketCounter(baskets, items=items).itemsets(size=size, order=order, cells=comb(items, order))
    values = np.zeros(comb(items, order), dtype=np.int64)
    values[keys] = counts
    return values


def stratum(values, *, items, size, order, epsilon="1", expected=None, variance=1.0):  # noqa: PLR0913 - a stratum and its noise
    noisy = NoisyItemsets(items=items, size=size, order=order, values=values, funds=Funds(amount=Fraction(epsilon)))
    return Stratum(noisy=noisy, expected=noisy.baskets if expected is None else expected, variance=variance)


def stratum_baskets(part):
    (baskets,) = strata_baskets([part])
    return baskets.expanded


def correlated(number, items, size, seed=0):
    """Baskets in which some items go together."""
    generator = np.random.default_rng(seed)
    scores = generator.gumbel(size=(number, items)) + np.linspace(2, 0, items)
    scores += 1.5 * ((np.arange(items) % 3) == generator.integers(0, 3, (number, 1)))
    return np.sort(np.argsort(-scores, axis=1)[:, :size], axis=1)


def test_whole_baskets_come_out_as_they_are_where_noise_is_small():
    rows = correlated(20_000, 8, 3)
    made = stratum_baskets(stratum(numbers(rows, 8, 3), items=8, size=3, order=3))
    assert np.abs(numbers(made, 8, 3) - numbers(rows, 8, 3)).max() <= 3


@pytest.mark.parametrize(("items", "size", "order"), [(12, 4, 2), (12, 5, 3), (60, 4, 2)])
def test_itemsets_of_the_asked_order_come_out_as_their_numbers_say(items, size, order):
    rows = correlated(20_000, items, size)
    made = stratum_baskets(stratum(numbers(rows, items, order), items=items, size=size, order=order, epsilon="10"))
    assert made.shape == rows.shape
    for lower in range(1, order + 1):
        truth = numbers(rows, items, lower)
        assert np.abs(numbers(made, items, lower) - truth).sum() <= 0.08 * truth.sum()


def test_single_items_alone_give_baskets_with_these_items():
    rows = correlated(20_000, 30, 6)
    truth = numbers(rows, 30, 1)
    made = stratum_baskets(stratum(truth, items=30, size=6, order=1))
    assert np.abs(numbers(made, 30, 1) - truth).max() <= 0.05 * truth.max()


def test_noise_alone_makes_no_pair_frequent():
    """Pairs that are all equally frequent, with as much noise as a question may have: they come out closer to each other."""
    items, size, baskets = 12, 4, 2000
    mean = baskets * comb(size, 2) / comb(items, 2)
    scale = mean / CELLS
    values = np.rint(mean + np.random.default_rng(3).laplace(scale=scale, size=comb(items, 2))).astype(np.int64)
    made = stratum_baskets(stratum(values, items=items, size=size, order=2, epsilon=str(comb(size, 2) / scale)))
    assert np.std(numbers(made, items, 2)) < 0.8 * np.std(values)


def test_fewer_baskets_than_noise_could_say_are_none():
    values = np.array([2, 1, 0, 1])
    assert stratum_baskets(stratum(values, items=4, size=1, order=1, expected=0.0, variance=100.0)).shape == (0, 1)
    assert len(stratum_baskets(stratum(values * 10, items=4, size=1, order=1, expected=35.0, variance=100.0))) == 40


def test_what_was_known_before_counts_by_its_precision():
    values = np.full(4, 100)
    assert stratum(values, items=4, size=1, order=1, expected=0.0, variance=1e12).baskets == pytest.approx(400)
    assert stratum(values, items=4, size=1, order=1, expected=300.0, variance=1e-6).baskets == pytest.approx(300)


@given(
    st.integers(2, 7).flatmap(lambda items: st.tuples(st.just(items), st.integers(1, items))),
    st.integers(-50, 50),
    st.integers(1, 2**40),
    st.data(),
)
@settings(max_examples=60)
def test_whatever_the_numbers_are_baskets_are_sets_and_the_same_numbers_give_the_same_ones(shape, low, spread, data):
    items, size = shape
    order = data.draw(st.integers(1, size))
    spread = min(spread, 10_000)
    cells = st.lists(st.integers(low, low + spread), min_size=comb(items, order), max_size=comb(items, order))
    values = np.array(data.draw(cells), dtype=np.int64)
    part = stratum(values, items=items, size=size, order=order)
    made = stratum_baskets(part)
    assert len(made) == pytest.approx(part.baskets, abs=1)
    assert (made[:, 1:] > made[:, :-1]).all()
    assert made.size == 0 or 0 <= made.min() <= made.max() < items
    assert made.tolist() == stratum_baskets(part).tolist()


def test_candidates_are_bounded_however_many_baskets_there_are():
    values = np.full(100, 10**9)
    noisy = NoisyItemsets(items=100, size=10, order=1, values=values, funds=Funds(amount=Fraction(1)))
    pool = candidates(noisy, np.zeros(comb(100, 2)), baskets=1e10)
    assert MOST_CANDIDATES * 0.9 < pool.rows.shape[0] <= MOST_CANDIDATES
    assert not pool.are_all


def test_more_baskets_than_memory_holds_are_refused():
    with pytest.raises(TooManyNodesError, match="raise epsilon"):
        stratum_baskets(stratum(np.full(4, 2**40), items=4, size=1, order=1))


def test_what_goes_together_in_small_baskets_goes_together_in_large_ones_that_were_not_asked_for_pairs():
    small, large = correlated(20_000, 15, 3), correlated(2_000, 15, 5)
    asked = stratum(numbers(small, 15, 2), items=15, size=3, order=2), stratum(numbers(large, 15, 1), items=15, size=5, order=1)
    truth = numbers(large, 15, 2)
    alone, borrowed = (
        np.abs(numbers(baskets.expanded, 15, 2) - truth).sum()
        for baskets in (strata_baskets([asked[1]])[0], strata_baskets([*asked])[1])
    )
    assert borrowed < 0.7 * alone


def test_no_strata_are_no_baskets():
    assert baskets_of_rows([]).to_lists() == Ragged.from_lists([]).to_lists()
