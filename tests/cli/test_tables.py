"""Tables on the command line: from a declaration to a release, to its figures, and under attack."""

import json

import jsonschema
import polars as pl
import pytest

from tacita.cli import main
from tacita.errors import LedgerError
from tacita.privacy.ledger import Ledger
from tacita.schemas import output_schema


@pytest.fixture
def world(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "census", "--records", "300", "--out", "w"]) == 0
    capsys.readouterr()
    return tmp_path


def publish(*words):
    return main(["publish", "tables", "w/tables.csv", "--columns", "w/columns.json", *words])


@pytest.mark.parametrize(
    "words",
    [
        ["--method", "mondrian", "--models", "k=5, l=2"],
        ["--method", "full-domain", "--models", "k=5", "--suppression", "0.1"],
        ["--method", "cell-suppression", "--models", "k=3"],
        ["--method", "bucketize", "--l", "4"],
        ["--method", "top-down", "--epsilon", "2", "--splits", "5", "--score", "gain"],
    ],
    ids=lambda words: words[1],
)
@pytest.mark.usefixtures("world")
def test_every_method_publishes_is_evaluated_and_attacked(words, capsys):
    assert publish(*words, "--out", "out", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-publish-1"))
    assert main(["evaluate", "w/tables.csv", "out", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    jsonschema.validate(figures, output_schema("tacita-evaluate-tables-1"))
    assert main(["attack", "tables", "w/tables.csv", "out", "--known", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, output_schema("tacita-attack-1"))
    assert [each["against"] for each in found["attacks"]] == ["the raw table", "the published table"]


@pytest.mark.usefixtures("world")
def test_two_releases_are_held_together(capsys):
    assert publish("--method", "mondrian", "--out", "one") == 0
    assert publish("--method", "cell-suppression", "--out", "two") == 0
    assert main(["attack", "tables", "w/tables.csv", "one", "two"]) == 0
    text = capsys.readouterr().out
    assert "composition against two releases" in text
    assert text.count("for the owner's eyes only") == 4


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["publish", "tables", "w/tables.csv", "--method", "mondrian", "--out", "o"], "must be declared"),
        (
            ["publish", "tables", "w/tables.csv", "--method", "mondrian", "--columns", "w/none.json", "--out", "o"],
            "does not exist",
        ),
        (
            ["publish", "tables", "w/tables.csv", "--method", "mondrian", "--columns", "w/tables.csv", "--out", "o"],
            "must be JSON",
        ),
        (
            [
                "publish",
                "tables",
                "w/tables.csv",
                "--method",
                "mondrian",
                "--columns",
                "w/columns.json",
                "--models",
                "z=1",
                "--out",
                "o",
            ],
            "one of",
        ),
        (
            [
                "publish",
                "tables",
                "w/tables.csv",
                "--method",
                "mondrian",
                "--columns",
                "w/columns.json",
                "--epsilon",
                "1",
                "--out",
                "o",
            ],
            "no budget",
        ),
        (
            [
                "publish",
                "tables",
                "w/tables.csv",
                "--method",
                "mondrian",
                "--columns",
                "w/columns.json",
                "--models",
                "k=301",
                "--out",
                "o",
            ],
            "no table",
        ),
        (
            [
                "publish",
                "tables",
                "w/tables.csv",
                "--method",
                "mondrian",
                "--columns",
                "w/columns.json",
                "--format",
                "seq",
                "--out",
                "o",
            ],
            "parquet",
        ),
        (
            ["publish", "tables", "w/tables.csv", "--method", "top-down", "--columns", "w/columns.json", "--out", "o"],
            "needs --epsilon",
        ),
        (
            ["publish", "tables", "w/none.csv", "--method", "mondrian", "--columns", "w/columns.json", "--out", "o"],
            "does not exist",
        ),
        (["attack", "tables", "w/tables.csv", "--columns", "w/columns.json", "--known", "0"], "known must be"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_leaves_nothing(world, words, message, capsys):
    assert main(words) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert not (world / "o").exists()


@pytest.mark.usefixtures("world")
def test_a_raw_table_is_attacked_without_a_release(capsys):
    assert main(["attack", "tables", "w/tables.csv", "--columns", "w/columns.json", "--known", "1"]) == 0
    assert "linkage against the raw table" in capsys.readouterr().out


@pytest.mark.usefixtures("world")
def test_a_ledger_that_cannot_be_written_to_stops_a_verified_release_before_it_exists(world, capsys, monkeypatch):
    assert main(["ledger", "create", "house.ledger"]) == 0

    def refused(*_, **__):
        message = "the ledger cannot be written to"
        raise LedgerError(message)

    monkeypatch.setattr(Ledger, "note_verified", refused)
    assert publish("--method", "mondrian", "--ledger", "house.ledger", "--out", "out") != 0
    assert "cannot be written to" in capsys.readouterr().err
    assert not (world / "out").exists()


@pytest.mark.usefixtures("world")
def test_a_person_with_several_rows_is_capped_by_the_column_of_persons(world, capsys):
    rows = pl.read_csv("w/tables.csv", infer_schema=False)
    doubled = pl.concat([rows, rows]).with_columns(who=pl.Series([*range(len(rows))] * 2))
    doubled.write_csv("w/doubled.csv")
    words = ["publish", "tables", "w/doubled.csv", "--columns", "w/columns.json", "--person", "who"]
    assert main([*words, "--method", "mondrian", "--out", "one"]) == 0
    assert len(pl.read_csv(world / "one" / "table.csv")) == len(rows)
    assert main([*words, "--per-person", "cap=2", "--method", "mondrian", "--out", "two"]) != 0
    assert "every person may have one" in capsys.readouterr().err


@pytest.mark.usefixtures("world")
def test_a_bound_on_confidence_is_attacked_by_whoever_knows_it(capsys):
    assert publish("--method", "mondrian", "--models", "confidence=0.5", "--out", "bound") == 0
    capsys.readouterr()
    assert main(["attack", "tables", "w/tables.csv", "bound", "--json"]) == 0
    assert [each["attack"] for each in json.loads(capsys.readouterr().out)["attacks"]] == ["linkage", "linkage", "minimality"]


MISTYPED = """
kind = "tables"
input = "people.csv"
[output]
out = "out"
[columns.age]
type = "number"
low = 0
high = 99
[columns.sex]
type = "category"
values = ["female", "Male"]
"""


def test_rows_that_a_mistyped_value_leaves_out_are_told_by_inspect_evaluate_and_the_owners_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n" + "31,Female\n42,Male\n53,Male\n" * 20, encoding="utf-8")
    (tmp_path / "tacita.toml").write_text(MISTYPED, encoding="utf-8")
    told = "20 rows do not fit and are left out: 20 in 'sex' (not one of the declared values, or none)"
    assert main(["inspect", "people.csv"]) == 1
    printed = capsys.readouterr()
    assert told in printed.out
    assert "every row of the input 'people.csv' must fit, but some do not ('sex'" in printed.err
    assert main(["publish", "--method", "mondrian", "--models", "k=5"]) == 0, "a count of private rows refuses nothing"
    assert "do not fit and are" not in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["evaluate", "out"]) == 0
    evaluated = capsys.readouterr().out
    assert "raw rows                              40" in evaluated
    assert told in evaluated
    assert main(["evaluate", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == told
    assert main(["report", "out", "--out", "owner.html"]) == 0
    assert told.replace("'", "&#39;") in (tmp_path / "owner.html").read_text(encoding="utf-8")
    assert "do not fit and are" not in (tmp_path / "out-report.html").read_text(encoding="utf-8")


def test_inspect_says_so_if_every_row_fits_what_is_declared(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n" + "31,Female\n42,Male\n53,Male\n" * 20, encoding="utf-8")
    (tmp_path / "tacita.toml").write_text(MISTYPED.replace("female", "Female"), encoding="utf-8")
    assert main(["inspect", "people.csv"]) == 0
    assert "By what it declares, all rows fit." in capsys.readouterr().out
