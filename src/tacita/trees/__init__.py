"""Noisy prefix trees and their post-processing. Behind the wall: nothing here may see a record or a true count.

Read `noisy_tree` (a tree as arrays), `inference` (which estimate is used; `least_squares`, `two_phase` and `correction` are the
estimates, `rounding` turns them into integers), then `synthesis` and `completion` (sequences from a tree).
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
