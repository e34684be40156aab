"""From consistent real counts to consistent whole ones.

From the top: a first-level count is rounded to the nearest whole number; the children of a node share the whole number nearest to
their sum, or their parent's if that is smaller. Each child gets its whole part, and those with the largest fractions get one
more; among equal fractions the smaller label comes first. The whole parts of the children never exceed the parent's, so there is
always enough to share out, and no count moves by 1 or more.

All of this is done in whole multiples of 2^-20, so that neither a tie nor a constraint depends on the last bit of a sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.trees.noisy_tree import sum_wholes

__all__ = ["LARGEST_COUNT", "consistent_integers"]

LARGEST_COUNT = 2**36
"""Larger estimates are cut to this, which is more than the number of people on earth."""

_BITS = 20
_ONE = 1 << _BITS
_HALF = _ONE >> 1


def consistent_integers(parents: Sequence[Integers], values: Sequence[Reals]) -> list[Integers]:
    """Non-negative whole numbers near `values` such that no children add up to more than their parent.

    `values` must have these properties themselves, up to rounding errors; nodes are ordered by parent, then by label. The
    result differs from `values` by less than 1, apart from 2^-20 times the number of nodes below.
    """
    steps = _consistent_steps(parents, values)
    rounded: list[Integers] = []
    for level, fine in enumerate(steps):
        if level:
            rounded.append(_share_out(rounded[-1], parents[level], fine))
        else:
            rounded.append((fine + _HALF) >> _BITS)
    return rounded


def _consistent_steps(parents: Sequence[Integers], values: Sequence[Reals]) -> list[Integers]:
    """The values in steps of 2^-20, each at least the sum of its children."""
    steps: list[Integers] = []
    children: Integers | int = 0
    for level in range(len(values) - 1, -1, -1):
        nearest = np.rint(np.clip(values[level], 0, LARGEST_COUNT) * _ONE).astype(np.int64)
        steps.append(np.maximum(nearest, children))
        if level:
            children = sum_wholes(steps[-1], parents[level], size=values[level - 1].size)
    return steps[::-1]


def _share_out(above: Integers, parents: Integers, steps: Integers) -> Integers:
    """Round the children of one level, given the rounded counts of their parents."""
    whole = steps >> _BITS
    target = np.minimum(above, (sum_wholes(steps, parents, size=above.size) + _HALF) >> _BITS)
    extra = target - sum_wholes(whole, parents, size=above.size)
    fraction = steps & (_ONE - 1)
    open_ = np.flatnonzero((fraction > 0) & (extra[parents] > 0))
    order = open_[np.argsort(parents[open_] * _ONE - fraction[open_], kind="stable")]  # by parent, largest fraction, label
    owners = parents[order]
    rank = np.arange(order.size) - np.searchsorted(owners, owners)
    whole[order] += rank < extra[owners]
    return whole
