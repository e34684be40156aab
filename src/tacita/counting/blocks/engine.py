"""Blocks on one machine, counted by a few threads: NumPy lets several of them work at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.adding import Answer
from tacita.counting.blocks.conversation import Question
from tacita.counting.blocks.replay import Player
from tacita.io.blocks.threads import few_at_once

__all__ = ["LocalBlocks"]

ROOM = 4 << 30
"""Bytes of counters that are kept between questions; what does not fit is counted again from the beginning."""

_numbers = count()


@dataclass(eq=False, kw_only=True)
class LocalBlocks:
    """An asker for blocks that this process can load one by one."""

    blocks: int
    load: Callable[[int], Ragged]
    """The lists of a block."""
    counted: Callable[[Ragged], object]
    """The counts of lists, as the local engine has them."""
    room: int = ROOM
    purpose: str = field(default_factory=lambda: f"blocks {next(_numbers)}")
    _player: Player = field(init=False)

    def __post_init__(self) -> None:
        """Remember nothing yet."""
        self._player = Player(self.room)

    def answers(self, question: Question) -> Iterator[tuple[int, Answer]]:
        """Ask all blocks, a few at a time, so that few answers wait to be added up."""
        numbers = range(self.blocks)
        return zip(numbers, few_at_once(partial(self._answer, question), numbers), strict=True)

    def _answer(self, question: Question, number: int) -> Answer:
        return self._player.answer(question, number, lambda: self.counted(self.load(number)))
