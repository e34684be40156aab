"""Adding up the answers of blocks.

An answer is a tuple of columns whose last one counts and whose other ones say what is counted (cells, or groups and cells), in
increasing order; or a plain list, or an array, of counts; or distinct lists with their counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.parts import RaggedInParts
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.local.whole import different_lists
from tacita.errors import EngineError

__all__ = ["Answer", "Sum", "added_up"]


Answer: TypeAlias = Any
"""A tuple of integer columns, a list or an array of integers, or (Ragged, counts)."""

_HELD = 8
"""How many answers are held before they are added up: this many at most are in memory beside the sum."""


class Sum:
    """A running sum of answers."""

    def __init__(self) -> None:
        """Nothing so far."""
        self._held: list[Answer] = []

    def add(self, answer: Answer) -> None:
        """Add the answer of one more block."""
        self._held.append(answer)
        if len(self._held) > _HELD:
            self._held = [added(self._held)]

    def result(self) -> Answer:
        """The sum of all."""
        return added(self._held)


def added_up(lists: Ragged, question: Callable[[Ragged], Answer]) -> Answer:
    """What a function answers for some lists; for lists in parts, the sum of what it answers for each part.

    >>> added_up(Ragged.from_lists([[1], [2, 3]]), lambda lists: [len(lists)])
    [2]
    """
    if not isinstance(lists, RaggedInParts):
        return question(lists)
    total = Sum()
    for answer in lists.answers(question):
        total.add(answer)
    return total.result()


def added(answers: list[Answer]) -> Answer:
    """The sum of some answers to one question.

    >>> added([[1, 2], [3, 4]])
    [4, 6]
    >>> [column.tolist() for column in added([(np.array([2, 5]), np.array([1, 1])), (np.array([5]), np.array([3]))])]
    [[2, 5], [1, 4]]
    """
    if not answers:
        message = "there are no blocks to count; nothing was published"
        raise EngineError(message)
    if len(answers) == 1:
        return answers[0]
    if isinstance(answers[0], list):
        return [sum(counts) for counts in zip(*answers, strict=True)]
    if isinstance(answers[0], np.ndarray):
        return np.sum(answers, axis=0)
    if isinstance(answers[0][0], Ragged):
        return _added_lists(answers)
    return _added_columns(answers)


def _added_columns(answers: list[tuple[Integers, ...]]) -> tuple[Integers, ...]:
    columns = [np.concatenate(parts).astype(np.int64, copy=False) for parts in zip(*answers, strict=True)]
    *keys, counts = columns
    order = np.lexsort(tuple(reversed(keys))) if len(keys) > 1 else np.argsort(keys[0], kind="stable")
    keys = [column[order] for column in keys]
    if not order.size:
        return tuple(columns)
    is_new = np.zeros(order.size, dtype=np.bool_)
    is_new[0] = True
    for column in keys:
        is_new[1:] |= column[1:] != column[:-1]
    starts = np.flatnonzero(is_new)
    return (*(column[starts] for column in keys), np.add.reduceat(counts[order], starts))


def _added_lists(answers: list[tuple[Ragged, Integers]]) -> tuple[Ragged, Integers]:
    """Whole lists: equal ones of different blocks are united, in the order in which the local engine gives them."""
    codes = np.concatenate([lists.codes.astype(np.int64) for lists, _ in answers])
    lists = Ragged(codes, offsets_of(np.concatenate([lists.lengths for lists, _ in answers])))
    symbols = int(codes.max(initial=0)) + 1
    return different_lists(lists, symbols=symbols, weights=np.concatenate([counts for _, counts in answers]))
