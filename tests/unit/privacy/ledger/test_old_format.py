"""Ledgers of format 1, SQLite files as earlier versions made them: they count, and are moved without losing a spend."""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from fractions import Fraction

import pytest

from tacita.cli import main
from tacita.errors import LedgerDamagedError, LedgerError, LedgerExhaustedError, LedgerLockedError
from tacita.privacy.account import Charge
from tacita.privacy.budget import PureDP, Step
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.questions import select

SCHEMA = """
CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    kind TEXT NOT NULL, dataset TEXT NOT NULL, at TEXT NOT NULL, charge TEXT NOT NULL, mechanism TEXT NOT NULL,
    step TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, digest TEXT NOT NULL
) STRICT
"""
ROWS = [
    ("cap", "taps", "2025-01-01T00:00:00+00:00", "", "", "", "3", "0"),
    ("charge", "taps", "2025-01-02T00:00:00+00:00", "aa", "prefix-tree", "", "1/3", "0"),
    ("draw", "taps", "2025-01-02T00:00:00+00:00", "aa", "", "level 1", "1/3", "0"),
    ("finished", "taps", "2025-01-02T00:00:00+00:00", "aa", "", "", "0", "0"),
    ("charge", "Taps", "2025-01-03T00:00:00+00:00", "bb", "prefix-tree", "", "1/2", "0"),
    ("void", "Taps", "2025-01-03T00:00:00+00:00", "bb", "", "", "0", "0"),
    ("charge", "Taps", "2025-01-04T00:00:00+00:00", "cc", "prefix-tree", "", "1", "0"),
]


def add(connection, row):
    last = connection.execute("SELECT digest FROM entries ORDER BY place DESC LIMIT 1").fetchone()
    text = json.dumps([last[0] if last else "", *row])
    digest = hashlib.sha256(text.encode()).hexdigest()
    columns = "kind, dataset, at, charge, mechanism, step, epsilon, delta, digest"
    connection.execute(f"INSERT INTO entries ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [*row, digest])


def connect(path):
    return closing(sqlite3.connect(path, isolation_level=None))


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.ledger"
    with connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {0x54414349}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute(SCHEMA)
        for row in ROWS:
            add(connection, row)
    return path


def spend(ledger, epsilon):
    plan = Step(name="only", epsilon=Fraction(epsilon))
    with ledger.open(Charge(dataset="taps", mechanism="test", plan=plan)) as account:
        select(account, "only", scores=[1])


def test_its_history_and_balances_count_and_other_spellings_are_one_data_set(old):
    ledger = Ledger(old)
    assert [entry.kind for entry in ledger.history()] == [row[0] for row in ROWS]
    assert ledger.balance("taps").epsilon == Fraction(4, 3)
    assert ledger.balance("TAPS").cap_epsilon == 3
    assert ledger.verify().entries == len(ROWS)


def test_nothing_is_added_to_it_and_the_way_out_is_told(old):
    before = old.read_bytes()
    with pytest.raises(LedgerError, match=r"format 1, which can be read only; take it over by `tacita ledger move"):
        spend(Ledger(old), 1)
    with pytest.raises(LedgerExhaustedError, match="5/3 left"):
        spend(Ledger(old), 2)
    assert old.read_bytes() == before


def test_it_is_moved_with_all_that_was_spent(old, tmp_path):
    new = Ledger.move_old(old, tmp_path / "new.ledger")
    assert [entry.kind for entry in new.history()] == ["moved", *(row[0] for row in ROWS)]
    assert new.balance("taps").epsilon == Fraction(4, 3)
    spend(new, "5/3")
    with pytest.raises(LedgerExhaustedError):
        spend(new, "0.1")
    assert new.verify().entries == len(ROWS) + 4


def test_the_whole_history_is_bound_to_the_last_digest_of_the_old_file(old, tmp_path, monkeypatch):
    read = "tacita.privacy.ledger.old_format.OldFile.read"
    entries = Ledger(old).history()
    monkeypatch.setattr(read, lambda _: [*entries[:1], *entries[4:]])
    monkeypatch.setattr("tacita.privacy.ledger.old_format.OldFile._note_move", lambda *_: "id")
    with pytest.raises(LedgerDamagedError, match="damaged at entry 1"):
        Ledger.move_old(old, tmp_path / "new.ledger").verify()


def test_no_version_of_the_product_spends_from_the_old_file_afterwards(old, tmp_path):
    Ledger.move_old(old, tmp_path / "new.ledger")
    with connect(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,), "earlier versions read format 1 only"
    for use in (Ledger(old).history, lambda: Ledger(old).balance("taps"), lambda: spend(Ledger(old), 1)):
        with pytest.raises(LedgerError, match=r"was moved to .*new\.ledger'; use that one"):
            use()
    for place in ("new.ledger", "second.ledger"):
        with pytest.raises(LedgerError, match=r"it exists|was moved to"):
            Ledger.move_old(old, tmp_path / place)


def test_a_move_that_was_killed_half_way_is_finished_by_the_next_one_to_the_same_place_only(old, tmp_path, monkeypatch):
    def killed(*_args, **_rest):
        raise KeyboardInterrupt

    monkeypatch.setattr("tacita.privacy.ledger.store.FileStore.create", killed)
    with pytest.raises(KeyboardInterrupt):
        Ledger.move_old(old, tmp_path / "new.ledger")
    monkeypatch.undo()
    with pytest.raises(LedgerError, match="was moved to"):
        Ledger.move_old(old, tmp_path / "other.ledger")
    assert Ledger.move_old(old, tmp_path / "new.ledger").balance("taps").epsilon == Fraction(4, 3)


def test_an_old_ledger_in_use_is_not_moved(old, tmp_path):
    with connect(old) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerLockedError):
            Ledger.move_old(old, tmp_path / "new.ledger", wait_seconds=0.05)
        connection.execute("ROLLBACK")
    assert not (tmp_path / "new.ledger").exists()
    assert Ledger(old).balance("taps").epsilon == Fraction(4, 3)


def test_an_old_ledger_with_another_name_is_not_moved(old, tmp_path):
    (tmp_path / "alias.ledger").hardlink_to(old)
    with pytest.raises(LedgerError, match="other names"):
        Ledger.move_old(old, tmp_path / "new.ledger")


CRASH = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
for number in range(2000):
    columns = "kind, dataset, at, charge, mechanism, step, epsilon, delta, digest"
    connection.execute(f"INSERT INTO entries SELECT NULL, {columns} FROM entries LIMIT 1")
os._exit(9)
"""


def test_a_journal_beside_another_name_does_not_undo_what_was_committed_through_the_first(old, tmp_path):
    """The flaw of format 1: a journal of a killed run, left beside an alias, would roll all later spends back."""
    alias = tmp_path / "alias.ledger"
    alias.hardlink_to(old)
    journal = tmp_path / "alias.ledger-journal"
    with connect(alias) as connection:  # a run that is killed after it wrote its pages, before it removed its journal
        connection.execute("BEGIN IMMEDIATE")
        add(connection, ("charge", "taps", "2025-01-05T00:00:00+00:00", "dd", "prefix-tree", "", "1/3", "0"))
        (tmp_path / "kept").hardlink_to(journal)
        connection.execute("COMMIT")
    with connect(old) as connection:
        add(connection, ("charge", "taps", "2025-01-06T00:00:00+00:00", "ee", "prefix-tree", "", "1", "0"))
    (tmp_path / "kept").rename(journal)
    (tmp_path / "control").mkdir()
    for file in (alias, journal):
        shutil.copyfile(file, tmp_path / "control" / file.name)
    with connect(tmp_path / "control" / "alias.ledger") as connection:
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (len(ROWS),), "SQLite forgets both charges"
    assert Ledger(alias).balance("taps").epsilon == Fraction(8, 3)
    old.unlink()
    assert Ledger.move_old(alias, tmp_path / "new.ledger").balance("taps").epsilon == Fraction(8, 3)


def test_an_old_file_that_a_killed_run_left_broken_is_rolled_back(old):
    before = Ledger(old).history()
    done = subprocess.run([sys.executable, "-c", CRASH, old], check=False)
    assert done.returncode == 9
    assert old.with_name("old.ledger-journal").exists()
    assert Ledger(old).history() == before


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE entries SET epsilon = '1/2' WHERE kind = 'charge'",
        "UPDATE entries SET epsilon = 'much' WHERE kind = 'charge'",
        "DELETE FROM entries WHERE kind = 'charge'",
        "UPDATE entries SET kind = 'gift' WHERE kind = 'charge'",
        "UPDATE entries SET place = 100 - place",
    ],
)
def test_an_entry_that_was_changed_or_lost_is_noticed(old, tampering, tmp_path):
    with connect(old) as connection:
        connection.execute(tampering)
    for use in (Ledger(old).history, lambda: spend(Ledger(old), 1), lambda: Ledger.move_old(old, tmp_path / "new.ledger")):
        with pytest.raises(LedgerDamagedError, match=r"damaged at entry \d"):
            use()


def test_another_programs_database_is_refused(tmp_path):
    path = tmp_path / "other.db"
    with connect(path) as connection:
        connection.execute("CREATE TABLE entries (a)")
    with pytest.raises(LedgerDamagedError, match="not a Tacita ledger"):
        Ledger(path).history()


@pytest.mark.usefixtures("old")
def test_the_command_moves_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["ledger", "move", "old.ledger", "metro.ledger"]) == 0
    assert "7 entries were moved to 'metro.ledger'" in capsys.readouterr().out
    assert main(["ledger", "show", "metro.ledger"]) == 0
    assert "taps: epsilon 4/3 spent of epsilon 3" in capsys.readouterr().out
    assert main(["ledger", "show", "old.ledger"]) == 1


def test_a_copy_of_the_moved_file_is_an_ordinary_ledger(old, tmp_path):
    new = Ledger.move_old(old, tmp_path / "new.ledger")
    new.set_cap("taps", PureDP("9"))
    shutil.copyfile(tmp_path / "new.ledger", tmp_path / "copy.ledger")
    assert Ledger(tmp_path / "copy.ledger").history()[0].kind is EntryKind.MOVED
    assert Ledger(tmp_path / "copy.ledger").verify() == new.verify()
