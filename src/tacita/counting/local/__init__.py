"""Counting in one process, on NumPy columns.

Read `engine` (the protocols) first, then the counters behind it: `prefixes` (prefixes and grams), `steps` (and times) and
`sets` (baskets).
"""

from tacita.counting.local.engine import LocalBasketCounts, LocalNetworkCounts, LocalSequenceCounts, TableCounter
from tacita.counting.local.prefixes import GramCounter, PrefixCounter, length_counts
from tacita.counting.local.sets import BasketCounter, PartitionCounter, different_lists, mask_counts

__all__ = [
    "BasketCounter",
    "GramCounter",
    "LocalBasketCounts",
    "LocalNetworkCounts",
    "LocalSequenceCounts",
    "PartitionCounter",
    "PrefixCounter",
    "TableCounter",
    "different_lists",
    "length_counts",
    "mask_counts",
]
