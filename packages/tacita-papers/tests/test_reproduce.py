"""The papers' experiments: all of them are there, their verdicts are computed, and a run that was interrupted goes on."""

import json
from dataclasses import replace
from math import isnan
from pathlib import Path

import jsonschema
import pytest

from tacita.cli import main
from tacita.errors import ParameterError
from tacita_papers.reproduce import Line, Row, Scale, Verdict, chosen_experiments, experiments, judged, outcomes, run_experiments
from tacita_papers.reproduce.catalogue import CHAPTERS, of_chapter
from tacita_papers.reproduce.experiment import read_rows, rows_as_text
from tacita_papers.reproduce.pages import write_pages
from tacita_papers.reproduce.verdicts import overall
from tacita_papers.schemas import output_schema

CATALOGUE = """
000-T2 000-F3 000-F4 000-T3 000-T4 000-T5 000-F5a 000-F5b 004-F3 004-F4 004-F5 004-T3 004-T4 004-T5 004-F6a
004-F6b 001-T4.2 001-F4.3 001-F4.4 001-F4.5 001-F4.6 001-F4.7 001-F4.8a 001-F4.8b 001-T5.3 001-F5.2 001-F5.3
001-F5.4 001-F5.5a 001-F5.5b 001-T6.9 001-F6.7 001-F6.8 001-F6.9 001-F6.10 001-F6.11 001-T6.10 001-T6.11
001-F6.12 001-F6.13 001-F6.14 001-F6.15 001-T7.1 001-T7.2 001-F7.3 001-F7.4 001-F7.5 001-F7.6 001-F7.7
001-F7.8 002-T1 002-F2 002-F3 002-F4 002-F5 003-T1 003-F4 003-F5 003-F6 003-F7 003-F8 003-F9 003-S3.1
""".split()  # noqa: SIM905 - as a list, one long line or 63 of them


def test_there_is_an_experiment_for_every_table_figure_and_stated_result():
    assert sorted(experiments()) == sorted(CATALOGUE)
    assert len(CATALOGUE) == 63


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_experiment_has_claims_and_published_points_that_fit_its_series(name):
    experiment = experiments()[name]
    assert experiment.claims
    assert all(point.x for point in experiment.published)
    named = experiment.options.get("series")
    if isinstance(named, tuple):
        assert {point.series for point in experiment.published} <= {*named}


def test_a_changed_published_number_changes_the_verdict():
    experiment = experiments()["000-T3"]
    found = [Row(data=p.data, series=p.series, x=p.x, value=p.value) for p in experiment.published]
    found += [replace(row, series="raked") for row in found if row.series == "Hybrid"]
    assert overall(judged(experiment, found)) in {Verdict.BETTER, Verdict.HOLDS}
    harder = replace(experiment, published=tuple(replace(p, value=1.5 * p.value) for p in experiment.published))
    assert overall(judged(harder, found)) is Verdict.WEAKER


def test_rows_are_written_and_read_as_tidy_csv(tmp_path):
    found = [
        Row(data="Metro, 1", series="a", x="0.5", value=0.25, panel="max |Q| = 3", each=(0.2, 0.3)),
        Row(data="Metro, 1", series="a", x="0.5", value=0.5, line=Line.NOISELESS),
    ]
    path = tmp_path / "rows.csv"
    path.write_text(rows_as_text(found), encoding="utf-8")
    assert read_rows(path) == found


def test_a_figure_that_cannot_be_had_says_why_in_its_file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(rows_as_text([Row.refused("30 false children a node", data="STM", series="Full", x="1")]), encoding="utf-8")
    (row,) = read_rows(path)
    assert isnan(row.value)
    assert (row.line, row.why) == (Line.PRINTED, "30 false children a node")


def test_a_quick_run_is_kept_until_a_full_one_is_asked_for(tmp_path):
    wanted, told = chosen_experiments(["003-T1"]), []
    assert run_experiments(wanted, tmp_path, quick=True, jobs=1) == []
    first = (tmp_path / "003-T1.csv").stat().st_mtime_ns
    assert run_experiments(wanted, tmp_path, quick=True, jobs=1, told=lambda *each: told.append(each)) == []
    assert told == [(1, 1, "")]
    assert (tmp_path / "003-T1.csv").stat().st_mtime_ns == first
    assert outcomes(wanted, tmp_path)[0].quick
    assert run_experiments(wanted, tmp_path, jobs=1) == []
    assert not outcomes(wanted, tmp_path)[0].quick


def test_a_damaged_result_is_measured_again(tmp_path):
    wanted = chosen_experiments(["003-T1"])
    run_experiments(wanted, tmp_path, quick=True, jobs=1)
    (tmp_path / "003-T1.json").write_text("{", encoding="utf-8")
    assert outcomes(wanted, tmp_path) == []
    run_experiments(wanted, tmp_path, quick=True, jobs=1)
    assert len(outcomes(wanted, tmp_path)) == 1


def test_an_experiment_that_changed_has_another_fingerprint_and_a_claim_has_none():
    experiment = experiments()["000-F3"]
    scale = Scale(quick=True)
    assert replace(experiment, claims=()).fingerprint(scale) == experiment.fingerprint(scale)
    assert replace(experiment, options={**experiment.options, "runs": 9}).fingerprint(scale) != experiment.fingerprint(scale)
    assert experiment.fingerprint(Scale()) != experiment.fingerprint(scale)


def test_a_page_says_which_results_are_older_than_their_experiment(tmp_path):
    run_experiments(chosen_experiments(["003-T1"]), tmp_path, quick=True, jobs=1)
    stamp = json.loads((tmp_path / "003-T1.json").read_text(encoding="utf-8"))
    (tmp_path / "003-T1.json").write_text(json.dumps(stamp | {"fingerprint": "older"}), encoding="utf-8")
    write_pages(tmp_path)
    assert "| quick, earlier version |" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert not outcomes(chosen_experiments(["003-T1"]), tmp_path)[0].is_current


def test_pages_show_verdicts_first_then_pictures(tmp_path):
    run_experiments(chosen_experiments(["003-T1"]), tmp_path, quick=True, jobs=1)
    write_pages(tmp_path)
    index = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert index.splitlines()[2].startswith("**On real data 0 of 0 claims hold.**")
    assert "\n1 of 63 experiments, 1 of them from a quick run." in index
    assert "| holds | 0 | 1 |" in index
    assert "|  | 1 holds | quick |" in index
    page = (tmp_path / "hidden-patterns.md").read_text(encoding="utf-8")
    assert "../../../docs/explanation/errata.md#the-measure-is-not-a-mutual-information-guarantee" in page
    assert page.index("| claim | data | verdict | reason |") < page.index("![003-T1")
    assert (tmp_path / "003-T1.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_command_lists_everything_and_runs_what_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[:1] == "0" and "experiments" not in line]
    assert {*CATALOGUE} <= {*listed}
    assert not (tmp_path / "tacita-results").exists()
    assert main(["reproduce", "003-T1", "--quick", "--jobs", "1", "--out", "results", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-reproduce-1"))
    assert [each["verdict"] for each in told["experiments"]] == ["holds"]
    assert main(["reproduce", "003-T1", "--list", "--out", "results"]) == 0
    assert "| holds | 0 | 1 |" in capsys.readouterr().out


def test_a_stamp_says_from_which_commit_a_result_is(tmp_path):
    run_experiments(chosen_experiments(["003-T1"]), tmp_path, quick=True, jobs=1)
    (outcome,) = outcomes(chosen_experiments(["003-T1"]), tmp_path)
    assert outcome.commit.rstrip("+") == outcome.commit[:10]
    assert json.loads((tmp_path / "003-T1.json").read_text(encoding="utf-8"))["commit"] == outcome.commit


def test_every_erratum_that_is_linked_is_a_heading_of_the_errata():
    page = Path(__file__).parents[3] / "docs" / "explanation" / "errata.md"
    headings = {line.removeprefix("### ").strip() for line in page.read_text(encoding="utf-8").splitlines() if line[:4] == "### "}
    linked = {each.erratum for one in experiments().values() for each in one.claims if each.erratum}
    assert linked | {each for chapter in CHAPTERS.values() for each in chapter.errata} <= headings
    assert linked


def test_every_chapter_shows_an_experiment_of_its_own_with_its_series():
    for name, chapter in CHAPTERS.items():
        (experiment,) = (each for each in of_chapter(name) if each.id == chapter.shows)
        assert experiment.id in experiments()
        assert chapter.series != chapter.product


@pytest.mark.parametrize(
    ("words", "sentence"),
    [(["nothing-like-that"], "must be one that `tacita reproduce --list` shows"), (["--jobs", "0"], "at least one experiment")],
)
def test_bad_input_is_refused_in_a_sentence(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *words]) == 1
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_experiment_is_refused():
    with pytest.raises(ParameterError, match="got 'x'"):
        chosen_experiments(["x"])


def test_an_exact_id_does_not_take_longer_ones_with_it():
    assert [each.id for each in chosen_experiments(["000-F5"])] == ["000-F5a", "000-F5b"]
    assert [each.id for each in chosen_experiments(["001-T6.10"])] == ["001-T6.10"]


@pytest.mark.slow  # up to 15 minutes on two free cores: everything, small
def test_the_quick_version_of_everything_runs(tmp_path, data_folder):
    assert data_folder.is_dir()
    assert run_experiments(list(experiments().values()), tmp_path, quick=True) == []
    assert len(outcomes(list(experiments().values()), tmp_path)) == 63
