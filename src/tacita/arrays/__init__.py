"""Plain integer arrays: ragged lists, sets, combinations, projection onto a simplex, deterministic mixing.

Nothing here decides about privacy or reads a file; every other room builds on it.
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
