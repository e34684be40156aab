"""Tables 6.2 to 6.4 and Examples 6.4.1 to 6.4.5 of the thesis, with the noisy counts that they give."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from tacita.counting.local import GramCounter
from tacita.privacy.paths import Paths
from tacita.privacy.questions import Cells
from tacita.public.universe import Universe
from tacita.sequences import SequenceRecords, Threshold
from tacita.sequences.ngrams.exploration import GramRule, explore
from tacita.sequences.ngrams.synthesis.joining import JoinedGrams
from tacita.sequences.ngrams.synthesis.tree import completed, shared_out
from tacita.trees import NoisyTree, TreeLevel

PATHS = ["L2 L3 L1", "L2 L3", "L3 L2", "L2 L3 L1", "L3 L2 L1", "L2 L3 L1 L2 L3", "L3 L2", "L3 L1 L2 L3"]
RECORDS = SequenceRecords.from_labels([path.split() for path in PATHS], universe=Universe(["L1", "L2", "L3"]))
L1, L2, L3, END = range(4)


@dataclass(frozen=True, kw_only=True)
class ThresholdOfTheExample(GramRule):
    """The threshold of Example 6.4.1 is 3, whatever the epsilon."""

    def least(self, epsilon):
        assert epsilon > 0
        return 3


RULE = ThresholdOfTheExample(symbols=3, starts=5, max_gram=5, threshold=Threshold.PUBLISHED, has_cut=False)

ANSWERS = {
    (): {L1: 4, L2: 10, L3: 9},
    (L1,): {L1: 0, L2: 2, L3: 1, END: 2},
    (L2,): {L1: 1, L2: 0, L3: 6, END: 2},
    (L3,): {L1: 4, L2: 3, L3: 0, END: 2},
    (L2, L3): {L1: 4, L2: 0, L3: 1, END: 2},
    (L3, L1): {L1: 2, L2: 4, L3: 0, END: 2},
    (L3, L2): {L1: 1, L2: 0, L3: 1, END: 2},
}


def explored():
    """The tree of Figure 6.6, and what each histogram in it cost."""
    costs, grams = {}, {0: ()}

    def answer(question, counts):
        assert counts.keys.size
        values, keys = [], []
        for block, node in enumerate(question.nodes.tolist()):
            gram = grams[node]
            costs[gram] = question.table[question.terms[block]].epsilon
            threshold = question.table[question.terms[block]].threshold
            for cell, value in ANSWERS.get(gram, {}).items():
                if threshold is None or value >= threshold:
                    grams[len(grams)] = (*gram, cell)
                    keys.append(int(question.bases[block]) + cell)
                    values.append(value)
        return Cells(np.array(keys, dtype=np.int64), np.array(values, dtype=np.int64))

    counter = GramCounter(RECORDS.sequences, symbols=3, max_length=5)
    paths = Paths(step="grams", epsilon=Fraction(1), starts=5, answer=answer)
    return explore(counter, paths, RULE, max_nodes=1000), costs


def test_unigrams_and_bigrams_are_those_of_tables_6_3_and_6_4():
    counter = GramCounter(RECORDS.sequences, symbols=3, max_length=5)
    _, cells, counts = counter.counts()
    assert dict(zip(cells.tolist(), counts.tolist(), strict=True)) == {L1: 5, L2: 9, L3: 10}
    counter.follow(np.zeros(3, dtype=np.int64), np.arange(3))
    groups, cells, counts = counter.counts()
    found = {(group, cell): count for group, cell, count in zip(groups.tolist(), cells.tolist(), counts.tolist(), strict=True)}
    assert found == {(L1, L2): 2, (L1, END): 3, (L2, L1): 1, (L2, L3): 6, (L2, END): 2, (L3, L1): 4, (L3, L2): 3, (L3, END): 3}


def test_the_exploration_tree_is_grown_as_in_example_6_4_1():
    tree, _ = explored()
    grams, _ = tree.grams()
    assert [tuple(gram) for gram in grams.to_lists() if len(gram) == 2 and gram[-1] < END] == [
        (L1, L1),
        (L1, L2),
        (L1, L3),
        (L2, L3),
        (L3, L1),
        (L3, L2),
    ]  # L1 is asked for the last time, so that all of its continuations are released
    assert len(tree.levels) == 3


def test_budgets_are_shared_as_in_example_6_4_2():
    _, costs = explored()
    assert costs[()] == Fraction(1, 5)
    assert costs[(L1,)] == Fraction(4, 5)
    assert costs[(L2,)] == Fraction(2, 5)
    assert costs[(L2, L3)] == Fraction(2, 5)


@pytest.mark.parametrize(
    ("count", "mode", "length", "height"), [(4, 10 / 23, 1, 1), (10, 10 / 23, 1, 2), (9, 10 / 23, 1, 2), (6, 4 / 9, 2, 1)]
)
def test_heights_are_rounded_up_as_in_example_6_4_2(count, mode, length, height):
    found = RULE.heights(np.array([count]), np.array([3]), np.array([mode]), length=length, repeats=np.zeros(1, dtype=np.bool_))
    assert found.tolist() == [height]


def test_missing_counts_come_from_markov_parents_as_in_example_6_4_3():
    counts, released = np.array([[2.1, 4.0, 0.0, 1.9]]), np.array([[True, True, False, True]])
    parents = np.array([[0.0, 1.0, 0.0, 0.0]])
    told = completed(counts, released, np.array([4]), parents, np.array([True]))
    assert told.tolist() == [[2.1, 4.0, 0.0, 1.9]]
    assert shared_out(np.array([4]), np.zeros(4, dtype=np.int64), told[0]).tolist() == [1, 2, 0, 1]


def joined_grams():
    """The consistent tree of Example 6.4.4: L2 L3 L1 four times, and what comes after L3 L1."""
    first = TreeLevel(np.zeros(3, dtype=np.int64), np.array([L1, L2, L3]), np.array([8, 6, 8]))
    second = TreeLevel(np.array([1, 2]), np.array([L3, L1]), np.array([6, 4]))
    third = TreeLevel(np.array([0, 1, 1, 1]), np.array([L1, L1, L2, END]), np.array([4, 1, 2, 1]))
    return JoinedGrams(NoisyTree((first, second, third)), symbols=3)


def counts_of(grams, counts):
    """The count of each gram by its symbols."""
    found = {}
    for length in range(1, grams.depth + 1):
        nodes = np.arange(grams.begins[length], grams.begins[length + 1])
        found |= dict(zip(map(tuple, grams.words(nodes, length).tolist()), counts[nodes].tolist(), strict=True))
    return found


def test_grams_are_joined_as_in_example_6_4_4():
    grams = joined_grams()
    assert grams.extend()
    found = counts_of(grams, grams.counts)
    assert found[(L2, L3, L1, L2)] == 2
    assert found[(L2, L3, L1, L1)] == 1


def test_what_is_written_out_is_taken_off_all_grams_in_it_as_in_example_6_4_5():
    grams = joined_grams()
    grams.extend()
    left = grams.counts.copy()
    grams.take_off(left, np.array([[L2, L3, L1, L2]]), np.array([2]))
    before, after = counts_of(grams, grams.counts), counts_of(grams, left)
    for gram in [(L1,), (L3,), (L2, L3), (L3, L1), (L2, L3, L1), (L3, L1, L2)]:
        assert after[gram] == before[gram] - 2
    assert after[L2,] == before[L2,] - 4  # it occurs twice in each copy
    assert after[L3, L1, L1] == before[L3, L1, L1]  # which does not occur in it
