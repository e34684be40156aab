"""Sets: baskets of items, pages seen, places visited; one unordered set per person."""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.sets.diffpart": ("DiffPart", "PartitionAllocation", "PartitionThreshold"),
    "tacita.sets.histogram": ("FlatHistogram", "HistogramThreshold", "StableHistogram"),
    "tacita.sets.itemset_counts": ("ItemsetCounts",),
    "tacita.sets.published": ("PublishedBaskets", "opened_baskets", "read_published_baskets"),
    "tacita.sets.records": ("BasketRecords", "CountedBaskets", "no_baskets", "open_baskets", "read_baskets", "read_for_kind"),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
