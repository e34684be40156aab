"""Ways to answer questions: by drawing noise, recording, replaying earlier answers, or rehearsing on empty data.

A transcript holds questions and noisy answers, so it is as harmless as the release it led to. Replaying it on other data gives
the same answers to the same questions; what the other data *would* have answered without noise goes into a trace, for an auditor
to compare. If a run asks a different question from the recorded one, its mechanism looked at raw data, and the replay stops.
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
    """Something that can answer any question about private data."""

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer one question; the truth is what the data at hand says without noise."""
        ...


@dataclass(frozen=True)
class Drawing:
    """Answers by fresh noise."""

    source: Source

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Draw from the distribution of the question."""
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
    """Answers as `inner` does and records the answers."""

    inner: Answers
    transcript: Transcript

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer and record."""
        answer = self.inner.answer(question, truth)
        self.transcript.entries.append((question, answer))
        return answer


@dataclass(frozen=True)
class Rehearsing:
    """Answers as if there were no records and no noise, so that a mechanism can be dry-run before anything is spent."""

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:  # noqa: ARG002 - nobody's truth
        """Give the empty answer."""
        return question.nothing()


@dataclass
class Replaying:
    """Answers from a transcript, and keeps the true answers of the current data in a trace."""

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
