"""The searches for itemsets on real data, against figures that other programs gave for it."""

import numpy as np
import pytest

from tacita.arrays.ragged import distinct
from tacita.io import declared_universe, read_seq
from tacita.mining import maximal_itemsets, top_itemsets
from tacita.public.universe import Universe
from tacita.sets import read_baskets
from tacita.utility import count_location_sets

pytestmark = pytest.mark.slow  # ten seconds


@pytest.fixture(scope="module")
def msnbc(data_folder):
    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    return distinct(read_seq(path, universe=declared_universe(path))[0], symbols=17)


@pytest.fixture(scope="module")
def retail(data_folder):
    universe = Universe([str(item) for item in range(1, 16_471)])
    return read_baskets(data_folder / "baskets" / "retail.dat.gz", universe=universe).baskets


def test_msnbc_has_as_many_itemsets_of_each_support_as_eclat_finds(msnbc):
    """Eclat, by C. Borgelt, lists 100 itemsets of support 7,252 and more, 1,001 of 951 and more; 347 of these are maximal."""
    assert (len(msnbc), msnbc.codes.size) == (989_818, 1_699_303)
    found = top_itemsets(msnbc, count=1000, symbols=17)
    assert (len(found), int(found.supports[99]), int(found.supports[-1])) == (1001, 7252, 951)
    assert len(maximal_itemsets(msnbc, min_support=951, symbols=17)) == 347


def test_retail_has_as_many_itemsets_of_each_support_as_eclat_finds(retail):
    """Eclat lists 100 itemsets of support 1,193 and more, 1,001 of 321 and more; 491 of these are maximal."""
    assert len(retail) == 88_162
    found = top_itemsets(retail, count=1000, symbols=16_470)
    assert (len(found), int(found.supports[99]), int(found.supports[-1])) == (1001, 1193, 321)
    assert len(maximal_itemsets(retail, min_support=321, symbols=16_470)) == 491


def test_the_supports_of_itemsets_are_the_answers_to_their_queries(msnbc, retail):
    for baskets, symbols in ((msnbc, 17), (retail, 16_470)):
        found = top_itemsets(baskets, count=500, symbols=symbols)
        assert np.array_equal(count_location_sets(baskets, found.patterns, symbols=symbols), found.supports)
