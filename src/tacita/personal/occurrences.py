"""Exact numbers of occurrences in one sequence, for any grouping of its symbols.

A *block* is a set of symbols that are shown alike, as the bits of an integer. A string of blocks b1 ... bm is shown at the places
i1 < ... < im if each place holds a symbol of its block and im - i1 is at most the window w. Each such tuple of places spells one
string only, so nothing is counted twice, whatever overlaps.

- *Tuples* are counted from a table of all strings of m symbols, built once, where that is small; if not, by going through the w
  distances from all first places at once, which takes O(|S| w m).
- *Starts*, the places at which a string begins, are the bits of one long integer, found by the same walk with `or` for `+`:
  O(|S| w m / 64).
"""

from __future__ import annotations

from itertools import accumulate, combinations
from math import comb
from operator import or_

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Places
from tacita.errors import ParameterError

__all__ = ["Occurrences", "count_occurrences", "count_tuples"]

Block = int

_TABLE_WORK = 2**24
_TABLE_CELLS = 2**20
_PIECE = 2**20
_BITS = 2**30
"""How many bits may be remembered, or needed at once: 128 MB."""
_MEMBERS = 2**21
"""How many symbols of blocks may be remembered: 16 MB."""


def count_occurrences(sequence: AnyIntegers, pattern: tuple[int, ...], *, window: int) -> int:
    """How many tuples of places hold the pattern within the window.

    >>> count_occurrences(np.array([0, 0, 1]), (0, 1), window=2)
    2
    """
    return _count([sequence == symbol for symbol in pattern], window)


def count_tuples(length: int, *, window: int, symbols: int) -> int:
    """How many tuples of `symbols` places a sequence has within the window, whatever they hold."""
    whole = max(0, length - window)
    rest = sum(comb(length - 1 - place, symbols - 1) for place in range(whole, length))
    return whole * comb(window, symbols - 1) + rest


class Occurrences:
    """Answers how often strings of blocks occur in one sequence of symbols 0 ... `symbols` - 1; remembers its answers."""

    def __init__(self, sequence: AnyIntegers, *, symbols: int, window: int) -> None:
        """Keep the sequence; the window is never wider than it."""
        self.sequence, self.symbols = sequence, symbols
        self.window = max(1, min(window, sequence.size))
        self._tables: dict[int, Integers | None] = {}
        self._tuples: dict[tuple[Block, ...], int] = {}
        self._starts: dict[tuple[Block, ...], int] = {}
        self._places: dict[Block, int] = {}
        self._members: dict[Block, Places] = {}
        self._totals: dict[int, int] = {}

    def total(self, length: int) -> int:
        """How many tuples of this length there are."""
        if length not in self._totals:
            total = count_tuples(self.sequence.size, window=self.window, symbols=length)
            if total >= 2**62:
                message = "the window must not hold more than 2**62 tuples of a pattern's length; choose a smaller one"
                raise ParameterError(message)
            self._totals[length] = total
        return self._totals[length]

    def tuples(self, string: tuple[Block, ...]) -> int:
        """How many tuples of places show this string of blocks."""
        if string not in self._tuples:
            table = self._table(len(string))
            if table is None:
                self._tuples[string] = _count([self._holds(block)[self.sequence] for block in string], self.window)
            else:
                for place, block in sorted(enumerate(string), key=lambda part: part[1].bit_count()):  # small ones first
                    table = table.take(self._symbols(block), axis=place)
                self._tuples[string] = int(table.sum())
        return self._tuples[string]

    def starts(self, string: tuple[Block, ...]) -> int:
        """The places at which this string of blocks begins, as bits."""
        if string not in self._starts:
            self._forget(self._starts)
            reached = [self._bits(block) if place == 0 else 0 for place, block in enumerate(string)]
            ahead = [self._bits(block) for block in string]
            for distance in range(1, self.window + 1 if len(string) > 1 else 1):
                for place in range(min(len(string) - 1, distance), 0, -1):
                    reached[place] |= reached[place - 1] & (ahead[place] >> distance)
            self._starts[string] = reached[-1]
        return self._starts[string]

    def places(self, string: tuple[Block, ...]) -> int:
        """The places that take part in a tuple that shows this string of blocks, as bits.

        `ahead[k][d]` are the first places from which the k-th block is at distance d; `before` and `after` those from which the
        blocks before it, and after it, are where they should be too.
        """
        if len(string) * self.window * self.sequence.size > _BITS:
            message = "local generalization needs a smaller window for a sequence as long as this; or choose the global one"
            raise ParameterError(message)
        last, distances = len(string) - 1, range(self.window + 1)
        ahead = [[self._bits(block) >> distance for distance in distances] for block in string]
        before = [[ahead[0][0], *[0] * self.window]]
        for part in range(1, last + 1):
            so_far = [0, *accumulate(before[-1], or_)]
            before.append([so_far[distance] & ahead[part][distance] for distance in distances])
        found, after = 0, [-1] * (self.window + 1)
        for part in range(last, -1, -1):
            there = [one & other for one, other in zip(before[part], after, strict=True)]
            for distance, firsts in enumerate(there):
                found |= firsts << distance
            complete = [one & other for one, other in zip(ahead[part], after, strict=True)]
            after = [0, *accumulate(reversed(complete), or_)][-2::-1]
        return found

    def _forget(self, remembered: dict[Block, int] | dict[tuple[Block, ...], int]) -> None:
        """Make room where a long sequence would fill the memory with answers."""
        if len(remembered) * self.sequence.size > _BITS // 4:
            remembered.clear()

    def _symbols(self, block: Block) -> Places:
        """The symbols of a block."""
        if block not in self._members:
            if len(self._members) * self.symbols > _MEMBERS:
                self._members.clear()
            self._members[block] = np.flatnonzero(self._holds(block))
        return self._members[block]

    def _holds(self, block: Block) -> Booleans:
        """Which symbols are in a block."""
        octets = np.frombuffer(block.to_bytes(-(-self.symbols // 8), "little"), dtype=np.uint8)
        return np.unpackbits(octets, count=self.symbols, bitorder="little").view(np.bool_)

    def _bits(self, block: Block) -> int:
        """The places that hold a symbol of the block."""
        if block not in self._places:
            self._forget(self._places)
            there = np.packbits(self._holds(block)[self.sequence], bitorder="little")
            self._places[block] = int.from_bytes(there.tobytes(), "little")
        return self._places[block]

    def _table(self, length: int) -> Integers | None:
        """How often each string of this many symbols occurs, or nothing where the table would be too large."""
        if length not in self._tables:
            cells, ways = self.symbols**length, comb(self.window, length - 1)
            fits = cells <= _TABLE_CELLS and ways * self.sequence.size * length + cells <= _TABLE_WORK
            self._tables[length] = self._counted(length) if fits else None
        return self._tables[length]

    def _counted(self, length: int) -> Integers:
        sequence, cells = self.sequence.astype(np.int32), self.symbols**length
        table, keys, waiting = np.zeros(cells, dtype=np.int64), [np.zeros(0, dtype=np.int32)], 0
        for distances in combinations(range(1, self.window + 1), length - 1):
            size = max(0, sequence.size - (distances[-1] if distances else 0))
            key = sequence[:size]
            for distance in distances:
                key = key * np.int32(self.symbols) + sequence[distance : distance + size]
            keys.append(key)
            waiting += size
            if waiting > _PIECE:
                table += np.bincount(np.concatenate(keys), minlength=cells)
                keys, waiting = [], 0
        if keys:
            table += np.bincount(np.concatenate(keys), minlength=cells)
        return table.reshape((self.symbols,) * length)


def _count(there: list[Booleans], window: int) -> int:
    """Tuples of places at which each part of a string is there, in order, within the window.

    `reached[k]` says, for each first place, in how many ways the parts up to k lie within the distance walked so far.
    """
    first, size = np.flatnonzero(there[0]), there[0].size
    if len(there) == 1:
        return int(first.size)
    window = min(window, size)
    number = np.int32 if comb(window, len(there) - 1) < 2**31 else np.int64
    ahead = np.zeros((len(there) - 1, size + window), dtype=number)
    ahead[:, :size] = there[1:]
    sparse = 4 * first.size < size
    reached = np.zeros((len(there), first.size if sparse else size), dtype=number)
    reached[0] = 1 if sparse else there[0]
    for distance in range(1, window + 1):
        reached[1:] += reached[:-1] * (ahead[:, first + distance] if sparse else ahead[:, distance : distance + size])
    return int(reached[-1].sum(dtype=np.int64))
