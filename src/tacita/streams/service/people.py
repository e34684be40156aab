"""Which window belongs to whom: ids of people as small numbers, given out and taken back.

A person whose window holds no spend is like a new one, so its number can be given to somebody else; memory is bounded by the
people who have spent something, times the length of a window. Giving numbers is a function of the order of arrival, so that a
replay of the journal gives the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat

import numpy as np

from tacita.arrays import Places
from tacita.errors import LedgerDamagedError

__all__ = ["People"]

_FEWEST = 1 << 14


class People:
    """Ids and their numbers."""

    def __init__(self, reserved: Sequence[str] = ()) -> None:
        """Nobody is known yet but those with `reserved` numbers, which they keep: their windows have another length."""
        self._numbers: dict[str, int] = {person: number for number, person in enumerate(reserved)}
        self._free: list[int] = []
        self._reserved = self._size = len(self._numbers)
        self._limit = _FEWEST

    def numbers_of(self, ids: Sequence[str]) -> tuple[Places, dict[str, int]]:
        """The number of each person, who are named once each, and those that are new: whoever had none."""
        found = np.fromiter(map(self._numbers.get, ids, repeat(-1)), dtype=np.intp, count=len(ids))
        new: dict[str, int] = {}
        for place in np.flatnonzero(found < 0).tolist():
            found[place] = new[ids[place]] = self._next()
        self._numbers.update(new)
        return found, new

    def learn(self, new: Mapping[str, int]) -> None:
        """Give people the numbers that they were given before."""
        for person, number in new.items():
            if self._next() != number:
                message = "the journal gives people other numbers than it should; it belongs to another version"
                raise LedgerDamagedError(message)
            self._numbers[person] = number

    def is_crowded(self) -> bool:
        """Whether it is time to look for people who can be forgotten."""
        return len(self._numbers) >= self._limit

    def forget(self, numbers: Places, release: Callable[[Places], None]) -> None:
        """Take numbers back; `release` makes their windows new."""
        gone = set(numbers[numbers >= self._reserved].tolist())
        kept = {person: number for person, number in self._numbers.items() if number not in gone}
        freed = sorted(number for number in self._numbers.values() if number in gone)
        self._numbers, self._free = kept, freed[::-1] + self._free
        self._limit = max(_FEWEST, 2 * len(kept))
        release(np.array(freed, dtype=np.intp))

    def state(self) -> dict[str, object]:
        """All that must survive a restart."""
        return {"numbers": self._numbers, "free": self._free, "size": self._size, "limit": self._limit}

    def restore(self, state: dict[str, object]) -> None:
        """Take up a state that was saved."""
        self._numbers = dict(state["numbers"])  # type: ignore[call-overload]  # JSON as it was saved
        self._free = list(state["free"])  # type: ignore[call-overload]
        self._size = int(state["size"])  # type: ignore[call-overload]
        self._limit = int(state["limit"])  # type: ignore[call-overload]

    def _next(self) -> int:
        if self._free:
            return self._free.pop()
        self._size += 1
        return self._size - 1
