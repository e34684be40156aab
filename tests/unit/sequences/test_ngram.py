"""The n-gram method: what it asks, what it promises, and what comes out of it."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import sequence_records
from tacita.arrays.ragged import Ragged
from tacita.auditing.exact_replay import replay, transcript_loss
from tacita.errors import BudgetError, ParameterError, TooManyNodesError
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.limits import MOST_UNSURE
from tacita.privacy.noise import passing_probability
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrivateLength, Raked, SequenceRecords, Threshold, read_published
from tacita.sequences.ngrams.exploration import Allocation, GramRule
from tacita.testing import SeededSource, seeded_ledger
from tacita.utility import noiseless_sequences

MANY = PureDP("5000")


def published(rows, method, *, labels="ABCD", budget=MANY):
    records = sequence_records(rows, labels=labels)
    return method.publish(records, budget=budget, ledger=seeded_ledger(7)).data


@pytest.mark.parametrize("synthesis", ["generated", "joined"])
def test_with_a_large_budget_the_sequences_come_back(synthesis):
    rows = ["ABC", "ABC", "AB", "CCCC", "D"] * 20
    found = published(rows, NGram(max_length=6, max_gram=6, missing="zero", synthesis=synthesis)).to_labels()
    assert sorted("".join(row) for row in found) == sorted(rows)


@pytest.mark.parametrize("rows", [[], ["", ""], ["A"], ["A"] * 9, ["AAAAAAAAA"] * 9])
@pytest.mark.parametrize("labels", ["A", "AB"])
@pytest.mark.parametrize(("max_length", "max_gram"), [(1, 1), (1, 5), (2, 1), (20, 5)])
@pytest.mark.parametrize("synthesis", ["generated", "joined"])
def test_the_smallest_universes_lengths_and_grams_are_published(rows, labels, max_length, max_gram, synthesis):
    method = NGram(max_length=max_length, max_gram=max_gram, synthesis=synthesis)
    found = published(rows, method, labels=labels).sequences
    assert found.lengths.max(initial=0) <= max_length
    assert np.all(found.lengths > 0)
    if synthesis == "generated":  # grams alone do not tell how many sequences there are
        assert len(found) == sum(1 for row in rows if row)


@pytest.mark.parametrize("epsilon", ["0.01", "1"])
@pytest.mark.parametrize("synthesis", ["generated", "joined"])
@pytest.mark.parametrize("missing", ["markov", "zero"])
@pytest.mark.parametrize("threshold", ["default", "published"])
def test_noise_that_drowns_the_data_still_gives_whole_sequences(epsilon, synthesis, missing, threshold):
    method = NGram(max_length=4, max_gram=3, synthesis=synthesis, missing=missing, threshold=threshold)
    found = published(["AB", "BCD"] * 10, method, budget=PureDP(epsilon)).sequences
    assert found.lengths.max(initial=0) <= 4
    assert not len(found) or 0 <= found.codes.min() <= found.codes.max() < 4


@pytest.mark.parametrize(
    ("method", "reached"),
    [
        (NGram(max_length=2, max_gram=2), 2.0),
        (NGram(max_length=2, max_gram=3, synthesis="joined"), 1.4),  # the last symbols of a record end their paths early
    ],
)
def test_no_neighbour_loses_more_than_epsilon_and_some_lose_much_of_it(method, reached):
    budget = PureDP("3")
    domain = ["".join(row) for size in range(4) for row in product("AB", repeat=size)]
    base = ["AB"] * 60 + ["BB"] * 30
    records = sequence_records(base, labels="AB")
    losses = []
    for seed in range(12):
        transcript = Transcript()
        method.publish(records, budget=budget, ledger=seeded_ledger(seed, transcript=transcript))
        mine = replay(method, records, budget=budget, transcript=transcript)
        for extra in domain:
            other = replay(method, sequence_records([*base, extra], labels="AB"), budget=budget, transcript=transcript)
            losses.append(abs(transcript_loss(transcript, mine, other)))
    assert max(losses) <= 3 * (1 + 1e-9)
    assert max(losses) > reached


RULES = st.builds(
    GramRule,
    symbols=st.integers(1, 1000),
    starts=st.integers(1, 50),
    max_gram=st.integers(1, 6),
    allocation=st.sampled_from(Allocation),
    threshold=st.sampled_from(Threshold),
    leaps=st.sampled_from([(), (8,), (8, 13)]),
    first_weight=st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(4)]),
)


@given(rule=RULES, counts=st.lists(st.integers(1, 10**6), min_size=6, max_size=6), mode=st.floats(0, 1))
def test_what_a_path_spends_never_passes_its_budget_however_the_heights_turn_out(rule, counts, mode):
    left, amount = rule.levels, Fraction(1)
    for length, count in enumerate(counts, start=1):
        terms = rule.terms(amount, left, length=length)
        assert 0 < terms.epsilon <= amount
        amount -= terms.epsilon
        if length >= rule.max_gram or left == 1 or count < rule.least(terms.epsilon):
            break
        least = np.array([rule.least(terms.epsilon)])
        (left,) = rule.heights(
            np.array([count]), least, np.array([mode]), length=length, repeats=np.zeros(1, dtype=np.bool_)
        ).tolist()
        assert 1 <= left <= rule.max_gram - length
    assert amount >= 0


@given(count=st.integers(1, 10**6), mode=st.floats(0, 1), least=st.integers(1, 10**4), length=st.integers(1, 4))
def test_heights_are_whole_and_at_least_one_even_just_above_the_threshold(count, mode, least, length):
    rule = GramRule(symbols=17, starts=20, max_gram=5)
    found = rule.heights(
        np.array([max(count, least)]), np.array([least]), np.array([mode]), length=length, repeats=np.zeros(1, dtype=np.bool_)
    )
    assert found.dtype == np.int64
    assert 1 <= found[0] <= 5 - length


@pytest.mark.parametrize("symbols", [1, 2, 3, 17, 1000])
def test_the_default_threshold_lets_few_false_grams_pass(symbols):
    rule = GramRule(symbols=symbols, starts=20, max_gram=5)
    least = rule.least(Fraction(1, 5))
    assert rule.bins * passing_probability(Fraction(1, 100), least) <= max(0.5, 0.5 * rule.bins * (symbols < 3))


def test_the_published_threshold_is_that_of_section_6_4_1_corrected():
    rule = GramRule(symbols=17, starts=20, max_gram=5, threshold=Threshold.PUBLISHED)
    assert rule.least(Fraction(1, 5)) == 220  # 20 ln(18 / 2) / 0.2, rounded up
    assert GramRule(symbols=1, starts=20, max_gram=5, threshold=Threshold.PUBLISHED).least(Fraction(1)) == 9


def test_every_count_of_the_last_question_is_released_by_the_published_rule_alone():
    published_rule = GramRule(symbols=17, starts=20, max_gram=5, threshold=Threshold.PUBLISHED)
    assert published_rule.terms(Fraction(1), 1, length=3).threshold is None
    assert GramRule(symbols=17, starts=20, max_gram=5).terms(Fraction(1), 1, length=3).threshold is not None
    assert GramRule(symbols=17, starts=20, max_gram=5).terms(Fraction(1), 5, length=1).threshold is None


def test_grams_are_part_of_the_release_on_request_and_the_sequences_can_be_read_back(tmp_path):
    records = sequence_records(["ABC"] * 50 + ["ABABA"] * 30)
    release = NGram(max_length=4, max_gram=2, with_grams=True).publish(records, budget=MANY, ledger=seeded_ledger(3))
    folder = release.write(tmp_path / "release")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [file["name"] for file in manifest["files"]] == ["sequences.csv", "grams.csv", "universe.json"]
    lines = (folder / "grams.csv").read_text().splitlines()
    assert lines[0] == "count,gram,then"
    assert '50,"[""C""]",end' in lines
    assert '30,"[""B""]",cut' in lines
    assert '110,"[""A"", ""B""]",""' in lines
    assert read_published(folder, universe=records.universe).to_labels() == release.data.to_labels()
    assert NGram().publish(records, budget=MANY).data.grams is None


def test_a_length_can_be_bought_from_the_budget():
    method = NGram(max_length=PrivateLength(longest=9), max_gram=2)
    records = sequence_records(["ABC"] * 500)
    release = method.publish(records, budget=PureDP("20"), ledger=seeded_ledger(1))
    assert release.manifest["mechanism"]["parameters"]["max_length"] == 3
    draws = [draw["step"] for draw in release.manifest["budget"]["draws"]]
    assert draws[0] == "max length"


def test_explain_tells_scales_thresholds_and_false_grams():
    text = str(NGram().explain(PureDP("1"), PublicInputs(universe=Universe(f"L{number}" for number in range(17)))))
    assert "sequences are cut after 20 symbols" in text
    assert "followed if their noisy count reaches a threshold of at most" in text
    assert "on average 0.5 false grams" in text
    assert "repeats of one label are also counted where it comes 8 times in a row" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_length": 0}, "max_length"),
        ({"max_gram": 0}, "max_gram"),
        ({"max_gram": 51}, "max_gram"),
        ({"allocation": "greedy"}, "allocation"),
        ({"missing": "guess"}, "missing"),
        ({"threshold": "none"}, "threshold"),
        ({"synthesis": "random"}, "synthesis"),
        ({"max_nodes": 0}, "max_nodes"),
    ],
)
def test_parameters_that_cannot_be_are_refused_by_name(change, message):
    with pytest.raises(ParameterError, match=message):
        NGram(**change)


def test_times_are_refused_before_anything_is_spent():
    grid = TimeGrid(start=0, interval=1, intervals=2)
    with pytest.raises(ParameterError, match="without times"):
        NGram().plan(PureDP("1"), PublicInputs(universe=Universe("AB"), grid=grid))


def test_a_budget_so_small_that_its_noise_fits_no_machine_is_refused():
    with pytest.raises(BudgetError, match="at least 2"):
        NGram().plan(PureDP("1e-9"))


def test_more_grams_than_allowed_stop_with_an_error():
    records = SequenceRecords.from_labels(["ABCD"] * 50, universe=Universe("ABCD"))
    with pytest.raises(TooManyNodesError, match="exceed max_nodes = 5 grams"):
        NGram(max_nodes=5).publish(records, budget=MANY)


@given(rows=st.lists(st.text("ABC", min_size=1, max_size=5), max_size=12))
def test_without_noise_the_published_construction_gives_the_data_back(rows):
    records = sequence_records(rows, labels="ABC")
    found = noiseless_sequences(records, NGram(max_length=5, max_gram=6, synthesis="joined"))
    assert found.to_lists() == sorted(records.sequences.to_lists(), key=lambda row: (len(row), row))  # Theorem 6.5


def occurrences(sequences, gram):
    """How often a text of codes occurs in sequences over single digits."""
    texts = ["".join(map(str, row)) for row in sequences.to_lists()]
    return sum(text.startswith(gram, start) for text in texts for start in range(len(text)))


def wandering(records, *, stay, seed):
    """Sequences over three labels that stay where they are with some probability, and end with another."""
    generator = np.random.default_rng(seed)
    rows = []
    for _ in range(records):
        row = [int(generator.integers(0, 3))]
        while generator.random() > 0.1:
            row.append(row[-1] if generator.random() < stay else int(generator.integers(0, 3)))
        rows.append("".join("ABC"[code] for code in row))
    return sequence_records(rows, labels="ABC")


@pytest.mark.parametrize("gram", ["00", "01", "12", "22"])
def test_without_noise_the_generator_gives_the_counts_back_that_it_was_fitted_to(gram):
    records = wandering(3000, stay=0.3, seed=4)
    found = noiseless_sequences(records, NGram(max_length=40, max_gram=2))
    assert occurrences(found, gram) == pytest.approx(occurrences(records.sequences, gram), rel=0.03)


@pytest.mark.parametrize("length", [4, 5, 7, 9])
def test_runs_of_one_label_go_on_past_the_longest_grams_as_in_the_data(length):
    records = wandering(3000, stay=0.85, seed=5)
    found = noiseless_sequences(records, NGram(max_length=40, max_gram=3))
    true = occurrences(records.sequences, "1" * length)
    assert occurrences(found, "1" * length) == pytest.approx(true, rel=0.12)


def test_without_noise_there_is_no_budget_that_buys_a_length():
    with pytest.raises(ParameterError, match="as a number"):
        noiseless_sequences(sequence_records(["A"]), NGram(max_length=PrivateLength(longest=3)))


@pytest.mark.parametrize("length", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_sequences_that_are_all_as_long_as_the_longest_stay_so(length):
    """Those who have the longest length and were not cut have ended there; taking them for cut made earlier ends too likely."""
    records, labels = 50_000, 200  # so many labels that most grams of three are too rare to be known
    codes = np.random.default_rng(0).integers(0, labels, records * length).astype(np.int32)
    sequences = Ragged(codes, np.arange(records + 1, dtype=np.int64) * length)
    data = SequenceRecords(sequences=sequences, universe=Universe(map(str, range(labels))))
    found = NGram(max_length=length, max_gram=3).publish(data, budget=PureDP("20"), ledger=seeded_ledger(1)).data.sequences
    assert np.mean(found.lengths == length) > 0.98


def test_fewer_nodes_than_labels_are_refused_before_anything_is_charged():
    with pytest.raises(ParameterError, match="at least the number of labels"):
        NGram(max_nodes=3).plan(PureDP("1"), PublicInputs(universe=Universe("ABCD")))


@pytest.mark.parametrize(("method", "epsilon"), [(NGram(), "0.00001"), (Raked(), "0.01")], ids=["ngram", "raked"])
def test_noise_alone_writes_no_more_than_a_public_number_of_sequences(method, epsilon):
    records = SequenceRecords(sequences=Ragged.from_lists([[0, 1]] * 2_000), universe=Universe(["a", "b"]))
    written = []
    for seed in range(6):  # noise is above 0 in half of the runs
        ledger = Ledger(source=SeededSource(seed))
        release = method.publish(records, budget=PureDP(epsilon), ledger=ledger)
        written.append(len(release.data))
        told = any("so only 100,000 were written" in rule for rule in release.manifest["rules"])
        assert told is (written[-1] > MOST_UNSURE - 5)
    assert max(written) <= MOST_UNSURE
    assert max(written) > 0
    assert "at most 100,000 are written" in str(method.explain(PureDP(epsilon)))


def test_joined_sequences_of_noise_alone_are_no_more_than_a_public_number():
    universe = Universe([f"stop {code}" for code in range(20_000)])
    records = SequenceRecords(sequences=Ragged.from_lists([[code, code + 1] for code in range(20)]), universe=universe)
    method = NGram(max_length=20, synthesis="joined")
    release = method.publish(records, budget=PureDP("0.1"), ledger=seeded_ledger(3))
    assert 0 < len(release.data) <= MOST_UNSURE
    told = any("so only 100,000 were written" in rule for rule in release.manifest["rules"])
    assert told is (len(release.data) > MOST_UNSURE - 5)
    assert "at most 100,000 sequences are written" in str(method.explain(PureDP("0.1"), PublicInputs(universe=universe)))


def test_joined_sequences_that_stand_out_from_noise_are_all_written():
    rows = ["AB", "ABC", "CD"] * 50_000
    found = published(rows, NGram(max_length=4, max_gram=4, synthesis="joined"), budget=PureDP("10"))
    assert len(found) > 140_000
