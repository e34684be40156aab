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

__all__ = ["NoisyClasses", "assembled"]


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


def assembled(
    degrees: Integers,
    noisy: NoisyDegrees,
    ranges: NoisyClasses | None,
    blocks: NoisyClasses | None,
    triangles: NoisyTriangles | None,
) -> Graph:
    """A graph with these degrees (which a simple graph can have); `ranges` are classes by degree, `blocks` by public labels."""
    if not degrees.size or not degrees.sum():
        return Graph(int(degrees.size), np.zeros(0, dtype=np.int64))
    chance = Chance(noisy.degrees, noisy.at_least)
    classes = _classes(degrees, noisy, ranges, blocks, chance)
    dealt = dealt_stubs(degrees, classes.of, whole_stubs(classes, degrees, chance), chance)
    if triangles is None:
        return wired(dealt, near=0.0, chance=chance)
    return with_triangles(dealt, classes.of, triangles, chance=chance)


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
