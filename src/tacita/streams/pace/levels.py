"""The law of levels over the cells, by empirical Bayes: how many cells are empty, small and large, as released numbers say.

Free, since it sees released numbers only. `Levels` runs filters that know nothing of cells at the start (`SPREAD` times the mean
cell), so that the level x_i of a cell with variance P_i is nearly what was measured of it. The law of levels is a mixture over a
geometric grid a_j, in units of the mean cell, whose parts are as wide as the grid is (s_j), and an atom at 0:

    level_i ~ sum_j w_j N(a_j, s_j^2),    x_i = level_i + N(0, P_i),    w by expectation and maximisation from measurement to
                                                                       measurement, with `SAME` cells of a gamma law beside

Every cell is then believed to be a cell of this law: a cell that noise made large is small again if few cells are large. The
law needs many cells and some measurements. `Beliefs` holds it beside the `Bank`, which takes cells as equal until they differ:
how well each foresaw the measurements says which to believe. Where presence is private, the bank alone is published.

What is published are two columns. The *mean* of every count adds up: where people are public, to their number. The *median* is
the nearest whole count in the mean of absolute errors, and its sums are too small.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, exp, inf, isfinite, sqrt, tanh

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.streams.pace.bank import FORGET, Bank, fitted, projected, rounded, stacked

__all__ = [
    "SHARES",
    "THOUSANDTHS",
    "Beliefs",
    "Law",
    "Levels",
    "Told",
    "balanced",
    "likelihood",
    "parts_of",
    "with_chance",
]

THOUSANDTHS = 1000
"""Published means are kept in thousandths of a person."""

SPREAD = 15.0
_DRIFTS = (1e-5, 1e-3, 1e-2, 6e-2, 0.4, 3.0, 30.0, 300.0)
SHARES: Reals = np.array([(drift, white, SPREAD) for drift in _DRIFTS for white in (0.0, 0.25, 1.0)])
_STEPS, _LEAST = 60, 0.03  # of the grid, whose first part is at so many mean cells and whose last is at all people
_EMPTY, _SHAPE = 0.1, 1.5  # of the law before anything is measured: a share of empty cells, and a gamma law of this shape
SAME = 4.0
_ROUNDS = 8
_MOST_CELLS = 1 << 12  # that a law is fitted to, evenly chosen; and that are worked out at once
_TAIL = 2.0  # standard deviations from which on a likelihood falls as Laplace's does
_FLOOR = 0.1
_DOUBT, _SURE = 0.01, 20.0
_BELIEVED, _REMEMBER = 0.05, 0.999  # how much the law is believed at the start, and how much evidence is kept a measurement


class Law:
    """The law of levels, in units of the mean cell."""

    def __init__(self, cells: int) -> None:
        """Begin with what is believed of any stream."""
        grid = np.geomspace(_LEAST, max(cells, 2), _STEPS)
        self._at = np.concatenate([[0.0], grid])
        self._width = (grid[1] / grid[0] - 1) / 2 * self._at
        logs = _SHAPE * (np.log(grid) - grid)
        gamma = np.exp(logs - logs.max())
        self._start = np.concatenate([[_EMPTY], (1 - _EMPTY) * gamma / gamma.sum()])
        self.weights = self._start.copy()

    def fit(self, level: Reals, variance: Reals) -> None:
        """Go on from the law before with what is known of each cell now."""
        step = -(-level.size // _MOST_CELLS)
        likely = self._likely(level[::step], variance[::step])
        for _ in range(_ROUNDS):
            parts = likely * self.weights
            parts /= parts.sum(axis=1, keepdims=True)
            self.weights = (parts.sum(axis=0) + SAME * self._start) / (len(parts) + SAME)

    def posterior(self, level: Reals, variance: Reals) -> tuple[Reals, Reals]:
        """Mean and variance of the level of each cell of this law."""
        pieces = range(0, level.size, _MOST_CELLS)
        found = [self._posterior(level[start : start + _MOST_CELLS], variance[start : start + _MOST_CELLS]) for start in pieces]
        mean, spread = (np.concatenate(side) for side in zip(*found, strict=True))
        return mean, spread

    def _posterior(self, level: Reals, variance: Reals) -> tuple[Reals, Reals]:
        parts = self._likely(level, variance) * self.weights
        parts /= parts.sum(axis=1, keepdims=True)
        own = self._width**2 / (variance[:, None] + self._width**2)
        means = self._at + own * (level[:, None] - self._at)
        mean = (parts * means).sum(axis=1)
        spread = (parts * (own * variance[:, None] + (means - mean[:, None]) ** 2)).sum(axis=1)
        return np.maximum(mean, 0.0), spread

    def _likely(self, level: Reals, variance: Reals) -> Reals:
        """How likely each level is from each part, up to a factor for each cell."""
        total = variance[:, None] + self._width**2
        unfit = np.abs(level[:, None] - self._at) / np.sqrt(total)
        logs = -0.5 * np.log(total) - np.where(unfit < _TAIL, 0.5 * unfit**2, _TAIL * (unfit - 0.5 * _TAIL))
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


class Levels(Bank):
    """Filters that start from nothing, and what the law of levels makes of them; in shares of the people, or in counts."""

    def __init__(self, cells: int, *, people: float | None = None, drifts: Reals = SHARES) -> None:
        """Start from equal cells that may be anything."""
        super().__init__(cells, people=people, drifts=drifts)
        self.law = Law(cells)
        self.in_shares = people is not None
        self.mean = self.level[0].copy()
        """What the law made of each level at the last measurement."""
        self.seen: tuple[Reals, float] | None = None

    def start(self, level: float) -> None:
        """Take a public guess as the level of every cell, until the first measurement."""
        super().start(level)
        self.mean = self.level[0].copy()

    def rescale(self, people: float) -> None:
        """Go on in shares of so many people instead of counts."""
        super().rescale(people)
        self.mean, self.in_shares = self.mean / people, True

    def advance(self, people: float | None) -> None:
        """Go on by one timestamp."""
        super().advance(people)
        self.seen = None

    def measure(self, counts: Integers, *, scale: float, people: float, block: int = 1) -> None:
        """Take noisy counts, and fit the law to all that is known now."""
        super().measure(counts, scale=scale, people=people, block=block)
        level, variance, unit = self.in_mean_cells()
        self.law.fit(level, variance)
        self.mean = self.law.posterior(level, variance)[0] * unit
        self.seen = (counts / people, 2 * (scale / people) ** 2) if block == 1 else None

    def in_mean_cells(self) -> tuple[Reals, Reals, float]:
        """Levels and variances in units of the mean cell, and that."""
        level, variance = self.levels()
        unit = 1.0 / self.cells if self.in_shares else max(float(level.mean()), 1e-6)
        return level / unit, np.maximum(variance / unit**2, 1e-12), unit

    def levels(self) -> tuple[Reals, Reals]:
        """Mean and variance of the level of each cell over all filters, before the law."""
        weights = self.weights
        level = weights @ self.level
        return level, weights @ (self.variance + (self.level - level) ** 2)

    def counted(self) -> tuple[Reals, Reals]:
        """Mean and variance of each count now: a level, and chance around it, of which a measurement shows some."""
        level, variance, unit = self.in_mean_cells()
        mean, spread = self.law.posterior(level, variance)
        return with_chance(mean * unit, spread * unit**2, self.chance(), self.seen)

    def chance(self) -> Reals:
        """The variance of counts around levels."""
        return float(self.weights @ self.white[:, 0]) * self._floored()

    def _floored(self) -> Reals:
        """Variances are in proportion to what the law makes of a level, the same for all filters."""
        return np.asarray((self.mean + _FLOOR * self.mean.mean()) / self.people)

    def state(self) -> dict[str, Reals]:
        """All that must survive a restart, between two timestamps."""
        return {**super().state(), "law": self.law.weights, "mean": self.mean, "shares": np.array([float(self.in_shares)])}

    def restore(self, state: dict[str, Reals]) -> None:
        """Take up a state that was saved."""
        super().restore(state)
        self.law.weights, self.mean = state["law"], state["mean"]
        self.in_shares = bool(state["shares"][0])


@dataclass(kw_only=True, eq=False)
class Told:
    """What one timestamp told the filters, for whoever goes over the stream again: released and public numbers only."""

    people: float | None
    guess: float | None = None
    rescaled: float | None = None
    measured: tuple[Integers, float, float, int] | None = None
    """Counts, the scale of their noise, people, and timestamps of the block."""
    scale: float = 1.0
    most: float = inf

    def tell(self, bank: Bank) -> None:
        """Let filters go on by this timestamp."""
        if self.guess is not None:
            bank.start(self.guess)
        if self.rescaled is not None:
            bank.rescale(self.rescaled)
        bank.advance(self.people)
        if self.measured is not None:
            counts, scale, people, block = self.measured
            bank.measure(counts, scale=scale, people=people, block=block)


class Beliefs:
    """What is believed of the cells: equal until they differ, or cells of a law; with what was released."""

    def __init__(self, cells: int, *, people: float | None = None, is_gaussian: bool = False) -> None:
        """Start from equal cells; noise is Laplace's, unless Gaussian."""
        self.is_gaussian = is_gaussian
        self.bank, self.levels = Bank(cells, people=people), Levels(cells, people=people)
        self.evidence: Reals = np.log([1 - _BELIEVED, _BELIEVED])
        self.score: Reals = np.zeros(3)
        """By how much counts of the law were farther off than those of the filters: an unbiased estimate, the most that its
        variance can be, and the most that the difference itself can be."""
        self.now = Told(people=people)
        """What this timestamp told so far."""
        self.misfit: Reals = np.zeros(2)
        """By how much squares of errors exceed what was expected, and the information in that; see `_calibrate`."""

    def advance(self, people: float | None, *, guess: float | None = None, rescaled: float | None = None) -> None:
        """Go on by one timestamp: from a public guess at the first, and in shares of so many people where that becomes known."""
        self.now = Told(people=people, guess=guess, rescaled=rescaled)
        for bank in (self.bank, self.levels):
            self.now.tell(bank)

    def measure(self, counts: Integers, *, scale: float, people: float, block: int = 1) -> None:
        """Take noisy counts; whoever foresaw them is believed more."""
        self.now.measured = counts, scale, people, block
        measured, noise = counts / people, 2 * (scale / people) ** 2
        weights, mean, variance = stacked(self.bank.estimates())
        middle = weights @ mean / weights.sum()
        around = weights @ (variance + (mean - middle) ** 2) / weights.sum()
        foreseen = ((middle, around), self.levels.counted())
        gained = [likelihood(measured - level, spread + noise).sum() for level, spread in foreseen]
        evidence = _REMEMBER * self.evidence + gained
        self.evidence = evidence - evidence.max()
        if block == 1 and self.levels.in_shares:
            if not self.is_gaussian:  # no function of a count with Gaussian noise estimates an absolute error without bias
                self._compare(counts, scale, people, mean, variance, weights)
            self._calibrate(counts, scale, people)
        for bank in (self.bank, self.levels):
            bank.measure(counts, scale=scale, people=people, block=block)

    def _compare(self, counts: Integers, scale: float, people: float, mean: Reals, variance: Reals, weights: Reals) -> None:
        """Estimate from noisy counts how far off the whole counts of filters and law were, without bias."""
        own, of_own = self.levels.counted()
        own = balanced(own * people, of_own * people**2, people)
        law, _ = rounded(np.ones(1), own[None], (of_own * people**2)[None])
        filters, _ = rounded(weights / weights.sum(), *fitted(mean, variance, scale=people, most=people))
        each = off_by(counts - law, scale) - off_by(counts - filters, scale)
        apart = np.abs(law - filters)
        around = np.where(apart == 0, 0.0, 2 * spikes(scale) + apart**2)
        self.score = _REMEMBER * self.score + [each.sum(), around.sum(), apart.sum()]

    def _calibrate(self, counts: Integers, scale: float, people: float) -> None:
        """Compare noisy counts with what would have been published of these people, and with how far off that was expected to be.

        With the square D of a deviation and the variance N of the noise, the square of the difference is expected to be D + N.
        What it is more, in units of D, is measured with variance 5 (N + D)^2 / D^2 by each cell (of Laplace's law, nearly).
        """
        foreseen, deviation, _ = self._estimated(scale=people, most=people)
        expected, noise = deviation**2, 2 * scale**2 if self.is_gaussian else noise_variance(scale)
        information = expected / (5 * (noise + expected) ** 2)
        found = (counts - foreseen) ** 2 - noise
        self.misfit = FORGET * self.misfit + [information @ (found - expected), information @ expected]

    @property
    def enlarged(self) -> float:
        """What squares of deviations are multiplied by: 1 at least, and as before measurements where these say little."""
        excess, information = (float(each) for each in self.misfit)
        return 1 + max(excess / (information + 1), 0.0)

    @property
    def trust(self) -> float:
        """How much the law is believed."""
        weights = np.exp(self.evidence)
        return float(weights[1] / weights.sum())

    @property
    def trust_in_counts(self) -> float:
        """How likely whole counts of the law are nearer than those of the filters: by evidence, then by their estimated errors.

        Neither model is right, so evidence alone is believed to 99 % at most.
        """
        difference, variance, most = (float(each) for each in self.score)
        prior = min(max(self.trust, _DOUBT), 1 - _DOUBT)
        if not variance:
            return prior
        sure = max(-_SURE, min(difference * most / sqrt(2 * variance * (most**2 + variance)), _SURE))
        law, filters = prior * erfc(sure), (1 - prior) * erfc(-sure)
        return law / (law + filters)

    def published(self, *, scale: float, most: float) -> tuple[Integers, Reals, Integers]:
        """Whole counts, how far off each is expected to be, and means in thousandths, which add up to `most` if it is finite.

        Shares are of `scale` people.
        """
        self.now.scale, self.now.most = scale, most
        counts, deviation, means = self._estimated(scale=scale, most=most)
        return counts, deviation * sqrt(self.enlarged), means

    def _estimated(self, *, scale: float, most: float) -> tuple[Integers, Reals, Integers]:
        """The same before deviations are compared with measurements."""
        weights, mean, variance = stacked(self.bank.estimates())
        means, spread = fitted(mean, variance, scale=scale, most=most)
        weights = weights / weights.sum()
        alike = weights / self.bank.priors()
        if not isfinite(most):  # a number of people that is private is known too badly for a law of shares
            return *rounded(weights, means, spread, believed=alike), parts_of(weights @ means, most)
        own, of_own = self.levels.counted()
        own, of_own = balanced(own * scale, of_own * scale**2, most), of_own * scale**2
        means, spread = np.vstack([means, own]), np.vstack([spread, of_own])
        alike = np.append((1 - self.trust) / (1 - _BELIEVED) * alike / alike.sum(), self.trust / _BELIEVED)
        counts, deviation = rounded(_beside(weights, self.trust_in_counts), means, spread, believed=alike)
        weights = _beside(weights, self.trust)
        means = np.array([balanced(row, around, most) for row, around in zip(means, spread, strict=True)])
        return counts, deviation, parts_of(weights @ means, most)

    def state(self) -> dict[str, Reals]:
        """All that must survive a restart, between two timestamps."""
        levels = {f"levels_{name}": value for name, value in self.levels.state().items()}
        return {**self.bank.state(), **levels, "beliefs": self.evidence, "score": self.score, "misfit": self.misfit}

    def restore(self, state: dict[str, Reals]) -> None:
        """Take up a state that was saved."""
        self.bank.restore(state)
        self.levels.restore({name[7:]: value for name, value in state.items() if name.startswith("levels_")})
        self.evidence, self.score, self.misfit = state["beliefs"], state["score"], state["misfit"]


def _beside(weights: Reals, trust: float) -> Reals:
    """Weights of several shapes with that of the law behind them."""
    return np.append((1 - trust) * weights, trust)


def off_by(difference: Integers, scale: float) -> Reals:
    """What estimates an absolute error without bias, from a difference that holds discrete Laplace noise of this scale."""
    return np.abs(difference) - np.where(difference == 0, noise_variance(scale), 0.0)


def noise_variance(scale: float) -> float:
    """That of discrete Laplace noise."""
    ratio = exp(-1 / scale)
    return 2 * ratio / (1 - ratio) ** 2


def spikes(scale: float) -> float:
    """The most variance that the second part of `off_by` has."""
    return noise_variance(scale) ** 2 * tanh(0.5 / scale)


def with_chance(mean: Reals, variance: Reals, chance: Reals, seen: tuple[Reals, float] | None) -> tuple[Reals, Reals]:
    """Counts from levels, given the chance around levels, and what was measured of the counts with what noise, if anything."""
    if seen is None:
        return mean, variance + chance
    measured, noise = seen
    part = chance / (chance + noise)
    return np.maximum(mean + part * (measured - mean), 0.0), (1 - part) ** 2 * variance + part * noise


def balanced(mean: Reals, variance: Reals, total: float) -> Reals:
    """The nearest histogram without negative counts whose sum is `total`, in units of the variances.

    >>> balanced(np.array([3.0, 1.0, 0.0]), np.array([1.0, 1.0, 2.0]), 8.0).tolist()
    [4.0, 2.0, 2.0]
    """
    missing = total - float(mean.sum())
    if missing < 0:
        return projected(mean, variance, total)
    spread = float(variance.sum())
    return mean + (missing * variance / spread if spread > 0 else missing / mean.size)


def parts_of(means: Reals, total: float) -> Integers:
    """Means in thousandths; if their sum is finite, they add up to exactly that, and the largest remainders are rounded up.

    >>> parts_of(np.array([1.00049, 0.99951]), 2.0).tolist()
    [1000, 1000]
    """
    parts = means * THOUSANDTHS
    if not isfinite(total):
        return np.rint(parts).astype(np.int64)
    whole = np.floor(parts).astype(np.int64)
    missing = round(total * THOUSANDTHS) - int(whole.sum())
    each, rest = divmod(missing, whole.size)
    order = np.argsort(whole - parts, kind="stable")
    whole += each
    whole[order[:rest]] += 1
    return whole


def likelihood(difference: Reals, variance: Reals) -> Reals:
    """The logarithm of a likelihood with Laplace's tails, up to a constant."""
    spread = np.sqrt(variance)
    unfit = np.abs(difference) / spread
    return np.asarray(-(np.log(spread) + np.where(unfit < _TAIL, 0.5 * unfit**2, _TAIL * (unfit - 0.5 * _TAIL))))
