from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from tacita.errors import ParameterError
from tacita.privacy.questions.selecting import permute_and_flip, selection_probabilities
from tacita.testing import SeededSource

SCORES = st.lists(st.one_of(st.integers(-20, 20), st.fractions(-20, 20)), min_size=1, max_size=6)


def brute_force(scores, epsilon, sensitivity):
    """Permute-and-flip by the words of its definition: every order, every coin."""
    accept = [exp(-float(epsilon * (max(scores) - score) / (2 * sensitivity))) for score in scores]
    chances = np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        alive = 1 / factorial(len(scores))
        for candidate in order:
            chances[candidate] += alive * accept[candidate]
            alive *= 1 - accept[candidate]
    return chances


@given(SCORES, st.fractions(Fraction(1, 10), 4))
@settings(max_examples=50)
def test_the_law_for_audits_is_the_definition(scores, epsilon):
    law = selection_probabilities(scores, epsilon=epsilon, sensitivity=Fraction(1))
    assert law == pytest.approx(brute_force(scores, epsilon, 1), rel=1e-9, abs=1e-12)
    assert law.sum() == pytest.approx(1)


@given(SCORES, st.data())
@settings(max_examples=100)
def test_the_law_keeps_epsilon_for_every_change_of_the_scores_within_the_sensitivity(scores, data):
    changed = [score + data.draw(st.integers(-1, 1)) for score in scores]
    epsilon = Fraction(1)
    laws = [np.log(selection_probabilities(side, epsilon=epsilon, sensitivity=Fraction(1))) for side in (scores, changed)]
    assert np.abs(laws[0] - laws[1]).max() <= 1 + 1e-9


def test_draws_follow_the_law():
    """Flake rate: none, the source is seeded; the chance of a seed that fails is one in a million."""
    scores, epsilon = [3, Fraction(5, 2), 0, 3, -4], Fraction(3, 2)
    source = SeededSource(5)
    seen = Counter(permute_and_flip(scores, epsilon=epsilon, sensitivity=Fraction(1), source=source) for _ in range(20_000))
    law = selection_probabilities(scores, epsilon=epsilon, sensitivity=Fraction(1))
    assert chisquare([seen[place] for place in range(5)], law * 20_000).pvalue > 1e-6
    wrong = selection_probabilities(scores, epsilon=epsilon * 2, sensitivity=Fraction(1))
    assert chisquare([seen[place] for place in range(5)], wrong * 20_000).pvalue < 1e-6


def test_a_selection_from_nothing_is_refused():
    with pytest.raises(ParameterError, match="at least one candidate"):
        permute_and_flip([], epsilon=Fraction(1), sensitivity=Fraction(1), source=SeededSource(0))
