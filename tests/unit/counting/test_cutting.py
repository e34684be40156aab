"""How a basket is cut is its own affair: whoever stands before or after it changes nothing."""

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.counting.local.sets import cut_baskets
from tacita.testing import public_generator

BASKET = list(range(3, 33, 2))


@pytest.mark.parametrize("most", [1, 2, 7, 14])
@pytest.mark.parametrize("before", [0, 1, 2, 5])
@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_basket_is_cut_in_the_same_way_whoever_is_around_it(most, before, after):
    generator = public_generator(before * 10 + after)
    others = [np.sort(generator.permutation(40)[: 5 + 3 * place]).tolist() for place in range(before + after)]
    rows = cut_baskets(Ragged.from_lists([*others[:before], BASKET, *others[before:]]), most=most).to_lists()
    alone = cut_baskets(Ragged.from_lists([BASKET]), most=most).to_lists()[0]
    assert rows[before] == alone
    assert max(map(len, rows)) == most


def test_baskets_that_are_small_enough_stay_whole():
    assert cut_baskets(Ragged.from_lists([[1, 2], BASKET]), most=2).to_lists()[0] == [1, 2]
