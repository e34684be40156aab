"""Points become cells of a map in every kind that has places: published, described, outlined, verified and evaluated alike."""

import hashlib
import json
import random

import pytest

import tacita as ta
from tacita.cli import main

CELLS = ["--cells", "40,10,41,12", "--cell-size", "2x4"]
POINTS = ["--latitude", "lat", "--longitude", "lon"]
GRID = ["--time-start", "0", "--time-step", "1", "--time-intervals", "6"]
KINDS = {
    "sequences": ["--epsilon", "4"],
    "sets": ["--epsilon", "4"],
    "streams": ["--method", "uniform", "--contexts", "2", "--epsilon", "4", *GRID],
    "trajectories": ["--method", "suppression", "--crowd", "2", "--known-pairs", "1", *GRID],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    drawn = random.Random(1)
    rows = [
        f"p{person},{40 + drawn.random():.4f},{10 + 2 * drawn.random():.4f},{time}" for person in range(80) for time in range(4)
    ]
    rows += ["p1,80,10,1", "p2,,11,2", "p3,far,11,3"]
    (tmp_path / "points.csv").write_text("\n".join(["id,lat,lon,time", *rows]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_of_cells_has_their_outlines_and_passes_its_checks(folder, capsys, kind):
    assert main(["publish", kind, "points.csv", *CELLS, *POINTS, *KINDS[kind], "--out", "out"]) == 0
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    described = manifest["public_inputs"]["cells"]
    assert (described["rows"], described["columns"], described["south"]) == (2, 4, 40.0)
    assert "cells.geojson" in {file["name"] for file in manifest["files"]}
    shown = json.loads((folder / "out" / "cells.geojson").read_text(encoding="utf-8"))
    assert len(shown["features"]) == 8
    capsys.readouterr()
    assert main(["verify", "out"]) == 0
    assert "ok   the outlines of the cells are those of the public grid" in capsys.readouterr().out
    assert main(["evaluate", "points.csv", "out", *POINTS]) == 0
    assert any("map" in str(picture) or "cells" in picture.title for picture in ta.open_release("out").data.pictures())


@pytest.mark.parametrize("text", ["", '{"type": "FeatureCollection", "features": []}'])
def test_outlines_that_are_not_those_of_the_grid_fail_the_check(folder, capsys, text):
    assert main(["publish", "sequences", "points.csv", *CELLS, *POINTS, "--epsilon", "4", "--out", "out"]) == 0
    path, manifest = folder / "out" / "cells.geojson", folder / "out" / "manifest.json"
    path.write_text(text, encoding="utf-8")
    told = json.loads(manifest.read_text(encoding="utf-8"))
    file = next(file for file in told["files"] if file["name"] == path.name)
    file |= {"bytes": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    manifest.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", "out"]) != 0
    assert "FAIL the outlines of the cells are those of the public grid" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (CELLS[:2], "cells need a box"),
        (CELLS[2:], "cells need a box"),
        ([*CELLS, "--universe", "places.txt"], "take the place of --universe"),
        ([*CELLS, "--observed-universe"], "give --universe, --cells or --observed-universe"),
        ([*CELLS[:3], "2"], "size of a cell must be"),
    ],
)
def test_cells_that_cannot_be_meant_are_refused(folder, capsys, words, said):
    (folder / "places.txt").write_text("a\nb\n", encoding="utf-8")
    assert main(["publish", "sequences", "points.csv", *words, *POINTS, "--epsilon", "1", "--out", "out"]) != 0
    assert said in capsys.readouterr().err


def test_points_without_cells_and_lines_without_columns_are_refused(folder, capsys):
    (folder / "places.txt").write_text("a\nb\n", encoding="utf-8")
    (folder / "lines.dat").write_text("a b\n", encoding="utf-8")
    words = ["--universe", "places.txt", "--epsilon", "1", "--out", "out"]
    assert main(["publish", "sequences", "points.csv", *POINTS, *words]) != 0
    assert "give its box and the size of a cell" in capsys.readouterr().err
    assert main(["publish", "sets", "lines.dat", *CELLS, "--epsilon", "1", "--out", "out"]) != 0
    assert "no columns of latitudes and longitudes" in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("kind", ["sequences", "sets"])
def test_points_outside_the_box_are_told_as_points_with_a_question_about_the_box(folder, capsys, kind):
    rows = [f"p{person},{latitude},11,1" for person in range(4) for latitude in (40.5, 50, 60)]
    (folder / "far.csv").write_text("\n".join(["id,lat,lon,time", *rows]) + "\n", encoding="utf-8")
    words = ["publish", kind, "far.csv", *POINTS, *CELLS[2:], "--epsilon", "4", "--out", "out"]
    assert main([*words, "--cells", CELLS[1]]) == 0
    said = capsys.readouterr().err
    assert "points outside the box of the cells" in said
    assert "is it the right box (--cells south,west,north,east)" in said
    assert "separator" not in said
    assert main([*words[:-1], "two", "--cells=-41,10,-40,12"]) != 0
    assert "no point is in the box; is it the right box" in capsys.readouterr().err


def test_points_that_follow_each_other_in_one_cell_are_one_visit(folder):
    rows = ["id,latitude,longitude,time", "a,40.1,10.1,1", "a,40.2,10.2,2", "a,40.9,10.1,3", "a,40.1,10.1,4"]
    (folder / "walk.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    cells = ta.CellGrid.parse("40,10,41,12", "2x4")
    assert ta.sequences.read_sequences("walk.csv", universe=cells.universe).sequences.to_lists() == [[0, 4, 0]]
    grid = ta.TimeGrid(start=0, interval=2, intervals=3)
    timed = ta.sequences.read_sequences("walk.csv", universe=cells.universe, grid=grid)
    assert timed.sequences.to_lists() == [[0, 8, 12, 16]]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("given", [{"cells": (40, 10, 41, 12), "cell_size": "2x4"}, {"cells": "grid"}])
def test_cells_are_given_in_python_as_a_box_or_as_a_grid(given):
    if given["cells"] == "grid":
        given = {"cells": ta.CellGrid.parse("40,10,41,12", "2x4")}
    release = ta.publish("points.csv", kind="sequences", latitude="lat", longitude="lon", epsilon=4, **given)
    assert release.manifest["public_inputs"]["cells"]["columns"] == 4


def test_what_inspect_writes_for_points_publishes_once_it_is_filled_in(folder, capsys):
    assert main(["inspect", "points.csv"]) == 0
    text = (folder / "tacita.toml").read_text(encoding="utf-8")
    assert 'kind = "sequences"' in text
    for name, value in {"cells": '"40,10,41,12"', "cell-size": '"2x4"', "epsilon": "4"}.items():
        text = text.replace(f'{name} = "?"', f"{name} = {value}", 1)
    lines = [line for line in text.splitlines() if not (line.startswith("time-format") and '"?"' in line)]
    (folder / "tacita.toml").write_text("\n".join(lines), encoding="utf-8")
    capsys.readouterr()
    assert main(["publish"]) == 0
    assert (folder / "points-release" / "cells.geojson").is_file()


def test_an_outline_is_drawn_over_the_maps_of_both_reports_and_nowhere_else(folder, capsys):
    line = {"type": "LineString", "coordinates": [[10.2, 40.2], [11.5, 40.9]]}
    (folder / "coast.geojson").write_text(json.dumps(line), encoding="utf-8")
    (folder / "places.txt").write_text("a\nb\n", encoding="utf-8")
    assert main(["publish", "sequences", "points.csv", *CELLS, *POINTS, "--epsilon", "4", "--out", "out"]) == 0
    assert main(["report", "points.csv", "out", *POINTS, "--outline", "coast.geojson"]) == 0
    pages = [(folder / name).read_text(encoding="utf-8") for name in ("out-owner-report.html", "out-report.html")]
    assert [page.count('class="coast"') for page in pages] == [3, 1]  # raw, released and their difference; released
    declared = ['kind = "sequences"', 'input = "points.csv"', "[reading]", 'latitude = "lat"', 'longitude = "lon"']
    declared += ["[report]", 'outline = "coast.geojson"']
    (folder / "cells.toml").write_text("\n".join(declared) + "\n", encoding="utf-8")
    assert main(["report", "points.csv", "out", "--config", "cells.toml", "--out", "owner.html", "--shared", "shared.html"]) == 0
    assert (folder / "owner.html").read_text(encoding="utf-8") == pages[0]
    ta.report("points.csv", "out", "again.html", config="cells.toml")
    assert (folder / "again.html").read_text(encoding="utf-8") == pages[0]
    (folder / "labels.csv").write_text("id,label,time\np,a,1\nq,b,1\n", encoding="utf-8")
    assert main(["publish", "sequences", "labels.csv", "--universe", "places.txt", "--epsilon", "4", "--out", "two"]) == 0
    assert main(["report", "labels.csv", "two", "--outline", "coast.geojson"]) != 0
    assert "no cells of a map" in capsys.readouterr().err
