"""A stream that has ended, once more: what came later says something of what was before.

A backward pass (Rauch, Tung and Striebel) over the filter whose drift and white part fit the whole stream best. With the level
x_t and variance P_t of a cell after timestamp t, and the variance R_(t+1) before the next measurement,

    g = P_t / R_(t+1),    x'_t = x_t + g (x'_(t+1) - x_t),    P'_t = P_t + g^2 (P'_(t+1) - R_(t+1)).

The law of levels is then applied as in `levels`. Only released and public numbers are used and nothing is drawn, so it is free.
Where the law was not believed, or presence is private, what was published while the stream went on stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.streams.pace.bank import rounded
from tacita.streams.pace.levels import SHARES, THOUSANDTHS, Levels, Told, balanced, parts_of, with_chance

__all__ = ["Published", "smoothed"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Published:
    """What is published of all timestamps: whole counts, means in thousandths, and how far off counts are expected to be."""

    counts: Integers
    means: Integers
    deviations: Reals


def smoothed(history: Sequence[Told], published: Published, *, trust: float) -> Published:
    """Go over a stream again; `trust` is how much the law of levels was believed at its end."""
    if not all(isfinite(told.most) for told in history):
        return published
    counts, means, deviations = published.counts.copy(), published.means.copy(), published.deviations.copy()
    steps, cells = counts.shape
    level, variance = np.zeros((steps, cells)), np.zeros((steps, cells))
    before, chance = np.zeros((steps, cells)), np.zeros((steps, cells))
    levels = Levels(cells, people=history[0].people, drifts=_fitting(history, cells)[None])
    for place, told in enumerate(history):
        told.tell(levels)
        level[place], variance[place], chance[place] = levels.level[0], levels.variance[0], levels.chance()
        before[place] = levels.variance[0] if told.measured is None else levels.prior[0]
    for place in range(steps - 1, -1, -1):
        told = history[place]
        if place + 1 < steps:
            unit = history[place + 1].rescaled or 1.0  # from here on, going back, levels are counts and no shares
            later, around, prior = (each[place + 1] * unit**power for each, power in ((level, 1), (variance, 2), (before, 2)))
            gain = variance[place] / np.maximum(prior, 1e-300)
            level[place] += gain * (later - level[place])
            variance[place] = np.maximum(variance[place] + gain**2 * (around - prior), 0.0)
        in_shares = _in_shares(history, place)
        mean_cell = 1.0 / cells if in_shares else max(float(level[place].mean()), 1e-6)
        scaled, spread = level[place] / mean_cell, np.maximum(variance[place] / mean_cell**2, 1e-12)
        if told.measured is not None:
            levels.law.fit(scaled, spread)
        mean, of_mean = levels.law.posterior(scaled, spread)
        mean, of_mean = with_chance(mean * mean_cell, of_mean * mean_cell**2, chance[place], _seen(told))
        mean, of_mean = balanced(mean * told.scale, of_mean * told.scale**2, told.most), of_mean * told.scale**2
        rows = np.vstack([mean, published.counts[place]])
        counts[place], expected = rounded(np.array([trust, 1 - trust]), rows, np.vstack([of_mean, np.zeros(cells)]))
        deviations[place] = np.sqrt(trust * expected**2 + (1 - trust) * deviations[place] ** 2)
        means[place] = parts_of(trust * mean + (1 - trust) * published.means[place] / THOUSANDTHS, told.most)
    return Published(counts=counts, means=means, deviations=deviations)


def _fitting(history: Sequence[Told], cells: int) -> Reals:
    """The drift and the white part that fit all measurements best, none of which is forgotten."""
    levels = _Weighed(cells, people=history[0].people)
    for told in history:
        told.tell(levels)
    return np.asarray(SHARES[int(np.argmax(levels.likely))])


class _Weighed(Levels):
    """Levels that add up how likely all measurements were from each filter."""

    def __init__(self, cells: int, *, people: float | None) -> None:
        """Begin with nothing measured."""
        self.likely: Reals = np.zeros(len(SHARES))
        super().__init__(cells, people=people)

    def _weigh(self, unfit: Reals, logs: Reals) -> None:
        super()._weigh(unfit, logs)
        self.likely = self.likely - (logs + np.where(unfit < 2, 0.5 * unfit**2, 2 * (unfit - 1))).sum(axis=1)


def _in_shares(history: Sequence[Told], place: int) -> bool:
    """Whether levels at a timestamp are shares of people."""
    return history[place].people is not None


def _seen(told: Told) -> tuple[Reals, float] | None:
    if told.measured is None or told.measured[3] > 1:
        return None
    counts, scale, people, _ = told.measured
    return counts / people, 2 * (scale / people) ** 2
