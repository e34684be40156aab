"""What can be known without data: a forecast, and worlds that are nobody's."""

import json
import shlex

import jsonschema
import pytest

from tacita.cli import main
from tacita.kinds import kinds
from tacita.schemas import output_schema
from tacita.simulate import WORLDS

TREE = ["--method", "prefix-tree", "--height", "3", "--epsilon", "1"]


@pytest.fixture
def explain(files, capsys):
    def run(*more, universe=True):
        named = ["--universe", str(files / "stations.txt")] if universe else []
        code = main(["explain", "sequences", *TREE, *named, *more])
        return code, capsys.readouterr()

    return run


def test_without_the_number_of_records_a_line_says_what_a_forecast_needs(explain):
    code, printed = explain()
    assert code == 0
    assert printed.out.endswith("needs the number of records: give --records\n")


def test_a_forecast_follows_the_explanation(explain):
    code, printed = explain("--records", "500", "--like", "journey,commuter")
    assert code == 0
    assert "forecast for 500 records over 3 labels, from 2 simulated worlds" in printed.out
    assert printed.out.index("level 3") < printed.out.index("symbols kept")


def test_a_forecast_with_times_says_how_near_places_and_hours_come(explain):
    code, printed = explain("--records", "9", "--time-start", "0", "--time-step", "1", "--time-intervals", "2")
    assert code == 0
    assert "forecast for 9 sequences over 3 labels and 2 intervals" in printed.out
    assert "distance of places and hours together" in printed.out


def test_a_forecast_for_scripts_follows_the_schema(explain):
    for more in ([], ["--records", "500", "--mean-length", "4.5", "--longest-record", "20"]):
        code, printed = explain("--json", *more)
        assert code == 0
        told = json.loads(printed.out)
        jsonschema.validate(told, output_schema("tacita-explain-1"))
        assert (told["forecast"] is not None) == bool(more)
        assert not more or not any("journey" in world for world in told["forecast"]["worlds"])


def test_a_forecast_takes_the_labels_of_the_taxonomy(files, explain):
    (files / "groups.csv").write_text("label,group\nA,x\nB,x\nC,y\nD,y\n", encoding="utf-8")
    words = ["--taxonomy", str(files / "groups.csv"), "--records", "300", "--like", "session"]
    code, printed = explain(*words, universe=False)
    assert code == 0
    assert "300 records over 4 labels" in printed.out


def test_a_forecast_of_baskets_takes_the_labels_of_the_taxonomy_too(tmp_path, capsys):
    (tmp_path / "groups.csv").write_text("label,group\nmilk,dairy\ncheese,dairy\nbread,x\n", encoding="utf-8")
    words = ["--taxonomy", str(tmp_path / "groups.csv"), "--records", "100", "--mean-length", "2"]
    assert main(["explain", "sets", "--method", "diffpart", "--epsilon", "1", *words]) == 0
    assert "100 baskets over 3 items" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "universe", "message"),
    [
        (["--records", "0"], True, "at least 1, got 0"),
        (["--records", "9"], False, "name the public --universe"),
        (["--like", "session"], True, "--like refines the forecast, so --records"),
        (["--mean-length", "3", "--longest-record", "9"], True, "--mean-length, --longest-record refines"),
        (["--records", "9", "--like", "robot"], True, "--like takes session, commuter, journey, wanderer"),
        (["--records", "9", "--mean-length", "5", "--longest-record", "2"], True, "lengths must fit"),
        (["--records", "9", "--mean-length", "nan"], True, "lengths must fit"),
    ],
)
def test_facts_that_make_no_forecast_are_refused(explain, more, universe, message):
    code, printed = explain(*more, universe=universe)
    assert code == 1
    assert printed.out == ""
    assert message in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
@pytest.mark.parametrize("world", WORLDS)
def test_every_world_is_written_and_what_it_says_to_type_next_runs(world, file_format, tmp_path, capsys):
    folder = tmp_path / "a world"
    assert (
        main(["simulate", world, "--records", "40", "--seed", "3", "--out", str(folder), "--format", file_format, "--json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-simulate-1"))
    assert sorted(file.name for file in folder.iterdir()) == told["files"]
    assert bool(told["next"]) == any(world in kind.worlds for kind in kinds().values())
    if (world, file_format) in {("metro", "csv"), ("baskets", "parquet"), ("city80k", "csv")}:
        assert [main(shlex.split(command)[1:]) for command in told["next"]] == [0] * len(told["next"])


def test_the_same_seed_gives_the_same_world(tmp_path):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert main(["simulate", "metro", "--records", "30", "--seed", seed, "--out", str(tmp_path / name)]) == 0
    texts = [(tmp_path / name / "sequences.csv").read_bytes() for name in "abc"]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_people_are_told_where_a_world_is_and_what_to_type(tmp_path, capsys):
    assert main(["simulate", "stm", "--records", "30", "--out", str(tmp_path / "stm")]) == 0
    text = capsys.readouterr().out
    assert f"30 passengers in {tmp_path / 'stm'}" in text
    assert f"tacita publish sequences {tmp_path / 'stm' / 'sequences.csv'}" in text


@pytest.mark.parametrize("more", [["--records", "0"], ["--records", "9", "--seed", "-1"], ["--records", "9", "--out", "."]])
def test_a_world_that_cannot_be_is_refused_and_leaves_nothing(more, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "metro", "--out", "world", *more]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
