"""Protocols for what may be counted in private records; an engine implements them.

A mechanism asks `records.counts()` and gets one of these. It never holds raw columns and never knows which engine answers:
`counting.local` does so on NumPy columns in one process. Every answer is a sum over records, and everything passed to a counter
(layouts, kept cells) is public or noisy, so an engine may count blocks of people wherever they are. The protocols are divided
into whole blocks of work (a rung of a level, a length of grams, a split of a taxonomy), each one pass over the records.

Counts are exact. They leave the wall only with noise.
"""

from tacita.counting.protocols import (
    BasketCounts,
    GramCounts,
    ItemCounts,
    MarginalCounts,
    NetworkCounts,
    PartitionCounts,
    PrefixCounts,
    SequenceCounts,
    StepCounts,
    TableCounts,
    Tally,
    TimeCounts,
)

__all__ = [
    "BasketCounts",
    "GramCounts",
    "ItemCounts",
    "MarginalCounts",
    "NetworkCounts",
    "PartitionCounts",
    "PrefixCounts",
    "SequenceCounts",
    "StepCounts",
    "TableCounts",
    "Tally",
    "TimeCounts",
]
