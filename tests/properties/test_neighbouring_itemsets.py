"""What one basket changes in the counts of itemsets, for every basket of a small universe and for pairs that hypothesis finds."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from strategies import basket_records, neighbouring_baskets
from tacita.auditing import record, replay, transcript_loss
from tacita.privacy.account import Replay
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import PureDP
from tacita.sets import ItemsetCounts
from tacita.testing import seeded_ledger

SMALL = ["A", "B", "AB", "C"] * 6 + ["ABC"] * 4 + ["ABCD", "BCDE", "ABCDE"] * 2
CASES = [("ABC", "40"), ("ABCDE", "1"), ("ABCDE", "60"), ("ABCDE", "300"), ("AB", "1/7")]
"""Universe and epsilon: with all items together at a large budget or over two items, with a core of some of them otherwise."""


def every_basket(labels):
    return ["".join(basket) for size in range(1, len(labels) + 1) for basket in combinations(labels, size)]


def run(records, budget, transcript):
    ledger = Replay(transcript)
    return ItemsetCounts().publish(records, budget=budget, ledger=ledger).data.to_labels(), ledger.trace


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


@pytest.mark.parametrize("epsilon", ["2", "90"])
@given(pair=neighbouring_baskets())
@settings(max_examples=25)
def test_no_transcript_loses_more_than_epsilon(epsilon, pair):
    budget = PureDP(epsilon)
    for recorded_on in pair:
        transcript = record(ItemsetCounts(), recorded_on, budget=budget)
        traces = [replay(ItemsetCounts(), side, budget=budget, transcript=transcript) for side in pair]
        assert abs(transcript_loss(transcript, *traces)) <= float(budget.epsilon) * (1 + 1e-9)
