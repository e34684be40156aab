"""Frequent patterns, counted exactly, to evaluate raw data and releases. Nothing that publishes may use this package.

Read `search` (best first, whatever a pattern is), then `sequences` (patterns with and without gaps) and `itemsets` (the most
frequent ones, and the maximal ones).
"""

from tacita.mining.itemsets import maximal_itemsets, top_itemsets
from tacita.mining.search import MAX_PATTERNS, Patterns
from tacita.mining.sequences import Weighted, collapse, top_contiguous_patterns, top_gapped_patterns

__all__ = [
    "MAX_PATTERNS",
    "Patterns",
    "Weighted",
    "collapse",
    "maximal_itemsets",
    "top_contiguous_patterns",
    "top_gapped_patterns",
    "top_itemsets",
]
