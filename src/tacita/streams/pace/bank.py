"""The free part of pace: filters over noisy counts, how often to measure, and from estimates to a histogram.

Everything here is free, since it sees released numbers only. Read `Bank` (a bank of Kalman filters) first, then `Rates` (the
number of measurements in a window), then `released` (whole counts).

The model of one cell is a level that drifts and a white part around it, both in proportion to the level x:

    level_t = level_(t-1) + N(0, q x),    count_t = level_t + N(0, g x),    measured = count_t + Laplace(b)

Nobody knows q and g, so one filter runs for each of several pairs, and Bayesian weights that forget (by `FORGET` a measurement)
say which fit. Nobody knows either how unequal cells are. All filters start from equal cells; the *shape* of a filter is how
uncertain it takes them to be: twice as much as they are large (`UNEQUAL`), less (`MEDIUM`), or nearly equal and still
(`ALIKE`). Which shape fits is a fact about the whole stream, so the evidence for it is hardly forgotten (`REMEMBER`); its
likelihood has Laplace's tails, as the noise has, so that one large draw does not decide. Where the number of people is public,
x is a share of it, and the variances are divided by its mean. A difference that Laplace noise cannot make is a jump: it is
followed at once. A block sum measures the mean level of its timestamps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, log, sqrt

import numpy as np

from tacita.arrays import Integers, Places, Reals
from tacita.privacy.funds import Funds

__all__ = ["DRIFTS", "Bank", "Rates", "candidates", "fitted", "median", "projected", "released", "rounded", "stacked", "total_of"]

_DRIFT = (1e-3, 1e-2, 6e-2, 0.4, 3.0, 30.0, 300.0)
_SLOW, _STILL = _DRIFT[:2], (1e-5, 1e-3)
UNEQUAL, MEDIUM, ALIKE = 2.0, 0.7, 0.1  # the standard deviation of a cell at the start, against the mean cell
DRIFTS: Reals = np.array(
    [(drift, white, UNEQUAL) for drift in _DRIFT for white in (0.0, 0.25, 1.0)]
    + [(drift, white, MEDIUM) for drift in _SLOW for white in (0.0, 0.25, 1.0)]
    + [(drift, white, ALIKE) for drift in _STILL for white in (0.0, 0.25, 1.0)]
)
PRIOR = {UNEQUAL: 0.15, MEDIUM: 0.1, ALIKE: 0.75}
"""How much each shape is believed before anything is measured: where nothing can be seen, about 0.85 of equal cells comes out."""
TOTAL_DRIFTS: Reals = np.array([(drift, white, 1.0) for drift in _DRIFT for white in (0.0, 0.5, 3.0)])
FORGET, REMEMBER = 0.9, 0.999
_MOST_UNFIT = 4.0  # standard deviations: what is farther off than that is a jump, and says no more about drift
_TAIL = 2.0  # standard deviations from which on a likelihood falls as Laplace's does
_FLOOR = 0.1  # of the mean cell: the level that a variance never falls below
_WRONG, _LEAST = 3.0, 0.1  # of a public guess: how far off it may be, and what noise leaves of it at least
_TIMES_REMEMBERED = 200  # of the mean number of people
_NOTICED = 1e-3  # the same of a shape
_BELIEVED = 1e-9  # the weight below which a filter has no say in an estimate


class Bank:
    """The filters of all cells, in shares of the people (`people` is their number at the start) or in counts."""

    def __init__(self, cells: int, *, people: float | None = None, drifts: Reals = DRIFTS) -> None:
        """Start from equal cells; without a number of people, from the first measurement.

        A row of `drifts` is a filter: drift, white part, and how uncertain the cells are at the start.
        """
        self.drift, self.white, self.spread = drifts[:, :1], drifts[:, 1:2], drifts[:, 2:]
        self._shapes = [np.flatnonzero(self.spread[:, 0] == spread) for spread in dict.fromkeys(self.spread[:, 0].tolist())]
        self.evidence: Reals = np.log([PRIOR.get(float(self.spread[own[0], 0]), 1.0) for own in self._shapes])
        self.cells = cells
        self.is_started = people is not None
        self.people = max(people, 1.0) if people is not None else 1.0
        self.level = np.full((len(drifts), cells), 1.0 / cells)
        self.variance = np.repeat((self.spread / cells) ** 2, cells, axis=1)
        self.log_weights = np.zeros(len(drifts))
        self._counted: tuple[Reals, Reals] | None = None
        self._scaled: tuple[Reals, Reals] | None = None
        self._times = 0
        self._guess = 0.0
        self.prior = self.variance
        """The variances before the last measurement, as large as jumps made them."""

    def start(self, level: float) -> None:
        """Take a public guess as the level of every cell, until the first measurement says how right it was."""
        self.level = np.full_like(self.level, level)
        self.variance[:] = (self.spread * level) ** 2
        self.is_started = True
        self._guess = level

    def rescale(self, people: float) -> None:
        """Go on in shares of so many people instead of counts."""
        self.level = self.level / people
        self.variance /= people**2
        self.people, self._times = people, 1

    @property
    def weights(self) -> Reals:
        """How much each filter is believed."""
        weights = np.zeros(self.log_weights.size)
        for own, shape in zip(self._shapes, _normalised(self.evidence), strict=True):
            weights[own] = shape * _normalised(self.log_weights[own])
        return weights

    def advance(self, people: float | None) -> None:
        """Go on by one timestamp, at which so many people are there, if that is public."""
        if people is not None:
            self._times += 1
            self.people = max(self.people + (people - self.people) / min(self._times, _TIMES_REMEMBERED), 1.0)
        self.variance += self.drift * self._floored()
        self._counted = None

    def measure(self, counts: Integers, *, scale: float, people: float, block: int = 1) -> None:
        """Take noisy counts of `people` people (or their sum over a block of timestamps); the noise has this scale."""
        noise = 2 * (scale / people) ** 2
        measured = counts / people
        if not self.is_started:
            self._start_from(measured, noise)
        elif self._guess:
            self._correct_guess(measured, noise)
        floored = self._floored()
        white = self.white * floored
        if block > 1:
            white = white / block + block / 3 * self.drift * floored
        difference = measured - self.level
        spread = np.sqrt(self.variance + white + noise)
        self._weigh(np.abs(difference) / spread, np.log(spread))
        jumps = np.abs(difference) > 3 * np.sqrt(self.variance + white) + scale / people * (log(self.cells) + 7)
        prior = np.where(jumps, np.maximum(self.variance, difference**2 - noise - white), self.variance)
        difference = np.where(jumps, difference, np.clip(difference, -4.5 * spread, 4.5 * spread))
        self.prior = prior
        total = prior + white + noise
        gain, gain_of_count = prior / total, (prior + white) / total
        if block == 1:
            self._counted = (self.level + gain_of_count * difference, (prior + white) * (1 - gain_of_count))
        self.level = self.level + gain * difference
        self.variance = prior * (1 - gain)
        if block > 1:
            self._counted = (self.level.copy(), self.variance + self.white * floored)

    def _weigh(self, unfit: Reals, logs: Reals) -> None:
        """Believe shapes and filters by how far off they were, in standard deviations, whose logarithms are given too."""
        likely = -(logs + np.where(unfit < _TAIL, 0.5 * unfit**2, _TAIL * (unfit - 0.5 * _TAIL))).sum(axis=1)
        gained = [_log_mean(self.log_weights[own], likely[own]) for own in self._shapes]
        evidence = REMEMBER * self.evidence + gained
        self.evidence = evidence - evidence.max()
        self.log_weights = FORGET * self.log_weights - (logs + 0.5 * np.minimum(unfit, _MOST_UNFIT) ** 2).sum(axis=1)

    def chance_of_filters(self) -> Reals:
        """The variance of counts around levels, for each filter."""
        return np.asarray(self.white * self._floored())

    def estimates(self) -> Iterator[tuple[float, Reals, Reals]]:
        """Mean and variance of the count of each cell now, for each shape that is believed, with its weight."""
        shapes = _normalised(self.evidence)
        for own, weight in zip(self._shapes, shapes, strict=True):
            if weight > _NOTICED:
                weights = _normalised(self.log_weights[own])
                believed = weights > _BELIEVED
                yield (float(weight), *self._estimate(own[believed], weights[believed] / weights[believed].sum()))

    def priors(self) -> Reals:
        """How much each shape that is believed now was believed at the start."""
        own = [PRIOR.get(float(self.spread[own[0], 0]), 1.0) for own in self._shapes]
        return np.array(own)[_normalised(self.evidence) > _NOTICED]

    def estimate(self) -> tuple[Reals, Reals]:
        """Mean and variance of the count of each cell now, over all filters."""
        weights = self.weights
        believed = np.flatnonzero(weights > _BELIEVED)
        return self._estimate(believed, weights[believed])

    def _estimate(self, believed: Places, weights: Reals) -> tuple[Reals, Reals]:
        if self._counted is None:
            level = self.level[believed]
            variance = self.variance[believed] + self.white[believed] * np.maximum(level, 0) / self.people
        else:
            level, variance = (values[believed] for values in self._counted)
        mean = weights @ level
        return mean, weights @ (variance + (level - mean) ** 2)

    def state(self) -> dict[str, Reals]:
        """All that must survive a restart, between two timestamps; a guess does not outlive the first."""
        facts = np.array([self.people, float(self._times), float(self.is_started)])
        own = {"level": self.level, "variance": self.variance, "log_weights": self.log_weights, "evidence": self.evidence}
        return {**own, "facts": facts}

    def restore(self, state: dict[str, Reals]) -> None:
        """Take up a state that was saved."""
        self.level, self.variance = state["level"], state["variance"]
        self.log_weights, self.evidence = state["log_weights"], state["evidence"]
        self.people, self._times, self.is_started = float(state["facts"][0]), int(state["facts"][1]), bool(state["facts"][2])

    def _floored(self) -> Reals:
        """What variances are in proportion to; worked out anew when the level changes, not at every timestamp."""
        if self._scaled is None or self._scaled[0] is not self.level:
            positive = np.maximum(self.level, 0)
            self._scaled = self.level, positive + _FLOOR * positive.mean(axis=1, keepdims=True)
        return np.asarray(self._scaled[1] / self.people)

    def _start_from(self, measured: Reals, noise: float) -> None:
        mean = max(float(measured.mean()), 1e-9)
        noise_of_mean = noise / self.cells
        shrunk = max(1 - noise_of_mean / (9 * mean * mean), 0.0)
        mean *= shrunk**3
        self.level = np.full_like(self.level, mean)
        self.variance[:] = np.maximum((self.spread * mean) ** 2, 0.1 * noise_of_mean)
        self.is_started = True

    def _correct_guess(self, measured: Reals, noise: float) -> None:
        """Weigh the guess, which may be several times too large or small, against the mean of all cells as it was measured."""
        guess, noise_of_mean = self._guess, noise / self.cells
        trust = noise_of_mean / (noise_of_mean + (_WRONG * guess) ** 2)
        least = min(_LEAST * guess, sqrt(noise_of_mean))
        self.start(max(trust * guess + (1 - trust) * float(measured.mean()), least))
        self.variance += (1 - trust) * noise_of_mean
        self._guess = 0.0


def _normalised(logs: Reals) -> Reals:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _log_mean(logs: Reals, likely: Reals) -> float:
    """The logarithm of the mean likelihood of filters, by their weights before."""
    return _log_sum(logs + likely) - _log_sum(logs)


def _log_sum(logs: Reals) -> float:
    """The logarithm of the sum of what these are the logarithms of, some of which may be too small for a float."""
    most = float(logs.max())
    return most + log(float(np.exp(logs - most).sum()))


# How often to measure: the number of measurements in a window whose error, as the filters predict it, is least.
#
# With k measurements in a window of m contexts, each has epsilon / k, so its noise has the variance v = 2 (sensitivity k /
# epsilon)^2, or rho / k and v = sensitivity k / (2 rho), and the next is s = m / k timestamps away. A filter with drift Q and
# white part G a timestamp settles at a posterior variance P with P^2 + A P - A (v + G) = 0, A = s Q. The error of a count is 0.8
# of its standard deviation, never more than the count itself. Errors are averaged over cells, over the timestamps of an interval
# and, by their weights, over the filters.

_ALL = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256)
_NEARLY = (
    1.07  # where a fifth of all contexts or more are measured, more measurements are taken at up to this much predicted error
)
_HAS_A_SAY = 1e-4


def candidates(contexts: int) -> tuple[int, ...]:
    """The numbers of measurements that are tried for a window.

    >>> candidates(7)
    (1, 2, 3, 4, 5, 6, 7)
    """
    return (*(number for number in _ALL if number < contexts), contexts)


class Rates:
    """The choice for windows of one length; `funds` are those of a window."""

    def __init__(self, *, contexts: int, funds: Funds, sensitivity: int) -> None:
        """Work out what does not depend on the stream."""
        self.contexts = contexts
        self.numbers = candidates(contexts)
        numbers = np.array(self.numbers, dtype=np.float64)
        self._steps = np.ceil(contexts / numbers)
        amount = float(funds.amount)
        self._noise = sensitivity * numbers / (2 * amount) if funds.in_rho else 2 * (sensitivity * numbers / amount) ** 2

    def best(self, counts: Reals, *, growth: float, drifts: Reals, weights: Reals) -> int:
        """How many measurements a window should have, given what was released; `growth` is the people now against their mean."""
        errors = self._errors(counts, growth, drifts, weights)
        best = self.numbers[int(np.argmin(errors))]
        if 5 * best >= self.contexts:
            return max(number for number, error in zip(self.numbers, errors, strict=True) if error <= _NEARLY * errors.min())
        return best

    def _errors(self, counts: Reals, growth: float, drifts: Reals, weights: Reals) -> Reals:
        """One predicted error for each number of measurements."""
        most = counts + 0.1 * counts.mean() + 1e-9
        scaled = most * growth
        steps, noise = self._steps[:, None], self._noise[:, None]
        errors = np.zeros(len(self.numbers))
        for (drift, white, _), weight in zip(drifts, weights, strict=True):
            if weight < _HAS_A_SAY:
                continue
            each, around = drift * scaled, white * scaled
            apart = steps * each
            settled = (-apart + np.sqrt(apart * apart + 4 * apart * (noise + around))) / 2
            before = settled + apart + around
            measured = np.minimum(0.8 * np.sqrt(before * noise / (before + noise)), most).mean(axis=1)
            between = np.minimum(0.8 * np.sqrt(settled + each * steps / 2 + around), most).mean(axis=1)
            errors += weight * (measured + (self._steps - 1) * between) / self._steps
        return errors


# From estimates to a usable histogram: no negative counts, no more people than there are, whole numbers.
#
# The projection onto {x >= 0, sum x <= total} takes more from cells that are known less well: x_j - lambda v_j, clipped at
# zero. Errors are measured as absolute differences, for which the median is best, not the mean; the median of a gamma law with
# the same mean and variance is m (1 - v / (9 m^2))^3 (Wilson and Hilferty). Where it is not known how unequal cells are, each
# shape has its own median, and their mean by weight is published: where nothing is known, a part of equal cells, which is far
# off for no shape.

Estimates = Iterable[tuple[float, Reals, Reals]]
"""Weight, mean and variance of every count, for each shape that cells may have."""

_CHANCE = 0.5  # of the mean: how much of a count is chance, at most as much as its variance


def projected(mean: Reals, variance: Reals, total: float | Reals) -> Reals:
    """The nearest histogram without negative counts and with a sum of at most `total`, in units of the variances.

    Of several histograms, one in each row, at once.

    >>> projected(np.array([3.0, 1.0, -1.0]), np.ones(3), 2.0).tolist()
    [2.0, 0.0, 0.0]
    """
    positive, most = np.maximum(mean, 0), np.asarray(total)[..., None]
    over = positive.sum(axis=-1, keepdims=True) > most
    if not over.any():
        return np.asarray(positive)
    variance = np.maximum(variance, 1e-18)
    ratios = positive / variance
    order = np.argsort(-ratios, axis=-1)
    means, spread, kept = (np.take_along_axis(each, order, axis=-1) for each in (positive, variance, ratios))
    # with the k largest ratios kept, lambda = (sum of means - total) / (sum of variances); the last k that keeps its own is right
    multipliers = (np.cumsum(means, axis=-1) - most) / np.cumsum(spread, axis=-1)
    last = np.maximum(np.count_nonzero(kept > multipliers, axis=-1, keepdims=True), 1) - 1
    multiplier = np.where(over, np.maximum(np.take_along_axis(multipliers, last, axis=-1), 0.0), 0.0)
    return np.asarray(np.maximum(positive - multiplier * variance, 0))


def median(mean: Reals, variance: Reals) -> Reals:
    """The median of a gamma law with this mean and variance, nearly; 0 where the mean is."""
    positive = mean > 0
    safe = np.where(positive, mean, 1.0)
    return np.asarray(np.where(positive, mean * np.maximum(1 - variance / (9 * safe * safe), 0) ** 3, 0.0))


def total_of(mean: Reals, variance: Reals) -> Reals:
    """The median of the sum of all cells, as if they were independent; one for each row."""
    return median(np.maximum(mean.sum(axis=-1), 0.0), variance.sum(axis=-1))


def fitted(mean: Reals, variance: Reals, *, scale: float = 1.0, most: float = inf) -> tuple[Reals, Reals]:
    """Means and variances of counts from those of shares of `scale` people; none below zero, and no more than `most` in sum."""
    total = np.minimum(total_of(mean, variance) * scale, most)
    spread = variance * scale**2
    return projected(mean * scale, spread, total), spread


def stacked(estimates: Estimates) -> tuple[Reals, Reals, Reals]:
    """The weights of all shapes, and their means and variances, one shape in each row."""
    weights, means, variances = zip(*estimates, strict=True)
    return np.array(weights), np.array(means), np.array(variances)


def released(estimates: Estimates, *, scale: float = 1.0, most: float = inf) -> tuple[Integers, Reals]:
    """Whole counts over all shapes, and how far off each is expected to be, in the root of the mean square."""
    weights, mean, variance = stacked(estimates)
    return rounded(weights / weights.sum(), *fitted(mean, variance, scale=scale, most=most))


def rounded(weights: Reals, means: Reals, spread: Reals, *, believed: Reals | None = None) -> tuple[Integers, Reals]:
    """Whole counts between the medians of several beliefs, one in each row, and how far off each is expected to be.

    `believed` are weights for that expectation alone: what is best published where little is known is no evidence that it is so.
    """
    counts = np.floor(weights @ median(means, spread + np.minimum(_CHANCE * means, spread)) + 0.5)
    believed = weights if believed is None else believed
    expected = believed / believed.sum() @ (spread + (means - counts) ** 2)
    return counts.astype(np.int64), np.sqrt(expected)
