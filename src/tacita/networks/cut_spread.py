"""How much the number of edges between two sets of vertices varies among networks with the same degrees.

The ends of all edges are matched at random (the configuration model). An end is in the first set only, in the second only, in
both or in neither; with n the numbers of ends in these four classes, N their sum and K(x, y) = 1 where an edge between classes x
and y counts, the number X of edges that count has

    E[X]        = N/2 * p1,  p1 = sum of K(x, y) n_x n_y                  over ordered pairs of ends,     / (N)_2
    E[X(X - 1)] = N/2 (N/2 - 1) * p2, p2 = sum of K(x, y) K(z, w) n_x n_y n_z n_w over ordered fours, / (N)_4

where each further end of a class is one of those that are left.
"""

from __future__ import annotations

from itertools import product

__all__ = ["matching_variance"]

_FIRST, _SECOND, _BOTH, _NEITHER = range(4)
_COUNTS = {
    (x, y)
    for x, y in product(range(4), repeat=2)
    if (x in (_FIRST, _BOTH) and y in (_SECOND, _BOTH)) or (y in (_FIRST, _BOTH) and x in (_SECOND, _BOTH))
}


def matching_variance(ends: tuple[float, float, float, float]) -> float:
    """The variance of the number of edges between both sets, from the ends in the first only, second only, both and neither.

    >>> round(matching_variance((1, 1, 0, 2)), 4)  # four ends: the two are matched with probability 1/3
    0.2222
    """
    total = sum(ends)
    if total < 4:
        return 0.0
    one = sum(_chance(pair, ends) for pair in _COUNTS)
    two = sum(_chance((*first, *second), ends) for first, second in product(_COUNTS, repeat=2))
    edges = total / 2
    mean = edges * one
    return max(0.0, edges * (edges - 1) * two + mean - mean * mean)


def _chance(classes: tuple[int, ...], ends: tuple[float, float, float, float]) -> float:
    """The probability that ends drawn one after the other are of these classes."""
    chance, total = 1.0, sum(ends)
    for drawn, each in enumerate(classes):
        chance *= max(0.0, ends[each] - classes[:drawn].count(each)) / (total - drawn)
    return chance
