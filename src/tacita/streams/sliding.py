"""The wall of a stream: a step of the plan that is asked for months, and lets nobody lose more than epsilon in a window.

A mechanism says how many quanta a question costs and whom it counts; the windows are charged first, and only a question at no
more than that price is answered. The account is told of every timestamp too: it holds common windows a second time, by
fractions of its own. A block sum is paid context by context: `set_aside` charges those who are added now, and the sum is asked
when the block is full. One person may then be in it several times, and has paid each time.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, TypeVar

from tacita.arrays import Booleans
from tacita.errors import UnplannedDrawError
from tacita.privacy.budget import Plan, Step
from tacita.privacy.questions import Question
from tacita.privacy.windows import QUANTA, Windows, price
from tacita.streams.moments import Moment

__all__ = ["Sliding", "Wall"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


class Wall(Protocol):
    """An account, or what stands in for one."""

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Pay for a timestamp of a part that slides."""
        ...

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer a question of that timestamp."""
        ...


class Sliding:
    """One part that slides: at most `epsilon` in any window of anybody, and one question per timestamp."""

    def __init__(self, *, step: str, epsilon: Fraction, windows: Windows, wall: Wall) -> None:
        """`step` is the name of the part in the plan; its questions have the name `asks`."""
        self.step = step
        self.epsilon = epsilon
        self.windows = windows
        self._wall = wall
        self._tick = 0
        self._each: int | None = None

    @property
    def asks(self) -> str:
        """The step that pays for the question of one timestamp."""
        return f"{self.step} of a timestamp"

    def begin(self, moment: Moment) -> None:
        """Open a timestamp."""
        self._tick = moment.place
        self.windows.begin(moment.users)

    def end(self) -> None:
        """Close a timestamp."""
        self.windows.end()

    def share(self, parts: int) -> int:
        """The quanta of one of `parts` equal parts, rounded down."""
        return QUANTA // parts

    def price(self, quanta: int) -> Fraction:
        """What quanta cost, as an epsilon."""
        return price(quanta, self.epsilon)

    def ask(
        self, question: Question[TruthT, AnswerT], truth: TruthT, *, quanta: int, included: Booleans | None = None
    ) -> AnswerT:
        """Charge those who are counted, then have the question answered."""
        self._require(question, quanta)
        self._pay(quanta, included)
        return self._wall.ask(question, truth)

    def set_aside(self, quanta: int, included: Booleans | None = None) -> None:
        """Charge those who are added to a block; every context of one block pays the same."""
        if self._each not in {None, quanta}:
            message = f"all contexts of a block must pay the same, got {quanta} after {self._each} quanta"
            raise UnplannedDrawError(message)
        self._pay(quanta, included)
        self._each = quanta

    def ask_block(self, question: Question[TruthT, AnswerT], truth: TruthT) -> AnswerT:
        """Have a question about a whole block answered, which its contexts have paid for."""
        if self._each is None:
            message = f"a block must be paid for before it is asked, step {self.step!r} has set nothing aside"
            raise UnplannedDrawError(message)
        self._require(question, self._each)
        self._each = None
        return self._wall.ask(question, truth)

    def abandon_block(self) -> None:
        """Begin a new block; what the open one has cost is spent."""
        self._each = None

    def _pay(self, quanta: int, included: Booleans | None) -> None:
        self.windows.charge(quanta, included)
        self._wall.slide(self.step, tick=self._tick, plan=Step(name=self.asks, epsilon=self.price(quanta)))

    def _require(self, question: Question[TruthT, AnswerT], quanta: int) -> None:
        if question.delta or question.step != self.asks or question.epsilon != self.price(quanta):
            message = f"a question of step {self.step!r} must cost what is charged for it"
            raise UnplannedDrawError(message)
