"""A prefix counter led by hand: level by level over a simple ladder."""

from __future__ import annotations

import numpy as np

from tacita.counting.local import PrefixCounter
from tacita.public.ladder import CellLayout, Ladder


class SimpleWalk:
    """Counts in cells `prefix * symbols + symbol`."""

    def __init__(self, sequences, *, symbols):
        self.counter = PrefixCounter(sequences)
        self.ladder = Ladder.simple(symbols)
        self._lay_out(1)

    @property
    def domain(self):
        return self.layout.domain

    def counts(self):
        return self.counter.counts(self.layout)

    def keep(self, kept):
        self.counter.keep(self.layout, kept)
        self.counter.advance([np.arange(kept.size)])
        self._lay_out(kept.size)

    def _lay_out(self, prefixes):
        self.layout = CellLayout.of(self.ladder.rungs[0], np.zeros(prefixes, dtype=np.int64))
