"""Simulated networks of several families, on which constants were chosen (CHOSEN_ON) and judged (JUDGED_ON), and SHAPES."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacita.io import observed_vertices
from tacita.networks import NetworkRecords, read_network
from tacita.public.universe import Universe

__all__ = ["CHOSEN_ON", "FAMILIES", "HARD", "JUDGED_ON", "REAL", "SHAPES", "USERS", "ego_network", "real", "simulated"]

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


def stars(generator: Generator, *, centres: int, leaves: int) -> tuple[int, Edges]:
    """Stars whose centres know each other."""
    vertices = centres * (leaves + 1)
    outer = np.arange(centres, vertices)
    first, second = np.triu_indices(centres, 1)
    known = generator.random(first.size) < 0.3
    rays = np.stack([(outer - centres) // leaves, outer], axis=1)
    return vertices, np.concatenate([rays, np.stack([first[known], second[known]], axis=1)])


def households(generator: Generator, *, number: int, links: int) -> tuple[int, Edges]:
    """Households of 3 to 8 people who all know each other, and a few links between any two people."""
    sizes = generator.integers(3, 9, number)
    starts, found = np.cumsum(sizes) - sizes, []
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        first, second = np.triu_indices(size, 1)
        found.append(np.stack([start + first, start + second], axis=1))
    vertices = int(sizes.sum())
    return vertices, np.concatenate([*found, generator.integers(0, vertices, (links, 2))])


def uniform(generator: Generator, *, vertices: int, edges: int) -> tuple[int, Edges]:
    """Any two vertices alike."""
    return vertices, generator.integers(0, vertices, (edges, 2))


def sellers(generator: Generator, *, buyers: int, sellers: int, edges: int) -> tuple[int, Edges]:
    """Buyers and a few sellers of unequal size: no triangle at all."""
    weights = 1 / np.arange(1, sellers + 1)
    chosen = generator.choice(sellers, edges, p=weights / weights.sum())
    return buyers + sellers, np.stack([chosen, sellers + generator.integers(0, buyers, edges)], axis=1)


def core(generator: Generator, *, inner: int, outer: int) -> tuple[int, Edges]:
    """A dense core; all others know two of it."""
    first, second = np.triu_indices(inner, 1)
    known = generator.random(first.size) < 0.5
    around = np.stack([np.repeat(np.arange(inner, inner + outer), 2), generator.integers(0, inner, 2 * outer)], axis=1)
    return inner + outer, np.concatenate([np.stack([first[known], second[known]], axis=1), around])


def tree(generator: Generator, *, vertices: int) -> tuple[int, Edges]:
    """Each vertex joins one that was there before."""
    new = np.arange(1, vertices)
    return vertices, np.stack([new, (generator.random(vertices - 1) * new).astype(np.int64)], axis=1)


def grid(_: Generator, *, side: int) -> tuple[int, Edges]:
    """A whole square grid."""
    place = np.arange(side * side).reshape(side, side)
    rows, columns = (place[:, :-1].ravel(), place[:, 1:].ravel()), (place[:-1].ravel(), place[1:].ravel())
    return side * side, np.concatenate([np.stack(rows, axis=1), np.stack(columns, axis=1)])


def unequal_blocks(generator: Generator, *, vertices: int, edges: int) -> tuple[int, Edges]:
    """A block model whose blocks are of very unequal sizes and densities."""
    sizes = np.maximum(2, (vertices * 0.5 ** np.arange(1, 7)).astype(np.int64))
    ends = np.cumsum(sizes)
    block = generator.integers(0, sizes.size, edges)
    inside = (ends - sizes)[block, np.newaxis] + (generator.random((edges, 2)) * sizes[block, np.newaxis]).astype(np.int64)
    anywhere = generator.integers(0, vertices, (edges, 2))
    return vertices, np.where(generator.random(edges)[:, np.newaxis] < 0.8, inside, anywhere)


def near_points(generator: Generator, *, vertices: int, radius: float) -> tuple[int, Edges]:
    """Points in a square; those that are near each other are joined."""
    places = generator.random((vertices, 2))
    first, second = np.triu_indices(vertices, 1)
    near = ((places[first] - places[second]) ** 2).sum(axis=1) < radius * radius
    return vertices, np.stack([first[near], second[near]], axis=1)


def casts(generator: Generator, *, actors: int, films: int) -> tuple[int, Edges]:
    """Who was in a film with whom; a few are in many films."""
    weights = 1 / np.sqrt(1 + np.arange(actors))
    found = []
    for _ in range(films):
        cast = generator.choice(actors, int(generator.integers(3, 12)), replace=False, p=weights / weights.sum())
        first, second = np.triu_indices(cast.size, 1)
        found.append(np.stack([cast[first], cast[second]], axis=1))
    return actors, np.concatenate(found)


def egos(generator: Generator, *, number: int, friends: int) -> tuple[int, Edges]:
    """Circles of friends around a few egos, some of whom share friends."""
    vertices, found = number * (friends + 1), []
    for ego in range(number):
        own = ego * (friends + 1) + np.arange(1, friends + 1)
        circle = generator.integers(0, 6, friends)
        first, second = np.triu_indices(friends, 1)
        joined = generator.random(first.size) < np.where(circle[first] == circle[second], 0.4, 0.02)
        found += [np.stack([own[first[joined]], own[second[joined]]], axis=1), np.stack([own * 0 + own[0] - 1, own], axis=1)]
    return vertices, np.concatenate([*found, generator.integers(0, vertices, (vertices // 4, 2))])


def circles(generator: Generator, *, vertices: int, groups: int, edges: int, inside: float) -> tuple[int, Edges]:
    """A social network: groups of unequal size around one person each, in which circles of 5 to 160 people overlap.

    Circles are added until there are so many edges; a share `inside` of the pairs of a circle know each other, and who is active
    is in more circles. One edge of a hundred leads anywhere.
    """
    shares = 0.75 ** np.arange(groups)
    group = np.sort(generator.choice(groups, vertices, p=shares / shares.sum()))
    active = (1 - generator.random(vertices)) ** -0.6
    members = [np.flatnonzero(group == each) for each in range(groups)]
    found = [np.stack([np.full(own.size - 1, own[0]), own[1:]], axis=1) for own in members if own.size > 1]
    keys = np.unique(np.concatenate(found) @ np.array([vertices, 1]))
    while keys.size < edges:
        own = members[group[generator.integers(vertices)]]
        size = min(own.size, int(5 * (1 - generator.random()) ** -0.8), 160)
        circle = np.sort(generator.choice(own, size, replace=False, p=active[own] / active[own].sum()))
        first, second = np.triu_indices(size, 1)
        known = generator.random(first.size) < inside
        keys = np.unique(np.concatenate([keys, circle[first[known]] * vertices + circle[second[known]]]))
    anywhere = generator.integers(0, vertices, (edges // 100, 2))
    return vertices, np.concatenate([np.stack([keys // vertices, keys % vertices], axis=1), anywhere])


def films(generator: Generator, *, users: int, films: int, edges: int) -> tuple[int, Edges]:
    """Users and films, both of unequal size: who is active sees more of the films that few see. The users come first."""
    active = (1 - generator.random(users)) ** -0.7
    who = generator.choice(users, 2 * edges, p=active / active.sum())
    rank = films * generator.random(2 * edges) ** (3.5 - np.minimum(active[who], 6) / 4)
    keys = np.unique(who * films + rank.astype(np.int64))
    keys = generator.choice(keys, min(edges, keys.size), replace=False)
    return users + films, np.stack([keys // films, users + keys % films], axis=1)


def power_grid(generator: Generator, *, vertices: int, edges: int, closed: float) -> tuple[int, Edges]:
    """Lines between places that are near each other; hardly any triangle beyond a share of closed pairs."""
    spots = generator.random((vertices, 2))
    reach = 2.2 / np.sqrt(vertices)
    cells = [tuple(cell) for cell in np.floor(spots / reach).astype(np.int64).tolist()]
    by_cell: dict[tuple[int, int], list[int]] = {}
    around: list[set[int]] = [set() for _ in range(vertices)]
    for new, (row, column) in enumerate(cells):
        near = [v for i in (-1, 0, 1) for j in (-1, 0, 1) for v in by_cell.get((row + i, column + j), [])]
        near.sort(key=lambda v: float(((spots[v] - spots[new]) ** 2).sum()))
        for v in near[:1] or ([int(generator.integers(new))] if new else []):
            around[new].add(v)
            around[v].add(new)
        by_cell.setdefault((row, column), []).append(new)
    missing = edges - sum(map(len, around)) // 2
    while missing > 0:
        u = int(generator.integers(vertices))
        two = sorted({b for a in around[u] for b in around[a]} - around[u] - {u})
        three = sorted({c for b in two for c in around[b]} - around[u] - set(two) - {u})
        pool = two if generator.random() < closed else three
        if pool:
            v = pool[int(generator.integers(len(pool)))]
            around[u].add(v)
            around[v].add(u)
            missing -= 1
    return vertices, np.array([(u, v) for u in range(vertices) for v in around[u] if u < v])


def airports(generator: Generator, *, vertices: int, core: int, edges: int) -> tuple[int, Edges]:
    """A few hubs that nearly all know each other, regions around them, and routes that prefer hubs."""
    first, second = np.triu_indices(core, 1)
    known = generator.random(first.size) < 0.8
    weights = np.concatenate([np.full(core, 40.0), (1 - generator.random(vertices - core)) ** -0.9])
    region = generator.integers(0, 12, vertices)
    tails = generator.integers(core, vertices, edges)
    heads = generator.choice(vertices, edges, p=weights / weights.sum())
    keep = (region[tails] == region[heads]) | (heads < core) | (generator.random(edges) < 0.1)
    return vertices, np.concatenate(
        [np.stack([first[known], second[known]], axis=1), np.stack([tails[keep], heads[keep]], axis=1)]
    )


USERS = 943
"""How many vertices of `films` are users; they come first."""

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
SHAPES: dict[str, Callable[[Generator], tuple[int, Edges]]] = {
    "stars": lambda g: stars(g, centres=40, leaves=30),
    "households": lambda g: households(g, number=250, links=300),
    "dense": lambda g: uniform(g, vertices=200, edges=6000),
    "sellers": lambda g: sellers(g, buyers=1500, sellers=200, edges=6000),
    "core": lambda g: core(g, inner=60, outer=1500),
    "60 vertices": lambda g: uniform(g, vertices=60, edges=120),
    "tree": lambda g: tree(g, vertices=1500),
    "grid": lambda g: grid(g, side=40),
    "unequal blocks": lambda g: unequal_blocks(g, vertices=1200, edges=7000),
    "points": lambda g: near_points(g, vertices=1500, radius=0.05),
    "casts": lambda g: casts(g, actors=1500, films=400),
    "egos": lambda g: egos(g, number=10, friends=120),
    "power-law clusters": lambda g: preferential(g, vertices=1500, each=3, closing=0.9),
    "isolated": lambda g: (3000, uniform(g, vertices=300, edges=900)[1]),
}
"""Smaller networks that are quite unlike each other, to look for what a simpler method does better."""

HARD: dict[str, Callable[[Generator], tuple[int, Edges]]] = {
    "social": lambda g: circles(g, vertices=4039, groups=10, edges=87_000, inside=0.7),
    "clustered": lambda g: circles(g, vertices=5200, groups=60, edges=30_700, inside=0.8),
    "films": lambda g: films(g, users=USERS, films=1682, edges=100_000),
    "power grid": lambda g: power_grid(g, vertices=4941, edges=6594, closed=0.22),
    "airports": lambda g: airports(g, vertices=3000, core=60, edges=30_000),
}
"""Shapes on which `shape` was slow or wrong: clustered, two-sided, with few triangles, with a core of hubs."""

CHOSEN_ON = ("affiliation", "hubs", "preferential")
JUDGED_ON = tuple(name for name in FAMILIES if name not in CHOSEN_ON)


REAL = {"ca-GrQc": "CA-GrQc.txt.gz", "ca-HepTh": "CA-HepTh.txt.gz", "wiki-Vote": "Wiki-Vote.txt.gz"}
"""Real graphs, of SNAP."""


def real(name: str) -> NetworkRecords:
    """A graph of SNAP, with its vertices as they are numbered there."""
    path = Path(os.environ["TACITA_DATA"]) / "snap_graphs" / REAL[name]
    return read_network(path, universe=Universe(sorted(observed_vertices(path), key=int)), name=name)


def simulated(name: str) -> NetworkRecords:
    """One network of a family; the same each time."""
    vertices, edges = (FAMILIES | SHAPES | HARD)[name](np.random.default_rng(5))
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
