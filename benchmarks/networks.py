"""Utility and speed of networks: all methods side by side on real graphs, and large simulated ones.

    python benchmarks/networks.py utility [--runs N] [--queries N] [--graphs A,B] [--methods A,B] [--epsilon E] [--k K]
    python benchmarks/networks.py speed [--edges N]

Real graphs are read from TACITA_DATA. Constants were chosen on ca-HepTh and simulated networks; ca-GrQc and wiki-Vote judge.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path

import numpy as np

from tacita import networks
from tacita.io import observed_vertices
from tacita.networks import NetworkRecords, read_network
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.utility.networks import CutWorkload, answered_by_degrees, figures, measure_cuts

FILES = {"ca-GrQc": "CA-GrQc.txt.gz", "ca-HepTh": "CA-HepTh.txt.gz", "wiki-Vote": "Wiki-Vote.txt.gz"}
METHODS = {
    "shape": networks.ShapeNetwork,
    "degree": networks.DegreeNetwork,
    "der": networks.DenseRegions,
    "random": networks.RandomNetwork,
    "tmf": networks.TopFilter,
    "dgg": networks.DegreeGenerator,
    "laplace": networks.LaplaceNetwork,
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


def real(name: str) -> NetworkRecords:
    """A graph of SNAP, with its vertices as they are numbered there."""
    path = Path(os.environ["TACITA_DATA"]) / "snap_graphs" / FILES[name]
    return read_network(path, universe=Universe(sorted(observed_vertices(path), key=int)), name=name)


def utility(arguments: argparse.Namespace) -> None:
    """Print one row per graph and method: cuts, then structure, means of all runs."""
    workload = CutWorkload(queries=arguments.queries)
    print("| graph | method | cuts .2 .4 .6 .8 1 | " + " | ".join(short for short, _ in SHOWN) + " | CPU s |")
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
                rows.append(None if method == "laplace" else figures(records.graph, graph))
            shown = [np.mean([row[full] for row in rows]) if rows[0] else float("nan") for _, full in SHOWN]
            print(_row(name, method, cuts, shown, seconds), flush=True)
        if by_degrees:
            print(_row(name, "degrees answer", by_degrees, [], []), flush=True)


def _row(name: str, method: str, cuts: list[list[float]], shown: list[float], seconds: list[float]) -> str:
    errors = " ".join(f"{error:.3f}" for error in np.mean(cuts, axis=0))
    cells = " | ".join(f"{value:.3f}" for value in shown)
    return f"| {name} | {method} | {errors} | {cells} | {np.mean(seconds) if seconds else 0:.1f} |"


def speed(arguments: argparse.Namespace) -> None:
    """Print CPU time and peak memory of `shape` on a simulated network with communities and heavy tails."""
    vertices = max(arguments.edges // 10, 10)
    generator = np.random.default_rng(1)
    weights = np.cumsum((1 - generator.random(vertices)) ** (-1 / 1.6))
    draws = int(1.05 * arguments.edges)
    sources = np.searchsorted(weights, generator.random(draws) * weights[-1])
    near = sources // 50 * 50 + generator.integers(0, 50, draws)
    far = np.searchsorted(weights, generator.random(draws) * weights[-1])
    targets = np.minimum(np.where(generator.random(draws) < 0.6, near, far), vertices - 1)
    records = NetworkRecords.from_codes(sources, targets, universe=Universe([str(number) for number in range(vertices)]))
    for method in (networks.ShapeNetwork(triangles=False), networks.ShapeNetwork()):
        began = time.process_time()
        release = method.publish(records, budget=PureDP(1))
        seconds = time.process_time() - began
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        what = f"{len(records.graph):,} edges, {'with' if method.triangles else 'without'} triangles"
        print(f"{what}: {seconds:.1f} s, peak {memory:,} MB, {len(release.data):,} edges out", flush=True)


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("utility", "speed"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--graphs", default="ca-GrQc,ca-HepTh,wiki-Vote")
    parser.add_argument("--methods", default="shape,degree,der,random,tmf,dgg")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--k", type=int, default=1)
    parser.add_argument("--edges", type=int, default=1_000_000)
    arguments = parser.parse_args()
    {"utility": utility, "speed": speed}[arguments.what](arguments)


if __name__ == "__main__":
    main()
