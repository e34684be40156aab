"""Baskets from noisy counts of itemsets: what comes out is close to what went in, and is told truly."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import basket_records
from tacita.errors import BudgetError, ParameterError
from tacita.privacy.account import StandIn
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.funds import Funds
from tacita.privacy.ledger import Ledger
from tacita.privacy.questions.blocks import with_open_blocks
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, ItemsetCounts
from tacita.sets.itemset_schedule import fewest_for_a_core, shares_of
from tacita.simulate import BasketWorld
from tacita.testing import seeded_ledger

LETTERS = "ABCDEF"


class Truth:
    """Answers without noise; every cell must be asked for."""

    def __init__(self):
        self.steps = []

    def answer(self, question, counts):
        assert all(terms.threshold is None for terms in question.table)
        self.steps.append(question.step)
        return with_open_blocks(question, counts)


def item_counts(baskets, items):
    return np.bincount(baskets.codes, minlength=items)


def shop(**fields):
    world = BasketWorld(**{"baskets": 20_000, "items": 300, "categories": 10, "mean_length": 4, "max_length": 25} | fields)
    return BasketRecords(baskets=world.baskets_of_codes(), universe=world.universe)


@given(st.lists(st.sets(st.sampled_from(LETTERS), min_size=1, max_size=3).map("".join), min_size=30, max_size=60))
@settings(max_examples=25)
def test_without_noise_and_with_a_large_budget_whole_baskets_come_out(rows):
    records = basket_records(rows * 40, labels=LETTERS)
    release = ItemsetCounts().publish(records, budget=PureDP("100"), ledger=StandIn(Truth()))
    truth, made = (
        dict(zip(*np.unique([str(row) for row in side.to_lists()], return_counts=True), strict=True))
        for side in (records.baskets, release.data.baskets)
    )
    assert sum(abs(truth.get(row, 0) - made.get(row, 0)) for row in truth | made) <= 0.02 * len(records.baskets)


def test_over_a_small_universe_all_items_are_asked_together_and_over_a_large_one_a_core():
    together, apart = Truth(), Truth()
    ItemsetCounts().publish(shop(items=12, max_length=8), budget=PureDP("1"), ledger=StandIn(together))
    ItemsetCounts().publish(shop(baskets=60_000), budget=PureDP("1"), ledger=StandIn(apart))
    assert together.steps[:2] == ["sizes, round 1", "itemsets of baskets of size 1, round 1"]
    assert not any(step.startswith("items of") for step in together.steps)
    assert apart.steps[1] == "fine sizes, round 1"
    assert apart.steps[2].startswith("items of baskets of size 1")
    assert "sizes in the core, round 1" in apart.steps


def test_too_few_baskets_for_pairs_leave_the_whole_rest_to_single_items():
    asked = Truth()
    release = ItemsetCounts().publish(shop(baskets=2000), budget=PureDP("1"), ledger=StandIn(asked))
    assert asked.steps == ["sizes, round 1", "fine sizes, round 1", "items of baskets of size 1 or more, round 1"]
    truth = item_counts(shop(baskets=2000).baskets, 300)
    assert np.abs(item_counts(release.data.baskets, 300) - truth).sum() <= 0.12 * truth.sum()
    # Sizes that noise would cover are spread as the prior says, even where a test draws no noise.
    assert release.data.baskets.codes.size == pytest.approx(truth.sum(), rel=0.1)


@pytest.mark.parametrize("items", [12, 300])
def test_items_sizes_and_pairs_come_out_close(items):
    records = shop(items=items, max_length=min(items, 25))
    made = ItemsetCounts().publish(records, budget=PureDP("2"), ledger=seeded_ledger(5)).data.baskets
    raw = records.baskets
    assert len(made) == pytest.approx(len(raw), rel=0.03)
    assert made.codes.size == pytest.approx(raw.codes.size, rel=0.1)
    truth = item_counts(raw, items)
    assert np.abs(item_counts(made, items) - truth).sum() <= 0.12 * truth.sum()
    frequent = np.argsort(-truth)[:2].tolist()
    pair_truth, pair_made = (sum(set(frequent) <= set(row) for row in side.to_lists()) for side in (raw, made))
    assert pair_made == pytest.approx(pair_truth, rel=0.15)


def test_with_hardly_any_budget_hardly_anything_is_made_up():
    records = shop(baskets=500)
    made = [
        ItemsetCounts().publish(records, budget=PureDP("0.001"), ledger=seeded_ledger(seed)).data.baskets for seed in range(10)
    ]
    truth = item_counts(records.baskets, 300)
    errors = [np.abs(item_counts(baskets, 300) - truth).sum() / truth.sum() for baskets in made]
    assert np.median(errors) <= 1.05


@pytest.mark.parametrize("rows", [[], ["A"], ["ABCDEF"] * 3])
@pytest.mark.parametrize("labels", ["A", "AB", "ABCDEF"])
def test_tiny_data_and_universes_are_no_trouble(rows, labels):
    for epsilon in ("0.01", "1", "1000"):
        release = ItemsetCounts().publish(basket_records(rows, labels=labels), budget=PureDP(epsilon))
        assert all(row == sorted(set(row)) for row in release.data.to_labels())


def test_a_large_budget_brings_large_baskets_back():
    release = ItemsetCounts().publish(basket_records(["ABCDEF"] * 50 + ["AB"] * 30, labels=LETTERS), budget=PureDP("1000"))
    assert release.data.to_labels() == [["A", "B"]] * 30 + [list(LETTERS)] * 50


def test_draws_cost_what_the_plan_says_along_every_size():
    ledger = Ledger()
    release = ItemsetCounts().publish(shop(), budget=PureDP("1"), ledger=ledger)
    plan = release.manifest["budget"]["plan"]
    assert Fraction(plan["epsilon"]) == 1
    text = json.dumps(plan)
    assert "parallel" in text
    assert "items by size" in text
    for draw in release.manifest["budget"]["draws"]:
        assert draw["noise"].endswith("all kept")
    assert ledger.balance("unnamed").epsilon == 1


def test_what_explain_tells_needs_no_data():
    method = ItemsetCounts(max_core=100)
    facts = " ".join(
        method.explain(PureDP("0.5"), PublicInputs(universe=Universe([f"item {place}" for place in range(50)]))).facts
    )
    assert "the universe has 50 labels" in facts
    assert f"all items are counted together if there are about {90 * 50 * 49 / 2 / 0.5:,.0f} baskets or more" in facts
    enough = fewest_for_a_core(50, funds=Funds(amount=Fraction(1, 2)), most=256)
    assert f"pairs of the 14 most frequent items are counted if there are about {enough:,.0f} baskets" in facts
    for baskets, has_core in ((0.99 * enough, False), (1.01 * enough, True)):
        shares = shares_of(50, baskets=baskets, mean_size=1, funds=Funds(amount=Fraction(1, 2)), most=256)
        assert (shares.core_size > 0) == has_core
    assert "use this method" in facts
    large = " ".join(
        method.explain(PureDP("1"), PublicInputs(universe=Universe([f"item {place}" for place in range(200)]))).facts
    )
    assert "all items are counted together" not in large


def test_wrong_parameters_and_budgets_are_refused_by_name():
    with pytest.raises(ParameterError, match="max_core must be a whole number of at least 2, got 1"):
        ItemsetCounts(max_core=1)
    with pytest.raises(ParameterError, match="max_core must be a whole number of at most 512, got 513"):
        ItemsetCounts(max_core=513)
    with pytest.raises(BudgetError, match="leave out with_counts, or the delta"):
        ItemsetCounts(with_counts=True).plan(ApproxDP("1", "1e-9"))
    with pytest.raises(BudgetError, match="rho of at least"):
        ItemsetCounts().plan(ApproxDP("1e-4", "1e-9"))
    with pytest.raises(BudgetError, match="epsilon of at least"):
        ItemsetCounts().plan(PureDP("1e-9"))
    with pytest.raises(ParameterError, match="baskets have no times"):
        ItemsetCounts().plan(PureDP("1"), PublicInputs(grid=TimeGrid(start=0, interval=1, intervals=2)))


def test_progress_is_told_of_every_size():
    told = []
    ItemsetCounts().publish(shop(baskets=60_000), budget=PureDP("1"), progress=lambda done, of: told.append((done, of)))
    assert told == [(size, len(told)) for size in range(1, len(told) + 1)]
    assert len(told) > 3


def test_three_hundred_baskets_over_many_items_stay_about_three_hundred():
    world = BasketWorld(baskets=300, items=16_470, categories=100, mean_length=10, max_length=70)
    records = BasketRecords(baskets=world.baskets_of_codes(), universe=world.universe)
    made = [len(ItemsetCounts().publish(records, budget=PureDP("1"), ledger=seeded_ledger(seed)).data) for seed in range(3)]
    assert np.mean(made) == pytest.approx(300, rel=0.3)
    assert min(made) > 100


def test_with_a_delta_every_step_has_gaussian_noise_and_the_rho_is_spent_to_the_last_part():
    records, budget = shop(baskets=30_000, mean_length=12), ApproxDP("1", "1e-6")
    release = ItemsetCounts().publish(records, budget=budget, ledger=seeded_ledger(3))
    draws = {draw["step"]: draw for draw in release.manifest["budget"]["draws"]}
    assert all(draw["noise"].startswith("discrete Gaussian") and draw["epsilon"] == "0" for draw in draws.values())
    once = sum(Fraction(draw["rho"]) for step, draw in draws.items() if " of baskets of size " not in step)
    items, itemsets = (
        max(Fraction(draw["rho"]) for step, draw in draws.items() if step.startswith(f"{what} of baskets of size "))
        for what in ("items", "itemsets")
    )
    assert once + items + itemsets == budget.rho
    assert len(release.data) == pytest.approx(len(records.baskets), rel=0.03)


def test_large_baskets_come_out_closer_with_a_delta_and_explain_says_from_which_size_on():
    records = shop(baskets=4000, mean_length=24, max_length=60)
    truth = item_counts(records.baskets, 300)
    errors = []
    for budget in (PureDP("1/2"), ApproxDP("1/2", "1e-9")):
        made = [ItemsetCounts().publish(records, budget=budget, ledger=seeded_ledger(seed)).data.baskets for seed in range(3)]
        errors.append(np.mean([np.abs(item_counts(baskets, 300) - truth).sum() / truth.sum() for baskets in made]))
    assert errors[1] < 0.9 * errors[0]
    (told,) = ItemsetCounts().compared(PureDP("1/2"), PublicInputs())
    assert told == (
        "noise on single items is smaller with a delta in baskets of 16 items or more, on pairs from 7 items on: "
        "if baskets are mostly that large, add the delta; otherwise leave it out"
    )
