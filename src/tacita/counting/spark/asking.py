"""Questions to blocks on Spark: a worker replays the conversation on its blocks, and the driver adds up the answers.

A worker that remembers a block needs its number only. So a question goes out without the blocks first, and again with those
that were forgotten; the first question of a conversation goes out with all of them.
"""

from __future__ import annotations

import gc
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from os import getpid
from socket import gethostname
from time import time_ns
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.blocks import Player, Question
from tacita.counting.blocks.conversation import Answer
from tacita.errors import EngineError
from tacita.io.spark import passing_on_errors

__all__ = ["SparkAsker", "checksum"]

ROOM = 1 << 30
"""Bytes of counters that a worker process keeps between questions."""

_PLAYER = Player(ROOM)
"""What this process remembers, if it is a worker: Spark uses its workers again."""

LIST, COLUMNS, LISTS, ARRAY = range(4)


@cache
def leave_modules_alone() -> None:
    """Keep what is loaded out of garbage collection, which Spark's workers do after every task and which takes longer than it."""
    gc.freeze()


@dataclass(frozen=True, eq=False, kw_only=True)
class SparkAsker:
    """Brings questions to the rows of a Spark data frame, each of which is a block."""

    frame: Any = field(repr=False)
    counted: Callable[[Ragged], object]
    symbols: int
    checksums: tuple[int, ...] = field(repr=False)
    purpose: str = field(default_factory=lambda: f"{gethostname()} {getpid()} {time_ns()}")
    """Drivers may share workers, which must not take one for another."""
    _begun: set[str] = field(default_factory=set, repr=False)
    """The conversations of which workers may remember something."""

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self.checksums)

    def answers(self, question: Question) -> Iterator[tuple[int, Answer]]:
        """One answer for each block, as Spark brings them."""
        task = _Task(question, self.counted, self.symbols, self.checksums)
        left = list(range(self.blocks))
        if question.conversation in self._begun:
            answered = set()
            for number, found in self._asked(task, self.frame.select("block")):
                if found is not None:
                    answered.add(number)
                    yield number, decoded(found)
            left = [number for number in left if number not in answered]
        self._begun.add(question.conversation)
        if not left:
            return
        blocks = self.frame.select("block", "lengths", "codes")
        for number, found in self._asked(task, blocks if len(left) == self.blocks else blocks.where(blocks.block.isin(left))):
            yield number, decoded(found)

    def _asked(self, task: _Task, frame: Any) -> list[tuple[int, Any]]:  # noqa: ANN401 - a data frame of Spark
        with passing_on_errors():
            rows = frame.mapInArrow(task.answers, "block int, answer binary").toArrow()
        return list(zip(rows.column("block").to_pylist(), rows.column("answer").to_pylist(), strict=True))


def checksum(lengths: Any, codes: Any) -> int:  # noqa: ANN401 - anything with bytes
    """A checksum of a block: one that is computed again, after a worker died, must be the same."""
    return zlib.crc32(codes, zlib.crc32(lengths))


@dataclass(frozen=True, eq=False)
class _Task:
    """What is sent to workers: everything in it is public or noisy, except for the checksums, which stay on the cluster."""

    question: Question
    counted: Callable[[Ragged], object]
    symbols: int
    checksums: tuple[int, ...]

    def answers(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The answers of the blocks in these batches."""
        import pyarrow as pa  # noqa: PLC0415 - comes with Spark

        leave_modules_alone()
        for batch in batches:
            for row in range(batch.num_rows):
                number = batch.column("block")[row].as_py()
                counts = partial(self._counts, batch, row)
                is_known = batch.num_columns > 1 or _PLAYER.remembers(self.question, number)
                found = encoded(_PLAYER.answer(self.question, number, counts)) if is_known else None
                columns = {"block": pa.array([number], pa.int32()), "answer": pa.array([found], pa.binary())}
                yield pa.RecordBatch.from_pydict(columns)

    def _counts(self, batch: Any, row: int) -> object:  # noqa: ANN401 - a batch of Arrow
        """The counts of a block, which must be the one that it was when it was made."""
        lengths, codes = (batch.column(name)[row].as_buffer() for name in ("lengths", "codes"))
        if checksum(lengths, codes) != self.checksums[batch.column("block")[row].as_py()]:
            message = "a block of people changed while it was counted: its source must not change; nothing was published"
            raise EngineError(message)
        column = np.frombuffer(codes, np.min_scalar_type(self.symbols)).copy()  # the worker remembers it, Arrow does not
        return self.counted(Ragged(column, offsets_of(np.frombuffer(lengths, np.int32).astype(np.int64))))


def encoded(answer: Answer) -> bytes:
    """An answer as bytes; arrays only, nothing that could be code."""
    if isinstance(answer, list):
        kind, columns = LIST, [np.array(answer, dtype=np.int64)]
    elif isinstance(answer, np.ndarray):
        kind, columns = ARRAY, [answer]
    elif isinstance(answer[0], Ragged):
        kind, columns = LISTS, [np.asarray(answer[0].codes, dtype=np.int64), answer[0].offsets, answer[1]]
    else:
        kind, columns = COLUMNS, list(answer)
    buffer = io.BytesIO()
    for column in (np.array([kind, len(columns)]), *columns):
        np.save(buffer, column, allow_pickle=False)
    return buffer.getvalue()


def decoded(data: bytes) -> Answer:
    """The answer that was encoded.

    >>> decoded(encoded([1, 2]))
    [1, 2]
    """
    buffer = io.BytesIO(data)
    kind, number = np.load(buffer, allow_pickle=False).tolist()
    columns = [np.load(buffer, allow_pickle=False) for _ in range(number)]
    if kind == LIST:
        return columns[0].tolist()
    if kind == ARRAY:
        return columns[0]
    return (Ragged(columns[0], columns[1]), columns[2]) if kind == LISTS else tuple(columns)
