from collections import deque
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import sequence_records
from tacita.arrays.ragged import Ragged
from tacita.errors import BudgetError, InputError, ParameterError, TooManyNodesError
from tacita.io import declared_universe
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.ladder import Ladder
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, SequenceRecords, Threshold, read_sequences
from tacita.sequences.prefix_trees.growth import Schedule
from tacita.simulate import Behaviour, Lookalike, PublicFacts
from tacita.testing import seeded_ledger


@pytest.mark.parametrize("field", ["height", "max_nodes"])
@pytest.mark.parametrize("wrong", [0, -1, True, 2.5, "3", None])
def test_a_parameter_that_is_no_positive_whole_number_is_refused_with_its_value(field, wrong):
    with pytest.raises(ParameterError, match=f"{field} must be a whole number of at least 1, got {wrong!r}"):
        PrefixTree(**({"height": 3} | {field: wrong}))


def test_an_unknown_threshold_is_refused_and_a_known_one_may_be_written_as_text():
    with pytest.raises(ParameterError, match="one of default, published, got 'low'"):
        PrefixTree(height=1, threshold="low")
    assert PrefixTree(height=1, threshold="published").threshold is Threshold.PUBLISHED


def least_count(epsilon, symbols, threshold):
    return Schedule(ladder=Ladder.simple(symbols), epsilon=epsilon, threshold=threshold).thresholds[0]


@given(st.fractions(Fraction(1, 500), 3), st.integers(1, 5000))
def test_the_default_threshold_is_the_least_that_bounds_the_false_children(epsilon, symbols):
    threshold = least_count(epsilon, symbols, Threshold.DEFAULT)
    ratio = exp(-float(epsilon))

    def false_children(count):
        return symbols * ratio**count / (1 + ratio)

    assert threshold >= 1
    assert threshold >= 2 * 2**0.5 / float(epsilon) - 1e-9
    assert false_children(threshold) <= 0.5 * (1 + 1e-9)
    is_published = threshold == least_count(epsilon, symbols, Threshold.PUBLISHED)
    assert is_published or false_children(threshold - 1) > 0.5


def test_the_published_threshold_at_many_locations_stops_with_a_clear_error():
    records = SequenceRecords.from_labels([["L1"]] * 50, universe=Universe([f"L{place}" for place in range(1012)]))
    tree = PrefixTree(height=12, threshold="published", max_nodes=100_000)
    with pytest.raises(TooManyNodesError, match=r"at most max_nodes = 100,000 nodes.*default threshold"):
        tree.publish(records, budget=PureDP("1"))


def test_false_nodes_die_out_under_the_default_threshold():
    records = SequenceRecords.from_labels([], universe=Universe([f"L{place}" for place in range(1012)]))
    sizes = [len(PrefixTree(height=12).publish(records, budget=PureDP("1")).data.sequences.codes) for _ in range(20)]
    assert max(sizes) < 20_000


def test_no_person_at_all_is_no_reason_to_fail():
    release = PrefixTree(height=3).publish(sequence_records([]), budget=PureDP("1"))
    assert release.guarantee.holds


def test_empty_sequences_are_people_who_are_nowhere():
    release = PrefixTree(height=3).publish(sequence_records([""] * 1000), budget=PureDP("30"), ledger=seeded_ledger(0))
    assert len(release.data) < 20


def test_progress_is_told_after_each_level():
    told = []
    PrefixTree(height=3).publish(
        sequence_records(["AB"]), budget=PureDP("1"), progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_explain_tells_the_threshold_once_it_knows_the_universe():
    text = str(
        PrefixTree(height=12).explain(PureDP("1"), PublicInputs(universe=Universe([f"L{place}" for place in range(1012)])))
    )
    assert "level 12: epsilon 1/12" in text
    assert "a prefix is kept if its noisy count is at least 84" in text
    assert "thresholds: default; a kept prefix gets 0.48 false children" in text


def test_frequent_prefixes_survive_and_counts_are_close():
    release = PrefixTree(height=2).publish(sequence_records(["AB"] * 3000 + ["CD"] * 2000), budget=PureDP("1"))
    labels = ["".join(row) for row in release.data.to_labels()]
    assert labels.count("AB") == pytest.approx(3000, abs=60)
    assert labels.count("CD") == pytest.approx(2000, abs=60)


def test_a_budget_too_small_to_draw_with_is_refused_and_not_charged():
    ledger = Ledger()
    with pytest.raises(BudgetError, match="at least 2\\*\\*-40"):
        PrefixTree(height=1).publish(sequence_records(["A"]), budget=PureDP(Fraction(1, 2**45)), ledger=ledger)
    assert ledger.balance("unnamed").epsilon == 0


def test_noise_larger_than_any_memory_stops_with_a_clear_error():
    """Each of four cells is kept with a probability of an eighth; that none is kept in 500 runs has a chance below 10^-100."""
    tree, budget = PrefixTree(height=1), PureDP(Fraction(1, 2**35))
    with pytest.raises(TooManyNodesError, match="raise epsilon"):
        deque((tree.publish(sequence_records(["A"]), budget=budget) for _ in range(500)), maxlen=0)


def test_codes_outside_the_universe_are_refused():
    with pytest.raises(ParameterError, match="index of a label"):
        SequenceRecords(sequences=Ragged.from_lists([[0, 2]]), universe=Universe("ab"))


def test_the_universe_of_long_rows_must_be_given(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_text("id,label,time\n1,a,1\n", encoding="utf-8")
    with pytest.raises(TypeError, match="universe"):
        read_sequences(path)


def test_strict_reading_refuses_labels_outside_the_universe_without_naming_them(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_text("id,label,time\n1,secret,1\n1,a,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="must belong to the universe") as caught:
        read_sequences(path, universe=Universe("a"), strict=True)
    assert "secret" not in str(caught.value)
    assert read_sequences(path, universe=Universe("a")).dropped_labels == 1


def test_a_flood_at_the_first_level_costs_nothing():
    ledger = Ledger()
    with pytest.raises(TooManyNodesError):
        PrefixTree(height=2, threshold="published", max_nodes=1).publish(
            SequenceRecords.from_labels([], universe=Universe([f"L{place}" for place in range(1012)])),
            budget=PureDP("1"),
            ledger=ledger,
        )
    assert ledger.balance("unnamed").epsilon == 0


def test_msnbc_is_published_whole(data_folder):
    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    records = read_sequences(path, universe=declared_universe(path))
    release = PrefixTree(height=20).publish(records, budget=PureDP("1"))
    assert len(release.data) == pytest.approx(989_818, rel=0.15)


def test_lost_sequences_are_continued_from_consistent_counts_only():
    with pytest.raises(ParameterError, match="only from consistent counts, got the inference none; choose exact"):
        PrefixTree(height=3, lost="continue", inference="none")


def test_continued_sequences_bring_the_mean_length_near_the_truth():
    world = Lookalike(facts=PublicFacts(records=20_000, labels=30, mean_length=5), behaviour=Behaviour.SESSION, exponent=0.8)
    raw = world.sequences()
    records = SequenceRecords(sequences=raw, universe=Universe(map(str, range(30))))
    truth = np.minimum(raw.lengths, 12).mean()
    means = {}
    for lost in ("end", "continue"):
        released = PrefixTree(height=12, lost=lost).publish(records, budget=PureDP("1"), ledger=seeded_ledger(5))
        means[lost] = released.data.sequences.lengths.mean()
    assert means["end"] < 0.7 * truth
    assert means["continue"] == pytest.approx(truth, rel=0.15)
