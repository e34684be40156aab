"""Utility and speed of networks: all methods side by side on real graphs, and large simulated ones.

    python benchmarks/networks.py utility [--runs N] [--queries N] [--graphs A,B] [--methods A,B] [--epsilon E] [--k K]
                                          [--reading any|disjoint] [--sizes 0.2,0.4,... or 3,10,...] [--deep N]
    python benchmarks/networks.py sweeps [--runs N] [--queries N] [--graphs A,B]
    python benchmarks/networks.py families [--runs N]
    python benchmarks/networks.py few [--runs N]
    python benchmarks/networks.py labels [--runs N]
    python benchmarks/networks.py speed [--edges N,M]
    python benchmarks/networks.py regions

Real graphs are read from TACITA_DATA. `utility` measures distances and communities, which take longest, on the first `--deep`
runs (all, unless said); `sweeps` goes over epsilon and the number of correlated edges, `families` over simulated networks with
and without the triangle step, `few` over networks with few triangles or none, `labels` over public blocks of an ego network;
`regions` is the speed of DER.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import replace

import numpy as np

from network_worlds import CHOSEN_ON, JUDGED_ON, ego_network, real, simulated
from tacita import networks
from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, ShapeNetwork, VertexBlocks
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.utility.networks import (
    CutReading,
    CutWorkload,
    answered_by_degrees,
    communities,
    figures,
    measure_cuts,
    normalised_information,
    profile,
    quick_figures,
)
from tacita_papers import DegreeGenerator, LaplaceNetwork, RandomNetwork, TopFilter

METHODS = {
    "shape": networks.ShapeNetwork,
    "degree": networks.DegreeNetwork,
    "der": networks.DenseRegions,
    "random": RandomNetwork,
    "tmf": TopFilter,
    "dgg": DegreeGenerator,
    "laplace": LaplaceNetwork,
}
SHOWN = (
    ("KL", "degree divergence"),
    ("KL PGB", "degree divergence (PGB)"),
    ("triangles", "triangles, relative"),
    ("gcc", "global clustering, relative"),
    ("acc", "average clustering, relative"),
    ("assort.", "assortativity, difference"),
    ("path", "mean distance, relative"),
    ("dist. KL", "distance divergence"),
    ("modularity", "modularity, relative"),
    ("NMI", "communities (NMI)"),
    ("overlap", "edge overlap"),
)


def utility(arguments: argparse.Namespace) -> None:
    """Print one row per graph and method: cuts, then structure, means of all runs."""
    reading = CutReading.ANY if arguments.reading == "any" else CutReading.DISJOINT
    sizes = tuple(float(size) for size in arguments.sizes.split(","))
    workload = CutWorkload(queries=arguments.queries, reading=reading, largest=sizes)
    print(f"| graph | method | cuts {arguments.sizes} | " + " | ".join(short for short, _ in SHOWN) + " | CPU s |")
    print("|---" * (len(SHOWN) + 4) + "|")
    for name in arguments.graphs.split(","):
        records = real(name)
        by_degrees = []
        for method in arguments.methods.split(","):
            rows, cuts, seconds = [], [], []
            for _ in range(arguments.runs):
                began = time.process_time()
                release = METHODS[method](correlated_edges=arguments.k).publish(records, budget=PureDP(arguments.epsilon))
                seconds.append(time.process_time() - began)
                graph = release.data.graph
                cuts.append([cut.average_relative_error for cut in measure_cuts(records.graph, graph, workload)])
                if method == "shape" and release.data.degrees is not None:
                    found = answered_by_degrees(records.graph, release.data.degrees, workload)
                    by_degrees.append([cut.average_relative_error for cut in found])
                if method != "laplace":
                    deep = arguments.deep is None or len(rows) < arguments.deep
                    rows.append(figures(records.graph, graph) if deep else quick_figures(records.graph, graph))
            shown = [np.mean([row[full] for row in rows if full in row] or [np.nan]) for _, full in SHOWN]
            print(_row(name, method, cuts, shown, seconds), flush=True)
        if by_degrees:
            print(_row(name, "degrees answer", by_degrees, [], []), flush=True)


def _row(name: str, method: str, cuts: list[list[float]], shown: list[float], seconds: list[float]) -> str:
    errors = " ".join(f"{error:.3f}" for error in np.mean(cuts, axis=0))
    cells = " | ".join(f"{value:.3f}" for value in shown)
    return f"| {name} | {method} | {errors} | {cells} | {np.mean(seconds) if seconds else 0:.1f} |"


def sweeps(arguments: argparse.Namespace) -> None:
    """Print a row per graph, epsilon and number of correlated edges for `shape`."""
    workload = CutWorkload(queries=arguments.queries, largest=(0.2, 1.0))
    shown = ("KL", "triangles", "acc", "assort.", "edges")
    print("| graph | epsilon | k | cuts .2 1 | " + " | ".join(shown) + " |\n" + "|---" * (len(shown) + 4) + "|")
    for name in arguments.graphs.split(","):
        records = real(name)
        for epsilon, together in (("0.2", 1), ("0.5", 1), ("1", 1), ("2", 1), ("1", 5), ("1", 10), ("1", 25)):
            rows, cuts = [], []
            for _ in range(arguments.runs):
                graph = ShapeNetwork(correlated_edges=together).publish(records, budget=PureDP(epsilon)).data.graph
                cuts.append([cut.average_relative_error for cut in measure_cuts(records.graph, graph, workload)])
                rows.append(_few_figures(records.graph, graph))
            errors = " ".join(f"{error:.3f}" for error in np.mean(cuts, axis=0))
            cells = " | ".join(f"{value:.3f}" for value in np.mean(rows, axis=0))
            print(f"| {name} | {epsilon} | {together} | {errors} | {cells} |", flush=True)


def families(arguments: argparse.Namespace) -> None:
    """Print a row per family: relative errors of triangles and clustering, with the triangle step and without."""
    print("| family | triangles | raw clustering | with: triangles, acc, KL | without | s |\n|---|---|---|---|---|---|")
    for name in (*CHOSEN_ON, *JUDGED_ON):
        records = simulated(name)
        before = profile(records.graph)
        cells, seconds = [], 0.0
        for triangles in (True, False):
            rows = []
            began = time.process_time()
            for _ in range(arguments.runs):
                graph = ShapeNetwork(triangles=triangles).publish(records, budget=PureDP(1)).data.graph
                rows.append(_few_figures(records.graph, graph)[[1, 2, 0]])
            seconds = seconds or (time.process_time() - began) / arguments.runs
            cells.append(" ".join(f"{value:.3f}" for value in np.mean(rows, axis=0)))
        clustering = f"{before.average_clustering:.3f}"
        print(f"| {name} | {before.triangles:,} | {clustering} | {cells[0]} | {cells[1]} | {seconds:.1f} |", flush=True)


FEW = ("power grid", "roads", "power-law clusters", "small world, sparse", "tree", "grid", "sellers")


def few(arguments: argparse.Namespace) -> None:
    """Print how many triangles come out, and in how many runs at least half of the true number and at most twice as many."""
    print(
        "| network | triangles | epsilon | released, median (tenth to ninetieth) | within half and twice |\n" + "|---" * 5 + "|"
    )
    for name in FEW:
        records = simulated(name)
        true = records.graph.triangles()
        for epsilon in ("0.5", "1", "2"):
            runs = [ShapeNetwork().publish(records, budget=PureDP(epsilon)).data.graph.triangles() for _ in range(arguments.runs)]
            low, middle, high = np.quantile(runs, (0.1, 0.5, 0.9))
            inside = np.mean([true / 2 <= number <= 2 * true for number in runs])
            shown = f"{inside:.0%}" if true else "-"
            print(f"| {name} | {true:,} | {epsilon} | {middle:,.0f} ({low:,.0f} to {high:,.0f}) | {shown} |", flush=True)


def _few_figures(raw: Graph, made: Graph) -> np.ndarray:
    """KL, triangles, average clustering, assortativity, edges."""
    found = quick_figures(raw, made)
    return np.array([found[dict(SHOWN)[short]] for short in ("KL", "triangles", "acc", "assort.")] + [found["edges, relative"]])


def labels(arguments: argparse.Namespace) -> None:
    """Print the agreement of communities (NMI) on an ego network without public labels, with ranges of ids, and with egos."""
    records = ego_network()
    egos = VertexBlocks.ranges(len(records.universe), blocks=10)
    for name, blocks in (("none", None), ("16 ranges", VertexBlocks.ranges(len(records.universe), blocks=16)), ("egos", egos)):
        found = []
        for _ in range(arguments.runs):
            made = ShapeNetwork().publish(replace(records, blocks=blocks), budget=PureDP(1)).data.graph
            found.append(normalised_information(communities(records.graph), communities(made)))
        print(f"public labels: {name}: NMI {np.mean(found):.3f}", flush=True)


def regions(_: argparse.Namespace) -> None:
    """Print CPU time and peak memory of DER on two simulated networks."""
    for vertices, edges in ((20_000, 180_000), (75_000, 500_000)):
        ends = np.random.default_rng(1).integers(0, vertices, (edges + edges // 500, 2))
        universe = Universe([str(number) for number in range(vertices)])
        records = NetworkRecords.from_codes(ends[:, 0], ends[:, 1], universe=universe)
        began = time.process_time()
        networks.DenseRegions().publish(records, budget=PureDP(1))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"der, {len(records.graph):,} edges over {vertices:,}: {time.process_time() - began:.1f} s, {memory:,} MB", flush=True
        )


def speed(arguments: argparse.Namespace) -> None:
    """Print CPU time and peak memory of `shape` on simulated networks, smaller ones first: the peak is that of the process."""
    for edges in sorted(int(number) for number in arguments.edges.split(",")):
        records = _with_communities(edges)
        for method in (networks.ShapeNetwork(triangles=False), networks.ShapeNetwork()):
            began = time.process_time()
            release = method.publish(records, budget=PureDP(1))
            seconds = time.process_time() - began
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            what = f"{len(records.graph):,} edges, {'with' if method.triangles else 'without'} triangles"
            print(f"{what}: {seconds:.1f} s, peak {memory:,} MB, {len(release.data):,} edges out", flush=True)


def _with_communities(edges: int) -> NetworkRecords:
    """A network with communities and heavy tails, of about so many edges and a tenth as many vertices."""
    vertices = max(edges // 10, 10)
    generator = np.random.default_rng(1)
    weights = np.cumsum((1 - generator.random(vertices)) ** (-1 / 1.6))
    draws = int(1.05 * edges)
    sources = np.searchsorted(weights, generator.random(draws) * weights[-1])
    near = sources // 50 * 50 + generator.integers(0, 50, draws)
    far = np.searchsorted(weights, generator.random(draws) * weights[-1])
    targets = np.minimum(np.where(generator.random(draws) < 0.6, near, far), vertices - 1)
    return NetworkRecords.from_codes(sources, targets, universe=Universe([str(number) for number in range(vertices)]))


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = {
        "utility": utility,
        "sweeps": sweeps,
        "families": families,
        "few": few,
        "labels": labels,
        "speed": speed,
        "regions": regions,
    }
    parser.add_argument("what", choices=tuple(verbs))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--graphs", default="ca-GrQc,ca-HepTh,wiki-Vote")
    parser.add_argument("--methods", default="shape,degree,der,random,tmf,dgg")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--reading", choices=("any", "disjoint"), default="disjoint")
    parser.add_argument("--sizes", default="0.2,0.4,0.6,0.8,1")
    parser.add_argument("--k", type=int, default=1)
    parser.add_argument("--deep", type=int)
    parser.add_argument("--edges", default="200000,1000000,10000000")
    arguments = parser.parse_args()
    verbs[arguments.what](arguments)


if __name__ == "__main__":
    main()
