"""The mechanisms of streams other than pace: UNIFORM and Sample by a fixed rule, and Adj, MMD and MA(k), which repeat the past.

UNIFORM and Sample are the baselines of Li, Quan and Yu (section 3.2) and of Kellaris, Papadopoulos, Xiao and Papadias,
"Differentially private event sequences over infinite streams", VLDB 2014. We depart from them in this: Sample as published
counts timestamps, under which a person who is seldom there loses three to seven times epsilon in m contexts of its own; ours
waits until the window of everybody who is there is empty. Adj, MMD and MA(k) are Algorithms 1 and 2 of Li, Quan and Yu,
corrected where they are not private; the section below says where.

Noise is discrete and exact. Histograms are kept in sixteenths, as everywhere in this package.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import sinh

import numpy as np

from tacita.arrays import Integers
from tacita.privacy.estimates import Interval, counted_interval
from tacita.privacy.funds import Funds
from tacita.privacy.windows import QUANTA, EvenShares, coarse
from tacita.streams.protection import Protection
from tacita.streams.questions import SIXTEENTHS, ClosestQuestion, HistogramQuestion, NearnessQuestion, Sliding, Wall
from tacita.streams.records import Moment

__all__ = [
    "Evenly",
    "Republishing",
    "Sampling",
    "counted",
    "expected_noise",
    "noise_interval",
    "single_histograms",
    "trailing_means",
]

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
        self.counts = Sliding(
            step="counts", funds=Funds(amount=epsilon), windows=EvenShares(contexts=protection.longest), wall=wall
        )
        self._last: Integers | None = None

    held, deviation, means = 0, None, None

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
        self.counts = Sliding(step="counts", funds=Funds(amount=epsilon), windows=protection.windows(), wall=wall)
        self._last: Integers | None = None
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


# Adj, MMD and MA(k): dynamic allocation, with a past histogram in place of a new one.
#
# Half of the budget asks whether something that was published already is near enough, eps/(2m) a context; the other half is for
# publications, each of which takes half of what the fullest window of those present has left. Candidates are the last histogram
# (Adj; as w-event privacy this is BD of Kellaris et al.), the last `past` ones (MMD), or the means of the last 1 to k (MA).
#
# Reference: Li, Quan and Yu, "Differentially private real-time data release based on the moving average strategy", Algorithms 1
# and 2. We depart from it where it is not private or not defined: its noise and thresholds use m for the number of cells;
# its ledger adds distances to publications and goes negative at the fourth; the search for the closest candidate has no noise;
# its mean contains what it is about to publish. MMD looks back a public number of histograms, as a search without end has no
# bound on its time.

Candidates = Callable[[Sequence[Integers]], Integers]

_LEAST = 2**21  # below eps / 2^20 a publication is not worth a look at the data


def single_histograms(past: Sequence[Integers]) -> Integers:
    """Every histogram of the past is a candidate, the latest first."""
    return np.array(past, dtype=np.int64)[::-1]


def trailing_means(past: Sequence[Integers]) -> Integers:
    """The mean of the latest j histograms is a candidate, for each j; rounded to sixteenths.

    >>> trailing_means([np.array([0]), np.array([3])]).tolist()
    [[3], [2]]
    """
    sums = np.cumsum(single_histograms(past), axis=0)
    numbers = np.arange(1, len(past) + 1)[:, None]
    return np.asarray((2 * sums + numbers) // (2 * numbers), dtype=np.int64)


class Republishing:
    """One of the strategies, running; `keep` histograms are looked back on."""

    def __init__(self, *, protection: Protection, epsilon: Fraction, wall: Wall, candidates: Candidates, keep: int) -> None:
        """Start with nothing published."""
        self.protection = protection
        even = partial(EvenShares, contexts=protection.longest)
        tested = epsilon / 2 if keep == 1 else epsilon / 4
        self.distances = Sliding(step="distances", funds=Funds(amount=tested), windows=even(), wall=wall)
        self.choices = None if keep == 1 else Sliding(step="choices", funds=Funds(amount=tested), windows=even(), wall=wall)
        self.counts = Sliding(step="counts", funds=Funds(amount=epsilon / 2), windows=protection.windows(), wall=wall)
        self.parts = tuple(filter(None, (self.distances, self.choices, self.counts)))
        self._candidates = candidates
        self._past: deque[Integers] = deque(maxlen=keep)
        self._quanta = 0
        self.is_fresh = False

    held, deviation, means = 0, None, None

    @property
    def interval(self) -> Interval | None:
        """That of the noise of new counts."""
        return noise_interval(self._past[-1], self.counts, self.protection, self._quanta) if self.is_fresh else None

    def abandon_block(self) -> None:
        """No data of earlier timestamps is held."""

    def step(self, moment: Moment) -> Integers:
        """Publish one timestamp."""
        for sliding in self.parts:
            sliding.begin(moment)
        quanta = coarse(int(self.counts.windows.room().min(initial=QUANTA)) // 2)
        published = self._repeated(moment, quanta) if self._past else None
        self.is_fresh = published is None
        if published is None:
            published, self._quanta = counted(self.counts, moment, self.protection, quanta), quanta
        for sliding in self.parts:
            sliding.end()
        self._past.append(published)
        return published

    def _repeated(self, moment: Moment, quanta: int) -> Integers | None:
        """What stands for the timestamp, or nothing if nothing is near."""
        if quanta < _LEAST:
            return self._past[-1]
        candidates = self._candidates(self._past)
        distances = np.abs(candidates - SIXTEENTHS * moment.counts()).sum(axis=1)
        share = self.distances.share(self.protection.longest)
        chosen, sensitivity = 0, self.protection.sensitivity
        if self.choices is not None and len(candidates) > 1:
            closest = ClosestQuestion(
                step=self.choices.asks, epsilon=self.choices.price(share), sensitivity=sensitivity, candidates=len(candidates)
            )
            chosen = self.choices.ask(closest, distances, quanta=share)
        nearness = NearnessQuestion(
            step=self.distances.asks,
            epsilon=self.distances.price(share),
            sensitivity=sensitivity,
            bound=expected_noise(self.counts.price(quanta), sensitivity=sensitivity, cells=moment.size),
        )
        is_near = self.distances.ask(nearness, int(distances[chosen]), quanta=share)
        return np.asarray(candidates[chosen], dtype=np.int64) if is_near else None

    def state(self) -> dict[str, Integers]:
        """The histograms that are looked back on, and the windows."""
        past = {"past": np.array(self._past)} if self._past else {}
        return {**past, "quanta": np.array([self._quanta]), **self.counts.windows.state()}

    def restore(self, state: Mapping[str, Integers]) -> None:
        """Take up a state that was saved."""
        self._past.extend(np.asarray(state.get("past", ()), dtype=np.int64))
        self._quanta = int(state["quanta"][0])
        self.counts.windows.restore(state)
