"""Tasks on releases: what a model learns from a release, beside what it learns from raw records."""

import importlib
import json

import jsonschema
import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.cli import main
from tacita.errors import ParameterError
from tacita.schemas import output_schema
from tacita.utility import Tasks, TaskScore, measure_rules, measure_tasks

TOGETHER = [[0, 1], [2, 3], [0, 1, 4], [2, 3, 4]]


def records(number=400, rows=TOGETHER):
    return Ragged.from_lists([rows[place % len(rows)] for place in range(number)])


def independent(number=2_000):
    """Every label with two chances in five, whatever the others: nothing can be learnt from it."""
    drawn = np.random.Generator(np.random.PCG64(3)).random((number, 5)) < 0.4
    return Ragged.from_lists([np.flatnonzero(row).tolist() for row in drawn])


def scores(released, **options):
    found = measure_tasks(records(), released, symbols=5, **options).scores
    return {score.task.partition(" (")[0]: score for score in found}


def test_a_release_that_is_the_data_teaches_all_that_the_data_teach():
    found = scores(records())
    assert found["classification"].kept == pytest.approx(1, abs=0.02)
    assert found["clustering"].kept == pytest.approx(1, abs=0.02)
    assert found["association rules"].released == 1


def test_a_release_whose_labels_are_independent_teaches_less():
    found = scores(independent())
    assert found["classification"].released < found["classification"].raw - 0.05
    assert found["association rules"].released < 0.5


def test_an_empty_release_teaches_nothing():
    found = scores(Ragged.from_lists([]))
    assert found["clustering"].released == 0
    assert found["association rules"].released == 0
    assert "classification" not in found  # there is no label to foresee


def test_next_places_are_foreseen_where_records_are_ordered():
    assert scores(records(), ordered=True)["next place"].kept == 1
    assert "next place" not in scores(records())


def test_rules_need_half_of_those_who_have_the_left_side():
    data = Ragged.from_lists([[0, 1]] * 6 + [[0]] * 4 + [[2]] * 10)
    found = measure_rules(data, Ragged.from_lists([[0, 1]] * 4 + [[0]] * 6), symbols=3)
    assert found.task == "association rules (2 true, 1 found)"  # 0 -> 1 has 60 % and 40 %; 1 -> 0 always holds
    assert found.released == pytest.approx(2 / 3)


def test_what_is_kept_is_a_share_of_what_can_be_learnt():
    assert TaskScore(task="t", measure="m", released=0.7, raw=0.9, baseline=0.5).kept == pytest.approx(0.5)
    nothing = TaskScore(task="t", measure="m", released=0.4, raw=0.5, baseline=0.5)
    assert nothing.kept is None
    assert "nothing to predict" in str(Tasks(scores=(nothing,)))


def test_without_scikit_learn_the_sentence_says_how_to_get_it(monkeypatch):
    real = importlib.import_module
    monkeypatch.setattr(
        "tacita.utility.tasks.import_module",
        lambda name: (_ for _ in ()).throw(ImportError()) if name.startswith("sklearn") else real(name),
    )
    with pytest.raises(ParameterError, match=r"pip install 'tacita\[tasks\]'"):
        measure_tasks(records(), records(), symbols=5)


def test_one_record_is_too_few():
    with pytest.raises(ParameterError, match="at least two raw records"):
        measure_tasks(records(1), records(), symbols=5)


@pytest.fixture
def ngram_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "metro", "--records", "400", "--out", "metro"]) == 0
    words = ["metro/sequences.csv", "--universe", "metro/universe.txt", "--max-length", "4", "--max-gram", "2"]
    assert main(["publish", "sequences", *words, "--method", "ngram", "--epsilon", "50", "--out", "release"]) == 0


@pytest.mark.usefixtures("ngram_release")
def test_evaluate_shows_tasks_and_what_the_same_grams_give_without_noise(capsys):
    capsys.readouterr()
    assert main(["evaluate", "metro/sequences.csv", "release", "--tasks", "--without-noise", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-evaluate-1"))
    assert {task["task"].partition(" ")[0] for task in told["tasks"]} >= {"clustering", "association", "next"}
    assert told["without_noise"]["queries"]
    assert main(["evaluate", "metro/sequences.csv", "release", "--tasks"]) == 0
    assert "next place" in capsys.readouterr().out


def test_what_a_kind_or_a_method_does_not_have_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "baskets", "--records", "300", "--out", "shop"]) == 0
    words = ["shop/sets.csv", "--universe", "shop/universe.txt", "--method", "itemset-counts", "--epsilon", "5"]
    assert main(["publish", "sets", *words, "--out", "release"]) == 0
    assert main(["evaluate", "shop/sets.csv", "release", "--without-noise"]) == 1
    assert "--without-noise is not for sets" in capsys.readouterr().err
