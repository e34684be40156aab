"""The utility of a released network, in one report and in pictures. Read `cuts`, `structure`, then what is below.

The report is computed from raw data without noise. Passing it on means passing on private data: it is for the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, PublishedNetwork
from tacita.networks.pictures import adjacency_picture, degrees_picture
from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.privacy.release import Release
from tacita.utility.networks.cuts import CutError, CutReading, CutWorkload, answered_by_degrees, measure_cuts
from tacita.utility.networks.structure import (
    Profile,
    communities,
    degree_divergence,
    divergence,
    modularity,
    normalised_information,
    profile,
)
from tacita.utility.rendering import OWNER_ONLY

__all__ = [
    "CutError",
    "CutReading",
    "CutWorkload",
    "NetworkMeasures",
    "NetworkUtility",
    "Profile",
    "answered_by_degrees",
    "communities",
    "cuts_picture",
    "degree_divergence",
    "divergence",
    "measure_cuts",
    "modularity",
    "normalised_information",
    "pictures",
    "profile",
    "quick_figures",
    "report",
    "sections",
]

TOP_SHARE = 0.01
"""The share of the vertices that count as the most central."""


@dataclass(frozen=True, kw_only=True)
class NetworkMeasures:
    """What is measured: 20,000 cut queries in each of the two readings, as in the thesis."""

    cuts: tuple[CutWorkload, ...] = (CutWorkload(), CutWorkload(reading=CutReading.ANY))


@dataclass(frozen=True, kw_only=True)
class NetworkUtility:
    """How useful a released network is. For the owner's eyes only.

    Figures called relative are |raw - released| / raw; divergences are in nats.
    """

    raw_edges: int
    released_edges: int
    cuts: tuple[CutError, ...]
    figures: dict[str, float]

    def __str__(self) -> str:
        """Render for a terminal."""
        return "\n".join(_lines(self))

    def as_json(self) -> dict[str, object]:
        """The report for scripts, with the same warning."""
        return {
            "warning": OWNER_ONLY,
            "edges": {"raw": self.raw_edges, "released": self.released_edges},
            "cuts": [cut.as_json() for cut in self.cuts],
            "figures": dict(self.figures),
        }


def report(
    records: NetworkRecords | Graph,
    release: Release[PublishedNetwork] | PublishedNetwork | Graph,
    *,
    measures: NetworkMeasures | None = None,
) -> NetworkUtility:
    """Compare a released network with the one it was made from."""
    measures = NetworkMeasures() if measures is None else measures
    published = release.data if isinstance(release, Release) else release
    raw, released = (side if isinstance(side, Graph) else side.graph for side in (records, published))
    cuts = [error for workload in measures.cuts for error in measure_cuts(raw, released, workload)]
    return NetworkUtility(raw_edges=len(raw), released_edges=len(released), cuts=tuple(cuts), figures=figures(raw, released))


def figures(raw: Graph, released: Graph) -> dict[str, float]:
    """Everything except cuts."""
    first, second = profile(raw), profile(released)
    labels = [communities(graph) for graph in (raw, released)]
    quality = [modularity(graph, found) for graph, found in zip((raw, released), labels, strict=True)]
    top = max(1, int(TOP_SHARE * raw.vertices))
    central = [set(np.argsort(-side.centrality, kind="stable")[:top].tolist()) for side in (first, second)]
    return {
        **_local(raw, released, first, second),
        "mean distance, relative": _relative(first.mean_distance, second.mean_distance),
        "distance divergence": divergence(first.distances, second.distances),
        "modularity, relative": _relative(quality[0], quality[1]),
        "communities (NMI)": normalised_information(labels[0], labels[1]),
        "most central vertices kept": len(central[0] & central[1]) / top,
    }


def quick_figures(raw: Graph, released: Graph) -> dict[str, float]:
    """Everything except cuts, distances, centralities and communities, which take longest."""
    return _local(raw, released, *(profile(graph, paths=False) for graph in (raw, released)))


def _local(raw: Graph, released: Graph, first: Profile, second: Profile) -> dict[str, float]:
    """What needs no path and no search."""
    common = np.intersect1d(raw.keys, released.keys, assume_unique=True).size
    return {
        "degree divergence": degree_divergence(first.degrees, second.degrees),
        "degree divergence (PGB)": divergence(np.bincount(first.degrees), np.bincount(second.degrees)),
        "mean squared degree error": float(((first.degrees - second.degrees) ** 2).mean()),
        "edge overlap": common / max(1, len(raw)),
        "L1": float(len(raw) + len(released) - 2 * common),
        "edges, relative": _relative(first.edges, second.edges),
        "triangles, relative": _relative(first.triangles, second.triangles),
        "global clustering, relative": _relative(first.global_clustering, second.global_clustering),
        "average clustering, relative": _relative(first.average_clustering, second.average_clustering),
        "assortativity, difference": abs(first.assortativity - second.assortativity),
    }


def _relative(raw: float, released: float) -> float:
    return abs(raw - released) / abs(raw) if raw else float(raw != released)


def sections(records: NetworkRecords, published: PublishedNetwork) -> dict[str, NetworkUtility]:
    """What `tacita evaluate` compares: the network as it is."""
    return {"networks": report(records, published)}


def _lines(found: NetworkUtility) -> Iterator[str]:
    yield OWNER_ONLY
    yield ""
    yield f"{'':<34}{'raw':>14}{'released':>14}"
    yield f"{'edges':<34}{found.raw_edges:>14,}{found.released_edges:>14,}"
    yield ""
    yield f"{'cut queries':<34}{'up to':>14}{'queries':>14}{'average relative error':>26}"
    for cut in found.cuts:
        yield f"  {cut.reading:<32}{cut.largest:>14g}{cut.queries:>14,}{cut.average_relative_error:>26.4f}"
    yield ""
    for name, value in found.figures.items():
        yield f"  {name:<32}{value:>14.4f}"


# Pictures of a released network beside the raw one.
#
# Cuts are drawn as the mean relative error by the largest size of a subset, beside what the released degrees answer and what
# the number of edges alone would give.


QUERIES = 1280


def pictures(records: NetworkRecords, published: PublishedNetwork, *, found: Mapping[str, Any] | None = None) -> list[Picture]:  # noqa: ARG001 - as of all kinds
    """Degrees, cuts and adjacency of both sides."""
    sides = {"raw": records.graph, "released": published.graph}
    return [degrees_picture(sides), cuts_picture(records.graph, published), adjacency_picture(sides)]


def cuts_picture(raw: Graph, published: PublishedNetwork) -> Picture:
    """The mean relative error of cuts by the largest size of a subset."""
    workload = CutWorkload(queries=QUERIES)
    found = {"released edges": measure_cuts(raw, published.graph, workload)}
    if published.degrees is not None:
        found["released degrees"] = answered_by_degrees(raw, published.degrees, workload)
    alike = np.full(raw.vertices, 2 * len(published.graph) / max(raw.vertices, 1))
    found["number of edges alone"] = answered_by_degrees(raw, alike, workload)
    lines = [
        Line(
            name=name,
            xs=list(workload.largest),
            values=[error.average_relative_error for error in errors],
            is_baseline=name == "number of edges alone",
        )
        for name, errors in found.items()
    ]
    return line_plot(
        f"Cuts: mean error of {workload.queries:,} queries by size; lower is better",
        lines,
        x=Axis(label="largest size of both subsets, share of all vertices", percent=True),
        y=Axis(label="relative error"),
    )
