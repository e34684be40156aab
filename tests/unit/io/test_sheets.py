"""Workbooks: every cell is text by itself, and every command that takes a private file takes one."""

import pytest

import tacita as ta
from tacita.cli import main
from tacita.errors import InputError
from tacita.io.typed_files import sheet_rows
from workbooks import write_workbook

pytest.importorskip("python_calamine")

PEOPLE = [("age", "sex"), *((20 + place % 30, 1 + place % 2) for place in range(200))]
COLUMNS = {"age": {"type": "number", "low": 0, "high": 99}, "sex": {"type": "category", "values": ["1", "2"]}}


@pytest.mark.parametrize(
    "odd", [(20.5, 1), ("x", 2), (None, 1), (20, True), (20, "1"), (1e300, 1.0), (20, ""), ("007", "é")], ids=repr
)
def test_a_cell_never_changes_how_others_are_read(odd, tmp_path):
    usual = sheet_rows(write_workbook(tmp_path / "a.xlsx", PEOPLE))
    for place in (1, 100, len(PEOPLE)):
        changed = sheet_rows(write_workbook(tmp_path / "b.xlsx", [*PEOPLE[:place], odd, *PEOPLE[place:]]))
        rows = changed.rows()
        del rows[place - 1]
        assert rows == usual.rows()


def test_whole_numbers_have_no_fraction_and_truth_values_are_words(tmp_path):
    found = sheet_rows(write_workbook(tmp_path / "a.xlsx", [("a", "b", "c"), (7, True, 1.5), (None, False, "x y")]))
    assert found.rows() == [("7", "true", "1.5"), (None, "false", "x y")]


def test_numbers_that_doubles_do_not_tell_apart_are_nobodys(tmp_path):
    numbers, texts = range(2**53, 2**53 + 40), [str(2**60 + person) for person in range(5)]
    rows = [("id", "label"), *((one, "A") for one in (*numbers, *texts))]
    found = sheet_rows(write_workbook(tmp_path / "a.xlsx", rows))
    assert found["id"].drop_nulls().to_list() == texts


def test_a_workbook_is_inspected_published_judged_and_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [("card", "stop", "tap"), *((person, "AB"[(person + step) % 2], step) for person in range(300) for step in range(3))]
    write_workbook(tmp_path / "taps.xlsx", rows)
    (tmp_path / "stops.txt").write_text("A\nB\n", encoding="utf-8")
    assert main(["inspect", "taps.xlsx", "--config", "tacita.toml"]) == 0
    text = (tmp_path / "tacita.toml").read_text(encoding="utf-8")
    filled = text.replace('universe = "?"', 'universe = "stops.txt"').replace('epsilon = "?"', "epsilon = 4")
    (tmp_path / "tacita.toml").write_text(filled, encoding="utf-8")
    assert main(["publish"]) == 0
    assert main(["evaluate", "taps-release"]) == 0
    assert main(["report", "taps-release", "--out", "report.html"]) == 0
    assert (tmp_path / "taps-release" / "sequences.csv").is_file()
    capsys.readouterr()


def test_python_takes_one_too(tmp_path):
    path = write_workbook(tmp_path / "people.xlsx", PEOPLE)
    release = ta.publish(path, kind="tables", method="top-down", columns=COLUMNS, epsilon=4)
    assert 150 < len(release.data) < 250


@pytest.mark.parametrize("header", [("a", "a"), ("a", None), ("a", "")])
def test_columns_must_have_names_of_their_own(header, tmp_path):
    with pytest.raises(InputError, match="a name of its own"):
        sheet_rows(write_workbook(tmp_path / "a.xlsx", [header, (1, 2)]))


def test_what_is_no_workbook_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04" + bytes(200))
    with pytest.raises(InputError, match="cannot be read as a file of Excel"):
        sheet_rows(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="does not exist"):
        sheet_rows(tmp_path / "b.xlsx")
