"""What was asked across the wall and what came back: recorded, replayed, and never the true counts.

A question is public: the step, its cost, the domain, the threshold. An answer is noisy: the cells that were kept and their
values. So a transcript is as harmless as the release that it led to. Replaying it on other data gives the same answers to the
same questions, while what the other data *would* have counted is kept aside in a trace, for an auditor to compare. A run that
asks another question than the recorded one has looked at raw data, and the replay stops there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tacita.core import noise
from tacita.core.errors import ReplayError
from tacita.core.randomness import Source
from tacita.core.selection import permute_and_flip

__all__ = [
    "Answer",
    "Answers",
    "CellQuestion",
    "Cells",
    "Drawing",
    "Question",
    "Recording",
    "Replaying",
    "SelectionQuestion",
    "Trace",
    "Transcript",
]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of a domain by their number, in increasing order, each with an integer."""

    keys: Integers
    values: Integers


@dataclass(frozen=True, kw_only=True)
class CellQuestion:
    """The question which of `domain` disjoint cells reach the threshold, and with what noisy count."""

    step: str
    epsilon: Fraction
    sensitivity: int
    domain: int
    threshold: int

    @property
    def rate(self) -> Fraction:
        """The inverse of the noise scale."""
        return self.epsilon / self.sensitivity


@dataclass(frozen=True, kw_only=True)
class SelectionQuestion:
    """The question which of some candidates has a high score."""

    step: str
    epsilon: Fraction
    sensitivity: Fraction
    candidates: int


class Answers(Protocol):
    """Whoever can answer questions about private data: by drawing noise, or by replaying what was drawn before."""

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Answer from the non-empty cells; every other cell of the domain has count 0."""
        ...

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Answer from the scores of all candidates."""
        ...


@dataclass(frozen=True)
class Drawing:
    """Answers by fresh noise."""

    source: Source

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Noise the non-empty cells, find the empty ones that pass, and merge both in the order of their keys."""
        rate, threshold = question.rate, question.threshold
        noisy = noise.add_noise(counts.values, rate=rate, source=self.source)
        kept = noisy >= threshold
        ranks = noise.passing_ranks(question.domain - counts.keys.size, rate=rate, threshold=threshold, source=self.source)
        false_keys = _skip(ranks, counts.keys)
        false_values = noise.tail_above(ranks.size, rate=rate, threshold=threshold, source=self.source)
        keys = np.concatenate([counts.keys[kept], false_keys])
        values = np.concatenate([noisy[kept], false_values])
        order = np.argsort(keys, kind="stable")
        return Cells(keys[order], values[order])

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Draw by permute-and-flip."""
        return permute_and_flip(scores, epsilon=question.epsilon, sensitivity=question.sensitivity, source=self.source)


def _skip(ranks: Integers, taken: Integers) -> Integers:
    """The `rank`-th cells (from 0) of a domain from which the `taken` cells are left out; both sorted."""
    free_before = taken - np.arange(taken.size)  # how many free cells lie before each taken one
    return ranks + np.searchsorted(free_before, ranks, side="right")


Question = CellQuestion | SelectionQuestion
Answer = Cells | int
Truth = Cells | tuple[int | Fraction, ...]


@dataclass
class Transcript:
    """The questions and answers of one run, in order."""

    entries: list[tuple[Question, Answer]] = field(default_factory=list)


@dataclass
class Trace:
    """The true counts or scores behind each question of a replay. Private: for the owner's auditor, never written."""

    entries: list[tuple[Question, Truth]] = field(default_factory=list)


@dataclass(frozen=True)
class Recording:
    """Answers as `inner` does, and writes them down."""

    inner: Answers
    transcript: Transcript

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Answer and record."""
        answer = self.inner.cells(question, counts)
        for array in (answer.keys, answer.values):
            array.setflags(write=False)  # what was recorded is what was answered
        self.transcript.entries.append((question, answer))
        return answer

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Answer and record."""
        answer = self.inner.select(question, scores)
        self.transcript.entries.append((question, answer))
        return answer


@dataclass
class Replaying:
    """Answers what a transcript says, and keeps the true counts of the data at hand in a trace."""

    transcript: Transcript
    trace: Trace
    position: int = 0

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Give the recorded answer if the question is the recorded one."""
        answer = self._next(question)
        self.trace.entries.append((question, Cells(counts.keys.copy(), counts.values.copy())))
        if not isinstance(answer, Cells):
            message = f"step {question.step!r} was recorded as a selection and is replayed as cells"
            raise ReplayError(message)
        return answer

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Give the recorded answer if the question is the recorded one."""
        answer = self._next(question)
        self.trace.entries.append((question, tuple(scores)))
        if not isinstance(answer, int):
            message = f"step {question.step!r} was recorded as cells and is replayed as a selection"
            raise ReplayError(message)
        return answer

    def _next(self, question: Question) -> Answer:
        if self.position >= len(self.transcript.entries):
            message = f"the replayed run asks {question.step!r}, but the recorded run had asked no further question"
            raise ReplayError(message)
        recorded, answer = self.transcript.entries[self.position]
        if recorded != question:
            message = f"the replayed run asks {question}, the recorded run asked {recorded}: a decision was taken on raw data"
            raise ReplayError(message)
        self.position += 1
        return answer
