"""Replaying a conversation on a block: what the worker of any engine does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from tacita.counting.blocks.adding import Answer
from tacita.counting.blocks.conversation import ROOT, Question

__all__ = ["Player"]


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
