"""Sequences: visits, trips, clicks, one ordered list per person.

Read `records` (private) and `published` (synthetic) first; each algorithm is a folder: `prefix_trees`, `ngrams`,
`raked`.
"""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.sequences.length": ("PrivateLength",),
    "tacita.sequences.ngrams.exploration": ("Allocation",),
    "tacita.sequences.ngrams.method": ("Missing", "NGram", "Synthesis"),
    "tacita.sequences.prefix_trees.growth": ("Threshold",),
    "tacita.sequences.prefix_trees.method": ("Granularity", "Lost", "PrefixTree"),
    "tacita.sequences.published": ("PublishedGrams", "PublishedSequences", "opened_sequences", "read_published"),
    "tacita.sequences.raked": ("Raked",),
    "tacita.sequences.records": (
        "CountedSequences",
        "SequenceRecords",
        "no_sequences",
        "open_sequences",
        "read_for_kind",
        "read_sequences",
    ),
    "tacita.trees": ("Inference",),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
