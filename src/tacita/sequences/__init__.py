"""Sequences: visits, trips, clicks, one ordered list a person."""

from tacita.sequences.length import PrivateLength
from tacita.sequences.prefix_tree import Granularity, Lost, PrefixTree
from tacita.sequences.published import PublishedSequences
from tacita.sequences.records import SequenceRecords, read_sequences
from tacita.sequences.release_folder import read_published
from tacita.sequences.schedule import Threshold

__all__ = [
    "Granularity",
    "Lost",
    "PrefixTree",
    "PrivateLength",
    "PublishedSequences",
    "SequenceRecords",
    "Threshold",
    "read_published",
    "read_sequences",
]
