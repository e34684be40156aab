"""What a graph looks like: degrees, clustering, assortativity, distances, centralities, communities."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.graphs import Graph
from tacita.arrays.scatter import scattered

__all__ = ["Profile", "communities", "degree_divergence", "divergence", "modularity", "normalised_information", "profile"]

SMOOTHING = 1e-6
"""Added to the share of each degree in a release; without it, one missing degree would make the divergence infinite."""

SOURCES = 512
"""The number of vertices from which distances are measured."""

LONGEST = 400


@dataclass(frozen=True, kw_only=True, eq=False)
class Profile:
    """Figures of one graph."""

    edges: int
    degrees: Integers = field(repr=False)
    triangles: int
    global_clustering: float
    average_clustering: float
    assortativity: float
    distances: Integers = field(repr=False)
    centrality: Reals = field(repr=False)

    @property
    def mean_distance(self) -> float:
        """The mean distance between vertices that are connected by a path."""
        reached = self.distances[1:]
        return float((reached * np.arange(1, self.distances.size)).sum() / max(1, int(reached.sum())))


def profile(graph: Graph, *, paths: bool = True) -> Profile:
    """Measure a graph; without distances and centralities, which take longest, if `paths` is false."""
    degrees, at = graph.degrees, graph.triangles_at()
    wedges = degrees * (degrees - 1) / 2
    triangles = int(at.sum()) // 3
    local = np.where(degrees > 1, at / np.maximum(wedges, 1), 0)
    return Profile(
        edges=len(graph),
        degrees=degrees,
        triangles=triangles,
        global_clustering=3 * triangles / max(1.0, float(wedges.sum())),
        average_clustering=float(local.mean()) if local.size else 0.0,
        assortativity=_assortativity(graph),
        distances=distances(graph) if paths else np.zeros(0, dtype=np.int64),
        centrality=centrality(graph) if paths else np.zeros(0),
    )


def degree_divergence(raw: Integers, released: Integers) -> float:
    """The Kullback-Leibler divergence of the degrees, in nats; the release is smoothed by 1e-6 at each degree.

    >>> degree_divergence(np.array([1, 1, 2]), np.array([1, 1, 2])) < 1e-5
    True
    """
    size = int(max(raw.max(initial=0), released.max(initial=0))) + 1
    first, second = (np.bincount(side, minlength=size) / max(side.size, 1) for side in (raw, released))
    second = (second + SMOOTHING) / (second + SMOOTHING).sum()
    there = first > 0
    return float((first[there] * np.log(first[there] / second[there])).sum())


def divergence(raw: Integers, released: Integers) -> float:
    """The Kullback-Leibler divergence of two histograms, with a machine epsilon added on both sides (as in PGB)."""
    size = max(raw.size, released.size)
    shares = [np.pad(side.astype(np.float64), (0, size - side.size)) for side in (raw, released)]
    first, second = (side / max(side.sum(), 1e-300) for side in shares)
    tiny = np.finfo(np.float64).eps
    return float((first * np.log((first + tiny) / (second + tiny))).sum())


def _assortativity(graph: Graph) -> float:
    """The correlation of the degrees at the two ends of an edge."""
    degrees = graph.degrees.astype(np.float64)
    ends = [degrees[graph.sources], degrees[graph.targets]]
    if not len(graph) or np.ptp(np.concatenate(ends)) == 0:
        return 0.0
    first, second = np.concatenate(ends), np.concatenate(ends[::-1])
    return float(np.corrcoef(first, second)[0, 1])


def distances(graph: Graph) -> Integers:
    """The number of pairs at distance 0, 1, 2, ... from some vertices (all, in a small graph) to all; 64 searches at once."""
    size = graph.vertices
    order = np.argsort(scattered(np.arange(size), salt=41))[:SOURCES]
    connected = np.flatnonzero(graph.degrees)
    starts = graph.offsets[connected]
    found = np.zeros(LONGEST + 1, dtype=np.int64)
    for begin in range(0, order.size, 64):
        roots = order[begin : begin + 64]
        seen = np.zeros(size, dtype=np.uint64)
        seen[roots] = np.uint64(1) << np.arange(roots.size, dtype=np.uint64)
        frontier = seen.copy()
        found[0] += roots.size
        for distance in range(1, LONGEST + 1):
            if not connected.size:
                break
            reached = np.zeros(size, dtype=np.uint64)
            reached[connected] = np.bitwise_or.reduceat(frontier[graph.neighbours], starts)
            frontier = reached & ~seen
            new = int(np.bitwise_count(frontier).sum())
            if not new:
                break
            found[distance] += new
            seen |= frontier
    return np.trim_zeros(found, "b")


def centrality(graph: Graph) -> Reals:
    """The eigenvector centrality of each vertex, by power iteration."""
    size = graph.vertices
    vector = np.full(size, 1 / np.sqrt(max(size, 1)))
    for _ in range(300):
        following = vector.copy()
        following += np.bincount(graph.sources, weights=vector[graph.targets], minlength=size)
        following += np.bincount(graph.targets, weights=vector[graph.sources], minlength=size)
        following /= max(float(np.linalg.norm(following)), 1e-300)
        if np.abs(following - vector).sum() < size * 1e-9:
            break
        vector = following
    return vector


# Communities by modularity, and how well two partitions agree.
#
# The Louvain method (Blondel et al., 2008) with many vertices moved at once: in each round every second vertex, in a fixed
# random order, moves to the neighbouring community with the largest gain; each community then becomes one vertex of a smaller
# graph.


ROUNDS, LEVELS = 40, 12


def communities(graph: Graph) -> Integers:
    """The community of each vertex."""
    return weighted_communities(graph.sources, graph.targets, np.ones(len(graph)), np.zeros(graph.vertices))


def weighted_communities(sources: Integers, targets: Integers, weights: Reals, loops: Reals) -> Integers:
    """The community of each vertex, given different edges with their weights, and the weight inside each vertex."""
    size = loops.size
    labels = np.arange(size)
    for level in range(LEVELS):
        moved = _one_level(sources, targets, weights, loops, size, salt=level)
        names, moved = np.unique(moved, return_inverse=True)
        labels = moved[labels]
        if names.size == size:
            break
        loops = np.bincount(moved, weights=loops, minlength=names.size).astype(np.float64)
        first, second = moved[sources], moved[targets]
        inside = first == second
        loops += np.bincount(first[inside], weights=weights[inside], minlength=names.size)
        keys = np.minimum(first, second)[~inside] * names.size + np.maximum(first, second)[~inside]
        different, place = np.unique(keys, return_inverse=True)
        weights = np.bincount(place, weights=weights[~inside], minlength=different.size).astype(np.float64)
        sources, targets, size = different // names.size, different % names.size, names.size
    return labels.astype(np.int64)


def _one_level(sources: Integers, targets: Integers, weights: Reals, loops: Reals, size: int, *, salt: int) -> Integers:
    """Move vertices to the communities of their neighbours for as long as modularity grows."""
    ends, others, both = np.append(sources, targets), np.append(targets, sources), np.append(weights, weights)
    strength = np.bincount(ends, weights=both, minlength=size) + 2 * loops
    total = max(float(strength.sum()), 1e-300)
    labels = np.arange(size)
    for turn in range(ROUNDS):
        sums = np.bincount(labels, weights=strength, minlength=size)
        keys = np.append(ends * size + labels[others], np.arange(size) * size + labels)  # staying is always possible
        different, place = np.unique(keys, return_inverse=True)
        links = np.bincount(place, weights=np.append(both, np.zeros(size)), minlength=different.size)
        vertex, community = different // size, different % size
        own = community == labels[vertex]
        gain = links - strength[vertex] * (sums[community] - own * strength[vertex]) / total
        order = np.lexsort((community, -gain, vertex))
        best = order[np.append(True, vertex[order][1:] != vertex[order][:-1])]
        now = gain[own][np.searchsorted(vertex[own], vertex[best])]
        better = gain[best] > now + 1e-12
        turned = scattered(np.arange(size), salt=1000 * salt + turn) >> np.uint64(63) == 1
        chosen = best[better & turned]
        if not np.any(better):
            break
        labels = labels.copy()
        labels[vertex[chosen]] = community[chosen]
    return labels


def modularity(graph: Graph, labels: Integers) -> float:
    """The share of edges inside communities, minus the share that the degrees predict."""
    edges = max(len(graph), 1)
    inside = np.count_nonzero(labels[graph.sources] == labels[graph.targets])
    sums = np.bincount(labels, weights=graph.degrees)
    return float(inside / edges - ((sums / (2 * edges)) ** 2).sum())


def normalised_information(first: Integers, second: Integers) -> float:
    """The mutual information of two partitions, divided by the mean of their entropies.

    >>> normalised_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    size = int(second.max(initial=0)) + 1
    pairs, counts = np.unique(first * size + second, return_counts=True)
    shares = [np.bincount(side) / max(side.size, 1) for side in (first, second)]
    joint = counts / max(first.size, 1)
    information = (joint * np.log(joint / (shares[0][pairs // size] * shares[1][pairs % size]))).sum()
    entropy = sum(float(-(share[share > 0] * np.log(share[share > 0])).sum()) for share in shares)
    return round(float(2 * information / entropy), 12) if entropy > 0 else 1.0
