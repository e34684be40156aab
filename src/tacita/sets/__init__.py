"""Sets: baskets of items, pages seen, places visited; one unordered set per person."""

from tacita.sets.diffpart import DiffPart, PartitionAllocation, PartitionThreshold
from tacita.sets.histogram import FlatHistogram, HistogramThreshold, StableHistogram
from tacita.sets.itemset_counts import ItemsetCounts
from tacita.sets.published import PublishedBaskets, opened_baskets, read_published_baskets
from tacita.sets.records import BasketRecords, CountedBaskets, no_baskets, open_baskets, read_baskets, read_for_kind

__all__ = [
    "BasketRecords",
    "CountedBaskets",
    "DiffPart",
    "FlatHistogram",
    "HistogramThreshold",
    "ItemsetCounts",
    "PartitionAllocation",
    "PartitionThreshold",
    "PublishedBaskets",
    "StableHistogram",
    "no_baskets",
    "open_baskets",
    "opened_baskets",
    "read_baskets",
    "read_for_kind",
    "read_published_baskets",
]
