import multiprocessing
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction

import numpy as np
import pytest

from tacita.errors import LedgerDamagedError, LedgerError, LedgerExhaustedError, LedgerLockedError, UnplannedDrawError
from tacita.privacy.account import Charge
from tacita.privacy.budget import ApproxDP, PureDP, Sequential, Step
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger_log import EntryKind
from tacita.privacy.questions import select


def charge(epsilon, *, dataset="taps", delta=0):
    step = Step(name="only", epsilon=Fraction(epsilon), delta=Fraction(delta))
    return Charge(dataset=dataset, mechanism="test", plan=Sequential(name="all", parts=(step,)))


def spend(ledger, epsilon, **rest):
    with ledger.open(charge(epsilon, **rest)) as account:
        select(account, "only", scores=[1, 2])


@pytest.fixture(params=["memory", "file"])
def ledger(request, tmp_path):
    return Ledger() if request.param == "memory" else Ledger(tmp_path / "owner.ledger")


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
        spend(Ledger(path), "0.1")
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
    assert [file.name for file in tmp_path.iterdir()] == ["shared.ledger"]


def test_a_ledger_that_does_not_exist_cannot_be_shown_but_is_made_by_the_first_write(tmp_path):
    ledger = Ledger(tmp_path / "new.ledger")
    with pytest.raises(LedgerError, match="does not exist"):
        ledger.history()
    ledger.set_cap("taps", PureDP("1"))
    assert len(ledger.history()) == 1


def test_a_folder_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger(tmp_path / "nowhere" / "a.ledger").set_cap("taps", PureDP("1"))


def made(tmp_path):
    path = tmp_path / "owner.ledger"
    spend(Ledger(path), 1)
    return path


def test_a_file_that_is_no_database_is_damaged(tmp_path):
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


def test_a_ledger_that_was_cut_short_is_damaged(tmp_path):
    path = made(tmp_path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(LedgerDamagedError, match="damaged"):
        Ledger(path).history()


def test_another_programs_database_is_refused(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE entries (a)")
    with pytest.raises(LedgerDamagedError, match="not a Tacita ledger"):
        spend(Ledger(path), 1)


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE entries SET epsilon = '1/2' WHERE kind = 'charge'",
        "UPDATE entries SET epsilon = 'much' WHERE kind = 'charge'",
        "DELETE FROM entries WHERE kind = 'charge'",
        "UPDATE entries SET kind = 'gift' WHERE kind = 'charge'",
        "UPDATE entries SET place = 10 - place",
    ],
)
def test_an_entry_that_was_changed_or_lost_is_noticed(tmp_path, tampering):
    path = made(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(tampering)
    for use in (Ledger(path).history, lambda: spend(Ledger(path), 1)):
        with pytest.raises(LedgerDamagedError, match="damaged"):
            use()


def test_a_ledger_of_another_format_is_refused(tmp_path):
    path = made(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match="format 99"):
        Ledger(path).history()


def test_a_locked_ledger_is_told_after_waiting(tmp_path):
    path = made(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerLockedError, match="locked by another process"):
            spend(Ledger(path, wait_seconds=0.05), 1)
    spend(Ledger(path), 1)


def test_a_path_that_is_a_folder_is_refused(tmp_path):
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger(tmp_path).history()


def test_a_step_is_drawn_once_even_by_two_processes_that_share_an_account(tmp_path):
    ledger = Ledger(tmp_path / "owner.ledger")
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


def test_a_ledger_that_was_replaced_by_an_older_copy_lets_no_open_charge_draw(tmp_path):
    path = tmp_path / "owner.ledger"
    ledger = Ledger(path)
    ledger.set_cap("taps", PureDP("5"))
    older = path.read_bytes()
    with ledger.open(charge(1)) as account:
        path.write_bytes(older)
        with pytest.raises(LedgerError, match="was the file replaced"):
            select(account, "only", scores=[1, 2])


def test_a_release_is_not_lost_because_its_end_cannot_be_written_down(tmp_path):
    path = tmp_path / "owner.ledger"
    ledger = Ledger(path, wait_seconds=0.05)
    ledger.set_cap("taps", PureDP("5"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with ledger.open(charge(1)) as account:
            select(account, "only", scores=[1, 2])
            connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    assert ledger.balance("taps").epsilon == 1


def test_a_cap_of_numbers_that_overflow_elsewhere_holds():
    ledger = Ledger()
    ledger.set_cap("taps", PureDP(Fraction(np.int64(10**10 + 1), np.int64(10**10))))
    with pytest.raises(LedgerExhaustedError):
        spend(ledger, "1.5")
