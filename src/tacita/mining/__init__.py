"""Frequent patterns, counted exactly, to evaluate raw data and releases. Nothing that publishes may use this package."""

from tacita.mining.contiguous import top_contiguous_patterns
from tacita.mining.gapped import top_gapped_patterns
from tacita.mining.itemsets import top_itemsets
from tacita.mining.maximal import maximal_itemsets
from tacita.mining.patterns import Patterns
from tacita.mining.search import MAX_PATTERNS
from tacita.mining.weighted import Weighted, collapse

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
