"""Entries of a ledger, their chain of hashes, and the balance that they add up to.

The log is only ever added to. Each entry carries a hash of itself and of the one before, so that an entry that was changed, put
in between, or lost from before another one is noticed whenever the log is read. That the last entries are gone cannot be seen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from fractions import Fraction
from threading import Lock
from typing import Protocol

from tacita.errors import LedgerDamagedError
from tacita.privacy.budget import decimal_text

__all__ = ["Balance", "Entry", "EntryKind", "Log", "MemoryLog", "balance", "chained", "check_chain", "now"]


RESTORE = "restore it from a copy, and lower the caps by what was published since"


class EntryKind(StrEnum):
    """What an entry records."""

    CAP = "cap"
    CHARGE = "charge"
    DRAW = "draw"
    FINISHED = "finished"
    VOID = "void"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a ledger; public facts only."""

    kind: EntryKind
    dataset: str
    at: str
    charge: str = ""
    mechanism: str = ""
    step: str = ""
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    digest: str = ""

    def content(self) -> list[str]:
        """Everything that the digest covers."""
        texts = [self.kind, self.dataset, self.at, self.charge, self.mechanism, self.step]
        return [*texts, str(self.epsilon), str(self.delta)]


def now() -> str:
    """The time of an entry."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def chained(entry: Entry, previous: str) -> Entry:
    """The entry with its digest, given the digest of the one before."""
    text = json.dumps([previous, *entry.content()])
    return replace(entry, digest=hashlib.sha256(text.encode()).hexdigest())


def check_chain(entries: Sequence[Entry]) -> None:
    """Refuse a log in which an entry was changed, put in between, or lost from before another one."""
    previous = ""
    for place, entry in enumerate(entries, start=1):
        if chained(entry, previous).digest != entry.digest:
            message = f"the ledger is damaged: entry {place} does not follow from the one before; {RESTORE}"
            raise LedgerDamagedError(message)
        previous = entry.digest


@dataclass(frozen=True, kw_only=True)
class Balance:
    """What was spent on a data set, and the owner's cap where there is one."""

    dataset: str
    epsilon: Fraction
    delta: Fraction
    cap_epsilon: Fraction | None = None
    cap_delta: Fraction | None = None

    def refuses(self, epsilon: Fraction, delta: Fraction) -> str | None:
        """Why a further spend would pass the cap, or None if it would not."""
        if self.cap_epsilon is None or self.cap_delta is None:
            return None
        for name, spent, asked, cap in (
            ("epsilon", self.epsilon, epsilon, self.cap_epsilon),
            ("delta", self.delta, delta, self.cap_delta),
        ):
            if spent + asked > cap:
                left = decimal_text(max(cap - spent, Fraction(0)))
                return (
                    f"data set {self.dataset!r} has {name} {left} left of its cap {decimal_text(cap)}, "
                    f"{decimal_text(asked)} was asked; ask for less, or let the owner raise the cap"
                )
        return None


def balance(entries: Sequence[Entry], dataset: str) -> Balance:
    """Add up the charges of a data set; a charge counts unless it was voided before its first draw."""
    own = [entry for entry in entries if entry.dataset == dataset]
    drawn = {entry.charge for entry in own if entry.kind is EntryKind.DRAW}
    voided = {entry.charge for entry in own if entry.kind is EntryKind.VOID} - drawn
    counted = [entry for entry in own if entry.kind is EntryKind.CHARGE and entry.charge not in voided]
    cap = next((entry for entry in reversed(own) if entry.kind is EntryKind.CAP), None)
    return Balance(
        dataset=dataset,
        epsilon=sum((entry.epsilon for entry in counted), Fraction(0)),
        delta=sum((entry.delta for entry in counted), Fraction(0)),
        cap_epsilon=cap.epsilon if cap else None,
        cap_delta=cap.delta if cap else None,
    )


class Log(Protocol):
    """Where entries are kept."""

    def read(self) -> list[Entry]:
        """All entries, checked."""
        ...

    def transact(self, decide: Callable[[list[Entry]], Entry], *, charge: str | None = None) -> Entry:
        """Show all entries, or those of one charge, to `decide` and add what it returns, with nobody in between."""
        ...


@dataclass
class MemoryLog:
    """Entries that end with the process."""

    entries: list[Entry] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def read(self) -> list[Entry]:
        """All entries."""
        return list(self.entries)

    def transact(self, decide: Callable[[list[Entry]], Entry], *, charge: str | None = None) -> Entry:
        """Show all entries, or those of one charge, to `decide` and add what it returns, with nobody in between."""
        with self.lock:
            shown = self.entries if charge is None else [entry for entry in self.entries if entry.charge == charge]
            entry = decide(shown)
            self.entries.append(entry)
        return entry
