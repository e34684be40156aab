"""Checkpoints: a charge reads the same amount however long the ledger is, and everything can still be checked."""

import os
from fractions import Fraction

import pytest

from tacita.errors import LedgerDamagedError, LedgerError
from tacita.privacy.account import Charge
from tacita.privacy.budget import PureDP, Sliding, Step
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger import books as books_module
from tacita.privacy.ledger.entries import Entry, EntryKind
from tacita.privacy.ledger.log import AppendLog
from tacita.privacy.ledger.marks import mark_path
from tacita.privacy.ledger.store import FORMAT, FileStore
from tacita.privacy.questions import select


def spend(ledger, epsilon="0.1", dataset="taps", unit="person"):
    plan = Step(name="only", epsilon=Fraction(epsilon))
    with ledger.open(Charge(dataset=dataset, mechanism="test", plan=plan, unit=unit)) as account:
        select(account, "only", scores=[1])


def filled(path, charges, *, datasets=1):
    """A ledger with many finished charges, committed as one group each hundred, with the checkpoints that single commits make."""
    store = FileStore(path)
    store.create()
    for first in range(0, charges, 10):
        entries = []
        for number in range(first, min(first + 10, charges)):
            common = {"dataset": f"taps {number % datasets}", "at": "now", "charge": f"{number:032x}"}
            entries.append(Entry(kind=EntryKind.CHARGE, mechanism="test", epsilon=Fraction(1, 1000), **common))
            entries.append(Entry(kind=EntryKind.DRAW, step="only", epsilon=Fraction(1, 1000), **common))
            entries.append(Entry(kind=EntryKind.FINISHED, **common))
        store.transact(lambda _, entries=entries: entries)
    return path


@pytest.fixture
def bytes_read(monkeypatch):
    """How many bytes logs read."""
    count = [0]
    pread = os.pread

    def counted(fd, size, offset):
        data = pread(fd, size, offset)
        count[0] += len(data)
        return data

    monkeypatch.setattr("tacita.privacy.ledger.log.os.pread", counted)
    return count


@pytest.mark.parametrize("datasets", [1, 50])
def test_a_charge_reads_the_same_from_a_long_ledger_as_from_a_short_one(tmp_path, bytes_read, datasets):
    most = {}
    for charges in (100, 3000):
        path = filled(tmp_path / f"{charges}.ledger", charges, datasets=datasets)
        found = []
        for _ in range(150):  # over more than one checkpoint
            bytes_read[0] = 0
            Ledger(path).set_cap("taps 0", PureDP(9))
            found.append(bytes_read[0])
        most[charges] = max(found)
    assert most[3000] <= 1.5 * most[100]
    assert most[3000] < 40_000 * (1 + datasets / 25)


def test_a_process_that_goes_on_reads_only_what_others_added(tmp_path, bytes_read):
    ledger = Ledger(filled(tmp_path / "a.ledger", 100))
    ledger.set_cap("taps 0", PureDP(9))
    bytes_read[0] = 0
    ledger.set_cap("taps 0", PureDP(9))
    assert bytes_read[0] < 10_000


def test_checkpoints_say_what_the_whole_history_says(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.set_cap("net", PureDP(100), unit="edge")
    ledger.set_cap("taps", PureDP(100), identity="gates")
    ledger.set_cap("Gates", PureDP(100), identity="GATES")
    for number in range(60):
        spend(Ledger(ledger.path), "0.01", dataset=["taps", "gates", "Taps"][number % 3])
        spend(ledger, "0.1", dataset="net", unit="edge")
    found = ledger.verify()
    assert found.checkpoints >= 5
    assert ledger.balance("gates").epsilon == Fraction(6, 10)
    assert Ledger(ledger.path).balance("net", unit="edge").epsilon == 6
    assert len(ledger.history()) + found.checkpoints == found.entries


def test_a_long_stream_of_one_charge_keeps_its_window_through_checkpoints(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    plan = Sliding(name="stream", epsilon=Fraction(1), ticks=5)
    with ledger.open(Charge(dataset="taps", mechanism="test", plan=plan)) as account:
        for tick in range(100):
            account.slide("stream", tick=tick, plan=Step(name="counts", epsilon=Fraction(1, 5)))
            select(account, "counts", scores=[1])
    with Ledger(ledger.path).resume(account.charge_id) as again:
        assert again.windows["stream"].room(100) == Fraction(1, 5)
    assert ledger.verify().checkpoints >= 2


def test_a_checkpoint_that_lies_is_found_by_a_full_check(tmp_path):
    path = tmp_path / "a.ledger"
    ledger = Ledger.create(path)
    spend(ledger)
    books = ledger._store.books()
    books.spent.clear()
    log = AppendLog(path=path, kind=FORMAT)
    with log.writing() as writer:
        writer.append([{"kind": "checkpoint", "books": books.as_json()}])
    for check in (ledger.history, ledger.verify):
        with pytest.raises(LedgerDamagedError, match="damaged at entry 4: it is not what the entries before it add up to"):
            check()


ODD = [{"kind": "cap", "at": "now", "epsilon": amount} for amount in ("much", "-1", "1e99999999", "1/0", "inf")]


@pytest.mark.parametrize("payload", [{"kind": "gift"}, *ODD, {"kind": "checkpoint"}], ids=str)
def test_an_entry_that_means_nothing_is_damage_with_its_number(tmp_path, payload):
    ledger = Ledger.create(tmp_path / "a.ledger")
    with AppendLog(path=ledger.path, kind=FORMAT).writing() as writer:
        writer.append([payload])
    for use in (ledger.history, lambda: ledger.balance("taps"), lambda: spend(ledger)):
        with pytest.raises(LedgerDamagedError, match="damaged at entry 1"):
            use()


def test_of_charges_left_open_the_latest_are_remembered_and_all_stay_spent(tmp_path, monkeypatch):
    monkeypatch.setattr(books_module, "MOST_OPEN", 5)
    ledger = Ledger.create(tmp_path / "a.ledger")
    plan = Step(name="only", epsilon=Fraction(1))
    with ledger.open(Charge(dataset="taps", mechanism="test", plan=plan)) as account:
        left = [ledger._commit_charge(Charge(dataset="taps", mechanism="killed", plan=plan)) for _ in range(40)]
        with pytest.raises(LedgerError, match="must be drawn under an open charge"):
            select(account, "only", scores=[1])
    assert ledger.balance("taps").epsilon == 41
    assert list(ledger._store.books().open) == left[-5:]
    assert ledger.verify().checkpoints >= 1


def test_an_entry_that_was_noted_down_is_asked_for(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    spend(ledger)
    noted = ledger.mark()
    assert ledger.digest_of(noted.entries) == noted.digest
    older = ledger.path.read_bytes()
    spend(ledger)
    latest = ledger.mark()
    ledger.path.write_bytes(older)
    mark_path(ledger.path).unlink()
    assert ledger.digest_of(noted.entries) == noted.digest
    assert ledger.digest_of(latest.entries) is None


@pytest.mark.parametrize("drawn", [EntryKind.DRAW, EntryKind.TICK, None])
def test_a_charge_under_which_something_was_drawn_is_not_given_back(drawn):
    books = books_module.Books()
    common = {"dataset": "taps", "at": "now", "charge": "a"}
    books.apply(Entry(kind=EntryKind.CHARGE, epsilon=Fraction(1), **common))
    if drawn is not None:
        books.apply(Entry(kind=drawn, step="only", tick=1 if drawn is EntryKind.TICK else None, **common))
    books.apply(Entry(kind=EntryKind.VOID, **common))
    assert books.balance("taps").epsilon == (0 if drawn is None else 1)
