"""A stream that has ended, once more: what was measured later says something of what was before.

A backward pass (Rauch, Tung and Striebel) over the filter whose drift and white part fit the whole stream best. With the level
x_t and variance P_t of a cell after timestamp t, and the variance R_(t+1) before the next measurement,

    g = P_t / R_(t+1),    x'_t = x_t + g (x'_(t+1) - x_t),    P'_t = P_t + g^2 (P'_(t+1) - R_(t+1)).

This is done for both beliefs of `levels`: the filters that take cells as equal until they differ, and those of the law of
levels, whose law is then applied. How much each was believed at the end says how they are mixed. Only released and public
numbers are used and nothing is drawn, so it is free. Presence must be public. How far off a count is expected to be stays as it
was published: measurements that had not been used are what deviations are compared with, and none is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.streams.pace.bank import DRIFTS, PRIOR, Bank, rounded
from tacita.streams.pace.levels import SHARES, Beliefs, Law, Levels, Told, balanced, likelihood, parts_of, with_chance

__all__ = ["Smoothed", "smoothed"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Smoothed:
    """All timestamps at once: whole counts, and means in thousandths."""

    counts: Integers
    means: Integers


def smoothed(history: Sequence[Told], beliefs: Beliefs) -> Smoothed:
    """Go over a stream again, given what each timestamp told and what was believed at the end."""
    cells = beliefs.bank.cells
    passes = [_Pass(history, Bank, DRIFTS, cells), _Pass(history, Levels, SHARES, cells)]
    law = beliefs.levels.law
    counts, means = (np.zeros((len(history), cells), dtype=np.int64) for _ in range(2))
    trust, in_counts = (np.array([1 - part, part]) for part in (beliefs.trust, beliefs.trust_in_counts))
    for place in range(len(history) - 1, -1, -1):
        told = history[place]
        rows = [each.estimate(place, law if each.has_law else None) for each in passes]
        mean = np.array([balanced(row * told.scale, around * told.scale**2, told.most) for row, around in rows])
        spread = np.array([around * told.scale**2 for _, around in rows])
        counts[place], _ = rounded(in_counts, mean, spread)
        means[place] = parts_of(trust @ mean, told.most)
    return Smoothed(counts=counts, means=means)


class _Pass:
    """One filter, forward and backward over the whole stream."""

    def __init__(self, history: Sequence[Told], filters: type[Bank], drifts: Reals, cells: int) -> None:
        """Choose the filter, and keep every level and variance."""
        self._history, self._cells = history, cells
        self.has_law = issubclass(filters, Levels)
        bank = filters(cells, people=history[0].people, drifts=_fitting(history, filters, drifts, cells)[None])
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


def _fitting(history: Sequence[Told], filters: type[Bank], drifts: Reals, cells: int) -> Reals:
    """The filter that fits all measurements best, none of which is forgotten; shapes are as likely as they were before them."""
    bank = filters(cells, people=history[0].people, drifts=drifts)
    likely: Reals = np.array([log(PRIOR.get(spread, 1.0)) for spread in drifts[:, 2].tolist()])
    for told in history:
        if told.measured is None:
            told.tell(bank)
            continue
        counts, scale, people, block = told.measured
        bank.advance(told.people)
        white = bank.chance_of_filters() / block
        spread = bank.variance + white + 2 * (scale / people) ** 2
        likely = likely + likelihood(counts / people - bank.level, spread).sum(axis=1)
        bank.measure(counts, scale=scale, people=people, block=block)
    return np.asarray(drifts[int(np.argmax(likely))])
