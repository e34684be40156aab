"""What synthesis of several kinds shares: posterior means, the threshold by share of noise, walks and raking."""

from itertools import pairwise

import numpy as np
import pytest

from tacita.arrays.ragged import offsets_of
from tacita.synthesis import (
    ANY,
    FRO,
    STAY,
    Chain,
    Habits,
    Measured,
    agreed,
    copies_of,
    posterior_means,
    shrunk_rows,
    standing_out,
    walks,
)
from tacita.synthesis.raking import minimised
from tacita.testing import public_generator


def test_what_stands_out_is_mostly_true():
    """Ten cells of 40 scales among 10,000 of pure noise: at most 15 % of what is kept may be noise."""
    generator = public_generator(1)
    noisy = generator.laplace(0, 2.0, 10_000)
    noisy[:10] += 80
    kept = standing_out(noisy, 2.0)
    assert kept[:10].all()
    assert noisy[kept][10:].sum() <= 0.15 * noisy[kept].sum()
    assert standing_out(noisy[10:], 2.0).sum() <= 1


def test_posterior_means_keep_their_total_and_take_small_cells_for_nearly_nothing():
    """Two large cells among two hundred of nearly nothing: far nearer than the noisy counts."""
    generator = public_generator(2)
    true = np.array([500.0, 300.0, *[0.5] * 200])
    noisy = true + generator.laplace(0, 10, true.size)
    found = posterior_means(noisy, 10.0, float(true.sum()))
    assert found.sum() == pytest.approx(true.sum())
    assert found.min() >= 0
    assert np.abs(found - true).sum() < 0.3 * np.abs(noisy - true).sum()
    assert posterior_means(noisy, 10.0).sum() == pytest.approx(noisy.sum())


def test_counts_that_noise_hides_altogether_are_taken_as_equal():
    assert posterior_means(np.array([-5.0, -7.0]), 1.0, 10.0).tolist() == [5.0, 5.0]


def test_precise_counts_are_taken_as_they_are():
    assert posterior_means(np.array([500.0, 900.0, 0.0]), 0.01).tolist() == pytest.approx([500, 900, 0], abs=0.01)


def test_rows_keep_what_stands_out_and_take_the_rest_from_what_is_expected():
    """A cell that stands out takes what it counts from the rest of its row; cells that differ by noise alone are not believed."""
    generator = public_generator(3)
    expected = np.full((2, 50), 40.0)
    noisy = expected + generator.laplace(0, 10, expected.shape)
    noisy[0, 7] = 900.0
    found = shrunk_rows(noisy, expected, 10.0)
    assert found[0, 7] == 900.0
    assert found[0].sum() == pytest.approx(2_000)
    assert np.abs(found - expected)[1].mean() < np.abs(noisy - expected)[1].mean() / 2
    assert found.min() >= 0


def test_walks_have_their_lengths_and_follow_the_chain():
    """From 0 to 1 or 2, both of which end; only 2 may also be repeated."""
    chain = Chain(table=np.array([[0, 3, 1, 0], [0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0]], dtype=np.float64))
    lengths = np.repeat([4, 2], [500, 2_000])
    lists = walks(chain, lengths)
    assert lists.lengths.tolist() == lengths.tolist()
    rows = lists.to_lists()
    assert {tuple(row) for row in rows[:500]} == {(0, 2, 2, 2)}  # the only way to take four symbols
    short = np.array(rows[500:])
    assert set(short[:, 0].tolist()) == {0}
    # given two symbols, 0 1 has the weight 3/4 * 1, and 0 2 has 1/4 * 1/2
    assert (short[:, 1] == 1).mean() == pytest.approx(6 / 7, abs=0.03)


def habits(number, *, to, returning=1.0, home=False):
    return Habits(
        returning=np.full(number, returning), to=np.full(number, to, dtype=np.int64), home=np.full(number, home, dtype=np.bool_)
    )


def test_walks_that_return_go_to_symbols_that_they_have():
    chain = Chain(table=np.append(np.ones(50), 1.0)[np.newaxis])
    lengths = np.full(200, 8)
    free = walks(chain, lengths).to_lists()
    assert np.mean([len(set(row)) for row in free]) > 6
    assert all(len(set(row)) == 1 for row in walks(chain, lengths, habits=habits(200, to=STAY)).to_lists())
    assert all(row[2:] == row[:-2] for row in walks(chain, lengths, habits=habits(200, to=FRO)).to_lists() if row[0] != row[1])
    some = walks(chain, lengths, habits=habits(200, to=ANY)).to_lists()
    assert np.mean([first == second for row in some for first, second in pairwise(row)]) < 0.05  # nobody stays on purpose
    assert np.mean([len(set(row)) for row in some]) < 6
    home = walks(chain, lengths, habits=habits(200, to=STAY, returning=0.0, home=True)).to_lists()
    assert all(row[0] == row[-1] for row in home)
    again = np.full(50, 49)
    back = walks(chain, lengths, habits=habits(200, to=STAY), again=again).to_lists()
    assert {code for row in back for code in row[1:]} == {49}


def test_the_same_chain_gives_the_same_walks_and_another_salt_gives_others():
    chain = Chain(table=np.append(np.ones(9), 1.0)[np.newaxis])
    lengths = np.full(20, 5)
    assert walks(chain, lengths).to_lists() == walks(chain, lengths).to_lists() != walks(chain, lengths, salt=99).to_lists()


def test_l_bfgs_finds_the_least_value_of_a_quadratic_function():
    scales, target = np.logspace(0, 2, 30), np.linspace(-5, 5, 30)
    found = minimised(lambda x: (float(scales @ (x - target) ** 2), 2 * scales * (x - target)), np.zeros(30), near=1e-9)
    assert found == pytest.approx(target, abs=1e-3)


def test_raked_weights_agree_with_precise_answers():
    """Lookalikes with two cells each: one of four kinds, and one of three. Nothing is met better than a sample could."""
    generator = public_generator(4)
    kinds, others = generator.integers(0, 4, 5_000), generator.integers(0, 3, 5_000)
    wanted = np.array([100.0, 200.0, 300.0, 400.0])
    measured = [
        Measured(counts=wanted, variance=1.0, cells=kinds),
        Measured(counts=np.array([600.0, 300.0, 100.0]), variance=1.0, cells=others),
    ]
    weights = agreed(measured, prior=np.ones(5_000), people=1_000.0).weights
    assert weights.sum() == pytest.approx(1_000)
    assert np.bincount(kinds, weights=weights) == pytest.approx(wanted, abs=12)
    assert np.bincount(others, weights=weights) == pytest.approx([600, 300, 100], abs=12)


def test_answers_count_by_their_noise():
    """Two answers contradict each other: the precise one is met, and the other one hardly moves the weights."""
    cells = np.repeat([0, 1], 500)
    measured = [
        Measured(counts=np.array([800.0, 200.0]), variance=1.0, cells=cells),
        Measured(counts=np.array([100.0, 900.0]), variance=1e6, cells=cells),
    ]
    weights = agreed(measured, prior=np.ones(1_000), people=1_000.0).weights
    assert weights[:500].sum() == pytest.approx(800, abs=15)  # the deviation of a sample would be 28


def test_lookalikes_may_add_to_several_cells():
    """Each has one, two or three symbols that weigh 1 together; cells that nobody has are left out."""
    lengths = np.tile([1, 2, 3], 400)
    cells = public_generator(5).integers(0, 5, int(lengths.sum()))
    offsets = offsets_of(lengths)
    wanted = np.array([50.0, 100.0, 150.0, 200.0, 100.0, 77.0])
    measured = Measured(counts=wanted, variance=0.5, cells=cells, offsets=offsets, weights=1 / lengths)
    weights = agreed([measured], prior=np.ones(lengths.size), people=600.0).weights
    found = np.bincount(cells, weights=np.repeat(weights / lengths, lengths))
    assert found == pytest.approx(wanted[:5], abs=8)


def test_a_model_that_contradicts_an_answer_is_believed_less_against_that_answer_alone():
    """One lookalike in a hundred is of the kind that half of the people are; of the other answer, the model is right."""
    kinds, others = np.append(np.zeros(9_900, dtype=np.int64), np.ones(100, dtype=np.int64)), np.tile([0, 1], 5_000)
    measured = [
        Measured(counts=np.array([5_000.0, 5_000.0]), variance=20_000.0, cells=kinds),
        Measured(counts=np.array([5_050.0, 4_950.0]), variance=20_000.0, cells=others),
    ]
    found = agreed(measured, prior=np.ones(10_000), people=10_000.0)
    assert found.weights[9_900:].sum() == pytest.approx(5_000, rel=0.1)
    assert found.beliefs[0] < found.beliefs[1]


def test_a_model_that_fits_as_well_as_noise_allows_is_believed_more_than_noise():
    """Of 500 kinds, 20 people each, the answers show nothing but noise of 100."""
    kinds = np.tile(np.arange(500), 20)
    noise = public_generator(8).laplace(0, 100, 500)
    weights = agreed(
        [Measured(counts=20 + noise, variance=20_000.0, cells=kinds)], prior=np.ones(10_000), people=10_000.0
    ).weights
    moved = np.bincount(kinds, weights=weights) - 20
    assert np.abs(moved).mean() < 0.15 * np.abs(noise).mean()


def test_residuals_that_are_noise_do_not_count_against_the_model():
    """Expected are 1,000 people of each kind; answers have noise of 100."""
    kinds, noise = np.arange(500), public_generator(9).laplace(0, 100 / np.sqrt(2), 500)
    measured = Measured(counts=1_000 + noise, variance=10_000.0, cells=kinds)
    assert agreed([measured], prior=np.ones(500), people=500_000.0).beliefs[0] > 0.5


def test_lookalikes_that_are_alike_may_stand_together():
    """The weight of a lookalike that the model expects thrice is that of three."""
    kinds, wanted = np.array([0, 0, 0, 1, 1]), np.array([400.0, 600.0])
    apart = agreed([Measured(counts=wanted, variance=50.0, cells=kinds)], prior=np.ones(5), people=1_000.0).weights
    united = agreed(
        [Measured(counts=wanted, variance=50.0, cells=kinds[2:])], prior=np.array([3.0, 1, 1]), people=1_000.0
    ).weights
    assert united == pytest.approx([apart[:3].sum(), *apart[3:]], rel=1e-3)


def test_copies_add_up_and_follow_the_weights():
    weights = public_generator(6).random(1_000)
    copies = copies_of(weights, 5_000)
    assert copies.sum() == 5_000
    assert np.abs(copies - weights * 5_000 / weights.sum()).max() < 1
    for begin, end in pairwise(range(0, 1_001, 100)):
        assert copies[begin:end].sum() == pytest.approx(weights[begin:end].sum() * 5_000 / weights.sum(), abs=1)
