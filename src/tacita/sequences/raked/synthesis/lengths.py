"""How many people there are, and how long their sequences are, from noisy counts of cells of lengths.

Sums over doubling ranges say how far lengths reach. Within that reach the counts become a histogram of few pieces, each of one
height: a piece that is not empty costs log(cells) variances of the noise, so that noise alone buys few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isqrt, log, sqrt

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.arrays.scatter import spread
from tacita.privacy.limits import believed
from tacita.public.steps import ROOT_UNIT, UNIT

__all__ = ["Cap", "Lengths", "Repeats", "lengths_of", "single_lengths"]


LONG, FALSE_LONG = 4, 0.001
"""How likely noise alone may show a range of lengths after this doubling: a false long sequence has many false symbols."""

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
        """How far a record of up to so many parts changes all cells, in units: in sum, and in the sense of squares.

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
        """What each part of a record with so many parts is expected to weigh."""
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
        """What a record of so many parts weighs, in sum, or in the sense of squares if it is known how often records repeat."""
        if repeats is None:
            return Cap(most=parts)
        return Cap(most=parts + round(repeats * parts * (parts - 1)), squared=True, repeats=repeats)

    def mass(self, of: Reals, parts: Reals, cap: Cap) -> float:
        """What everybody weighs in sum, if a record with so many parts has `of` of them that are counted."""
        return float(self.counts @ (of * cap.of_parts(parts)))

    def drawn_lengths(self, number: int) -> Integers:
        """As many lengths as lookalikes, in decreasing order; within a cell, all alike."""
        reached = np.cumsum(self.counts) / self.people
        cells = np.minimum(np.searchsorted(reached, (np.arange(number) + 0.5) / number), self.edges.size - 1)
        least = np.concatenate([[0], self.edges[:-1]])[cells] + 1
        lengths = least + (spread(np.arange(number), salt=1) * (self.edges[cells] - least + 1)).astype(np.int64)
        return np.sort(lengths)[::-1].copy()


def single_lengths(people: float, scale: float) -> Lengths:
    """The lengths of so many sequences of one symbol, their number with noise of this scale."""
    counts = np.array([max(people, 1.0)])
    edges = np.ones(1, dtype=np.int64)
    return Lengths(edges=edges, counts=counts, deviation=sqrt(2) * scale, scale=scale, drawn=counts)


def lengths_of(drawn: Reals, people: float, *, edges: Integers, scale: float, people_scale: float) -> Lengths:
    """Lengths from the noisy counts of their cells and the noisy number of people, each believed by its noise."""
    reach, folded = _reach(drawn, edges, scale)
    pieces = np.zeros(drawn.size)
    pieces[reach] = _pieces(folded[reach], scale)
    if not pieces.sum() > 0:
        pieces[reach] = 1.0
    variances = 2 * int(reach.sum()) * scale**2, 2 * people_scale**2
    inverse = 1 / variances[0] + 1 / variances[1]
    number = max((float(folded[reach].sum()) / variances[0] + people / variances[1]) / inverse, 1.0)
    counts = pieces * (number / float(pieces.sum()))
    return Lengths(edges=edges, counts=counts, deviation=sqrt(1 / inverse), scale=scale, drawn=drawn)


def _reach(drawn: Reals, edges: Integers, scale: float) -> tuple[Booleans, Reals]:
    """The cells from the first to the last doubling range whose sum stands out, or the range that does so most; and all counts.

    Long ranges may stand out together only: then the counts of all later ranges are spread over the first of them.
    """
    ranges = np.ceil(np.log2(edges) - 1e-9).astype(np.int64)
    sums, sizes = np.bincount(ranges, weights=drawn) / scale, np.bincount(ranges)
    least = np.sqrt(2 * sizes) * sqrt(2 * log(max(sums.size, 2)))
    least[LONG + 1 :] = [_largest(size) for size in sizes[LONG + 1 :].tolist()]
    clear = np.flatnonzero(sums > least)
    if not clear.size:  # short sequences are the smaller mistake: the range from 1 on that stands out most
        upto = np.cumsum(sums)[: LONG + 1] / np.sqrt(np.cumsum(sizes)[: LONG + 1])
        return np.asarray(ranges <= int(np.argmax(upto)), dtype=np.bool_), drawn
    first, last = int(clear[0]), int(clear[-1])
    while first > 0 and sums[:first].sum() > sqrt(2 * int(sizes[:first].sum())):
        first -= 1
    while last < min(LONG, sums.size - 1) and sums[last + 1] > sqrt(2 * int(sizes[last + 1])):
        last += 1
    tails, tail_sizes = np.cumsum(sums[::-1])[::-1], np.cumsum(sizes[::-1])[::-1]
    last = max([last, *(place for place in range(LONG + 1, sums.size) if tails[place] > _largest(int(tail_sizes[place])))])
    folded = drawn.copy()
    if LONG < last < sums.size - 1:
        folded[ranges == last] += max(float(tails[last + 1]), 0.0) * scale / sizes[last]
    return np.asarray((ranges >= first) & (ranges <= last), dtype=np.bool_), folded


def _largest(cells: int) -> float:
    """What the noise of so many cells exceeds in sum, in scales, with a probability of at most `FALSE_LONG` (Chernoff)."""
    slopes = np.linspace(0.05, 0.95, 19)
    return float(((log(1 / FALSE_LONG) - cells * np.log1p(-(slopes**2))) / slopes).min())


def _pieces(drawn: Reals, scale: float) -> Reals:
    """The histogram of few pieces that is nearest to the noisy counts, fees included; by dynamic programming over their ends."""
    size = drawn.size
    fee = log(max(size, 2)) * 2 * scale**2
    sums, squares = (np.concatenate([[0.0], np.cumsum(values)]) for values in (drawn, drawn**2))
    least = np.full((size + 1, 2), np.inf)  # the least loss up to here, if the last piece is empty (0) or not (1)
    least[0, 0] = 0.0
    came: dict[tuple[int, int], tuple[int, int]] = {}
    for end in range(1, size + 1):
        begins = np.arange(end)
        loss, total = squares[end] - squares[:end], sums[end] - sums[:end]
        empty = least[:end] + loss[:, np.newaxis]
        begin, before = divmod(int(np.argmin(empty)), 2)
        least[end, 0], came[end, 0] = float(empty[begin, before]), (begin, before)
        fit = loss - total**2 / (end - begins)
        full = np.where(total > 0, fit, np.inf)[:, np.newaxis] + least[:end] + fee
        begin, before = divmod(int(np.argmin(full)), 2)
        if np.isfinite(full[begin, before]):
            least[end, 1], came[end, 1] = float(full[begin, before]), (begin, before)
    found, end, last = np.zeros(size), size, int(np.argmin(least[size]))
    while end > 0:
        begin, before = came[end, last]
        if last:
            found[begin:end] = (sums[end] - sums[begin]) / (end - begin)
        end, last = begin, before
    return found
