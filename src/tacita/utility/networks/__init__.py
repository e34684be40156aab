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
from tacita.networks.pictures import apart, degrees_picture
from tacita.pictures import Picture
from tacita.privacy.release import Release
from tacita.utility.floors import INDEPENDENT, NOTHING, RELEASE, epsilon_of
from tacita.utility.networks.cuts import (
    CutError,
    CutReading,
    CutWorkload,
    answered_by_degrees,
    independent_edges,
    measure_cuts,
    standing,
)
from tacita.utility.networks.structure import (
    Profile,
    communities,
    degree_divergence,
    divergence,
    modularity,
    normalised_information,
    profile,
)
from tacita.utility.rendering import OWNER_ONLY, floor_pictures, shapes_picture
from tacita.utility.verdict import Judged, Judgement

__all__ = [
    "CutError",
    "CutReading",
    "CutWorkload",
    "NetworkMeasures",
    "NetworkUtility",
    "Profile",
    "answered_by_degrees",
    "communities",
    "degree_divergence",
    "divergence",
    "judged",
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


# What a release is good for, and pictures of it beside the raw network.


def judged(records: NetworkRecords, published: PublishedNetwork, manifest: Mapping[str, Any]) -> Judgement:
    """What a report says: cuts, degrees, distances, triangles, communities and single edges, beside the floors."""
    raw, released = records.graph, published.graph
    epsilon, found = epsilon_of(manifest) or 1.0, standing(records, published, manifest)
    free = independent_edges(raw, epsilon=epsilon)
    first = profile(raw)
    quality = modularity(raw, communities(raw))
    sides = [_off(raw, side, first, quality) for side in (released, free)]
    measures = []
    if found is not None:
        release, nothing, independent = (found.rows[name]["cut_error"] for name in (RELEASE, NOTHING, INDEPENDENT))
        use, short = "Edges between two large sets of vertices", "edges between large sets"
        floors: dict[str, Any] = {"nothing": nothing, "simplest": independent}
        measures.append(Judged(use=use, short=short, measure="count", off=release, **floors, is_main=True))
    for name, (use, short, measure) in MEASURES.items():
        off: dict[str, Any] = {"off": sides[0][name], "simplest": sides[1][name]}
        measures.append(Judged(use=use, short=short, measure=measure, nothing=1.0, **off))
    return Judgement(
        measures=measures
        or [Judged(use="Edges", short="edges", measure="property", off=1.0, nothing=1.0, simplest=1.0, is_main=True)],
        sizes=(len(raw), len(released)),
        pieces="synthetic edges",
        simplest="as many edges as a noisy count says, between any two vertices",
        figures={} if found is None else {"beside the simplest releases": found.as_json()},
    )


MEASURES = {
    "degrees": ("How many neighbours vertices have", "degrees", "distribution"),
    "edges": ("Number of edges", "the number of edges", "property"),
    "distance": ("Mean distance", "distances", "property"),
    "triangles": ("Triangles and clustering", "triangles", "property"),
    "modularity": ("Communities (modularity)", "communities", "property"),
    "central": ("The most central vertices", "central vertices", "frequent"),
    "overlap": ("Who is joined to whom", "single edges", "frequent"),
}


def _off(raw: Graph, side: Graph, first: Profile, quality: float) -> dict[str, float]:
    """How far off a network is, by measure; an empty one is off by all of each."""
    second = profile(side)
    top = max(1, int(TOP_SHARE * raw.vertices))
    central = [set(np.argsort(-each.centrality, kind="stable")[:top].tolist()) for each in (first, second)]
    common = np.intersect1d(raw.keys, side.keys, assume_unique=True).size
    return {
        "degrees": apart(raw, side),
        "edges": _relative(first.edges, second.edges),
        "distance": _relative(first.mean_distance, second.mean_distance),
        "triangles": _relative(first.triangles, second.triangles),
        "modularity": _relative(quality, modularity(side, communities(side))),
        "central": 1 - len(central[0] & central[1]) / top,
        "overlap": 1 - common / max(1, len(raw)),
    }


def pictures(records: NetworkRecords, published: PublishedNetwork, *, found: Judgement) -> list[Picture]:
    """The floors of cuts, the degrees of both sides, and how far off each measure is."""
    sides = {"raw": records.graph, "released": published.graph}
    return [*floor_pictures(found), degrees_picture(sides, is_half=True), shapes_picture(found)]
