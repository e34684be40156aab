"""A graph from noisy answers alone: degrees, classes, wiring, triangles, in this order.

Read `degrees`, `classes`, `wiring`, `rewiring`, `sides`, `triangles`, then `assembled` below, which puts them together. Nothing
in this folder sees an edge of the private graph: everything is a fixed function of released numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph
from tacita.networks.synthesis.classes import (
    Chance,
    Classes,
    fitted_classes,
    predicted_edges,
    sharpened,
    shrunk_blocks,
    whole_stubs,
)
from tacita.networks.synthesis.degrees import NoisyDegrees, discrete_laplace_variance
from tacita.networks.synthesis.triangles import NoisyTriangles, with_triangles
from tacita.networks.synthesis.wiring import dealt_stubs, wired
from tacita.privacy.questions import in_one_pass

__all__ = ["NoisyClasses", "NoisyCommunities", "assembled"]


SURE = 4.0
"""By how many standard deviations communities must be denser inside than such a pass makes them by chance to be followed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyClasses:
    """The class of each vertex, and noisy numbers of edges between classes: an upper triangle, and the rate of its noise."""

    of: Integers = field(repr=False)
    edges: Integers = field(repr=False)
    rate: float

    @property
    def variance(self) -> float:
        """The variance of the noise on each number."""
        return discrete_laplace_variance(self.rate)


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyCommunities:
    """Blocks that one pass over the vertices has chosen, noisy numbers of edges between them, and the rate of that pass."""

    found: NoisyClasses
    rate: float


def assembled(
    degrees: Integers,
    noisy: NoisyDegrees,
    ranges: NoisyClasses | None,
    blocks: NoisyClasses | None,
    triangles: NoisyTriangles | None,
    communities: NoisyCommunities | None = None,
) -> Graph:
    """A graph with these degrees (which a simple graph can have); `ranges` are classes by degree, `blocks` by public labels.

    Communities are followed if they are denser inside than the same pass finds on a graph without any: then triangles are
    closed inside them.
    """
    if not degrees.size or not degrees.sum():
        return Graph(int(degrees.size), np.zeros(0, dtype=np.int64))
    chance = Chance(noisy.degrees, noisy.at_least)
    classes = _classes(degrees, noisy, ranges, blocks, chance)
    dealt = dealt_stubs(degrees, classes.of, whole_stubs(classes, degrees, chance), chance)
    if communities is not None and _are_there(communities, degrees, wired(dealt, near=0.0, chance=chance), chance):
        classes = _classes(degrees, noisy, ranges, communities.found, chance)
        dealt = dealt_stubs(degrees, classes.of, whole_stubs(classes, degrees, chance), chance, inside=communities.found.of)
    if triangles is None:
        return wired(dealt, near=0.0, chance=chance)
    return with_triangles(dealt, classes.of, triangles, chance=chance)


def _are_there(communities: NoisyCommunities, degrees: Integers, by_chance: Graph, chance: Chance) -> bool:
    """Whether the noisy numbers of edges inside the blocks are above those that the same pass finds in a graph by chance.

    With m edges and k blocks the difference has a variance of about k v + m / 2: that of the noise on k numbers, and that of two
    draws of m edges, each inside with a probability p, where p (1 - p) is 1/4 at the most.
    """
    found, number = communities.found, len(communities.found.edges)
    gumbel = -np.log(-np.log(np.maximum(chance.fractions(degrees.size * number), 1e-12))).reshape(-1, number)
    rows = iter(gumbel.tolist())

    def chosen(counts: list[int], loads: list[float]) -> int:
        row = next(rows)
        return max(range(number), key=lambda b: communities.rate * (counts[b] - loads[b]) + row[b])

    order = np.argsort(-degrees, kind="stable").astype(np.int64)
    of = in_one_pass(by_chance.keys, order, degrees, number, chosen)
    by_pass = float(np.count_nonzero(of[by_chance.sources] == of[by_chance.targets])) - _expected_inside(of, degrees)
    seen = float(np.trace(found.edges)) - _expected_inside(found.of, degrees)
    return seen - by_pass > SURE * float(np.sqrt(number * found.variance + len(by_chance) / 2))


def _expected_inside(of: Integers, degrees: Integers) -> float:
    """How many edges degrees alone lead to expect inside blocks."""
    sums = np.bincount(of, weights=degrees)
    return float((sums**2).sum() / max(2 * sums.sum(), 1))


def _classes(
    degrees: Integers, noisy: NoisyDegrees, ranges: NoisyClasses | None, blocks: NoisyClasses | None, chance: Chance
) -> Classes:
    if ranges is None:
        one = np.zeros(degrees.size, dtype=np.int64)
        return Classes(of=one, stubs=np.array([[float(degrees.sum())]]))
    sharp = sharpened(
        ranges.edges.astype(np.float64), degrees, ranges.of, rate=noisy.degrees_rate, variance=ranges.variance, chance=chance
    )
    if blocks is None:
        return fitted_classes(degrees, ranges.of, sharp, None, None)
    sums = np.bincount(blocks.of, weights=degrees, minlength=len(blocks.edges)).astype(np.float64)
    believed = shrunk_blocks(blocks.edges.astype(np.float64), predicted_edges(sums), variance=blocks.variance)
    return fitted_classes(degrees, ranges.of, sharp, None if believed is None else blocks.of, believed)
