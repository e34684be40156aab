from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.simulate import BasketWorld

SHOP = BasketWorld(baskets=20_000, items=400, categories=20, mean_length=6, max_length=60)


@st.composite
def shops(draw):
    items = draw(st.integers(1, 60))
    categories = draw(st.integers(1, items))
    longest = draw(st.integers(1, items))
    return BasketWorld(
        baskets=draw(st.integers(0, 40)),
        items=items,
        categories=categories,
        shopper_types=draw(st.integers(1, 4)),
        favourites=draw(st.integers(1, categories)),
        loyalty=draw(st.floats(0, 1)),
        exponent=draw(st.floats(0, 2)),
        mean_length=draw(st.floats(1, longest)),
        max_length=longest,
        seed=draw(st.integers(0, 99)),
    )


@given(shops())
def test_baskets_hold_different_items_of_the_shop_in_order(world):
    baskets = world.baskets_of_codes()
    assert len(baskets) == world.baskets
    for basket in baskets.to_lists():
        assert 1 <= len(basket) <= world.max_length
        assert basket == sorted(set(basket))
        assert 0 <= basket[0] <= basket[-1] < world.items


@given(shops())
def test_the_same_fields_give_the_same_world(world):
    assert world.baskets_of_codes().codes.tobytes() == replace(world).baskets_of_codes().codes.tobytes()


def test_another_seed_gives_another_world():
    assert SHOP.baskets_of_codes().codes.tobytes() != replace(SHOP, seed=1).baskets_of_codes().codes.tobytes()


def test_lengths_are_as_asked_for_although_popular_items_are_drawn_twice():
    assert SHOP.statistics()["mean length"] == pytest.approx(6, rel=0.03)


def test_popularity_is_concentrated_as_the_exponent_tells():
    def top(exponent):
        return replace(SHOP, exponent=exponent).statistics()["share of baskets with the most frequent item"]

    assert top(0) < top(0.8) < top(1.5)


def test_shoppers_have_favourite_categories():
    def concentration(loyalty):
        baskets = replace(SHOP, loyalty=loyalty, exponent=0.0).baskets_of_codes()
        category = baskets.codes // 20
        per_basket = np.zeros((len(baskets), 20))
        np.add.at(per_basket, (np.repeat(np.arange(len(baskets)), baskets.lengths), category), 1)
        shares = per_basket / per_basket.sum(axis=1, keepdims=True)
        return (shares[baskets.lengths > 5] ** 2).sum(axis=1).mean()

    assert concentration(0.9) > 1.5 * concentration(0.0)


def test_the_supermarket_has_the_figures_of_its_model():
    statistics = BasketWorld.supermarket(baskets=20_000).statistics()
    assert statistics["labels"] == 16_470
    assert statistics["mean length"] == pytest.approx(10.3, rel=0.05)
    assert statistics["max length"] <= 76


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"exponent": -1}, "Zipf exponents must be between 0 and 10"),
        ({"seed": -1}, "a seed must not be negative"),
        ({"categories": 0}, "at least one category"),
        ({"baskets": -1}, "must not have a negative number of baskets"),
        ({"favourites": 21}, "between one favourite category and all"),
        ({"max_length": 401}, "max <= number of items"),
        ({"loyalty": -0.1}, "loyalty must be between 0 and 1"),
    ],
)
def test_a_shop_that_cannot_be_is_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        replace(SHOP, **fields)
