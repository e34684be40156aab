"""Stands in for a ledger in an audit: an account that gives the answers of a transcript."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tacita.errors import ReplayError
from tacita.privacy.account import Account, Charge
from tacita.privacy.transcript import Replaying, Trace, Transcript

__all__ = ["Replay"]


class Replay:
    """Stands in for a ledger: gives the answers of a transcript, whatever the data, and keeps the true counts in `trace`.

    What is published from a replay holds no fresh noise and is for an audit only.
    """

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
        yield Account(
            charge=charge,
            charge_id="replay",
            private=False,
            noise_source="a replayed transcript",
            ledger_kind="memory",
            answers=replaying,
            commit=lambda _: None,
        )
        if replaying.position != len(self.transcript.entries):
            message = "the replayed run asked fewer questions than the recorded one: a decision was taken on raw data"
            raise ReplayError(message)
