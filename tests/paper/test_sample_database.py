"""The worked example of Chen, Fung and Desai: Table II and its prefix tree."""

from collections import Counter

import numpy as np

from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, SequenceRecords
from tacita.testing import seeded_ledger
from tacita.trees import NoisyTree, TreeLevel, sequences_from_tree
from walks import SimpleWalk

PATHS = ["L1 L2 L3", "L1 L2", "L3 L2 L1", "L1 L2 L4", "L1 L2 L3", "L3 L2", "L1 L2 L4 L1", "L3 L1"]
RECORDS = SequenceRecords.from_labels([path.split() for path in PATHS], universe=Universe(["L1", "L2", "L3", "L4"]))
GOLDEN = {
    "L1": 5,
    "L1 L2": 5,
    "L1 L2 L3": 2,
    "L1 L2 L4": 2,
    "L1 L2 L4 L1": 1,
    "L3": 3,
    "L3 L1": 1,
    "L3 L2": 2,
    "L3 L2 L1": 1,
}


def prefix_tree_without_noise(height):
    walk = SimpleWalk(RECORDS.sequences, symbols=4)
    levels = []
    for _ in range(height):
        keys, counts = walk.counts()
        walk.keep(keys)
        levels.append(TreeLevel(keys // 4, keys % 4, counts))
    return NoisyTree(tuple(levels))


def named(tree):
    found = {}
    for level, nodes in enumerate(tree.levels):
        paths = tree.prefixes(level, np.arange(len(nodes)))
        for path, count in zip(paths, nodes.counts, strict=True):
            found[" ".join(RECORDS.universe.labels[code] for code in path)] = int(count)
    return found


def test_the_prefix_tree_of_the_sample_database_is_the_published_one():
    assert named(prefix_tree_without_noise(4)) == GOLDEN
    assert named(prefix_tree_without_noise(2)) == {path: count for path, count in GOLDEN.items() if path.count(" ") < 2}


def test_without_noise_the_release_is_the_database():
    released = sequences_from_tree(prefix_tree_without_noise(4))
    labels = [" ".join(RECORDS.universe.labels[code] for code in row) for row in released.to_lists()]
    assert Counter(labels) == Counter(PATHS)


def test_with_almost_no_noise_the_mechanism_publishes_the_database():
    release = PrefixTree(height=4).publish(RECORDS, budget=PureDP("200"), ledger=seeded_ledger(1))
    assert Counter(" ".join(row) for row in release.data.to_labels()) == Counter(PATHS)


def test_a_height_below_the_longest_path_cuts_it():
    release = PrefixTree(height=2).publish(RECORDS, budget=PureDP("200"), ledger=seeded_ledger(1))
    assert Counter(" ".join(row) for row in release.data.to_labels()) == Counter(" ".join(path.split()[:2]) for path in PATHS)
