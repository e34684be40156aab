"""The result of a search for patterns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged

__all__ = ["Patterns"]


@dataclass(frozen=True, eq=False)
class Patterns:
    """Patterns with their supports: the largest support first, and patterns of equal support in order of their codes."""

    patterns: Ragged
    supports: Integers

    @classmethod
    def of(cls, found: Iterable[tuple[tuple[int, ...], int]]) -> Patterns:
        """Sort patterns and supports."""
        ordered = sorted(found, key=lambda pair: (-pair[1], pair[0]))
        supports = np.array([support for _, support in ordered], dtype=np.int64)
        return cls(Ragged.from_lists(pattern for pattern, _ in ordered), supports)

    def __len__(self) -> int:
        """The number of patterns."""
        return len(self.patterns)

    @cached_property
    def _pairs(self) -> list[tuple[tuple[int, ...], int]]:
        return list(zip(map(tuple, self.patterns.to_lists()), self.supports.tolist(), strict=True))

    def as_dict(self) -> dict[tuple[int, ...], int]:
        """The support of each pattern, in order."""
        return dict(self._pairs)

    def top(self, count: int) -> dict[tuple[int, ...], int]:
        """The first `count` patterns, and any after them that tie with the last."""
        if not self._pairs or count < 1:
            return {}
        least = self._pairs[min(count, len(self)) - 1][1]
        return {pattern: support for pattern, support in self._pairs if support >= least}
