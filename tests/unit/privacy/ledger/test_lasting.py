"""Accounts that last: a plan that slides is charged once, and every window of it is held to its price, over restarts too."""

import os
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import BudgetError, LedgerError, LedgerExhaustedError, UnplannedDrawError
from tacita.privacy.account import Charge
from tacita.privacy.budget import Explanation, Parallel, PureDP, Sequential, Sliding, Step, plan_as_json, plan_of
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.ledger.binding import Claim
from tacita.privacy.questions import select

PLAN = Sequential(
    name="all",
    parts=(Step(name="start", epsilon=Fraction(1, 2)), Sliding(name="stream", epsilon=Fraction(1), ticks=3)),
)
CHARGE = Charge(dataset="taps", mechanism="test", plan=PLAN)


def tick_plan(epsilon):
    return Step(name="counts", epsilon=Fraction(epsilon))


def draw(account, tick, epsilon):
    account.slide("stream", tick=tick, plan=tick_plan(epsilon))
    return select(account, "counts", scores=[1, 2])


@pytest.fixture(params=["memory", "file"])
def ledger(request, tmp_path):
    return Ledger() if request.param == "memory" else Ledger.create(tmp_path / "owner.ledger")


def test_it_is_charged_once_and_stays_open_until_it_is_finished(ledger):
    with ledger.open(CHARGE) as account:
        select(account, "start", scores=[1])
        for tick in range(10):
            draw(account, tick, "1/3")
    with ledger.resume(account.charge_id) as again:
        for tick in range(10, 20):
            draw(again, tick, "1/3")
    assert ledger.balance("taps").epsilon == Fraction(3, 2)
    assert sum(entry.kind is EntryKind.CHARGE for entry in ledger.history()) == 1
    assert sum(entry.kind is EntryKind.TICK for entry in ledger.history()) == 20
    ledger.finish(account.charge_id)
    with pytest.raises(LedgerError, match="it has ended"), ledger.resume(account.charge_id):
        pass


def test_a_window_is_held_to_its_price_by_the_account_and_by_the_ledger(ledger):
    with ledger.open(CHARGE) as account:
        draw(account, 0, "1/2")
        draw(account, 1, "1/2")
        with pytest.raises(UnplannedDrawError, match="leave any 3 of them at epsilon 1"):
            draw(account, 2, "1/100")
        account.windows.clear()  # an account that forgot
        with pytest.raises(UnplannedDrawError, match=r"with time step 2 the last ones would cost 1\.01"):
            draw(account, 2, "1/100")
        account.windows.clear()
        assert draw(account, 3, "1/2") in {0, 1}


def test_what_was_spent_before_a_restart_counts_after_it(ledger):
    with ledger.open(CHARGE) as account:
        draw(account, 5, "2/3")
    with ledger.resume(account.charge_id) as again:
        with pytest.raises(UnplannedDrawError, match="leave any 3"):
            draw(again, 6, "1/2")
        with pytest.raises(UnplannedDrawError, match="must come after"):
            draw(again, 5, "1/3")
        draw(again, 6, "1/3")


def test_a_time_step_is_paid_for_once_even_by_two_accounts_of_one_charge(ledger):
    with ledger.open(CHARGE) as account, ledger.resume(account.charge_id) as other:
        draw(account, 1, "1/3")
        with pytest.raises(UnplannedDrawError, match="time step 1 of 'stream' must come after 1"):
            draw(other, 1, "1/3")


def test_the_steps_of_a_time_step_are_drawn_once_each(ledger):
    with ledger.open(CHARGE) as account:
        draw(account, 1, "1/3")
        with pytest.raises(UnplannedDrawError, match="has already been drawn"):
            select(account, "counts", scores=[1])
        account.slide("stream", tick=2, plan=tick_plan("1/3"))
        select(account, "counts", scores=[1])
        assert len(account.draws) == 1, "those of the present time step"


def test_a_step_before_the_restart_cannot_be_drawn_again(ledger):
    with ledger.open(CHARGE) as account:
        select(account, "start", scores=[1])
    with ledger.resume(account.charge_id) as again, pytest.raises(UnplannedDrawError, match="has already been drawn"):
        select(again, "start", scores=[1])


@pytest.mark.parametrize("use", ["select", "unfold"])
def test_what_slides_is_not_drawn_as_one_step(ledger, use):
    with ledger.open(CHARGE) as account, pytest.raises(UnplannedDrawError, match="is a sliding step; move on to a time step"):
        select(account, "stream", scores=[1]) if use == "select" else account.unfold("stream", tick_plan(1))


def test_a_time_step_needs_a_step_that_slides_and_names_of_its_own(ledger):
    with ledger.open(CHARGE) as account:
        with pytest.raises(UnplannedDrawError, match="is not a sliding step"):
            account.slide("start", tick=1, plan=tick_plan("1/3"))
        with pytest.raises(UnplannedDrawError, match="names of their own"):
            account.slide("stream", tick=1, plan=Step(name="start", epsilon=Fraction(1, 3)))


def test_parallel_parts_of_a_time_step_cost_the_largest(ledger):
    parts = Parallel(name="cells", parts=(Step(name="a", epsilon=Fraction(1, 3)), Step(name="b", epsilon=Fraction(1, 3))))
    with ledger.open(CHARGE) as account:
        for tick in range(5):
            account.slide("stream", tick=tick, plan=parts)
            select(account, "a", scores=[1])
            select(account, "b", scores=[1])


def test_own_windows_are_held_to_epsilon_in_each_time_step(ledger):
    plan = Sliding(name="stream", epsilon=Fraction(1), ticks=3, common=False)
    with ledger.open(Charge(dataset="taps", mechanism="test", plan=plan)) as account:
        for tick in range(5):
            draw(account, tick, 1)
        with pytest.raises(UnplannedDrawError, match="it would cost 2"):
            draw(account, 9, 2)


def fail_in_a_time_step(ledger, opened):
    message = "out of paper"
    with ledger.open(CHARGE) as account:
        opened.append(account.charge_id)
        account.slide("stream", tick=1, plan=tick_plan("1/3"))
        raise RuntimeError(message)


def test_a_failure_in_a_time_step_does_not_end_the_charge(ledger):
    opened = []
    with pytest.raises(RuntimeError, match="out of paper"):
        fail_in_a_time_step(ledger, opened)
    assert ledger.balance("taps").epsilon == Fraction(3, 2)
    with ledger.resume(opened[0]) as again:
        draw(again, 2, "1/3")


def test_a_failure_before_the_first_time_step_costs_nothing(ledger):
    message = "out of paper"
    with pytest.raises(RuntimeError, match=message), ledger.open(CHARGE):
        raise RuntimeError(message)
    assert ledger.balance("taps").epsilon == 0


def test_what_a_window_costs_must_fit_the_cap(ledger):
    ledger.set_cap("taps", PureDP(1))
    with pytest.raises(LedgerExhaustedError, match=r"1\.5 was asked"), ledger.open(CHARGE):
        pass


def test_a_charge_of_one_publication_or_an_unknown_one_is_not_resumed(ledger):
    with ledger.open(Charge(dataset="taps", mechanism="test", plan=tick_plan(1))) as account:
        with pytest.raises(LedgerError, match="for one publication"), ledger.resume(account.charge_id):
            pass
        select(account, "counts", scores=[1])
    with pytest.raises(LedgerError, match="holds none of that name"), ledger.resume("nobody"):
        pass


def test_another_process_takes_a_charge_up(tmp_path):
    path = tmp_path / "owner.ledger"
    with Ledger.create(path).open(CHARGE) as account:
        draw(account, 1, "1/3")
    child = os.fork()
    if child == 0:
        with Ledger(path).resume(account.charge_id) as again:
            draw(again, 2, "1/3")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with Ledger(path).resume(account.charge_id) as again:
        assert again.windows["stream"].room(3) == Fraction(1, 3)
        assert again.charge == CHARGE


@given(
    st.lists(st.tuples(st.integers(1, 3), st.fractions(Fraction(1, 100), 1, max_denominator=100)), max_size=40), st.integers(1, 6)
)
def test_no_window_of_any_stream_costs_more_than_its_price(steps, ticks):
    plan = Sliding(name="stream", epsilon=Fraction(1), ticks=ticks)
    ledger, spends, tick = Ledger(), {}, 0
    with ledger.open(Charge(dataset="taps", mechanism="test", plan=plan)) as account:
        for gap, epsilon in steps:
            tick += gap
            room = account.windows["stream"].room(tick) if account.windows else Fraction(1)
            try:
                draw(account, tick, epsilon)
                spends[tick] = epsilon
                assert epsilon <= room
            except UnplannedDrawError:
                assert epsilon > room
    for first in range(tick + 1):
        assert sum(spends.get(first + place, 0) for place in range(ticks)) <= 1


def test_a_sliding_plan_is_explained_and_comes_back_from_json():
    assert "stream: epsilon 1 (in any 3 successive time steps)" in str(Explanation(title="t", plan=PLAN))
    both = Parallel(name="or", parts=(PLAN, Sliding(name="own", epsilon=Fraction(1, 3), ticks=2, common=False, note="n")))
    assert plan_of(plan_as_json(both)) == both
    with pytest.raises(BudgetError, match="a plan must be"):
        plan_of({"composition": "magic"})


@pytest.mark.parametrize("wrong", [{"epsilon": Fraction(0)}, {"ticks": 0}, {"ticks": True}])
def test_a_window_without_length_or_price_is_refused(wrong):
    with pytest.raises(BudgetError, match="positive epsilon, or rho, in 1 or more time steps"):
        Sliding(**({"name": "stream", "epsilon": Fraction(1), "ticks": 3} | wrong))


def test_which_file_holds_a_journal_is_remembered_past_checkpoints(tmp_path):
    ledger = Ledger.create(tmp_path / "owner.ledger")
    with ledger.open(CHARGE) as account:
        pass
    ledger._commit_claim(account.charge_id, Claim(file="7", is_first=True, moved=False))
    for epsilon in range(1, 60):
        ledger.set_cap("others", PureDP(epsilon))
    assert ledger.verify().checkpoints > 0
    for claim in (Claim(file="7", is_first=True, moved=True), Claim(file="8", is_first=False, moved=False)):
        with pytest.raises(LedgerError, match=r"older copy|another file"):
            Ledger(tmp_path / "owner.ledger")._commit_claim(account.charge_id, claim)
    ledger._commit_claim(account.charge_id, Claim(file="8", is_first=False, moved=True))
    assert [entry.note for entry in ledger.history() if entry.kind is EntryKind.JOURNAL] == ["7", "8"]
