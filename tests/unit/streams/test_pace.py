"""The free half of pace: filters, projection, rounding and the choice of how often to measure."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_worlds import drawing, random_moments
from tacita.privacy.funds import Funds
from tacita.streams.pace.bank import Bank, Rates, candidates, median, projected
from tacita.streams.pace.running import RARE, Pacing, _Activity
from tacita.streams.protection import Presence, Protection
from tacita.streams.questions import HistogramQuestion
from tacita.streams.records import Moment

FLOATS = st.lists(st.floats(-50, 50), min_size=1, max_size=12)


@given(FLOATS, st.floats(0, 60), st.integers(0, 99))
def test_a_projection_has_no_negative_count_and_no_more_people_than_allowed(values, total, seed):
    variances = np.random.default_rng(seed).uniform(0.1, 5, len(values))
    shaped = projected(np.array(values), variances, total)
    assert shaped.min() >= 0
    assert shaped.sum() <= total + 1e-9 or shaped.sum() <= np.maximum(values, 0).sum() <= total


@given(FLOATS, st.floats(0.1, 60))
def test_with_equal_variances_it_is_the_nearest_histogram(values, total):
    mean = np.array(values)
    shaped = projected(mean, np.ones(mean.size), total)
    for seed in range(20):
        other = np.random.default_rng(seed).uniform(0, 2 * total / mean.size, mean.size)
        if other.sum() <= total:
            assert np.sum((np.maximum(mean, 0) - shaped) ** 2) <= np.sum((np.maximum(mean, 0) - other) ** 2) + 1e-6


def test_the_median_is_below_the_mean_and_zero_for_what_is_mostly_noise():
    medians = median(np.array([100.0, 1.0, 0.0, -1.0]), np.array([4.0, 100.0, 1.0, 1.0]))
    assert 99 < medians[0] < 100
    assert medians[1:].tolist() == [0, 0, 0]


def test_filters_settle_on_a_constant_level_and_know_it():
    generator = np.random.default_rng(0)
    bank = Bank(5, people=1000.0)
    truth = np.array([500, 250, 150, 75, 25])
    for _ in range(60):
        bank.advance(1000.0)
        bank.measure(truth + np.round(generator.laplace(0, 20, 5)).astype(np.int64), scale=20.0, people=1000.0)
    mean, variance = bank.estimate()
    assert np.abs(1000 * mean - truth).max() < 20
    assert 1000 * np.sqrt(variance.max()) < 28


def test_a_jump_that_noise_cannot_make_is_followed_at_once():
    bank = Bank(2, people=1000.0)
    for counts in ([500, 500], [500, 500], [500, 500], [100, 900]):
        bank.advance(1000.0)
        bank.measure(np.array(counts), scale=2.0, people=1000.0)
    assert 1000 * bank.estimate()[0] == pytest.approx([100, 900], abs=15)


def test_filters_survive_a_change_that_none_of_those_they_believed_can_explain():
    generator = np.random.default_rng(0)
    bank = Bank(200, people=1e7)
    still = np.full(200, 50_000)
    for counts in [*[still] * 30, generator.permutation(np.repeat([1_000, 99_000], 100))]:
        bank.advance(1e7)
        bank.measure(counts + generator.integers(-2, 3, 200), scale=1.0, people=1e7)
    assert np.isfinite(bank.weights).all()
    assert 1e7 * bank.estimate()[0] == pytest.approx(counts, abs=10)


@pytest.mark.parametrize("guess", [0.3, 30.0, 3000.0])
def test_a_wrong_guess_is_corrected_by_the_first_measurement(guess):
    bank = Bank(100)
    bank.start(guess)
    bank.advance(None)
    bank.measure(np.full(100, 30) + np.random.default_rng(0).integers(-3, 4, 100), scale=2.0, people=1.0)
    assert bank.estimate()[0] == pytest.approx(np.full(100, 30.0), abs=4)


def test_a_guess_stays_where_the_first_measurement_is_mostly_noise():
    bank = Bank(100)
    bank.start(1.0)
    bank.advance(None)
    bank.measure(np.random.default_rng(0).integers(-5000, 5001, 100), scale=5000.0, people=1.0)
    assert bank.estimate()[0] == pytest.approx(np.ones(100), abs=0.2)


@pytest.mark.parametrize("contexts", [1, 2, 10, 300])
def test_every_window_has_a_measurement_and_no_more_than_contexts(contexts):
    assert candidates(contexts)[0] == 1
    assert max(candidates(contexts)) == contexts


def test_much_signal_is_measured_often_and_little_signal_seldom():
    bank = Bank(4, people=100.0)
    few, many = (
        Rates(contexts=50, funds=Funds(amount=Fraction(1)), sensitivity=2).best(
            np.full(4, level), growth=1.0, drifts=np.array([[30.0, 0.0, 2.0]]), weights=np.ones(1)
        )
        for level in (2.0, 1e7)
    )
    assert few < many
    assert bank.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("presence", list(Presence))
def test_released_counts_are_whole_and_not_negative(presence):
    mechanism = Pacing(
        protection=Protection(contexts=5, presence=presence), funds=Funds(amount=Fraction(1)), wall=drawing(2), cells=4
    )
    for moment in random_moments(2):
        shown = moment if presence is Presence.PUBLIC else moment.without_people()
        published = mechanism.step(shown)
        assert published.min() >= 0
        assert not np.any(published % 16)
        if presence is Presence.PUBLIC:
            assert published.sum() / 16 <= moment.users.size + 4  # each cell is rounded by itself


def test_where_people_are_seldom_there_sums_over_blocks_are_measured():
    log = []
    mechanism = Pacing(protection=Protection(contexts=10), funds=Funds(amount=Fraction(1)), wall=drawing(6, log), cells=2)
    generator = np.random.default_rng(6)
    for place in range(100):
        users = np.flatnonzero(generator.random(400) < RARE / 4) if place else np.arange(400)
        mechanism.step(Moment(place=place, users=users, cells=users % 2, size=2))
    sums = [int(truth.sum()) for _, truth, _ in log[-3:]]
    assert min(sums) > 3 * 400 * RARE / 4
    assert log[-1][0].epsilon <= Fraction(1, 10)


class Again:
    """Gives the answers of a log again, and adds up what Gaussian noise loses between the truths of both runs."""

    def __init__(self, log):
        self.log, self.lost = iter(log), 0

    def slide(self, step, *, tick, plan):
        pass

    def ask(self, question, truth):
        asked, known, answer = next(self.log)
        assert asked == question
        self.lost += question.largest_rho(known, truth)
        return answer


@pytest.mark.parametrize("seldom", [False, True])
def test_a_window_of_one_person_loses_no_more_than_its_rho_in_single_timestamps_and_in_blocks(seldom, monkeypatch):
    """Under Gaussian noise, a person who is in one block several times changes a count by that many, which costs the square."""
    if seldom:
        monkeypatch.setattr(Rates, "best", lambda *_, **__: 1)  # blocks as long as a window
    contexts, log, funds = 6, [], Funds(amount=Fraction(1, 10), in_rho=True)
    generator, there = np.random.default_rng(6), RARE / 4 if seldom else 0.9
    moments = [
        np.flatnonzero(generator.random(200) < there) if place else np.arange(200) for place in range(60 if seldom else 25)
    ]
    own = [place for place, users in enumerate(moments) if 7 in users]

    def run(wall, changed=()):
        mechanism = Pacing(protection=Protection(contexts=contexts), funds=funds, wall=wall, cells=2)
        for place, users in enumerate(moments):
            cells = np.where((users == 7) & (place in changed), 1 - users % 2, users % 2)
            mechanism.step(Moment(place=place, users=users, cells=cells, size=2))

    run(drawing(6, log))
    assert any(question.block > 1 for question, _, _ in log) == seldom
    lost = []
    for start in range(max(len(own) - contexts + 1, 1)):
        again = Again(log)
        run(again, changed=own[start : start + contexts])
        lost.append(again.lost)
    assert 0 < max(lost) <= funds.amount


def test_a_person_who_is_in_a_block_every_time_loses_exactly_what_the_timestamps_paid():
    price, block = Fraction(1, 50), 4
    question = HistogramQuestion(step="counts", rho=price, sensitivity=2, cells=2, block=block)
    for times in range(block + 1):
        lost = question.largest_rho(np.array([9, 9]), np.array([9 - times, 9 + times]))
        assert lost <= times * price
        assert (lost == times * price) == (times in {0, block})


def test_people_who_come_and_go_are_measured_whenever_all_of_them_are_new():
    mechanism = Pacing(protection=Protection(contexts=100), funds=Funds(amount=Fraction(1, 10)), wall=drawing(6), cells=2)
    measured = []
    for place in range(60):
        users = np.arange(200) + 200 * (place // 10)  # each is there ten times, long before a window is full
        mechanism.step(Moment(place=place, users=users, cells=users % 2, size=2))
        measured.append(mechanism.is_fresh)
    assert all(measured[::10])


def test_newcomers_are_measured_when_there_are_as_many_of_them_as_there_are_people_in_the_mean():
    mechanism = Pacing(protection=Protection(contexts=200), funds=Funds(amount=Fraction(1, 10)), wall=drawing(6), cells=40)
    measured = []
    for place in range(150):
        users = np.arange(7_000 if place < 50 else 20_000)  # the first have spent a part of their windows
        mechanism.step(Moment(place=place, users=users, cells=users % 40, size=40))
        measured.append(mechanism.is_fresh)
    assert measured[0]
    assert any(measured[50:60])


def test_a_share_is_that_of_people_who_return_and_not_of_all_who_were_ever_there():
    activity = _Activity()
    for place in range(200):
        activity.add(np.arange(50) + 50 * (place // 4))
    assert activity.share == 1
    for place in range(600):
        activity.add(np.arange(50) + 50 * (place % 20))
    assert activity.share == pytest.approx(1 / 20, rel=0.2)


def test_cells_that_are_nearly_equal_are_published_as_such_where_noise_hides_all_else():
    errors = []
    for counts in (np.full(40, 25), np.where(np.arange(40) < 4, 232, 2)):  # the same number of people, equal and unequal
        bank = Bank(40, people=1000.0)
        generator = np.random.default_rng(4)
        for _ in range(4):
            bank.advance(1000.0)
            bank.measure(counts + generator.laplace(0, 20, 40).astype(np.int64), scale=20.0, people=1000.0)
        errors.append(np.abs(1000 * bank.estimate()[0] - counts).mean())
    assert errors[0] < 3  # noise alone leaves 10 in the mean of four
    assert errors[1] < 12


@pytest.mark.parametrize(
    ("weights", "guess", "contexts"),
    [(np.ones(40), 3, 10), (np.ones(40), 3, 100), (0.5 ** np.arange(40.0), 0, 10)],
    ids=["equal cells", "equal cells, two windows", "a few cells"],
)
def test_where_nothing_can_be_seen_it_is_about_as_good_as_what_costs_nothing(weights, guess, contexts):
    """Noise of 20 and counts of 3 in the mean. Before shapes were weighed, equal cells came out 2 to 3 times as far off."""
    generator = np.random.default_rng(3)
    mechanism = Pacing(protection=Protection(contexts=contexts), funds=Funds(amount=Fraction(1, 10)), wall=drawing(1), cells=40)
    errors = []
    for place in range(200):
        cells = generator.choice(40, 120, p=weights / weights.sum())
        moment = Moment(place=place, users=np.arange(120), cells=cells, size=40)
        errors.append([np.abs(counts - moment.counts()).sum() for counts in (mechanism.step(moment) / 16, np.full(40, guess))])
    ours, free = np.mean(errors, axis=0)
    assert ours < 1.2 * free


@pytest.mark.parametrize("presence", list(Presence))
def test_a_restored_mechanism_goes_on_as_the_one_that_never_stopped(presence):
    protection = Protection(contexts=4, presence=presence)
    moments = [moment if presence is Presence.PUBLIC else moment.without_people() for moment in random_moments(8, people=40)]
    asked = drawing(3)
    whole = Pacing(protection=protection, funds=Funds(amount=Fraction(2)), wall=asked, cells=4)
    for moment in moments[:30]:
        whole.step(moment)
    again = Pacing(protection=protection, funds=Funds(amount=Fraction(2)), wall=asked, cells=4)
    again.restore(whole.state())
    answers = []
    for mechanism in (whole, again):
        ask = drawing(11)
        for sliding in filter(None, (mechanism.counts, mechanism.total and mechanism.total.sliding)):
            sliding._wall = ask
        answers.append([mechanism.step(moment).tolist() for moment in moments[30:]])
    assert answers[0] == answers[1]
