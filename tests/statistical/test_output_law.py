"""The output test: the product is run many times on two neighbours, and what comes out is compared with the exact law.

Replay evaluates the law that the code claims; this looks at what the code does. Secure entropy; a correct product fails one of
the chi-square tests once in 10^5 runs, and a log-ratio once in 10^5.
"""

from collections import Counter
from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.stats import chisquare, norm

from strategies import sequence_records
from tacita.core import noise
from tacita.core.budget import PureDP
from tacita.core.ledger import Ledger
from tacita.core.transcript import Cells, Drawing
from tacita.sequences import PrefixTree

FLAKE_RATE = 1e-5
CLIP = 3  # values are told apart up to this far above the threshold


def outcomes(tree, rows, epsilon, runs, *, ledger=Ledger):
    """How often each release came out: the number of copies of each prefix, clipped."""
    records = sequence_records(rows, labels="AB")
    seen = Counter()
    for _ in range(runs):
        release = tree.publish(records, budget=PureDP(epsilon), ledger=ledger())
        seen[tuple(sorted(Counter(map(tuple, release.data.to_labels())).items()))] += 1
    return seen


def clipped_law(count, rate, threshold):
    """The law of one cell: dropped, or threshold, threshold + 1, ... with the last standing for everything above."""
    ratio = exp(-float(rate))
    mass = {value: (1 - ratio) / (1 + ratio) * ratio ** abs(value - count) for value in range(-4000, 4000)}
    law = {0: sum(mass[value] for value in mass if value < threshold)}
    for value in range(threshold, threshold + CLIP):
        law[value] = mass[value]
    law[threshold + CLIP] = 1 - sum(law.values())
    return law


def level_one(rows, epsilon, runs, **rest):
    """Clipped outcomes of a tree of height 1 over A and B, their number of copies."""
    tree = PrefixTree(height=1)
    threshold = tree.least_count(Fraction(epsilon), symbols=2)
    seen = Counter()
    for outcome, times in outcomes(tree, rows, epsilon, runs, **rest).items():
        copies = {path: min(value, threshold + CLIP) for path, value in outcome}
        seen[(copies.get(("A",), 0), copies.get(("B",), 0))] += times
    return seen, threshold


def pvalue(seen, law, runs):
    observed, expected = zip(*((seen.get(key, 0), chance * runs) for key, chance in law.items()), strict=True)
    observed, expected = np.array(observed), np.array(expected)
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return chisquare(observed, expected * runs / expected.sum()).pvalue


def exact_level_one(counts, epsilon, threshold):
    first, second = (clipped_law(count, Fraction(epsilon), threshold) for count in counts)
    return {(a, b): p * q for a, p in first.items() for b, q in second.items()}


def excess(first, second, epsilon):
    """The largest log-ratio of frequencies beyond epsilon and its confidence radius; positive means a violation."""
    radius = norm.isf(FLAKE_RATE / (2 * max(1, len(first) + len(second))))
    worst = -np.inf
    for event in set(first) | set(second):
        for mine, other in ((first[event], second[event]), (second[event], first[event])):
            if mine < 50:
                continue
            at_least = max(other, 1)
            slack = radius * sqrt(1 / mine + 1 / at_least)
            worst = max(worst, log(mine / at_least) - slack - float(epsilon))
    return worst


def check_level_one(runs):
    epsilon, rows, neighbour = "1/2", ["A"] * 5, ["A"] * 5 + ["B"]
    sides = []
    for side, counts in ((rows, (5, 0)), (neighbour, (5, 1))):
        seen, threshold = level_one(side, epsilon, runs)
        assert pvalue(seen, exact_level_one(counts, epsilon, threshold), runs) > FLAKE_RATE
        sides.append(seen)
    assert excess(*sides, Fraction(epsilon)) <= 0


def check_two_levels(runs):
    """Whole releases of a tree of height 2: nothing in the output tells neighbours further apart than epsilon."""
    tree, epsilon = PrefixTree(height=2), "2"
    sides = [outcomes(tree, rows, epsilon, runs) for rows in (["AB", "AB", "B"], ["AB", "AB", "B", "AB"])]
    assert len(sides[0]) > 20
    assert excess(*sides, Fraction(epsilon)) <= 0


def test_releases_of_one_level_have_the_exact_law():
    check_level_one(8_000)


def test_releases_of_two_levels_keep_epsilon():
    check_two_levels(8_000)


@pytest.mark.slow
def test_releases_of_one_level_have_the_exact_law_in_many_runs():
    check_level_one(200_000)


@pytest.mark.slow
def test_releases_of_two_levels_keep_epsilon_in_many_runs():
    check_two_levels(200_000)


class Sabotaged(Drawing):
    """A ledger's answers with a mistake in them, to see that this test can fail."""

    def cells(self, question, counts):
        return self.sabotage(question, counts)


def broken_ledger(mistake):
    def make():
        ledger = Ledger()
        answers = Sabotaged(ledger._source)
        object.__setattr__(answers, "sabotage", lambda question, counts: mistake(answers, question, counts))
        ledger._answers = lambda: answers
        return ledger

    return make


def empties_at_half_rate(answers, question, counts):
    """Empty cells are tested with noise of twice the scale."""
    honest = Drawing.cells(answers, question, counts)
    true = np.isin(honest.keys, counts.keys)
    empty = [key for key in range(question.domain) if key not in counts.keys]
    values = noise.discrete_laplace(len(empty), rate=question.rate / 2, source=answers.source)
    passed = values >= question.threshold
    keys = np.concatenate([honest.keys[true], np.array(empty, dtype=np.int64)[passed]])
    order = np.argsort(keys)
    return Cells(keys[order], np.concatenate([honest.values[true], values[passed]])[order])


def empties_forgotten(answers, question, counts):
    """Only cells that somebody is in can be kept."""
    honest = Drawing.cells(answers, question, counts)
    true = np.isin(honest.keys, counts.keys)
    return Cells(honest.keys[true], honest.values[true])


def scale_by_data(answers, question, counts):
    """The noise shrinks where counts are large."""
    values = counts.values + noise.discrete_laplace(counts.values.size, rate=question.rate * 3, source=answers.source)
    kept = values >= question.threshold
    return Cells(counts.keys[kept], values[kept])


@pytest.mark.parametrize("mistake", [empties_at_half_rate, empties_forgotten, scale_by_data])
def test_a_sampler_that_does_not_do_what_it_says_is_caught(mistake):
    runs, epsilon = 4_000, "1/2"
    seen, threshold = level_one(["A"] * 5, epsilon, runs, ledger=broken_ledger(mistake))
    assert pvalue(seen, exact_level_one((5, 0), epsilon, threshold), runs) < FLAKE_RATE
