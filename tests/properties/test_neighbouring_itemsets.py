"""What one basket changes in the counts of itemsets, for every basket of a small universe and for pairs that hypothesis finds."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from strategies import basket_records, neighbouring_baskets
from tacita.auditing import record, replay, transcript_loss
from tacita.auditing.exact_laws import exact_rho
from tacita.privacy.account import Replay
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import ApproxDP, PureDP, ZeroConcentrated
from tacita.sets import ItemsetCounts
from tacita.testing import seeded_ledger

USUAL = ItemsetCounts()
SMALL = ["A", "B", "AB", "C"] * 6 + ["ABC"] * 4 + ["ABCD", "BCDE", "ABCDE"] * 2
CASES = [("ABC", "40"), ("ABCDE", "1"), ("ABCDE", "60"), ("ABCDE", "300"), ("AB", "1/7")]
"""Universe and epsilon: with all items together at a large budget or over two items, with a core of some of them otherwise."""


def every_basket(labels):
    return ["".join(basket) for size in range(1, len(labels) + 1) for basket in combinations(labels, size)]


def run(records, budget, transcript, *, mechanism=USUAL):
    ledger = Replay(transcript)
    return mechanism.publish(records, budget=budget, ledger=ledger).data.to_labels(), ledger.trace


def cost(first, second):
    """How much the counts differ, each difference times the inverse of its noise scale, over all questions."""
    total = 0
    for (question, mine), (_, other) in zip(first.entries, second.entries, strict=True):
        counts = np.zeros((2, question.domain), dtype=np.int64)
        counts[0][mine.keys], counts[1][other.keys] = mine.values, other.values
        (rate,) = question.rates
        total += rate * int(np.abs(counts[0] - counts[1]).sum())
    return total


@pytest.mark.parametrize(("labels", "epsilon"), CASES)
def test_every_basket_costs_epsilon_at_most_and_changes_no_release_but_by_the_answers(labels, epsilon):
    budget, worst = PureDP(epsilon), 0
    rows = [row for row in SMALL if set(row) <= set(labels)]
    for seed in range(2):
        transcript = Transcript()
        ItemsetCounts().publish(
            basket_records(rows, labels=labels), budget=budget, ledger=seeded_ledger(seed, transcript=transcript)
        )
        published, trace = run(basket_records(rows, labels=labels), budget, transcript)
        neighbours = [[*rows, basket] for basket in every_basket(labels)]
        neighbours += [[*rows[: rows.index(row)], *rows[rows.index(row) + 1 :]] for row in sorted(set(rows))]
        for neighbour in neighbours:
            made, other = run(basket_records(neighbour, labels=labels), budget, transcript)
            assert made == published
            assert cost(trace, other) <= budget.epsilon
            worst = max(worst, cost(trace, other))
    assert worst == budget.epsilon or not any(question.step.startswith("itemsets") for question, _ in transcript.entries)


WIDE = [label for part in ("ABCD", "CDEF", "BDEG", "AFGH", "ADEGH", "BCF", "AB", "ABCDEFGH") for label in [part] * 15]
IN_RHO = [("ABC", 4, "400"), ("ABCDE", 5, "1/10"), ("ABCDE", 2, "300"), ("ABCDEFGH", 8, "30"), ("ABCDEFGH", 6, "60")]
"""Labels, how many of them may be counted together, and a rho."""


@pytest.mark.parametrize(("labels", "core", "rho"), IN_RHO)
def test_every_basket_costs_rho_at_most_and_its_squared_changes_are_those_that_the_noise_is_for(labels, core, rho):
    mechanism, budget, worst = ItemsetCounts(max_core=core), ZeroConcentrated(rho), 0
    rows = WIDE if len(labels) > 5 else [row for row in SMALL if set(row) <= set(labels)]
    transcript = record(mechanism, basket_records(rows, labels=labels), budget=budget)
    published, trace = run(basket_records(rows, labels=labels), budget, transcript, mechanism=mechanism)
    neighbours = [[*rows, basket] for basket in every_basket(labels)[:: 1 if len(labels) <= 5 else 6]]
    neighbours += [[*rows, labels]] + [[*rows[: rows.index(row)], *rows[rows.index(row) + 1 :]] for row in sorted(set(rows))]
    for neighbour in neighbours:
        made, other = run(basket_records(neighbour, labels=labels), budget, transcript, mechanism=mechanism)
        assert made == published
        for (question, mine), (_, theirs) in zip(trace.entries, other.entries, strict=True):
            assert np.square(mine - theirs).sum() <= question.squares
            assert np.abs(mine - theirs).sum() <= question.sensitivity
        worst = max(worst, exact_rho(trace, other))
    assert Fraction(99, 100) * budget.rho < worst <= budget.rho
    steps = {question.step for question, _ in trace.entries}
    assert ("sizes in the core" in steps) == (core in {2, 6})
    assert any(question.squares > 1 for question, _ in trace.entries if question.step.startswith("itemsets")) == (core >= 6)


@pytest.mark.parametrize("epsilon", ["3", "90"])
@given(pair=neighbouring_baskets())
@settings(max_examples=15)
def test_no_pair_of_neighbours_loses_more_than_the_rho_of_an_epsilon_with_a_delta(epsilon, pair):
    budget = ApproxDP(epsilon, "1e-6")
    for recorded_on in pair:
        transcript = record(ItemsetCounts(), recorded_on, budget=budget)
        traces = [replay(ItemsetCounts(), side, budget=budget, transcript=transcript) for side in pair]
        assert exact_rho(*traces) <= budget.rho


@pytest.mark.parametrize("epsilon", ["2", "90"])
@given(pair=neighbouring_baskets())
@settings(max_examples=25)
def test_no_transcript_loses_more_than_epsilon(epsilon, pair):
    budget = PureDP(epsilon)
    for recorded_on in pair:
        transcript = record(ItemsetCounts(), recorded_on, budget=budget)
        traces = [replay(ItemsetCounts(), side, budget=budget, transcript=transcript) for side in pair]
        assert abs(transcript_loss(transcript, *traces)) <= float(budget.epsilon) * (1 + 1e-9)
