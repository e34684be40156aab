"""Mechanisms that publish by a fixed rule: UNIFORM and Sample.

They are the baselines of Li, Quan and Yu (section 3.2) and of Kellaris, Papadopoulos, Xiao and Papadias, "Differentially
private event sequences over infinite streams", VLDB 2014. We depart from them in this: Sample as published counts timestamps,
under which a person who is seldom there loses three to seven times epsilon in m contexts of its own; ours waits until the
window of everybody who is there is empty. Noise is discrete and exact. Histograms are kept in sixteenths, as all of this
package.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import sinh

import numpy as np

from tacita.arrays import Integers
from tacita.privacy.estimates import Interval, counted_interval
from tacita.privacy.windows import QUANTA, EvenShares
from tacita.streams.moments import Moment
from tacita.streams.protection import Protection
from tacita.streams.questions import SIXTEENTHS, HistogramQuestion
from tacita.streams.sliding import Sliding, Wall

__all__ = ["Evenly", "Sampling", "counted", "expected_noise", "noise_interval"]

State = dict[str, Integers]


def counted(sliding: Sliding, moment: Moment, protection: Protection, quanta: int) -> Integers:
    """The noisy counts of everybody who is there, in sixteenths."""
    question = HistogramQuestion(
        step=sliding.asks, epsilon=sliding.price(quanta), sensitivity=protection.sensitivity, cells=moment.size
    )
    noisy: Integers = sliding.ask(question, moment.counts(), quanta=quanta)
    return noisy * SIXTEENTHS


def expected_noise(epsilon: Fraction, *, sensitivity: int, cells: int) -> int:
    """The expected sum of absolute noise over all cells, in sixteenths, rounded down; a public number."""
    rate = float(epsilon / sensitivity)
    return int(SIXTEENTHS * cells / sinh(rate)) if rate < 700 else 0


def noise_interval(published: Integers, sliding: Sliding, protection: Protection, quanta: int) -> Interval:
    """Where the true counts of new ones of this price lie, by the law of their noise.

    Where an old histogram is repeated, the law does not say how far off it is by now.
    """
    return counted_interval(published // SIXTEENTHS, scale=protection.sensitivity / sliding.price(quanta))


class Evenly:
    """UNIFORM: every context has the same share of the budget."""

    def __init__(self, *, protection: Protection, epsilon: Fraction, wall: Wall) -> None:
        """Start with nothing published."""
        self.protection = protection
        self.counts = Sliding(step="counts", epsilon=epsilon, windows=EvenShares(contexts=protection.longest), wall=wall)
        self._last: Integers | None = None

    held, deviation = 0, None

    @property
    def interval(self) -> Interval | None:
        """That of the noise."""
        share = self.counts.share(self.protection.longest)
        return None if self._last is None else noise_interval(self._last, self.counts, self.protection, share)

    def abandon_block(self) -> None:
        """No data of earlier timestamps is held."""

    def step(self, moment: Moment) -> Integers:
        """Publish one timestamp."""
        self.counts.begin(moment)
        self._last = counted(self.counts, moment, self.protection, self.counts.share(self.protection.longest))
        self.counts.end()
        return self._last

    @property
    def is_fresh(self) -> bool:
        """Whether the last timestamp was measured rather than repeated."""
        return True

    def state(self) -> State:
        """Nothing must survive."""
        return {}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Nothing to take up."""


class Sampling:
    """Sample: all of the budget whenever nobody who is there has spent anything; the last histogram in between."""

    def __init__(self, *, protection: Protection, epsilon: Fraction, wall: Wall) -> None:
        """Start with nothing published."""
        self.protection = protection
        self.counts = Sliding(step="counts", epsilon=epsilon, windows=protection.windows(), wall=wall)
        self._last: Integers | None = None
        self._quanta = 0
        self.is_fresh = False

    held, deviation = 0, None

    @property
    def interval(self) -> Interval | None:
        """That of the noise of new counts."""
        if self._last is None or not self.is_fresh:
            return None
        return noise_interval(self._last, self.counts, self.protection, self._quanta)

    def abandon_block(self) -> None:
        """No data of earlier timestamps is held."""

    def step(self, moment: Moment) -> Integers:
        """Publish one timestamp."""
        self.counts.begin(moment)
        room = self.counts.windows.room()
        self.is_fresh = bool(room.size and room.min() == QUANTA)
        if self.is_fresh:
            self._last, self._quanta = counted(self.counts, moment, self.protection, QUANTA), QUANTA
        elif self._last is None:
            self._last = np.zeros(moment.size, dtype=np.int64)
        self.counts.end()
        return self._last

    def state(self) -> State:
        """The last histogram, and the windows."""
        last = {} if self._last is None else {"last": self._last}
        return {**last, "quanta": np.array([self._quanta]), **self.counts.windows.state()}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Take up a state that was saved."""
        self._last, self._quanta = state.get("last"), int(state["quanta"][0])
        self.counts.windows.restore(state)
