"""Codings: which code the places of a column are counted under, decided by public or noisy numbers only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Integers

__all__ = ["Coding"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Coding:
    """Places of the column of this number, from starts[i] up to the next start, have the code codes[i], one of `size`.

    >>> Coding(column=0, starts=np.array([0, 3]), codes=np.array([1, 0]), size=2).of(np.array([0, 2, 3, 9])).tolist()
    [1, 1, 0, 0]
    """

    column: int
    starts: Integers
    codes: Integers
    size: int

    def of(self, places: AnyIntegers) -> Integers:
        """The code of each place."""
        if self.starts[-1] == self.starts.size - 1 and int(places.max(initial=0)) < self.starts.size:
            return np.asarray(self.codes[places], dtype=np.int64)  # every place has an entry of its own
        return np.asarray(self.codes[np.searchsorted(self.starts, places, side="right") - 1], dtype=np.int64)
