"""Table 4.1, Figures 4.1 and 4.2 and Examples 4.3.1 to 4.3.3 of Chen's thesis, with the budgets of the corrected allocation.

In the example, of two nodes of one height the second is split first; with our rule that is a matter of the universe's order, so
the universe begins with its items.
"""

from collections import Counter
from fractions import Fraction

import numpy as np

from tacita.privacy.account import StandIn
from tacita.privacy.budget import PureDP
from tacita.privacy.questions import Cells
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, DiffPart
from tacita.sets.partitioning import SplitOrder

BASKETS = ["1 2 3 4", "2 4", "2", "1 2", "2", "1", "1 2 3 4", "2 3 4"]
UNIVERSE = Universe(["3", "4", "1", "2"])
RECORDS = BasketRecords.from_labels([basket.split() for basket in BASKETS], universe=UNIVERSE)
METHOD = DiffPart(fan_out=2)
EPSILON = Fraction(12)


class Figure:
    """Keeps what the figure keeps, at the true counts, and notes all questions with their true counts."""

    def __init__(self, dropped):
        self.dropped = dropped
        self.rounds = []

    def answer(self, question, counts):
        cells = [
            (int(block), int(key - question.bases[block]), int(count))
            for block, key, count in zip(question.block_of(counts.keys), counts.keys, counts.values, strict=True)
        ]
        costs = [question.table[terms].epsilon for terms in question.terms]
        self.rounds.append((question.sizes.tolist(), costs, cells))
        kept = [(len(self.rounds), block, cell) not in self.dropped for block, cell, _ in cells]
        return Cells(counts.keys[kept], counts.values[kept])


def published(dropped):
    answers = Figure(dropped)
    release = METHOD.publish(RECORDS, budget=PureDP(EPSILON), ledger=StandIn(answers))
    return answers.rounds, Counter(" ".join(sorted(row)) for row in release.data.to_labels())


def test_the_taxonomy_of_figure_4_1_has_three_splits_the_highest_first():
    splits = METHOD.order(UNIVERSE).splits
    assert [(split.height, split.labels) for split in splits] == [(2, ()), (1, (0, 1)), (1, (2, 3))]
    assert [split.below for split in splits] == [(1, 1), (0, 0), (0, 0)]


def test_partitions_counts_and_budgets_follow_figure_4_2():
    """Cells are masks less one: first and second child, then both; {I12, I4} with record 2 alone is considered empty."""
    dropped = {(2, 0, 1)}
    rounds, _ = published(dropped)
    sixth = EPSILON / 6
    assert rounds[0] == ([3], [sixth], [(0, 1, 4), (0, 2, 4)])  # {I34}: nothing, {I12}: 4, {I34, I12}: 4
    assert rounds[1] == ([3], [sixth], [(0, 1, 1), (0, 2, 3)])  # of the latter, {I12, I4}: 1, {I12, I3, I4}: 3
    # the leaves of {I12} have 5/6 of epsilon, those of {I12, I3, I4} two thirds
    assert rounds[2] == ([3, 3], [5 * sixth, 4 * sixth], [(0, 0, 1), (0, 1, 2), (0, 2, 1), (1, 1, 1), (1, 2, 2)])


def test_every_path_of_the_example_costs_epsilon():
    rounds, _ = published(set())
    (first,), (second,), (short, middle, long) = (costs for _, costs, _ in rounds)
    assert first + short == first + second + middle == first + second + long == EPSILON


def test_the_release_is_the_table_without_what_was_dropped():
    assert published(set())[1] == Counter(" ".join(sorted(basket.split())) for basket in BASKETS)
    assert published({(2, 0, 1)})[1] == {"1 2 3 4": 2, "2 3 4": 1, "2": 2, "1 2": 1, "1": 1}


def test_places_are_the_order_of_the_universe_where_all_leaves_are_equally_deep():
    order = SplitOrder(METHOD.order(UNIVERSE).taxonomy)
    assert np.array_equal(order.item_at, np.arange(4))
