"""Exact replay: the privacy loss of a run, computed draw by draw.

A run on one data set is recorded and replayed on a neighbour. Every answer has a known law, so the log-ratio of its
probabilities on the two is computed from the true counts, summed over all draws, and compared with the budget. Replay proves the
accounting, not the sampling: it evaluates the law that the code claims. The sampler's output is tested separately.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from tacita.errors import ReplayError
from tacita.privacy.answers import Trace, Transcript
from tacita.privacy.budget import Budget
from tacita.privacy.ledger import Ledger, OpensAccounts
from tacita.privacy.questions import AnyQuestion
from tacita.privacy.stand_ins import Replay

__all__ = ["Publishes", "record", "replay", "transcript_loss"]

Records = TypeVar("Records")
Records_contra = TypeVar("Records_contra", contravariant=True)


class Publishes(Protocol[Records_contra]):
    """Anything that publishes through a ledger."""

    def publish(self, records: Records_contra, /, *, budget: Budget, ledger: OpensAccounts) -> object:
        """Publish the records."""
        ...


def record(mechanism: Publishes[Records], records: Records, *, budget: Budget) -> Transcript:
    """Publish once with private noise and keep the transcript."""
    transcript = Transcript()
    mechanism.publish(records, budget=budget, ledger=Ledger(transcript=transcript))
    return transcript


def replay(mechanism: Publishes[Records], records: Records, *, budget: Budget, transcript: Transcript) -> Trace:
    """Publish with the answers of a transcript and keep what these records would have counted."""
    ledger = Replay(transcript)
    mechanism.publish(records, budget=budget, ledger=ledger)
    return ledger.trace


def transcript_loss(transcript: Transcript, first: Trace, second: Trace) -> float:
    """Compute log P(transcript | first) - log P(transcript | second); its absolute value must never exceed epsilon."""
    if not len(transcript.entries) == len(first.entries) == len(second.entries):
        message = "both traces must come from replays of this transcript"
        raise ReplayError(message)
    losses = [
        _question_loss(entry, mine, other)
        for entry, mine, other in zip(transcript.entries, first.entries, second.entries, strict=True)
    ]
    return float(sum(losses))


def _question_loss(entry: tuple[AnyQuestion, Any], first: tuple[AnyQuestion, Any], second: tuple[AnyQuestion, Any]) -> float:
    question, answer = entry
    if not question == first[0] == second[0]:
        message = "both traces must answer the questions of this transcript"
        raise ReplayError(message)
    try:
        return question.log_ratio(answer, first[1], second[1])
    except (AttributeError, TypeError, IndexError):
        message = f"step {question.step!r} has an answer or a trace of a different kind from its question"
        raise ReplayError(message) from None
