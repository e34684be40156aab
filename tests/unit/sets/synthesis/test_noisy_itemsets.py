"""What itemsets of one order say about those of lower orders."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.arrays.scatter import all_itemsets
from tacita.counting.local import BasketCounter
from tacita.privacy.funds import Funds
from tacita.sets.synthesis import NoisyItemsets

ITEMS = 6


def exact(rows, size, order):
    keys, counts = BasketCounter(Ragged.from_lists(rows), items=ITEMS).itemsets(size=size, order=order, cells=comb(ITEMS, order))
    values = np.zeros(comb(ITEMS, order), dtype=np.int64)
    values[keys] = counts
    return NoisyItemsets(items=ITEMS, size=size, order=order, values=values, funds=Funds(amount=Fraction(1)))


@given(st.integers(1, ITEMS), st.data())
def test_numbers_of_one_order_give_those_of_every_lower_one(size, data):
    rows = data.draw(st.lists(st.sampled_from(all_itemsets(ITEMS, size).tolist()), max_size=20))
    order = data.draw(st.integers(1, size))
    lower = data.draw(st.integers(1, order))
    noisy = exact(rows, size, order)
    assert np.allclose(noisy.implied(lower), exact(rows, size, lower).values)
    assert noisy.baskets == pytest.approx(len(rows))


def test_the_deviation_is_that_of_sums_of_laplace_noise():
    order, size, epsilon, turns = 2, 4, Fraction(1, 10), 4000
    generator = np.random.default_rng(2)
    noise = np.rint(generator.laplace(scale=comb(size, order) / float(epsilon), size=(turns, comb(ITEMS, order)))).astype(
        np.int64
    )
    drawn = [NoisyItemsets(items=ITEMS, size=size, order=order, values=row, funds=Funds(amount=epsilon)) for row in noise]
    assert np.std([noisy.implied(1) for noisy in drawn]) == pytest.approx(drawn[0].deviation(1), rel=0.05)
    assert np.std([noisy.baskets for noisy in drawn]) == pytest.approx(drawn[0].deviation(0), rel=0.05)
