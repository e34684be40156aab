"""Foreign answers: what neighbours would lose if the noise had given the answers of quite different data.

Noise can give any answer, if rarely, and the promise holds for all of them. So the answers of a run are taken from somebody
else's data, enlarged, which opens branches that no small data set of an audit reaches by chance: a class of baskets is counted,
columns are found, a tree grows deep, a limit is hit. The same answers are replayed on tiny neighbours. With the same answers,
all three must leave the same bytes, be charged the same and ask the same questions; and the sum over all questions of rate
times change, in fractions, must be at most what a person is charged. No logarithm, no rounding.

The laws are written here once more, from the definitions, so that a question that is wrong about itself is noticed too. Data
and parameters come from `cases.worlds`. Only a seed decides what is tried: the same seed finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from tacita.audit.cases.worlds import World, world_of
from tacita.audit.exact_laws import BoundsLoss
from tacita.audit.runs import Left, left_by
from tacita.audit.verdict import Check
from tacita.errors import ParameterError, ReplayError, TooManyNodesError
from tacita.privacy import publishing
from tacita.privacy.account import Charge, Replay, StandIn
from tacita.privacy.answers import Recording, Trace, Transcript
from tacita.privacy.questions import (
    AnyQuestion,
    ArrangementQuestion,
    BlockQuestion,
    CellQuestion,
    Cells,
    EveryCount,
    LadderCount,
    Lists,
    ManySelections,
    Question,
    SelectionQuestion,
    StableQuestion,
)
from tacita.privacy.randomness import Source
from tacita.seeded import SeededSource, public_generator
from tacita.streams.questions import SIXTEENTHS, ClosestQuestion, HistogramQuestion, NearnessQuestion

__all__ = ["Foreign", "audit_foreign_answers", "lost_between", "question_loss"]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")

FACTORS = (1, 10, 100)
"""How many times everybody is there whose answers are taken."""

ATTEMPTS = 30
"""How many worlds are tried for one transcript: not every method takes all data of its kind."""

SMALL_LIMITS = {"LARGEST_OUTPUT": 100_000, "LARGEST_IN_PARTS": 100_000, "MOST_UNSURE": 5}
"""The limits of `privacy.publishing` while foreign answers are tried: so small that they are often reached."""


@dataclass(frozen=True)
class Foreign:
    """Answers as if everybody were there `factor` times, and as if every histogram were near the one before."""

    source: Source
    factor: int

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Enlarge the truth, then draw."""
        return question.draw(self._enlarged(question, truth), self.source)

    def _enlarged(self, question: AnyQuestion, truth: Any) -> Any:  # noqa: ANN401 - the truth of any question
        if isinstance(question, EveryCount | HistogramQuestion):
            return truth * self.factor
        if isinstance(question, NearnessQuestion):
            return truth // self.factor
        return replace(truth, values=truth.values * self.factor) if isinstance(truth, Cells | Lists) else truth


# The most that any answer can lose between two truths, by each question's definition.


def question_loss(question: Any, first: Any, second: Any) -> Fraction:  # noqa: ANN401, C901, PLR0911 - one case for each law
    """Rate times change, in fractions; for a choice, epsilon times the largest change of a score in units of its sensitivity."""
    match question:
        case BlockQuestion():
            return _block_loss(question, first, second)
        case CellQuestion():
            return Fraction(question.epsilon / question.sensitivity * sum(map(abs, _changes(first, second).values())))
        case EveryCount() | HistogramQuestion():
            change = np.abs(np.asarray(first) - np.asarray(second)).sum()
            return Fraction(question.epsilon / question.sensitivity * int(change))
        case SelectionQuestion():
            return question.epsilon / question.sensitivity * _largest(first, second)
        case ManySelections():
            ends = np.cumsum(question.sizes).tolist()
            parts = [range(end - size, end) for size, end in zip(question.sizes, ends, strict=True)]
            changes = [max(abs(first.exact(place) - second.exact(place)) for place in part) for part in parts]
            return question.epsilon / question.sensitivity * sum(changes, Fraction(0))
        case StableQuestion():
            mine, other = first.as_dict(), second.as_dict()
            changed = sum(abs(mine.get(row, 0) - other.get(row, 0)) for row in mine.keys() | other.keys())
            return Fraction(question.epsilon * changed)
        case ArrangementQuestion():
            return question.epsilon / question.group * len(set(first.tolist()) ^ set(second.tolist()))
        case LadderCount():
            return _ladder_loss(question, first, second)
        case ClosestQuestion():
            return question.epsilon / question.sensitivity * Fraction(_largest(first, second)) / SIXTEENTHS
        case NearnessQuestion():
            slacks = [(question.bound - int(truth)) // SIXTEENTHS for truth in (first, second)]
            return question.epsilon / question.sensitivity * abs(slacks[0] - slacks[1])
        case BoundsLoss():
            return question.largest_loss(first, second)
    message = f"{type(question).__name__} must say what a change of its truth can cost: give it a method largest_loss"
    raise ReplayError(message)


def _largest(first: Any, second: Any) -> Fraction:  # noqa: ANN401 - numbers, one for each candidate
    return max(abs(_exact(mine) - _exact(other)) for mine, other in zip(first, second, strict=True))


def _exact(score: Any) -> Fraction:  # noqa: ANN401 - a number of Python's or of NumPy's
    return score if isinstance(score, Fraction) else Fraction(int(score))


def _changes(first: Cells, second: Cells) -> dict[int, int]:
    """By how much each cell differs; a cell that is named twice counts twice."""
    changes: dict[int, int] = {}
    for cells, sign in ((first, 1), (second, -1)):
        for key, value in zip(cells.keys.tolist(), cells.values.tolist(), strict=True):
            changes[key] = changes.get(key, 0) + sign * value
    return {key: change for key, change in changes.items() if change}


def _block_loss(question: BlockQuestion, first: Cells, second: Cells) -> Fraction:
    ends, loss = np.cumsum(question.sizes), Fraction(0)
    for key, change in _changes(first, second).items():
        block = int(np.searchsorted(ends, key, side="right"))
        loss += question.table[int(question.terms[block])].epsilon / question.sensitivity * abs(change)
    return loss


def _ladder_loss(question: LadderCount, first: Any, second: Any) -> Fraction:  # noqa: ANN401 - counts with their spreads
    """A ladder is proved for a count that changes by at most its spread, which changes by at most one."""
    if abs(first.count - second.count) > min(first.spread, second.spread) or abs(first.spread - second.spread) > 1:
        message = (
            f"step {question.step!r}: between neighbours a count changes by more than its spread, or the spread by more than 1"
        )
        raise ReplayError(message)
    return Fraction(0) if first == second else question.epsilon / question.group


# One transcript, and many of them.


@dataclass(frozen=True, kw_only=True)
class _Lost:
    """The most that a step from one neighbour to the next loses, and what such a step was charged."""

    loss: Fraction
    charged: Fraction
    refusal: str | None


def lost_between(world: World, *, seed: int) -> _Lost:
    """Take the answers from the foreign records, replay them on the others, and add up; a difference is an error."""
    transcript = Transcript()
    factor = FACTORS[seed % len(FACTORS)]
    recording = Recording(Foreign(SeededSource(seed), factor), transcript)
    left = _left(world, world.foreign, StandIn(recording))
    if left.refusal is not None and not left.refusal.startswith("tacita."):
        message = f"the method stops with an error of the program: {left.refusal}"
        raise ReplayError(message)
    traces, charges = [], []
    for records in (*world.steps, *world.unrelated):
        trace, charge, other = _replayed(world, records, transcript)
        difference = left.difference(other)
        if difference:
            message = f"the same answers gave other data another release: raw data reaches what is published ({difference})"
            raise ReplayError(message)
        traces.append(trace)
        charges.append(charge)
    if len({None if charge is None else (charge.epsilon, charge.delta) for charge in charges}) > 1:
        message = "what is charged depends on raw data"
        raise ReplayError(message)
    if left.refusal is not None and charges[0] is None:
        return _Lost(loss=Fraction(0), charged=Fraction(0), refusal=left.refusal)
    if charges[0] is None or charges[0].plan.epsilon > world.budget.epsilon or charges[0].plan.delta > world.budget.delta:
        message = "the plan costs more than the budget, or nothing was charged"
        raise ReplayError(message)
    if left.refusal is not None and TooManyNodesError.__name__ not in left.refusal:
        message = f"after the charge only a public limit may refuse: {left.refusal}"
        raise ReplayError(message)
    loss = max(_loss(one, other) for one, other in pairwise(traces[: len(world.steps)]))
    return _Lost(loss=loss, charged=charges[0].epsilon, refusal=left.refusal)


def _loss(first: Trace, second: Trace) -> Fraction:
    if len(first.entries) != len(second.entries):
        message = "neighbours were asked different numbers of questions: a decision was taken on raw data"
        raise ReplayError(message)
    pairs = zip(first.entries, second.entries, strict=True)
    return sum((question_loss(question, mine, other) for (question, mine), (_, other) in pairs), Fraction(0))


def _replayed(world: World, records: Any, transcript: Transcript) -> tuple[Trace, Charge | None, Left]:  # noqa: ANN401
    ledger = Replay(transcript)
    left = _left(world, records, ledger)
    return ledger.trace, ledger.charge, left


def _left(world: World, records: Any, ledger: Any) -> Left:  # noqa: ANN401 - any records, any ledger
    return left_by(
        lambda: world.mechanism.publish(records, budget=world.budget, ledger=ledger), returned=lambda release: len(release.data)
    )


@contextmanager
def _small_limits() -> Iterator[None]:
    """Make the public limits on output small, so that what they decide is replayed too."""
    before = {name: getattr(publishing, name) for name in SMALL_LIMITS if hasattr(publishing, name)}
    for name in before:
        setattr(publishing, name, SMALL_LIMITS[name])
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(publishing, name, value)


def audit_foreign_answers(
    method: str,
    *,
    transcripts: int,
    seed: int = 0,
    mechanism: Any = None,  # noqa: ANN401 - any private mechanism
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Replay so many transcripts of a method, each with parameters, data and a budget of its own.

    With a mechanism, its parameters stay; otherwise each transcript draws others.
    """
    if transcripts < 1:
        message = f"foreign answers need at least one transcript, got {transcripts}"
        raise ParameterError(message)
    worst, worst_turn, published, refused, finding = Fraction(0), 0, 0, 0, ""
    for turn in range(transcripts):
        try:
            with _small_limits():
                lost = _charged(method, mechanism, seed * 1_000_003 + turn)
        except ReplayError as error:
            finding = f"{error} (transcript {turn})"
            break
        refused += lost.refusal is not None
        published += lost.refusal is None
        if lost.loss / lost.charged > worst:
            worst, worst_turn = lost.loss / lost.charged, turn
        if progress is not None:
            progress(turn + 1, transcripts)
    if not finding and not worst:
        finding = "no neighbour changed anything that was asked, so nothing is proved"
    if not finding and refused > published:
        finding = f"{refused} transcripts were refused and {published} published, so too little is proved"
    return Check(
        subject=method,
        test="foreign answers",
        passed=not finding and worst <= 1,
        summary=finding or f"worst loss {float(worst):.6f} of what is charged, {transcripts:,} transcripts",
        evidence=(
            f"transcripts: {published} published, {refused} refused by a limit after the charge",
            f"the worst was transcript {worst_turn}",
        ),
        reproduce=f"audit_foreign_answers({method!r}, transcripts={transcripts}, seed={seed})",
        figures={
            "share": float(worst),
            "transcripts": float(transcripts),
            "published": float(published),
            "refused": float(refused),
        },
    )


def _charged(method: str, mechanism: Any, number: int) -> _Lost:  # noqa: ANN401 - any private mechanism
    """The transcript of this number; a world that is refused before anything is charged is passed over for another one."""
    generator, refusal = public_generator(number), ""
    for _ in range(ATTEMPTS):
        lost = lost_between(world_of(method, generator, mechanism=mechanism), seed=number)
        if lost.charged:
            return lost
        refusal = lost.refusal or "nothing was charged"
    message = f"nothing was ever charged, so nothing is proved; the last refusal: {refusal}"
    raise ReplayError(message)
