"""Plain integer arrays: the names of their types, and what every other room builds on them.

`ragged` has lists of different lengths, also as sets; `parts` lists that are made part by part; `recency` the move-to-front
rewriting of lists; `rooted` trees; `graphs` simple graphs; `scatter` deterministic mixing, rounding, projection onto a simplex,
tallies and the numbers of itemsets.

Nothing here decides about privacy or reads a file.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["AnyIntegers", "Booleans", "Integers", "Narrow", "Numbers", "Places", "Reals", "Words"]

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int32]
Narrow = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]
AnyIntegers = npt.NDArray[np.integer]
