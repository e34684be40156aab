"""The search for the most frequent patterns, best first, and its result.

A pattern is never more frequent than what it extends. So patterns come off a heap in order of support, each adds its
extensions, and nothing is extended unnecessarily.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush, heappushpop
from typing import Protocol, TypeVar

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError, TooManyPatternsError

__all__ = ["MAX_PATTERNS", "Extends", "Patterns", "Search"]


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


MAX_PATTERNS = 100_000

Projection = TypeVar("Projection")


class Extends(Protocol[Projection]):
    """Data that can extend patterns; a projection is what it needs to know about one pattern."""

    def start(self) -> Projection:
        """The projection of the empty pattern."""
        ...

    def supports(self, projection: Projection) -> Integers:
        """The support of the pattern extended by each symbol."""
        ...

    def extend(self, projection: Projection, symbol: int) -> Projection:
        """The projection of the pattern extended by a symbol."""
        ...


@dataclass(frozen=True, kw_only=True)
class Search:
    """How many patterns to look for, and of which lengths."""

    count: int
    symbols: int
    min_length: int
    max_length: int | None
    max_patterns: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, value, least in (
            ("count", self.count, 1),
            ("symbols", self.symbols, 1),
            ("min_length", self.min_length, 1),
            ("max_length", self.min_length if self.max_length is None else self.max_length, self.min_length),
            ("max_patterns", self.max_patterns, self.count),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                message = f"{name} must be a whole number of at least {least}, got {value!r}"
                raise ParameterError(message)

    def wants(self, length: int) -> bool:
        """Whether patterns of this length are looked for."""
        return length >= self.min_length and not self.is_past(length)

    def is_past(self, length: int) -> bool:
        """Whether patterns of this length are too long."""
        return self.max_length is not None and length > self.max_length

    def best_first(self, data: Extends[Projection]) -> Patterns:
        """Every wanted pattern whose support is at least that of the `count`-th."""
        found: list[tuple[tuple[int, ...], int]] = []
        waiting: list[tuple[int, tuple[int, ...], Projection | None]] = [(0, (), None)]
        best: list[int] = []  # the largest supports seen, at most `count` of them: the smallest is the bound
        while waiting:
            negative, pattern, parent = heappop(waiting)
            bound = best[0] if len(best) == self.count else 1
            if pattern and -negative < bound:
                break
            if self.wants(len(pattern)):
                found.append((pattern, -negative))
                self.refuse_flood(len(found), bound)
            if self.is_past(len(pattern) + 1):
                continue
            projection = data.start() if parent is None else data.extend(parent, pattern[-1])
            supports = data.supports(projection)
            for symbol in np.flatnonzero(supports >= bound).tolist():
                support = int(supports[symbol])
                heappush(waiting, (-support, (*pattern, symbol), projection))
                if self.wants(len(pattern) + 1):
                    (heappush if len(best) < self.count else heappushpop)(best, support)
        return Patterns.of(found)

    def refuse_flood(self, found: int, support: int) -> None:
        """Stop before memory runs out: the number of ties has no other bound."""
        if found > self.max_patterns:
            message = (
                f"at most max_patterns = {self.max_patterns:,} patterns may be listed, but more have a support of {support} or "
                "more, and they tie; ask for fewer patterns, set max_length, or raise max_patterns"
            )
            raise TooManyPatternsError(message)
