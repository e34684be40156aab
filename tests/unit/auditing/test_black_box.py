"""The black box: silent on what is right, loud on what is not. Every source is seeded, so nothing here flakes."""

import os
from collections import Counter
from fractions import Fraction
from functools import partial
from math import log

import pytest

from tacita.auditing import SequenceCase, epsilon_lower_bound
from tacita.auditing.black_box import _Claim, _learn
from tacita.auditing.broken_samplers import wrong_scale
from tacita.auditing.runs import count_outcomes, side_by_side
from tacita.auditing.verdict import chi_square, clopper_pearson
from tacita.privacy.account import StandIn
from tacita.privacy.budget import PureDP
from tacita.sequences import PrefixTree
from tacita.testing import SeededSource

CASE = SequenceCase(name="tree", mechanism=PrefixTree(height=1, inference="none"), budget=PureDP(1), labels="AB", longest=1)


def bound_of(factor, seed, *, runs=20_000, processes=None):
    """The bound that a tree gives away whose noise is `factor` times too little."""

    def run(records, number):
        sampler = wrong_scale(Fraction(factor), SeededSource(seed * 10**8 + number))
        return CASE.outcome(CASE.mechanism.publish(records, budget=CASE.budget, ledger=StandIn(sampler)))

    sides = [CASE.records(("A",) * people) for people in (8, 9)]
    return epsilon_lower_bound(run, *sides, runs=runs, confidence=0.999, processes=processes)


def test_right_noise_is_silent_and_noise_that_is_too_little_is_a_violation():
    assert 0.2 < bound_of("1", 1, runs=1_000).epsilon <= 1
    assert bound_of("3", 1, runs=1_000).epsilon > 1


@pytest.mark.slow
def test_twenty_seeds_are_silent_on_right_noise():
    bounds = [bound_of("1", seed).epsilon for seed in range(100, 120)]
    assert max(bounds) <= 1
    assert min(bounds) > 0.5


@pytest.mark.slow
def test_twenty_seeds_see_noise_that_is_too_little():
    assert min(bound_of("1.3", seed).epsilon for seed in range(200, 220)) > 1


def test_anything_that_can_be_called_is_bounded():
    """Randomised response that tells the truth three times out of four has epsilon log 3."""

    def respond(truth, number):
        lie = SeededSource(number).take(1)[0] < 64
        return (not truth) if lie else truth

    bound = epsilon_lower_bound(respond, True, False, runs=20_000, processes=1)  # noqa: FBT003 - the data is a boolean
    assert log(3) - 0.2 < bound.epsilon <= log(3)
    assert "the output in {" in str(bound)


def test_a_delta_covers_what_it_says_and_no_more():
    """The truth is told one time in ten, and nothing else: epsilon is infinite without a delta, and 0 with one of a tenth."""

    def tell(truth, number):
        return truth if SeededSource(number).take(1)[0] < 26 else None

    def bound(delta):
        return epsilon_lower_bound(tell, "yes", "no", runs=8_000, processes=1, delta=delta).epsilon

    assert bound(0.0) > 3
    assert bound(26 / 256) == 0
    assert bound(0.05) > 2


def test_one_process_and_two_find_the_same():
    assert bound_of("1.3", 3, runs=600, processes=1) == bound_of("1.3", 3, runs=600, processes=2)


def test_what_is_learnt_does_not_depend_on_which_outcome_came_first():
    """Many events here are equally one-sided, and only some of them are taken."""
    seen = [Counter({(place, "only here"): 1 + place % 2 for place in range(300)}), Counter({"there": 450})]
    claim = _Claim(risk=1e-3, delta=0.0)
    forward, backward = (
        _learn(
            lambda outcome: outcome, "x", [Counter(dict(order(list(side.items())))) for side in seen], swapped=False, claim=claim
        )
        for order in (list, lambda items: items[::-1])
    )
    assert 0 < len(forward.values) < 300
    assert forward.values == backward.values


def test_outputs_that_never_repeat_are_not_learnt_by_heart():
    def unique(data, number):
        return f"{data} {number}" if number % 2 else number

    assert epsilon_lower_bound(unique, "x", "x", runs=2_000, processes=1).epsilon == 0


def test_progress_is_told():
    told = []
    epsilon_lower_bound(lambda _data, _number: 1, 0, 1, runs=2_000, processes=1, progress=lambda *step: told.append(step))
    assert told[-1] == (4, 4)


def test_no_worker_is_started_that_would_have_nothing_to_do():
    """One that has just begun when all is done may miss the signal to end, and whoever waits for it waits for ever."""
    few, many = (
        {
            process
            for quarter in count_outcomes(lambda _data, _number: os.getpid(), None, runs=runs, processes=8)
            for process in quarter
        }
        for runs in (400, 1_000)
    )
    assert few == {os.getpid()}
    assert os.getpid() not in many
    assert 1 <= len(many) <= 2


def test_parts_side_by_side_come_in_order_and_start_no_workers_of_their_own():
    parts = [partial(count_outcomes, lambda data, _number: (data, os.getpid()), place, runs=1_000) for place in range(5)]
    given = list(side_by_side(parts, processes=2))
    assert [{data for quarter in quarters for data, _ in quarter} for quarters in given] == [{place} for place in range(5)]
    workers = [{process for quarter in quarters for _, process in quarter} for quarters in given]
    assert all(len(each) == 1 and os.getpid() not in each for each in workers)


def test_an_error_in_a_run_is_not_swallowed():
    def fails(_data, _number):
        message = "no paper"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match="no paper"):
        epsilon_lower_bound(fails, 0, 1, runs=100, processes=2)


@pytest.mark.parametrize(("hits", "runs"), [(0, 100), (100, 100), (3, 100), (50, 100)])
def test_the_interval_holds_the_frequency_and_is_exact_at_its_ends(hits, runs):
    from scipy.stats import binom

    low, high = clopper_pearson(hits, runs, risk=0.01)
    assert low <= hits / runs <= high
    assert hits == 0 or binom.sf(hits - 1, runs, low) == pytest.approx(0.01)
    assert hits == runs or binom.cdf(hits, runs, high) == pytest.approx(0.01)


def test_rare_cells_are_put_together():
    assert chi_square([50, 50, 1, 0, 1], [50, 50, 1, 0.5, 0.5]) > 0.9
    assert chi_square([100], [100]) == 1
    assert chi_square([90, 10], [50, 50]) < 1e-6
