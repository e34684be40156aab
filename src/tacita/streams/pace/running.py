"""pace, running: when to measure, whom to count, what to publish in between.

At a measured timestamp of a stream whose people are public, each has a room in its own window. The price e is chosen that gives
the most information, e times the number of those who have room for it; the others are left out, and since their number is
public, shares of those who are counted stand for all. Where people are seldom there (`RARE`), counts of single timestamps are
mostly chance: there the sum over a block is measured, and each context of it pays one m-th. Where presence is private,
everybody has the same window, a twentieth of epsilon measures how many there are at every timestamp, and from when on that is
known to a quarter, shares are taken of it.

What a timestamp was measured by says where its true counts lie, by the law of the noise alone (`interval`): free, since it is
made from the same draw. Up to as many people as were left out may be in any cell beside those who were counted. Between
measurements, and for single timestamps of a block, no law says so, and only the filters expect something (`deviation`).

A stream that has ended is gone over once more (`smoothed`): what was measured later says something of what was before. It is a
backward pass (Rauch, Tung and Striebel) over the filter whose drift and white part fit the whole stream best. With the level
x_t and variance P_t of a cell after timestamp t, and the variance R_(t+1) before the next measurement,

    g = P_t / R_(t+1),    x'_t = x_t + g (x'_(t+1) - x_t),    P'_t = P_t + g^2 (P'_(t+1) - R_(t+1)).

This is done for both beliefs of `levels`: the filters that take cells as equal until they differ, for each shape of cells, and
those of the law of levels, whose law is then applied. How well shapes foresaw all measurements, and how much the law was
believed at the end, says how they are mixed. Only released and public numbers are used and nothing is drawn, so it is free.
Presence must be public. How far off a count is expected to be stays as it was published: measurements that had not been used are
what deviations are compared with, and none is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log

import numpy as np
import numpy.typing as npt

from tacita.arrays import Integers, Places, Reals
from tacita.errors import ParameterError
from tacita.privacy.estimates import Interval
from tacita.privacy.funds import Funds
from tacita.privacy.windows import QUANTA, EvenShares, coarse
from tacita.streams.pace.bank import DRIFTS, PRIOR, TOTAL_DRIFTS, Bank, Rates, fitted, median, rounded, stacked
from tacita.streams.pace.levels import SHARES, Beliefs, Law, Levels, Told, balanced, likelihood, parts_of, with_chance
from tacita.streams.protection import Protection
from tacita.streams.questions import SIXTEENTHS, HistogramQuestion, Sliding, Wall
from tacita.streams.records import Moment

__all__ = [
    "RARE",
    "TOTAL_SHARE",
    "Pacing",
    "Smoothed",
    "smoothed",
]

RARE = 0.2
TOTAL_SHARE = Fraction(1, 20)
_ENOUGH = 0.7  # of the information that a measurement of everybody would have, or of as many as there are in the mean
_UNMEASURED = 0.8  # of the mean number of people: where so many have spent nothing in their windows, there is nothing to wait for


class Pacing:
    """The default mechanism, running."""

    def __init__(self, *, protection: Protection, funds: Funds, wall: Wall, cells: int, expected: int | None = None) -> None:
        """Start with nothing published; `expected` is a public guess at how many people there are at a timestamp."""
        self.protection = protection
        self.cells = cells
        shared = Fraction(0) if protection.names_people else TOTAL_SHARE
        for_counts, for_total = funds.part(funds.amount * (1 - shared)), funds.part(funds.amount * shared)
        self.counts = Sliding(step="counts", funds=for_counts, windows=protection.windows(), wall=wall)
        self.total = None if protection.names_people else _Total(protection, for_total, wall)
        self._rates = Rates(contexts=protection.longest, funds=for_counts, sensitivity=protection.sensitivity)
        self._beliefs: Beliefs | None = None
        self._expected = 10 * cells if expected is None else expected
        self._number = 1
        self._since = 10**9
        self._wait = 0
        self._seen = _Activity()
        self._block = np.zeros(cells, dtype=np.int64)
        self._block_people = 0.0
        self._block_length = 0
        self.is_fresh = False
        self.interval: Interval | None = None
        self.deviation: Reals = np.zeros(cells)
        """How far off the filters expect the published counts to be, in the root of the mean square: noise, drift and chance."""
        self.means: Integers = np.zeros(cells, dtype=np.int64)
        """The means of the last counts, in thousandths; where presence is public they add up to the number of people."""

    def step(self, moment: Moment) -> Integers:
        """Publish one timestamp."""
        self.counts.begin(moment)
        people = float(moment.users.size) if self.protection.names_people else None
        scale = self.total.step(moment) if self.total else people
        beliefs = self._advanced(people, scale)
        self.is_fresh, self.interval = False, None
        self._since += 1
        if self.protection.names_people:
            self._seen.add(moment.users)
            if self._seen.share < RARE or self._block_length:
                self._add_to_block(moment, beliefs)
            else:
                self._measure_those_with_room(moment, beliefs)
        else:
            self._measure_everybody(moment, beliefs, scale)
        if self.is_fresh:
            self._choose_number(beliefs, scale)
        self.counts.end()
        return self._published(beliefs, scale)

    @property
    def beliefs(self) -> Beliefs:
        """What is believed of the cells, and what the last timestamp told of them."""
        if self._beliefs is None:
            message = "nothing is believed of the cells of a stream before its first timestamp"
            raise ParameterError(message)
        return self._beliefs

    @property
    def held(self) -> int:
        """How many timestamps back the data is still needed: those of an open block."""
        return self._block_length

    def abandon_block(self) -> None:
        """Begin a new block without what was counted for the open one; what it cost is spent."""
        self._block = np.zeros(self.cells, dtype=np.int64)
        self._block_people, self._block_length = 0.0, 0
        self.counts.abandon_block()

    @property
    def _steps(self) -> int:
        return -(-self.protection.longest // self._number)

    def _advanced(self, people: float | None, scale: float | None) -> Beliefs:
        """The filters at this timestamp; made at the first at which it is known how many people there are."""
        beliefs, guess = self._beliefs, None
        if beliefs is None:
            beliefs = self._beliefs = Beliefs(self.cells, people=people, is_gaussian=self.counts.funds.in_rho)
            guess = self._expected / self.cells if people is None else None
            start = np.full(self.cells, (people or self._expected) / self.cells)
            self._number = self._rates.best(start, growth=1.0, drifts=DRIFTS, weights=beliefs.bank.weights)
        rescaled = self.total.level if self.total and self.total.is_newly_known else None
        known = scale if self.total is None or self.total.is_known else None
        beliefs.advance(known, guess=guess, rescaled=rescaled)
        return beliefs

    def _measure_those_with_room(self, moment: Moment, beliefs: Beliefs) -> None:
        if not moment.users.size:
            return
        room = self.counts.windows.room()
        if self._since < min(self._steps, self._wait) and np.count_nonzero(room == QUANTA) < _UNMEASURED * beliefs.bank.people:
            return
        whole = QUANTA // self._number
        offers = np.sort(np.minimum(room, whole))[::-1]
        information = self._informs(offers) * np.arange(1, offers.size + 1)
        best = int(np.argmax(information))
        quanta = coarse(int(offers[best]))
        if quanta < QUANTA >> 20:
            return
        if (
            information[best] < _ENOUGH * self._informs(whole) * min(room.size, beliefs.bank.people)
            and self._since < 2 * self._steps
        ):
            return
        included = room >= quanta
        question = self._question(quanta)
        noisy = self.counts.ask(question, moment.counts(included), quanta=quanta, included=included)
        counted = int(np.count_nonzero(included))
        beliefs.measure(noisy, scale=question.spread, people=float(counted))
        self.interval = question.interval(noisy, left_out=included.size - counted, people=included.size)
        self._note(quanta)

    def _measure_everybody(self, moment: Moment, beliefs: Beliefs, scale: float | None) -> None:
        if self._since < min(self._steps, self._wait):
            return
        whole = QUANTA // self._number
        quanta = coarse(min(whole, int(self.counts.windows.room()[0])))
        if quanta < _ENOUGH * whole and (self._since < 2 * self._steps or quanta < QUANTA >> 20):
            return
        question = self._question(quanta)
        noisy = self.counts.ask(question, moment.counts(), quanta=quanta)
        is_share = self.total is not None and self.total.is_known
        beliefs.measure(noisy, scale=question.spread, people=scale if is_share and scale else 1.0)
        self.interval = question.interval(noisy)
        self._note(quanta)

    def _add_to_block(self, moment: Moment, beliefs: Beliefs) -> None:
        """Every context of a block pays one m-th; those who have no room for it, after a time of samples, are left out."""
        quanta = QUANTA // self.protection.longest
        included = self.counts.windows.room() >= quanta
        self.counts.set_aside(quanta, included)
        self._block += moment.counts(included)
        self._block_people += float(included.sum())
        self._block_length += 1
        if self._block_length < self._steps or not self._block_people:
            return
        question = self._question(quanta, block=self._block_length)
        noisy = self.counts.ask_block(question, self._block)
        beliefs.measure(noisy, scale=question.spread, people=self._block_people, block=self._block_length)
        self.abandon_block()
        self._note(quanta * self._steps)

    def _question(self, quanta: int, *, block: int = 1) -> HistogramQuestion:
        return self.counts.question(quanta, sensitivity=self.protection.sensitivity, cells=self.cells, block=block)

    def _informs(self, quanta: Integers | int) -> Reals:
        """How exact a count for so many quanta is, up to a factor: the inverse of its noise."""
        amounts = np.asarray(quanta, dtype=np.float64)
        return np.sqrt(amounts) if self.counts.funds.in_rho else amounts

    def _note(self, quanta: int) -> None:
        self.is_fresh = True
        self._since = 0
        self._wait = ceil(quanta * self.protection.longest / QUANTA)

    def _choose_number(self, beliefs: Beliefs, scale: float | None) -> None:
        """From what was released only: between the mean and the median of every cell."""
        each, most = self._limits(scale)
        weights, mean, variance = stacked(beliefs.bank.estimates())
        means, spread = fitted(mean, variance, scale=each, most=most)
        counts = weights @ (0.5 * means + 0.5 * median(means, spread))
        growth = scale / beliefs.bank.people if self._is_share(scale) and scale is not None else 1.0
        self._number = self._rates.best(counts, growth=growth, drifts=DRIFTS, weights=beliefs.bank.weights)

    def _is_share(self, scale: float | None) -> bool:
        return scale is not None and (self.total is None or self.total.is_known)

    def _limits(self, scale: float | None) -> tuple[float, float]:
        """What estimates are multiplied by, and the most that counts may add up to."""
        if scale is None or not self._is_share(scale):
            return 1.0, inf
        return scale, scale if self.total is None else inf

    def _published(self, beliefs: Beliefs, scale: float | None) -> Integers:
        each, most = self._limits(scale)
        counts, self.deviation, self.means = beliefs.published(scale=each, most=most)
        return counts * SIXTEENTHS

    def state(self) -> dict[str, npt.NDArray[np.generic]]:
        """All that must survive a restart but the counts of an open block, which are read again."""
        state: dict[str, npt.NDArray[np.generic]] = {**self.counts.windows.state(), "last_seen": self._seen.last}
        state["pace"] = np.array([self._number, min(self._since, 10**9), self._wait, self._block_length])
        state["seen"] = np.array([self._seen.now, self._seen.returns, self._seen.gaps])
        if self._beliefs is not None:
            state |= {f"bank_{name}": value for name, value in self._beliefs.state().items()}
        return state | ({f"total_{name}": value for name, value in self.total.state().items()} if self.total else {})

    def restore(self, state: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Take up a state that was saved between two blocks."""
        self.counts.windows.restore(state)  # type: ignore[arg-type]  # integers, as they were saved
        self._number, self._since, self._wait, _ = (int(value) for value in state["pace"])
        self._seen.last, self._seen.now = state["last_seen"].astype(np.int64), int(state["seen"][0])
        self._seen.returns, self._seen.gaps = (float(value) for value in state["seen"][1:])
        if "bank_level" in state:
            self._beliefs = Beliefs(self.cells, is_gaussian=self.counts.funds.in_rho)
            own = {name[5:]: value.astype(np.float64) for name, value in state.items() if name.startswith("bank_")}
            self._beliefs.restore(own)
        if self.total:
            self.total.restore({name[6:]: value.astype(np.float64) for name, value in state.items() if name.startswith("total_")})


class _Activity:
    """At how large a share of the timestamps a person is there, by how long ago each was there before; public where people are.

    People who leave for good do not count as seldom there, nor do those who are there once.
    """

    def __init__(self) -> None:
        self.last = np.zeros(0, dtype=np.int64)
        self.now = 0
        self.returns = 0.0
        self.gaps = 0.0

    def add(self, users: Places) -> None:
        """Remember who was there; old timestamps count less and less."""
        self.now += 1
        if users.size and int(users.max()) >= self.last.size:
            self.last = np.concatenate([self.last, np.zeros(max(int(users.max()) + 1, self.last.size), dtype=np.int64)])
        before = self.last[users]
        gaps = self.now - before[before > 0]
        self.last[users] = self.now
        self.returns = 0.99 * self.returns + gaps.size
        self.gaps = 0.99 * self.gaps + float(gaps.sum())

    @property
    def share(self) -> float:
        """The mean share, over about a hundred timestamps."""
        return self.returns / self.gaps if self.gaps else 1.0


class _Total:
    """How many people there are, measured at every timestamp with an even share and filtered."""

    def __init__(self, protection: Protection, funds: Funds, wall: Wall) -> None:
        self.sliding = Sliding(step="total", funds=funds, windows=EvenShares(contexts=protection.longest), wall=wall)
        self._bank = Bank(1, drifts=TOTAL_DRIFTS)
        self._quanta = QUANTA // protection.longest
        self._times = 0
        self.level = 1.0
        self.is_known = self.is_newly_known = False

    def step(self, moment: Moment) -> float:
        """Measure, and give the latest number that is known to a quarter."""
        question = self.sliding.question(self._quanta, sensitivity=1, cells=1)
        self.sliding.begin(moment)
        noisy = self.sliding.ask(question, moment.counts().sum(keepdims=True), quanta=self._quanta)
        self.sliding.end()
        self._bank.advance(None)
        self._bank.measure(noisy, scale=question.spread, people=1.0)
        mean, variance = (float(value[0]) for value in self._bank.estimate())
        self.is_newly_known = False
        if self._times >= 3 and mean > 1 and variance < (0.25 * mean) ** 2:
            self.level = mean
            self.is_newly_known = not self.is_known
            self.is_known = True
        self._times += 1
        return self.level

    def state(self) -> dict[str, Reals]:
        """All that must survive a restart."""
        return {**self._bank.state(), "own": np.array([self.level, float(self.is_known), float(self._times)])}

    def restore(self, state: dict[str, Reals]) -> None:
        """Take up a state that was saved."""
        self._bank.restore(state)
        self.level, self.is_known, self._times = float(state["own"][0]), bool(state["own"][1]), int(state["own"][2])


@dataclass(frozen=True, kw_only=True, eq=False)
class Smoothed:
    """All timestamps at once: whole counts, and means in thousandths."""

    counts: Integers
    means: Integers


def smoothed(history: Sequence[Told], beliefs: Beliefs) -> Smoothed:
    """Go over a stream again, given what each timestamp told and what was believed at the end."""
    cells, law = beliefs.bank.cells, beliefs.levels.law
    best = _fitting(history, Bank, DRIFTS, cells)
    passes = [_Pass(history, Bank, drift, cells) for drift, _ in best]
    passes += [_Pass(history, Levels, drift, cells) for drift, _ in _fitting(history, Levels, SHARES, cells)]
    shapes = np.exp([likely - max(each for _, each in best) for _, likely in best])
    trust, in_counts = (np.append((1 - part) * shapes / shapes.sum(), part) for part in (beliefs.trust, beliefs.trust_in_counts))
    counts, means = (np.zeros((len(history), cells), dtype=np.int64) for _ in range(2))
    for place in range(len(history) - 1, -1, -1):
        told = history[place]
        found = [each.estimate(place, law if each.has_law else None) for each in passes]
        shares, around = (np.array(side) for side in zip(*found, strict=True))
        spread = around * told.scale**2
        whole = [balanced(row * told.scale, own, told.most) for row, own in zip(shares, spread, strict=True)]
        likely, _ = fitted(shares[:-1], around[:-1], scale=told.scale, most=told.most)
        counts[place], _ = rounded(in_counts, np.vstack([likely, whole[-1]]), spread)
        means[place] = parts_of(trust @ np.array(whole), told.most)
    return Smoothed(counts=counts, means=means)


class _Pass:
    """One filter, forward and backward over the whole stream."""

    def __init__(self, history: Sequence[Told], filters: type[Bank], drift: Reals, cells: int) -> None:
        """Keep every level and variance."""
        self._history, self._cells = history, cells
        self.has_law = issubclass(filters, Levels)
        bank = filters(cells, people=history[0].people, drifts=drift[None])
        shape = (len(history), cells)
        self._level, self._variance, self._before, self._chance = (np.zeros(shape) for _ in range(4))
        for place, told in enumerate(history):
            told.tell(bank)
            self._level[place], self._variance[place] = bank.level[0], bank.variance[0]
            self._before[place] = bank.variance[0] if told.measured is None else bank.prior[0]
            self._chance[place] = bank.chance_of_filters()[0]
        for place in range(len(history) - 2, -1, -1):
            gain = self._variance[place] / np.maximum(self._before[place + 1], 1e-300)
            self._level[place] += gain * (self._level[place + 1] - self._level[place])
            shrunk = self._variance[place] + gain**2 * (self._variance[place + 1] - self._before[place + 1])
            self._variance[place] = np.maximum(shrunk, 0.0)

    def estimate(self, place: int, law: Law | None) -> tuple[Reals, Reals]:
        """Mean and variance of each count at a timestamp, in shares."""
        told, mean, spread = self._history[place], self._level[place], self._variance[place]
        if law is not None:
            scaled, around = mean * self._cells, np.maximum(spread * self._cells**2, 1e-12)
            if told.measured is not None:
                law.fit(scaled, around)
            mean, spread = law.posterior(scaled, around)
            mean, spread = mean / self._cells, spread / self._cells**2
        seen = None
        if told.measured is not None and told.measured[3] == 1:
            counts, scale, people, _ = told.measured
            seen = counts / people, 2 * (scale / people) ** 2
        return with_chance(np.maximum(mean, 0.0), spread, self._chance[place], seen)


def _fitting(history: Sequence[Told], filters: type[Bank], drifts: Reals, cells: int) -> list[tuple[Reals, float]]:
    """For each shape, the filter that fits all measurements best, none of which is forgotten, and how likely they are by it.

    Shapes are as likely at the start as they were while the stream went on.
    """
    bank = filters(cells, people=history[0].people, drifts=drifts)
    likely: Reals = np.array([log(PRIOR.get(spread, 1.0)) for spread in drifts[:, 2].tolist()])
    for told in history:
        if told.measured is None:
            told.tell(bank)
            continue
        counts, scale, people, block = told.measured
        bank.advance(told.people)
        spread = bank.variance + bank.chance_of_filters() / block + 2 * (scale / people) ** 2
        likely = likely + likelihood(counts / people - bank.level, spread).sum(axis=1)
        bank.measure(counts, scale=scale, people=people, block=block)
    best = [max(np.flatnonzero(drifts[:, 2] == shape), key=likely.__getitem__) for shape in dict.fromkeys(drifts[:, 2].tolist())]
    return [(drifts[place], float(likely[place])) for place in best]
