"""Where is `shape` worse than a few lines of code? Simulated networks of many shapes, several budgets, all measures.

    python benchmarks/network_rivals.py [--runs N] [--epsilons 0.1,1,5] [--shapes A,B] [--all]

Rivals are a noisy Chung-Lu graph (all of epsilon on the degrees, every pair an edge with probability d d' / 2m), a random graph
with a noisy number of edges, and `degree`. A line is printed for each measure that is worse than that of a rival by 5 % and by
more than 0.01 and two standard errors; `--all` prints every measure of `shape` and of each rival. Errors are relative where the
truth is not 0, except that of assortativity; triangles are errors by 1 + truth, so that a few where there are none count.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from network_worlds import FAMILIES, SHAPES, simulated
from tacita.arrays.graphs import Graph, edge_keys
from tacita.networks import DegreeNetwork, NetworkRecords, ShapeNetwork
from tacita.privacy.budget import PureDP
from tacita.utility.networks import CutWorkload, degree_divergence, measure_cuts, profile

MEASURES = ("cuts .2", "cuts 1", "KL", "triangles", "gcc", "acc", "assort.", "path", "edges")
WORSE, LEAST, SURE = 1.05, 0.01, 2.0
CUTS = CutWorkload(queries=256, largest=(0.2, 1.0))


def chung_lu(records: NetworkRecords, epsilon: float) -> Graph:
    """All of epsilon on the degrees."""
    generator, raw = np.random.default_rng(), records.graph
    noisy = np.maximum(raw.degrees + generator.laplace(0, 2 / epsilon, raw.vertices), 0)
    first, second = np.triu_indices(raw.vertices, 1)
    joined = generator.random(first.size) < noisy[first] * noisy[second] / max(noisy.sum(), 1)
    return Graph(raw.vertices, edge_keys(first[joined], second[joined], vertices=raw.vertices))


def random_graph(records: NetworkRecords, epsilon: float) -> Graph:
    """All of epsilon on the number of edges."""
    generator, raw = np.random.default_rng(), records.graph
    number = max(0, round(len(raw) + generator.laplace(0, 1 / epsilon)))
    first, second = np.triu_indices(raw.vertices, 1)
    chosen = generator.choice(first.size, min(number, first.size), replace=False)
    return Graph(raw.vertices, edge_keys(first[chosen], second[chosen], vertices=raw.vertices))


def published(method: ShapeNetwork | DegreeNetwork) -> Callable[[NetworkRecords, float], Graph]:
    """A method of ours."""
    return lambda records, epsilon: method.publish(records, budget=PureDP(str(epsilon))).data.graph


RIVALS = {"Chung-Lu": chung_lu, "random": random_graph, "degree": published(DegreeNetwork())}


def errors(raw: Graph, made: Graph) -> list[float]:
    """All measures."""
    before, after = profile(raw), profile(made)
    cuts = [cut.average_relative_error for cut in measure_cuts(raw, made, CUTS)]
    clustering = [
        abs(new - old) / max(old, 0.01)
        for old, new in (
            (before.global_clustering, after.global_clustering),
            (before.average_clustering, after.average_clustering),
        )
    ]
    return [
        *cuts,
        degree_divergence(before.degrees, after.degrees),
        abs(after.triangles - before.triangles) / (1 + before.triangles),
        *clustering,
        abs(after.assortativity - before.assortativity),
        abs(after.mean_distance - before.mean_distance) / max(before.mean_distance, 1),
        abs(len(made) - len(raw)) / max(len(raw), 1),
    ]


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--epsilons", default="0.1,0.5,1,5")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    print("| network | epsilon | method | " + " | ".join(MEASURES) + " |\n" + "|---" * (len(MEASURES) + 3) + "|")
    lost = []
    for name in arguments.shapes.split(","):
        records = simulated(name if name in FAMILIES | SHAPES else name.replace("_", " "))
        for epsilon in map(float, arguments.epsilons.split(",")):
            found = {}
            for method, make in {"shape": published(ShapeNetwork()), **RIVALS}.items():
                rows = np.array([errors(records.graph, make(records, epsilon)) for _ in range(arguments.runs)])
                found[method] = rows.mean(axis=0), rows.std(axis=0) / max(arguments.runs - 1, 1) ** 0.5
                if arguments.all:
                    print(
                        f"| {name} | {epsilon:g} | {method} | " + " | ".join(f"{x:.3f}" for x in found[method][0]) + " |",
                        flush=True,
                    )
            ours, our_error = found["shape"]
            for rival in RIVALS:
                mean, error = found[rival]
                more = ours - mean
                worse = (ours > WORSE * mean) & (more > LEAST) & (more > SURE * np.hypot(our_error, error))
                lost += [
                    f"{name}, epsilon {epsilon:g}: {MEASURES[place]} {ours[place]:.3f}, {rival} {mean[place]:.3f}"
                    for place in np.flatnonzero(worse)
                ]
                cells = len(MEASURES)
            print(f"# {name}, epsilon {epsilon:g}: {cells} measures", flush=True)
    print("\n".join(["worse than a rival:", *lost]))


if __name__ == "__main__":
    main()
