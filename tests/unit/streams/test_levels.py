"""The law of levels: means that add up, cells that noise hides, equal cells, honest deviations, restarts, an ended stream."""

from fractions import Fraction

import numpy as np
import pytest

from tacita.privacy.noise import discrete_laplace
from tacita.streams.pace.bank import released
from tacita.streams.pace.levels import THOUSANDTHS, Beliefs, balanced, off_by, parts_of
from tacita.streams.pace.running import smoothed
from tacita.testing import SeededSource

CELLS, STEPS = 150, 60


def unequal(*, seed=1):
    """Most cells empty, some small, few large; half of the small ones change sides midway."""
    levels = np.zeros((STEPS, CELLS))
    levels[:, :8] = np.linspace(30, 90, 8)
    levels[:30, 8:40], levels[30:, 24:56] = 3.0, 3.0
    return np.random.default_rng(seed).poisson(levels).astype(np.int64)


def followed(truth, *, scale, every=6, seed=2):
    """The beliefs over a stream whose people are public, measured at every so manieth timestamp."""
    noise = SeededSource(seed)
    people = truth.sum(axis=1).astype(float)
    beliefs = Beliefs(truth.shape[1], people=float(people[0]))
    for place, counts in enumerate(truth):
        beliefs.advance(float(people[place]))
        if place % every == 0:
            noisy = counts + discrete_laplace(counts.size, rate=1 / Fraction(scale), source=noise)
            beliefs.measure(noisy, scale=scale, people=float(people[place]))
        found = beliefs.published(scale=float(people[place]), most=float(people[place]))
        yield beliefs, found


def error(found, truth):
    return float(np.abs(np.array(found) - truth).mean())


def test_means_add_up_to_the_public_number_of_people_at_every_timestamp():
    truth = unequal()
    for place, (_, (_, _, means)) in enumerate(followed(truth, scale=8.0)):
        assert int(means.sum()) == THOUSANDTHS * int(truth[place].sum())
        assert means.min() >= 0


def both_errors(truth, *, scale, seed=2):
    """Of what is published, and of the filters alone that take cells as equal until they differ."""
    ours, filters = [], []
    for place, (beliefs, (counts, _, _)) in enumerate(followed(truth, scale=scale, seed=seed)):
        people = float(truth[place].sum())
        ours.append(counts)
        filters.append(released(beliefs.bank.estimates(), scale=people, most=people)[0])
    return error(ours, truth), error(filters, truth)


def test_a_law_of_levels_is_nearer_than_filters_that_take_cells_as_equal():
    levels = np.repeat([40.0, 4.0, 0.1], [12, 60, 328])
    truth = np.random.default_rng(3).poisson(levels, (30, 400)).astype(np.int64)
    ours, filters = np.mean([both_errors(truth, scale=8.0, seed=seed) for seed in (2, 3)], axis=0)
    assert ours < 0.93 * filters


@pytest.mark.parametrize("scale", [2.0, 20.0, 200.0])
def test_equal_cells_are_not_farther_off_for_it(scale):
    truth = np.random.default_rng(5).poisson(40, (STEPS, 25)).astype(np.int64)
    ours, filters = both_errors(truth, scale=scale)
    assert ours < 1.05 * filters


def test_a_restored_state_goes_on_as_if_nothing_had_happened():
    truth = unequal()
    for place, (beliefs, _) in enumerate(followed(truth, scale=8.0)):
        if place == 20:
            state = {name: value.copy() for name, value in beliefs.state().items()}
            other = Beliefs(CELLS)
            other.restore(state)
        if place > 20:
            people = beliefs.now.people
            other.advance(people)
            if beliefs.now.measured is not None:
                counts, scale, among, block = beliefs.now.measured
                other.measure(counts, scale=scale, people=among, block=block)
            ours, theirs = (each.published(scale=people, most=people) for each in (beliefs, other))
            assert all(np.array_equal(one, two) for one, two in zip(ours, theirs, strict=True))


def wards(*, cells=30, steps=240, seed=4):
    """Wards of unequal size, from which patients come and go."""
    random = np.random.default_rng(seed)
    sizes = random.lognormal(0, 0.7, cells)
    drift = np.exp(np.cumsum(random.normal(0, 0.04, (steps, cells)), axis=0))
    return random.poisson(12 * drift * sizes / sizes.mean()).astype(np.int64)


@pytest.mark.parametrize(("scale", "every", "seeds"), [(1.0, 10, [2]), (5.0, 10, [2]), (5.0, 60, [2]), (20.0, 60, [0, 1, 2])])
def test_two_in_three_true_counts_are_within_one_deviation_and_nine_in_ten_within_two(scale, every, seeds):
    truth = wards(steps=180)
    found = [
        (np.abs(counts - truth[place]), deviation)
        for seed in seeds
        for place, (_, (counts, deviation, _)) in enumerate(followed(truth, scale=scale, every=every, seed=seed))
    ]
    off, deviations = (np.array(side) for side in zip(*found, strict=True))
    assert 0.6 < (off <= deviations).mean() < 0.9
    assert (off <= 2 * deviations).mean() > 0.9


@pytest.mark.parametrize("scale", [0.3, 2.0, 9.0])
def test_an_absolute_error_is_estimated_without_bias_through_the_noise(scale):
    noise = np.arange(-2000, 2001)
    law = np.exp(-np.abs(noise) / scale)
    for difference in (-3, 0, 1, 40):
        assert (law / law.sum()) @ off_by(difference + noise, scale) == pytest.approx(abs(difference), abs=1e-6)


def test_counts_of_the_law_are_not_published_where_measurements_say_that_those_of_filters_are_nearer():
    truth = unequal()
    beliefs = Beliefs(CELLS, people=float(truth[0].sum()))
    beliefs.evidence = np.array([0.0, 50.0])
    assert beliefs.trust_in_counts == pytest.approx(0.99)
    beliefs.score = np.array([100.0, 100.0, 500.0])
    assert beliefs.trust > 0.99
    assert beliefs.trust_in_counts < 1e-6
    beliefs.score = np.array([100.0, 1e8, 500.0])
    assert beliefs.trust_in_counts > 0.98


def test_a_stream_that_has_ended_is_nearer_once_it_is_smoothed():
    truth = wards(steps=120)
    history, counts = [], []
    for beliefs, found in followed(truth, scale=5.0, every=10):
        history.append(beliefs.now)
        counts.append(found[0])
    again = smoothed(history, beliefs)
    assert error(again.counts, truth) < 0.9 * error(counts, truth)
    assert again.counts.min() >= 0
    assert (again.means.sum(axis=1) == THOUSANDTHS * truth.sum(axis=1)).all()
    sums, before = (np.abs(each.sum(axis=0) - truth.sum(axis=0)).sum() for each in (again.means / THOUSANDTHS, np.array(counts)))
    assert sums < 0.9 * before


@pytest.mark.parametrize("total", [0.0, 1.0, 3.0, 1000.0])
def test_balanced_histograms_have_the_sum_that_was_asked_for(total):
    chance = np.random.default_rng(3)
    for _ in range(50):
        mean, variance = chance.exponential(size=12), chance.exponential(size=12)
        found = balanced(mean, variance, total)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(total)
        assert int(parts_of(found, total).sum()) == THOUSANDTHS * int(total)
    assert balanced(np.zeros(4), np.zeros(4), total).sum() == pytest.approx(total)
