"""Trajectories on the command line: coarser places, points, the lattice, attacks with a picture, and the game of membership."""

import json
from xml.etree import ElementTree as ET

import jsonschema
import numpy as np
import polars as pl
import pytest

from tacita.cli import main
from tacita.kinds import method_named
from tacita.schemas import output_schema

GRID = ["--time-start", "0", "--time-step", "1", "--time-intervals", "8"]
ASKED = ["--method", "suppression", "--crowd", "3", "--known-pairs", "2"]


@pytest.fixture
def town(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    rows = [(person, "abcd"[generator.integers(4)], int(time)) for person in range(60) for time in generator.permutation(8)[:3]]
    pl.DataFrame(rows, schema=["id", "label", "time"], orient="row").write_csv("walks.csv")
    states = ["ill" if person % 5 == 0 else "well" for person in range(60)]
    pl.DataFrame({"id": range(60), "state": states}).write_csv("people.csv")
    (tmp_path / "places.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    pl.DataFrame({"place": list("abcd"), "half": ["north", "north", "south", "south"]}).write_csv("tree.csv")
    return tmp_path


def told(words, schema, capsys):
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, output_schema(schema))
    return found


@pytest.mark.usefixtures("town")
def test_a_release_with_coarser_places_is_evaluated_with_the_fine_file(capsys):
    words = [*ASKED, *GRID, "--universe", "places.txt", "--taxonomy", "tree.csv", "--place-depth", "1", "--join-intervals", "2"]
    assert main(["publish", "trajectories", "walks.csv", *words, "--out", "coarse"]) == 0
    found = told(["evaluate", "walks.csv", "coarse"], "tacita-evaluate-trajectories-1", capsys)
    assert found["kept"]["raw_records"] == 60
    assert 0 <= found["kept"]["instance_loss"] < 0.5
    assert main(["evaluate", "walks.csv", "coarse", "--universe", "places.txt"]) == 0


@pytest.mark.usefixtures("town")
def test_the_lattice_shows_every_grain_and_refuses_one_that_is_fixed(capsys):
    words = [
        "lattice",
        "trajectories",
        "walks.csv",
        *ASKED,
        *GRID,
        "--universe",
        "places.txt",
        "--taxonomy",
        "tree.csv",
        "--intervals",
        "1,4",
    ]
    grains = told(words, "tacita-lattice-1", capsys)["grains"]
    assert [(grain["place_depth"], grain["join_intervals"]) for grain in grains] == [(None, 1), (None, 4), (1, 1), (1, 4)]
    assert grains[0]["instances_kept"] < grains[3]["instances_kept"]
    assert main(words) == 0
    assert "for the owner's eyes only" in capsys.readouterr().out
    assert main([*words, "--join-intervals", "2"]) != 0
    assert "would do nothing" in capsys.readouterr().err


def test_points_are_published_as_cells_and_evaluated(town, capsys):
    generator = np.random.default_rng(2)
    rows = [(person, 40.0 + generator.random(), 10 + generator.random(), int(time)) for person in range(60) for time in (1, 2)]
    frame = pl.DataFrame([*rows, (1, 80.0, 0.0, 1)], schema=["id", "lat", "lon", "time"], orient="row")
    frame.write_csv("points.csv")
    cells = ["--cells", "40,10,41,11", "--cell-size", "60km"]
    reading = ["--latitude", "lat", "--longitude", "lon"]
    assert main(["publish", "trajectories", "points.csv", *ASKED, *GRID, *cells, *reading, "--out", "out"]) == 0
    manifest = json.loads((town / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["public_inputs"]["cells"]["rows"] == 2
    assert main(["evaluate", "points.csv", "out", *reading]) == 0
    assert "records: 60 of 60" in capsys.readouterr().out
    assert main(["publish", "trajectories", "points.csv", *ASKED, *GRID, *cells[:2], *reading, "--out", "two"]) != 0
    assert "cells need a box" in capsys.readouterr().err


@pytest.mark.usefixtures("town")
def test_attacks_on_two_releases_are_told_and_drawn(town, capsys):
    words = [*ASKED, *GRID, "--universe", "places.txt", "--attributes", "people.csv", "--sensitive", "state=ill<=1/2"]
    assert main(["publish", "trajectories", "walks.csv", *words, "--out", "one"]) == 0
    assert main(["publish", "trajectories", "walks.csv", *words, "--strategy", "global", "--out", "two"]) == 0
    attack = ["attack", "trajectories", "walks.csv", "one", "two", "--attributes", "people.csv", "--plot", "risk.svg"]
    found = told(attack, "tacita-attack-1", capsys)["attacks"]
    points, minimality = "uniqueness by points", "minimality"
    names = ["linkage", "linkage", "linkage", points, points, minimality, points, minimality, "composition"]
    assert [each["attack"] for each in found] == names
    figures = {figure["name"]: figure["value"] for figure in found[1]["figures"]}
    assert figures["singled out by 2 pairs, at worst"] == 0
    assert figures["smallest crowd by 2 pairs"] >= 3
    texts = [element.text for element in ET.parse(town / "risk.svg").getroot().iter() if element.tag.endswith("text")]
    assert {"the private file", "release 1", "release 2"} <= set(texts)


def test_membership_is_played_against_private_methods_of_every_kind(tmp_path, monkeypatch, capsys):
    """Each interval misses at most once in 20 runs, and by that much only if the method were at its bound."""
    monkeypatch.chdir(tmp_path)
    for method in ("top-down --splits 1", "histogram", "prefix-tree --height 1", "random"):
        words = [
            "attack",
            method_named(method.split()[0]).kind,
            "--membership",
            "20",
            "--method",
            *method.split(),
            "--epsilon",
            "2",
        ]
        (found,) = told(words, "tacita-attack-1", capsys)["attacks"]
        advantage = next(figure for figure in found["figures"] if figure["name"] == "advantage")
        assert advantage["low"] < advantage["bound"] < 0.77
    assert main(["attack", "sets", "walks.csv", "--membership", "20"]) != 0
    assert "leave out the file" in capsys.readouterr().err
    assert main(["attack", "sets", "--epsilon", "1"]) != 0
    assert "name the private file" in capsys.readouterr().err
