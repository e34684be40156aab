"""From noisy grams to sequences. Behind the wall: nothing here may see a record or a true count.

Read `tree` (noisy grams as arrays, and their counts made consistent) first. The published way goes from there to `joining`. The
default way is `shares` (how contexts are connected, and what follows what, with the noise of each count) and `fit` (one machine
of contexts that agrees with all counts); the second part of `joining` has the sequences that the machine writes.
"""

from tacita.sequences.ngrams.synthesis.fit import contexts_of, fitted
from tacita.sequences.ngrams.synthesis.joining import joined, walked
from tacita.sequences.ngrams.synthesis.tree import (
    GramLevel,
    GramTree,
    Repeats,
    asked_suffixes,
    consistent,
    expected_steps,
    mode_shares,
)

__all__ = [
    "GramLevel",
    "GramTree",
    "Repeats",
    "asked_suffixes",
    "consistent",
    "contexts_of",
    "expected_steps",
    "fitted",
    "joined",
    "mode_shares",
    "walked",
]
