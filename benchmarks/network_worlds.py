"""Simulated networks of several families, on which constants were chosen (CHOSEN_ON) and judged (JUDGED_ON)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tacita.networks import NetworkRecords
from tacita.public.universe import Universe

__all__ = ["CHOSEN_ON", "FAMILIES", "JUDGED_ON", "ego_network", "simulated"]

Edges = npt.NDArray[np.int64]
Generator = np.random.Generator


def preferential(generator: Generator, *, vertices: int, each: int, closing: float) -> tuple[int, Edges]:
    """Holme and Kim (2002): vertices join by degree, and close a triangle with some probability."""
    ends, edges, around = list(range(each)), [], [set[int]() for _ in range(vertices)]
    for new in range(each, vertices):
        last = -1
        for _ in range(each):
            near = sorted(around[last] - around[new] - {new}) if last >= 0 and generator.random() < closing else []
            last = int(near[generator.integers(len(near))]) if near else int(ends[generator.integers(len(ends))])
            if last != new and last not in around[new]:
                around[new].add(last)
                around[last].add(new)
                edges.append((new, last))
                ends += [new, last]
    return vertices, np.array(edges)


def blocks(generator: Generator, *, vertices: int, number: int, degree: int, inside: float) -> tuple[int, Edges]:
    """A block model: equal degrees, most edges within a block."""
    edges, size = int(vertices * degree / 2), vertices // number
    tails = generator.integers(0, vertices, edges)
    near = tails // size * size + generator.integers(0, size, edges)
    heads = np.where(generator.random(edges) < inside, np.minimum(near, vertices - 1), generator.integers(0, vertices, edges))
    return vertices, np.stack([tails, heads], axis=1)


def small_world(generator: Generator, *, vertices: int, degree: int, rewired: float) -> tuple[int, Edges]:
    """Watts and Strogatz (1998): a ring lattice, some of whose edges lead anywhere."""
    tails = np.repeat(np.arange(vertices), degree // 2)
    heads = (tails + np.tile(np.arange(1, degree // 2 + 1), vertices)) % vertices
    heads = np.where(generator.random(heads.size) < rewired, generator.integers(0, vertices, heads.size), heads)
    return vertices, np.stack([tails, heads], axis=1)


def roads(generator: Generator, *, side: int) -> tuple[int, Edges]:
    """A grid without some of its edges, and with a few diagonals."""
    place = np.arange(side * side).reshape(side, side)
    straight = np.concatenate(
        [
            np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()], axis=1),
            np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1),
        ]
    )
    diagonal = np.stack([place[:-1, :-1].ravel(), place[1:, 1:].ravel()], axis=1)
    kept = [generator.random(len(part)) < share for part, share in ((straight, 0.72), (diagonal, 0.04))]
    return side * side, np.concatenate([straight[kept[0]], diagonal[kept[1]]])


def affiliation(generator: Generator, *, vertices: int, papers: int, more: float, exponent: float) -> tuple[int, Edges]:
    """Co-authorship: papers of a few authors, seldom of many, by fields and productivity."""
    weights = (1 - generator.random(vertices)) ** (-1 / exponent)
    field = generator.integers(0, 60, vertices)
    members = [np.flatnonzero(field == each) for each in range(60)]
    found = []
    for _ in range(papers):
        pool = members[generator.integers(60)]
        size = int(generator.integers(10, 40)) if generator.random() < 0.01 else 2 + min(int(generator.poisson(more)), 12)
        authors = generator.choice(pool, min(size, pool.size), replace=False, p=weights[pool] / weights[pool].sum())
        first, second = np.triu_indices(authors.size, 1)
        found.append(np.stack([authors[first], authors[second]], axis=1))
    return vertices, np.concatenate(found)


def hubs(generator: Generator, *, vertices: int, edges: int) -> tuple[int, Edges]:
    """Degrees by a power law, and nothing else."""
    weights = np.minimum((1 - generator.random(vertices)) ** (-1 / 1.1), 300)
    return vertices, generator.choice(vertices, (edges, 2), p=weights / weights.sum())


def two_sides(generator: Generator, *, vertices: int, edges: int) -> tuple[int, Edges]:
    """Edges between two halves only: no triangle at all."""
    half = vertices // 2
    return vertices, np.stack([generator.integers(0, half, edges), generator.integers(half, vertices, edges)], axis=1)


FAMILIES: dict[str, Callable[[Generator], tuple[int, Edges]]] = {
    "preferential": lambda g: preferential(g, vertices=5000, each=4, closing=0.6),
    "blocks": lambda g: blocks(g, vertices=4000, number=80, degree=12, inside=0.6),
    "small world": lambda g: small_world(g, vertices=4000, degree=8, rewired=0.1),
    "roads": lambda g: roads(g, side=80),
    "affiliation": lambda g: affiliation(g, vertices=6000, papers=5200, more=1.2, exponent=1.8),
    "hubs": lambda g: hubs(g, vertices=6000, edges=60_000),
    "two sides": lambda g: two_sides(g, vertices=5000, edges=20_000),
    "preferential, dense": lambda g: preferential(g, vertices=3000, each=10, closing=0.3),
    "blocks, sparse": lambda g: blocks(g, vertices=6000, number=300, degree=8, inside=0.8),
    "small world, sparse": lambda g: small_world(g, vertices=5000, degree=4, rewired=0.02),
    "affiliation, sparse": lambda g: affiliation(g, vertices=9000, papers=9000, more=0.8, exponent=2.5),
}
CHOSEN_ON = ("affiliation", "hubs", "preferential")
JUDGED_ON = tuple(name for name in FAMILIES if name not in CHOSEN_ON)


def simulated(name: str) -> NetworkRecords:
    """One network of a family; the same each time."""
    vertices, edges = FAMILIES[name](np.random.default_rng(5))
    universe = Universe([str(number) for number in range(vertices)])
    return NetworkRecords.from_codes(edges[:, 0], edges[:, 1], universe=universe, name=name)


def ego_network(*, egos: int = 10, friends: int = 200, degree: int = 20, mixing: float = 0.08) -> NetworkRecords:
    """Friends of a few egos, with ids in the order of their egos, as in collections of ego networks."""
    generator = np.random.default_rng(7)
    vertices = egos * (friends + 1)
    own = np.repeat(np.arange(egos), friends + 1)
    first = np.flatnonzero(np.arange(vertices) % (friends + 1))
    tails = np.repeat(first, degree // 2)
    inside = own[tails] * (friends + 1) + generator.integers(1, friends + 1, tails.size)
    heads = np.where(generator.random(tails.size) < mixing, generator.integers(0, vertices, tails.size), inside)
    tails, heads = np.concatenate([tails, first]), np.concatenate([heads, own[first] * (friends + 1)])
    universe = Universe([str(number) for number in range(vertices)])
    return NetworkRecords.from_codes(tails, heads, universe=universe, name="egos")
