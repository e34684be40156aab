"""Conversations: what a mechanism told its counters so far, as a list of events that any block can replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from tacita.counting.blocks.adding import Answer, Sum
from tacita.errors import EngineError

__all__ = ["ROOT", "Asker", "Conversation", "Event", "Question"]

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
    """An event whose answer is wanted, after those before it; `conversation` identifies them for whoever remembers."""

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
    """Records what is told, and asks all blocks."""

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
