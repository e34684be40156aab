"""The wall of a stream: a step of the plan that is asked for months, and lets nobody lose more than epsilon in a window.

A mechanism says how many quanta a question costs and whom it counts; the windows are charged first, and only a question at no
more than that price is answered. A block sum is paid context by context: `set_aside` charges those who are added now, and the
sum is asked when the block is full. One person may then be in it several times, and has paid each time.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.errors import UnplannedDrawError
from tacita.privacy.windows import QUANTA, Windows, price

__all__ = ["Ask", "Sliding"]

Ask = Callable[[Any, Any], Any]
Mask = npt.NDArray[np.bool_]


class Sliding:
    """One sliding step: at most `epsilon` in any window of anybody."""

    def __init__(self, *, step: str, epsilon: Fraction, windows: Windows, ask: Ask) -> None:
        """`ask` takes a question and the truth, and gives the answer: an account's, or what stands in for it."""
        self.step = step
        self.epsilon = epsilon
        self.windows = windows
        self._ask = ask
        self._each: int | None = None

    def share(self, parts: int) -> int:
        """The quanta of one of `parts` equal parts, rounded down."""
        return QUANTA // parts

    def price(self, quanta: int) -> Fraction:
        """What quanta cost, as an epsilon."""
        return price(quanta, self.epsilon)

    def ask(self, question: Any, truth: Any, *, quanta: int, included: Mask | None = None) -> Any:  # noqa: ANN401 - each question has its own
        """Charge those who are counted, then have the question answered."""
        self._require(question, quanta)
        self.windows.charge(quanta, included)
        return self._ask(question, truth)

    def set_aside(self, quanta: int, included: Mask | None = None) -> None:
        """Charge those who are added to a block; every context of one block pays the same."""
        if self._each not in {None, quanta}:
            message = f"all contexts of a block must pay the same, got {quanta} after {self._each} quanta"
            raise UnplannedDrawError(message)
        self.windows.charge(quanta, included)
        self._each = quanta

    def ask_block(self, question: Any, truth: Any) -> Any:  # noqa: ANN401 - each question has its own
        """Have a question about a whole block answered, which its contexts have paid for."""
        if self._each is None:
            message = f"a block must be paid for before it is asked, step {self.step!r} has set nothing aside"
            raise UnplannedDrawError(message)
        self._require(question, self._each)
        self._each = None
        return self._ask(question, truth)

    def abandon_block(self) -> None:
        """Begin a new block; what the open one has cost is spent."""
        self._each = None

    def _require(self, question: Any, quanta: int) -> None:  # noqa: ANN401 - each question has its own
        if question.delta or question.epsilon > self.price(quanta):
            message = f"a question of step {self.step!r} costs more than what was charged for it"
            raise UnplannedDrawError(message)
