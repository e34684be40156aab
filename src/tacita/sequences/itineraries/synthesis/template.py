"""The machine that says which letter comes next: noisy grams and beginnings of letters, fitted to each other and to the lengths.

It is the machine of n-grams over a tiny alphabet. What cannot follow (somebody at the first place cannot go there) is 0 from the
start, whatever the noise says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries, scaled
from tacita.sequences.ngrams.synthesis import contexts_of, fitted
from tacita.sequences.ngrams.synthesis.fit import Fitted

__all__ = ["template_of"]

MOST_SHARES = 2**22


def template_of(noisy: NoisyItineraries) -> Fitted:
    """The machine of letters."""
    contexts = contexts_of(
        scaled(noisy.letters, 1 / noisy.letter_cover),
        noisy.beginnings,
        max_length=noisy.max_length,
        lengths=noisy.lengths,
        shares_missing=True,
        max_cells=MOST_SHARES,
    )
    possible = noisy.alphabet.possible()[contexts.lasts]  # the last row is for states without a last letter
    possible[0] = True  # nothing is known of what came before
    shares = np.where(possible, np.maximum(contexts.shares, 1e-12), 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    return fitted(replace(contexts, shares=shares, wanted=np.where(possible, contexts.wanted, -1.0)), lengths=noisy.lengths)
