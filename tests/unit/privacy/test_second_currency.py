"""Rho beside epsilon: what plans, accounts, ledgers and promises make of Gaussian noise."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from tacita.errors import BudgetError, LedgerExhaustedError, UnplannedDrawError
from tacita.privacy.account import Charge, charged_for
from tacita.privacy.budget import (
    ApproxDP,
    Cost,
    Parallel,
    PureDP,
    Sequential,
    Step,
    ZeroConcentrated,
    plan_as_json,
    plan_of,
)
from tacita.privacy.concentrated import delta_of, epsilon_of
from tacita.privacy.funds import Funds
from tacita.privacy.ledger import Ledger
from tacita.privacy.questions.cells import EveryCount, every_count
from tacita.privacy.questions.selecting import SelectionQuestion, select
from tacita.testing import SeededSource

RHO = Fraction(1, 50)
DELTA = Fraction(1, 10**9)


def charge(*parts, **rest):
    return Charge(dataset="taps", mechanism="m", plan=Sequential(name="all", parts=parts), **rest)


def spend(ledger, **cost):
    with ledger.open(charge(Step(name="s", **cost))) as account:
        every_count(account, "s", np.array([3]))


def test_a_step_costs_one_currency_and_never_nothing():
    for cost in ({"epsilon": Fraction(1), "rho": RHO}, {"rho": Fraction(-1)}, {"delta": Fraction(1, 2), "rho": RHO}, {}):
        with pytest.raises(BudgetError, match="or a positive rho alone"):
            Step(name="s", **cost)


def test_costs_add_up_in_each_currency_and_the_larger_counts_in_parallel():
    pure, gaussian = Step(name="p", epsilon=Fraction(1, 2)), Step(name="g", rho=RHO)
    both = Sequential(name="all", parts=(pure, gaussian, Parallel(name="parts", parts=(Step(name="h", rho=3 * RHO), gaussian))))
    assert both.cost == Cost(epsilon=Fraction(1, 2), rho=4 * RHO)
    assert plan_of(plan_as_json(both)) == both
    assert "rho" not in plan_as_json(pure), "plans without Gaussian noise are written as ever"


def test_several_records_and_several_units_cost_the_square_in_rho():
    plan = Step(name="g", rho=RHO)
    assert charged_for(plan, records_per_person=3).rho == 9 * RHO
    assert charged_for(plan, units_together=5).rho == RHO / 25
    assert charged_for(Step(name="p", epsilon=Fraction(1)), records_per_person=3).epsilon == 3


def test_a_budget_covers_what_implies_it_and_no_more():
    approximate = ApproxDP(1, DELTA)
    assert approximate.covers(Cost(rho=approximate.rho))
    assert not approximate.covers(Cost(rho=approximate.rho * Fraction(101, 100)))
    assert not approximate.covers(Cost(epsilon=Fraction(1), rho=Fraction(1, 10**6))), "nothing is left for the rho"
    assert not PureDP(10).covers(Cost(rho=Fraction(1, 10**6))), "Gaussian noise is never pure"
    assert ZeroConcentrated(RHO).covers(Cost(rho=RHO / 2, epsilon=Fraction(1, 10)))
    assert not ZeroConcentrated(RHO).covers(Cost(rho=RHO / 2, epsilon=Fraction(1, 7)))
    assert not ZeroConcentrated(RHO).covers(Cost(rho=RHO / 2, delta=DELTA))


def test_counts_for_a_rho_have_gaussian_noise_of_the_variance_that_one_record_needs():
    with Ledger(source=SeededSource(1)).open(charge(Step(name="s", rho=RHO))) as account:
        noisy = every_count(account, "s", np.full(40_000, 7), sensitivity=6, squares=12)
    assert abs(float(np.var(noisy)) / (12 / (2 * float(RHO))) - 1) < 0.05
    assert account.draws[0].noise == "discrete Gaussian, variance 300, all kept"
    assert account.draws[0].as_json()["rho"] == "0.02"


def test_without_squares_one_record_may_put_everything_into_one_cell():
    with Ledger(source=SeededSource(1)).open(charge(Step(name="s", rho=RHO))) as account:
        every_count(account, "s", np.zeros(3), sensitivity=6)
    assert account.draws[0].noise == "discrete Gaussian, variance 900, all kept"


def test_a_question_at_another_rho_than_planned_is_refused():
    with Ledger().open(charge(Step(name="s", rho=RHO))) as account:
        for cost in ({"rho": RHO * 2}, {"epsilon": Fraction(1)}):
            with pytest.raises(UnplannedDrawError, match=r"must be asked at the planned cost, rho 0\.02"):
                account.ask(EveryCount(step="s", sensitivity=1, cells=1, **cost), np.array([1]))
        with pytest.raises(UnplannedDrawError, match="shared along paths, which is proved only for pure"):
            account.paths("s")


def test_the_parts_of_a_step_cost_no_more_rho_than_the_step():
    with Ledger().open(charge(Step(name="s", rho=RHO))) as account:
        with pytest.raises(UnplannedDrawError, match=r"set aside for step 's' is rho 0\.02, and its parts would cost rho 0\.04"):
            account.unfold("s", Step(name="t", rho=2 * RHO))
        account.unfold("s", Step(name="t", rho=RHO))


def test_the_loss_in_rho_is_squared_changes_over_twice_the_variance():
    question = EveryCount(step="s", rho=RHO, sensitivity=2, squares=4, cells=3)
    assert question.largest_rho(np.array([5, 0, 1]), np.array([3, 0, 1])) == RHO
    assert question.largest_rho(np.array([5, 1, 1]), np.array([4, 0, 1])) == RHO / 2


def test_log_ratios_and_outcomes_follow_the_same_law():
    question = EveryCount(step="s", rho=Fraction(1, 3), sensitivity=1, cells=1)
    laws = [question.outcomes(np.array([count]), span=12).choices[0] for count in (2, 3)]
    assert abs(sum(laws[0].chances) - 1) < 1e-9
    for value, mine, other in zip(laws[0].values, laws[0].chances, laws[1].chances, strict=True):
        ratio = question.log_ratio(np.array([value]), np.array([2]), np.array([3]))
        assert mine / other == pytest.approx(exp(ratio))


def test_the_excess_of_gaussian_noise_stays_below_the_delta_that_its_rho_implies():
    question = EveryCount(step="s", rho=Fraction(1, 8), sensitivity=1, cells=1)
    laws = [question.outcomes(np.array([count]), span=40).choices[0].chances for count in (0, 1)]
    for epsilon in (Fraction(1, 2), Fraction(1), Fraction(2)):
        excess = sum(max(0.0, mine - exp(epsilon) * other) for mine, other in zip(*laws, strict=True))
        assert 0 < excess <= float(delta_of(Fraction(1, 8), epsilon))


def test_a_choice_for_a_rho_is_an_exponential_mechanism_whose_epsilon_squared_is_eight_rho():
    question = SelectionQuestion(step="s", rho=RHO, sensitivity=Fraction(1), candidates=3)
    epsilon = float(question.exponential_epsilon)
    assert epsilon**2 <= 8 * float(RHO)
    assert epsilon**2 == pytest.approx(8 * float(RHO))
    scores = (Fraction(0), Fraction(4), Fraction(2))
    weights = np.exp(epsilon * np.array([0, 4, 2]) / 2)
    assert question.outcomes(scores, span=1).choices[0].chances == pytest.approx((weights / weights.sum()).tolist())
    assert question.largest_rho(scores, (Fraction(1), Fraction(4), Fraction(2))) <= RHO
    drawn = [question.draw(scores, SeededSource(seed)) for seed in range(4000)]
    assert np.bincount(drawn, minlength=3) / 4000 == pytest.approx((weights / weights.sum()).tolist(), abs=0.04)


def test_select_pays_in_the_currency_of_its_step():
    with Ledger().open(charge(Step(name="s", rho=RHO))) as account:
        assert select(account, "s", scores=[0, 10_000]) == 1
    assert account.draws[0].noise == "exponential mechanism over candidates, 2 of them"


def test_a_thousand_spends_of_rho_add_up_exactly():
    ledger = Ledger()
    for number in range(1, 1001):
        with ledger.open(charge(Step(name="s", rho=Fraction(1, number)))) as account:
            every_count(account, "s", np.array([1]))
    assert ledger.balance("taps").rho == sum((Fraction(1, number) for number in range(1, 1001)), Fraction(0))


def test_a_pure_cap_refuses_gaussian_noise_and_names_the_remedy():
    ledger = Ledger()
    ledger.set_cap("taps", PureDP(10))
    with pytest.raises(LedgerExhaustedError, match="a cap in pure epsilon, which Gaussian noise cannot keep"):
        spend(ledger, rho=RHO)
    assert ledger.balance("taps").rho == 0


def test_a_cap_with_a_delta_counts_pure_spends_in_the_way_that_adds_up_to_less():
    ledger = Ledger()
    ledger.set_cap("taps", ApproxDP(1, DELTA))
    for _ in range(150):  # 1.5 in sum, but 0.0075 in rho
        spend(ledger, epsilon=Fraction(1, 100))
    assert ledger.balance("taps").epsilon == Fraction(3, 2)
    spend(ledger, rho=Fraction(1, 1000))
    total = ledger.balance("taps").total
    assert total.epsilon_at(DELTA) == epsilon_of(Fraction(150, 20_000) + Fraction(1, 1000), DELTA)
    with pytest.raises(LedgerExhaustedError, match=r"has spent epsilon 1\.5, rho 0\.001 of its cap"):
        spend(ledger, rho=Fraction(1, 100))


def test_a_cap_in_rho_counts_half_the_square_of_what_is_pure_and_refuses_a_delta():
    ledger = Ledger()
    ledger.set_cap("taps", ZeroConcentrated(RHO))
    spend(ledger, epsilon=Fraction(1, 10))
    spend(ledger, rho=Fraction(3, 200))
    with pytest.raises(LedgerExhaustedError, match=r"of its cap, rho = 0\.02 .*which rho 0\.000001 would exceed"):
        spend(ledger, rho=Fraction(1, 10**6))
    fresh = Ledger()
    fresh.set_cap("taps", ZeroConcentrated(RHO))
    with (
        pytest.raises(LedgerExhaustedError, match="would exceed"),
        fresh.open(charge(Step(name="s", epsilon=Fraction(1, 1000), delta=DELTA))),
    ):
        pass


def test_a_voided_charge_gives_back_both_ways_of_counting(tmp_path):
    ledger = Ledger.create(tmp_path / "l")
    with pytest.raises(RuntimeError), ledger.open(charge(Step(name="s", rho=RHO), Step(name="t", epsilon=Fraction(1)))):
        raise RuntimeError
    assert ledger.balance("taps").total.readings == (Cost(), Cost())
    assert Ledger(tmp_path / "l").balance("taps").rho == 0


def test_caps_and_spends_in_rho_survive_the_file(tmp_path):
    ledger = Ledger.create(tmp_path / "l")
    ledger.set_cap("taps", ZeroConcentrated("0.5", "1e-6"))
    for _ in range(40):  # past a checkpoint
        spend(ledger, rho=Fraction(1, 100))
    balance = Ledger(tmp_path / "l").balance("taps")
    assert balance.rho == Fraction(2, 5)
    assert balance.cap == ZeroConcentrated("0.5", "1e-6")


def test_funds_tell_the_noise_of_a_share_in_either_currency():
    pure, gaussian = Funds.of(PureDP(1)), Funds.of(ZeroConcentrated(RHO))
    assert pure.deviation(0.25) == pytest.approx(np.sqrt(2) * 4, rel=0.02)
    assert gaussian.deviation(0.25) == 10
    assert gaussian.step("s", Fraction(1, 4)).rho == RHO / 4
    assert pure.step("s", Fraction(1, 4)).epsilon == Fraction(1, 4)
    with pytest.raises(BudgetError, match="too small"):
        gaussian.require_share(Fraction(1, 2**60))
