"""Noisy counts of disjoint cells: those that reach a threshold in a large domain, or all of them in a small one.

In a large domain, empty cells are never listed: those that pass are found by geometric gaps, which has the same distribution as
adding noise to each of them. The kept cells come in the order of their keys, so nothing shows which ones were empty. In a small
domain, `EveryCount` adds noise to every cell and leaves none out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals
from tacita.errors import ParameterError, ReplayError
from tacita.privacy import noise
from tacita.privacy.budget import decimal_text
from tacita.privacy.noise import LARGEST_VARIANCE, discrete_gaussian
from tacita.privacy.questions.question import Asks, Choice, Outcomes
from tacita.privacy.randomness import Source
from tacita.public.parameters import whole_number

__all__ = [
    "CellQuestion",
    "Cells",
    "EveryCount",
    "cell_choice",
    "cells_log_ratio",
    "every_count",
    "gaussian_choice",
    "gaussian_log_ratio",
    "gaussian_rho",
    "log_below",
    "merged",
    "noisy_cells",
    "open_choice",
    "skip_taken",
]


@dataclass(frozen=True, eq=False)
class Cells:
    """Some cells of a domain, by number in increasing order, each with an integer value."""

    keys: Integers
    values: Integers

    def sealed(self) -> Cells:
        """The same, read-only: what was recorded is what was answered."""
        for array in (self.keys, self.values):
            array.setflags(write=False)
        return self

    def at(self, keys: Integers) -> Integers:
        """The value of each key, 0 where there is no such cell."""
        if self.keys.size == 0:
            return np.zeros(keys.size, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        return np.where(self.keys[places] == keys, self.values[places], 0)

    @classmethod
    def none(cls) -> Cells:
        """No cells."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, kw_only=True)
class CellQuestion:
    """The question which of `domain` disjoint cells reach the threshold, and with what noisy count.

    One record changes the counts by at most `sensitivity` in total.
    """

    step: str
    epsilon: Fraction
    sensitivity: int
    domain: int
    threshold: int

    def __post_init__(self) -> None:
        """Refuse parameters for which the distribution would be wrong."""
        whole_number(self.sensitivity, name="the sensitivity of counts", least=1)
        if not 0 <= self.domain < noise.LARGEST_DOMAIN:
            message = f"a domain must have fewer than 2**62 cells, got {self.domain}"
            raise ParameterError(message)
        if self.threshold < 1:
            message = f"a threshold must be a whole number of at least 1, got {self.threshold}"
            raise ParameterError(message)
        noise.require_rate(self.rate)

    @property
    def delta(self) -> Fraction:
        """Counts over a public domain need no delta."""
        return Fraction(0)

    @property
    def rate(self) -> Fraction:
        """The inverse of the noise scale."""
        return self.epsilon / self.sensitivity

    @property
    def noise(self) -> str:
        """The noise in words."""
        return f"discrete Laplace, scale {decimal_text(1 / self.rate)}, kept if the noisy count is at least {self.threshold}"

    def check(self, truth: Cells, /) -> None:
        """The non-empty cells must be numbers of the domain, each once, in order."""
        keys, counts = truth.keys, truth.values
        if keys.dtype != np.int64 or counts.dtype != np.int64 or keys.shape != counts.shape or keys.ndim != 1:
            message = "keys and counts must be flat arrays of 64-bit integers of the same length"
            raise ParameterError(message)
        if keys.size and (keys[0] < 0 or keys[-1] >= self.domain or np.any(keys[1:] <= keys[:-1])):
            message = "keys must increase strictly within the domain"
            raise ParameterError(message)

    def draw(self, truth: Cells, source: Source, /) -> Cells:
        """Add noise to the non-empty cells, find the empty ones that pass, and merge both in the order of their keys."""
        rate, threshold = self.rate, self.threshold
        noisy = noise.add_noise(truth.values, rate=rate, source=source)
        kept = noisy >= threshold
        ranks = noise.passing_ranks(self.domain - truth.keys.size, rate=rate, threshold=threshold, source=source)
        false_keys = skip_taken(ranks, truth.keys)
        false_values = noise.tail_above(ranks.size, rate=rate, threshold=threshold, source=source)
        return merged([truth.keys[kept], false_keys], [noisy[kept], false_values])

    def log_ratio(self, answer: Cells, first: Cells, second: Cells, /) -> float:
        """Sum over the cells whose counts differ."""
        keys, counts = differing(first, second)
        return cells_log_ratio(answer, keys, counts, rate=self.rate, threshold=self.threshold, step=self.step)

    def largest_loss(self, first: Cells, second: Cells, /) -> Fraction:
        """The most that any answer can lose between two truths."""
        _, (mine, other) = differing(first, second)
        return self.rate * int(np.abs(mine - other).sum())

    def outcomes(self, truth: Cells, /, *, span: int) -> Outcomes[Cells]:
        """Dropped, or kept with each value up to the span: one independent choice per cell."""
        counts = truth.at(np.arange(self.domain)).tolist()
        choices = [cell_choice(self.rate, self.threshold, count, span) for count in counts]
        return Outcomes(choices, _joined)

    def covers(self, answer: Cells, /, *, span: int) -> bool:
        """Whether no value is beyond the span."""
        return bool(np.all(answer.values <= self.threshold + span))

    def nothing(self) -> Cells:
        """No cell passes."""
        return Cells.none()


def noisy_cells(  # noqa: PLR0913 - the parts of the question
    account: Asks, step: str, *, keys: Integers, counts: Integers, domain: int, threshold: int, sensitivity: int = 1
) -> Cells:
    """Add noise to the counts of all cells 0 to `domain` - 1 and return, in that order, those that reach the threshold.

    `keys` and `counts` hold the non-empty cells; the empty ones are never listed, yet each of them passes with exactly the
    probability that it would have with noise of its own. One record changes the counts by at most `sensitivity` in total.
    """
    question = CellQuestion(
        step=step, epsilon=account.planned(step).epsilon, sensitivity=sensitivity, domain=domain, threshold=threshold
    )
    return account.ask(question, Cells(keys, counts))


def merged(keys: Sequence[Integers], values: Sequence[Integers]) -> Cells:
    """Kept cells from several arrays, in the order of their keys."""
    all_keys, all_values = np.concatenate(keys), np.concatenate(values)
    order = np.argsort(all_keys, kind="stable")
    return Cells(all_keys[order], all_values[order]).sealed()


def skip_taken(ranks: Integers, taken: Integers) -> Integers:
    """The `rank`-th cells (from 0) of a domain without the `taken` cells; both arrays are sorted."""
    free_before = taken - np.arange(taken.size)  # how many free cells lie before each taken one
    return ranks + np.searchsorted(free_before, ranks, side="right")


def differing(first: Cells, second: Cells) -> tuple[Integers, tuple[Integers, Integers]]:
    """The cells whose counts differ, with both counts; every other cell has the same law under both."""
    keys = np.union1d(first.keys, second.keys)
    mine, other = first.at(keys), second.at(keys)
    differ = mine != other
    return keys[differ], (mine[differ], other[differ])


def cells_log_ratio(
    answer: Cells, keys: Integers, counts: tuple[Integers, Integers], *, rate: Fraction, threshold: int | None, step: str
) -> float:
    """The log-ratio of an answer over some cells, given both counts of each; without a threshold every cell must be answered."""
    mine, other = counts
    kept = np.isin(keys, answer.keys)
    values = answer.at(keys)
    moved = np.abs(values - other)[kept].sum() - np.abs(values - mine)[kept].sum()
    ratio = float(rate * int(moved))
    lost = ~kept
    if threshold is None:
        if lost.any():
            message = f"step {step!r} asks for every cell of a block, and the answer leaves some out"
            raise ReplayError(message)
        return ratio
    return ratio + float((log_below(threshold - mine[lost], rate) - log_below(threshold - other[lost], rate)).sum())


def log_below(threshold: Integers, rate: Fraction) -> Reals:
    """Compute log P[X < threshold], from the tail on the other side so that nothing cancels."""
    mirrored = 1 - threshold  # P[X < t] = P[X >= 1 - t]
    epsilon = float(rate)
    log_one_plus = np.log1p(np.exp(-epsilon))
    in_tail = -epsilon * mirrored - log_one_plus
    in_body = np.log1p(-np.exp(-epsilon * np.maximum(1 - mirrored, 1) - log_one_plus))
    return np.asarray(np.where(mirrored >= 1, in_tail, in_body), dtype=np.float64)


def cell_choice(rate: Fraction, threshold: int, count: int, span: int) -> Choice:
    """Dropped, or kept with each value up to the span."""
    ratio = exp(-float(rate))
    values = range(threshold, threshold + span + 1)
    gap = threshold - count  # P[X < gap]
    dropped = ratio ** (1 - gap) / (1 + ratio) if gap <= 0 else 1 - ratio**gap / (1 + ratio)
    return Choice([None, *values], [dropped, *_chances(ratio, values, count)])


def open_choice(rate: Fraction, count: int, span: int) -> Choice:
    """Each value up to the span on either side of 0."""
    values = range(-span, span + 1)
    return Choice([*values], _chances(exp(-float(rate)), values, count))


def _chances(ratio: float, values: range, count: int) -> list[float]:
    return [(1 - ratio) / (1 + ratio) * ratio ** abs(value - count) for value in values]


def _joined(values: Sequence[Any]) -> Cells:
    kept = [(key, value) for key, value in enumerate(values) if value is not None]
    return Cells(*(np.array([pair[part] for pair in kept], dtype=np.int64) for part in (0, 1)))


# All counts of a small domain, without a threshold.


@dataclass(frozen=True, kw_only=True)
class EveryCount:
    """The question how many there are in each of `cells` cells, with Laplace noise for an epsilon, or Gaussian noise for a rho.

    One record changes the counts by at most `sensitivity` in sum, and their squared changes add up to at most `squares`.
    """

    step: str
    epsilon: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    sensitivity: int
    squares: int = 1
    cells: int

    def __post_init__(self) -> None:
        """Refuse what would make the law another one."""
        whole_number(self.sensitivity, name="the sensitivity of counts", least=1)
        whole_number(self.squares, name="the squared sensitivity of counts", least=1)
        whole_number(self.cells, name="the number of cells", least=0)
        if not self.rho:
            noise.require_rate(self.rate)
        elif self.epsilon or self.variance > LARGEST_VARIANCE:
            message = f"counts are asked at an epsilon or a rho of which 2**60 is the largest variance, got rho {self.rho}"
            raise ParameterError(message)

    @property
    def delta(self) -> Fraction:
        """Counts over public cells need no delta."""
        return Fraction(0)

    @property
    def rate(self) -> Fraction:
        """The inverse of the noise scale."""
        return self.epsilon / self.sensitivity

    @property
    def variance(self) -> Fraction:
        """The parameter of Gaussian noise, which is nearly its variance."""
        return Fraction(self.squares) / (2 * self.rho)

    @property
    def noise(self) -> str:
        """The noise in words."""
        if self.rho:
            return f"discrete Gaussian, variance {decimal_text(self.variance)}, all kept"
        return f"discrete Laplace, scale {decimal_text(1 / self.rate)}, all kept"

    def check(self, truth: Integers, /) -> None:
        """There must be a count for each cell."""
        if truth.dtype != np.int64 or truth.shape != (self.cells,):
            message = f"there must be {self.cells} counts, as 64-bit integers"
            raise ParameterError(message)

    def draw(self, truth: Integers, source: Source, /) -> Integers:
        """Add noise to every count."""
        if self.rho:
            noisy = truth + discrete_gaussian(self.cells, variance=self.variance, source=source)
        else:
            noisy = noise.add_noise(truth, rate=self.rate, source=source)
        noisy.setflags(write=False)
        return noisy

    def log_ratio(self, answer: Integers, first: Integers, second: Integers, /) -> float:
        """Sum over the cells."""
        if self.rho:
            return gaussian_log_ratio(answer, first, second, variance=self.variance)
        distance = np.abs(answer - second).astype(np.float64) - np.abs(answer - first)
        return float(self.rate) * float(distance.sum())

    def largest_loss(self, first: Integers, second: Integers, /) -> Fraction:
        """The most that any answer can lose between two truths."""
        return self.rate * int(np.abs(first - second).sum())

    def largest_rho(self, first: Integers, second: Integers, /) -> Fraction:
        """The rho that Gaussian noise loses between two truths."""
        return gaussian_rho(first, second, variance=self.variance)

    def outcomes(self, truth: Integers, /, *, span: int) -> Outcomes[Integers]:
        """Each value up to the span on either side of nothing, for each cell."""
        if self.rho:
            return Outcomes([gaussian_choice(self.variance, count, span) for count in truth.tolist()], _listed)
        return Outcomes([open_choice(self.rate, count, span) for count in truth.tolist()], _listed)

    def covers(self, answer: Integers, /, *, span: int) -> bool:
        """Whether no value is beyond the span."""
        return bool(np.all(np.abs(answer) <= span))

    def nothing(self) -> Integers:
        """Nobody anywhere."""
        return np.zeros(self.cells, dtype=np.int64)


def every_count(account: Asks, step: str, counts: AnyIntegers, *, sensitivity: int = 1, squares: int | None = None) -> Integers:
    """Ask for all counts, with the noise that the plan pays for; one record changes them by `sensitivity` in sum.

    `squares` bounds the sum of its squared changes; without it, a record may put all of `sensitivity` into one cell.
    """
    truth, planned = np.ascontiguousarray(counts, dtype=np.int64), account.planned(step)
    question = EveryCount(
        step=step,
        epsilon=planned.epsilon,
        rho=planned.rho,
        sensitivity=sensitivity,
        squares=sensitivity**2 if squares is None else squares,
        cells=int(truth.size),
    )
    return account.ask(question, truth)


def gaussian_log_ratio(answer: Integers, first: Integers, second: Integers, *, variance: Fraction) -> float:
    """Compute log P[answer | first] - log P[answer | second] under Gaussian noise on every count."""
    squared = sum((int(a) - int(b)) ** 2 - (int(a) - int(c)) ** 2 for a, b, c in zip(answer, second, first, strict=True))
    return float(squared / (2 * variance))


def gaussian_rho(first: Integers, second: Integers, *, variance: Fraction) -> Fraction:
    """The rho that Gaussian noise on every count loses between two truths."""
    squared = sum((int(mine) - int(other)) ** 2 for mine, other in zip(first, second, strict=True))
    return Fraction(squared) / (2 * variance)


def gaussian_choice(variance: Fraction, count: int, span: int) -> Choice:
    """Each value up to the span on either side of 0; the sum over all others is in the normaliser, from far enough."""
    double = 2 * float(variance)
    total = 1 + 2 * sum(exp(-far * far / double) for far in range(1, int(9 * double**0.5) + 10))
    values = range(-span, span + 1)
    return Choice([*values], [exp(-((value - count) ** 2) / double) / total for value in values])


def _listed(values: Sequence[Any]) -> Integers:
    return np.array(values, dtype=np.int64)
