"""Where a ledger keeps its entries: in memory, or in a log that publishers share.

A charge must not read everything. So the books are written into the log as a checkpoint, in one group with the entry that makes
it due: after 32 entries, and not before twice the size of the last checkpoint has been added, which keeps writing cheap however
many data sets there are. The next writer reads backwards to the last checkpoint, and checks the chain from there; a process that
has just written reads what came since. `read` and `verify` check everything, every checkpoint against the entries before it
included.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Protocol

from tacita.errors import LedgerDamagedError, LedgerError
from tacita.gate import told
from tacita.privacy.ledger.books import Books
from tacita.privacy.ledger.entries import Entry, as_payload, cannot_create, damaged, entry_of, now
from tacita.privacy.ledger.log import AppendLog, Payload, Reader, Record
from tacita.privacy.ledger.marks import mark_path

__all__ = ["FORMAT", "Checked", "FileStore", "MemoryStore", "Store"]

FORMAT = "tacita-ledger-1"
CHECKPOINT_EVERY = 32

Decide = Callable[[Books], Sequence[Entry]]


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a full check of a ledger found: how many entries, and the digest of the last one."""

    entries: int
    digest: str
    checkpoints: int = 0


class Store(Protocol):
    """Where entries are kept."""

    def read(self) -> list[Entry]:
        """All entries, checked."""
        ...

    def books(self) -> Books:
        """What the entries add up to."""
        ...

    def transact(self, decide: Decide) -> list[Entry]:
        """Show the books to `decide` and add what it returns, with nobody in between."""
        ...

    def verify(self) -> Checked:
        """Check everything from the first entry to the last."""
        ...

    def digest_of(self, number: int) -> str | None:
        """The digest of one entry, or None if there is none."""
        ...


@dataclass
class MemoryStore:
    """Entries that end with the process."""

    entries: list[Entry] = field(default_factory=list)
    sums: Books = field(default_factory=Books)
    lock: Lock = field(default_factory=Lock)

    def read(self) -> list[Entry]:
        """All entries."""
        return list(self.entries)

    def books(self) -> Books:
        """What the entries add up to."""
        return self.sums

    def transact(self, decide: Decide) -> list[Entry]:
        """Show the books to `decide` and add what it returns, with nobody in between."""
        with self.lock:
            first = len(self.entries) + 1
            added = [replace(entry, number=first + place) for place, entry in enumerate(decide(self.sums))]
            for entry in added:
                self.sums.apply(entry)
            self.entries += added
        return added

    def verify(self) -> Checked:
        """Nothing can have changed it."""
        return Checked(entries=len(self.entries), digest="")

    def digest_of(self, number: int) -> str | None:  # noqa: ARG002 - nothing is chained in memory
        """There are none."""
        return None


@dataclass(frozen=True, kw_only=True)
class _Known:
    """The books as they were after one record of the log, in the process that made them."""

    books: Books
    last: Record
    since: int  # records since the checkpoint
    checkpoint: int  # the size of the checkpoint
    start: int  # where what came after it begins
    process: int = field(default_factory=os.getpid)


class FileStore:
    """Entries in a log that survives a crash at any moment."""

    def __init__(self, path: Path, *, wait_seconds: float = 30) -> None:
        """Name the file."""
        self.log = AppendLog(path=path, kind=FORMAT, wait_seconds=wait_seconds)
        self._known: _Known | None = None

    def create(self) -> None:
        """Make a new file; one that exists, or existed and is gone, is refused."""
        path = self.log.path
        if mark_path(path).exists() and not path.exists():
            message = (
                f"the ledger {str(path)!r} was deleted or moved: its mark {str(mark_path(path))!r} is still there; "
                "put the ledger back, or remove the mark if nothing that was in it counts any more"
            )
            raise LedgerError(message)
        try:
            self.log.create(at=now())
        except FileExistsError:
            raise
        except OSError as error:
            raise cannot_create(error, path, self.log.noun) from None

    def read(self) -> list[Entry]:
        """All entries, checked."""
        with self._told(), self.log.reading() as reader:
            return [entry for _, entry in self._checked(reader) if entry is not None]

    def verify(self) -> Checked:
        """Check the chain and every checkpoint."""
        with self._told(), self.log.reading() as reader:
            checkpoints = sum(entry is None for _, entry in self._checked(reader))
        return Checked(entries=reader.end.number, digest=reader.end.digest, checkpoints=checkpoints)

    def digest_of(self, number: int) -> str | None:
        """The digest of one entry, or None if there is none."""
        with self._told(), self.log.reading() as reader:
            return next((record.digest for record in reader.records() if record.number == number), None)

    def books(self) -> Books:
        """What the entries add up to."""
        with self._told(), self.log.reading() as reader:
            return self._from_checkpoint(reader).books

    def transact(self, decide: Decide) -> list[Entry]:
        """Show the books to `decide` and commit what it returns, with nobody in between."""
        with self.log.writing() as writer:
            known, self._known = self._known, None  # until the commit is done
            with self._told():
                known = self._caught_up(known, writer) or self._from_checkpoint(writer)
            entries = list(decide(known.books))
            if not entries:
                return []
            for entry in entries:
                known.books.apply(entry)
            payloads = [as_payload(entry) for entry in entries]
            is_due = self._is_due(known, len(payloads))
            records = writer.append([*payloads, _checkpoint(known.books)] if is_due else payloads)
            self._known = _after(known, records, is_due=is_due)
        kept = zip(entries, records, strict=False)  # a checkpoint may follow
        return [replace(entry, number=record.number, digest=record.digest) for entry, record in kept]

    def _told(self) -> AbstractContextManager[None]:
        """Whatever a damaged file makes of this code becomes one sentence."""
        return told(f"the {self.log.noun} {str(self.log.path)!r}", error=LedgerDamagedError)

    def _caught_up(self, known: _Known | None, reader: Reader) -> _Known | None:
        """The books as this process knew them, with what came since; None if there are none, or of another file."""
        if known is None or known.process != os.getpid():
            return None
        records = reader.since(known.last)
        if records is None:
            return None
        for record in records:
            known = self._with(known, record)
        return known

    def _from_checkpoint(self, reader: Reader) -> _Known:
        records = reader.tail(_is_checkpoint)
        known: _Known | None = None
        for record in records:
            known = self._with(known, record)
        return known or _Known(books=Books(), last=reader.end, since=0, checkpoint=0, start=reader.end.end)

    def _with(self, known: _Known | None, record: Record) -> _Known:
        """The books after one more record."""
        if _is_checkpoint(record.payload):
            try:
                books = Books.from_json(record.payload["books"])
            except (KeyError, ValueError, TypeError, AttributeError, IndexError):
                raise damaged(self.log.path, self.log.noun, record.number, "it cannot be read") from None
            return _Known(books=books, last=record, since=0, checkpoint=record.end - record.start, start=record.end)
        if known is None:
            known = _Known(books=Books(), last=record, since=0, checkpoint=0, start=record.start)
        known.books.apply(self._entry(record))
        return replace(known, last=record, since=known.since + 1)

    def _is_due(self, known: _Known, more: int) -> bool:
        added = known.last.end - known.start
        return known.since + more >= CHECKPOINT_EVERY and added >= 2 * known.checkpoint

    def _entry(self, record: Record) -> Entry:
        try:
            return entry_of(record.payload, number=record.number, digest=record.digest)
        except (ValueError, ZeroDivisionError):
            raise damaged(self.log.path, self.log.noun, record.number, "it cannot be read") from None

    def _checked(self, reader: Reader) -> Iterator[tuple[Record, Entry | None]]:
        """Every record with its entry; None for a checkpoint, which must say what the entries before it add up to."""
        books = Books()
        for record in reader.records():
            if _is_checkpoint(record.payload):
                if record.payload.get("books") != books.as_json():
                    raise damaged(self.log.path, self.log.noun, record.number, "it is not what the entries before it add up to")
                yield record, None
            else:
                entry = self._entry(record)
                books.apply(entry)
                yield record, entry


def _is_checkpoint(payload: Payload) -> bool:
    return payload.get("kind") == "checkpoint"


def _checkpoint(books: Books) -> Payload:
    return {"kind": "checkpoint", "books": books.as_json()}


def _after(known: _Known, records: Sequence[Record], *, is_due: bool) -> _Known:
    last = records[-1]
    if not is_due:
        return replace(known, last=last, since=known.since + len(records))
    return _Known(books=known.books, last=last, since=0, checkpoint=last.end - last.start, start=last.end)
