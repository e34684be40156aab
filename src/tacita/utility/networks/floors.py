"""What the simplest releases of a network would keep: nothing, and edges placed at random by their noisy number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, PublishedNetwork
from tacita.seeded import public_generator
from tacita.utility.floors import INDEPENDENT, NOTHING, RELEASE, Column, Standing, epsilon_of
from tacita.utility.networks.cuts import CutWorkload, measure_cuts
from tacita.utility.networks.structure import degree_divergence

__all__ = ["independent_edges", "standing"]

CUTS = CutWorkload(queries=2000, largest=(0.5,))

_COLUMNS = (
    Column(key="edges", title="edges", shown=",.0f"),
    Column(key="cut_error", title="cut error", shown=".4f", better=-1),
    Column(key="degree_divergence", title="degrees", shown=".3f", better=-1),
    Column(key="triangles", title="triangles off", shown=".3f", better=-1),
)


def standing(records: NetworkRecords, published: PublishedNetwork, manifest: Mapping[str, Any]) -> Standing | None:
    """Compare a release with *nothing* and *independent* at its own epsilon, which its manifest says."""
    epsilon, raw = epsilon_of(manifest), records.graph
    if epsilon is None or not len(raw):
        return None
    nothing = Graph(raw.vertices, np.zeros(0, dtype=np.int64))
    sides = {RELEASE: published.graph, INDEPENDENT: independent_edges(raw, epsilon=epsilon), NOTHING: nothing}
    return Standing(
        epsilon=epsilon,
        about="cuts between up to half of the vertices, divergence of the degrees, triangles",
        columns=_COLUMNS,
        rows={name: _kept_of(raw, side) for name, side in sides.items()},
    )


def independent_edges(graph: Graph, *, epsilon: float, seed: int = 0) -> Graph:
    """As many edges as a noisy count says, between any two vertices alike."""
    generator, vertices = public_generator(seed), graph.vertices
    wanted = max(round(len(graph) + float(generator.laplace(0, 1 / epsilon))), 0)
    wanted = min(wanted, vertices * (vertices - 1) // 2)
    keys = np.zeros(0, dtype=np.int64)
    while keys.size < wanted:
        ends = generator.integers(0, vertices, (2, 2 * (wanted - keys.size) + 8))
        low, high = ends.min(axis=0), ends.max(axis=0)
        keys = np.unique(np.concatenate([keys, (low * vertices + high)[low != high]]))
    return Graph(vertices, np.sort(generator.permutation(keys)[:wanted]))


def _kept_of(raw: Graph, released: Graph) -> dict[str, float]:
    triangles = raw.triangles()
    (cuts,) = measure_cuts(raw, released, CUTS)
    return {
        "edges": len(released),
        "cut_error": cuts.average_relative_error,
        "degree_divergence": degree_divergence(raw.degrees, released.degrees),
        "triangles": abs(released.triangles() - triangles) / max(triangles, 1),
    }
