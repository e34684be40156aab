"""A dry run shows what would be done, and does none of it."""

import ctypes
import json
import os
import sys
from contextlib import contextmanager, suppress

import pytest

from commands import publish, run_command, set_cap
from mechanisms import CASES
from tacita.cli import main
from tacita.kinds import kind_of, load, methods
from tacita.privacy.account import Rehearsal
from tacita.privacy.publishing import Mechanism, VerifiedMethod

IN_OPEN = 0x20


@contextmanager
def opened(path):
    """Tells, when the work is done, whether anybody opened the file, by asking the kernel; Polars opens files past Python."""
    if sys.platform != "linux":
        pytest.skip("only Linux tells by inotify who opens a file")
    libc = ctypes.CDLL(None, use_errno=True)
    watcher = libc.inotify_init1(os.O_NONBLOCK)
    assert libc.inotify_add_watch(watcher, os.fsencode(path), IN_OPEN) > 0
    found = []
    yield found
    with suppress(BlockingIOError):
        found.append(os.read(watcher, 4096))
    os.close(watcher)


def test_a_dry_run_shows_guarantee_plan_balance_folder_and_format(files, capsys):
    ledger = str(files / "owner.ledger")
    set_cap(ledger, "--dataset", "taps", "--epsilon", "5")
    assert publish(files, "--ledger", ledger, "--dry-run", "--format", "csv") == 0
    text = capsys.readouterr().out
    for part in (
        "The release would satisfy 4-differential privacy for adding or removing one person's sequence.",
        "level 2: epsilon 2",
        f"{files / 'out'}, as csv",
        "epsilon 4 on 'taps'; epsilon 0 spent of epsilon 5; it would be allowed",
        "taps.parquet, not opened",
    ):
        assert part in text


def test_a_dry_run_spends_and_writes_nothing(files, capsys):
    before = sorted(files.iterdir())
    assert publish(files, "--ledger", str(files / "owner.ledger"), "--dry-run") == 0
    assert sorted(files.iterdir()) == before
    assert "no cap is set" in capsys.readouterr().out


def test_the_input_is_never_opened_by_a_dry_run_but_by_the_real_run(files):
    with opened(files / "taps.parquet") as dry:
        assert publish(files, "--dry-run") == 0
    with opened(files / "taps.parquet") as real:
        assert publish(files) == 0
    assert not dry
    assert real


def test_the_input_of_a_dry_run_need_not_exist(files):
    assert publish(files, "--dry-run", name="nowhere.csv") == 0


def test_a_dry_run_says_what_the_real_run_then_does(files, capsys):
    assert publish(files, "--dry-run", "--json") == 0
    intent = json.loads(capsys.readouterr().out)
    assert publish(files) == 0
    manifest = json.loads((files / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert intent["guarantee"] == manifest["guarantee"]
    assert intent["explanation"]["plan"] == manifest["budget"]["plan"]
    assert (files / "out" / f"sequences.{intent['format']}").exists()
    ledger = str(files / "owner.ledger")
    assert publish(files, "--ledger", ledger, out="second") == 0
    capsys.readouterr()
    main(["ledger", "show", ledger, "--json"])
    (balance,) = json.loads(capsys.readouterr().out)["balances"]
    assert balance["dataset"] == intent["balance"]["dataset"]


def test_a_spend_that_the_cap_would_refuse_is_shown_and_refused(files, capsys):
    ledger = str(files / "owner.ledger")
    set_cap(ledger, "--dataset", "taps", "--epsilon", "3")
    capsys.readouterr()
    assert publish(files, "--ledger", ledger, "--dry-run", "--json") == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["allowed"] is False
    assert publish(files, "--ledger", ledger) == 1
    assert capsys.readouterr().err == printed.err
    assert "epsilon 3 left of its cap 3, 4 was asked" in printed.err


def test_a_universe_in_the_header_of_the_input_stays_closed(files, capsys):
    assert publish(files, "--dry-run", name="none.seq", universe="none.seq") == 0
    text = capsys.readouterr().out
    assert "would satisfy 4-differential privacy" in text
    assert "labels" not in text


@pytest.mark.parametrize(
    ("more", "rest", "message"),
    [
        (["--observed-universe"], {"universe": None}, "does not open the data"),
        ([], {"universe": None}, "name the public --universe"),
        ([], {"universe": "nowhere.txt"}, "does not exist"),
        ([], {"out": "."}, "must not exist yet"),
        ([], {"name": "taps.doc"}, "must be clear from its ending"),
        (["--epsilon", "0"], {}, "epsilon must be above 0"),
        (["--height", "0"], {}, "height must be"),
        (["--format", "xls"], {}, "a format must be one of"),
        (["--dataset", ""], {}, "the name of a data set"),
        (["--person", "label"], {}, "three different columns"),
        (["--ledger", "no/such/folder"], {}, "cannot be created"),
        (["--ledger", "mistyped.ledger", "--no-create-ledger"], {}, "does not exist; is it the right name"),
        (["--max-nodes", "1", "--epsilon", "4", "--threshold", "published"], {"universe": "many.txt"}, "max_nodes"),
    ],
)
def test_what_the_real_run_would_refuse_without_a_look_is_refused(files, capsys, more, rest, message):
    (files / "many.txt").write_text("\n".join(map(str, range(100))), encoding="utf-8")
    assert publish(files, "--dry-run", *more, **rest) == 1
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case.mechanism))
def test_a_rehearsal_promises_what_every_mechanism_then_promises(case):
    records = case.records(["AB", "A"])
    real = case.mechanism.publish(records, budget=case.budget)
    kind = kind_of(methods()[case.name])
    reading = load(kind.reading)({})
    nobody = load(kind.nobody)(public=records.public, options=reading, name="nobody")
    assert case.mechanism.publish(nobody, budget=case.budget, ledger=Rehearsal()).guarantee == real.guarantee


def test_every_method_is_a_mechanism():
    for method in methods().values():
        assert issubclass(method.load(), Mechanism if method.promise.takes_epsilon else VerifiedMethod)


def test_a_refusal_by_the_cap_comes_before_the_file_is_read(files, capsys):
    ledger = str(files / "owner.ledger")
    set_cap(ledger, "--dataset", "nowhere", "--epsilon", "1")
    assert publish(files, "--ledger", ledger, name="nowhere.csv") == 1
    assert "epsilon 1 left of its cap 1, 4 was asked" in capsys.readouterr().err


def test_a_person_with_several_records_is_charged_as_often_before_the_file_is_read(files, capsys):
    ledger = str(files / "owner.ledger")
    set_cap(ledger, "--dataset", "nowhere", "--epsilon", "10")
    capsys.readouterr()
    words = ["--ledger", ledger, "--record", "trip", "--per-person", "cap=3"]
    assert publish(files, *words, name="nowhere.csv") == 1
    assert "epsilon 10 left of its cap 10, 12 was asked" in capsys.readouterr().err
    assert publish(files, *words, "--dry-run", name="nowhere.csv") == 1
    printed = capsys.readouterr()
    assert "spend   epsilon 12 on 'nowhere'" in printed.out
    assert "12 was asked" in printed.err


def test_help_says_that_the_input_is_not_looked_at():
    assert "not opened" in " ".join(run_command("publish", "sequences", "--help").stdout.split())
