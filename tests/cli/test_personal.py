"""The command line for personal sequences."""

import json
from pathlib import Path

import jsonschema
import pytest

from tacita.cli import main
from tacita.schemas import output_schema

WORDS = ["--method", "pattern-hiding", "--patterns", "a, b", "--fan-out", "3", "--window", "3"]


@pytest.fixture
def day(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = "abcdefghi"
    rows = [f"{person},{labels[(place * (person + 1)) % 9]},{place}" for person in range(3) for place in range(60)]
    (tmp_path / "day.csv").write_text("\n".join(["id,label,time", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "labels.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    return tmp_path


def test_a_file_becomes_a_verified_release_and_an_evaluation_that_fits_its_schema(day, capsys):
    assert (
        main(
            [
                "publish",
                "personal",
                "day.csv",
                *WORDS,
                "--bound",
                "belief=0.4",
                "--universe",
                "labels.txt",
                "--out",
                "out",
                "--json",
            ]
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema(told["schema"]))
    assert told["guarantee"]["definition"] == "bounded-belief"
    assert told["guarantee"]["evidence"]["by"] == "tacita.personal.verification"
    assert main(["evaluate", "day.csv", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, output_schema("tacita-evaluate-personal-1"))
    assert found["personal"]["persons"] == {"raw": 3, "released": 3}
    assert (day / "out" / "taxonomy.json").exists()


@pytest.mark.usefixtures("day")
def test_an_infeasible_bound_is_one_line_without_a_figure_and_leaves_nothing_behind(day, capsys):
    assert (
        main(["publish", "personal", "day.csv", *WORDS, "--bound", "belief=0.001", "--universe", "labels.txt", "--out", "out"])
        == 1
    )
    line = capsys.readouterr().err.strip().splitlines()[-1]
    assert line.startswith("tacita: person ")
    assert "is above the limit before anything is shown" in line
    assert not (day / "out").exists()


def test_online_a_longer_file_gives_the_same_release_with_more_rows_and_a_page_draws_it(day, capsys):
    words = ["--method", "online-hiding", "--belief", "0.4", *WORDS[2:], "--universe", "labels.txt"]
    rows = (day / "day.csv").read_text(encoding="utf-8").splitlines()[:61]
    (day / "morning.csv").write_text("\n".join(rows[:31]) + "\n", encoding="utf-8")
    (day / "evening.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    published = []
    for part in ("morning", "evening"):
        assert main(["publish", "personal", f"{part}.csv", *words, "--out", part]) == 0
        published.append((day / part / "personal.csv").read_text(encoding="utf-8").splitlines())
    assert published[1][: len(published[0])] == published[0]
    capsys.readouterr()
    assert main(["evaluate", "evening.csv", "evening", "--page", "page.html", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, output_schema("tacita-evaluate-personal-1"))
    assert found["personal"]["symbols"] - found["personal"]["withheld"] == len(published[1]) - 1
    page = (day / "page.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 2
    assert "For the owner&#39;s eyes only" in page
    assert main(["evaluate", "evening.csv", "evening", "--page", "evening/page.html"]) == 1
    assert "must lie outside the release folder" in capsys.readouterr().err


@pytest.mark.usefixtures("day")
def test_a_budget_is_refused_because_nothing_is_spent(capsys):
    words = [
        "publish",
        "personal",
        "day.csv",
        *WORDS,
        "--bound",
        "belief=0.4",
        "--epsilon",
        "1",
        "--universe",
        "labels.txt",
        "--out",
        "out",
    ]
    assert main(words) == 1
    assert "spends no budget" in capsys.readouterr().err


@pytest.mark.usefixtures("day")
def test_a_time_grid_weighs_places_and_is_not_published(capsys):
    grid = ["--time-start", "0", "--time-step", "1", "--time-intervals", "100", "--longest-stay", "5"]
    words = [
        "publish",
        "personal",
        "day.csv",
        *WORDS,
        "--bound",
        "information=0.4",
        "--universe",
        "labels.txt",
        "--out",
        "out",
        *grid,
    ]
    assert main(words) == 0
    capsys.readouterr()
    manifest = json.loads(Path("out/manifest.json").read_text(encoding="utf-8"))
    assert "time_grid" not in manifest["public_inputs"]


@pytest.mark.usefixtures("day")
def test_a_dry_run_says_what_would_be_promised(capsys):
    words = [
        "publish",
        "personal",
        "day.csv",
        *WORDS,
        "--bound",
        "belief=0.4",
        "--universe",
        "labels.txt",
        "--out",
        "out",
        "--dry-run",
    ]
    assert main(words) == 0
    assert "of the places that look alike" in capsys.readouterr().out


@pytest.mark.usefixtures("day")
def test_pattern_hiding_without_a_tree_says_what_it_needs(capsys):
    words = [word for word in WORDS if word not in {"--fan-out", "3"}] + ["3"]
    assert (
        main(["publish", "personal", "day.csv", *words, "--bound", "belief=0.4", "--universe", "labels.txt", "--out", "out"]) == 1
    )
    assert "needs a taxonomy, or bins" in capsys.readouterr().err
