"""DER as the thesis prints it, and a random network with the true number of edges. NOT PRIVATE.

The thesis splits the whole adjacency matrix, in which every edge has two mirrored cells, and spends all of epsilon on each half.
Here both halves are explored apart with all of epsilon. Each leaf has as many edges as its rounded noisy count, from 0 to its
cells, and a pair that only one half joins is joined by the toss of a coin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.networks import DenseRegions, NetworkRecords
from tacita.networks.dense_regions.exploration import Explorer
from tacita.networks.published import PublishedNetwork
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.publishing import Made, Progress
from tacita.seeded import public_generator

__all__ = ["printed_der", "printed_random"]


def printed_der(records: NetworkRecords, epsilon: str, together: int, run: int) -> Graph:
    """One release of DER as printed: both halves of the matrix, and coins where they differ."""
    halves = [_Half(correlated_edges=together).publish(records, budget=PureDP(epsilon)).data.graph for _ in range(2)]
    upper, lower = (graph.sources.astype(np.int64) * graph.vertices + graph.targets for graph in halves)
    both = np.intersect1d(upper, lower)
    either = np.setxor1d(upper, lower)
    coins = public_generator(run).random(either.size) < 0.5
    return Graph(len(records.universe), np.sort(np.concatenate([both, either[coins]])))


@dataclass(frozen=True, kw_only=True)
class _Half(DenseRegions):
    """One half of the matrix, whose leaves have their own rounded counts."""

    def _made(
        self, records: NetworkRecords, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedNetwork]:
        vertices, keys = len(records.universe), records.counts().cells()
        explorer = _Clipping(
            rows=keys // vertices,
            columns=keys % vertices,
            schedule=self.schedule(budget, vertices),
            account=account,
            grid=self.grid,
            density=self.density,
            vertices=vertices,
            progress=progress,
        )
        return Made(data=records.published(Graph(vertices, explorer.explore())), rules=())


class _Clipping(Explorer):
    """An exploration that does not bring the leaves to a noisy total."""

    def _arrange(self, total: int) -> None:
        del total
        clipped = [np.clip(np.rint(each.counts), 0, each.regions.cells) for each in self.leaves]
        super()._arrange(int(sum(each.sum() for each in clipped)))


def printed_random(records: NetworkRecords, run: int) -> Graph:
    """A random network with exactly the true number of edges."""
    vertices, edges = len(records.universe), len(records.graph)
    generator, found = public_generator(run), np.zeros(0, dtype=np.int64)
    while found.size < edges:
        ends = np.sort(generator.integers(0, vertices, size=(2 * edges, 2)), axis=1)
        ends = ends[ends[:, 0] < ends[:, 1]]
        found = np.unique(np.concatenate([found, ends[:, 0] * vertices + ends[:, 1]]))
    return Graph(vertices, np.sort(generator.permutation(found)[:edges]))
