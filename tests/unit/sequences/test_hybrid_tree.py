"""Hybrid granularity and times: the same sequences are found, by other questions."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import sequence_lists, sequence_records, taxonomies
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.privacy.budget import PureDP
from tacita.public.ladder import Ladder
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import Granularity, PrefixTree, SequenceRecords, Threshold
from tacita.sequences.prefix_trees.growth import Schedule
from tacita.testing import seeded_ledger

PLENTY = PureDP(9000)  # so much that no count is changed, and a single person is kept
UNEQUAL = Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "CD"), ("D", "CD"), ("CD", "BCD"), ("BCD", "*")])


@given(taxonomies(), st.data())
def test_without_noise_a_hybrid_tree_publishes_the_records(taxonomy, data):
    rows = data.draw(sequence_lists(labels="".join(taxonomy.universe.labels), longest=4))
    records = SequenceRecords.from_labels(rows, universe=taxonomy.universe)
    release = PrefixTree(height=3, taxonomy=taxonomy).publish(records, budget=PLENTY, ledger=seeded_ledger(0))
    assert Counter("".join(row) for row in release.data.to_labels()) == Counter(row[:3] for row in rows if row)


@given(
    granularity=st.sampled_from(Granularity),
    rows=st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4), max_size=8),
    along=st.booleans(),
    lost=st.sampled_from(["end", "continue"]),
)
def test_without_noise_a_tree_with_times_publishes_the_records(granularity, rows, along, lost):
    universe = Universe("ABC")
    rows = [sorted(row, key=lambda visit: visit[0]) for row in rows]
    codes = [[time * 3 + place for time, place in row] for row in rows]
    records = SequenceRecords(
        sequences=Ragged.from_lists(codes), universe=universe, grid=TimeGrid(start=0, interval=1, intervals=3)
    )
    groups = Taxonomy.from_edges([("A", "*"), ("B", "BC"), ("C", "BC"), ("BC", "*")])
    taxonomy = groups if along and granularity is Granularity.HYBRID else None
    tree = PrefixTree(height=3, granularity=granularity, taxonomy=taxonomy, lost=lost)
    release = tree.publish(records, budget=PLENTY, ledger=seeded_ledger(0))
    assert Counter(map(tuple, release.data.sequences.to_lists())) == Counter(tuple(row[:3]) for row in codes if row)


@pytest.mark.parametrize("lost", ["end", "continue"])
@pytest.mark.parametrize("granularity", Granularity)
def test_no_released_sequence_goes_back_in_time_however_large_the_noise(granularity, lost):
    grid = TimeGrid(start=0, interval=1, intervals=4)
    universe = Universe([f"L{place}" for place in range(30)])
    records = SequenceRecords(sequences=Ragged.from_lists([[0, 40, 80]] * 900), universe=universe, grid=grid)
    tree = PrefixTree(height=4, granularity=granularity, threshold="published", lost=lost)
    for seed in range(5):
        released = tree.publish(records, budget=PureDP(1), ledger=seeded_ledger(seed)).data.sequences
        times = released.codes // 30
        starts = np.zeros(times.size, dtype=bool)
        starts[released.offsets[:-1]] = True
        assert (np.diff(times) >= 0)[~starts[1:]].all()
        assert released.lengths.max() >= 2


@given(taxonomies(), st.integers(1, 3), st.sampled_from(Threshold), st.fractions(Fraction(1, 100), 10))
def test_every_way_to_a_symbol_costs_exactly_the_level(taxonomy, intervals, threshold, epsilon):
    ladder = Ladder.along(taxonomy, intervals=intervals)
    schedule = Schedule(ladder=ladder, epsilon=epsilon, threshold=threshold)
    questions = schedule.questions(1)
    assert schedule.plan(1).epsilon == epsilon
    assert [step.name for step in schedule.plan(1).steps()] == [question.step for question in questions]
    for symbol in range(ladder.symbols):
        assert sum(asked.epsilon for asked in questions if asked.rung.rank[symbol] >= 0) == epsilon
    assert all(asked.threshold >= 1 and asked.epsilon > 0 for asked in questions)
    if threshold is Threshold.DEFAULT:
        assert schedule.false_children() <= 0.5 * (1 + 1e-9)


@pytest.mark.parametrize("fan_out", [2, 3, 4, 10])
def test_the_published_split_holds_from_a_fan_out_of_four_on_and_a_half_below(fan_out):
    universe = Universe([f"L{place}" for place in range(fan_out * 3)])
    rows = [(label, f"group {place // fan_out}") for place, label in enumerate(universe.labels)]
    schedule = Schedule(ladder=Ladder.along(Taxonomy.from_columns(rows)), epsilon=Fraction(1), threshold=Threshold.PUBLISHED)
    coarse = min(Fraction(1, 2), Fraction(2, fan_out))
    assert schedule.costs == [coarse, 1 - coarse]


def test_three_levels_of_groups_split_the_budget_as_written_down():
    universe = Universe([f"L{place}" for place in range(10 * 10 * 10 * 5)])
    rows = [(label, f"a{place // 5}", f"b{place // 50}", f"c{place // 500}") for place, label in enumerate(universe.labels)]
    schedule = Schedule(ladder=Ladder.along(Taxonomy.from_columns(rows)), epsilon=Fraction(1), threshold=Threshold.PUBLISHED)
    assert [float(cost) for cost in schedule.costs] == [0.2, 0.16, 0.256, 0.384]


def test_a_taxonomy_makes_a_tree_hybrid_and_a_simple_tree_refuses_one():
    assert PrefixTree(height=2, taxonomy=UNEQUAL).granularity is Granularity.HYBRID
    assert PrefixTree(height=2).granularity is Granularity.SIMPLE
    with pytest.raises(ParameterError, match="a simple tree does not use a taxonomy"):
        PrefixTree(height=2, granularity="simple", taxonomy=UNEQUAL)


def test_a_hybrid_tree_without_groups_and_times_is_refused():
    with pytest.raises(ParameterError, match="a hybrid tree must have a taxonomy, or times"):
        PrefixTree(height=2, granularity="hybrid").publish(sequence_records(["A"]), budget=PureDP(1))


def test_a_taxonomy_over_another_universe_is_refused_before_anything_is_spent():
    with pytest.raises(ParameterError, match="one over the universe of the records"):
        PrefixTree(height=2, taxonomy=UNEQUAL).publish(sequence_records(["A"], labels="ABC"), budget=PureDP(1))


def test_the_manifest_names_taxonomy_and_grid():
    grid = TimeGrid(start=0, interval=3600, intervals=2)
    records = SequenceRecords(sequences=Ragged.from_lists([[0]]), universe=UNEQUAL.universe, grid=grid)
    manifest = PrefixTree(height=1, taxonomy=UNEQUAL).publish(records, budget=PureDP(1)).manifest
    assert manifest["public_inputs"]["taxonomy"]["groups"] == 3
    assert manifest["public_inputs"]["time_grid"]["intervals"] == 2
    assert any("beginning of its interval" in rule for rule in manifest["rules"])


def test_records_that_go_back_in_time_are_refused():
    grid = TimeGrid(start=0, interval=1, intervals=3)
    universe = Universe("AB")
    with pytest.raises(ParameterError, match="no sequence may go back in time"):
        SequenceRecords(sequences=Ragged.from_lists([[0, 1], [], [5, 4, 3]]), universe=universe, grid=grid)
    SequenceRecords(sequences=Ragged.from_lists([[], [4, 5], [], [0, 1, 3, 2], []]), universe=universe, grid=grid)
