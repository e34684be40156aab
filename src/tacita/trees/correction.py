"""Correcting a noisy tree for the bias that the threshold causes.

Only counts that reach the threshold are kept, so kept counts are too large on average, and some belong to nobody. The expected
number of such false nodes follows from public figures: the number of cells asked for times the probability that noise passes.
How far above the threshold they lie is also known, because the noise is memoryless there: at least `excess` with probability
exp(-rate * excess). So the share of false nodes at each height above the threshold is expected / observed, and each count is
multiplied by the share of true ones. The ratio of observed to expected density can only grow with the excess, which the estimate
enforces (isotonic regression, Grenander's estimate of a density). This is Efron's local false discovery rate, with the
distribution of the false ones known exactly.

Reference: B. Efron, *Large-scale inference*, Cambridge University Press, 2010, chapter 5; U. Grenander, *On the theory of
mortality measurement*, 1956. Not in the papers on prefix trees, whose inference takes kept counts as if all had been kept.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals

__all__ = ["without_false_nodes"]

_STEPS_PER_SCALE = 8
_LARGEST_SCALES = 32
_CELLS = _STEPS_PER_SCALE * _LARGEST_SCALES


def without_false_nodes(counts: Reals, *, excess: Reals, expected_false: float) -> Reals:
    """The counts of one level, each multiplied by the estimated share of true nodes among similar ones.

    `excess` is the distance to the threshold in noise scales.
    """
    cells = np.clip(excess * _STEPS_PER_SCALE, 0, _CELLS - 1).astype(np.int64)
    observed = np.bincount(cells, minlength=_CELLS).astype(np.float64)
    tail = np.append(np.exp(-np.arange(_CELLS) / _STEPS_PER_SCALE), 0.0)
    expected = expected_false * (tail[:-1] - tail[1:])
    return np.asarray(counts * (1 - _false_shares(observed, expected)[cells]), dtype=np.float64)


def _false_shares(observed: Reals, expected: Reals) -> Reals:
    """Expected / observed in each cell, made non-increasing by pooling neighbouring cells, and at most 1."""
    blocks: list[tuple[float, float, int]] = []  # observed, expected, number of cells
    for seen, false in zip(observed.tolist(), expected.tolist(), strict=True):
        block = (seen, false, 1)
        while blocks and blocks[-1][1] * block[0] <= block[1] * blocks[-1][0]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    shares = [min(1.0, false / seen) if seen else 1.0 for seen, false, _ in blocks]
    return np.repeat(np.array(shares), [cells for _, _, cells in blocks])
