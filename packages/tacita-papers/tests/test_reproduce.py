"""The papers' experiments: all of them are there, their verdicts are computed, and a run that was interrupted goes on."""

import json
from dataclasses import replace

import jsonschema
import pytest

from tacita.cli import main
from tacita.errors import ParameterError
from tacita_papers.reproduce import Point, Row, Scale, Verdict, chosen_experiments, experiments, judged, outcomes, run_experiments
from tacita_papers.reproduce.claims import Below, Bound, Direction, Equals, Gain, Matches, Trend, Untold, Way, overall
from tacita_papers.reproduce.experiment import read_rows, rows_as_text
from tacita_papers.reproduce.pages import write_pages
from tacita_papers.schemas import output_schema

CATALOGUE = """
000-T2 000-F3 000-F4 000-T3 000-T4 000-T5 000-F5a 000-F5b 004-F3 004-F4 004-F5 004-T3 004-T4 004-T5 004-F6a
004-F6b 001-T4.2 001-F4.3 001-F4.4 001-F4.5 001-F4.6 001-F4.7 001-F4.8a 001-F4.8b 001-T5.3 001-F5.2 001-F5.3
001-F5.4 001-F5.5a 001-F5.5b 001-T6.9 001-F6.7 001-F6.8 001-F6.9 001-F6.10 001-F6.11 001-T6.10 001-T6.11
001-F6.12 001-F6.13 001-F6.14 001-F6.15 001-T7.1 001-T7.2 001-F7.3 001-F7.4 001-F7.5 001-F7.6 001-F7.7
001-F7.8 002-T1 002-F2 002-F3 002-F4 002-F5 003-T1 003-F4 003-F5 003-F6 003-F7 003-F8 003-F9 003-S3.1
""".split()  # noqa: SIM905 - as a list, one long line or 63 of them


def rows(series, *values, data="D", panel=""):
    return [Row(data=data, series=series, x=str(place + 1), value=value, panel=panel) for place, value in enumerate(values)]


def points(series, *values, data="D"):
    return [Point(data=data, series=series, x=str(place + 1), value=value) for place, value in enumerate(values)]


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


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [((90, 95), Verdict.BETTER), ((80, 99), Verdict.REACHED), ((60, 95), Verdict.NOT_REACHED)],
)
def test_a_table_is_better_if_no_cell_is_worse_and_reached_if_the_mean_is_not(ours, verdict):
    claim = Matches(text="finds as many", better=Direction.HIGHER)
    assert claim.judge(rows("N-gram", *ours), points("N-gram", 85, 95)).verdict is verdict


def test_the_series_of_a_table_may_have_another_name_with_us():
    claim = Matches(text="finds as many", better=Direction.LOWER, ours={"DER": "shape"})
    found = [*rows("DER", 9, 9), *rows("shape", 1, 1)]
    assert claim.judge(found, points("DER", 2, 2)).verdict is Verdict.BETTER


@pytest.mark.parametrize(("most", "verdict"), [(0.5, Verdict.BETTER), (0.3, Verdict.REACHED), (0.2, Verdict.NOT_REACHED)])
def test_a_bound_is_held_against_the_worst_figure(most, verdict):
    claim = Bound(text="below", where={"series": "Hybrid"}, most=most)
    assert claim.judge([*rows("Hybrid", 0.1, 0.28), *rows("Simple", 9)], []).verdict is verdict


@pytest.mark.parametrize(("least", "verdict"), [(3, Verdict.BETTER), (4, Verdict.REACHED), (5, Verdict.NOT_REACHED)])
def test_a_lower_bound_is_held_against_the_smallest_figure(least, verdict):
    assert Bound(text="above", where={}, least=least).judge(rows("x", 9, 4), []).verdict is verdict


@pytest.mark.parametrize(
    ("lower", "verdict"), [((5, 5), Verdict.BETTER), ((6, 7), Verdict.REACHED), ((9, 9), Verdict.NOT_REACHED)]
)
def test_a_gain_is_compared_with_the_stated_range(lower, verdict):
    claim = Gain(text="better by 30 % to 45 %", of="new", over="old", least=0.3, most=0.45)
    assert claim.judge([*rows("new", *lower), *rows("old", 10, 10)], []).verdict is verdict


def test_a_series_is_below_another_if_it_is_so_in_nine_of_ten_places():
    claim = Below(text="below", lower="a", higher="b")
    almost, half = [1] * 9 + [3], [1] * 5 + [3] * 5
    assert claim.judge([*rows("a", *almost), *rows("b", *[2] * 10)], []).verdict is Verdict.REACHED
    assert claim.judge([*rows("a", *half), *rows("b", *[2] * 10)], []).verdict is Verdict.NOT_REACHED


@pytest.mark.parametrize(
    ("way", "values", "holds"),
    [
        (Way.FALLS, (3, 2, 1), True),
        (Way.FALLS, (1, 2, 3), False),
        (Way.RISES, (1, 2, 3), True),
        (Way.STABLE, (10, 11, 10), True),
        (Way.STABLE, (10, 40, 10), False),
        (Way.DIPS, (5, 2, 4), True),
        (Way.DIPS, (1, 2, 3), False),
        (Way.LINEAR, (1, 2, 3), True),
        (Way.LINEAR, (1, 4, 9), False),
        (Way.QUADRATIC, (1, 4, 9), True),
        (Way.QUADRATIC, (1, 8, 27), False),
    ],
)
def test_a_trend_looks_at_every_line(way, values, holds):
    found = Trend(text="trend", way=way).judge(rows("a", *values), [])
    assert (found.verdict is Verdict.REACHED) == holds


def test_statistics_are_compared_with_the_printed_ones():
    claim = Equals(text="same sizes")
    assert claim.judge(rows("records", 100), points("records", 101)).verdict is Verdict.REACHED
    assert claim.judge(rows("records", 100), points("records", 120)).verdict is Verdict.NOT_REACHED


def test_what_was_not_measured_or_not_printed_cannot_be_compared():
    claims = [
        Matches(text="t", better=Direction.LOWER),
        Bound(text="t", where={"series": "a"}, most=1),
        Gain(text="t", of="a", over="b", least=0),
        Below(text="t", lower="a", higher="b"),
        Trend(text="t", way=Way.FALLS),
        Equals(text="t"),
        Untold(text="t", because="the picture is lost"),
    ]
    assert {claim.judge([], []).verdict for claim in claims} == {Verdict.NOT_COMPARABLE}
    assert overall([claim.judge([], []) for claim in claims]) is Verdict.NOT_COMPARABLE


def test_a_changed_published_number_changes_the_verdict():
    experiment = experiments()["000-T3"]
    found = [Row(data=p.data, series=p.series, x=p.x, value=p.value) for p in experiment.published]
    found += [replace(row, series="raked") for row in found if row.series == "Hybrid"]
    assert overall(judged(experiment, found)) is not Verdict.NOT_REACHED
    harder = replace(experiment, published=tuple(replace(p, value=1.5 * p.value) for p in experiment.published))
    assert overall(judged(harder, found)) is Verdict.NOT_REACHED


def test_rows_are_written_and_read_as_tidy_csv(tmp_path):
    found = [Row(data="Metro, 1", series="a", x="0.5", value=0.25, panel="max |Q| = 3", runs=2)]
    path = tmp_path / "rows.csv"
    path.write_text(rows_as_text(found), encoding="utf-8")
    assert read_rows(path) == found


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


def test_pages_show_verdicts_first_then_pictures(tmp_path):
    run_experiments(chosen_experiments(["003-T1"]), tmp_path, quick=True, jobs=1)
    write_pages(tmp_path)
    index = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "**1 of 63 experiments**" in index
    assert "| **reached** | 1 of 1 | quick |" in index
    page = (tmp_path / "hidden-patterns.md").read_text(encoding="utf-8")
    assert page.index("| claim | verdict | reason |") < page.index("![003-T1")
    assert (tmp_path / "003-T1.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_command_lists_everything_and_runs_what_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[:1] == "0"]
    assert {*CATALOGUE} <= {*listed}
    assert not (tmp_path / "tacita-results").exists()
    assert main(["reproduce", "003-T1", "--quick", "--jobs", "1", "--out", "results", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-reproduce-1"))
    assert [each["verdict"] for each in told["experiments"]] == ["reached"]


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
