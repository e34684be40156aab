"""The two-phase estimate of the papers, as published.

Phase one: on every path from the first level to a leaf, find the nearest counts that do not grow on the way down (isotonic
regression); each node gets the mean over the paths through it. Phase two, from the top: if the children of a node add up to more
than the node, each of them is lowered by the same amount until they do not.

Kept for comparison, with its flaws. The paths through a node share its counts, so their mean is not a mean of independent
estimates. Phase two can make counts negative, and then another child larger than its parent: a parent of 30 with children of 30,
30 and 150 becomes 50 with -3.33, -3.33 and 56.67. Rounding breaks the sums as well: 30 with 30, 30 and 32 becomes 30.33 with
9.78, 9.78 and 10.78, which is 30 with 10, 10 and 11 in whole numbers. "It is easy to see that the consistency constraints are
respected" does not hold; `least_squares` respects them.

Reference: Chen, Fung and Desai, *Differentially private trajectory data publication*, section IV-B; Chen, Fung, Desai and
Sossou, KDD 2012; Chen's thesis, Theorem 6.3. By that theorem the estimate of node u on the path to a leaf is the largest value,
among the nodes v from u down to the leaf, of the smallest mean of counts from v up to an ancestor. The smallest mean belongs to
v alone, whatever the leaf: it is computed once per node.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.trees.noisy_tree import sum_reals

__all__ = ["two_phase_estimate"]


def two_phase_estimate(parents: Sequence[Integers], counts: Sequence[Reals]) -> list[Reals]:
    """The published estimate, level by level: real numbers that may be negative or larger than their parent's."""
    intermediate = _means_over_leaves(parents, _smallest_means(parents, counts))
    estimates = intermediate[:1]
    for above, level_parents, values in zip(intermediate[:-1], parents[1:], intermediate[1:], strict=True):
        children = np.maximum(np.bincount(level_parents, minlength=above.size), 1)
        excess = estimates[-1] - sum_reals(values, level_parents, size=above.size)
        estimates.append(values + np.minimum(0.0, excess / children)[level_parents])
    return estimates


def _smallest_means(parents: Sequence[Integers], counts: Sequence[Reals]) -> list[Reals]:
    """For each node, the smallest mean of the counts from it up to one of its ancestors (or itself)."""
    smallest: list[Reals] = []
    for level, count in enumerate(counts):
        least, total, node = count.copy(), count.copy(), np.arange(count.size)
        for length, higher in enumerate(range(level - 1, -1, -1), start=2):
            node = parents[higher + 1][node]
            total += counts[higher][node]
            np.minimum(least, total / length, out=least)
        smallest.append(least)
    return smallest


def _means_over_leaves(parents: Sequence[Integers], smallest: Sequence[Reals]) -> list[Reals]:
    """For each node, the mean, over the leaves below it, of the largest `smallest` on the path down to the leaf."""
    means: list[Reals] = []
    node = np.zeros(0, dtype=np.int64)  # the ancestor, on this level, of every leaf below it
    largest = np.zeros(0)  # for every leaf, the largest value from that ancestor down
    for level in range(len(smallest) - 1, -1, -1):
        size = smallest[level].size
        has_children = np.zeros(size, dtype=np.bool_)
        has_children[node] = True
        leaves = np.flatnonzero(~has_children)
        node, largest = np.concatenate([node, leaves]), np.concatenate([largest, smallest[level][leaves]])
        largest = np.maximum(largest, smallest[level][node])
        means.append(sum_reals(largest, node, size=size) / np.bincount(node, minlength=size))
        node = parents[level][node] if level else node
    return means[::-1]
