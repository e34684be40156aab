"""Exact counts of what a mechanism is about to noise. What is counted here crosses the wall with noise only."""

from tacita.counting.baskets import BasketCounter
from tacita.counting.grams import GramCounter
from tacita.counting.local import PrefixCounter, length_counts
from tacita.counting.partitions import PartitionCounter
from tacita.counting.whole import different_lists, mask_counts

__all__ = ["BasketCounter", "GramCounter", "PartitionCounter", "PrefixCounter", "different_lists", "length_counts", "mask_counts"]
