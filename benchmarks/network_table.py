"""`shape` with what it can be given (communities, sides) beside simpler methods, on worlds that chose nothing and real graphs.

    python benchmarks/network_table.py [--runs N] [--worlds "A;B"] [--epsilons 0.5,1,2] [--methods A,B] [--minutes M]
                                       [--before CHECKOUT] [--page FILE] [--results FILE]

Every run is a line of a CSV file, and what is in it is not run again: a measurement that was cut goes on with the same command.
Runs of code that has changed since are left out. `--before` names a checkout of older code, whose `shape` is run in a process
of its own and judged alike, as *shape before*. `--minutes` are CPU minutes after which it stops; 0 only prints the tables, and
`--page` puts them between the two marks of a page.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

import tacita.networks
import tacita_papers
from network_rivals import chung_lu, published
from network_worlds import FAMILIES, HARD, REAL, SHAPES, USERS, real
from stored import digest, put_into_page
from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, ShapeNetwork, VertexBlocks
from tacita.public.universe import Universe
from tacita.utility.networks import CutWorkload, degree_divergence, measure_cuts, profile
from tacita.utility.networks.structure import centrality, communities, modularity, normalised_information
from tacita_papers import PrivGraph

SEED = 2026
"""No constant was chosen on networks of this seed."""

WORLDS = ("social", "clustered", "films", "power grid", "airports", "casts", "unequal blocks")
RESULTS = Path(__file__).parents[1] / "docs" / "reference" / "measured-networks.csv"

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
Make = Callable[[NetworkRecords, float], Graph]
Runs = dict[tuple[str, str, str], list[list[float]]]
"""By world, epsilon and method: the columns of each run."""

BEFORE = """
import sys, time
import numpy as np
from tacita.networks import NetworkRecords, ShapeNetwork
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
held = np.load(sys.argv[1])
records = NetworkRecords.from_codes(held["first"], held["second"], universe=Universe([str(v) for v in range(int(held["size"]))]))
began = time.process_time()
graph = ShapeNetwork().publish(records, budget=PureDP(sys.argv[3])).data.graph
np.savez(sys.argv[2], keys=graph.keys, seconds=time.process_time() - began)
"""


def with_sides(records: NetworkRecords, epsilon: float) -> Graph:
    """Users and films are declared as two sides."""
    of = (np.arange(len(records.universe)) >= USERS).astype(np.int64)
    return published(ShapeNetwork())(records.across(VertexBlocks(of)), epsilon)


METHODS: dict[str, Make] = {
    "shape": published(ShapeNetwork()),
    "communities": published(ShapeNetwork(communities=True)),
    "sides": with_sides,
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

    def _largest(self, graph: Graph) -> npt.NDArray[np.intp]:
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


@cache
def world(name: str, seed: int = SEED) -> NetworkRecords:
    """One network of a family, or a real graph."""
    if name in REAL:
        return real(name)
    vertices, edges = (FAMILIES | SHAPES | HARD)[name](np.random.default_rng(seed))
    universe = Universe([str(number) for number in range(vertices)])
    return NetworkRecords.from_codes(edges[:, 0], edges[:, 1], universe=universe, name=name)


@cache
def judge_of(name: str) -> Judge:
    """What a world's releases are compared with."""
    return Judge(world(name).graph)


def by_older_code(checkout: Path, records: NetworkRecords, epsilon: float) -> tuple[Graph, float]:
    """A network by the `shape` of another checkout, and its CPU seconds."""
    with TemporaryDirectory() as folder:
        given, made = Path(folder) / "given.npz", Path(folder) / "made.npz"
        graph = records.graph
        np.savez(given, first=graph.sources, second=graph.targets, size=graph.vertices)
        command = [sys.executable, "-c", BEFORE, str(given), str(made), str(epsilon)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(checkout / "src")})
        found = np.load(made)
        return Graph(graph.vertices, found["keys"]), float(found["seconds"])


@cache
def code_of(method: str, before: Path | None = None) -> str:
    """A digest of the code that a method is made of."""
    if method == "PrivGraph":
        return digest(sorted(Path(tacita_papers.__file__).parent.glob("**/privgraph.py")))
    if method == "Chung-Lu":
        return digest([Path(chung_lu.__code__.co_filename)])
    room = Path(tacita.networks.__file__).parent if before is None else before / "src" / "tacita" / "networks"
    files = [*sorted((room / "synthesis").glob("*.py")), room / "shape.py", room / "asking.py"]
    return digest(file for file in files if file.exists())


def read(results: Path, before: Path | None) -> Runs:
    """The runs that were measured with the code as it is; those of older code as well."""
    found: Runs = defaultdict(list)
    if results.exists():
        with results.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                is_before = line["method"] == "shape before"
                if line["code"] == code_of(line["method"], before if is_before else None) or (is_before and before is None):
                    found[line["network"], line["epsilon"], line["method"]].append([float(line[name]) for name in COLUMNS])
    return found


def run(name: str, epsilon: str, method: str, before: Path | None) -> list[float]:
    """All columns of one run."""
    records, judge = world(name), judge_of(name)
    if method == "shape before" and before is not None:
        made, seconds = by_older_code(before, records, float(epsilon))
    else:
        began = time.process_time()
        made = METHODS[method](replace(records), float(epsilon))
        seconds = time.process_time() - began
    return [*judge.errors(made), seconds]


def measure(rows: list[tuple[str, str, str]], arguments: argparse.Namespace) -> None:
    """Run what is missing until the time is up, each row once before any row twice."""
    found, until = read(arguments.results, arguments.before), time.process_time() + 60 * arguments.minutes
    for often in range(1, arguments.runs + 1):
        for row in rows:
            while len(found[row]) < often:
                if time.process_time() > until:
                    return
                values = run(*row, arguments.before)
                found[row].append(values)
                is_new = not arguments.results.exists()
                with arguments.results.open("a", encoding="utf-8", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    if is_new:
                        writer.writerow(["network", "epsilon", "method", "code", *COLUMNS])
                    code = code_of(row[2], arguments.before if row[2] == "shape before" else None)
                    writer.writerow([*row, code, *(f"{value:.6g}" for value in values)])


def tables(rows: list[tuple[str, str, str]], found: Runs) -> Iterator[str]:
    """A table for each epsilon: means, and the standard error of each behind it."""
    for epsilon in dict.fromkeys(row[1] for row in rows):
        yield f"\n#### Epsilon {epsilon}\n"
        yield "| network | method | runs | " + " | ".join(COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 3) + "|"
        for row in rows:
            if row[1] == epsilon and found.get(row):
                runs = np.array(found[row])
                errors = runs.std(axis=0, ddof=1) / len(runs) ** 0.5 if len(runs) > 1 else [None] * len(COLUMNS)
                cells = map(_cell, runs.mean(axis=0), errors)
                yield f"| {row[0]} | {row[2]} | {len(runs)} | {' | '.join(cells)} |"


def _cell(mean: float, error: float | None) -> str:
    """Three digits behind the point, and as many of the standard error, if there are several runs."""
    return " ±".join(f"{value:.3f}".removeprefix("0") for value in (mean, error) if value is not None)


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default=";".join((*WORLDS, *REAL)))
    parser.add_argument("--epsilons", default="0.5,1,2")
    parser.add_argument("--methods", default=",".join(("shape", "shape before", *list(METHODS)[1:])))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--before", type=Path)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    rows = [
        (name, epsilon, method)
        for epsilon in arguments.epsilons.split(",")
        for name in arguments.worlds.split(";")
        for method in arguments.methods.split(",")
        if (method != "sides" or name == "films") and (method != "communities" or name != "films")
    ]
    measure([row for row in rows if row[2] != "shape before" or arguments.before], arguments)
    text = "\n".join(tables(rows, read(arguments.results, arguments.before)))
    if arguments.page is None:
        print(text)
    else:
        put_into_page(arguments.page, text)


if __name__ == "__main__":
    main()
