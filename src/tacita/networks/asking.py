"""The questions about a network, one after the other: true counts go in, noisy numbers and their rates come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers
from tacita.counting import NetworkCounts
from tacita.networks.synthesis import NoisyClasses, NoisyCommunities
from tacita.networks.synthesis.degrees import EstimatedDegrees, NoisyDegrees, estimated_degrees, made_graphic
from tacita.networks.synthesis.sides import NoisySides, NoisyTable
from tacita.networks.synthesis.triangles import NoisyCorners, NoisyTriangles
from tacita.privacy.account import Account
from tacita.privacy.publishing import Progress
from tacita.privacy.questions import LadderCount, Spread, every_count, ladder_count, placed_in_blocks

__all__ = ["COMMUNITIES", "Asking"]

COMMUNITIES = 4
"""In how many blocks that pass places the vertices: with more of them, each is harder to tell from chance."""

SPREAD_OF_DEGREE = 0.6
"""Which share of its neighbours the second largest vertex has in common with another one; judges noise, never draws it."""


@dataclass
class Asking:
    """The questions, one after the other."""

    counts: NetworkCounts
    account: Account
    group: int
    progress: Progress | None
    steps: int
    vertices: int
    done: int = 0

    def _answered(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.steps)

    def _counts(self, step: str, truth: Integers, *, sensitivity: int) -> tuple[Integers, float]:
        rate = float(self.account.planned(step).epsilon) / (self.group * sensitivity)
        noisy = every_count(self.account, step, truth, sensitivity=self.group * sensitivity)
        self._answered()
        return noisy, rate

    def degrees(self) -> tuple[NoisyDegrees, Integers, EstimatedDegrees]:
        """The noisy answers about degrees, degrees that a simple graph can have, and the best guess of each."""
        true = self.counts.degrees()
        by_degree = np.bincount(true, minlength=self.vertices)
        at_least_true = np.cumsum(by_degree[::-1])[::-1][1:]
        edges, edges_rate = self._counts("number of edges", np.array([self.counts.edges()]), sensitivity=1)
        at_least, at_least_rate = self._counts("vertices by least degree", at_least_true, sensitivity=2)
        degrees, degrees_rate = self._counts("degrees", true, sensitivity=2)
        noisy = NoisyDegrees(
            edges=int(edges[0]),
            edges_rate=edges_rate,
            at_least=at_least,
            at_least_rate=at_least_rate,
            degrees=degrees,
            degrees_rate=degrees_rate,
        )
        estimated = estimated_degrees(noisy)
        return noisy, made_graphic(estimated.whole), estimated

    def on_sides(self, of: Integers) -> NoisySides:
        """The noisy answers about degrees on two sides; an edge has one end on each, so it changes two counts by 1 here too."""
        true = self.counts.degrees()
        sizes = np.bincount(of, minlength=2)
        counts = []
        for side in (0, 1):
            by_degree = np.bincount(true[of == side], minlength=int(sizes[1 - side]) + 1)
            counts.append(np.cumsum(by_degree[::-1])[::-1][1:])
        edges, edges_rate = self._counts("number of edges", np.array([self.counts.edges()]), sensitivity=1)
        both, at_least_rate = self._counts("vertices by least degree", np.concatenate(counts), sensitivity=2)
        degrees, degrees_rate = self._counts("degrees", true, sensitivity=2)
        return NoisySides(
            of=of,
            edges=int(edges[0]),
            edges_rate=edges_rate,
            at_least=(both[: counts[0].size], both[counts[0].size :]),
            at_least_rate=at_least_rate,
            degrees=degrees,
            degrees_rate=degrees_rate,
        )

    def across(self, of: Integers, first_side: int) -> NoisyTable:
        """Noisy numbers of edges between classes of one side and of the other; the first side has so many classes."""
        number = int(of.max()) + 1
        table = self.counts.between(of, classes=number).reshape(number, number)[:first_side, first_side:]
        noisy, rate = self._counts("edges between classes", table.ravel(), sensitivity=1)
        return NoisyTable(of=of, edges=noisy.reshape(table.shape), rate=rate)

    def between(self, step: str, of: Integers, *, classes: int | None = None) -> NoisyClasses:
        """Noisy numbers of edges between classes."""
        number = int(of.max()) + 1 if classes is None else classes
        rows, columns = np.triu_indices(number)
        counts = self.counts.between(of, classes=number).reshape(number, number)[rows, columns]
        noisy, rate = self._counts(step, counts, sensitivity=1)
        table = np.zeros((number, number), dtype=np.int64)
        table[rows, columns] = noisy
        return NoisyClasses(of=of, edges=table, rate=rate)

    def communities(self, degrees: Integers) -> NoisyCommunities:
        """Blocks found in one pass, in the order of these degrees, and noisy numbers of edges between them."""
        rate = float(self.account.planned("communities").epsilon) / self.group
        of = placed_in_blocks(
            self.account, "communities", self.counts.cells(), degrees=degrees, blocks=COMMUNITIES, group=self.group
        )
        self._answered()
        return NoisyCommunities(found=self.between("edges between communities", of, classes=COMMUNITIES), rate=rate)

    def corners(self) -> NoisyCorners:
        """The noisy number of corners of triangles that can each have an opposite edge of their own."""
        noisy, rate = self._counts("corners of triangles", np.array([self.counts.corners()]), sensitivity=3)
        return NoisyCorners(number=int(noisy[0]), rate=rate)

    def triangles(self, degrees: Integers, corners: NoisyCorners | None) -> NoisyTriangles:
        """The noisy number of triangles, and about which law its noise had."""
        most = max(self.vertices - 2, 0)
        question = LadderCount(step="triangles", epsilon=self.account.planned("triangles").epsilon, most=most, group=self.group)
        number, spread = self.counts.triangles()
        noisy = ladder_count(self.account, "triangles", Spread(count=number, spread=spread), most=most, group=self.group)
        self._answered()
        second = int(np.partition(degrees, -2)[-2]) if degrees.size > 1 else 0
        spread_of_law = min(most, round(SPREAD_OF_DEGREE * second))
        return NoisyTriangles(number=noisy, question=question, spread=spread_of_law, corners=corners)
