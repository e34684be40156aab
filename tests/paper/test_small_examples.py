"""The small examples of the papers that had no test: definitions, counts and probabilities that can be checked by hand."""

from fractions import Fraction
from itertools import combinations
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.privacy.budget import PureDP
from tacita.public.inputs import PublicInputs
from tacita.public.ladder import Ladder
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, SequenceRecords
from tacita.sequences.prefix_trees.growth import Schedule, Threshold
from tacita.sets import DiffPart
from tacita.streams import Republish
from tacita.trajectories import PairColumns, Requirement, Scope, find_violations, suppress_greedily, verify
from tacita.utility import count_occurrences

SAMPLE = ["L2 L3 L1", "L2 L3", "L3 L2", "L2 L3 L1", "L3 L2 L1", "L2 L3 L1 L2 L3", "L3 L2", "L3 L1 L2 L3"]
PLACES = Universe(["L1", "L2", "L3"])


def coded(*paths):
    return SequenceRecords.from_labels([path.split() for path in paths], universe=PLACES).sequences


def counted(*paths):
    return count_occurrences(coded(*SAMPLE), coded(*paths), symbols=3).tolist()


def test_a_prefix_of_a_sequence_begins_it_without_gaps():
    """KDD 2012, section 3.1: L1 L2 is a prefix of L1 L2 L4 L3, L1 L4 is not."""
    universe = Universe(["L1", "L2", "L3", "L4"])
    records = SequenceRecords.from_labels([["L1", "L2", "L4", "L3"]] * 50, universe=universe)
    release = PrefixTree(height=2).publish(records, budget=PureDP(200))
    assert {tuple(row) for row in release.data.to_labels()} == {("L1", "L2")}


def test_the_chances_that_an_empty_node_or_group_passes_are_those_of_theorem_4_2():
    """p of a location .0296, of a group .00175; the discrete thresholds let no more pass."""
    assert round(exp(-2 * sqrt(2)) / 2, 4) == 0.0296
    assert round(exp(-4 * sqrt(2)) / 2, 5) == 0.00175
    locations, share = 100, Fraction(1, 10)
    schedule = Schedule(ladder=Ladder.simple(locations, intervals=1), epsilon=share, threshold=Threshold.PUBLISHED)
    assert (
        schedule.false_children() <= locations * exp(-2 * sqrt(2)) / 2 * 1.06
    )  # the discrete tail is a little heavier at its end


def test_the_same_places_at_other_times_are_another_path():
    """The paper on trajectories, section IV-D: L1T1 L2T2 and L1T2 L2T3 are two disjoint paths."""
    grid = TimeGrid(start=1, interval=1, intervals=3)
    codes = [[place + 3 * (time - 1) for place, time in path] for path in ([(0, 1), (1, 2)], [(0, 2), (1, 3)])]
    assert not set(codes[0]) & set(codes[1])
    assert grid.places(np.array([1, 2, 3])).tolist() == [0, 1, 2]


def test_a_thousand_places_and_twenty_steps_are_ten_to_the_sixty_sequences():
    """KDD 2012, section 1; thesis, section 5.1: 300 stations by 24 hours are 7,200 dimensions."""
    assert 1000**20 == 10**60
    universe = Universe([f"s{number}" for number in range(300)])
    assert len(PublicInputs(universe=universe).required_universe()) * 24 == 7200


def test_what_a_person_did_in_another_order_is_another_sequence():
    """Thesis, section 5.1: b3 e6 differs from e3 b6."""
    assert {("b", 3), ("e", 6)} != {("e", 3), ("b", 6)}
    requirement = Requirement(crowd=2, known_pairs=2)
    lists = [[3, 6], [13, 16]]  # a code is a place at an hour
    assert len(find_violations(PairColumns.of(Ragged.from_lists(lists)), requirement)) == 4  # each pair has one person


def test_three_items_have_seven_itemsets():
    """Thesis, Example 4.2.1."""
    assert sum(1 for size in (1, 2, 3) for _ in combinations("abc", size)) == 7
    assert DiffPart(fan_out=3).order(Universe("abc")).splits[0].masks - 1 == 7


def test_an_itemset_generalises_to_nodes_that_each_have_one_of_its_items():
    """Thesis, section 4.3.1: {I3, I4} generalises to {I34} and {I1234}, not to {I12, I34}."""
    tree = {"I12": {1, 2}, "I34": {3, 4}, "I1234": {1, 2, 3, 4}}

    def generalises(items, nodes):
        return all(items & tree[node] for node in nodes) and items <= set().union(*(tree[node] for node in nodes))

    assert generalises({3, 4}, ["I34"])
    assert generalises({3, 4}, ["I1234"])
    assert not generalises({3, 4}, ["I12", "I34"])


@given(fan_out=st.integers(2, 5), items=st.integers(2, 40), spent=st.integers(1, 8))
def test_more_specific_partitions_never_get_less_budget(fan_out, items, spent):
    """Thesis, section 4.3.1: what is left for a leaf, and the share of a split, do not fall along a path."""
    universe = Universe([str(number) for number in range(items)])
    method, budget = DiffPart(fan_out=fan_out), PureDP(1)
    rule, operations = method.rule(budget, universe), max(1, len(method.order(universe).splits))
    left, shares = budget.epsilon, []
    for done in range(min(spent, operations)):
        share, _ = rule.parts(left, operations - done)
        shares.append(share)
        left -= share
    assert shares == sorted(shares)


@given(st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), min_size=2, max_size=8), st.integers(2, 3))
def test_global_suppression_makes_no_new_violation_and_without_one_the_data_are_private(rows, crowd):
    """Thesis, Theorems 5.1 and 5.3."""
    requirement = Requirement(crowd=crowd, known_pairs=2)
    columns = PairColumns.of(Ragged.from_lists([sorted(row) for row in rows]))
    before = {frozenset(part) for part in _violating(rows, crowd)}
    assert bool(len(find_violations(columns, requirement))) == bool(before)
    gone = next(iter(next(iter(before)))) if before else 0
    after = {frozenset(part) for part in _violating([row - {gone} for row in rows], crowd)}
    assert after <= before
    kept = columns.where(suppress_greedily(columns, requirement, scope=Scope.GLOBAL))
    assert verify(kept.lists(), requirement, sensitive=None).holds


def _violating(rows, crowd):
    parts = {part for row in rows for size in (1, 2) for part in combinations(sorted(row), size)}
    return [part for part in parts if sum(set(part) <= row for row in rows) < crowd]


def test_the_probabilities_of_unigrams_are_those_of_table_6_3_but_for_one_misprint():
    """Counts 5, 9, 10 of 24; 10/24 is .42, printed .41."""
    counts = counted("L1", "L2", "L3")
    assert counts == [5, 9, 10]
    assert [round(count / sum(counts), 2) for count in counts] == [0.21, 0.38, 0.42]


def test_two_grams_and_three_grams_approximate_a_longer_one_as_in_section_6_2_3():
    """#(L3 L1 L2 L3) is 2; by 2-grams 4 * .4 * .67 = 1.07, by 3-grams 2."""
    (true,) = counted("L3 L1 L2 L3")
    first, second, third = counted("L3 L1", "L1 L2", "L2 L3")
    of_one, of_two = counted("L1", "L2")
    assert true == 2
    assert first * (second / of_one) * (third / of_two) == pytest.approx(1.07, abs=0.005)
    longer, middle, two = counted("L3 L1 L2", "L1 L2 L3", "L1 L2")
    assert longer * middle / two == 2


def test_the_share_of_a_child_is_its_count_among_its_siblings_as_in_section_6_4_1():
    """p(v4) = 4 / (4 + 0 + 1 + 2)."""
    siblings = [4, 0, 1, 2]
    assert Fraction(max(siblings), sum(siblings)) == Fraction(4, 7)


def test_a_split_has_a_part_that_is_at_most_and_one_that_is_at_least_as_dense():
    """Thesis, Theorem 7.11, for every way to split the matrix of a small graph."""
    matrix = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    for row in range(1, 4):
        for column in range(1, 4):
            parts = [matrix[:row, :column], matrix[:row, column:], matrix[row:, :column], matrix[row:, column:]]
            assert min(part.mean() for part in parts) <= matrix.mean() <= max(part.mean() for part in parts)


def test_the_count_summary_matrix_gives_every_region_by_four_of_its_entries():
    """Thesis, section 7.4.1."""
    matrix = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    summary = np.zeros((5, 5), dtype=int)
    for i in range(1, 5):
        for j in range(1, 5):
            summary[i, j] = summary[i - 1, j] + summary[i, j - 1] - summary[i - 1, j - 1] + matrix[i - 1, j - 1]
    assert summary[4, 4] == matrix.sum()
    assert summary[4, 4] - summary[1, 4] - summary[4, 2] + summary[1, 2] == matrix[1:, 2:].sum()


def test_a_moving_average_of_one_is_the_last_release():
    """The paper on streams, section 1: MA(1) is Adj; that MA(t - 1) is MMD is false."""
    past = [[4, 4], [10, 0], [8, 2]]
    assert np.mean(past[-1:], axis=0).tolist() == past[-1]
    assert np.mean(past, axis=0).tolist() not in past
    assert Republish(contexts=3, strategy="average", past=1).past == 1


def test_the_mean_absolute_error_is_over_timestamps_and_contexts():
    """The paper on streams, Definition 2.4."""
    truth, released = np.array([[3, 1], [0, 2]]), np.array([[2, 1], [2, 3]])
    assert np.abs(truth - released).mean() == 1.0


def test_generalisation_schemes_differ_in_which_values_go_up_together():
    """Thesis, section 2.2.1: with Engineer generalised, Lawyer goes up by subtree and stays by sibling."""
    jobs = Taxonomy.from_edges(
        [("Lawyer", "Professional"), ("Engineer", "Professional"), ("Dancer", "Artist"), ("Writer", "Artist")]
    )
    parent = {label: jobs.name(jobs.parents[code]) for code, label in enumerate(jobs.universe.labels)}
    full = dict(parent)
    subtree = {label: above if above == parent["Engineer"] else label for label, above in parent.items()}
    sibling = {label: parent[label] if label == "Engineer" else label for label in parent}
    assert full == {"Lawyer": "Professional", "Engineer": "Professional", "Dancer": "Artist", "Writer": "Artist"}
    assert subtree == full | {"Dancer": "Dancer", "Writer": "Writer"}
    assert sibling == subtree | {"Lawyer": "Lawyer"}
    local = [("Engineer", "Professional"), ("Engineer", "Engineer")]  # cells: the same value may differ between records
    assert len({shown for value, shown in local if value == "Engineer"}) == 2
