"""From noisy grams to sequences. Behind the wall: nothing here may see a record or a true count.

Read `tree` (noisy grams as arrays) first. The published way is `consistency`, then `joining`. The default way is `links`,
`shares` and `contexts` (what follows what, with the noise of each count), `fit` (one machine that agrees with all counts) and
`walks` (sequences that the machine writes).
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
