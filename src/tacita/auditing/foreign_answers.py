"""Foreign answers: what neighbours would lose if the noise had given the answers of quite different data.

Noise can give any answer, if rarely, and the promise holds for all of them. So the answers of a run are taken from somebody
else's data, enlarged, which opens branches that no small data set of an audit reaches by chance: a class of baskets is counted,
a range is cut, a tree grows deep, a limit is hit. The same answers are replayed on tiny neighbours. With the same answers,
all three must leave the same bytes, be charged the same and ask the same questions; and the sum over all questions of rate
times change, in fractions, must be at most what a person is charged. No logarithm, no rounding.

The laws are those of `cases.laws`, data and parameters come from `cases.worlds`.
Only a seed decides what is tried: the same seed finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tacita.auditing.cases.laws import Foreign, question_loss, question_rho
from tacita.auditing.cases.worlds import World, world_of
from tacita.auditing.runs import Left, left_by
from tacita.auditing.verdict import Check
from tacita.errors import ParameterError, ReplayError, TooManyNodesError
from tacita.privacy import limits
from tacita.privacy.account import Charge, Replay, StandIn
from tacita.privacy.answers import Recording, Trace, Transcript
from tacita.seeded import SeededSource, public_generator

__all__ = ["audit_foreign_answers", "lost_between"]

FACTORS = (1, 10, 100)
"""How many times everybody is there whose answers are taken."""

ATTEMPTS = 30
"""How many worlds are tried for one transcript: not every method takes all data of its kind."""

SMALL_LIMITS = {"LARGEST_OUTPUT": 100_000, "LARGEST_IN_PARTS": 100_000, "MOST_UNSURE": 5}
"""The limits of `privacy.limits` while foreign answers are tried: so small that they are often reached."""


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
    if len({None if charge is None else charge.cost for charge in charges}) > 1:
        message = "what is charged depends on raw data"
        raise ReplayError(message)
    if left.refusal is not None and charges[0] is None:
        return _Lost(loss=Fraction(0), charged=Fraction(0), refusal=left.refusal)
    if charges[0] is None or not world.budget.covers(charges[0].plan.cost):
        message = "the plan costs more than the budget, or nothing was charged"
        raise ReplayError(message)
    if left.refusal is not None and TooManyNodesError.__name__ not in left.refusal:
        message = f"after the charge only a public limit may refuse: {left.refusal}"
        raise ReplayError(message)
    of_question = question_rho if charges[0].rho else question_loss
    loss = max(_loss(one, other, of_question) for one, other in pairwise(traces[: len(world.steps)]))
    return _Lost(loss=loss, charged=charges[0].rho or charges[0].epsilon, refusal=left.refusal)


def _loss(first: Trace, second: Trace, of_question: Callable[[Any, Any, Any], Fraction]) -> Fraction:
    if len(first.entries) != len(second.entries):
        message = "neighbours were asked different numbers of questions: a decision was taken on raw data"
        raise ReplayError(message)
    pairs = zip(first.entries, second.entries, strict=True)
    return sum((of_question(question, mine, other) for (question, mine), (_, other) in pairs), Fraction(0))


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
    before = {name: getattr(limits, name) for name in SMALL_LIMITS}
    for name in before:
        setattr(limits, name, SMALL_LIMITS[name])
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(limits, name, value)


def audit_foreign_answers(
    method: str,
    *,
    transcripts: int,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Replay a number of transcripts of a method, each with parameters, data and a budget of its own."""
    if transcripts < 1:
        message = f"foreign answers need at least one transcript, got {transcripts}"
        raise ParameterError(message)
    worst, worst_turn, published, refused, finding = Fraction(0), 0, 0, 0, ""
    for turn in range(transcripts):
        try:
            with _small_limits():
                lost = _charged(method, seed * 1_000_003 + turn)
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


def _charged(method: str, number: int) -> _Lost:
    """The transcript of this number; a world that is refused before anything is charged is passed over for another one."""
    generator, refusal = public_generator(number), ""
    for _ in range(ATTEMPTS):
        lost = lost_between(world_of(method, generator), seed=number)
        if lost.charged:
            return lost
        refusal = lost.refusal or "nothing was charged"
    message = f"nothing was ever charged, so nothing is proved; the last refusal: {refusal}"
    raise ReplayError(message)
