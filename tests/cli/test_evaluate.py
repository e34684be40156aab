"""The utility of a release, from the command line: for the owner's eyes, for scripts, and for a file outside the release."""

import json

import jsonschema
import polars as pl
import pytest

from commands import SECRET, publish
from tacita.cli import main
from tacita.schemas import output_schema

GRID = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]


def evaluate(files, *more, name="taps.csv", release="out"):
    return main(["evaluate", str(files / name), str(files / release), "--universe", str(files / "stations.txt"), *more])


def checked(text):
    content = json.loads(text)
    jsonschema.validate(content, output_schema(content["schema"]))
    return content


@pytest.mark.usefixtures("terminal")
def test_the_figures_are_printed_for_the_owner(files, capsys):
    assert publish(files) == 0
    capsys.readouterr()
    assert evaluate(files) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("for the owner's eyes only")
    assert "average relative error" in printed.out
    assert "1 of 601 were labels outside the universe" in printed.err
    assert SECRET not in printed.out + printed.err


def test_the_figures_are_saved_outside_the_release_and_follow_their_schema(files, capsys):
    assert publish(files) == 0
    before = sorted((files / "out").iterdir())
    capsys.readouterr()
    assert evaluate(files, "--json", "--out", str(files / "figures.json")) == 0
    told = checked(capsys.readouterr().out)
    assert told == checked((files / "figures.json").read_text(encoding="utf-8"))
    assert told["labels"]["records"]["raw"] == 300
    assert "owner" in told["labels"]["warning"]
    assert told["visits"] is None
    assert sorted((files / "out").iterdir()) == before


@pytest.mark.parametrize("file_format", ["csv.zst", "jsonl.gz", "wide", "dat.gz"])
def test_a_release_of_any_format_is_read_back(files, capsys, file_format):
    assert publish(files, "--format", file_format) == 0
    written = json.loads((files / "out" / "manifest.json").read_text(encoding="utf-8"))["files"][0]["name"]
    assert written.endswith(file_format.replace("wide", "lines"))
    capsys.readouterr()
    assert evaluate(files, "--json") == 0
    told = checked(capsys.readouterr().out)
    assert abs(told["labels"]["records"]["released"] - 300) < 60


@pytest.mark.parametrize("file_format", ["parquet", "csv.gz"])
def test_a_release_with_times_is_compared_by_labels_and_by_visits(files, capsys, file_format):
    assert publish(files, *GRID, "--format", file_format) == 0
    capsys.readouterr()
    assert evaluate(files, "--json") == 0
    told = checked(capsys.readouterr().out)
    assert told["labels"]["distributions"]["symbols"] < 0.1
    assert told["visits"]["distributions"]["symbols"] < 0.1
    assert evaluate(files) == 0
    text = capsys.readouterr().out
    assert "== labels, without their times ==" in text
    assert "== visits: labels together with the intervals of their times ==" in text


def test_a_release_with_dates_is_read_back_with_the_grid_of_its_manifest(files, capsys):
    pl.DataFrame(
        {"id": [i // 2 for i in range(400)], "label": ["A", "B"] * 200, "time": ["2026-05-04T07:10", "2026-05-04T09:50"] * 200}
    ).write_csv(files / "dated.csv")
    grid = ["--time-start", "2026-05-04T06:00", "--time-step", "1h", "--time-intervals", "6"]
    assert publish(files, *grid, name="dated.csv") == 0
    released = pl.read_csv(files / "out" / "sequences.csv")
    often = released["time"].str.slice(0, 16).value_counts().filter(pl.col("count") > 150)  # noise may add a few others
    assert set(often["time"]) == {"2026-05-04T07:00", "2026-05-04T09:00"}
    capsys.readouterr()
    assert evaluate(files, "--json", name="dated.csv") == 0
    assert checked(capsys.readouterr().out)["visits"]["distributions"]["symbols"] < 0.1


def test_figures_are_refused_a_place_in_any_release(files, capsys):
    assert publish(files) == 0
    assert publish(files, out="other") == 0
    capsys.readouterr()
    assert evaluate(files, "--out", str(files / "other" / "figures.json")) == 1
    assert "must lie outside the release folder" in capsys.readouterr().err
    assert not (files / "other" / "figures.json").exists()
