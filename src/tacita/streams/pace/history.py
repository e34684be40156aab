"""A stream that has ended, once more: what was measured later says something of what was before.

A backward pass (Rauch, Tung and Striebel) over the filter whose drift and white part fit the whole stream best. With the level
x_t and variance P_t of a cell after timestamp t, and the variance R_(t+1) before the next measurement,

    g = P_t / R_(t+1),    x'_t = x_t + g (x'_(t+1) - x_t),    P'_t = P_t + g^2 (P'_(t+1) - R_(t+1)).

This is done for both beliefs of `levels`: the filters that take cells as equal until they differ, for each shape of cells, and
those of the law of levels, whose law is then applied. How well shapes foresaw all measurements, and how much the law was
believed at the end, says how they are mixed. Only released and public
numbers are used and nothing is drawn, so it is free. Presence must be public. How far off a count is expected to be stays as it
was published: measurements that had not been used are what deviations are compared with, and none is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.streams.pace.bank import DRIFTS, PRIOR, Bank, fitted, rounded
from tacita.streams.pace.levels import SHARES, Beliefs, Law, Levels, Told, balanced, likelihood, parts_of, with_chance

__all__ = ["Smoothed", "smoothed"]


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
