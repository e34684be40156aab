"""Which noisy counts stand out of their noise, and by what the others are replaced.

A threshold that keeps any false cell unlikely throws away most of a long tail. Here the largest cells are kept as long as at most
`FALSE` of their sum is expected to be noise: of n cells with Laplace noise of scale 1, those above v hold n e^-v (v + 1) / 2 of
noise in sum. The rest is shrunk to what is expected without it (James and Stein 1961, row by row).
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Booleans, Reals

__all__ = ["FALSE", "shrunk_rows", "standing_out"]


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


def shrunk_rows(noisy: Reals, expected: Reals, scale: float) -> Reals:
    """A table whose cells are taken as measured where they stand out of what is expected, and shrunk to it where not.

    Cells that were expected to be alike are shrunk alike, as far as they differ from that by no more than noise does. A row in
    which something stands out gives its other cells what is left of its expected sum.
    """
    apart = noisy - expected
    clear = standing_out(apart, scale) | (np.abs(apart) > scale * np.log(noisy.size + 1))
    rest = ~clear
    levels = np.round(np.log2(np.maximum(expected / scale, 1e-3))).astype(np.int64)
    levels -= int(levels.min())
    squares = np.bincount(levels[rest], weights=apart[rest] ** 2, minlength=int(levels.max()) + 1) / (2 * scale**2)
    numbers = np.bincount(levels[rest], minlength=squares.size)
    trust = np.maximum(0.0, 1 - np.maximum(numbers - 2, 0) / np.maximum(squares, 1e-12))
    values = np.maximum(np.where(clear, noisy, expected + trust[levels] * apart), 0.0)
    large = np.where(clear, values, 0.0).sum(axis=1, keepdims=True)
    small = np.where(rest, values, 0.0).sum(axis=1, keepdims=True)
    left = np.maximum(expected.sum(axis=1, keepdims=True) - large, 0.0)
    return np.where(rest, values * left / np.maximum(small, 1e-12), values)
