"""Which noisy counts stand out of their noise, and what the others are taken for.

A threshold that keeps any false cell unlikely throws away most of a long tail. Here the largest cells are kept as long as at most
`FALSE` of their sum is expected to be noise: of n cells with Laplace noise of scale 1, those above v hold n e^-v (v + 1) / 2 of
noise in sum. The rest is shrunk to what is expected without it (James and Stein 1961, row by row).
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Booleans, Integers, Reals

__all__ = ["FALSE", "shrunk_rows", "shrunk_to_each_other", "standing_out"]


FALSE = 0.15
"""The share of what is kept that may be noise: less throws true cells away, more lets false ones in."""


def standing_out(noisy: Reals, scale: Reals | float, *, alike: Integers | None = None) -> Booleans:
    """Which cells to keep; cells that were expected to be alike compete with each other only.

    >>> standing_out(np.array([50.0, 0.5, -1.0, 40.0]), 1.0).tolist()
    [True, False, False, True]
    """
    ratios = (noisy / scale).ravel()
    groups = np.zeros(ratios.size, dtype=np.int64) if alike is None else np.broadcast_to(alike, noisy.shape).ravel()
    sizes = np.unique(groups, return_inverse=True, return_counts=True)
    numbers, group_of = sizes[2], sizes[1].reshape(-1)
    kept = np.zeros(ratios.size, dtype=np.bool_)
    above = np.flatnonzero(ratios > 1)  # noise hides what is below its own scale
    order = above[np.lexsort((-ratios[above], group_of[above]))]
    cuts = np.flatnonzero(np.diff(group_of[order], prepend=-1, append=-1))
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        cells = order[begin:end]
        values = ratios[cells]
        noise = numbers[group_of[cells[0]]] * 0.5 * np.exp(-values) * (values + 1)
        passed = np.flatnonzero(noise <= FALSE * np.cumsum(values))
        if passed.size:
            kept[cells[: passed[-1] + 1]] = True
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


def shrunk_rows(noisy: Reals, expected: Reals, scale: float, *, total_variance: Reals) -> Reals:
    """A table whose cells are taken as measured where they stand out of what is expected, and shrunk to it where not.

    A row in which something stands out gives its other cells what is left of its expected sum, as far as that stands out of its
    noise, and as far as the other cells of such rows follow what is expected at all.
    """
    variance = 2 * scale**2
    apart = noisy - expected
    alike = np.round(np.log2(np.maximum(expected / scale, 1e-3))).astype(np.int64)
    above = standing_out(np.where(apart > scale, noisy, 0.0), scale, alike=alike)
    clear = above | (np.abs(apart) > scale * np.log(noisy.size + 1))
    rest = ~clear
    squares = np.where(rest, apart**2 / variance, 0.0).sum(axis=1, keepdims=True)
    trust = np.maximum(0.0, 1 - np.maximum(rest.sum(axis=1, keepdims=True) - 2, 0) / np.maximum(squares, 1e-12))
    values = np.where(clear, np.maximum(noisy, 0.0), np.maximum(expected + trust * apart, 0.0))
    has_clear = (clear & (noisy > 0)).any(axis=1, keepdims=True)
    beside = rest & has_clear
    norm = float(np.where(beside, expected**2, 0.0).sum())
    follows = float(np.clip(np.where(beside, noisy * expected, 0.0).sum() / norm, 0.0, 1.0)) if norm > 0 else 1.0
    large = np.where(clear, values, 0.0).sum(axis=1, keepdims=True)
    small = np.where(rest, values, 0.0).sum(axis=1, keepdims=True)
    deviation = np.sqrt(total_variance[:, np.newaxis] + above.sum(axis=1, keepdims=True) * variance)
    total = expected.sum(axis=1, keepdims=True)
    left = np.where(has_clear, follows * np.maximum(total - large - deviation, 0.0), total)
    return np.where(rest, values * np.where(small > 0, left / np.maximum(small, 1e-12), 0.0), values)
