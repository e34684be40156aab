"""Raked sequences: what is kept, and what is left where noise hides everything."""

from fractions import Fraction

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.errors import BudgetError, ParameterError
from tacita.privacy.budget import ApproxDP, PureDP, ZeroConcentrated, decimal_text
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.steps import StepCodes, length_edges
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrivateLength, Raked, SequenceRecords
from tacita.sequences.answers import SequenceAnswers
from tacita.sequences.raked.questions import SHARES, SINGLE_SHARES
from tacita.sequences.raked.synthesis import lengths_of
from tacita.sequences.raked.synthesis.pool import _named
from tacita.testing import SeededSource, public_generator

UNIVERSE = Universe([f"place {number}" for number in range(6)])


def records_of(rows, *, labels=6):
    universe = UNIVERSE if labels == 6 else Universe([f"place {number:03d}" for number in range(labels)])
    return SequenceRecords(sequences=Ragged.from_lists(rows), universe=universe)


def release_of(rows, *, epsilon="1", seed=1, labels=6, **parameters):
    ledger = Ledger(source=SeededSource(seed))
    return Raked(**parameters).publish(records_of(rows, labels=labels), budget=PureDP(epsilon), ledger=ledger)


def published(rows, **rest):
    return release_of(rows, **rest).data.sequences


def commuters(number):
    """From home to work and back; some go elsewhere and come home."""
    rows = []
    for person in range(number):
        home, work, other = person % 3, 3 + person % 2, 5
        rows.append([home, work, home] if person % 4 else [home, work, home, other, home])
    return rows


def log(number):
    """Cases of a process: 0 1 2 5, where one in four goes back once."""
    return [[0, 1, 2, 5] if case % 4 else [0, 1, 2, 1, 2, 5] for case in range(number)]


def test_shares_add_up_to_the_whole_budget():
    assert sum(share for share, _ in SHARES.values()) == sum(share for share, _ in SINGLE_SHARES.values()) == 1
    for method in (Raked(), Raked(max_length=1)):
        assert method.plan(PureDP("0.3")).epsilon == Fraction(3, 10)


def test_returns_lengths_and_ends_are_kept():
    rows = published(commuters(4_000), epsilon="5").to_lists()
    assert len(rows) == pytest.approx(4_000, abs=100)
    assert np.mean([row[0] == row[-1] for row in rows]) > 0.95
    assert np.mean([len(row) == 5 for row in rows]) == pytest.approx(0.25, abs=0.03)
    assert np.mean([len(set(row)) == 2 for row in rows]) == pytest.approx(0.75, abs=0.05)
    assert np.mean([row[0] for row in rows]) == pytest.approx(1, abs=0.05)


def test_a_process_is_written_as_it_runs():
    rows = [tuple(row) for row in published(log(2_000), epsilon="2").to_lists()]
    assert len(rows) == pytest.approx(2_000, abs=60)
    assert rows.count((0, 1, 2, 5)) / len(rows) == pytest.approx(0.75, abs=0.05)
    assert rows.count((0, 1, 2, 1, 2, 5)) / len(rows) == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("rows", [[], [[]], [[0]], [[0, 1, 0], [2]]])
def test_data_that_noise_hides_gives_a_release_all_the_same(rows):
    for seed in range(5):
        released = published(rows, epsilon="0.5", seed=seed, max_length=20)
        assert not len(released) or 0 <= int(released.codes.min()) <= int(released.codes.max()) < len(UNIVERSE)
        assert int(released.lengths.max(initial=0)) <= 20
        assert int(released.lengths.min(initial=1)) >= 1


def test_long_lengths_that_noise_alone_explains_are_not_written():
    """A false long sequence would be at every place; over many seeds none is written."""
    for seed in range(40):
        assert int(published(commuters(300), epsilon="0.3", seed=seed).lengths.max(initial=0)) <= 20


def test_a_few_records_are_never_made_many():
    numbers = [len(published(commuters(20), epsilon="0.1", seed=seed)) for seed in range(8)]
    assert np.median(numbers) < 1_000


def test_sequences_are_cut():
    released = published([[0, 1, 2, 3, 4, 5, 0, 1]] * 500, epsilon="5", max_length=4)
    assert int(released.lengths.max()) == 4


def test_sequences_of_one_symbol_keep_their_symbols():
    released = published([[0, 1]] * 300 + [[2]] * 100, epsilon="5", max_length=1)
    assert set(released.lengths.tolist()) == {1}
    assert np.bincount(released.codes, minlength=6)[[0, 2]] == pytest.approx([300, 100], abs=30)


def test_one_place_is_enough():
    released = published([[0, 0], [0]] * 200, epsilon="5", labels=1)
    assert set(released.codes.tolist()) == {0}


def test_labels_that_do_not_stand_out_are_pooled_and_go_back_within_a_sequence():
    generator = public_generator(3)
    rows = [[int(generator.integers(3)), 3 + int(generator.integers(297)), int(generator.integers(3))] for _ in range(2_000)]
    release = release_of(rows, epsilon="1", labels=300)
    assert any("labels stood out of the noise; all others were pooled" in rule for rule in release.manifest["rules"])
    counts = np.bincount(release.data.sequences.codes, minlength=300)
    assert counts[:3].sum() / counts.sum() == pytest.approx(2 / 3, abs=0.1)


def test_names_of_rare_symbols_go_back_to_one_of_their_own_list():
    codes = StepCodes(symbols=1_000, kept=np.array([500]))
    named = _named(Ragged.from_lists([[1, 0, 2], [2, 2, 1], [0], [1, 2, 2, 1]]), codes).to_lists()
    assert named[0][0] == named[0][2] != 500
    assert named[0][1] == named[2][0] == 500
    assert named[1][0] == named[1][1]
    assert named[3][1] == named[3][2] == named[3][0]
    assert 500 not in {named[0][0], named[1][2], named[3][3]}


def test_lengths_keep_every_piece_that_stands_out():
    edges = length_edges(400)
    drawn = np.zeros(edges.size)
    drawn[[1, 2, 9]] = 4_000, 2_000, 1_000
    lengths = lengths_of(drawn, 7_000.0, edges=edges, scale=10.0, people_scale=50.0)
    assert lengths.people == pytest.approx(7_000, abs=10)
    assert lengths.counts[[1, 2, 9]] == pytest.approx([4_000, 2_000, 1_000], abs=10)
    assert lengths.mean == pytest.approx((2 * 4_000 + 3 * 2_000 + 10 * 1_000) / 7_000, abs=0.05)
    assert lengths.cap == 4
    drawn_lengths = lengths.drawn_lengths(700)
    assert np.bincount(drawn_lengths)[[2, 3, 10]] == pytest.approx([400, 200, 100], abs=2)


def noisy_lengths(counts, *, scale, seed):
    """Counts of people by length, from 1 on, as noisy cells, and their estimate."""
    edges = length_edges(400)
    cells = np.bincount(np.searchsorted(edges, np.arange(1, len(counts) + 1)), weights=counts, minlength=edges.size)
    drawn = cells + public_generator(seed).laplace(0, scale, edges.size).round()
    people = float(sum(counts)) + float(public_generator(seed + 1_000).laplace(0, 4 * scale))
    return lengths_of(drawn, people, edges=edges, scale=scale, people_scale=4 * scale)


def test_long_lengths_that_no_single_cell_shows_are_seen_together():
    """Two thousand cases of 18 to 26 steps, in cells with noise of 125: alone, each is within four scales of nothing."""
    means = [noisy_lengths([0] * 17 + [222] * 9, scale=125.0, seed=seed).mean for seed in range(20)]
    assert np.median(means) == pytest.approx(22, rel=0.15)


def test_a_second_group_of_lengths_is_seen_as_a_whole():
    """Beside 12,000 sequences of two symbols, seven lengths have 1,143 each: too many for one law, too wide for one cell."""
    true = np.array([0, 12_000, *[0] * 12, *[1_143] * 7])
    apart = []
    for seed in range(10):
        lengths = noisy_lengths(true, scale=125.0, seed=seed)
        cells = np.bincount(np.searchsorted(lengths.edges, np.arange(1, 22)), weights=true, minlength=lengths.edges.size)
        apart.append(np.abs(lengths.counts / lengths.people - cells / true.sum()).sum() / 2)
    assert np.median(apart) < 0.08


def test_short_lengths_hardly_ever_look_long():
    means = [noisy_lengths([20, 80, 100, 60, 30, 10], scale=25.0, seed=seed).mean for seed in range(200)]
    assert np.mean(np.array(means) > 8) <= 0.02


def test_a_length_that_is_far_more_frequent_than_others_says_nothing_about_long_ones():
    counts = [26_000, 20_000, 12_000, 7_500, 4_500, 4_300, 1_800, 7_900, 900, 12_400, *(500 * 0.75**step for step in range(20))]
    for seed in range(10):
        lengths = noisy_lengths(counts, scale=125.0, seed=seed)
        assert lengths.mean == pytest.approx(4.17, abs=0.2)
        assert lengths.counts[lengths.edges > 30].sum() < 200


def test_noisy_counts_come_with_error_bars():
    release = release_of(commuters(4_000), epsilon="5", with_counts=True, seed=2)
    answers = SequenceAnswers(release.data, release.manifest)
    for estimate, true in (
        (answers.people(), 4_000),
        (answers.of_length(5), 1_000),
        (answers.shape(is_round=True), 4_000),
        (answers.starts(["place 1"]), 1_333),
    ):
        assert estimate.low <= true <= estimate.high
        assert estimate.high - estimate.low < 400
    with pytest.raises(ParameterError, match="lengths from 21 to 24 were counted together"):
        answers.of_length(22)


@pytest.mark.parametrize(
    ("rows", "sensitivity"), [(log(3_000), 1), ([[person % 400, 7 * person % 397] for person in range(3_000)], 2)]
)
def test_ends_are_asked_together_where_they_can_be_seen_and_the_noise_follows(rows, sensitivity):
    """One record has one pair of ends, or a first and a last one."""
    labels = 6 if sensitivity == 1 else 400
    drawn = {draw["step"]: draw for draw in release_of(rows, labels=labels).manifest["budget"]["draws"]}
    assert f"scale {decimal_text(sensitivity / Fraction(11, 100))}, " in drawn["ends"]["noise"]
    in_rho = Raked().publish(
        records_of(rows, labels=labels), budget=ZeroConcentrated("1/50"), ledger=Ledger(source=SeededSource(1))
    )
    (ends,) = (draw for draw in in_rho.manifest["budget"]["draws"] if draw["step"] == "ends")
    assert f"variance {decimal_text(sensitivity / (2 * Fraction(ends['rho'])))}, " in ends["noise"]  # cells apart: squares add up


@pytest.mark.parametrize("method", [Raked(), Raked(max_length=1), Raked(max_length=6)])
def test_a_delta_is_spent_in_rho_to_the_last_bit(method):
    budget, ledger = ApproxDP("8", "1e-9"), Ledger(source=SeededSource(1))
    assert method.plan(budget).rho == budget.rho
    release = method.publish(records_of(log(2_000)), budget=budget, ledger=ledger)
    draws = release.manifest["budget"]["draws"]
    assert sum(Fraction(draw["rho"]) for draw in draws) == budget.rho
    assert all(draw["noise"].startswith("discrete Gaussian, variance ") for draw in draws)
    lists = release.data.sequences
    assert abs(len(lists) - 2_000) < 100
    assert lists.to_lists().count([0, 1, 2, 5]) > 1_200 or method.max_length == 1


def test_a_delta_brings_no_error_bars_and_a_budget_too_small_for_any_cap_is_refused():
    with pytest.raises(BudgetError, match="error bars of released counts follow from Laplace noise; leave out with_counts"):
        Raked(with_counts=True).plan(ApproxDP(1, "1e-9"))
    with pytest.raises(BudgetError, match="rho"):
        Raked().plan(ZeroConcentrated("1e-9"))


def test_one_record_of_many_different_steps_has_less_noise_with_a_delta_than_one_that_repeats_itself():
    def variance(rows):
        ledger = Ledger(source=SeededSource(1))
        release = Raked().publish(records_of(rows, labels=40), budget=ApproxDP("8", "1e-9"), ledger=ledger)
        (steps,) = (draw for draw in release.manifest["budget"]["draws"] if draw["step"] == "steps")
        return float(Fraction(steps["noise"].split("variance ")[1].split(",")[0]))

    different, alike = [list(range(30))] * 2_000, [[0, 1] * 15] * 2_000
    assert 8 < variance(alike) / variance(different) < 16  # 25 steps: about 25 squares, or two dozen of a dozen each


def test_counts_with_times_and_private_lengths_are_refused_with_what_to_do():
    public = PublicInputs(universe=UNIVERSE, grid=TimeGrid(start=0, interval=1, intervals=4))
    with pytest.raises(ParameterError, match="noisy counts are published without times only"):
        Raked(with_counts=True).plan(PureDP(1), public)
    with pytest.raises(ParameterError, match="max_length of raked must be a number"):
        Raked(max_length=PrivateLength(longest=9))


def test_explain_says_what_is_left_of_small_data():
    text = str(Raked().explain(PureDP("0.1")))
    assert "noise hides their number" in text
    assert "long sequences are down-weighted" in text
