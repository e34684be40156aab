"""Exact counts of what a mechanism is about to noise. What is counted here crosses the wall with noise only."""

from tacita.counting.local.baskets import BasketCounter
from tacita.counting.local.grams import GramCounter
from tacita.counting.local.partitions import PartitionCounter
from tacita.counting.local.prefixes import PrefixCounter, length_counts
from tacita.counting.local.tables import TableCounter
from tacita.counting.local.whole import different_lists, mask_counts

__all__ = [
    "BasketCounter",
    "GramCounter",
    "PartitionCounter",
    "PrefixCounter",
    "TableCounter",
    "different_lists",
    "length_counts",
    "mask_counts",
]
