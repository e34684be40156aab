"""A graph of two public sides (buyers and sellers, users and films) whose edges all lead across, from noisy answers alone.

An edge has one end on each side, so the degrees of both sides add up to the number of edges m: three noisy answers say something
of it. The distribution of degrees is estimated on each side for itself. Classes are ranges of degrees on one side; degrees alone
predict D_r D_s / m edges between a class of one side and one of the other. The noisy numbers between classes are drawn to that
and sharpened as in `classes`, scaled until rows and columns agree with the degrees (iterative scaling), and rounded so that they
still do. The stubs are then dealt and matched by `wiring`, which never changes the class of either end except between two edges
that lead across, so that no released edge can lie inside a side and no triangle can close.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.graphs import Graph
from tacita.networks.synthesis.classes import FULL, Chance, class_moves, degree_classes, drawn_to, unblurred
from tacita.networks.synthesis.degrees import (
    EstimatedDegrees,
    NoisyDegrees,
    discrete_laplace_variance,
    estimated_degrees,
)
from tacita.networks.synthesis.wiring import dealt_stubs, wired

__all__ = [
    "NoisySides",
    "NoisyTable",
    "across",
    "made_bigraphic",
    "sided_classes",
    "sided_degrees",
    "whole_table",
    "without_triangles",
]

SCALINGS = 200
"""How often rows and columns are scaled."""

KNOWN = 1e6
"""A rate of noise at which a number counts as known."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisySides:
    """Noisy answers about degrees on two sides: 0 and 1 in `of`; `at_least` has the counts of each side."""

    of: Integers = field(repr=False)
    edges: int
    edges_rate: float
    at_least: tuple[Integers, Integers] = field(repr=False)
    at_least_rate: float
    degrees: Integers = field(repr=False)
    degrees_rate: float

    def members(self, side: int) -> Integers:
        """The places of the vertices of one side."""
        return np.flatnonzero(self.of == side)

    @property
    def mean_edges(self) -> float:
        """The number of edges by the three answers that say something of it, weighed by their variances."""
        answers = [(float(self.edges), discrete_laplace_variance(self.edges_rate))]
        for side in (0, 1):
            members = self.members(side)
            noise = discrete_laplace_variance(self.degrees_rate) * max(members.size, 1)
            answers.append((float(self.degrees[members].sum()), noise))
        weights = np.array([1 / variance for _, variance in answers])
        mean = float(np.average([value for value, _ in answers], weights=weights / weights.max()))
        return float(np.clip(mean, 0, self.members(0).size * self.members(1).size))


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTable:
    """Classes of vertices, those of side 0 first, and noisy numbers of edges from each of these to each of side 1."""

    of: Integers = field(repr=False)
    edges: Integers = field(repr=False)
    rate: float


def sided_degrees(noisy: NoisySides) -> tuple[Integers, EstimatedDegrees]:
    """Whole degrees that a graph across can have, and the best guess of each degree."""
    edges = noisy.mean_edges
    means, errors, sides = np.zeros(noisy.of.size), np.zeros(noisy.of.size), []
    for side in (0, 1):
        members, counts = noisy.members(side), noisy.at_least[side]
        if members.size < 2:  # its degree is the number of edges
            means[members] = edges
            sides.append(np.full(members.size, round(edges)))
            continue
        found = estimated_degrees(
            NoisyDegrees(
                edges=round(edges),
                edges_rate=KNOWN,
                at_least=counts,
                at_least_rate=noisy.at_least_rate,
                degrees=noisy.degrees[members],
                degrees_rate=noisy.degrees_rate,
                ends=1,
            )
        )
        means[members], errors[members] = found.means, found.errors
        sides.append(found.whole)
    whole = np.zeros(noisy.of.size, dtype=np.int64)
    for side, degrees in enumerate(made_bigraphic(sides[0], sides[1])):
        whole[noisy.members(side)] = degrees
    return whole, EstimatedDegrees(whole=whole, means=means, errors=errors)


def made_bigraphic(first: Integers, second: Integers) -> tuple[Integers, Integers]:
    """The same degrees on two sides where a graph across can have them; otherwise the largest are lowered until one can.

    Both must add up to the same, and for each k the k largest of one side to at most the sum of min(d, k) over the other (Gale
    and Ryser, 1957).

    >>> [side.tolist() for side in made_bigraphic(np.array([3, 1]), np.array([2, 1]))]
    [[2, 1], [2, 1]]
    """
    first, second = np.clip(first, 0, second.size).astype(np.int64), np.clip(second, 0, first.size).astype(np.int64)
    while True:
        more = int(first.sum() - second.sum())
        first, second = _lowered(first, max(more, 0), first.size), _lowered(second, max(-more, 0), second.size)
        falling = np.sort(first)[::-1]
        k = np.arange(1, falling.size + 1)
        rising = np.sort(second)
        below = np.searchsorted(rising, k)
        bound = np.concatenate([[0], np.cumsum(rising)])[below] + k * (rising.size - below)
        excess = np.cumsum(falling) - bound
        worst = int(np.argmax(excess)) if excess.size else 0
        if not excess.size or excess[worst] <= 0:
            return first, second
        first = _lowered(first, int(excess[worst]), worst + 1)


def _lowered(degrees: Integers, by: int, largest: int) -> Integers:
    """Degrees of which so many of the largest give up so much together, as evenly as they can."""
    lowered = degrees.copy()
    while by > 0 and lowered.any():
        falling = np.argsort(-lowered, kind="stable")[:largest]
        takers = falling[lowered[falling] > 0]
        if not takers.size:
            largest = lowered.size
            continue
        step = max(by // takers.size, 1)
        taken = np.minimum(lowered[takers], step)
        taken[np.cumsum(taken) > by] = 0
        lowered[takers] -= taken
        by -= int(taken.sum())
    return lowered


def sided_classes(degrees: Integers, of: Integers) -> tuple[Integers, int]:
    """The class of each vertex, ranges of degrees on side 0 first, and how many classes side 0 has."""
    classes = np.zeros(degrees.size, dtype=np.int64)
    number = 0
    for side in (0, 1):
        members = np.flatnonzero(of == side)
        first_side, own = number, degree_classes(degrees[members])
        classes[members] = number + own
        number += int(own.max()) + 1
    return classes, first_side


def across(degrees: Integers, noisy: NoisySides, table: NoisyTable | None) -> Graph:
    """A graph with these degrees (which a graph across can have); without a table, classes meet as degrees predict."""
    if not degrees.sum():
        return Graph(int(degrees.size), np.zeros(0, dtype=np.int64))
    chance = Chance(noisy.degrees, *noisy.at_least)
    classes, first_side = sided_classes(degrees, noisy.of) if table is None else (table.of, len(table.edges))
    sums = np.bincount(classes, weights=degrees).astype(np.int64)
    rows, columns = sums[:first_side], sums[first_side:]
    expected = np.outer(rows, columns) / max(int(rows.sum()), 1)
    if table is not None:
        expected = _sharpened(degrees, noisy, table, expected, chance)
    return _wired_across(degrees, classes, expected, chance)


def _wired_across(degrees: Integers, classes: Integers, expected: Reals, chance: Chance) -> Graph:
    """A graph from about so many edges between the classes of one side, which come first, and those of the other."""
    first_side = len(expected)
    sums, sizes = np.bincount(classes, weights=degrees).astype(np.int64), np.bincount(classes)
    pairs = np.outer(sizes[:first_side], sizes[first_side:]).astype(np.float64)
    whole = whole_table(expected, sums[:first_side], sums[first_side:], most=FULL * pairs, chance=chance)
    stubs = np.zeros((sums.size, sums.size), dtype=np.int64)
    stubs[:first_side, first_side:], stubs[first_side:, :first_side] = whole, whole.T
    return wired(dealt_stubs(degrees, classes, stubs, chance), near=0.0, chance=chance)


def without_triangles(degrees: Integers, of: Integers, stubs: Integers, chance: Chance) -> Graph:
    """A graph with these degrees and stubs between classes that closes no triangle.

    Nothing says which vertices are on which side, so every second one by its degree is: each class has about half of its
    stubs on either side, and half of the edges between two classes lead each way.
    """
    side = np.empty(degrees.size, dtype=np.int64)
    side[np.lexsort((chance.words(degrees.size), -degrees))] = (np.arange(degrees.size) + 1) // 2 % 2
    lowered = degrees.copy()
    lowered[side == 0], lowered[side == 1] = made_bigraphic(degrees[side == 0], degrees[side == 1])
    number = len(stubs)
    names, classes = np.unique(side * number + of, return_inverse=True)
    first, second = names[names < number], names[names >= number] - number
    return _wired_across(lowered, classes.reshape(-1), stubs[np.ix_(first, second)] / 2, chance)


def _sharpened(degrees: Integers, noisy: NoisySides, table: NoisyTable, expected: Reals, chance: Chance) -> Reals:
    """The numbers between classes before noise moved vertices to other classes of their side; see `classes`."""
    moves = []
    for side, base in ((0, 0), (1, len(table.edges))):
        members = noisy.members(side)
        moves.append(class_moves(degrees[members], table.of[members] - base, noisy.degrees_rate, chance))
    blurred = moves[0].T @ expected @ moves[1]
    variance = discrete_laplace_variance(table.rate)
    drawn = drawn_to(table.edges.astype(np.float64).ravel(), blurred.ravel(), variance).reshape(blurred.shape)
    return unblurred(drawn, moves[0], moves[1])


def whole_table(expected: Reals, rows: Integers, columns: Integers, *, most: Reals, chance: Chance) -> Integers:
    """A table of whole numbers near the expected ones whose rows and columns have exactly these sums, which are equal in all."""
    scaled = np.maximum(expected, 0) + 1e-3 * np.outer(rows, columns) / max(int(rows.sum()), 1)
    for _ in range(SCALINGS):
        scaled = np.minimum(scaled, most)
        scaled *= (rows / np.maximum(scaled.sum(axis=1), 1e-300))[:, np.newaxis]
        scaled *= (columns / np.maximum(scaled.sum(axis=0), 1e-300))[np.newaxis, :]
    scaled *= np.minimum(rows / np.maximum(scaled.sum(axis=1), 1e-300), 1)[:, np.newaxis]  # neither rows nor columns too large,
    scaled *= np.minimum(columns / np.maximum(scaled.sum(axis=0), 1e-300), 1)[np.newaxis, :]  # so that floors leave something
    whole = np.floor(scaled * (1 - 1e-12)).astype(np.int64)
    down, right = rows - whole.sum(axis=1), columns - whole.sum(axis=0)
    in_rows, in_columns = np.repeat(np.arange(rows.size), down), np.repeat(np.arange(columns.size), right)
    np.add.at(whole, (in_rows[chance.order(in_rows.size)], in_columns), 1)
    return whole
