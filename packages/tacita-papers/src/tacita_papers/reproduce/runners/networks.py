"""Cut queries, degree distributions and run times of networks: chapter 7 of the thesis.

*DER* is the corrected one, which protects an edge once and not twice; *Random* buys its number of edges with the budget,
where the thesis gives it the true one; *shape* is the method that the product recommends. A cut asks about "any two subsets"
of vertices. *As printed*, DER spends its budget on each half of the matrix, and Random has the true number of edges; DER without
noise splits down to single cells, which is the network itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph
from tacita.errors import MissingDataError
from tacita.networks import DenseRegions, NetworkRecords, ShapeNetwork
from tacita.privacy.budget import PureDP
from tacita.utility.networks import CutReading, CutWorkload, degree_divergence, measure_cuts
from tacita_papers.baselines.networks import LaplaceNetwork, RandomNetwork
from tacita_papers.printed.networks import printed_der, printed_random
from tacita_papers.reproduce.data.networks import NETWORKS, induced, network
from tacita_papers.reproduce.experiment import Line, Row, Scale
from tacita_papers.reproduce.runners.versions import NOISELESS, Versions, best_of

__all__ = [
    "cuts_by_correlation",
    "cuts_by_epsilon",
    "cuts_by_size",
    "degrees_by_correlation",
    "degrees_by_epsilon",
    "seconds_by_vertices",
    "sizes",
]

METHODS: dict[str, Any] = {"DER": DenseRegions, "Random": RandomNetwork, "Laplace": LaplaceNetwork, "shape": ShapeNetwork}


def _available(names: Sequence[str] = NETWORKS) -> Iterator[tuple[str, NetworkRecords]]:
    for name in names:
        try:
            yield name, network(name)
        except MissingDataError:
            continue


PRINTED = ("DER", "Random")


def _released(records: NetworkRecords, series: str, epsilon: str, together: int, line: Line = Line.OURS, run: int = 0) -> Graph:
    """One release by a version of a method."""
    if line is Line.PRINTED:
        is_der = series == "DER"
        return printed_der(records, epsilon, together, run) if is_der else printed_random(records, run)
    if line is Line.NOISELESS and series == "DER":
        return records.graph
    budget = PureDP(NOISELESS if line is Line.NOISELESS else epsilon)
    graph: Graph = METHODS[series](correlated_edges=together).publish(records, budget=budget).data.graph
    return graph


def _cuts(records: NetworkRecords, graph: Graph, sizes: Sequence[float], queries: int) -> list[float]:
    workload = CutWorkload(queries=queries, reading=CutReading.ANY, largest=tuple(sizes))
    return [cut.average_relative_error for cut in measure_cuts(records.graph, graph, workload)]


def sizes(_: Scale, /) -> Iterator[Row]:
    """Vertices, edges with those of a vertex to itself, and the density; Table 7.1."""
    for name, records in _available():
        vertices, edges = len(records.universe), len(records.graph) + records.dropped_loops
        figures = {"vertices": vertices, "edges": edges, "density": edges / (vertices * (vertices - 1) / 2)}
        for figure, value in figures.items():
            yield Row(data=name, series=figure, x=figure, value=float(value), panel="statistics")


def cuts_by_size(
    scale: Scale, /, *, series: Sequence[str], largest: Sequence[str], queries: int, runs: int = 3, data: Sequence[str] = NETWORKS
) -> Iterator[Row]:
    """The error of cut queries at epsilon 1 against the largest size of a subset."""
    wanted, runs_of = [float(size) for size in largest], count()
    for name, records in _available(data):
        for label in series:
            versions = _versions(name, label, ["1"], runs, panels=largest)
            rows = versions.rows(scale, partial(_cut_errors, records, label, wanted, 128 if scale.quick else queries, runs_of))
            yield from (replace(row, x=row.panel, panel="") for row in rows)


def _cut_errors(  # noqa: PLR0913, PLR0917 - what a figure holds fixed
    records: NetworkRecords, label: str, sizes: Sequence[float], queries: int, runs_of: Iterator[int], line: Line, x: str
) -> list[float]:
    return _cuts(records, _released(records, label, x, 1, line, next(runs_of)), sizes, queries)


def _versions(name: str, label: str, xs: Sequence[str], runs: int, *, panels: Sequence[str] = ("",)) -> Versions:
    return Versions(
        data=name,
        series=label,
        xs=xs,
        runs=runs,
        panels=panels,
        printed=label in PRINTED,
        noiseless=label != "Laplace",
        is_constant=True,
    )


def _varied(  # noqa: PLR0913 - what a figure varies
    scale: Scale, series: Sequence[str], xs: Sequence[str], *, correlation: bool, degrees: bool, queries: int, runs: int
) -> Iterator[Row]:
    runs_of = count()
    for name, records in _available():
        raw = _degrees(records.graph)

        def figure(label: str, line: Line, x: str, records: NetworkRecords = records, raw: Integers = raw) -> list[float]:
            epsilon, together = ("1", int(x)) if correlation else (x, 1)
            graph = _released(records, label, epsilon, together, line, next(runs_of))
            if degrees:
                return [degree_divergence(raw, _degrees(graph))]
            return _cuts(records, graph, [0.4], 128 if scale.quick else queries)

        for label in series:
            yield from _versions(name, label, xs, runs).rows(scale, partial(figure, label))


def _degrees(graph: Graph) -> Integers:
    return np.bincount(np.concatenate([graph.sources, graph.targets]), minlength=graph.vertices)


def cuts_by_epsilon(
    scale: Scale, /, *, series: Sequence[str], epsilons: Sequence[str], queries: int, runs: int = 3
) -> Iterator[Row]:
    """The error of cut queries of up to 0.4 of the vertices against epsilon."""
    return _varied(scale, series, epsilons, correlation=False, degrees=False, queries=queries, runs=runs)


def cuts_by_correlation(
    scale: Scale, /, *, series: Sequence[str], ks: Sequence[str], queries: int, runs: int = 3
) -> Iterator[Row]:
    """The same at epsilon 1 against the number of correlated edges."""
    return _varied(scale, series, ks, correlation=True, degrees=False, queries=queries, runs=runs)


def degrees_by_epsilon(scale: Scale, /, *, series: Sequence[str], epsilons: Sequence[str], runs: int = 3) -> Iterator[Row]:
    """The divergence of the degree distribution against epsilon."""
    return _varied(scale, series, epsilons, correlation=False, degrees=True, queries=0, runs=runs)


def degrees_by_correlation(scale: Scale, /, *, series: Sequence[str], ks: Sequence[str], runs: int = 3) -> Iterator[Row]:
    """The same at epsilon 1 against the number of correlated edges."""
    return _varied(scale, series, ks, correlation=True, degrees=True, queries=0, runs=runs)


def seconds_by_vertices(scale: Scale, /, *, series: Sequence[str], shares: Sequence[str]) -> Iterator[Row]:
    """Processor seconds of a publication against the share of the vertices."""
    for name, records in _available():
        for share in scale.few(shares):
            part = induced(records, int(share) / 100)
            for label in series:
                times = []
                for _ in range(2):
                    start = time.process_time()
                    _released(part, label, "1", 1)
                    times.append(time.process_time() - start)
                yield best_of(times, data=name, series=label, x=share)
