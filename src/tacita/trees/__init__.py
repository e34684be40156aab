"""Noisy trees and what is made of them. Behind the wall: nothing here may see a record or a true count."""

from tacita.trees.completion import completed_sequences
from tacita.trees.gram_consistency import consistent
from tacita.trees.gram_contexts import contexts_of
from tacita.trees.gram_fit import fitted
from tacita.trees.gram_joining import joined
from tacita.trees.gram_tree import GramLevel, GramTree, Repeats
from tacita.trees.gram_walks import walked
from tacita.trees.inference import Inference, LevelNoise, estimate
from tacita.trees.noisy_tree import NoisyTree, TreeLevel
from tacita.trees.simplex import on_simplex
from tacita.trees.synthesis import sequences_from_tree, terminations

__all__ = [
    "GramLevel",
    "GramTree",
    "Inference",
    "LevelNoise",
    "NoisyTree",
    "Repeats",
    "TreeLevel",
    "completed_sequences",
    "consistent",
    "contexts_of",
    "estimate",
    "fitted",
    "joined",
    "on_simplex",
    "sequences_from_tree",
    "terminations",
    "walked",
]
