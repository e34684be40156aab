import fcntl
import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tacita.errors import (
    LedgerDamagedError,
    LedgerError,
    LedgerExhaustedError,
    LedgerLockedError,
    ParameterError,
    UnplannedDrawError,
)
from tacita.privacy.account import Charge
from tacita.privacy.budget import ApproxDP, PureDP, Sequential, Step
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.ledger.marks import mark_path
from tacita.privacy.questions import select


def charge(epsilon, *, dataset="taps", delta=0):
    step = Step(name="only", epsilon=Fraction(epsilon), delta=Fraction(delta))
    return Charge(dataset=dataset, mechanism="test", plan=Sequential(name="all", parts=(step,)))


def spend(ledger, epsilon, **rest):
    with ledger.open(charge(epsilon, **rest)) as account:
        select(account, "only", scores=[1, 2])


@pytest.fixture(params=["memory", "file"])
def ledger(request, tmp_path):
    return Ledger() if request.param == "memory" else Ledger.create(tmp_path / "owner.ledger")


def test_spends_add_up_exactly_for_each_data_set(ledger):
    for _ in range(3):
        spend(ledger, "0.1")
    spend(ledger, "5", dataset="other")
    assert ledger.balance("taps").epsilon == Fraction(3, 10)
    assert ledger.balance("other").epsilon == 5
    assert ledger.balance("nobody's").epsilon == 0


def test_a_spend_up_to_the_cap_passes_and_one_past_it_is_refused_and_leaves_no_trace(ledger):
    ledger.set_cap("taps", PureDP("0.3"))
    for _ in range(3):
        spend(ledger, "0.1")
    before = len(ledger.history())
    with pytest.raises(LedgerExhaustedError, match=r"epsilon 0 left of its cap 0\.3, 1/1000000000000000 was asked"):
        spend(ledger, Fraction(1, 10**15))
    assert len(ledger.history()) == before


def test_epsilon_and_delta_are_capped_side_by_side(ledger):
    ledger.set_cap("taps", ApproxDP("2", "1e-6"))
    spend(ledger, 1, delta="1e-6")
    spend(ledger, "0.5")
    with pytest.raises(LedgerExhaustedError, match="delta 0 left"):
        spend(ledger, "0.1", delta="1e-9")
    balance = ledger.balance("taps")
    assert (balance.epsilon, balance.delta) == (Fraction(3, 2), Fraction(1, 10**6))


def test_under_a_cap_of_pure_privacy_no_delta_may_be_spent(ledger):
    ledger.set_cap("taps", PureDP("2"))
    with pytest.raises(LedgerExhaustedError, match="delta 0 left"):
        spend(ledger, 1, delta="1e-9")


def test_the_latest_cap_holds_and_the_history_keeps_both(ledger):
    ledger.set_cap("taps", PureDP("1"))
    ledger.set_cap("taps", PureDP("2"))
    spend(ledger, 2)
    assert [entry.epsilon for entry in ledger.history() if entry.kind is EntryKind.CAP] == [1, 2]


def test_the_charge_is_committed_before_the_first_draw(ledger):
    with ledger.open(charge(1)) as account:
        assert ledger.balance("taps").epsilon == 1
        select(account, "only", scores=[1])
    assert [entry.kind for entry in ledger.history()] == [EntryKind.CHARGE, EntryKind.DRAW, EntryKind.FINISHED]


def test_a_draw_is_committed_before_it_is_made(ledger):
    kinds = []

    class Watcher:
        def take(self, size):
            kinds.append([entry.kind for entry in ledger.history()])
            return bytes(size)

    ledger._source = Watcher()
    spend(ledger, 1)
    assert all(EntryKind.DRAW in seen for seen in kinds)
    assert kinds


def fail_after(ledger, *, draws):
    message = "out of paper"
    with ledger.open(charge(1)) as account:
        if draws:
            select(account, "only", scores=[1])
        raise RuntimeError(message)


def test_a_failure_before_the_first_draw_costs_nothing(ledger):
    with pytest.raises(RuntimeError, match="out of paper"):
        fail_after(ledger, draws=False)
    assert ledger.balance("taps").epsilon == 0


def test_a_failure_after_a_draw_costs_the_whole_charge(ledger):
    with pytest.raises(RuntimeError, match="out of paper"):
        fail_after(ledger, draws=True)
    assert ledger.balance("taps").epsilon == 1


@pytest.mark.parametrize("name", ["", " taps", "ta\nps", "taps "])
def test_a_name_that_could_hide_is_refused(ledger, name):
    with pytest.raises(LedgerError, match="printable"):
        ledger.set_cap(name, PureDP("1"))
    with pytest.raises(LedgerError, match="printable"):
        spend(ledger, 1, dataset=name)


def test_threads_cannot_pass_the_cap_together(ledger):
    ledger.set_cap("taps", PureDP("1"))

    def attempt(_):
        try:
            spend(ledger, "0.1")
        except LedgerExhaustedError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(30))) == 10
    assert ledger.balance("taps").epsilon == 1


def _attempt_in_process(path):
    try:
        spend(Ledger.create(path, exist_ok=True), "0.1")
    except LedgerExhaustedError:
        return 0
    return 1


def _attempts_by_processes(paths):
    """How many of the attempts were allowed; workers end by themselves, since one that has just begun may not hear a signal."""
    pool = multiprocessing.get_context("fork").Pool(4)
    allowed = sum(pool.map(_attempt_in_process, paths))
    pool.close()
    pool.join()
    return allowed


def test_processes_cannot_pass_the_cap_together_even_when_they_make_the_file(tmp_path):
    path = tmp_path / "shared.ledger"
    _attempts_by_processes([path] * 8)
    Ledger(path).set_cap("taps", PureDP("1.2"))
    assert _attempts_by_processes([path] * 20) == 4
    assert Ledger(path).balance("taps").epsilon == Fraction(12, 10)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["shared.ledger", "shared.ledger.mark"]


def test_a_ledger_that_does_not_exist_is_refused_and_not_made(tmp_path):
    with pytest.raises(LedgerError, match="does not exist; is it the right name"):
        Ledger(tmp_path / "mistyped.ledger")
    assert not list(tmp_path.iterdir())


def test_a_new_ledger_is_made_on_demand_and_never_over_another_file(tmp_path):
    ledger = Ledger.create(tmp_path / "new.ledger")
    assert ledger.history() == []
    ledger.set_cap("taps", PureDP("1"))
    with pytest.raises(LedgerError, match="it exists"):
        Ledger.create(tmp_path / "new.ledger")
    assert len(Ledger.create(tmp_path / "new.ledger", exist_ok=True).history()) == 1


def test_a_ledger_that_was_deleted_is_not_made_anew_while_its_mark_is_there(tmp_path):
    path = made(tmp_path)
    path.unlink()
    with pytest.raises(LedgerError, match=r"was deleted or moved: its mark .* is still there"):
        Ledger.create(path, exist_ok=True)


def test_a_folder_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / "nowhere" / "a.ledger")


def made(tmp_path):
    path = tmp_path / "owner.ledger"
    spend(Ledger.create(path), 1)
    return path


def test_a_file_that_is_no_ledger_is_damaged(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\n" * 100, encoding="utf-8")
    for use in (Ledger(path).history, lambda: spend(Ledger(path), 1)):
        with pytest.raises(LedgerDamagedError, match="restore it from a copy"):
            use()


def test_a_ledger_that_was_emptied_is_damaged_and_not_a_new_one(tmp_path):
    path = made(tmp_path)
    path.write_bytes(b"")
    with pytest.raises(LedgerDamagedError, match="not a Tacita ledger, or was emptied"):
        spend(Ledger(path), 1)


def test_a_file_of_another_program_is_no_ledger(tmp_path):
    path = tmp_path / "other.ledger"
    path.write_bytes(b"SQLite format 3\0" + bytes(4096))
    with pytest.raises(LedgerDamagedError, match="is not a Tacita ledger"):
        Ledger(path).history()


def test_a_ledger_of_another_format_is_refused(tmp_path):
    path = made(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"tacita-ledger-1", b"tacita-ledger-9"))
    with pytest.raises(LedgerError, match="format 'tacita-ledger-9'"):
        Ledger(path).history()


@contextmanager
def locked(path):
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
        fcntl.flock(file, fcntl.LOCK_UN)


def test_a_locked_ledger_is_told_after_waiting(tmp_path):
    path = made(tmp_path)
    with locked(path), pytest.raises(LedgerLockedError, match="locked by another process"):
        spend(Ledger(path, wait_seconds=0.05), 1)
    spend(Ledger(path), 1)


@pytest.mark.parametrize(
    "make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/null")], ids=["folder", "pipe", "device"]
)
def test_a_path_that_is_no_regular_file_is_refused_and_not_waited_for(tmp_path, make):
    path = tmp_path / "odd.ledger"
    make(path)
    for use in (Ledger, lambda path: Ledger.create(path, exist_ok=True)):
        with pytest.raises(LedgerError, match="cannot be used: it is not a regular file"):
            use(path)


def test_a_step_is_drawn_once_even_by_two_processes_that_share_an_account(tmp_path):
    ledger = Ledger.create(tmp_path / "owner.ledger")
    with ledger.open(charge(1)) as account:
        child = os.fork()
        try:
            select(account, "only", scores=[1, 2])
            drawn = 1
        except UnplannedDrawError:
            drawn = 0
        if child == 0:
            os._exit(drawn)
        _, status = os.waitpid(child, 0)
    assert drawn + os.waitstatus_to_exitcode(status) == 1
    assert sum(entry.kind is EntryKind.DRAW for entry in ledger.history()) == 1


@pytest.mark.parametrize("keep_mark", [True, False])
def test_a_ledger_that_was_replaced_by_an_older_copy_lets_no_open_charge_draw(tmp_path, keep_mark):
    path = tmp_path / "owner.ledger"
    ledger = Ledger.create(path)
    ledger.set_cap("taps", PureDP("5"))
    older = path.read_bytes()
    with ledger.open(charge(1)) as account:
        path.write_bytes(older)
        if not keep_mark:
            mark_path(path).unlink()
        with pytest.raises(LedgerError, match="cut or replaced by an older copy" if keep_mark else "was the file replaced"):
            select(account, "only", scores=[1, 2])


def test_a_release_is_not_lost_because_its_end_cannot_be_written_down(tmp_path):
    path = tmp_path / "owner.ledger"
    Ledger.create(path).set_cap("taps", PureDP("5"))
    ledger = Ledger(path, wait_seconds=0.05)
    with ExitStack() as stack, ledger.open(charge(1)) as account:
        select(account, "only", scores=[1, 2])
        stack.enter_context(locked(path))
    assert ledger.balance("taps").epsilon == 1


@pytest.mark.parametrize("name", ["donne\u0301es", "DONNÉES", "d\u043ennées", "\uff44onnées", "donnée\ufe00s"])
def test_a_cap_holds_for_every_spelling_of_a_name(ledger, name):
    ledger.set_cap("données", PureDP("1"))
    spend(ledger, "0.6", dataset=name)
    with pytest.raises(LedgerExhaustedError, match=r"0\.4 left of its cap 1"):
        spend(ledger, "0.6", dataset="données")
    assert ledger.balance(name) == replace(ledger.balance("données"), dataset=name)


def test_a_name_that_looks_like_two_data_sets_is_refused(ledger):
    spend(ledger, 1, dataset="\u03bda")  # a small Greek nu
    spend(ledger, 1, dataset="na")
    assert ledger.balance("va").epsilon == 1
    with pytest.raises(LedgerError, match="may mean 'na' or '\u03bda', which look alike"):
        spend(ledger, 1, dataset="\u039da")  # its capital looks like an N


def test_where_there_are_caps_a_name_without_one_is_refused_unless_told(ledger):
    spend(ledger, 1, dataset="early")
    ledger.set_cap("taps", PureDP("1"))
    before = len(ledger.history())
    with pytest.raises(LedgerExhaustedError, match="'taps-copy' has no cap in a ledger that holds caps for others"):
        spend(ledger, 1, dataset="taps-copy")
    assert len(ledger.history()) == before
    ledger._new_datasets = True
    spend(ledger, 1, dataset="taps-copy")
    with pytest.raises(LedgerExhaustedError, match="1 left of its cap 1"):
        spend(ledger, 2, dataset="taps")


def test_data_sets_of_one_declared_identity_share_one_cap(ledger):
    spend(ledger, "0.5", dataset="gates")
    ledger.set_cap("taps", PureDP("2"), identity="Ticket gates of Lyon, 2024")
    ledger.set_cap("gates", PureDP("1"), identity="ticket gates of lyon,  2024")
    spend(ledger, "0.5", dataset="taps")
    with pytest.raises(LedgerExhaustedError, match="epsilon 0 left of its cap 1"):
        spend(ledger, "0.1", dataset="gates")
    assert ledger.balance("taps").datasets == ("gates", "taps")
    with pytest.raises(LedgerError, match="was declared to be 'Ticket gates of Lyon, 2024'"):
        ledger.set_cap("taps", PureDP("2"), identity="something else")


def test_a_cap_from_before_an_identity_was_declared_still_holds(ledger):
    ledger.set_cap("net", PureDP("1"), unit="edge")
    ledger.set_cap("net", PureDP("3"), identity="friends of friends")
    assert ledger.balance("net", unit="edge").cap_epsilon == 1
    assert ledger.balance("net").cap_epsilon == 3


def test_spends_add_up_per_unit(ledger):
    step = Step(name="only", epsilon=Fraction(1))
    for together in (10, 5):
        one = Charge(dataset="net", mechanism="test", plan=step, unit="edge", units_together=together)
        with ledger.open(one) as account:
            select(account, "only", scores=[1])
    spend(ledger, 2, dataset="net")
    assert ledger.balance("net", unit="edge").epsilon == Fraction(3, 10)
    assert ledger.balance("net").epsilon == 2
    assert {(balance.unit, balance.epsilon) for balance in ledger.balances()} == {("edge", Fraction(3, 10)), ("person", 2)}


def test_a_cap_in_one_unit_does_not_allow_spends_in_another(ledger):
    ledger.set_cap("net", PureDP("1"))
    one = Charge(dataset="net", mechanism="test", plan=Step(name="only", epsilon=Fraction(1)), unit="edge")
    with pytest.raises(LedgerExhaustedError, match="has no cap per edge"), ledger.open(one):
        pass


def test_a_delta_for_several_units_together_is_refused():
    plan = Step(name="only", epsilon=Fraction(1), delta=Fraction(1, 10**6))
    with pytest.raises(ParameterError, match="not with a delta"):
        Charge(dataset="net", mechanism="test", plan=plan, unit="edge", units_together=2)


def test_a_verified_publication_is_noted_and_costs_nothing(ledger):
    ledger.set_cap("taps", PureDP("1"))
    ledger.note_verified("taps", "suppression", guarantee="nobody is known by 2 places")
    assert ledger.history()[-1].kind is EntryKind.VERIFIED
    assert ledger.history()[-1].note == "nobody is known by 2 places"
    assert ledger.balance("taps").epsilon == 0


def test_a_cap_of_numbers_that_overflow_elsewhere_holds():
    ledger = Ledger()
    ledger.set_cap("taps", PureDP(Fraction(np.int64(10**10 + 1), np.int64(10**10))))
    with pytest.raises(LedgerExhaustedError):
        spend(ledger, "1.5")


def test_a_notebook_shows_the_balances(ledger):
    ledger.set_cap("<taps>", PureDP(3))
    spend(ledger, "0.5", dataset="<taps>")
    shown = ledger._repr_html_()
    assert "<td>&lt;taps&gt;</td><td>person</td><td>epsilon 0.5</td><td>epsilon = 3</td>" in shown
    assert repr(ledger).startswith("Ledger(")
