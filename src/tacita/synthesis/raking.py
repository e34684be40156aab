"""Weights of lookalikes that agree with all noisy answers at once, each as far as its noise allows.

Lookalikes i = 1..m are drawn from a model. Answer j is y_j with a standard deviation s_j; lookalike i adds f_ij to it. The
weights w >= 0 of N people in sum minimise

    KL(w, uniform) + sum over j of (sum over i of w_i f_ij - y_j)^2 / (2 tau_j s_j^2)

Where the model is off, it is believed weakly (tau_j is small): with tau_j = 1, maximum entropy, it outvotes the answers. The dual
has one number for each answer: with g_ij = f_ij / s_j and t_j = y_j / s_j, minimise
N log sum_i exp(g_i mu) - t mu + sum_j tau_j mu_j^2 / 2. It is smooth and convex, so L-BFGS (Liu and Nocedal 1989) finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import evenly_rounded

__all__ = ["Agreement", "Measured", "agreed", "copies_of"]


BELIEF, LEAST_BELIEF, LESS_TRUST, HELPS = 0.05, 5e-4, 4.0, 0.8
"""How far the model is believed where a search begins, and where it ends at the latest; by which factor that changes; and to
which share of what they were it must lower squared residuals, or it is not repeated."""

CARRIED = 0.1
"""The share of lookalikes that must carry the weight if there are fewer people."""

ROUNDS, FEW_ROUNDS, MEMORY, NEAR = 60, 30, 10, 0.1
"""How many steps L-BFGS takes at the most, and on the first lookalikes; how many it remembers; and when it stops: if a step gains
less than this, in squared standard deviations of all answers together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """Noisy counts of cells, the variance of their noise, of each or of all, and what each lookalike adds to which of them.

    Lookalike i adds `weights[i]` to `cells[k]` for k from offsets[i] up to offsets[i + 1] - 1, at least one; without offsets, it
    adds 1 to `cells[i]`. A cell whose variance is infinite was not measured.
    """

    counts: Reals
    variance: Reals | float
    cells: Integers
    offsets: Integers | None = None
    weights: Reals | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class _Table:
    """What was measured, in standard deviations, and only in cells that some lookalike has."""

    answers: Reals
    deviations: Reals
    cells: Integers
    offsets: Integers | None
    weights: Reals | None

    @classmethod
    def of(cls, measured: Measured) -> _Table:
        used = np.zeros(measured.counts.size, dtype=np.bool_)
        used[measured.cells] = True
        place = np.cumsum(used) - 1
        counts = measured.counts[used]
        # no answer is met better than a sample of people could
        deviations = np.sqrt(np.broadcast_to(measured.variance, used.shape)[used] + np.maximum(counts, 0.0))
        return cls(
            answers=counts / deviations,
            deviations=deviations,
            cells=place[measured.cells],
            offsets=measured.offsets,
            weights=measured.weights,
        )

    def exponents(self, prices: Reals) -> Reals:
        """The sum of the prices of each lookalike."""
        each = (prices / self.deviations)[self.cells]
        if self.offsets is not None:
            each = np.add.reduceat(each, self.offsets[:-1])
        return each if self.weights is None else each * self.weights

    def sums(self, carried: Reals) -> Reals:
        """What all lookalikes add to each cell."""
        own = carried if self.weights is None else carried * self.weights
        each = own if self.offsets is None else np.repeat(own, np.diff(self.offsets))
        return np.asarray(np.bincount(self.cells, weights=each, minlength=self.answers.size) / self.deviations, dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Agreement:
    """The weights of lookalikes, and how far the model was believed against each answer."""

    weights: Reals
    beliefs: Reals


def agreed(measured: Sequence[Measured], *, prior: Reals, people: float, beliefs: Reals | None = None) -> Agreement:
    """Weights of lookalikes, of which the model expects as many as `prior` says, that agree with all answers.

    Without `beliefs`, they follow from how far the model is off (`_beliefs`). With them, it is believed more against all answers
    as long as too few lookalikes carry the weight: one for each person, or `CARRIED`.
    """
    tables = [_Table.of(each) for each in measured]
    answers = np.concatenate([table.answers for table in tables])
    sizes = np.array([table.answers.size for table in tables])
    cuts, begin = np.cumsum(sizes)[:-1], np.log(prior)

    def weights(prices: Reals) -> tuple[float, Reals]:
        exponents = begin.copy()
        for table, own in zip(tables, np.split(prices, cuts), strict=True):
            exponents += table.exponents(own)
        top = float(exponents.max())
        found = np.exp(exponents - top)
        total = float(found.sum())
        return people * (float(np.log(total)) + top), found * (people / total)

    def solved(start: Reals, beliefs: Reals, rounds: int) -> tuple[Reals, Reals]:
        each = np.repeat(beliefs, sizes)

        def dual(mu: Reals) -> tuple[float, Reals]:
            value, carried = weights(mu)
            slope = np.concatenate([table.sums(carried) for table in tables]) - answers + each * mu
            return value - float(mu @ answers) + float(each @ mu**2) / 2, slope

        found = minimised(dual, start, rounds=rounds)
        return found, weights(found)[1]

    prices = np.zeros(answers.size)
    if beliefs is None:
        return _trusted(tables, lambda start, each: solved(start, each, FEW_ROUNDS), prices, weights(prices)[1])
    carriers, believed = min(people, CARRIED * float(prior.sum())), beliefs
    while True:
        prices, found = solved(prices, believed, ROUNDS)
        if people**2 >= carriers * float(found @ (found / prior)) or believed.min() >= 1:
            return Agreement(weights=found, beliefs=believed)
        believed = believed * LESS_TRUST


def _trusted(
    tables: Sequence[_Table], solved: Callable[[Reals, Reals], tuple[Reals, Reals]], prices: Reals, carried: Reals
) -> Agreement:
    """Believe the model less step by step, as far as it is off, and only as long as that brings it nearer to the answers.

    The less the model is believed, the slower is the search; the lookalikes may be too few to agree with an answer.
    """
    wanted = np.maximum(_beliefs(tables, carried), LEAST_BELIEF)
    believed, before = np.maximum(wanted, BELIEF), np.full(wanted.size, np.inf)
    while True:
        prices, found = solved(prices, believed)
        misfit = np.array([float(((table.sums(found) - table.answers) ** 2).mean()) for table in tables])
        less = (believed > wanted) & (misfit < HELPS * before)
        if not less.any():
            return Agreement(weights=found, beliefs=believed)
        believed = np.where(less, np.maximum(wanted, believed / LESS_TRUST), believed)
        before = np.where(less, misfit, before)


def _beliefs(tables: Sequence[_Table], carried: Reals) -> Reals:
    """How far to believe the model against each answer, by how far it is off before anything is raked.

    Where the counts m that a model expects are off by a variance of k m, tau = 1 / k weighs it and the answer by their variances.
    The sum of k m is estimated by what the squared residuals exceed those of noise, but is at least one standard deviation of
    the latter: the square of Laplace noise of variance 1 has the variance 5.
    """
    found = []
    for table in tables:
        expected = table.sums(carried)
        beyond = float(((expected - table.answers) ** 2).sum()) - expected.size
        found.append(float((expected / table.deviations).sum()) / max(beyond, np.sqrt(5 * expected.size)))
    return np.array(found)


def copies_of(weights: Reals, number: int) -> Integers:
    """How often each lookalike is written, so that there are `number` of them: systematic sampling, one even grid."""
    return evenly_rounded(weights * (number / max(float(weights.sum()), 1e-300)))


def minimised(
    function: Callable[[Reals], tuple[float, Reals]], start: Reals, *, rounds: int = ROUNDS, near: float = NEAR
) -> Reals:
    """Where a smooth convex function is smallest, by L-BFGS; the function gives its value and its slope."""
    place = start
    value, slope = function(place)
    moves: list[tuple[Reals, Reals, float]] = []
    for _ in range(rounds):
        direction = _direction(slope, moves)
        falls = float(direction @ slope)
        if falls >= -1e-10 * max(abs(value), 1.0):
            break
        step = 1.0 if moves else min(1.0, 1 / float(np.abs(slope).sum()))
        while True:
            there = place + step * direction
            new_value, new_slope = function(there)
            if new_value <= value + 1e-4 * step * falls or step < 1e-10:
                break
            step /= 2
        moved, changed = there - place, new_slope - slope
        curvature = float(moved @ changed)
        if curvature > 1e-12 * float(changed @ changed):
            moves = [*moves[1 - MEMORY :], (moved, changed, 1 / curvature)]
        is_done = value - new_value <= near
        place, value, slope = there, new_value, new_slope
        if is_done:
            break
    return place


def _direction(slope: Reals, moves: list[tuple[Reals, Reals, float]]) -> Reals:
    """The two loops of L-BFGS."""
    direction = -slope
    kept = []
    for moved, changed, inverse in reversed(moves):
        share = inverse * float(moved @ direction)
        kept.append(share)
        direction = direction - share * changed
    if moves:
        moved, changed, inverse = moves[-1]
        direction = direction / (inverse * float(changed @ changed))
    for (moved, changed, inverse), share in zip(moves, reversed(kept), strict=True):
        direction = direction + moved * (share - inverse * float(changed @ direction))
    return direction
