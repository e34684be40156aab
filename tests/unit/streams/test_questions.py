# ruff: noqa: FBT003 - the answer of a question is a bit
"""Each question's law, as its audit evaluates it, is the one it draws from, and costs no more than it says."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import exp

import numpy as np
import pytest

from tacita.streams.questions import ClosestQuestion, HistogramQuestion, NearnessQuestion
from tacita.testing import SeededSource

COUNTS = [counts for counts in product(range(3), repeat=3) if sum(counts)]


def neighbours():
    for counts in COUNTS:
        for leaves, enters in permutations(range(3), 2):
            if counts[leaves]:
                moved = list(counts)
                moved[leaves] -= 1
                moved[enters] += 1
                yield np.array(counts), np.array(moved)


@pytest.mark.parametrize("denominator", [1, 2, 3])
@pytest.mark.parametrize("bound", [3, 50, 131])
def test_a_bit_costs_no_more_than_its_epsilon_whatever_the_candidate(denominator, bound):
    question = NearnessQuestion(step="distances", epsilon=Fraction(2), sensitivity=2, bound=bound)
    candidate = np.array([1, 2, 1]) * 16 // denominator
    worst = 0.0
    for first, second in neighbours():
        distances = [int(np.abs(16 * counts - candidate).sum()) for counts in (first, second)]
        worst = max(worst, *(abs(question.log_ratio(answer, *distances)) for answer in (True, False)))
    assert 0 < worst <= 2 + 1e-12


def test_the_probabilities_of_both_bits_add_up_to_one():
    question = NearnessQuestion(step="distances", epsilon=Fraction(1, 3), sensitivity=2, bound=40)
    for distance in range(0, 400, 7):
        assert exp(question.log_probability(True, distance)) + exp(question.log_probability(False, distance)) == pytest.approx(1)


def test_the_bit_is_drawn_from_its_law():
    """A fair sampler fails this once in 10,000 times (3.9 standard deviations)."""
    question, source = NearnessQuestion(step="distances", epsilon=Fraction(1), sensitivity=2, bound=40), SeededSource(1)
    draws, chance = 4000, exp(question.log_probability(True, 57))
    yes = sum(question.draw(57, source) for _ in range(draws))
    assert abs(yes - draws * chance) < 3.9 * (draws * chance * (1 - chance)) ** 0.5


def test_counts_cost_no_more_than_their_epsilon_and_reach_it():
    question = HistogramQuestion(step="counts", epsilon=Fraction(1), sensitivity=2, cells=3)
    worst = max(question.log_ratio(np.array([-9, 4, 20]), first, second) for first, second in neighbours())
    assert worst == pytest.approx(1)


def test_a_choice_costs_no_more_than_its_epsilon():
    question = ClosestQuestion(step="distances", epsilon=Fraction(1), sensitivity=2, candidates=3)
    candidates = np.array([[0, 0, 0], [16, 40, 3], [32, 32, 32]])
    for first, second in neighbours():
        distances = [np.abs(16 * counts - candidates).sum(axis=1) for counts in (first, second)]
        assert all(abs(question.log_ratio(answer, *distances)) <= 1 + 1e-12 for answer in range(3))
