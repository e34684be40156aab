"""The flat histogram over all baskets, and the stable one over those that somebody has."""

from collections import Counter
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.auditing.verdict import chi_square
from tacita.errors import BudgetError, ParameterError, TooManyNodesError, UnplannedDrawError
from tacita.privacy.account import Charge, StandIn
from tacita.privacy.budget import ApproxDP, PureDP, Step
from tacita.privacy.ledger import Ledger
from tacita.privacy.noise import passing_probability, stable_threshold
from tacita.privacy.questions import Cells, Lists, stable_lists
from tacita.public.inputs import PublicInputs
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts, StableHistogram
from tacita.testing import seeded_ledger

LETTERS = "ABCDEFG"
ROWS = st.lists(st.sets(st.sampled_from(LETTERS), min_size=1).map(sorted), max_size=30)


class Truth:
    """Answers without noise."""

    def answer(self, question, counts):
        if isinstance(counts, Lists):
            assert question.threshold >= 2
            return Lists(counts.lists, counts.values)
        assert question.domain == 2 ** len(LETTERS) - 1
        return Cells(counts.keys, counts.values)


@pytest.mark.parametrize(("method", "budget"), [(FlatHistogram(), PureDP(1)), (StableHistogram(), ApproxDP(1, "0.01"))])
@given(rows=ROWS)
def test_without_noise_the_release_is_the_data(method, budget, rows):
    records = BasketRecords.from_labels(rows, universe=Universe(LETTERS))
    published = method.publish(records, budget=budget, ledger=StandIn(Truth())).data
    assert Counter(map(tuple, published.to_labels())) == Counter(map(tuple, rows))


@pytest.mark.parametrize(("method", "budget"), [(FlatHistogram(), PureDP(1)), (StableHistogram(), ApproxDP(1, "0.01"))])
@given(rows=ROWS, seed=st.integers(0, 99))
def test_what_is_published_is_sorted(method, budget, rows, seed):
    records = BasketRecords.from_labels(rows * 9, universe=Universe(LETTERS))
    published = method.publish(records, budget=budget, ledger=seeded_ledger(seed)).data.baskets.to_lists()
    assert published == sorted(published)


def test_the_threshold_lets_a_few_false_baskets_through_and_more_where_there_are_many_records():
    universe = Universe([f"i{place}" for place in range(17)])
    plain, informed = FlatHistogram(), FlatHistogram(expected_records=1_000_000)
    thresholds = [method.least(PureDP(1), universe=universe) for method in (plain, informed)]
    assert thresholds == [11, 7]
    assert (2**17 - 1) * passing_probability(Fraction(1), 11) <= 3
    assert FlatHistogram(expected_records=10).least(PureDP(1), universe=universe) == 11


def test_a_universe_of_61_items_is_sampled_and_one_of_62_refused():
    wide = Universe([f"i{place}" for place in range(61)])
    records = BasketRecords.from_labels([["i0", "i60"]] * 500, universe=wide)
    release = FlatHistogram().publish(records, budget=PureDP(1), ledger=seeded_ledger(2))
    assert Counter(map(tuple, release.data.to_labels()))["i0", "i60"] == pytest.approx(500, abs=20)
    with pytest.raises(ParameterError, match="at most 61 items"):
        FlatHistogram().plan(PureDP(1), PublicInputs(universe=Universe([f"i{place}" for place in range(62)])))


@pytest.mark.parametrize(
    ("method", "budget", "message"),
    [(FlatHistogram(), ApproxDP(1, "0.01"), "must be PureDP"), (StableHistogram(), PureDP(1), "needs a delta")],
)
def test_each_takes_the_budget_that_it_can_prove(method, budget, message):
    with pytest.raises(BudgetError, match=message):
        method.plan(budget)


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.001"), ("0.1", "1e-6"), ("3", "1e-9"), ("1/3", "1/7"), ("20", "0.5")])
def test_the_stable_threshold_is_the_least_that_delta_allows(epsilon, delta):
    rate, most = Fraction(epsilon), Fraction(delta)
    threshold = stable_threshold(rate, most)
    ratio = exp(-float(rate))

    def chance(count, least):  # P[count + X >= least]
        gap = least - count
        return ratio**gap / (1 + ratio) if gap >= 1 else 1 - ratio ** (1 - gap) / (1 + ratio)

    assert chance(1, threshold) <= float(most)
    assert threshold == 2 or chance(1, threshold - 1) > float(most)


def test_one_person_alone_comes_out_as_rarely_as_delta_says():
    lists, runs = Ragged.from_lists([[place] for place in range(40_000)]), 40_000
    plan = Step(name="s", epsilon=Fraction(1), delta=Fraction(1, 20))
    with seeded_ledger(4).open(Charge(dataset="d", mechanism="m", plan=plan)) as account:
        kept = stable_lists(account, "s", lists=lists, counts=np.ones(runs, dtype=np.int64))
    threshold = stable_threshold(plan.epsilon, plan.delta)
    ratio = exp(-1)
    expected = [runs * (1 - ratio) / (1 + ratio) * ratio ** (value - 1) for value in range(threshold, threshold + 6)]
    observed = [int((kept.values == value).sum()) for value in range(threshold, threshold + 6)]
    assert chi_square([*observed, runs - sum(observed)], [*expected, runs - sum(expected)]) > 1e-5
    assert len(kept.lists) / runs < 1 / 20
    assert kept.lists.to_lists() == sorted(kept.lists.to_lists())


@pytest.mark.parametrize(
    ("delta", "count", "error", "message"),
    [(Fraction(0), 1, UnplannedDrawError, "must have a delta"), (Fraction(1, 20), 0, ParameterError, "at least 1")],
)
def test_lists_are_not_asked_without_a_delta_and_not_at_zero(delta, count, error, message):
    plan = Step(name="s", epsilon=Fraction(1), delta=delta)
    with Ledger().open(Charge(dataset="d", mechanism="m", plan=plan)) as account, pytest.raises(error, match=message):
        stable_lists(account, "s", lists=Ragged.from_lists([[1]]), counts=np.array([count]))


def test_a_list_is_not_asked_about_twice():
    plan = Step(name="s", epsilon=Fraction(1), delta=Fraction(1, 20))
    with Ledger().open(Charge(dataset="d", mechanism="m", plan=plan)) as account:
        with pytest.raises(ParameterError, match="merge equal lists"):
            stable_lists(account, "s", lists=Ragged.from_lists([[1, 2], [3], [1, 2]]), counts=np.ones(3, dtype=np.int64))
        assert account.draws == []


def test_rare_baskets_stay_out_of_a_stable_histogram():
    universe = Universe([f"i{place}" for place in range(5000)])
    rows = [["i1", "i4999"]] * 400 + [[f"i{place}"] for place in range(3000)]
    release = StableHistogram().publish(
        BasketRecords.from_labels(rows, universe=universe), budget=ApproxDP(1, "1e-9"), ledger=seeded_ledger(1)
    )
    assert set(map(tuple, release.data.to_labels())) == {("i1", "i4999")}
    assert release.guarantee.definition == "approximate-dp"


def test_a_delta_that_no_float_holds_still_has_its_threshold():
    tiny = Fraction(1, 10**400)
    threshold = stable_threshold(Fraction(1), tiny)
    assert 919 < threshold < 925  # 400 ln 10 is 921
    assert "kept if its noisy count is at least" in str(StableHistogram().explain(ApproxDP("1", tiny)))


@pytest.mark.parametrize("method", [FlatHistogram(), FlatHistogram(expected_records=10**12), DiffPart(), ItemsetCounts()])
@pytest.mark.parametrize("labels", ["ABC", "A"])
def test_noise_that_no_memory_holds_is_refused_and_not_written(method, labels):
    records = BasketRecords.from_labels([["A"]], universe=Universe(labels))

    def publish_often():  # whether a false count comes at all is chance, except where the plan refuses
        for seed in range(40):
            method.publish(records, budget=PureDP("1e-10"), ledger=seeded_ledger(seed))

    with pytest.raises((TooManyNodesError, BudgetError)):
        publish_often()


def test_a_threshold_by_the_number_of_records_is_the_least_that_keeps_to_the_share():
    universe = Universe([f"i{place}" for place in range(17)])
    for records in (10_000, 1_000_000, 50_000_000):
        found = FlatHistogram(expected_records=records).least(PureDP("0.5"), universe=universe)
        above = 1 / (1 - exp(-0.5))

        def false_records(least, above=above):
            return (2**17 - 1) * passing_probability(Fraction(1, 2), least) * (least - 1 + above)

        assert false_records(found) <= 0.001 * records or found == FlatHistogram().least(PureDP("0.5"), universe=universe)
        assert found == 1 or false_records(found - 1) > 0.001 * records


def test_more_false_baskets_than_can_be_listed_are_refused_before_anything_is_charged():
    universe = Universe([f"i{place}" for place in range(61)])
    with pytest.raises(TooManyNodesError):
        FlatHistogram(expected_records=10**13).plan(PureDP("1"), PublicInputs(universe=universe))
