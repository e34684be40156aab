"""Exact least squares on a noisy forest: no count is negative, and no children add up to more than their parent.

The estimate minimises the sum of (x - count)^2 / variance over all nodes, subject to x >= the sum of x over the children of a
node (so x >= 0 at a leaf). All that has to be found is which of these inequalities are tight: given that, each tight part is the
problem of Hay et al., solved by one pass up and one pass down.

Let mu be the multipliers of the inequalities. The slack of node v is then

    slack_v = count_v - sum of count_u + (variance_v + sum of variance_u) mu_v - sum of variance_u mu_u - variance_v mu_parent

over its children u, and mu >= 0, slack >= 0, mu * slack = 0: a linear complementarity problem whose matrix has the shape of
the tree, a positive diagonal and nothing positive off it (an M-matrix). For such matrices, a node whose slack is negative while
some of the truly tight nodes are held tight is itself truly tight (Chandrasekaran, 1970). So the set of tight nodes only ever
grows, and when nothing is left to add, it is the solution. Nodes are added within the passes, level by level, so that a violation
spreads along a whole path in one pass: trees of a million nodes take four to seven rounds, each of a few array operations per
level.

Departs from the two phases of Chen, Fung and Desai, whose result breaks the constraints (see `two_phase`).
Reference: R. Chandrasekaran, *A special case of the complementary pivot problem*, Opsearch 7, 1970; M. Hay, V. Rastogi,
G. Miklau and D. Suciu, *Boosting the accuracy of differentially private histograms through consistency*, PVLDB 2010.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.trees.noisy_tree import sum_reals

__all__ = ["constrained_least_squares"]


def constrained_least_squares(parents: Sequence[Integers], counts: Sequence[Reals], variances: Sequence[Reals]) -> list[Reals]:
    """The nearest consistent counts, level by level; each distance is weighted by the inverse of its node's variance.

    `parents[i]` gives, for each node of level i, the index of its parent on the level before (for the first level it is
    ignored). Variances are positive; only their ratios matter.
    """
    tight = [np.zeros(count.size, dtype=np.bool_) for count in counts]
    while True:
        gaps, spreads = _pass_up(parents, counts, variances, tight)
        estimates, growing = _pass_down(parents, counts, variances, (gaps, spreads, tight))
        if not growing:
            return _without_rounding_errors(parents, estimates)


def _pass_up(
    parents: Sequence[Integers], counts: Sequence[Reals], variances: Sequence[Reals], tight: list[Booleans]
) -> tuple[list[Reals], list[Reals]]:
    """Pool each tight node with its children, from the leaves up, and hold tight every node whose children add up to more.

    A node's gap is its count minus the best estimates of its children's counts; its spread is the variance of that difference.
    """
    gaps, spreads = [], []
    children_count: Reals | float = 0.0
    children_variance: Reals | float = 0.0
    for level in range(len(counts) - 1, -1, -1):
        gap = counts[level] - children_count
        spread = variances[level] + children_variance
        tight[level] |= gap < 0
        share = np.where(tight[level], variances[level] / spread, 0.0)
        if level:
            size = counts[level - 1].size
            children_count = sum_reals(counts[level] - share * gap, parents[level], size=size)
            children_variance = sum_reals(variances[level] * (1 - share), parents[level], size=size)
        gaps.append(gap)
        spreads.append(spread)
    return gaps[::-1], spreads[::-1]


def _pass_down(
    parents: Sequence[Integers],
    counts: Sequence[Reals],
    variances: Sequence[Reals],
    pooled: tuple[list[Reals], list[Reals], list[Booleans]],
) -> tuple[list[Reals], bool]:
    """Compute multipliers and estimates from the top, and hold tight every node left without slack by its parent's multiplier.

    Also says whether anything was added; if so, the estimates are not final.
    """
    estimates: list[Reals] = []
    growing = False
    multipliers: Reals = np.zeros(1)
    for level, (gap, spread, held) in enumerate(zip(*pooled, strict=True)):
        above = multipliers[parents[level]] if level else multipliers[0]
        pull = variances[level] * above - gap
        added = (pull > 0) & ~held
        growing = growing or bool(added.any())
        np.logical_or(held, added, out=held)
        multipliers = np.maximum(pull, 0.0) / spread
        estimates.append(counts[level] + variances[level] * (multipliers - above))
    return estimates, growing


def _without_rounding_errors(parents: Sequence[Integers], estimates: list[Reals]) -> list[Reals]:
    """Raise each estimate to the sum of its children (0 at a leaf) if rounding left it slightly below."""
    children: Reals | float = 0.0
    for level in range(len(estimates) - 1, -1, -1):
        estimates[level] = np.maximum(estimates[level], children)
        if level:
            children = sum_reals(estimates[level], parents[level], size=estimates[level - 1].size)
    return estimates
