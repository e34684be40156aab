"""Counting in one process, on NumPy columns."""

from tacita.counting.local.baskets import BasketCounter
from tacita.counting.local.engine import LocalBasketCounts, LocalSequenceCounts
from tacita.counting.local.grams import GramCounter
from tacita.counting.local.networks import LocalNetworkCounts
from tacita.counting.local.partitions import PartitionCounter
from tacita.counting.local.prefixes import PrefixCounter, length_counts
from tacita.counting.local.tables import TableCounter
from tacita.counting.local.whole import different_lists, mask_counts

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
