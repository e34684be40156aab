"""Noisy prefix trees and their post-processing. Behind the wall: nothing here may see a record or a true count.

Read `noisy_tree` (a tree as arrays, the correction for its threshold, and sequences from a consistent tree), `inference` (the
estimates of its counts, and their rounding), then `completion` (sequences from a tree with ends).
"""

from tacita.trees.completion import completed_sequences
from tacita.trees.inference import Inference, LevelNoise, estimate
from tacita.trees.noisy_tree import NoisyTree, TreeLevel, sequences_from_tree, terminations

__all__ = [
    "Inference",
    "LevelNoise",
    "NoisyTree",
    "TreeLevel",
    "completed_sequences",
    "estimate",
    "sequences_from_tree",
    "terminations",
]
