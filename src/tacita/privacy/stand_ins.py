"""Substitutes for a ledger in a replay, an audit or a rehearsal. Nothing is charged, and the output must never be published."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tacita.errors import ReplayError
from tacita.privacy.account import Account, Charge
from tacita.privacy.answers import Answers, Rehearsing, Replaying, Trace, Transcript
from tacita.privacy.randomness import SecureSource, describe

__all__ = ["Rehearsal", "Replay", "StandIn"]

AN_AUDIT = "an audit"
"""The noise source named in releases of an audit; recorded runs and replays share it, because they are compared."""


@dataclass(frozen=True)
class StandIn:
    """Hands out accounts whose answers come from anywhere; what is published with it is stamped NOT PRIVATE."""

    answers: Answers

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Hand out an account; nothing is charged."""
        yield _account(charge, "audit", self.answers, noise_source=AN_AUDIT)


class Replay:
    """Gives the answers of a transcript, whatever the data, and keeps the true answers of the current data in `trace`."""

    def __init__(self, transcript: Transcript) -> None:
        """Replay this transcript."""
        self.transcript = transcript
        self.trace = Trace()
        self.charge: Charge | None = None

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Hand out an account that replays; nothing is charged, because nothing is drawn."""
        self.charge = charge
        replaying = Replaying(self.transcript, self.trace)
        yield _account(charge, "audit", replaying, noise_source=AN_AUDIT)
        if replaying.position != len(self.transcript.entries):
            message = "the replayed run asked fewer questions than the recorded one: a decision was taken on raw data"
            raise ReplayError(message)


class Rehearsal:
    """Answers every question as if there were no records, to find out beforehand what a release will promise.

    Its accounts count as private, because those of the real run will be. What is published in a rehearsal is discarded.
    """

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Hand out an account; nothing is charged or drawn."""
        yield _account(charge, "rehearsal", Rehearsing(), noise_source=describe(SecureSource()), private=True)


def _account(charge: Charge, identity: str, answers: Answers, *, noise_source: str, private: bool = False) -> Account:
    return Account(
        charge=charge,
        charge_id=identity,
        private=private,
        noise_source=noise_source,
        ledger_kind="memory",
        answers=answers,
        commit=lambda _: None,
    )
