"""Better counts from a noisy tree alone: what the papers call constrained inference, chosen by name.

In this order: the two-phase estimate of the papers, which breaks the constraints and is kept for comparison; exact least squares,
which respects them; rounding to whole numbers that respect them too; and `estimate`, which applies the one that `Inference`
names. The correction that `corrected` makes first is `without_false_nodes` of `noisy_tree`.

Nothing here costs any budget: it sees only the noisy tree and public figures. Nodes come in the order of their labels, so no tie
reveals where a node came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.errors import ParameterError
from tacita.trees.noisy_tree import NoisyTree, sum_reals, sum_wholes, without_false_nodes

__all__ = [
    "LARGEST_COUNT",
    "Inference",
    "LevelNoise",
    "consistent_integers",
    "constrained_least_squares",
    "estimate",
    "two_phase_estimate",
]


# The two-phase estimate of the papers, as published.
#
# Phase one: on every path from the first level to a leaf, find the nearest counts that do not grow on the way down (isotonic
# regression); each node gets the mean over the paths through it. Phase two, from the top: if the children of a node add up to
# more than the node, each of them is lowered by the same amount until they do not.
#
# Kept for comparison, with its flaws. The paths through a node share its counts, so their mean is not a mean of independent
# estimates. Phase two can make counts negative, and then another child larger than its parent: a parent of 30 with children of
# 30, 30 and 150 becomes 50 with -3.33, -3.33 and 56.67. Rounding breaks the sums as well: 30 with 30, 30 and 32 becomes 30.33
# with 9.78, 9.78 and 10.78, which is 30 with 10, 10 and 11 in whole numbers. "It is easy to see that the consistency
# constraints are respected" does not hold; `constrained_least_squares` respects them.
#
# Reference: Chen, Fung and Desai, *Differentially private trajectory data publication*, section IV-B; Chen, Fung, Desai and
# Sossou, KDD 2012; Chen's thesis, Theorem 6.3. By that theorem the estimate of node u on the path to a leaf is the largest
# value, among the nodes v from u down to the leaf, of the smallest mean of counts from v up to an ancestor. The smallest mean
# belongs to v alone, whatever the leaf: it is computed once per node.


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


# Exact least squares on a noisy forest: no count is negative, and no children add up to more than their parent.
#
# The estimate minimises the sum of (x - count)^2 / variance over all nodes, subject to x >= the sum of x over the children of a
# node (so x >= 0 at a leaf). All that has to be found is which of these inequalities are tight: given that, each tight part is
# the problem of Hay et al., solved by one pass up and one pass down.
#
# Let mu be the multipliers of the inequalities. The slack of node v is then
#
#     slack_v = count_v - sum of count_u + (variance_v + sum of variance_u) mu_v - sum of variance_u mu_u - variance_v mu_parent
#
# over its children u, and mu >= 0, slack >= 0, mu * slack = 0: a linear complementarity problem whose matrix has the shape of
# the tree, a positive diagonal and nothing positive off it (an M-matrix). For such matrices, a node whose slack is negative
# while some of the truly tight nodes are held tight is itself truly tight (Chandrasekaran, 1970). So the set of tight nodes
# only ever grows, and when nothing is left to add, it is the solution. Nodes are added within the passes, level by level, so
# that a violation spreads along a whole path in one pass: trees of a million nodes take four to seven rounds, each of a few
# array operations per level.
#
# Departs from the two phases of Chen, Fung and Desai, whose result breaks the constraints (see `two_phase_estimate`).
# Reference: R. Chandrasekaran, *A special case of the complementary pivot problem*, Opsearch 7, 1970; M. Hay, V. Rastogi, G.
# Miklau and D. Suciu, *Boosting the accuracy of differentially private histograms through consistency*, PVLDB 2010.


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


# Rounding: from consistent real counts to consistent whole ones.
#
# From the top: a first-level count is rounded to the nearest whole number; the children of a node share the whole number
# nearest to their sum, or their parent's if that is smaller. Each child gets its whole part, and those with the largest
# fractions get one more; among equal fractions the smaller label comes first. The whole parts of the children never exceed the
# parent's, so there is always enough to share out, and no count moves by 1 or more.
#
# All of this is done in whole multiples of 2^-20, so that neither a tie nor a constraint depends on the last bit of a sum.


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


# The choice of an estimate, and the public figures of the noise that it needs.


_LARGEST_RATE = 40.0  # beyond it the noise is 0 except with a probability of 1e-17, and its variance would underflow


class Inference(StrEnum):
    """How counts are estimated from a noisy tree."""

    NONE = "none"
    """The noisy counts as they are ("Basic" in the papers); children may add up to more than their parent."""

    TWO_PHASE = "two-phase"
    """The papers' estimate, rounded, with negative counts set to 0; children may still add up to more than their parent."""

    EXACT = "exact"
    """Least squares under the constraints, in whole numbers that keep them."""

    CORRECTED = "corrected"
    """The same, after lowering each count by the estimated share of nodes that only noise carried over the threshold."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelNoise:
    """What is public about the noise of one level; `rate` and `threshold` are numbers, or arrays with one entry per node.

    `expected_false` is the number of cells that were asked for times the probability that noise alone passes: at least the
    expected number of nodes that nobody is in.
    """

    rate: Fraction | float | Reals
    threshold: int | Integers = 1
    expected_false: float = 0.0

    def __post_init__(self) -> None:
        """Check that these can be the figures of a level."""
        rates = self.rates
        if not np.all(np.isfinite(rates) & (rates > 0)):
            message = f"the rates of a level must be positive and finite, got {self.rate!r}"
            raise ParameterError(message)
        if not 0 <= self.expected_false < np.inf:
            message = f"an expected number of false nodes must be finite and not negative, got {self.expected_false!r}"
            raise ParameterError(message)

    @property
    def rates(self) -> Reals:
        """The rates as an array of zero or one dimensions."""
        rate = float(self.rate) if isinstance(self.rate, Fraction) else self.rate
        return np.asarray(rate, dtype=np.float64)

    @property
    def variances(self) -> Reals:
        """The variance of discrete Laplace noise, 2 a / (1 - a)^2 with a = exp(-rate), without cancellation."""
        return np.asarray(0.5 / np.sinh(np.minimum(self.rates, _LARGEST_RATE) / 2) ** 2, dtype=np.float64)


def estimate(tree: NoisyTree, inference: Inference, *, noise: Sequence[LevelNoise]) -> NoisyTree:
    """The tree with estimated counts instead of the noisy ones; `noise` holds the public figures of each level.

    With `exact` and `corrected`, no count is negative and no children add up to more than their parent.
    """
    _require_noise_of(tree, noise)
    if inference is Inference.NONE:
        return tree
    parents = [level.parents for level in tree.levels]
    counts = [np.clip(level.counts, -LARGEST_COUNT, LARGEST_COUNT).astype(np.float64) for level in tree.levels]
    if inference is Inference.TWO_PHASE:
        published = two_phase_estimate(parents, counts)
        return tree.with_counts([np.rint(np.maximum(values, 0)).astype(np.int64) for values in published])
    if inference is Inference.CORRECTED:
        counts = [_corrected(values, figures) for values, figures in zip(counts, noise, strict=True)]
    variances = [np.broadcast_to(figures.variances, values.shape) for values, figures in zip(counts, noise, strict=True)]
    return tree.with_counts(consistent_integers(parents, constrained_least_squares(parents, counts, variances)))


def _corrected(counts: Reals, noise: LevelNoise) -> Reals:
    excess = (counts - noise.threshold) * noise.rates
    return without_false_nodes(counts, excess=excess, expected_false=noise.expected_false)


def _require_noise_of(tree: NoisyTree, noise: Sequence[LevelNoise]) -> None:
    """Refuse figures that are not those of this tree's levels."""
    if len(noise) != len(tree.levels):
        message = f"each of the {len(tree.levels)} levels of a tree needs the figures of its noise, got {len(noise)}"
        raise ParameterError(message)
    for number, (level, figures) in enumerate(zip(tree.levels, noise, strict=True), start=1):
        for what in (figures.rates, np.asarray(figures.threshold)):
            if what.shape not in {(), (len(level),)}:
                message = f"level {number} needs one rate and threshold, or one for each of {len(level)} nodes, got {what.shape}"
                raise ParameterError(message)
