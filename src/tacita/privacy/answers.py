"""Whoever answers questions: by drawing noise, by recording, by replaying what was drawn before, or as if there were nobody.

A transcript holds questions and noisy answers, so it is as harmless as the release that it led to. Replaying it on other data
gives the same answers to the same questions, while what the other data *would* have answered without noise is kept aside in a
trace, for an auditor to compare. A run that asks another question than the recorded one has looked at raw data, and the replay
stops there.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from tacita.errors import ReplayError
from tacita.privacy.questions import AnyQuestion, Question
from tacita.privacy.randomness import Source

__all__ = ["Answers", "Drawing", "Recording", "Rehearsing", "Replaying", "Trace", "Transcript"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


class Answers(Protocol):
    """Whoever can answer any question about private data."""

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer one question; the truth is what the data at hand says without noise."""
        ...


@dataclass(frozen=True)
class Drawing:
    """Answers by fresh noise."""

    source: Source

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Draw from the law of the question."""
        return question.draw(truth, self.source)


@dataclass
class Transcript:
    """The questions and answers of one run, in order."""

    entries: list[tuple[AnyQuestion, Any]] = field(default_factory=list)


@dataclass
class Trace:
    """The truth behind each question of a replay. Private: for the owner's auditor, never written."""

    entries: list[tuple[AnyQuestion, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Recording:
    """Answers as `inner` does, and writes them down."""

    inner: Answers
    transcript: Transcript

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer and record."""
        answer = self.inner.answer(question, truth)
        self.transcript.entries.append((question, answer))
        return answer


@dataclass(frozen=True)
class Rehearsing:
    """Answers as if there were nobody and no noise, so that a mechanism can be walked through before anything is spent."""

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:  # noqa: ARG002 - nobody's truth
        """Nothing."""
        return question.nothing()


@dataclass
class Replaying:
    """Answers what a transcript says, and keeps the truth of the data at hand in a trace."""

    transcript: Transcript
    trace: Trace
    position: int = 0

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Give the recorded answer if the question is the recorded one."""
        if self.position >= len(self.transcript.entries):
            message = f"the replayed run asks {question.step!r}, but the recorded run had asked no further question"
            raise ReplayError(message)
        recorded, answer = self.transcript.entries[self.position]
        if recorded != question:
            message = f"the replayed run asks {question}, the recorded run asked {recorded}: a decision was taken on raw data"
            raise ReplayError(message)
        self.position += 1
        self.trace.entries.append((question, deepcopy(truth)))
        recorded_answer: AnswerT = answer
        return recorded_answer
