"""`tacita verify` recomputes what a verified release promises, from its files alone, or with the owner's file."""

import csv
import io
import json

import polars as pl
import pytest

from forging import forged, with_data
from tacita.cli import main
from tacita.errors import ParameterError, VerificationError
from tacita.tables.declarations import declared
from tacita.tables.verifying import verify_groups
from tacita.verifying import verify

KEEPS = "the published files keep the promise, counted again"
STATED = "the promise is that of the parameters"
ILLNESSES = ("flu", "cold", "HIV", "ulcer")


def failed(folder):
    return {finding.check: finding.found for finding in verify(folder).failed}


def written(tmp_path, models):
    (tmp_path / "columns.json").write_text(
        json.dumps(
            {
                "quasi": [
                    {"name": "age", "type": "numeric", "low": 0, "high": 99},
                    {"name": "zip", "type": "numeric", "low": 0, "high": 9},
                ],
                "sensitive": {"name": "illness", "values": list(ILLNESSES), "ordered": True},
            }
        ),
        encoding="utf-8",
    )
    rows = "".join(f"{20 + place % 13},{place % 5},{ILLNESSES[(place * 7) % 4]}\n" for place in range(60))
    (tmp_path / "raw.csv").write_text("age,zip,illness\n" + rows, encoding="utf-8")
    method = ["--method", "bucketize", "--l", "3"] if models is None else ["--method", "mondrian", "--models", models]
    words = ["publish", "tables", str(tmp_path / "raw.csv"), *method, "--columns", str(tmp_path / "columns.json")]
    assert main([*words, "--out", str(tmp_path / "release")]) == 0
    return tmp_path / "release"


def rows_edited(change):
    """An edit of a CSV file: its rows, as lists, are changed in place."""

    def edit(data):
        rows = list(csv.reader(io.StringIO(data.decode())))
        change(rows)
        target = io.StringIO()
        csv.writer(target, lineterminator="\n").writerows(rows)
        return target.getvalue().encode()

    return edit


def one_group_of_one_value(rows):
    first = rows[1][:2]
    for row in rows[1:]:
        if row[:2] == first:
            row[2] = "flu"


def one_group_of_one_row(rows):
    first = rows[1][:2]
    rows[1:] = [rows[1], *(row for row in rows[1:] if row[:2] != first)]


MODELS = ["k=4", "l=2", "entropy-l=1.5", "recursive=3:2", "t=0.4", "confidence=0.7", "confidence=flu:0.6", "alpha=0.7:3"]


@pytest.mark.parametrize("models", [*MODELS, "k=3, l=2, t=0.5"])
def test_a_table_passes_as_it_is_and_not_with_a_group_that_violates_the_model(models, tmp_path):
    release = written(tmp_path, models)
    assert failed(release) == {}
    change = one_group_of_one_row if models == "k=4" else one_group_of_one_value
    changed = with_data(release, tmp_path / "forged", rows_edited(change))
    assert "violate what is promised" in failed(changed)[KEEPS]


def test_a_bucket_with_a_value_twice_or_one_person_less_is_refused(tmp_path):
    release = written(tmp_path, None)
    assert failed(release) == {}

    def twice(rows):
        rows[1][1] = next(row[1] for row in rows[2:] if row[0] == rows[1][0] and row[1] != rows[1][1])

    assert "1 buckets violate" in failed(with_data(release, tmp_path / "a", rows_edited(twice), file="sensitive.csv"))[KEEPS]
    assert "1 buckets violate" in failed(with_data(release, tmp_path / "b", rows_edited(lambda rows: rows.pop())))[KEEPS]


def test_a_promise_that_was_raised_is_held_to_what_is_printed(tmp_path):
    release = written(tmp_path, "k=4")

    def higher(manifest):
        manifest["mechanism"]["parameters"]["models"] = "k=400"
        manifest["guarantee"]["models"] = [{"model": "k-anonymity", "k": 400}]
        manifest["guarantee"]["statement"] = manifest["guarantee"]["statement"].replace("at least 4 ", "at least 400 ")

    def words_only(manifest):
        manifest["guarantee"]["statement"] = manifest["guarantee"]["statement"].replace("at least 4 ", "at least 400 ")

    def parameters_only(manifest):
        manifest["mechanism"]["parameters"]["models"] = "k=400"

    assert failed(forged(release, tmp_path / "a", higher)).keys() == {KEEPS}
    assert "statement" in failed(forged(release, tmp_path / "b", words_only))[STATED]
    assert "models" in failed(forged(release, tmp_path / "c", parameters_only))[STATED]


def test_of_two_bounds_for_one_value_the_smaller_one_counts():
    rows = pl.DataFrame({"age": ["a"] * 4, "illness": ["HIV", "HIV", "flu", "cold"]})
    for bounds in (("0.25", "0.9"), ("0.9", "0.25")):
        templates = [{"value": "HIV", "bound": bound} for bound in bounds]
        model = {"model": "confidence-bound", "templates": templates, "others": None}
        with pytest.raises(VerificationError, match="violates the model"):
            verify_groups(rows, alike=["age"], sensitive="illness", models=[model])


@pytest.fixture(scope="module")
def trajectories(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trajectories")
    (folder / "labels.txt").write_text("A\nB\nC\n", encoding="utf-8")
    visits = [(person, place, time) for person in range(30) for time, place in enumerate("AB" if person % 3 else "ABC")]
    (folder / "raw.csv").write_text("id,label,time\n" + "".join(f"{a},{b},{c}\n" for a, b, c in visits), encoding="utf-8")
    people = "".join(f"{person},{'flu' if person % 5 == 0 else 'none'}\n" for person in range(30))
    (folder / "attributes.csv").write_text("id,illness\n" + people, encoding="utf-8")
    grid = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]
    asked = ["--crowd", "4", "--known-pairs", "2", "--sensitive", "illness=flu<=60%"]
    public = ["--universe", str(folder / "labels.txt"), "--attributes", str(folder / "attributes.csv")]
    words = ["publish", "trajectories", str(folder / "raw.csv"), *asked, *grid, *public, "--out", str(folder / "release")]
    assert main(words) == 0
    return folder / "release"


def test_trajectories_pass_as_they_are_and_not_with_a_pair_that_few_have_or_a_value_that_many_have(trajectories, tmp_path):
    assert failed(trajectories) == {}
    rare = with_data(trajectories, tmp_path / "a", lambda data: data.replace(b"\n2,", b"\n1,C,3\n2,", 1))
    assert "too small a crowd" in failed(rare)[KEEPS]
    sick = with_data(trajectories, tmp_path / "b", lambda data: data.replace(b"none", b"flu"), file="attributes.csv")
    assert "too small a crowd, or reveal too much" in failed(sick)[KEEPS]


def test_the_bound_of_a_personal_release_needs_the_owners_file(tmp_path, capsys):
    raw, release = tmp_path / "raw.csv", tmp_path / "release"
    labels = "AABCDBACDCABDDCBACDAABCD" * 3
    raw.write_text("id,label,time\n" + "".join(f"0,{label},{time}\n" for time, label in enumerate(labels)), encoding="utf-8")
    (tmp_path / "labels.txt").write_text("A\nB\nC\nD\n", encoding="utf-8")
    hiding = ["--method", "pattern-hiding", "--bound", "belief=0.6", "--patterns", "A, A", "--window", "2", "--fan-out", "2"]
    words = ["publish", "personal", str(raw), *hiding, "--universe", str(tmp_path / "labels.txt"), "--out", str(release)]
    assert main(words) == 0
    assert any("--input" in what for what in verify(release).not_checked)
    capsys.readouterr()
    assert main(["verify", str(release), "--input", str(raw)]) == 0
    assert f"ok   {KEEPS}" in capsys.readouterr().out

    def symbols_as_they_are(rows):
        for row, label in zip(rows[1:], labels, strict=True):
            row[1] = label

    exposed = with_data(release, tmp_path / "exposed", rows_edited(symbols_as_they_are))
    assert main(["verify", str(exposed), "--input", str(raw)]) == 1
    assert "sequence 1 does not keep the bound" in capsys.readouterr().out


def test_a_value_that_would_stand_for_all_of_them_is_refused_because_its_release_could_not_be_opened():
    with pytest.raises(ParameterError, match="stands for all of them"):
        declared({"quasi": [{"name": "town", "type": "categorical", "values": ["A", "*"]}]})
