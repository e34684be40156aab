"""How many edges to draw between classes of vertices, and a source of choices for drawing them that noisy answers seed.

A class is a range of degrees (each range up to 1.6 times the last), or such a range within a block of public labels. Degrees
alone predict D_r D_s / 2m edges between classes whose degrees add up to D_r and D_s. The noisy numbers of edges between ranges,
and between blocks, correct that by iterative scaling: the numbers that are nearest to the prediction (in relative entropy) and
agree with the noisy ones and with the degrees.

Noise moves vertices to other ranges, and so it blurs who meets whom: assortative graphs look less so. How it does is known, so
the noisy numbers between ranges are sharpened first: the measurement is repeated on the estimated degrees, with noise of the same
law, and the numbers that such a measurement would blur to what was seen are found by the iteration of Richardson (1972) and Lucy
(1974).

Before that they are drawn to what the degrees predict, by as much as their own noise asks: with E the prediction and v the
variance of the noise, true numbers vary about E by E + t E ** 2, where t is estimated from all of them, and a noisy number x
counts as E + (x - E) (E + t E ** 2) / (E + t E ** 2 + v), or with the factor that James and Stein would give all of them, if that
is larger: where the whole is far from what noise explains, nothing is lost. In small networks noise would otherwise decide who
meets whom.

Blocks say something only where labels do. So their noisy numbers are first shrunk to the prediction by as much as their noise
asks (James and Stein), and left out where nothing stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Places, Reals, Words
from tacita.arrays.scatter import scattered

__all__ = [
    "Chance",
    "Classes",
    "class_moves",
    "degree_classes",
    "drawn_to",
    "fitted_classes",
    "predicted_edges",
    "sharpened",
    "shrunk_blocks",
    "unblurred",
    "whole_stubs",
]


# Choices that are spread as random ones are, from a public number alone.
#
# Wiring a graph takes millions of choices on which nothing private hangs: all that they see has been released. They are a fixed
# function of a seed that is made of noisy answers, so the same answers give the same graph. `wiring`, `rewiring` and
# `triangles` choose in this way too.


class Chance:
    """A stream of choices; each call goes on where the last one ended."""

    def __init__(self, *answers: Integers) -> None:
        """Begin at a number that all the noisy answers are mixed into."""
        seed = np.uint64(1)
        for answer in answers:
            words = scattered(np.arange(answer.size), salt=3) ^ answer.astype(np.int64).view(np.uint64)
            seed = scattered(np.array([seed ^ np.bitwise_xor.reduce(scattered(words), initial=np.uint64(0))]))[0]
        self._seed = int(seed)
        self._calls = 0

    def words(self, size: int) -> Words:
        """That many 64-bit words."""
        self._calls += 1
        return scattered(np.arange(size), salt=self._seed + self._calls * 0x1D2F)

    def fractions(self, size: int) -> Reals:
        """That many fractions from 0 on, below 1."""
        return (self.words(size) >> np.uint64(11)).astype(np.float64) / 2**53

    def below(self, bounds: Integers) -> Integers:
        """A whole number from 0 on below each bound, all of which are at least 1 and below 2**52."""
        return np.asarray(self.fractions(bounds.size) * bounds, dtype=np.int64)

    def order(self, size: int) -> Places:
        """An order of that many things."""
        return np.argsort(self.words(size))


# The edges between classes.


RATIO = 1.6
"""By how much the degrees of one class may differ."""

ROUNDS = 60

SHARPENINGS, REPEATS = 10, 4
"""How many steps of the iteration sharpen the noisy numbers, and how often the measurement is repeated for it."""

STRUCTURE_STEPS = 4
"""How often the variance of true numbers about their prediction is estimated, each time with better weights."""

MORE_THAN_NOISE = 2.0
"""How much more than by noise all numbers between ranges must differ from the prediction to be kept together."""

FULL = 0.9
"""Which share of all pairs of two classes may be edges."""

SHRINK = 1.5
"""How much more than noise and chance explain the blocks must differ from the prediction to be believed."""

LEAST_GAIN = 0.02
"""Blocks that move fewer edges than this share are left out."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """The class of each vertex, and the stubs that lead from each class to each other (twice the edges on the diagonal)."""

    of: Integers = field(repr=False)
    stubs: Reals = field(repr=False)


def degree_classes(degrees: Integers) -> Integers:
    """The range of each degree, numbered from 0 without gaps.

    >>> degree_classes(np.array([0, 1, 2, 3, 5, 90])).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    logs = np.floor(np.log(np.maximum(degrees, 1)) / np.log(RATIO) + 1e-9).astype(np.int64)
    ranges = np.where(degrees <= 0, 0, 1 + logs)
    return np.unique(ranges, return_inverse=True)[1].reshape(-1).astype(np.int64)


def predicted_edges(sums: Reals) -> Reals:
    """Edges between classes whose degrees have these sums, as degrees alone predict them: an upper triangle.

    >>> predicted_edges(np.array([2.0, 6.0])).tolist()
    [[0.25, 1.5], [0.0, 2.25]]
    """
    stubs = np.outer(sums, sums) / max(1.0, float(sums.sum()))
    return np.asarray(np.triu(stubs, 1) + np.diag(np.diag(stubs) / 2), dtype=np.float64)


def sharpened(range_edges: Reals, degrees: Integers, ranges: Integers, *, rate: float, variance: float, chance: Chance) -> Reals:
    """Edges between ranges (an upper triangle) as they were before noise of this rate moved vertices to other ranges.

    The variance is that of the noise on the numbers of edges themselves.
    """
    moves = class_moves(degrees, ranges, rate, chance)
    sums = np.bincount(ranges, weights=degrees, minlength=len(moves))
    cells = np.triu_indices(len(moves))
    drawn = np.zeros(moves.shape)
    drawn[cells] = drawn_to(range_edges[cells], predicted_edges(sums @ moves)[cells], variance)
    sharp = unblurred(_symmetric(drawn), moves, moves)
    return np.asarray(np.triu(sharp, 1) + np.diag(np.diag(sharp) / 2), dtype=np.float64)


def unblurred(seen: Reals, rows: Reals, columns: Reals) -> Reals:
    """The table that such moves of rows and of columns blur to what was seen."""
    seen = np.maximum(seen, 0) + 0.5
    sharp = seen
    for _ in range(SHARPENINGS):
        sharp = sharp * (rows @ (seen / np.maximum(rows.T @ sharp @ columns, 1e-9)) @ columns.T)
    return np.asarray(sharp, dtype=np.float64)


def drawn_to(noisy: Reals, expected: Reals, variance: float) -> Reals:
    """Noisy numbers, drawn to the expected ones by as much as noise of this variance asks."""
    by_noise, structure = expected + variance, 1.0
    for _ in range(STRUCTURE_STEPS):  # by moments, each number weighed by its variance as far as it is known
        weights = (expected / np.maximum(by_noise + structure * expected**2, 1e-9)) ** 2
        excess = ((noisy - expected) ** 2 - by_noise) / np.maximum(expected, 1e-9) ** 2
        structure = max(float((weights * expected**2 * excess).sum() / max((weights * expected**2).sum(), 1e-300)), 0.0)
    true = expected + structure * expected**2
    differences = noisy - expected
    together = 1 - MORE_THAN_NOISE * variance * noisy.size / max(float((differences**2).sum()), 1e-9)
    kept = np.maximum(true / np.maximum(true + variance, 1e-9), together)
    return np.asarray(expected + kept * differences, dtype=np.float64)


def class_moves(degrees: Integers, ranges: Integers, rate: float, chance: Chance) -> Reals:
    """The share of the stubs of each range that are taken for stubs of each other, by measuring the degrees again."""
    number, vertices = int(ranges.max()) + 1, degrees.size
    moved = np.zeros((number, number))
    in_order = ranges[np.argsort(degrees, kind="stable")]
    for _ in range(REPEATS):
        noise = [np.floor(np.log1p(-chance.fractions(vertices)) / -rate) for _ in range(2)]
        taken_for = np.empty(vertices, dtype=np.int64)
        taken_for[np.lexsort((chance.words(vertices), degrees + noise[0] - noise[1]))] = in_order
        moved += np.bincount(ranges * number + taken_for, weights=degrees, minlength=number * number).reshape(number, number)
    return np.asarray(moved / np.maximum(moved.sum(axis=1, keepdims=True), 1e-9), dtype=np.float64)


def shrunk_blocks(noisy: Reals, expected: Reals, *, variance: float) -> Reals | None:
    """Numbers of edges between blocks (upper triangles), drawn to what degrees predict; None where labels say nothing."""
    rows, columns = np.triu_indices(len(noisy))
    shrunk = expected.copy()
    for chosen in (rows == columns, rows != columns):
        if not chosen.any():
            continue
        places = rows[chosen], columns[chosen]
        differences = noisy[places] - expected[places]
        by_chance = float((variance + np.maximum(expected[places], 1)).mean())
        kept = max(0.0, 1 - SHRINK * by_chance / max(float((differences**2).mean()), 1e-9))
        shrunk[places] = np.maximum(0, expected[places] + kept * differences)
    moved = float(np.abs(shrunk - expected).sum()) / max(1.0, float(expected.sum()))
    return shrunk if moved >= LEAST_GAIN else None


def fitted_classes(
    degrees: Integers, ranges: Integers, range_edges: Reals, blocks: Integers | None, block_edges: Reals | None
) -> Classes:
    """Classes and their stubs; edges between ranges and blocks are upper triangles with the diagonal."""
    width = int(ranges.max()) + 1 if ranges.size else 1
    names, of = np.unique(ranges if blocks is None else blocks * width + ranges, return_inverse=True)
    of = of.reshape(-1).astype(np.int64)
    sums = np.bincount(of, weights=degrees, minlength=names.size).astype(np.float64)
    stubs = np.outer(sums, sums) / max(1.0, sums.sum())
    targets = [(names % width, _symmetric(range_edges))]
    if blocks is not None and block_edges is not None:
        targets.insert(0, (names // width, _symmetric(block_edges)))
    for _ in range(ROUNDS):
        for group, wanted in targets:
            current = np.zeros(wanted.shape)
            np.add.at(current, (group[:, np.newaxis], group[np.newaxis, :]), stubs)
            scaled = wanted * (current.sum() / max(1.0, wanted.sum()))
            factor = np.where(current > 0, (scaled + 0.5) / (current + 0.5), 1.0)
            stubs = stubs * factor[group[:, np.newaxis], group[np.newaxis, :]]
        stubs = _scaled(stubs, sums)
    return Classes(of=of, stubs=stubs)


def _symmetric(edges: Reals) -> Reals:
    """Stubs of an upper triangle of edges."""
    upper = np.triu(np.maximum(edges, 0).astype(np.float64))
    return np.asarray(upper + upper.T, dtype=np.float64)


def _scaled(stubs: Reals, sums: Reals) -> Reals:
    rows = stubs.sum(axis=1)
    factor = np.where(rows > 0, np.sqrt(sums / np.maximum(rows, 1e-300)), 0)
    return np.asarray(stubs * factor[:, np.newaxis] * factor[np.newaxis, :], dtype=np.float64)


def whole_stubs(classes: Classes, degrees: Integers, chance: Chance) -> Integers:
    """Whole numbers of stubs between classes whose rows add up to the degrees; what the others leave is within a class."""
    number = len(classes.stubs)
    sums = np.bincount(classes.of, weights=degrees, minlength=number).astype(np.int64)
    sizes = np.bincount(classes.of, minlength=number)
    most = FULL * (np.outer(sizes, sizes) - np.diag(sizes))  # no more edges than there are pairs
    stubs = classes.stubs + 1e-3 * np.outer(sums, sums) / max(1, int(sums.sum()))
    for _ in range(300):
        stubs = _scaled(np.minimum(stubs, most), sums.astype(np.float64))
        if np.abs(stubs.sum(axis=1) - sums).max(initial=0) < 1e-6 * max(1, int(sums.max(initial=0))):
            break
    upper = np.triu(np.floor(np.triu(stubs, 1) + chance.fractions(number * number).reshape(number, number)), 1).astype(np.int64)
    whole = upper + upper.T
    left = sums - whole.sum(axis=1)
    while left.min(initial=0) < 0:  # rows that rounding overspent take back from their largest cell
        row = int(np.argmin(left))
        column = int(np.argmax(whole[row]))
        back = min(-int(left[row]), int(whole[row, column]))
        whole[row, column] -= back
        whole[column, row] -= back
        left[row] += back
        left[column] += back
    whole[np.arange(number), np.arange(number)] = left
    return whole
