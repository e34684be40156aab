"""Sequences: visits, trips, clicks, one ordered list per person.

Read `records` (private) and `published` (synthetic) first; each algorithm is a folder: `prefix_trees`, `ngrams`,
`itineraries`, `raked`.
"""

from tacita.sequences.itineraries import Itineraries
from tacita.sequences.length import PrivateLength
from tacita.sequences.ngrams import Allocation, Missing, NGram, PublishedGrams, Synthesis
from tacita.sequences.prefix_trees import Granularity, Lost, PrefixTree, Threshold
from tacita.sequences.published import PublishedSequences, opened_sequences, read_published
from tacita.sequences.raked import Raked
from tacita.sequences.records import (
    CountedSequences,
    SequenceRecords,
    no_sequences,
    open_sequences,
    read_for_kind,
    read_sequences,
)
from tacita.trees import Inference

__all__ = [
    "Allocation",
    "CountedSequences",
    "Granularity",
    "Inference",
    "Itineraries",
    "Lost",
    "Missing",
    "NGram",
    "PrefixTree",
    "PrivateLength",
    "PublishedGrams",
    "PublishedSequences",
    "Raked",
    "SequenceRecords",
    "Synthesis",
    "Threshold",
    "no_sequences",
    "open_sequences",
    "opened_sequences",
    "read_for_kind",
    "read_published",
    "read_sequences",
]
