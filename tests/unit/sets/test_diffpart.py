"""Top-down partitioning: every basket finds its leaf, budgets are exact along every path, false partitions die out."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import taxonomies
from tacita.errors import BudgetError, ParameterError, TooManyNodesError
from tacita.privacy.account import StandIn
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.noise import passing_probability
from tacita.privacy.questions import Cells
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, DiffPart, partitioning
from tacita.testing import seeded_ledger

LETTERS = "ABCDEFGHIJKLM"


class Truth:
    """Answers without noise, and checks that what a path pays never passes the budget."""

    def __init__(self):
        self.paid = {0: Fraction(0)}
        self.nodes = 1
        self.ends = []

    def answer(self, question, counts):
        for block, key in zip(question.block_of(counts.keys), counts.keys, strict=True):
            terms = question.table[question.terms[block]]
            assert terms.threshold >= 1
            assert 0 <= key - question.bases[block] < question.sizes[block]
            self.paid[self.nodes] = self.paid[int(question.nodes[block])] + terms.epsilon
            self.nodes += 1
        return Cells(counts.keys, counts.values)


def baskets_of(universe):
    return st.lists(st.sets(st.sampled_from(universe.labels), min_size=1).map(sorted), max_size=30)


@st.composite
def cases(draw):
    taxonomy = draw(taxonomies())
    method = DiffPart(fan_out=draw(st.integers(2, 6)), taxonomy=draw(st.sampled_from([None, taxonomy])))
    return method, BasketRecords.from_labels(draw(baskets_of(taxonomy.universe)), universe=taxonomy.universe)


@given(cases())
@settings(max_examples=150)
def test_without_noise_the_release_is_the_data_and_every_basket_costs_epsilon(case):
    method, records = case
    answers = Truth()
    release = method.publish(records, budget=PureDP("3/7"), ledger=StandIn(answers))
    assert Counter(map(tuple, release.data.baskets.to_lists())) == Counter(map(tuple, records.baskets.to_lists()))
    asked_below = {Fraction(3, 7)} if len(records.baskets) else set()
    assert {answers.paid[node] for node in range(1, answers.nodes) if answers.paid[node] >= Fraction(3, 7)} == asked_below
    assert max(answers.paid.values()) <= Fraction(3, 7)


@given(cases(), st.integers(0, 1000))
@settings(max_examples=40)
def test_what_is_published_is_sorted_sets_over_the_universe(case, seed):
    method, records = case
    published = method.publish(records, budget=PureDP("2"), ledger=seeded_ledger(seed)).data.baskets.to_lists()
    assert published == sorted(published)
    assert all(row and row == sorted(set(row)) for row in published)


def test_false_partitions_and_leaves_are_as_rare_as_the_thresholds_say():
    """Every split that can happen, at its own budget: the expected number of empty masks that pass is within the bounds."""
    for items, fan_out in [(5, 2), (17, 10), (60, 3), (1012, 10)]:
        universe = Universe([f"i{place}" for place in range(items)])
        method, budget = DiffPart(fan_out=fan_out), PureDP("1")
        order, rule = method.order(universe), method.rule(budget, universe)
        for split in order.splits[:20] + order.splits[-3:]:
            for is_last in (True, False):
                for_split, for_leaf = rule.parts(Fraction(3, 4), 2)
                on, end = rule.thresholds(split, is_last=is_last, for_split=for_split, for_leaf=for_leaf)
                leaves = split.label_masks - 1 if is_last else 0
                if on is not None:
                    assert (split.masks - 1 - leaves) * passing_probability(for_split, on) <= 0.25 + 1e-9
                if end is not None:
                    assert leaves * passing_probability(for_leaf, end) <= 3 + 1e-9
                assert (on is None) == (split.masks - 1 == leaves)
                assert (end is None) == (leaves == 0)


def test_nobody_gives_next_to_nothing_however_large_the_universe():
    universe = Universe([f"i{place}" for place in range(2000)])
    empty = BasketRecords.from_labels([], universe=universe)
    sizes = [len(DiffPart().publish(empty, budget=PureDP("1"), ledger=seeded_ledger(seed)).data) for seed in range(5)]
    assert max(sizes) < 300


def test_only_splits_that_partitions_wait_for_are_made_of_the_many_of_a_large_universe(monkeypatch):
    universe = Universe([f"i{place}" for place in range(5000)])
    made, make = [], partitioning.Split
    monkeypatch.setattr(partitioning, "Split", lambda **parts: made.append(parts) or make(**parts))
    records = BasketRecords.from_labels([["i7", "i4000"]] * 3, universe=universe)
    DiffPart().publish(records, budget=PureDP("1"), ledger=seeded_ledger(1))
    DiffPart().explain(PureDP("1"), PublicInputs(universe=universe))
    assert len(DiffPart().order(universe).splits) == 556
    assert 0 < len(made) < 50


def test_a_universe_of_one_item_is_one_count_that_gets_everything():
    records = BasketRecords.from_labels([["x"]] * 50, universe=Universe(["x"]))
    release = DiffPart().publish(records, budget=PureDP("5"), ledger=seeded_ledger(1))
    assert set(map(tuple, release.data.to_labels())) == {("x",)}
    assert abs(len(release.data) - 50) < 10
    assert release.manifest["budget"]["draws"][0]["epsilon"] == "5"


def test_nodes_of_one_child_cost_nothing():
    """A chain of groups around the items is the same as no chain."""
    universe = Universe("ABCD")
    chain = Taxonomy.from_edges(
        [("A", "g"), ("B", "g"), ("g", "h"), ("h", "*"), ("C", "k"), ("k", "*"), ("D", "*")], universe=universe
    )
    method = DiffPart(fan_out=4, taxonomy=chain)
    assert [split.height for split in method.order(universe).splits] == [2, 1]
    assert method.order(universe).splits[0].labels == (2, 3)


def test_wide_groups_are_narrowed_to_the_fan_out():
    universe = Universe(LETTERS)
    method = DiffPart(fan_out=3, taxonomy=Taxonomy.flat(universe))
    assert max(len(split.children) for split in method.order(universe).splits) == 3


@pytest.mark.parametrize("wrong", [{"fan_out": 1}, {"fan_out": 33}, {"fan_out": True}, {"max_partitions": 0}, {"threshold": "x"}])
def test_parameters_that_mean_nothing_are_refused(wrong):
    with pytest.raises(ParameterError):
        DiffPart(**wrong)


def test_a_taxonomy_over_another_universe_is_refused():
    records = BasketRecords.from_labels([["A"]], universe=Universe("AB"))
    with pytest.raises(ParameterError, match="universe of the records"):
        DiffPart(taxonomy=Taxonomy.flat(Universe("BA"))).publish(records, budget=PureDP("1"))


def test_a_budget_with_a_delta_is_refused():
    with pytest.raises(BudgetError, match="must be PureDP"):
        DiffPart().plan(ApproxDP("1", "0.001"))


def test_a_limit_of_partitions_looks_at_noisy_answers_only_and_says_what_to_do():
    records = BasketRecords.from_labels([list(LETTERS)] * 500 + [["A", "M"]] * 500, universe=Universe(LETTERS))
    with pytest.raises(TooManyNodesError, match="max_partitions"):
        DiffPart(fan_out=2, max_partitions=2).publish(records, budget=PureDP("9"), ledger=seeded_ledger(1))


def test_explain_tells_thresholds_and_the_corrected_bound():
    universe = Universe(LETTERS)
    told = str(DiffPart(fan_out=10).explain(PureDP("1"), PublicInputs(universe=universe)))
    assert "has 3 groups, so a path has up to that many splits" in told
    assert "with probability 0.95" in told


def test_the_bound_grows_with_what_a_query_covers_and_with_certainty():
    universe, method, budget = Universe(LETTERS), DiffPart(), PureDP("1")
    one = method.usefulness(budget, universe=universe)
    assert method.usefulness(budget, universe=universe, itemsets=4) > 4 * one
    assert method.usefulness(budget, universe=universe, beta=Fraction(1, 1000)) > one


def test_the_bound_holds_in_runs():
    """Queries for one whole basket: the error passes the bound in far fewer than one of twenty runs."""
    universe, budget = Universe("ABCDE"), PureDP("1")
    method = DiffPart(fan_out=2)
    rows = [["A", "B"]] * 300 + [["C"]] * 40 + [["A", "E"]] * 90
    records = BasketRecords.from_labels(rows, universe=universe)
    bound = method.usefulness(budget, universe=universe)
    worse = 0
    for seed in range(40):
        release = method.publish(records, budget=budget, ledger=seeded_ledger(seed))
        found = Counter(tuple(row) for row in release.data.to_labels())
        worse += any(abs(found[row] - count) > bound for row, count in Counter(map(tuple, rows)).items())
    assert worse <= 2


@pytest.mark.parametrize("threshold", ["default", "authors"])
def test_large_partitions_come_out_close_to_what_they_are(threshold):
    rows = [["A", "B"]] * 3000 + [["M"]] * 2000 + [["A", "M"]] * 1000
    records = BasketRecords.from_labels(rows, universe=Universe(LETTERS))
    release = DiffPart(threshold=threshold).publish(records, budget=PureDP("2"), ledger=seeded_ledger(5))
    found = Counter(tuple(row) for row in release.data.to_labels())
    for row, count in Counter(map(tuple, rows)).items():
        assert abs(found[row] - count) < 30
    assert np.isclose(len(release.data), 6000, atol=200)


def test_the_page_of_a_release_tells_all_rounds_of_the_shared_budget_in_one_line(tmp_path):
    records = BasketRecords.from_labels([["A", "M"]] * 500, universe=Universe(LETTERS))
    release = DiffPart(fan_out=2).publish(records, budget=PureDP("9"))
    page = (release.write(tmp_path / "out") / "README.md").read_text(encoding="utf-8")
    rounds = len(release.manifest["budget"]["draws"])
    assert rounds > 2
    assert f"| partitions | shared along each path | discrete Laplace, {rounds} rounds, listed in the manifest |" in page
    assert "round 2" not in page
