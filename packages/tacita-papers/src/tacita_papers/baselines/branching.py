"""The binary tree over time: running totals whose error grows with the logarithm of the time, not with its square root.

A node of level l is the noisy sum of 2^l successive timestamps; the total up to a timestamp is the sum of the nodes that its
binary digits name. Each context is in one node of each level, so a level has an equal share of epsilon, and within a level each
of the m contexts of a window pays one m-th, as for the block sums of pace. What is published at a timestamp is the total then
without the total before, so that sums over any range of timestamps have the small error of two totals. After `span` timestamps
a tree is complete, its root joins the base, and the next begins.

Reference: Chan, Shi and Song, "Private and continual release of statistics", ACM TISSEC 2011; Dwork, Naor, Pitassi and Rothblum,
"Differential privacy under continual observation", STOC 2010. Sums of open nodes are private counts: they are never saved, but
counted again from the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from tacita.arrays import Integers
from tacita.privacy.estimates import Interval, half_width
from tacita.privacy.funds import Funds
from tacita.privacy.windows import QUANTA, EvenShares
from tacita.streams.protection import Protection
from tacita.streams.questions import SIXTEENTHS, HistogramQuestion, Sliding, Wall
from tacita.streams.records import Moment

__all__ = ["Branching"]


class Branching:
    """The binary tree, running."""

    def __init__(self, *, protection: Protection, epsilon: Fraction, wall: Wall, cells: int, span: int) -> None:
        """Start with nothing published."""
        self.protection, self.cells, self.span = protection, cells, span
        levels = span.bit_length()
        self.parts = tuple(
            Sliding(
                step=f"level {level}",
                funds=Funds(amount=epsilon / levels),
                windows=EvenShares(contexts=protection.longest),
                wall=wall,
            )
            for level in range(levels)
        )
        self._open = np.zeros((levels, cells), dtype=np.int64)
        self._nodes = np.zeros((levels, cells), dtype=np.int64)
        self._base = np.zeros(cells, dtype=np.int64)
        self._total = np.zeros(cells, dtype=np.int64)
        self._difference: Integers | None = None
        self._place = 0

    @property
    def is_fresh(self) -> bool:
        """Every timestamp is measured."""
        return True

    @property
    def held(self) -> int:
        """How many timestamps back the data is still needed: those of the open tree."""
        return self._place

    deviation = means = None

    @property
    def interval(self) -> Interval | None:
        """By the law of the noise of the nodes by which two successive totals differ."""
        if self._difference is None:
            return None
        place = self._place or self.span
        nodes = (place & -place).bit_length()  # one that is new, and those that it stands for
        scale = self.protection.sensitivity / self.parts[0].price(QUANTA // self.protection.longest)
        half = half_width((scale,) * nodes)
        return Interval(np.maximum(self._difference - half, 0), np.maximum(self._difference + half, 0))

    def abandon_block(self) -> None:
        """Begin a new tree from the last total; what the open one has cost is spent."""
        self._open[:] = 0
        self._base, self._place = self._total, 0
        for sliding in self.parts:
            sliding.abandon_block()

    def step(self, moment: Moment) -> Integers:
        """Publish one timestamp."""
        quanta = QUANTA // self.protection.longest
        counts = moment.counts()
        self._place += 1
        for level, sliding in enumerate(self.parts):
            sliding.begin(moment)
            sliding.set_aside(quanta)
            self._open[level] += counts
            if self._place % (1 << level) == 0:
                self._nodes[level] = self._ask(sliding, self._open[level].copy(), quanta)
                self._open[level] = 0
            sliding.end()
        before, self._total = self._total, self._base + self._named_nodes()
        if self._place == self.span:
            self._base, self._place = self._total, 0
        self._difference = self._total - before
        return self._difference * SIXTEENTHS

    def _named_nodes(self) -> Integers:
        """The sum of the nodes that the binary digits of the place name."""
        levels = [level for level in range(len(self.parts)) if self._place >> level & 1]
        return np.asarray(self._nodes[levels].sum(axis=0), dtype=np.int64)

    def _ask(self, sliding: Sliding, counts: Integers, quanta: int) -> Integers:
        question = HistogramQuestion(
            step=sliding.asks, epsilon=sliding.price(quanta), sensitivity=self.protection.sensitivity, cells=self.cells
        )
        return sliding.ask_block(question, counts)

    def state(self) -> dict[str, Integers]:
        """The base and the last total; it is saved between two trees only."""
        return {"base": self._base, "total": self._total}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Take up a state that was saved between two trees."""
        self._base, self._total = (np.asarray(state[name], dtype=np.int64) for name in ("base", "total"))
