"""From noisy answers to a graph: degrees, classes, wiring, triangles, in this order.

Everything here sees released numbers only, and is a fixed function of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tacita.arrays.graphs import Graph
from tacita.networks.synthesis.chance import Chance
from tacita.networks.synthesis.classes import (
    Classes,
    fitted_classes,
    sharpened,
    shrunk_blocks,
    whole_stubs,
)
from tacita.networks.synthesis.degrees import NoisyDegrees, discrete_laplace_variance
from tacita.networks.synthesis.triangles import with_triangles
from tacita.networks.synthesis.wiring import dealt_stubs, wired

__all__ = ["NoisyBlocks", "NoisyTriangles", "assembled"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyBlocks:
    """Noisy numbers of edges between blocks of public labels: an upper triangle, and the rate of its noise."""

    of: Integers = field(repr=False)
    edges: Integers = field(repr=False)
    rate: float


@dataclass(frozen=True, kw_only=True)
class NoisyTriangles:
    """A noisy number of triangles, and the standard deviation of its noise as far as released numbers tell it."""

    number: int
    deviation: float


def assembled(
    degrees: Integers,
    ranges: Integers,
    noisy: NoisyDegrees,
    range_edges: Integers | None,
    blocks: NoisyBlocks | None,
    triangles: NoisyTriangles | None,
) -> Graph:
    """A graph with these degrees (which a simple graph can have); ranges are the classes of degrees that were asked about."""
    if not degrees.size or not degrees.sum():
        return Graph(int(degrees.size), np.zeros(0, dtype=np.int64))
    chance = Chance(noisy.degrees, noisy.at_least)
    classes = _classes(degrees, ranges, noisy, range_edges, blocks, chance)
    dealt = dealt_stubs(degrees, classes.of, whole_stubs(classes, degrees, chance), chance)
    if triangles is None:
        return wired(dealt, near=0.0, chance=chance)
    goal = max(triangles.number, 0)
    return with_triangles(dealt, classes.of, goal, deviation=triangles.deviation, chance=chance)


def _classes(
    degrees: Integers,
    ranges: Integers,
    noisy: NoisyDegrees,
    range_edges: Integers | None,
    blocks: NoisyBlocks | None,
    chance: Chance,
) -> Classes:
    if range_edges is None:
        one = np.zeros(degrees.size, dtype=np.int64)
        return Classes(of=one, stubs=np.array([[float(degrees.sum())]]))
    sharp = sharpened(range_edges.astype(np.float64), degrees, ranges, rate=noisy.degrees_rate, chance=chance)
    if blocks is None:
        return fitted_classes(degrees, ranges, sharp, None, None)
    number = len(blocks.edges)
    sums = np.bincount(blocks.of, weights=degrees, minlength=number)
    expected = np.outer(sums, sums) / max(1.0, float(sums.sum()))
    expected = np.triu(expected, 1) + np.diag(np.diag(expected) / 2)
    believed = shrunk_blocks(blocks.edges.astype(np.float64), expected, variance=discrete_laplace_variance(blocks.rate))
    return fitted_classes(degrees, ranges, sharp, None if believed is None else blocks.of, believed)
