"""The absorption of unused shares (BA), running.

Algorithm 2 of Kellaris, Papadopoulos, Xiao and Papadias, "Differentially private event sequences over infinite streams", VLDB
2014. Noise is discrete and exact, and histograms are kept in sixteenths, as in all methods of streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.privacy.estimates import Interval
from tacita.privacy.funds import Funds
from tacita.privacy.windows import EvenShares
from tacita.streams.protection import Protection
from tacita.streams.questions import SIXTEENTHS, NearnessQuestion, Sliding, Wall
from tacita.streams.records import Moment
from tacita.streams.schedules import counted, expected_noise, noise_interval

__all__ = ["Absorbing"]

State = dict[str, Integers]


class Absorbing:
    """BA: shares that were not used are absorbed by the next publication, which then blocks as many timestamps behind it."""

    def __init__(self, *, protection: Protection, epsilon: Fraction, wall: Wall) -> None:
        """Start with nothing published; half of the budget is for distances."""
        if protection.names_people:
            message = "budget absorption counts timestamps, so presence must be private (changed or added), got public"
            raise ParameterError(message)
        self.protection = protection
        self.distances = Sliding(
            step="distances", funds=Funds(amount=epsilon / 2), windows=EvenShares(contexts=protection.longest), wall=wall
        )
        self.counts = Sliding(step="counts", funds=Funds(amount=epsilon / 2), windows=protection.windows(), wall=wall)
        self._last: Integers | None = None
        self._free = 0  # shares that nobody used, this timestamp's included; negative while they are paid back
        self._quanta = 0
        self.is_fresh = False

    held, deviation, means = 0, None, None

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
        for sliding in (self.distances, self.counts):
            sliding.begin(moment)
        self._free += 1
        shares = min(self._free, self.protection.longest)
        quanta = shares * self.counts.share(self.protection.longest) if shares > 0 else 0
        self.is_fresh = quanta > 0 and (self._last is None or not self._is_near(moment, quanta))
        if self.is_fresh:
            self._last, self._quanta = counted(self.counts, moment, self.protection, quanta), quanta
            self._free = 1 - shares
        elif self._last is None:  # pragma: no cover - the first timestamp is always counted
            self._last = np.zeros(moment.size, dtype=np.int64)
        for sliding in (self.distances, self.counts):
            sliding.end()
        return self._last

    def _is_near(self, moment: Moment, quanta: int) -> bool:
        share = self.distances.share(self.protection.longest)
        sensitivity = self.protection.sensitivity
        question = NearnessQuestion(
            step=self.distances.asks,
            epsilon=self.distances.price(share),
            sensitivity=sensitivity,
            bound=expected_noise(self.counts.price(quanta), sensitivity=sensitivity, cells=moment.size),
        )
        last = np.zeros(moment.size, dtype=np.int64) if self._last is None else self._last
        distance = int(np.abs(SIXTEENTHS * moment.counts() - last).sum())
        return bool(self.distances.ask(question, distance, quanta=share))

    def state(self) -> State:
        """The last histogram, the free shares and the window."""
        last = {} if self._last is None else {"last": self._last}
        return {**last, "free": np.array([self._free, self._quanta]), **self.counts.windows.state()}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Take up a state that was saved."""
        self._last = state.get("last")
        self._free, self._quanta = (int(value) for value in state["free"])
        self.counts.windows.restore(state)
