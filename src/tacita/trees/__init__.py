"""Noisy trees and what is made of them. Behind the wall: nothing here may see a record or a true count."""

from tacita.trees.completion import completed_sequences
from tacita.trees.inference import Inference, LevelNoise, estimate
from tacita.trees.noisy_tree import NoisyTree, TreeLevel
from tacita.trees.synthesis import sequences_from_tree, terminations

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
