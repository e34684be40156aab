"""The auditor starts from files: neighbours differ by a row, and a reader that lets one row decide about others is found."""

from pathlib import Path

import pytest

from tacita.auditing import audit_file_replay
from tacita.auditing.cases.sequences import SequenceCase
from tacita.auditing.file_rows import has_rows, row_neighbours
from tacita.privacy.budget import PureDP
from tacita.sequences import PrefixTree

CASE = SequenceCase(name="tree", mechanism=PrefixTree(height=1), budget=PureDP(1))


@pytest.fixture(params=[".csv", ".jsonl"])
def file(request, tmp_path):
    """Two hundred people with one visit each."""
    path = tmp_path / f"visits{request.param}"
    is_json = request.param == ".jsonl"
    rows = [f'{{"id": {place}, "label": "A"}}' if is_json else f"{place},A" for place in range(200)]
    path.write_text("\n".join([*([] if is_json else ["id,label"]), *rows]) + "\n", encoding="utf-8")
    return path


def rows_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines if path.suffix == ".jsonl" else lines[1:]


def one_by_one(path):
    """Each row by itself: somebody with the label A, or nobody who counts."""
    return CASE.records(tuple("A" if row.endswith((",A", '"A"}')) else "" for row in rows_of(path)))


def all_together(path):
    """If one row has a fraction or an odd label, everybody's label is read in another way."""
    rows = rows_of(path)
    is_usual = all(row.endswith((",A", '"A"}')) for row in rows)
    return CASE.records(tuple("A" if is_usual else "B" for _ in rows))


def test_a_reader_that_takes_each_row_by_itself_passes(file):
    check = audit_file_replay(CASE, one_by_one, file, neighbours=20)
    assert check.passed, check.summary
    assert 0 < check.figures["share"] <= 0.5


def test_a_reader_that_lets_one_row_decide_about_all_is_found(file):
    check = audit_file_replay(CASE, all_together, file, neighbours=20)
    assert not check.passed
    assert check.figures["worst_loss"] > 100


def test_neighbours_of_a_file_differ_from_it_by_one_row_and_keep_its_header(file, tmp_path):
    folder = tmp_path / "changed"
    folder.mkdir()
    before = rows_of(file)
    found = []
    for what, changed in row_neighbours(file, folder, number=12, seed=1):
        assert changed.name == file.name
        after = rows_of(changed)
        found.append(len(after) - len(before))
        assert "A" not in what
        assert sum(row not in before for row in after) <= 1
        if file.suffix == ".csv":
            assert changed.read_text(encoding="utf-8").startswith("id,label\n")
    assert set(found) == {-1, 1}


def test_what_has_no_rows_that_can_be_changed_is_not_rewritten(tmp_path):
    assert not has_rows(tmp_path)
    assert not has_rows(Path("nothing.csv"))
    (tmp_path / "table.xlsx").write_bytes(b"PK")
    assert not has_rows(tmp_path / "table.xlsx")
