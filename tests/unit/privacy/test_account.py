import os
from fractions import Fraction

import numpy as np
import pytest

from tacita.errors import ParameterError, UnplannedDrawError
from tacita.privacy.account import Charge, Window
from tacita.privacy.budget import Sequential, Sliding, Step
from tacita.privacy.paths import Blocks, Terms
from tacita.privacy.questions import noisy_cells, select
from tacita.testing import seeded_ledger

PLAN = Sequential(
    name="all",
    parts=(Step(name="first", epsilon=Fraction(1, 2), note="half"), Step(name="second", epsilon=Fraction(1, 2))),
)


def integers(*values):
    return np.array(values, dtype=np.int64)


@pytest.fixture
def account():
    with seeded_ledger(0).open(Charge(dataset="d", mechanism="m", plan=PLAN)) as opened:
        yield opened


def cells(account, step="first", **changes):
    asked = {"keys": integers(1, 3), "counts": integers(50, 60), "domain": 5, "threshold": 20} | changes
    return noisy_cells(account, step, **asked)


def test_a_draw_costs_what_the_plan_says_and_is_written_down(account):
    cells(account, sensitivity=3)
    (draw,) = account.draws
    assert (draw.step, draw.epsilon, draw.note) == ("first", Fraction(1, 2), "half")
    assert draw.noise == "discrete Laplace, scale 6, kept if the noisy count is at least 20"


def test_a_draw_that_is_not_planned_is_refused(account):
    with pytest.raises(UnplannedDrawError, match="no step 'third'"):
        cells(account, "third")
    assert not account.draws


def test_a_step_is_drawn_once(account):
    cells(account)
    with pytest.raises(UnplannedDrawError, match="'first' of m has already been drawn"):
        cells(account)
    with pytest.raises(UnplannedDrawError, match="already been drawn"):
        select(account, "first", scores=[1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": integers(3, 1)}, "increase strictly"),
        ({"keys": integers(1, 1)}, "increase strictly"),
        ({"keys": integers(1, 5)}, "within the domain"),
        ({"keys": integers(-1, 3)}, "within the domain"),
        ({"counts": integers(1)}, "of the same length"),
        ({"counts": np.array([1.0, 2.0])}, "64-bit integers"),
        ({"threshold": 0}, "at least 1, got 0"),
        ({"domain": 2**62}, "fewer than 2\\*\\*62"),
        ({"domain": -1}, "fewer than 2\\*\\*62"),
    ],
)
def test_cells_that_would_change_the_law_are_refused_before_they_cost_anything(account, changes, message):
    with pytest.raises(ParameterError, match=message):
        cells(account, **changes)
    assert not account.draws


def test_kept_cells_come_in_the_order_of_their_keys_whether_true_or_false(account):
    kept = noisy_cells(account, "first", keys=integers(500), counts=integers(100), domain=1000, threshold=2)
    assert kept.keys.size > 100
    assert np.all(np.diff(kept.keys) > 0)
    assert 500 in kept.keys
    assert kept.values.min() >= 2


def test_cells_below_the_threshold_are_not_kept(account):
    kept = noisy_cells(account, "first", keys=integers(0, 1), counts=integers(1, 1000), domain=2, threshold=500)
    assert kept.keys.tolist() == [1]


@pytest.mark.parametrize("sensitivity", [0, -1, Fraction(1, 2), 1.0, True])
def test_a_sensitivity_of_counts_that_is_no_positive_whole_number_is_refused(account, sensitivity):
    with pytest.raises(ParameterError, match="sensitivity of counts"):
        cells(account, sensitivity=sensitivity)
    assert not account.draws


@pytest.mark.parametrize(
    ("scores", "sensitivity"), [([1.5, 2], 1), ([], 1), ([1, 2], 0), ([1, 2], -1), ([1, 2], 0.5), (["1"], 1)]
)
def test_a_selection_that_is_not_exact_is_refused_before_it_costs_anything(account, scores, sensitivity):
    with pytest.raises(ParameterError, match=r"scores must be|a selection needs"):
        select(account, "first", scores=scores, sensitivity=sensitivity)
    assert not account.draws


def test_scores_from_numpy_are_drawn_like_any_others():
    chosen = set()
    for seed in range(40):
        with seeded_ledger(seed).open(Charge(dataset="d", mechanism="m", plan=PLAN)) as account:
            chosen.add(select(account, "first", scores=list(np.array([5, 6]))))
    assert chosen == {0, 1}


def test_a_closed_account_draws_no_more():
    with seeded_ledger(0).open(Charge(dataset="d", mechanism="m", plan=PLAN)) as account:
        cells(account)
    with pytest.raises(UnplannedDrawError, match="is closed"):
        cells(account, "second")


def parts(*epsilons):
    steps = tuple(Step(name=f"part {place}", epsilon=Fraction(epsilon)) for place, epsilon in enumerate(epsilons))
    return Sequential(name="parts", parts=steps)


def test_a_step_whose_parts_are_known_later_is_drawn_by_its_parts(account):
    account.unfold("second", parts("1/4", "1/8"))
    cells(account, "part 0")
    cells(account, "part 1")
    assert [(draw.step, draw.epsilon) for draw in account.draws] == [("part 0", Fraction(1, 4)), ("part 1", Fraction(1, 8))]
    with pytest.raises(UnplannedDrawError, match="already been drawn"):
        cells(account, "second")


def test_what_is_left_of_parts_and_spent_further_is_one_list_in_the_plan(account):
    """However often it is spent further; what another plan of the same name holds stays apart."""
    left, whole = "second", Fraction(1, 2)
    for turn in range(400):
        each = Step(name=f"turn {turn}", epsilon=whole / 1000)
        rest = Step(name=f"left {turn}", epsilon=whole - (turn + 1) * whole / 1000)
        account.unfold(left, Sequential(name="turns", parts=(each, rest)))
        left = rest.name
    (turns,) = (part for part in account.plan.parts if part.name == "turns")
    assert [part.name for part in turns.parts] == [*(f"turn {turn}" for turn in range(400)), "left 399"]
    assert turns.epsilon == whole
    cells(account, "turn 399")
    with pytest.raises(UnplannedDrawError, match="already been drawn"):
        cells(account, "left 7")
    account.unfold("first", Sequential(name=account.charge.plan.name, parts=(Step(name="inner", epsilon=Fraction(1, 8)),)))
    assert [part.name for part in account.plan.parts] == [account.charge.plan.name, "turns"]


def test_parts_that_cost_more_than_was_set_aside_are_refused(account):
    with pytest.raises(
        UnplannedDrawError, match=r"set aside for step 'second' is epsilon 0\.5, and its parts would cost epsilon 0\.6"
    ):
        account.unfold("second", parts("1/2", "1/10"))
    cells(account, "second")


def test_a_step_is_unfolded_once_and_not_after_it_was_drawn(account):
    account.unfold("second", parts("1/2"))
    with pytest.raises(UnplannedDrawError, match="already been drawn"):
        account.unfold("second", parts("1/2"))
    cells(account, "first")
    with pytest.raises(UnplannedDrawError, match="already been drawn"):
        account.unfold("first", parts("1/2"))


def test_parts_must_not_pass_for_another_step(account):
    with pytest.raises(UnplannedDrawError, match="unique names"):
        account.unfold("second", Sequential(name="parts", parts=(Step(name="first", epsilon=Fraction(1, 2)),)))


def test_a_closed_account_unfolds_nothing(account):
    account.closed = True
    with pytest.raises(UnplannedDrawError, match="is closed"):
        account.unfold("second", parts("1/2"))


def test_a_copy_of_the_process_draws_nothing(account, monkeypatch):
    """A fork has a copy of the account; what it drew under the same charge would be a second answer for the price of one."""
    paths = account.paths("second")
    own = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: own + 1)
    with pytest.raises(UnplannedDrawError, match="by the process that opened the account"):
        cells(account)
    one = integers(0)
    blocks = Blocks(nodes=one, sizes=one + 1, terms=one, table=(Terms(epsilon=Fraction(1, 4), threshold=None),))
    with pytest.raises(UnplannedDrawError, match="by the process that opened the account"):
        paths.ask(blocks, places=one[:0], cells=one[:0], counts=one[:0])
    monkeypatch.undo()
    assert cells(account).keys.size == 2


def windowed(ticks, *, epsilon=1):
    return Window(Sliding(name="counts", epsilon=Fraction(epsilon), ticks=ticks, common=True))


@pytest.mark.parametrize("ticks", [1, 2, 3, 7])
def test_a_window_holds_a_spend_until_exactly_as_many_time_steps_have_passed(ticks):
    window = windowed(ticks)
    window.note(5, Fraction(1))
    assert [window.room(5 + further) for further in range(1, ticks)] == [0] * (ticks - 1)
    assert window.room(5 + ticks) == 1


def test_a_time_step_that_was_paid_has_no_room_for_a_second_payment():
    window = windowed(3)
    window.note(5, Fraction(1, 4))
    assert window.room(5) == window.room(4) == 0
    assert window.room(6) == Fraction(3, 4)
