"""The simplest releases of baskets, and a release beside them."""

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged, are_sets
from tacita.io import FileFormat, LongColumns
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.simulate import BasketWorld
from tacita.utility.sets import chain_baskets, independent_baskets, kept_of, standing

WORLD = BasketWorld(baskets=4000, items=40, categories=4, mean_length=3, max_length=12)
RAW = WORLD.baskets_of_codes()
MANIFEST = {"budget": {"plan": {"epsilon": "2"}}}


def published(baskets):
    columns = LongColumns(time=None)
    return PublishedBaskets(baskets=baskets, universe=WORLD.universe, file_format=FileFormat.CSV, columns=columns)


@pytest.mark.parametrize("make", [independent_baskets, chain_baskets])
def test_a_floor_has_about_the_true_number_of_baskets_and_items(make):
    floor = make(RAW, items=40, epsilon=20.0)
    assert are_sets(floor)
    assert len(floor) == pytest.approx(len(RAW), rel=0.05)
    truth, found = (np.bincount(side.codes, minlength=40) for side in (RAW, floor))
    assert np.corrcoef(truth, found)[0, 1] > 0.9


def test_a_floor_is_worse_with_a_smaller_epsilon():
    errors = [kept_of(RAW, independent_baskets(RAW, items=40, epsilon=epsilon), items=40).error for epsilon in (5.0, 0.02)]
    assert errors[0] < errors[1]


def test_a_release_stands_beside_independent_items_and_nothing():
    records = BasketRecords(baskets=RAW, universe=WORLD.universe)
    found = standing(records, published(RAW), MANIFEST)
    assert list(found.rows) == ["release", "independent", "nothing"]
    assert (found.epsilon, found.rows["release"]["found"], found.rows["release"]["error"]) == (2.0, 1.0, 0.0)
    assert (found.rows["nothing"]["baskets"], found.rows["nothing"]["lost"]) == (0, 1.0)
    assert 0 < found.rows["independent"]["lost"] < 1
    assert "EMPTY" not in str(found)


def test_an_empty_release_and_one_below_its_floor_are_called_so():
    records = BasketRecords(baskets=RAW, universe=WORLD.universe)
    assert "THIS RELEASE IS EMPTY" in str(standing(records, published(Ragged.from_lists([])), MANIFEST))
    poor = published(Ragged.from_lists([[39]] * 3))
    below = standing(records, poor, MANIFEST)
    assert {"top 100 found", "support lost", "query error"} <= set(below.beaten_in)
    assert "one of the simplest releases is better in: top 100 found" in str(below)


def test_a_release_without_a_budget_has_no_floor():
    records = BasketRecords(baskets=RAW, universe=WORLD.universe)
    assert standing(records, published(RAW), {"guarantee": {}}) is None
    nobody = BasketRecords(baskets=Ragged.from_lists([]), universe=Universe(["a"]))
    assert standing(nobody, published(RAW), MANIFEST) is None
