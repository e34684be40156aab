"""The four networks of chapter 7 of the thesis: three of SNAP, and the simulated network of stations.

The thesis used "5,000 vertices" of ca-HepTh. The first 5,000 in the order of their appearance in SNAP's file have 17,120
edges and 18 edges of a vertex to itself, together the 17,138 of its Table 7.1.
"""

from __future__ import annotations

import gzip
from functools import lru_cache

import numpy as np

from tacita.networks import NetworkRecords, read_network
from tacita.public.universe import Universe
from tacita.seeded import public_generator
from tacita.simulate import CommutingWorld
from tacita_papers.reproduce.data.files import data_file

__all__ = ["NETWORKS", "induced", "network"]

NETWORKS = ("ca-GrQc", "ca-HepTh", "wiki-Vote", "STM")
FILES = {"ca-GrQc": "CA-GrQc.txt.gz", "ca-HepTh": "CA-HepTh.txt.gz", "wiki-Vote": "Wiki-Vote.txt.gz"}
FIRST = {"ca-HepTh": 5_000}


@lru_cache(maxsize=2)
def network(name: str) -> NetworkRecords:
    """One of them; vertices of SNAP are in the order of their numbers, stations line by line."""
    if name == "STM":
        world = CommutingWorld.stm()
        edges = world.edges()
        return NetworkRecords.from_codes(edges[:, 0], edges[:, 1], universe=world.universe, name=name)
    path = data_file("snap_graphs", FILES[name])
    with gzip.open(path, "rt", encoding="ascii") as lines:
        seen = dict.fromkeys(word for line in lines if not line.startswith("#") for word in line.split())
    vertices = list(seen)[: FIRST.get(name)]
    return read_network(path, universe=Universe(sorted(vertices, key=int)), name=name)


def induced(records: NetworkRecords, share: float) -> NetworkRecords:
    """A random subset of the vertices, always the same, with the edges among them."""
    graph, size = records.graph, len(records.universe)
    kept = np.sort(public_generator(5).permutation(size)[: round(share * size)])
    place = np.full(size, -1, dtype=np.int64)
    place[kept] = np.arange(kept.size)
    sources, targets = place[graph.sources], place[graph.targets]
    inside = (sources >= 0) & (targets >= 0)
    universe = Universe([records.universe.labels[code] for code in kept.tolist()])
    return NetworkRecords.from_codes(sources[inside], targets[inside], universe=universe, name=records.name)
