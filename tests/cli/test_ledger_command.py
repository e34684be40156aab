"""`tacita ledger`: what the owner makes, sees and checks, and the options of a publication that are about the ledger."""

import json
from fractions import Fraction

import jsonschema
import pytest

from tacita.cli import main
from tacita.privacy.account import Charge
from tacita.privacy.budget import Sliding, Step
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger.marks import mark_path
from tacita.privacy.questions import select
from tacita.schemas import output_schema

TAPS = "id,label,time\n" + "".join(f"{person},A,1\n{person},B,2\n" for person in range(100))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taps.csv").write_text(TAPS, encoding="utf-8")
    (tmp_path / "stations.txt").write_text("A\nB\n", encoding="utf-8")
    return tmp_path


def publish(*more, out="out"):
    words = [
        "publish",
        "sequences",
        "taps.csv",
        "--method",
        "prefix-tree",
        "--height",
        "2",
        "--epsilon",
        "1",
        "--universe",
        "stations.txt",
    ]
    return main([*words, "--out", out, *more])


def spend(epsilon, *, unit="person", together=1):
    plan = Step(name="only", epsilon=Fraction(epsilon))
    charge = Charge(dataset="net", mechanism="der", plan=plan, unit=unit, units_together=together)
    with Ledger("house.ledger").open(charge) as account:
        select(account, "only", scores=[1])


def test_a_mistyped_ledger_is_refused_and_not_made(folder, capsys):
    before = sorted(folder.iterdir())
    for words in ([], ["--dry-run"]):
        assert publish("--ledger", "huose.ledger", *words) == 1
        assert "the ledger 'huose.ledger' does not exist; is it the right name?" in capsys.readouterr().err
    assert main(["ledger", "cap", "huose.ledger", "--dataset", "taps", "--epsilon", "1"]) == 1
    assert sorted(folder.iterdir()) == before
    assert publish("--ledger", "huose.ledger", "--create-ledger") == 0
    assert (folder / "huose.ledger").exists()


def test_a_ledger_is_created_once(capsys):
    assert main(["ledger", "create", "house.ledger"]) == 0
    assert "is new and empty" in capsys.readouterr().out
    assert main(["ledger", "create", "house.ledger"]) == 1
    assert "it exists" in capsys.readouterr().err
    assert main(["ledger", "show", "house.ledger"]) == 0
    assert "nothing has been spent yet" in capsys.readouterr().out


def test_where_there_are_caps_a_new_name_must_be_told(capsys):
    main(["ledger", "create", "house.ledger"])
    main(["ledger", "cap", "house.ledger", "--dataset", "taps", "--epsilon", "1"])
    assert publish("--ledger", "house.ledger", "--dataset", "copy") == 1
    assert "data set 'copy' has no cap in a ledger that holds caps for others" in capsys.readouterr().err
    assert publish("--ledger", "house.ledger", "--dataset", "TAPS", out="one") == 0
    assert publish("--ledger", "house.ledger", out="two") == 1
    assert "epsilon 0 left of its cap 1" in capsys.readouterr().err
    assert publish("--ledger", "house.ledger", "--dataset", "copy", "--new-dataset") == 0


def test_data_sets_of_one_identity_are_shown_as_one(capsys):
    main(["ledger", "create", "house.ledger"])
    for name in ("taps", "gates"):
        assert main(["ledger", "cap", "house.ledger", "--dataset", name, "--epsilon", "1", "--identity", "Lyon 2024"]) == 0
    assert "it is shared by gates, taps" in capsys.readouterr().out
    assert publish("--ledger", "house.ledger") == 0
    capsys.readouterr()
    assert main(["ledger", "show", "house.ledger"]) == 0
    assert "Lyon 2024 (gates, taps): epsilon 1 spent of epsilon 1" in capsys.readouterr().out


def test_spends_on_edges_are_told_for_any_group(capsys):
    main(["ledger", "create", "house.ledger"])
    assert main(["ledger", "cap", "house.ledger", "--dataset", "net", "--epsilon", "1", "--unit", "edge"]) == 0
    assert "the cap of 'net' is now epsilon = 1 per edge" in capsys.readouterr().out
    spend(1, unit="edge", together=10)
    spend(1, unit="edge", together=5)
    assert main(["ledger", "show", "house.ledger"]) == 0
    printed = capsys.readouterr().out
    assert (
        "net: epsilon 0.3 per edge spent of epsilon 1; 0.3 per edge, so 3 for a group of 10, and k times 0.3 for any k" in printed
    )
    assert "charge" in printed
    assert "der, epsilon 0.2 per edge" in printed


def test_all_sorts_of_entries_are_shown_and_follow_the_schema(capsys):
    ledger = Ledger.create("house.ledger")
    ledger.note_verified("taps", "suppression", guarantee="nobody is known by 2 places")
    with ledger.open(
        Charge(dataset="taps", mechanism="pace", plan=Sliding(name="stream", epsilon=Fraction(1), ticks=3))
    ) as account:
        account.slide("stream", tick=7, plan=Step(name="counts", epsilon=Fraction(1, 3)))
    assert main(["ledger", "show", "house.ledger"]) == 0
    printed = capsys.readouterr().out
    assert "verified: suppression, without a budget: nobody is known by 2 places" in printed
    assert "pace, epsilon 1, lasting" in printed
    assert "time step 7" in printed
    assert main(["ledger", "show", "house.ledger", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    jsonschema.validate(shown, output_schema("tacita-ledger-show-1"))
    assert [entry["tick"] for entry in shown["entries"]] == [None, None, 7]
    assert shown["mark"] == {"entry": 3, "digest": ledger.mark().digest, "file": str(mark_path(ledger.path))}


def test_what_was_noted_down_is_checked_against_an_older_copy(folder, capsys):
    ledger = Ledger.create("house.ledger")
    ledger.note_verified("taps", "suppression", guarantee="first")
    older = (folder / "house.ledger").read_bytes()
    ledger.note_verified("taps", "suppression", guarantee="second")
    mark = ledger.mark()
    noted = f"{mark.entries}:{mark.digest}"
    assert main(["ledger", "verify", "house.ledger", "--noted", noted]) == 0
    assert f"all 2 entries are linked correctly; the last one is {noted}" in capsys.readouterr().out
    (folder / "house.ledger").write_bytes(older)
    assert main(["ledger", "verify", "house.ledger"]) == 1
    assert "was cut or replaced by an older copy: it has 1 entries and lacks entry 2" in capsys.readouterr().err
    mark_path(ledger.path).unlink()
    assert main(["ledger", "verify", "house.ledger"]) == 0
    capsys.readouterr()
    assert main(["ledger", "verify", "house.ledger", "--noted", noted]) == 1
    assert "does not hold entry 2 as it was noted" in capsys.readouterr().err
    assert main(["ledger", "show", "house.ledger"]) == 0
    assert "there is no high-water mark beside the ledger" in capsys.readouterr().out
    assert main(["ledger", "verify", "house.ledger", "--noted", "two"]) == 1
    assert "--noted must be a number and a digest" in capsys.readouterr().err
