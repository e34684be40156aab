"""The order in which sequences are released: short ones first, then by their symbols."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.core.ragged import Ragged, offsets_of

__all__ = ["in_order"]


def in_order(sequences: Ragged, *, symbols: int) -> Ragged:
    """The same sequences by length, and within one length in the order of their symbols.

    >>> in_order(Ragged.from_lists([[1, 0], [2], [0, 1]]), symbols=3).to_lists()
    [[2], [0, 1], [1, 0]]
    """
    lengths = sequences.lengths
    parts: list[npt.NDArray[np.integer]] = [np.zeros(0, dtype=sequences.codes.dtype)]
    numbers = np.bincount(lengths)
    for length in np.flatnonzero(numbers).tolist():
        begins = sequences.offsets[:-1][lengths == length]
        rows = sequences.codes[begins[:, None] + np.arange(length)]
        narrow = rows.astype(np.uint16) if symbols <= 2**16 else rows  # 16 bits sort by radix
        parts.append((rows[np.lexsort(narrow.T[::-1])] if length else rows).ravel())
    return Ragged(np.concatenate(parts), offsets_of(np.repeat(np.arange(numbers.size), numbers)))
