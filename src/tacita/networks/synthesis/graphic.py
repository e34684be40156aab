"""Degrees that a simple graph can have.

A list of degrees with an even sum belongs to a simple graph if and only if, for each k, the k largest add up to at most k (k - 1)
plus the sum of min(d, k) over the others (Erdős and Gallai, 1960). Where that fails, the largest degrees are too large: they give
up the excess, evenly.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers

__all__ = ["excess", "made_graphic"]


def made_graphic(degrees: Integers) -> Integers:
    """The same degrees where a simple graph can have them; otherwise the largest are lowered until one can.

    >>> made_graphic(np.array([3, 3, 1, 1])).tolist()
    [2, 2, 1, 1]
    """
    degrees = np.clip(degrees, 0, max(degrees.size - 1, 0)).astype(np.int64)
    if degrees.sum() % 2:
        degrees[int(np.argmax(degrees))] -= 1
    while True:
        too_much = excess(degrees)
        worst = int(np.argmax(too_much)) if too_much.size else 0
        if not too_much.size or too_much[worst] <= 0:
            return degrees
        falling = np.argsort(-degrees, kind="stable")
        give = int(too_much[worst]) + int(too_much[worst]) % 2  # in pairs, so that the sum stays even
        takers = falling[: worst + 1]
        each, more = divmod(give, takers.size)
        degrees[takers] -= each + (np.arange(takers.size) < more)
        degrees = np.maximum(degrees, 0)
        if degrees.sum() % 2:
            degrees[int(np.argmax(degrees))] -= 1


def excess(degrees: Integers) -> Integers:
    """For k = 1, 2, ..., by how much the k largest degrees pass the bound of Erdős and Gallai."""
    falling = np.sort(degrees)[::-1]
    k = np.arange(1, falling.size + 1)
    sums = np.concatenate([[0], np.cumsum(falling)])
    above = np.maximum(np.searchsorted(-falling, -k, side="right"), k)  # how many have at least k, but never fewer than k
    bound = k * (k - 1) + (above - k) * k + (sums[-1] - sums[above])
    return np.asarray(sums[1:] - bound, dtype=np.int64)
