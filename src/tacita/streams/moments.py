"""One timestamp of a stream as a mechanism meets it: who takes part, and exact counts of what is about to be noised.

Which cell a person is in is private. Whether the people themselves are public depends on the ledger: with `OwnWindows` they are,
with `CommonWindow` a mechanism is told nothing of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Places
from tacita.errors import ParameterError

__all__ = ["Moment"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Moment:
    """The people of one timestamp, each once, with the cell of each; or the counts alone, where nobody is named.

    >>> moment = Moment(place=0, users=np.array([3, 8]), cells=np.array([1, 1]), size=3)
    >>> moment.counts().tolist(), moment.counts(np.array([True, False])).tolist()
    ([0, 2, 0], [0, 1, 0])
    """

    place: int
    users: Places
    cells: Places = field(repr=False)
    """The cell of each; `size` for a person who is there but whose event cannot be read again, and is not counted."""
    size: int
    summed: Integers | None = field(default=None, repr=False)

    @classmethod
    def of_counts(cls, place: int, counts: Integers) -> Moment:
        """A timestamp of which only counts are known."""
        nobody = np.zeros(0, dtype=np.intp)
        return cls(place=place, users=nobody, cells=nobody, size=counts.size, summed=counts)

    def without_people(self) -> Moment:
        """The same with nobody named: all that a mechanism may see where presence is private."""
        return self.of_counts(self.place, self.counts())

    def counts(self, included: Booleans | None = None) -> Integers:
        """How many people are in each cell, all of them or those included."""
        if self.summed is not None:
            if included is not None:
                message = "people can be left out only where they are named"
                raise ParameterError(message)
            return self.summed
        cells = self.cells if included is None else self.cells[included]
        return np.bincount(cells, minlength=self.size)[: self.size].astype(np.int64)
