"""A method is chosen from public facts alone, and says why."""

import pytest

from tacita.cli import main
from tacita.errors import ParameterError
from tacita.kinds import Facts, kind_named, kinds, load, methods
from tacita.kinds.sequences import MOST_INTERVALS
from tacita.kinds.wanted import choose_method, selected
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, Raked

ONE = PureDP("1")
PLACES = PublicInputs(universe=Universe([f"place {number}" for number in range(256)]))


def test_sequences_are_raked_if_nothing_else_is_said():
    chosen = choose_method("sequences", budget=ONE, public=PLACES)
    assert isinstance(chosen.method, Raked)
    assert "the method is raked, chosen from public facts: " in str(chosen)
    assert "it keeps lengths, steps, ends, round trips" in str(chosen)


def test_times_are_raked_unless_there_are_more_intervals_than_that_takes():
    timed = PublicInputs(universe=PLACES.universe, grid=TimeGrid(start=0, interval=1, intervals=MOST_INTERVALS))
    assert isinstance(choose_method("sequences", budget=ONE, public=timed, measure="people", records=300).method, Raked)
    many = PublicInputs(universe=PLACES.universe, grid=TimeGrid(start=0, interval=1, intervals=MOST_INTERVALS + 1))
    assert isinstance(choose_method("sequences", budget=ONE, public=many).method, PrefixTree)
    with pytest.raises(ParameterError, match=r"at most 2,000 intervals, got 2,001; choose a coarser grid, or prefix-tree"):
        Raked().plan(ONE, many)
    assert Raked().plan(ONE, timed).epsilon == 1


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"measure": "orders", "records": 3_000}, Raked),
        ({"measure": "people", "records": 300}, Raked),
        ({"measure": "people", "records": 700_000, "longest": 2}, PrefixTree),
        ({"measure": "patterns", "longest": 3}, PrefixTree),
        ({"measure": "patterns", "longest": 4}, Raked),
        ({"measure": "orders", "longest": 2}, Raked),
        ({"records": 300}, Raked),
    ],
)
def test_what_matters_most_decides_for_sequences_that_a_tree_counts_whole(facts, expected):
    assert isinstance(choose_method("sequences", budget=ONE, public=PLACES, **facts).method, expected)


def test_a_tree_for_short_records_is_as_high_as_they_are():
    chosen = choose_method("sequences", budget=ONE, public=PLACES, measure="people", longest=2)
    assert chosen.method.height == 2


@pytest.mark.parametrize(
    ("kind", "budget", "name"),
    [
        ("sets", ONE, "itemset-counts"),
        ("sets", ApproxDP("1", "1e-6"), "itemset-counts"),
        ("networks", ONE, "shape"),
        ("tables", ONE, "marginals"),
        ("tables", None, "mondrian"),
        ("trajectories", None, "suppression"),
    ],
)
def test_every_kind_chooses_what_the_budget_is_for(kind, budget, name):
    epsilon = None if budget is None else float(budget.epsilon)
    facts = Facts(epsilon=epsilon, has_delta=budget is not None and budget.delta > 0)
    assert selected(kind_named(kind), facts, {}).method == name


def test_every_chooser_exists_and_chooses_a_method_of_its_kind():
    for kind in kinds().values():
        own = [method for method in methods().values() if method.kind == kind.name]
        found = load(kind.chooses)(Facts(epsilon=1.0), own)
        assert found.method in {method.name for method in own}
        assert found.because


def test_parameters_narrow_what_can_be_meant():
    facts = Facts(epsilon=1.0)
    assert selected(kind_named("sequences"), facts, {"height": 4}).method == "prefix-tree"
    assert selected(kind_named("sequences"), facts, {"max_gram": 4}).method == "ngram"
    assert selected(kind_named("sets"), facts, {"max_partitions": 4}).method == "diffpart"
    with pytest.raises(ParameterError, match="no method of sequences takes this budget together with these parameters"):
        selected(kind_named("sequences"), facts, {"height": 4, "max_gram": 4})


def test_a_measure_that_the_kind_does_not_know_is_refused():
    with pytest.raises(ParameterError, match="the measure must be one of people, returns, orders, patterns, lengths, ends"):
        choose_method("sequences", budget=ONE, measure="beauty")
    with pytest.raises(ParameterError, match="the measure must be left out: methods of networks have none"):
        choose_method("networks", budget=ONE, measure="people")


def test_commands_choose_and_say_why_without_a_look_at_the_data(tmp_path, capsys):
    (tmp_path / "labels.txt").write_text("A\nB\nC\n", encoding="utf-8")
    words = ["--epsilon", "1", "--universe", str(tmp_path / "labels.txt")]
    assert main(["explain", "sequences", *words]) == 0
    assert "the method is raked, chosen from public facts" in capsys.readouterr().out
    nowhere = str(tmp_path / "taps.csv")
    assert main(["publish", "sequences", nowhere, *words, "--out", str(tmp_path / "out"), "--dry-run"]) == 0
    assert "the method is raked, chosen from public facts" in capsys.readouterr().out
    (tmp_path / "taps.csv").write_text("id,label,time\n" + "".join(f"{n},A,1\n{n},B,2\n" for n in range(99)), encoding="utf-8")
    assert main(["publish", "sequences", nowhere, *words, "--method", "auto", "--out", str(tmp_path / "out")]) == 0
    assert "the method is raked, chosen from public facts" in capsys.readouterr().out
