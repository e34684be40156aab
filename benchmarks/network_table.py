"""`shape`, with communities and without, beside a noisy Chung-Lu graph and PrivGraph: worlds with seeds that chose nothing.

python benchmarks/network_table.py [--worlds A,B] [--epsilons 0.5,1,2] [--methods shape,communities,Chung-Lu,PrivGraph] [--runs N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from network_rivals import chung_lu, published
from network_worlds import FAMILIES, HARD, SHAPES
from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, ShapeNetwork
from tacita.public.universe import Universe
from tacita.utility.networks import CutWorkload, degree_divergence, measure_cuts, profile
from tacita.utility.networks.structure import centrality, communities, modularity, normalised_information
from tacita_papers import PrivGraph

SEED = 2026
"""No constant was chosen on networks of this seed."""

CUTS = CutWorkload(queries=256, largest=(0.2, 1.0))
COLUMNS = (
    "KL",
    "cuts .2",
    "cuts 1",
    "triangles",
    "gcc",
    "acc",
    "assort.",
    "path",
    "modularity",
    "NMI",
    "eigenvector",
    "edges",
    "CPU s",
)

METHODS: dict[str, Callable[[NetworkRecords, float], Graph]] = {
    "shape": published(ShapeNetwork()),
    "communities": published(ShapeNetwork(communities=True)),
    "Chung-Lu": chung_lu,
    "PrivGraph": published(PrivGraph()),
}


class Judge:
    """What a released graph is compared with."""

    def __init__(self, raw: Graph) -> None:
        """Look at the raw graph once."""
        self.raw, self.before, self.of = raw, profile(raw), communities(raw)
        self.modularity = modularity(raw, self.of)
        self.top = self._largest(raw)

    def _largest(self, graph: Graph) -> np.ndarray:
        """The hundredth of the vertices that are most central."""
        return np.argsort(-centrality(graph), kind="stable")[: max(graph.vertices // 100, 1)]

    def errors(self, made: Graph) -> list[float]:
        """All columns but the last; NMI and the overlap of the most central vertices are best at 1, all others at 0."""
        before, after, of = self.before, profile(made), communities(made)

        def off(old: float, new: float, least: float = 0.01) -> float:
            return abs(new - old) / max(abs(old), least)

        return [
            degree_divergence(before.degrees, after.degrees),
            *(cut.average_relative_error for cut in measure_cuts(self.raw, made, CUTS)),
            off(before.triangles, after.triangles, 1),
            off(before.global_clustering, after.global_clustering),
            off(before.average_clustering, after.average_clustering),
            abs(after.assortativity - before.assortativity),
            off(before.mean_distance, after.mean_distance, 1),
            off(self.modularity, modularity(made, of)),
            normalised_information(self.of, of),
            np.intersect1d(self.top, self._largest(made)).size / self.top.size,
            off(len(self.raw), len(made), 1),
        ]


def world(name: str, seed: int) -> NetworkRecords:
    """One network of a family."""
    vertices, edges = (FAMILIES | SHAPES | HARD)[name](np.random.default_rng(seed))
    universe = Universe([str(number) for number in range(vertices)])
    return NetworkRecords.from_codes(edges[:, 0], edges[:, 1], universe=universe, name=name)


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default="social;clustered;airports;power grid;casts;small world, sparse")
    parser.add_argument("--epsilons", default="0.5,1,2")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    print("| network | epsilon | method | " + " | ".join(COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 3) + "|")
    for name in arguments.worlds.split(";"):
        records = world(name, arguments.seed)
        judge = Judge(records.graph)
        for epsilon in map(float, arguments.epsilons.split(",")):
            for method in arguments.methods.split(","):
                rows = []
                for _ in range(arguments.runs):
                    began = time.process_time()
                    made = METHODS[method](records, epsilon)
                    seconds = time.process_time() - began
                    rows.append([*judge.errors(made), seconds])
                cells = " | ".join(f"{value:.3f}".removeprefix("0") for value in np.mean(rows, axis=0))
                print(f"| {name} | {epsilon:g} | {method} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
