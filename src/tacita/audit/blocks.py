"""A question of many blocks, answered one block after the other: slow, plain, and all that a small audit needs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tacita.privacy.transcript import BlockQuestion, CellQuestion, Cells

__all__ = ["by_block"]


def by_block(
    thresholded: Callable[[CellQuestion, Cells], Cells],
    open_cells: Callable[[Fraction, int, Cells], Cells],
    question: BlockQuestion,
    counts: Cells,
) -> Cells:
    """Answer each block by `thresholded`, or by `open_cells` (rate, number of cells, counts) if it has no threshold."""
    keys, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    blocks = question.block_of(counts.keys)
    for block, (which, base, size) in enumerate(
        zip(question.terms.tolist(), question.bases[:-1].tolist(), question.sizes.tolist(), strict=True)
    ):
        terms = question.table[which]
        own = Cells(counts.keys[blocks == block] - base, counts.values[blocks == block])
        if terms.threshold is None:
            answer = open_cells(terms.epsilon / question.sensitivity, size, own)
        else:
            one = CellQuestion(
                step=question.step,
                epsilon=terms.epsilon,
                sensitivity=question.sensitivity,
                domain=size,
                threshold=terms.threshold,
            )
            answer = thresholded(one, own)
        keys.append(answer.keys + base)
        values.append(answer.values)
    return Cells(np.concatenate(keys), np.concatenate(values))
