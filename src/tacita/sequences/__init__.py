"""Sequences: visits, trips, clicks, one ordered list a person."""

from tacita.sequences.gram_pipeline import Missing, Synthesis
from tacita.sequences.gram_rules import Allocation
from tacita.sequences.length import PrivateLength
from tacita.sequences.ngram import NGram
from tacita.sequences.prefix_tree import Granularity, Lost, PrefixTree
from tacita.sequences.published import PublishedSequences
from tacita.sequences.published_grams import PublishedGrams
from tacita.sequences.records import SequenceRecords, read_sequences
from tacita.sequences.release_folder import read_published
from tacita.sequences.schedule import Threshold

__all__ = [
    "Allocation",
    "Granularity",
    "Lost",
    "Missing",
    "NGram",
    "PrefixTree",
    "PrivateLength",
    "PublishedGrams",
    "PublishedSequences",
    "SequenceRecords",
    "Synthesis",
    "Threshold",
    "read_published",
    "read_sequences",
]
