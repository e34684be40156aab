"""Which noisy counts stand out of their noise, and what the others are taken for.

A threshold that keeps any false cell unlikely throws away most of a long tail. Here the largest cells are kept as long as at most
`FALSE` of their sum is expected to be noise: of n cells with Laplace noise of scale 1, those above v hold n e^-v (v + 1) / 2 of
noise in sum.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Booleans, Reals

__all__ = ["FALSE", "standing_out"]


FALSE = 0.15
"""The share of what is kept that may be noise: less throws true cells away, more lets false ones in."""


def standing_out(noisy: Reals, scale: float) -> Booleans:
    """Which cells to keep.

    >>> standing_out(np.array([50.0, 0.5, -1.0, 40.0]), 1.0).tolist()
    [True, False, False, True]
    """
    ratios = (noisy / scale).ravel()
    kept = np.zeros(ratios.size, dtype=np.bool_)
    above = np.flatnonzero(ratios > 1)  # noise hides what is below its own scale
    order = above[np.argsort(-ratios[above], kind="stable")]
    values = ratios[order]
    passed = np.flatnonzero(ratios.size * 0.5 * np.exp(-values) * (values + 1) <= FALSE * np.cumsum(values))
    if passed.size:
        kept[order[: passed[-1] + 1]] = True
    return kept.reshape(noisy.shape)
