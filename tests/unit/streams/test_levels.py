"""The law of levels: means that add up, cells that noise hides, equal cells, restarts, and a stream that has ended."""

import numpy as np
import pytest

from tacita.streams.pace.bank import released
from tacita.streams.pace.levels import THOUSANDTHS, Beliefs, balanced, parts_of

CELLS, STEPS = 150, 60


def unequal(*, seed=1):
    """Most cells empty, some small, few large; half of the small ones change sides midway."""
    levels = np.zeros((STEPS, CELLS))
    levels[:, :8] = np.linspace(30, 90, 8)
    levels[:30, 8:40], levels[30:, 24:56] = 3.0, 3.0
    return np.random.default_rng(seed).poisson(levels).astype(np.int64)


def followed(truth, *, scale, every=6, seed=2):
    """The beliefs over a stream whose people are public, measured at every so manieth timestamp."""
    noise = np.random.default_rng(seed)
    people = truth.sum(axis=1).astype(float)
    beliefs = Beliefs(truth.shape[1], people=float(people[0]))
    for place, counts in enumerate(truth):
        beliefs.advance(float(people[place]))
        if place % every == 0:
            noisy = np.rint(counts + noise.laplace(scale=scale, size=counts.size)).astype(np.int64)
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


def both_errors(truth, *, scale):
    """Of what is published, and of the filters alone that take cells as equal until they differ."""
    ours, filters = [], []
    for place, (beliefs, (counts, _, _)) in enumerate(followed(truth, scale=scale)):
        people = float(truth[place].sum())
        ours.append(counts)
        filters.append(released(beliefs.bank.estimates(), scale=people, most=people)[0])
    return error(ours, truth), error(filters, truth)


def test_a_law_of_levels_is_nearer_than_filters_that_take_cells_as_equal():
    ours, filters = both_errors(unequal(), scale=8.0)
    assert ours < 0.9 * filters


@pytest.mark.parametrize("scale", [2.0, 20.0, 200.0])
def test_equal_cells_are_not_farther_off_for_it(scale):
    truth = np.random.default_rng(5).poisson(40, (STEPS, 25)).astype(np.int64)
    ours, filters = both_errors(truth, scale=scale)
    assert ours < 1.08 * filters


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
