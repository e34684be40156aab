"""Exact replay: the privacy loss of a run, computed draw by draw.

A run on one data set is recorded and replayed on a neighbour. Every answer has a known law, so the log-ratio of its
probabilities under both is computed from the two true counts, summed over all draws, and compared with the budget. Replay
proves the accounting, not the sampling: it evaluates the law that the code claims. Tests of the sampler's output stand beside
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from tacita.errors import ReplayError
from tacita.privacy.budget import Budget
from tacita.privacy.ledger import Ledger, OpensAccounts, Replay
from tacita.privacy.selection import selection_log_probabilities
from tacita.privacy.transcript import (
    Answer,
    BlockQuestion,
    CellQuestion,
    Cells,
    Lists,
    Question,
    StableQuestion,
    Trace,
    Transcript,
    Truth,
)

__all__ = ["Publishes", "record", "replay", "transcript_loss"]

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

Records = TypeVar("Records")
Records_contra = TypeVar("Records_contra", contravariant=True)


class Publishes(Protocol[Records_contra]):
    """Whatever publishes through a ledger."""

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
    """Compute log P(transcript | first) - log P(transcript | second); its absolute value must never pass epsilon."""
    if not len(transcript.entries) == len(first.entries) == len(second.entries):
        message = "both traces must come from replays of this transcript"
        raise ReplayError(message)
    losses = [
        _question_loss(*entry, *mine, *other)
        for entry, mine, other in zip(transcript.entries, first.entries, second.entries, strict=True)
    ]
    return float(sum(losses))


def _question_loss(
    question: Question, answer: Answer, my_question: Question, mine: Truth, other_question: Question, other: Truth
) -> float:
    if not question == my_question == other_question:
        message = "both traces must answer the questions of this transcript"
        raise ReplayError(message)
    if isinstance(question, CellQuestion | BlockQuestion):
        if isinstance(answer, Cells) and isinstance(mine, Cells) and isinstance(other, Cells):
            return _cells_loss(question, answer, mine, other)
    elif isinstance(question, StableQuestion):
        if isinstance(answer, Lists) and isinstance(mine, Lists) and isinstance(other, Lists):
            return _lists_loss(question, answer, mine, other)
    elif isinstance(answer, int) and isinstance(mine, tuple) and isinstance(other, tuple):
        logs = [
            selection_log_probabilities(scores, epsilon=question.epsilon, sensitivity=question.sensitivity)[answer]
            for scores in (mine, other)
        ]
        return float(logs[0] - logs[1])
    message = f"step {question.step!r} has an answer or a trace of another kind than its question"
    raise ReplayError(message)


def _cells_loss(question: CellQuestion | BlockQuestion, answer: Cells, mine: Cells, other: Cells) -> float:
    """Only cells whose true counts differ add to the loss; every other cell has the same law under both."""
    keys = np.union1d(mine.keys, other.keys)
    my_counts, other_counts = _values_at(keys, mine), _values_at(keys, other)
    differ = my_counts != other_counts
    keys, my_counts, other_counts = keys[differ], my_counts[differ], other_counts[differ]
    kept = np.isin(keys, answer.keys)
    values = _values_at(keys, answer)
    loss = 0.0
    for at_terms, rate, threshold in _terms_of(question, keys):
        held, lost = at_terms & kept, at_terms & ~kept
        moved = np.abs(values - other_counts)[held].sum() - np.abs(values - my_counts)[held].sum()
        loss += float(rate * int(moved))
        if threshold is not None:
            loss += float(
                (_log_below(threshold - my_counts[lost], rate) - _log_below(threshold - other_counts[lost], rate)).sum()
            )
        elif lost.any():
            message = f"step {question.step!r} asks for every cell of a block, and the answer leaves some out"
            raise ReplayError(message)
    return loss


def _terms_of(
    question: CellQuestion | BlockQuestion, keys: Integers
) -> Iterator[tuple[npt.NDArray[np.bool_], Fraction, int | None]]:
    """Which of the cells were asked at which rate and threshold."""
    if isinstance(question, CellQuestion):
        yield np.ones(keys.size, dtype=np.bool_), question.rate, question.threshold
        return
    terms = question.terms[question.block_of(keys)]
    for which in np.unique(terms).tolist():
        yield terms == which, question.rates[which], question.table[which].threshold


def _lists_loss(question: StableQuestion, answer: Lists, mine: Lists, other: Lists) -> float:
    """As for cells; a list that came out and that only one side has cannot come from the other, which is what delta is for."""
    kept, my_counts, other_counts = (
        {tuple(row): int(value) for row, value in zip(part.lists.to_lists(), part.values, strict=True)}
        for part in (answer, mine, other)
    )
    loss = 0.0
    for row in my_counts.keys() | other_counts.keys():
        counts = my_counts.get(row, 0), other_counts.get(row, 0)
        if counts[0] == counts[1]:
            continue
        if row in kept and 0 in counts:
            return inf if counts[0] else -inf
        if row in kept:
            loss += float(question.epsilon) * (abs(kept[row] - counts[1]) - abs(kept[row] - counts[0]))
        else:
            below = [
                float(_log_below(np.array([question.threshold - count]), question.epsilon)[0]) if count else 0.0
                for count in counts
            ]
            loss += below[0] - below[1]
    return loss


def _values_at(keys: Integers, cells: Cells) -> Integers:
    """The value of each key, 0 where there is no such cell."""
    if cells.keys.size == 0:
        return np.zeros(keys.size, dtype=np.int64)
    places = np.minimum(np.searchsorted(cells.keys, keys), cells.keys.size - 1)
    return np.where(cells.keys[places] == keys, cells.values[places], 0)


def _log_below(threshold: Integers, rate: Fraction) -> Floats:
    """Compute log P[X < threshold], from the tail on the other side so that nothing cancels."""
    mirrored = 1 - threshold  # P[X < t] = P[X >= 1 - t]
    epsilon = float(rate)
    log_one_plus = np.log1p(np.exp(-epsilon))
    in_tail = -epsilon * mirrored - log_one_plus
    in_body = np.log1p(-np.exp(-epsilon * np.maximum(1 - mirrored, 1) - log_one_plus))
    return np.asarray(np.where(mirrored >= 1, in_tail, in_body), dtype=np.float64)
