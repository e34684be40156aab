"""Conversations: what a mechanism told its counters, recorded as events that any block can replay, and the answers added up.

A `Conversation` records events and asks; an `Asker` brings the question to the blocks; on each block a `Player` replays the
events and answers; a `Sum` adds the answers up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Any, Protocol, TypeAlias

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.parts import RaggedInParts
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.local.sets import different_lists
from tacita.errors import EngineError

__all__ = ["ROOT", "Answer", "Asker", "Conversation", "Event", "Player", "Question", "Sum", "added_up"]


# Adding up the answers of blocks.
#
# An answer is one of these:
#
# - a tuple of columns: the last one counts, the others say what is counted (cells, or groups and cells), in increasing order;
# - a plain list, or an array, of counts;
# - distinct lists with their counts.

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


ROOT = 0
"""The number of the object that a conversation begins with: the counts of a block, as the local engine has them."""

_numbers = count()


@dataclass(frozen=True)
class Event:
    """One call of a method of one counter; what it returns gets the numbers `makes`. All arguments are public or noisy."""

    target: int
    verb: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    makes: tuple[int, ...] = ()

    def call(self, counters: dict[int, Any]) -> Any:  # noqa: ANN401 - the answer of any question
        """Do it on the counters of one block."""
        answer = getattr(counters[self.target], self.verb)(*self.arguments, **self.options)
        made = answer if isinstance(answer, tuple) and len(self.makes) > 1 else (answer,)
        counters.update(zip(self.makes, made, strict=False))
        return answer


@dataclass(frozen=True)
class Question:
    """An event whose answer is wanted, after those before it; `conversation` identifies them for anyone who remembers."""

    conversation: str
    before: tuple[Event, ...]
    asked: Event


class Asker(Protocol):
    """Brings a question to every block, and the answers back."""

    @property
    def blocks(self) -> int:
        """How many blocks there are; they are numbered from 0."""
        ...

    @property
    def purpose(self) -> str:
        """A name that no other asker in this process has."""
        ...

    def answers(self, question: Question) -> Iterable[tuple[int, Answer]]:
        """The number of each block and its answer, in any order."""
        ...


@dataclass(eq=False)
class Conversation:
    """Records what it is given, and asks all blocks."""

    asker: Asker
    events: list[Event] = field(default_factory=list)
    _name: str = ""
    _made: Any = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        """Give the conversation a name of its own."""
        self._name = f"{self.asker.purpose}/{next(_numbers)}"

    def make(self, target: int, verb: str, *, number: int = 1, **options: Any) -> tuple[int, ...]:  # noqa: ANN401 - passed on
        """Tell a counter to make other counters; their numbers."""
        makes = tuple(next(self._made) for _ in range(number))
        self.events.append(Event(target, verb, (), options, makes))
        return makes

    def tell(self, target: int, verb: str, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - passed on
        """Tell a counter something that has no answer."""
        self.events.append(Event(target, verb, arguments, options))

    def ask(self, target: int, verb: str, *arguments: Any, **options: Any) -> Answer:  # noqa: ANN401 - passed on
        """The sum of the answers of all blocks, each of which must answer exactly once."""
        question = Question(self._name, tuple(self.events), Event(target, verb, arguments, options))
        answered = [False] * self.asker.blocks
        total = Sum()
        for number, answer in self.asker.answers(question):
            if not 0 <= number < len(answered) or answered[number]:
                message = "a block answered a question twice, or is unknown; nothing was published"
                raise EngineError(message)
            answered[number] = True
            total.add(answer)
        if not all(answered):
            message = "a block did not answer a question; nothing was published"
            raise EngineError(message)
        return total.result()


# Replaying a conversation on a block: what the worker of any engine does.


@dataclass(eq=False)
class _Memory:
    """The counters of one block, after the first `done` events of a conversation."""

    counters: dict[int, Any]
    done: int = 0
    size: int = 0


@dataclass(eq=False)
class Player:
    """Answers questions about blocks, and remembers their counters as far as there is room.

    Remembering saves time and never changes an answer: a block that was forgotten is counted from the beginning.
    """

    room: int
    """How many bytes of counters are kept. What does not fit is replayed for every question."""
    _kept: dict[tuple[str, int], _Memory] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)

    def answer(self, question: Question, number: int, counts: Callable[[], object]) -> Answer:
        """The answer of one block; `counts` gives the block's counts, as the local engine has them."""
        key = question.conversation, number
        with self._lock:
            memory = self._kept.pop(key, None)
        if memory is None or memory.done > len(question.before):
            memory = _Memory({ROOT: counts()})
        for event in question.before[memory.done :]:
            event.call(memory.counters)
        memory.done = len(question.before)
        answer = question.asked.call(memory.counters)
        memory.size = _size(memory.counters)
        with self._lock:
            self._forget_others(question.conversation)
            if sum(other.size for other in self._kept.values()) + memory.size <= self.room:
                self._kept[key] = memory
        return answer

    def remembers(self, question: Question, number: int) -> bool:
        """Whether a question about a block can be answered without the block."""
        memory = self._kept.get((question.conversation, number))
        return memory is not None and memory.done <= len(question.before)

    def _forget_others(self, conversation: str) -> None:
        """A mechanism has one conversation; earlier ones are over, and one that is not would be replayed."""
        for key in [key for key in self._kept if key[0] != conversation]:
            del self._kept[key]


def _size(part: object, seen: set[int] | None = None) -> int:
    """The bytes of all arrays in memory that an object refers to; those on disk do not count."""
    seen = set() if seen is None else seen
    if id(part) in seen:
        return 0
    seen.add(id(part))
    if isinstance(part, np.ndarray):
        return 0 if isinstance(part, np.memmap) else part.nbytes
    if isinstance(part, dict):
        return sum(_size(value, seen) for value in part.values())
    if isinstance(part, list | tuple):
        return sum(_size(value, seen) for value in part)
    inside = getattr(part, "__dict__", None)
    return 0 if inside is None else _size(inside, seen)
