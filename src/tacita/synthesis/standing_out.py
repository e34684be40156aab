"""Which noisy counts stand out of their noise, and by what the others are replaced.

A threshold that keeps any false cell unlikely throws away most of a long tail. Here the largest cells are kept as long as at most
`FALSE` of their sum is expected to be noise: of n cells with Laplace noise of scale 1, those above v hold n e^-v (v + 1) / 2 of
noise in sum. The rest is shrunk to what is expected without it (James and Stein 1961, row by row).
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Booleans, Reals

__all__ = ["FALSE", "only_standing_out", "shrunk_rows", "shrunk_to_each_other", "standing_out"]


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


def shrunk_to_each_other(noisy: Reals, scale: float, total: float) -> Reals:
    """Counts with a known total: those that stand out as measured, the others shrunk to their mean, as far as they differ.

    The others have together at most what the total leaves.
    """
    kept = standing_out(noisy, scale)
    found = np.where(kept, noisy, 0.0)
    rest = ~kept
    left = max(total - float(found.sum()), 0.0)
    if rest.any() and left > 0:
        number = int(rest.sum())
        mean = left / number
        apart = noisy[rest] - mean
        trust = max(0.0, 1 - max(number - 2, 0) * 2 * scale**2 / max(float(apart @ apart), 1e-9))
        values = np.maximum(mean + trust * apart, 0.0)
        found[rest] = values * min(1.0, left / max(float(values.sum()), 1e-12))
    if not found.sum() > 0:  # noise hides all of them
        found = np.ones_like(found)
    return np.asarray(found * (total / float(found.sum())), dtype=np.float64)


def only_standing_out(noisy: Reals, scale: float, total: float) -> Reals:
    """Counts with a known total: those that stand out; the others are taken as 0, unless there are no others."""
    kept = standing_out(noisy, scale)
    if not kept.any():
        return shrunk_to_each_other(noisy, scale, total)
    found = np.where(kept, noisy, 0.0)
    return np.asarray(found * (total / float(found.sum())), dtype=np.float64)


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
