"""How many people there are, and how long their sequences are, from noisy counts of cells of lengths.

Lengths are modelled as log-normal at first: every median and spread of a grid is weighed by the likelihood of the noisy counts
under it, and all are averaged. Cells, runs of cells and ranges whose counts noise cannot explain are then taken as measured. Long
lengths need more evidence than short ones, because one false long sequence has many false symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, erf, isqrt, log, sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import spread
from tacita.privacy.limits import believed
from tacita.public.steps import ROOT_UNIT, UNIT

__all__ = ["Cap", "Lengths", "Repeats", "lengths_of", "single_lengths"]


FINE, SPREADS = 0.14, (0.06, 0.12, 0.2, 0.3, 0.45, 0.65, 0.9, 1.3)
"""Medians of lengths are tried in steps of this size in their logarithm, each with these deviations of the logarithm."""

NUMBERS = 32
"""How many numbers of people are tried, from one to more than there can be; and as many around what the counts say."""

FALSE, FALSE_LONG, LONG = 0.05, 0.001, 16
"""The expected number of false cells among all, and among those of lengths above `LONG`."""

SEEN = 3.0
"""Lengths above `LONG` are written only if the sum of the first such cells exceeds its noise by this many standard deviations."""

HIDDEN, MOST_HIDDEN = 0.5, 0.2
"""The longest lengths are left out while together they count less than this many noise scales and less than this share of all."""

DOUBT = 1.0
"""How many variances of its noise the square of a noisy number of people must exceed before people are written."""

CAPPED = 0.8
"""A record may weigh this share of a mean length, and one step more: down-weighting longer ones lowers the noise of all."""


ALL_SINGLE = 0.02
"""Sequences are taken as single symbols if less than this share of all symbols comes after a first one."""


@dataclass(frozen=True, kw_only=True)
class Cap:
    """What all parts of one record may weigh together: in sum, or in the sense of squares.

    A record whose n parts are in cells, m_c of them in each cell c, weighs min(1, most / n) for Laplace noise, or the root of
    min(1, most / sum of m_c^2) for Gaussian noise (`tacita.public.steps`).
    """

    most: int
    squared: bool = False
    repeats: float = 0.0
    """About which share of pairs of parts of a record are in the same cell; what a weight is expected to be follows from it."""

    @property
    def bound(self) -> float:
        """What the noise has to cover."""
        return sqrt(self.most) if self.squared else self.most

    @property
    def unit(self) -> int:
        """Weights are whole numbers of 1 / unit."""
        return ROOT_UNIT if self.squared else UNIT

    def changes(self, parts: int) -> tuple[int, int]:
        """How far a record of at most `parts` parts changes all cells, in units: in sum, and in the sense of squares.

        With n parts of weight w each, n w <= min(n, root of n * most), because the sum of m_c^2 is n or more.
        """
        if not self.squared:
            return UNIT * self.most, (UNIT * self.most) ** 2
        return ROOT_UNIT * min(parts, isqrt(parts * self.most) + 1), ROOT_UNIT**2 * self.most

    def of_squares(self, squares: Reals | Integers) -> Reals:
        """What each part of a record weighs, given the sum of its m_c^2, or its number of parts if weights are capped in sum."""
        found = np.minimum(1.0, self.most / np.maximum(squares, 1.0))
        return np.asarray(np.sqrt(found) if self.squared else found, dtype=np.float64)

    def of_parts(self, parts: Reals | Integers) -> Reals:
        """What each part of a record with this number of parts is expected to weigh."""
        return self.of_squares(parts + self.repeats * parts * np.maximum(parts - 1.0, 0.0) if self.squared else parts)


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Which share of pairs of symbols of a record are equal, and of pairs of its steps, as noisy answers tell."""

    symbols: float
    steps: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Lengths:
    """How many sequences there are in each cell of lengths; `edges` are the last lengths of the cells."""

    edges: Integers
    counts: Reals
    deviation: float
    """The standard deviation of the number of people."""
    scale: float
    """The noise of each cell."""
    drawn: Reals
    """The counts as they were drawn."""
    repeats: Repeats | None = None
    """How often records repeat themselves, if weights are capped in the sense of squares."""

    @property
    def people(self) -> float:
        """How many sequences there are."""
        return float(self.counts.sum())

    @property
    def published(self) -> int:
        """How many sequences to write: fewer, the more of their noisy number noise may explain (James and Stein 1961)."""
        shrunk = self.people * max(0.0, 1 - DOUBT * (self.deviation / self.people) ** 2)
        return round(believed(shrunk, self.deviation))

    def with_people(self, others: Sequence[tuple[float, float]]) -> Lengths:
        """The same lengths of as many people as other answers tell too, each a number and its variance."""
        both = [(self.people, self.deviation**2), *others]
        inverse = sum(1 / variance for _, variance in both)
        number = max(sum(number / variance for number, variance in both) / inverse, 1.0)
        return replace(self, counts=self.counts * (number / self.people), deviation=sqrt(1 / inverse))

    @property
    def are_single(self) -> bool:
        """Whether nearly all sequences have one symbol."""
        return 1 - 1 / max(self.mean, 1.0) < ALL_SINGLE

    @property
    def middles(self) -> Reals:
        """The middle of each cell."""
        return (np.concatenate([[0], self.edges[:-1]]) + 1 + self.edges) / 2

    @property
    def cap(self) -> int:
        """How many steps of one record may weigh, the last one included."""
        return max(2, ceil(CAPPED * self.mean) + 1)

    @property
    def mean(self) -> float:
        """The mean length."""
        return float(self.counts @ self.middles) / max(self.people, 1e-9)

    @property
    def step_cap(self) -> Cap:
        """What all steps of one record may weigh: as much as those of one of `cap` steps that repeats itself as others do."""
        return self.capped(self.cap, None if self.repeats is None else self.repeats.steps)

    @property
    def symbol_cap(self) -> Cap:
        """The same of its symbols."""
        return self.capped(self.cap - 1, None if self.repeats is None else self.repeats.symbols)

    @staticmethod
    def capped(parts: int, repeats: float | None) -> Cap:
        """What a record with this number of parts weighs: in sum, or in squares if it is known how often records repeat."""
        if repeats is None:
            return Cap(most=parts)
        return Cap(most=parts + round(repeats * parts * (parts - 1)), squared=True, repeats=repeats)

    def mass(self, of: Reals, parts: Reals, cap: Cap) -> float:
        """What all records weigh in sum, if a record with this number of parts has `of` that are counted."""
        return float(self.counts @ (of * cap.of_parts(parts)))

    def drawn_lengths(self, number: int) -> Integers:
        """As many lengths as lookalikes, in decreasing order; within a cell, all alike."""
        reached = np.cumsum(self.counts) / self.people
        cells = np.minimum(np.searchsorted(reached, (np.arange(number) + 0.5) / number), self.edges.size - 1)
        least = np.concatenate([[0], self.edges[:-1]])[cells] + 1
        lengths = least + (spread(np.arange(number), salt=1) * (self.edges[cells] - least + 1)).astype(np.int64)
        return np.sort(lengths)[::-1].copy()


def single_lengths(people: float, scale: float) -> Lengths:
    """The lengths of sequences that all have one symbol; their number has noise of this scale."""
    counts = np.array([max(people, 1.0)])
    edges = np.ones(1, dtype=np.int64)
    return Lengths(edges=edges, counts=counts, deviation=sqrt(2) * scale, scale=scale, drawn=counts)


def lengths_of(drawn: Reals, people: float, *, edges: Integers, scale: float, people_scale: float) -> Lengths:
    """Lengths from the noisy counts of their cells and the noisy number of people, each believed by its noise."""
    likely = _likely(drawn, people, edges=edges, scale=scale, people_scale=people_scale)
    long = drawn[edges > LONG]
    if not (np.cumsum(long) > SEEN * scale * np.sqrt(2 * np.arange(1, long.size + 1))).any():
        likely[edges > LONG] = 0.0
    counts = _as_measured(drawn, likely, edges, scale)
    everybody = float(counts.sum())
    counts[np.cumsum(counts[::-1])[::-1] < min(HIDDEN * scale, MOST_HIDDEN * everybody)] = 0.0
    shares = np.cumsum(counts) / float(counts.sum())
    reach = int(np.argmin(np.arange(1, counts.size + 1) / shares**2)) + 1  # cells beyond bring more noise than people
    variances = 2 * reach * (scale / shares[reach - 1]) ** 2, 2 * people_scale**2
    inverse = 1 / variances[0] + 1 / variances[1]
    number = max((float(drawn[:reach].sum() / shares[reach - 1]) / variances[0] + people / variances[1]) / inverse, 1.0)
    return Lengths(
        edges=edges, counts=counts * (number / float(counts.sum())), deviation=sqrt(1 / inverse), scale=scale, drawn=drawn
    )


def _likely(drawn: Reals, people: float, *, edges: Integers, scale: float, people_scale: float) -> Reals:
    """The expected counts, averaged over all laws of lengths and all numbers of people, given the noisy counts.

    Cells that no law explains are taken as measured, and the laws are weighed again by the others: one length that is far more
    frequent than its neighbours says nothing about long ones. A law counts the less, the longer its sequences are; the second
    time, laws of long sequences must explain more than noise shows once in 1 / `FALSE_LONG` cells.
    """
    shares = _laws(tuple(edges.tolist()))
    found = _weighed(shares, -np.log(shares @ edges), drawn, people, scale=scale, people_scale=people_scale)
    rest = np.abs(drawn - found) <= scale * np.log(drawn.size / np.where(edges > LONG, FALSE_LONG, FALSE))
    if rest.all() or not rest.any():
        return found
    sums = shares[:, rest].sum(axis=1)
    others = (shares[:, rest] / np.maximum(sums, 1e-300)[:, np.newaxis])[sums > 1 / drawn.size**2]
    is_long = others[:, edges[rest] > LONG].sum(axis=1) > 1 / 2
    chances = np.where(is_long, log(FALSE_LONG), 0.0) - np.log(others @ edges[rest])
    found[~rest] = np.maximum(drawn[~rest], 0.0)
    left = people - float(found[~rest].sum())
    left_scale = sqrt(people_scale**2 + int((~rest).sum()) * scale**2)
    found[rest] = _weighed(others, chances, drawn[rest], left, scale=scale, people_scale=left_scale)
    return found


def _weighed(shares: Reals, chances: Reals, drawn: Reals, people: float, *, scale: float, people_scale: float) -> Reals:
    """The average over laws with these shares and logarithms of chances, and over numbers of people.

    Before the counts are seen, every order of magnitude of the number of people is equally likely.
    """
    inverse = 1 / (2 * drawn.size * scale**2) + 1 / (2 * people_scale**2)
    told = (float(drawn.sum()) / (2 * drawn.size * scale**2) + people / (2 * people_scale**2)) / inverse
    wide = sqrt(1 / inverse)
    most = max(told + 6 * wide, 6 * wide, 10.0)
    near = told + wide * np.linspace(-4, 4, NUMBERS)
    numbers = np.unique(np.concatenate([np.exp(np.linspace(0, log(most), NUMBERS)), near[near >= 1]]))
    fits = chances[:, np.newaxis] + np.log(np.gradient(np.log(numbers))) - np.abs(numbers - people) / people_scale
    for place, number in enumerate(numbers.tolist()):
        fits[:, place] -= np.abs(drawn - number * shares).sum(axis=1) / scale
    weights = np.exp(fits - fits.max())
    return np.asarray((weights @ numbers / weights.sum()) @ shares, dtype=np.float64)


@cache
def _laws(edges: tuple[int, ...]) -> Reals:
    """The share of each cell under each law."""
    uppers = np.log(np.append(np.array(edges[:-1]) + 0.5, np.inf))  # longer sequences are cut, so they are in the last cell
    medians = np.arange(log(0.7), log(edges[-1]) + FINE, FINE)
    below = np.array([[(uppers - median) / (spread * sqrt(2)) for spread in SPREADS] for median in medians])
    reached = (1 + np.vectorize(erf)(below.reshape(-1, uppers.size))) / 2
    return np.asarray(np.diff(reached, axis=1, prepend=0.0), dtype=np.float64)


def _as_measured(drawn: Reals, likely: Reals, edges: Integers, scale: float) -> Reals:
    """What is likely, but as measured where noise cannot explain the difference: in runs of cells, then in doubling ranges.

    A range in which people stand out of the noise is taken for measured as far as the squares of its differences exceed
    those of noise (James and Stein 1961), by more than one standard deviation of them: that of squares of Laplace noise of
    variance 1 is the root of 5.
    """
    more, fewer = ((scale * np.log(drawn.size / np.where(edges > long, FALSE_LONG, FALSE))) ** 2 for long in (LONG, edges[-1]))
    found = likely + _runs(drawn - likely, more, fewer)
    ranges = np.ceil(np.log2(edges) - 1e-9).astype(np.int64)
    for number in range(int(ranges[-1]) + 1):
        own = ranges == number
        size = int(own.sum())
        if float(found[own].sum()) > scale * sqrt(2 * size):
            apart = drawn[own] - found[own]
            squares = float((apart**2).sum()) / (2 * scale**2)
            found[own] += max(0.0, 1 - (size + sqrt(5 * size)) / max(squares, 1e-12)) * apart
    return np.maximum(found, 1e-12)


def _runs(apart: Reals, more: Reals, fewer: Reals) -> Reals:
    """Differences as runs of cells of one height each, the others 0: least squares, and a fee by the first cell of each run."""
    sums, squares = (np.concatenate([[0.0], np.cumsum(values)]) for values in (apart, apart**2))
    least, came = [0.0], []
    for end in range(1, apart.size + 1):
        loss = np.array(least) + squares[end] - squares[:end]
        total = sums[end] - sums[:end]
        explained = total**2 / (end - np.arange(end)) - np.where(total > 0, more[:end], fewer[:end])
        begin = int(np.argmin(loss - np.maximum(explained, 0.0)))
        least.append(float(loss[begin] - max(explained[begin], 0.0)))
        came.append((begin, bool(explained[begin] > 0)))
    found, end = np.zeros(apart.size), apart.size
    while end > 0:
        begin, is_run = came[end - 1]
        if is_run:
            found[begin:end] = (sums[end] - sums[begin]) / (end - begin)
        end = begin
    return found
