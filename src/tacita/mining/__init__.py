"""Frequent patterns, counted exactly: a judge's tool, for raw data and releases alike. Nothing that publishes may use it."""

from tacita.mining.contiguous import top_contiguous_patterns
from tacita.mining.gapped import top_gapped_patterns
from tacita.mining.patterns import Patterns
from tacita.mining.search import MAX_PATTERNS, TooManyPatternsError
from tacita.mining.weighted import Weighted, collapse

__all__ = [
    "MAX_PATTERNS",
    "Patterns",
    "TooManyPatternsError",
    "Weighted",
    "collapse",
    "top_contiguous_patterns",
    "top_gapped_patterns",
]
