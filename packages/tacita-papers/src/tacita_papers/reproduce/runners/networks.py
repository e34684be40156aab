"""Cut queries, degree distributions and run times of networks: chapter 7 of the thesis.

*DER* is the corrected one, which protects an edge once and not twice; *Random* buys its number of edges with the budget,
where the thesis gives it the true one; *shape* is the method that the product recommends. A cut asks about "any two subsets"
of vertices.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.errors import MissingDataError
from tacita.networks import DenseRegions, NetworkRecords, ShapeNetwork
from tacita.privacy.budget import PureDP
from tacita.utility.networks import CutReading, CutWorkload, degree_divergence, measure_cuts
from tacita_papers.baselines.networks import LaplaceNetwork, RandomNetwork
from tacita_papers.reproduce.data.networks import NETWORKS, induced, network
from tacita_papers.reproduce.experiment import Row, Scale

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


def _released(records: NetworkRecords, series: str, epsilon: str, together: int) -> Graph:
    graph: Graph = METHODS[series](correlated_edges=together).publish(records, budget=PureDP(epsilon)).data.graph
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
    wanted = [float(size) for size in largest]
    for name, records in _available(data):
        for label in series:
            turns = scale.runs(runs)
            asked = 128 if scale.quick else queries
            found = [_cuts(records, _released(records, label, "1", 1), wanted, asked) for _ in range(turns)]
            for size, value in zip(largest, np.mean(found, axis=0).tolist(), strict=True):
                yield Row(data=name, series=label, x=size, value=value, runs=turns)


def _varied(  # noqa: PLR0913 - what a figure varies
    scale: Scale, series: Sequence[str], xs: Sequence[str], *, correlation: bool, degrees: bool, queries: int, runs: int
) -> Iterator[Row]:
    for name, records in _available():
        raw = np.bincount(np.concatenate([records.graph.sources, records.graph.targets]), minlength=len(records.universe))
        for x in scale.few(xs):
            epsilon, together = ("1", int(x)) if correlation else (x, 1)
            for label in series:
                found, turns = [], scale.runs(runs)
                for _ in range(turns):
                    graph = _released(records, label, epsilon, together)
                    if degrees:
                        both = np.concatenate([graph.sources, graph.targets])
                        found.append(degree_divergence(raw, np.bincount(both, minlength=len(records.universe))))
                    else:
                        found.append(_cuts(records, graph, [0.4], 128 if scale.quick else queries)[0])
                yield Row(data=name, series=label, x=x, value=float(np.mean(found)), runs=turns)


def cuts_by_epsilon(
    scale: Scale, /, *, series: Sequence[str], epsilons: Sequence[str], queries: int, runs: int = 2
) -> Iterator[Row]:
    """The error of cut queries of up to 0.4 of the vertices against epsilon."""
    return _varied(scale, series, epsilons, correlation=False, degrees=False, queries=queries, runs=runs)


def cuts_by_correlation(
    scale: Scale, /, *, series: Sequence[str], ks: Sequence[str], queries: int, runs: int = 2
) -> Iterator[Row]:
    """The same at epsilon 1 against the number of correlated edges."""
    return _varied(scale, series, ks, correlation=True, degrees=False, queries=queries, runs=runs)


def degrees_by_epsilon(scale: Scale, /, *, series: Sequence[str], epsilons: Sequence[str], runs: int = 2) -> Iterator[Row]:
    """The divergence of the degree distribution against epsilon."""
    return _varied(scale, series, epsilons, correlation=False, degrees=True, queries=0, runs=runs)


def degrees_by_correlation(scale: Scale, /, *, series: Sequence[str], ks: Sequence[str], runs: int = 2) -> Iterator[Row]:
    """The same at epsilon 1 against the number of correlated edges."""
    return _varied(scale, series, ks, correlation=True, degrees=True, queries=0, runs=runs)


def seconds_by_vertices(scale: Scale, /, *, series: Sequence[str], shares: Sequence[str]) -> Iterator[Row]:
    """Processor seconds of a publication against the share of the vertices."""
    for name, records in _available():
        for share in scale.few(shares):
            part = induced(records, int(share) / 100)
            for label in series:
                start = time.process_time()
                _released(part, label, "1", 1)
                yield Row(data=name, series=label, x=share, value=time.process_time() - start)
