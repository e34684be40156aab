"""Noisy forests for tests: hypothesis strategies, large public ones, and what must hold of estimates on them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from tacita.testing import public_generator
from tacita.trees import NoisyTree, TreeLevel


@st.composite
def parent_lists(draw, *, highest=5, widest=6):
    """Parents of each level, in order; levels may run empty."""
    sizes = [draw(st.integers(0, widest))]
    parents = [np.zeros(sizes[0], dtype=np.int64)]
    for _ in range(draw(st.integers(0, highest - 1))):
        above = sizes[-1]
        level = sorted(draw(st.lists(st.integers(0, above - 1), max_size=widest))) if above else []
        parents.append(np.array(level, dtype=np.int64))
        sizes.append(len(level))
    return parents


@st.composite
def forests(draw, *, least=-20, most=60, values=None):
    """Parents and values of each level."""
    parents = draw(parent_lists())
    values = st.integers(least, most) if values is None else values
    return parents, [np.array(draw(each(level, values)), dtype=np.float64) for level in parents]


def each(level, values):
    """One of `values` for each node of a level."""
    return st.lists(values, min_size=level.size, max_size=level.size)


def variances_of(draw, parents):
    """Variances of very different sizes, one a node."""
    return [np.array(draw(each(level, st.sampled_from([0.01, 0.25, 1.0, 3.0, 50.0]))), dtype=np.float64) for level in parents]


def noisy_tree(parents, counts):
    """A tree of these counts, with symbols in order below each parent."""
    levels = []
    for level, values in zip(parents, counts, strict=True):
        symbols = np.arange(level.size) - np.searchsorted(level, level)
        levels.append(TreeLevel(level, symbols, np.asarray(values, dtype=np.int64)))
    return NoisyTree(tuple(levels))


def children_sums(parents, values):
    """For each node of each level, the sum over its children."""
    sums = [np.zeros_like(level) for level in values]
    for above, level, children in zip(sums, parents[1:], values[1:], strict=False):
        np.add.at(above, level, children)
    return sums


def consistent(parents, values):
    """Whether nothing is negative and no children outnumber their parent."""
    pairs = zip(values, children_sums(parents, values), strict=True)
    return all(bool(np.all(level >= np.maximum(children, 0))) for level, children in pairs)


def large_forest(*, nodes, height, scale, seed=0):
    """Parents, true and noisy counts of a public random forest: few parents have many children."""
    generator = public_generator(seed)
    shape = np.minimum(1.9 ** np.arange(height), 40 * 0.8 ** np.arange(height))
    sizes = np.maximum(shape / shape.sum() * nodes, 1).astype(np.int64)
    parents = [np.zeros(sizes[0], dtype=np.int64)]
    for above, size in pairwise(sizes):
        parents.append(np.sort((generator.random(size) ** 2 * above).astype(np.int64)))
    true = [generator.geometric(0.05, size) - 1.0 for size in sizes]
    for level in range(height - 1, 0, -1):
        true[level - 1] += np.bincount(parents[level], true[level], sizes[level - 1])
    return parents, true, [level + np.rint(generator.laplace(0, scale, level.size)) for level in true]
