"""Communities by modularity, and how well two partitions agree.

The Louvain method (Blondel et al., 2008) with many vertices moved at once: in each round every second vertex, in a fixed random
order, moves to the neighbouring community with the largest gain; each community then becomes one vertex of a smaller graph.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.graphs import Graph
from tacita.arrays.scatter import scattered

__all__ = ["communities", "modularity", "normalised_information"]


ROUNDS, LEVELS = 40, 12


def communities(graph: Graph) -> Integers:
    """The community of each vertex."""
    labels = np.arange(graph.vertices)
    sources, targets = graph.sources, graph.targets
    weights: Reals = np.ones(len(graph))
    loops: Reals = np.zeros(graph.vertices)
    size = graph.vertices
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
