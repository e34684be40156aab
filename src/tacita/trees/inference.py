"""Better counts from a noisy tree alone: what the papers call constrained inference, chosen by name.

Nothing here costs any budget: it sees only the noisy tree and public figures. Nodes come in the order of their labels, so no tie
reveals where a node came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.trees.correction import without_false_nodes
from tacita.trees.least_squares import constrained_least_squares
from tacita.trees.noisy_tree import NoisyTree
from tacita.trees.rounding import LARGEST_COUNT, consistent_integers
from tacita.trees.two_phase import two_phase_estimate

__all__ = ["Inference", "LevelNoise", "estimate"]

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
