"""Uniqueness by points, exact intervals, and membership linkage against releases of every kind."""

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from strategies import basket_records, sequence_records
from tacita import PureDP
from tacita.arrays.ragged import Ragged
from tacita.attacks import Membership, PointUniqueness
from tacita.attacks.membership import Game
from tacita.attacks.result import clopper_pearson
from tacita.auditing.product import assess_membership
from tacita.errors import ParameterError
from tacita.sequences import PrefixTree
from tacita.sets import FlatHistogram
from tacita.streams import Uniform
from tacita.tables import Numeric, Schema, TableRecords, TopDown


@given(runs=st.integers(1, 400), data=st.data(), risk=st.sampled_from([0.025, 0.001]))
@settings(max_examples=60, deadline=None)
def test_intervals_are_those_of_the_beta_law(runs, data, risk):
    hits = data.draw(st.integers(0, runs))
    low, high = clopper_pearson(hits, runs, risk=risk)
    assert low == pytest.approx(stats.beta.ppf(risk, hits, runs - hits + 1) if hits else 0.0, abs=1e-9)
    assert high == pytest.approx(stats.beta.ppf(1 - risk, hits + 1, runs - hits) if hits < runs else 1.0, abs=1e-9)


def test_people_with_all_points_known_are_unique_exactly_if_nobody_holds_their_set():
    records = Ragged.from_lists([[0, 1], [0, 1], [2, 3], [2], [1, 0, 1]])
    found = PointUniqueness(points=10, people=10).assess(records, symbols=4)
    assert found["matched by one record alone"] == pytest.approx(1 / 5)  # only {2, 3}; {2} is in two records
    assert found["mean number of matching records"] == pytest.approx((3 + 3 + 1 + 2 + 3) / 5)


def test_one_known_point_of_a_crowd_singles_nobody_out():
    records = Ragged.from_lists([[0, 1, 2]] * 50)
    found = PointUniqueness(points=1, people=20).assess(records, symbols=3)
    assert found["matched by one record alone"] == 0
    assert found["mean number of matching records"] == 50


def test_points_are_looked_for_in_what_was_released():
    records, released = Ragged.from_lists([[0, 1], [2, 3]]), Ragged.from_lists([[0, 1, 2]])
    found = PointUniqueness(points=2).assess(records, symbols=4, released=released)
    assert found["matched by one record alone"] == 0.5
    assert found["matched by no record"] == 0.5


def test_numbers_that_mean_nothing_are_refused():
    with pytest.raises(ParameterError, match="points must be"):
        PointUniqueness(points=0)
    with pytest.raises(ParameterError, match="confidence must be"):
        Membership(confidence=1)


def most(epsilon):
    return (exp(epsilon) - 1) / (exp(epsilon) + 1)


def table(rows):
    schema = Schema(quasi=(Numeric(name="a", low=0, high=1),))
    return TableRecords(schema=schema, quasi=(np.array(rows, dtype=np.int64),))


GAMES = {
    "tables": Game(
        without=table([0] * 30),
        within=table([0] * 31),
        publish=lambda records: TopDown(splits=1, share="0.01").publish(records, budget=PureDP("2")).data,
        statistic=len,
    ),
    "sets": Game(
        without=basket_records(["AB"] * 20),
        within=basket_records(["AB"] * 21),
        publish=lambda records: FlatHistogram().publish(records, budget=PureDP("2")).data,
        statistic=lambda data: sum(row == ["A", "B"] for row in data.to_labels()),
    ),
    "sequences": Game(
        without=sequence_records(["AB"] * 40),
        within=sequence_records(["AB"] * 41),
        publish=lambda records: PrefixTree(height=2).publish(records, budget=PureDP("2")).data,
        statistic=lambda data: sum(row[:1] == ["A"] for row in data.to_labels()),
    ),
}


@pytest.mark.parametrize("kind", GAMES)
def test_membership_stays_below_the_bound_and_on_tight_cases_comes_near_it(kind):
    """The interval misses the true advantage, and so the test fails, at most once in 10,000 runs; the floor is far below."""
    found = Membership(runs=300, confidence=0.9999).assess(GAMES[kind], budget=PureDP("2"))
    advantage = next(figure for figure in found.figures if figure.name == "advantage")
    assert advantage.low <= most(2)
    assert advantage.bound == pytest.approx(most(2))
    if kind != "sequences":  # half of the budget goes to each level there
        assert advantage.value > 0.25


def test_a_publisher_without_noise_is_caught():
    game = Game(without=3, within=4, publish=lambda number: number, statistic=float)
    found = Membership(runs=200).assess(game, budget=PureDP("1"))
    advantage = next(figure for figure in found.figures if figure.name == "advantage")
    assert advantage.value == 1
    assert advantage.low > most(1)


def test_a_statistic_that_falls_when_the_target_is_there_serves_as_well():
    game = Game(without=4, within=3, publish=lambda number: number, statistic=float)
    assert Membership(runs=200).assess(game, budget=PureDP("1"))["advantage"] == 1


def test_the_game_against_a_stream_finds_a_person_where_the_budget_is_large():
    found = assess_membership("uniform", Uniform(contexts=2), PureDP("20"), runs=20)
    assert found["advantage"] > 0.5  # nearly 1; below one half less than once in a million runs
