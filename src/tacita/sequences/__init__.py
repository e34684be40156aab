"""Sequences: visits, trips, clicks, one ordered list a person."""

from tacita.sequences.prefix_tree import PrefixTree, Threshold
from tacita.sequences.published import PublishedSequences
from tacita.sequences.records import SequenceRecords, read_sequences
from tacita.sequences.release_folder import read_published

__all__ = ["PrefixTree", "PublishedSequences", "SequenceRecords", "Threshold", "read_published", "read_sequences"]
