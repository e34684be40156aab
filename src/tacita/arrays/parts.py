"""Lists that are made part by part, whenever they are needed, because all of them together may not fit into memory.

What is written is public or noisy, and needs no secret to be made again: a part is a function of what was kept, so that any
process can make it. It never depends on who makes it, or on which other parts were made before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.ragged import Ragged, offsets_of, repeated

__all__ = [
    "AT_ONCE",
    "RECORDS",
    "Asks",
    "RaggedInParts",
    "changed",
    "codes_at_most",
    "copied",
    "copies_in_parts",
    "in_parts",
    "joined_lists",
    "numbered_parts",
    "part_of",
    "part_of_each",
    "parts_for",
]


RECORDS = 1 << 21
"""At most how many lists a model writes at once: larger releases have several parts, each with a stream of its own."""

AT_ONCE = 1 << 23
"""About how many codes a part of copies has."""


Asks: TypeAlias = Callable[[Callable[[Ragged], Any]], Any]
"""Answers a question about each part, wherever the parts are, and adds the answers up."""


class RaggedInParts(Ragged):
    """Lists in parts. Anyone who asks for all codes gets them; anyone who goes through the parts needs memory for one of them."""

    most: tuple[int, ...]
    """At most how many lists each part has; the lists of the next part are numbered from there on."""
    is_exact: bool
    """Whether it is exactly as many."""
    symbols: float
    """At most how many codes there are in all parts."""

    def __init__(
        self,
        most: Sequence[int],
        make: Callable[[int], Ragged],
        *,
        symbols: float,
        is_exact: bool = True,
        asks: Asks | None = None,
    ) -> None:
        """`make` makes one part, which has exactly `most` lists, or fewer; `asks`, if given, adds up what parts answer."""
        self.__dict__.update(most=tuple(most), symbols=symbols, is_exact=is_exact, _make=make, _asks=asks)

    @cached_property
    def _whole(self) -> Ragged:
        """All of them; a single part is kept, so that it is made once."""
        return joined_lists([self.make(number) for number in range(len(self.most))])

    @cached_property
    def codes(self) -> AnyIntegers:
        """The codes of all lists."""
        return self._whole.codes

    @cached_property
    def offsets(self) -> Integers:
        """Where the lists end."""
        return self._whole.offsets

    @cached_property
    def _size(self) -> int:
        """Parts that may be smaller than they could be have to be made."""
        return sum(self.most) if self.is_exact else sum(len(lists) for _, lists in self.numbered())

    def __len__(self) -> int:
        """The number of lists."""
        return self._size

    def make(self, number: int) -> Ragged:
        """The lists of one part."""
        return self.maker(number)

    @property
    def maker(self) -> Callable[[int], Ragged]:
        """What makes a part, to be sent to another process."""
        make: Callable[[int], Ragged] = self.__dict__["_make"]
        return make

    def numbered(self) -> Iterator[tuple[int, Ragged]]:
        """Each part, with the number of its first list."""
        if len(self.most) == 1:
            yield 0, self._whole
            return
        size = 0
        for number, first in enumerate(accumulate((0, *self.most[:-1]))):
            lists = self.make(number)
            size += len(lists)
            yield first, lists
        self.__dict__["_size"] = size  # anyone who went through all parts has counted them

    def answers(self, question: Callable[[Ragged], Any]) -> Iterable[Any]:
        """What a function answers for each part, to be added up; one answer if somebody else adds them up."""
        asks: Asks | None = self.__dict__["_asks"]
        return (question(lists) for _, lists in self.numbered()) if asks is None else [asks(question)]

    def mapped(self, change: Callable[[Ragged], Ragged]) -> RaggedInParts:
        """The same parts with their lists changed; no list may get longer."""
        asks: Asks | None = self.__dict__["_asks"]
        make = partial(_changed, self.make, change)
        asked = None if asks is None else partial(_asked_changed, asks, change)
        return RaggedInParts(self.most, make, symbols=self.symbols, is_exact=self.is_exact, asks=asked)


def changed(lists: Ragged, change: Callable[[Ragged], Ragged]) -> Ragged:
    """The lists after a change; those in parts are changed when they are made."""
    return lists.mapped(change) if isinstance(lists, RaggedInParts) else change(lists)


def _changed(make: Callable[[Any], Ragged], change: Callable[[Ragged], Ragged], part: Any) -> Any:  # noqa: ANN401 - passed on
    return change(make(part))


def _asked_changed(asks: Asks, change: Callable[[Ragged], Ragged], question: Callable[[Ragged], Any]) -> Any:  # noqa: ANN401
    return asks(partial(_changed, change, question))


def numbered_parts(lists: Ragged) -> Iterator[tuple[int, Ragged]]:
    """Lists as parts of limited size, each with the number of its first list."""
    if isinstance(lists, RaggedInParts):
        yield from lists.numbered()
        return
    inside = np.searchsorted(lists.offsets, np.arange(AT_ONCE, lists.codes.size, AT_ONCE))
    cuts = [0, *np.unique(inside[(inside > 0) & (inside < len(lists))]).tolist(), len(lists)]
    for first, last in pairwise(cuts):
        yield first, _some(lists, first, last)


def codes_at_most(lists: Ragged) -> float:
    """At most how many codes there are, without making them."""
    return lists.symbols if isinstance(lists, RaggedInParts) else float(lists.codes.size)


def joined_lists(parts: Sequence[Ragged]) -> Ragged:
    """All lists of some parts, one after the other.

    >>> joined_lists([Ragged.from_lists([[1, 2]]), Ragged.from_lists([[], [3]])]).to_lists()
    [[1, 2], [], [3]]
    """
    if len(parts) == 1:
        return parts[0]
    codes = np.concatenate([part.codes for part in parts]) if parts else np.zeros(0, dtype=np.int32)
    return Ragged(codes, offsets_of(np.concatenate([part.lengths for part in parts]) if parts else []))


def in_parts(records: int, make: Callable[[int, int], Ragged], *, longest: int) -> RaggedInParts:
    """As many lists as there are records, at most `RECORDS` at once; `make` gets the number of a part, and how many there are."""
    parts = parts_for(records)
    most = [part_of(records, part, parts) for part in range(parts)]
    return RaggedInParts(most, partial(_made, make, parts), symbols=float(records) * longest)


def parts_for(records: int) -> int:
    """In how many parts a model writes that many lists."""
    return max(1, -(-records // RECORDS))


def _made(make: Callable[[int, int], Ragged], parts: int, number: int) -> Ragged:
    return make(number, parts)


def part_of(whole: int, part: int, parts: int) -> int:
    """The share of one part of a whole number: all shares together are the whole, and none is larger by more than 1.

    >>> [part_of(7, part, 3) for part in range(3)], part_of(7, 0, 1)
    ([2, 2, 3], 7)
    """
    return whole * (part + 1) // parts - whole * part // parts


def part_of_each(wholes: Integers, part: int, parts: int) -> Integers:
    """The share of one part of each of these numbers; where the numbers are small, they take turns.

    >>> [part_of_each(np.array([1, 1, 4]), part, 2).tolist() for part in range(2)]
    [[0, 1, 2], [1, 0, 2]]
    """
    starts = np.arange(wholes.size) % parts
    return np.asarray((wholes * (part + 1) + starts) // parts - (wholes * part + starts) // parts, dtype=np.int64)


def copied(lists: Ragged, times: Integers) -> Ragged:
    """Each list as often as its number says.

    >>> copied(Ragged.from_lists([[1, 2], [3]]), np.array([2, 1])).to_lists()
    [[1, 2], [1, 2], [3]]
    """
    return copies_in_parts(lists.lengths, times, partial(_some, lists))


def _some(lists: Ragged, first: int, last: int) -> Ragged:
    begin, end = int(lists.offsets[first]), int(lists.offsets[last])
    return Ragged(lists.codes[begin:end], lists.offsets[first : last + 1] - begin)


def copies_in_parts(lengths: Integers, times: Integers, some: Callable[[int, int], Ragged]) -> RaggedInParts:
    """Lists of these lengths, each as often as its number says, in parts; `some` gives the lists from one number to another."""
    reached = offsets_of(times)
    codes = offsets_of(times * lengths)
    wanted = np.arange(AT_ONCE, int(codes[-1]), AT_ONCE)
    place = np.searchsorted(codes, wanted, side="right") - 1
    inside = reached[place] + (wanted - codes[place]) // np.maximum(lengths[place], 1)
    cuts = np.unique(np.concatenate([[0], inside, reached[-1:]])) if reached[-1] else np.zeros(2, dtype=np.int64)
    return RaggedInParts(np.diff(cuts).tolist(), partial(_copies, reached, cuts, some), symbols=float(codes[-1]))


def _copies(reached: Integers, cuts: Integers, some: Callable[[int, int], Ragged], number: int) -> Ragged:
    begin, end = int(cuts[number]), int(cuts[number + 1])
    first, last = int(np.searchsorted(reached, begin, side="right")) - 1, int(np.searchsorted(reached, end, side="left"))
    if begin == end:
        return some(0, 0)
    times: Integers = np.diff(np.clip(reached[first : last + 1], begin, end)).astype(np.int64)
    return repeated(some(first, last), times)
