"""The ledger: what was spent on which data set, and what the owner allows.

A ledger is a log to which entries are only added: caps that the owner sets, charges, the draws made under a charge, and how the
charge ended. A charge, the whole cost of a publication, is committed before any noise is drawn. A crash can therefore waste
budget but never hide a spend. Costs add up by basic composition, epsilon and delta side by side.

With a path the log is a SQLite file that any number of publishers may share; without one it is kept in memory, and the manifest
says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from tacita.errors import LedgerError, LedgerExhaustedError, UnplannedDrawError
from tacita.privacy.account import Account, Charge, Draw
from tacita.privacy.answers import Answers, Drawing, Recording, Transcript
from tacita.privacy.budget import Budget
from tacita.privacy.ledger_file import LedgerFile
from tacita.privacy.ledger_log import Balance, Entry, EntryKind, Log, MemoryLog, balance, now
from tacita.privacy.randomness import SecureSource, Source, describe, is_private, token

__all__ = ["Ledger", "OpensAccounts"]


class OpensAccounts(Protocol):
    """A ledger, or what stands in for one in an audit."""

    def open(self, charge: Charge) -> AbstractContextManager[Account]:
        """Charge the whole cost, then hand out the account to draw from."""
        ...


class Ledger:
    """The owner's record of spends, in a file or in memory.

    >>> from tacita.privacy.budget import PureDP
    >>> ledger = Ledger()
    >>> ledger.set_cap("taps", PureDP("2"))
    >>> ledger.balance("taps").cap_epsilon
    Fraction(2, 1)
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        source: Source | None = None,
        transcript: Transcript | None = None,
        wait_seconds: float = 30,
    ) -> None:
        """Name the file, or none for a ledger in memory; a transcript, if given, records every question and answer."""
        self.path = None if path is None else Path(path)
        self._log: Log = MemoryLog() if self.path is None else LedgerFile(self.path, wait_seconds)
        self._source = SecureSource() if source is None else source
        self._transcript = transcript

    def set_cap(self, dataset: str, cap: Budget) -> None:
        """Set what may be spent on a data set in all; the latest cap holds, and the history keeps every one."""
        _check_name(dataset)
        entry = Entry(kind=EntryKind.CAP, dataset=dataset, at=now(), epsilon=cap.epsilon, delta=cap.delta)
        self._log.transact(lambda _: entry)

    def balance(self, dataset: str) -> Balance:
        """What was spent on a data set so far, and its cap."""
        return balance(self._log.read(), dataset)

    def history(self) -> list[Entry]:
        """All entries, oldest first."""
        return self._log.read()

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Commit the whole cost of a publication, or refuse it, then hand out the account to draw from.

        A publication that fails before its first draw is voided: nothing was learnt, so nothing is spent.
        """
        _check_name(charge.dataset)
        identity = self._commit_charge(charge)

        def commit(draw: Draw) -> None:
            entry = self._entry(EntryKind.DRAW, charge, identity, draw)
            self._log.transact(lambda own: _checked_draw(entry, own), charge=identity)

        account = Account(
            charge=charge,
            charge_id=identity,
            private=is_private(self._source),
            noise_source=describe(self._source),
            ledger_kind="memory" if self.path is None else "file",
            answers=self._answers(),
            commit=commit,
        )
        try:
            yield account
        except BaseException:
            if not account.draws:
                self._note_end(EntryKind.VOID, charge, identity)
            raise
        finally:
            account.closed = True
        self._note_end(EntryKind.FINISHED, charge, identity)

    def _note_end(self, kind: EntryKind, charge: Charge, identity: str) -> None:
        """Write down how a charge ended. It counts as spent until then, so failing here must not cost the owner a release."""
        with suppress(LedgerError):
            self._log.transact(lambda _: self._entry(kind, charge, identity), charge=identity)

    def _entry(self, kind: EntryKind, charge: Charge, identity: str, draw: Draw | None = None) -> Entry:
        cost = {} if draw is None else {"step": draw.step, "epsilon": draw.epsilon, "delta": draw.delta}
        return Entry(kind=kind, dataset=charge.dataset, at=now(), charge=identity, **cost)  # type: ignore[arg-type]

    def _commit_charge(self, charge: Charge) -> str:
        identity = token()
        epsilon, delta = charge.epsilon, charge.delta

        def decide(entries: list[Entry]) -> Entry:
            refusal = balance(entries, charge.dataset).refuses(epsilon, delta)
            if refusal:
                raise LedgerExhaustedError(refusal)
            return Entry(
                kind=EntryKind.CHARGE,
                dataset=charge.dataset,
                at=now(),
                charge=identity,
                mechanism=charge.mechanism,
                epsilon=epsilon,
                delta=delta,
            )

        self._log.transact(decide)
        return identity

    def _answers(self) -> Answers:
        drawing = Drawing(self._source)
        return drawing if self._transcript is None else Recording(drawing, self._transcript)


def _checked_draw(entry: Entry, own: list[Entry]) -> Entry:
    """Refuse a draw under a charge that the log does not hold, that has ended, or that drew this step already."""
    kinds = {previous.kind for previous in own}
    if EntryKind.CHARGE not in kinds or kinds & {EntryKind.VOID, EntryKind.FINISHED}:
        message = f"step {entry.step!r} must be drawn under an open charge, but the ledger holds none; was the file replaced?"
        raise LedgerError(message)
    if any(previous.kind is EntryKind.DRAW and previous.step == entry.step for previous in own):
        message = (
            f"step {entry.step!r} was drawn already under this charge, perhaps by another process; plan and pay for it twice"
        )
        raise UnplannedDrawError(message)
    return entry


def _check_name(dataset: str) -> None:
    if not dataset or not dataset.isprintable() or dataset != dataset.strip():
        message = f"the name of a data set must be a printable text without blanks around it, got {dataset!r}"
        raise LedgerError(message)
