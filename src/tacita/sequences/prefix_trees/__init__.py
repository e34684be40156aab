"""Noisy prefix trees, simple and hybrid.

Read `method` (public parameters and the verb), then `growth` (what each level costs and keeps, and the wall: which prefixes are
asked for). `tacita.trees` turns the noisy tree into sequences.
"""

from tacita.sequences.prefix_trees.growth import Schedule, Threshold
from tacita.sequences.prefix_trees.method import Granularity, Lost, PrefixTree

__all__ = ["Granularity", "Lost", "PrefixTree", "Schedule", "Threshold"]
