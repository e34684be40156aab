"""Which journal may draw under a charge that lasts: the one that holds all that was released under it, and no copy of it.

A stream is charged once and drawn for months; what each time step cost is in its own journal, which is synced with each release.
A copy of that journal, or an older one that is put back, would draw again what was drawn already. So the ledger remembers how
far the journal of a charge has come: a small file beside it, `LEDGER.CHARGE.journal`, holds the number and digest of the last
record that was released, and which file it is in.

*Order.* The journal is synced, then the note is moved, then the release leaves. The note is moved from what this publisher moved
it to before, under a lock, or not at all: of two publishers that draw from copies of one journal, the second releases nothing. A
journal that lacks the noted record is older and is refused. One that holds it in another file is a copy and is refused too,
unless the owner says that it was moved there and the other one is gone.

*Aliases.* The note lies beside one name of the ledger; another name, such as a hard link or a mount of the single file, has none
beside it. So which file holds the journal is also written into the ledger itself, once, when the journal is first taken up. A
journal that was taken up before and finds no note is refused, even if it is as new as on its first day.

*Progress.* The ledger's own chain records how far the journal has come, when it is taken up, every ten seconds and when it is
left. So a note that was put back together with an older journal does not help, and neither does an older ledger: the journal
keeps which entry of the ledger it was told of last, and a ledger that lacks it is refused. An older journal, note, ledger and
mark together are seen only by anyone who noted the ledger's mark elsewhere.

*Crashes.* The note is written at each commit and synced once a second, so that a kill of the process loses nothing of it; after a
power failure it may lag behind the journal by a second, never run ahead of it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from tacita.errors import LedgerError
from tacita.privacy.ledger.entries import Record
from tacita.privacy.ledger.log import Reader

__all__ = ["Binding", "Claim", "FileBinding", "MemoryBinding", "Noted", "Told", "binding_path"]

_SIZE = 256
_SYNC_SECONDS = 1.0

Told = tuple[int, str]
"""An entry of a ledger: its number and its digest."""


@dataclass(frozen=True, kw_only=True)
class Noted:
    """How far a journal had come, and in which file."""

    journal: str
    file: int
    entries: int
    end: int
    digest: str

    @property
    def progress(self) -> str:
        """What the ledger records: where the last record ends, and its digest."""
        return f"{self.end}:{self.digest}"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """That a file holds the journal of a charge: said whenever it is taken up, for the first time if there was no note."""

    file: str
    is_first: bool
    moved: bool
    holds: Callable[[str], bool] = lambda _: True
    """Whether the journal holds a record that the ledger was told of, as `Noted.progress` writes it."""

    def refused_by(self, before: str, progress: str = "") -> str | None:
        """Why it cannot be true, given the file and the progress that the ledger holds, each empty if it holds none."""
        if self.is_first and before:
            return (
                "this journal is as new as on its first day, but the ledger says that one was begun under its charge: it is an "
                "older copy, or the note beside the ledger is lost; go on with the ledger by the name that it was begun with"
            )
        if progress and not self.holds(progress):
            return (
                "the journal lacks what the ledger was told to be released under its charge: it is an older copy, and would draw "
                "again what was drawn; go on with the journal that has it, or begin a new stream"
            )
        if before not in {"", self.file} and not self.moved:
            return (
                "the ledger says that another file holds the journal of this charge; go on with that one, or say that it was "
                "moved here and is gone (--moved)"
            )
        return None


class Binding(Protocol):
    """Whatever holds the journal of one charge to be the only one."""

    def take_up(self, journal: Reader, *, moved: bool = False) -> None:
        """Refuse a journal that is older than what was released, or a copy; from then on it is the one."""
        ...

    def check(self) -> None:
        """Refuse to draw if another journal has been released from since."""
        ...

    def move(self, to: Record) -> None:
        """Note that all up to this record is about to be released; refuse if another journal was released from since."""
        ...

    def report(self) -> Told | None:
        """Tell the ledger's chain how far the journal has come; which entry says so, or None for a ledger in memory."""
        ...

    def is_told(self, told: Told) -> bool:
        """Whether the ledger holds an entry that the journal was told of."""
        ...

    def close(self) -> None:
        """Bring the note to the disk."""
        ...


def binding_path(ledger: Path, charge: str) -> Path:
    """Where the note about the journal of a charge lies."""
    real = Path(os.path.realpath(ledger))
    return real.with_name(f"{real.name}.{charge[:16]}.journal")


class MemoryBinding:
    """The note of a ledger in memory, which ends with the process; `notes` is shared by all bindings of one ledger."""

    def __init__(self, charge: str, notes: dict[str, Noted]) -> None:
        """Bind the journal of this charge."""
        self._charge, self._notes = charge, notes
        self._mine: Noted | None = None

    def take_up(self, journal: Reader, *, moved: bool = False) -> None:
        """Refuse a journal that is older than what was released, or a copy; from then on it is the one."""
        _require_all(self._read(), journal, moved=moved)
        self._write(_noted(journal, journal.end))

    def check(self) -> None:
        """Refuse to draw if another journal has been released from since."""
        if self._mine is None or self._read() != self._mine:
            raise _another()

    def move(self, to: Record) -> None:
        """Note that all up to this record is about to be released; refuse if another journal was released from since."""
        self.check()
        self._write(_later(self._mine, to))

    def report(self) -> Told | None:
        """There is no chain."""
        return None

    def is_told(self, told: Told) -> bool:  # noqa: ARG002 - as files have it
        """A ledger in memory ends with the process, so it cannot hold what an earlier one was told."""
        return True

    def close(self) -> None:
        """Nothing is on a disk."""

    def _read(self) -> Noted | None:
        return self._notes.get(self._charge)

    def _write(self, noted: Noted) -> None:
        self._notes[self._charge] = self._mine = noted


class FileBinding:
    """The note beside a ledger in a file."""

    def __init__(
        self, path: Path, *, claim: Callable[[Claim], None], tell: Callable[[Noted], Told], holds: Callable[[Told], bool]
    ) -> None:
        """Bind by this file, which is made when a journal is first taken up; `claim` writes into the ledger, or refuses.

        `tell` writes into the ledger how far the journal has come; `holds` says whether the ledger holds such an entry.
        """
        self._path, self._claim, self._tell, self._holds = path, claim, tell, holds
        self._mine: Noted | None = None
        self._fd: int | None = None
        self._synced = 0.0

    def take_up(self, journal: Reader, *, moved: bool = False) -> None:
        """Refuse a journal that is older than what was released, or a copy; from then on it is the one."""
        self.close()
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            message = f"the note {str(self._path)!r} beside the ledger cannot be written: {error.strerror or error}"
            raise LedgerError(message) from None
        with self._locked() as fd:
            before, noted = self._read(fd), _noted(journal, journal.end)
            _require_all(before, journal, moved=moved)
            self._write(fd, noted, sync=True)  # first: a kill before the claim must not cost the owner the stream
            try:
                self._claim(Claim(file=str(noted.file), is_first=before is None, moved=moved, holds=partial(_has, journal)))
            except LedgerError:
                if before is None:
                    os.ftruncate(fd, 0)
                raise

    def check(self) -> None:
        """Refuse to draw if another journal has been released from since."""
        if self._fd is None or self._mine is None or self._read(self._fd) != self._mine:
            raise _another()

    def move(self, to: Record) -> None:
        """Note that all up to this record is about to be released; refuse if another journal was released from since."""
        with self._locked() as fd:
            self.check()
            self._write(fd, _later(self._mine, to), sync=time.monotonic() - self._synced > _SYNC_SECONDS)

    def report(self) -> Told | None:
        """Tell the ledger's chain how far the journal has come, and which entry says so."""
        self.check()
        return None if self._mine is None else self._tell(self._mine)

    def is_told(self, told: Told) -> bool:
        """Whether the ledger holds an entry that the journal was told of."""
        return self._holds(told)

    def close(self) -> None:
        """Bring the note to the disk."""
        if self._fd is not None:
            os.fsync(self._fd)
            os.close(self._fd)
        self._fd = None

    @contextmanager
    def _locked(self) -> Iterator[int]:
        import fcntl  # noqa: PLC0415 - not on every system, but on each that could lock the journal

        if self._fd is None:
            raise _another()
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        try:
            yield self._fd
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _read(self, fd: int) -> Noted | None:
        data = os.pread(fd, _SIZE, 0)
        if not data:
            return None
        try:
            held = json.loads(data)
            return Noted(
                journal=str(held["journal"]),
                file=int(held["file"]),
                entries=int(held["entries"]),
                end=int(held["end"]),
                digest=str(held["digest"]),
            )
        except (ValueError, KeyError, TypeError):
            message = f"the note {str(self._path)!r} beside the ledger cannot be read; restore it together with the ledger"
            raise LedgerError(message) from None

    def _write(self, fd: int, noted: Noted, *, sync: bool) -> None:
        held = {name: getattr(noted, name) for name in ("journal", "file", "entries", "end", "digest")}
        os.pwrite(fd, json.dumps(held).encode().ljust(_SIZE - 1) + b"\n", 0)
        self._mine = noted
        if sync:
            os.fsync(fd)
            self._synced = time.monotonic()


def _has(journal: Reader, progress: str) -> bool:
    """Whether a journal holds the record that a ledger was told of."""
    end, _, digest = progress.partition(":")
    return end.isdecimal() and journal.holds(int(end), digest)


def _noted(journal: Reader, last: Record) -> Noted:
    file = os.fstat(journal.fd).st_ino
    return Noted(journal=journal.name, file=file, entries=last.number, end=last.end, digest=last.digest)


def _later(before: Noted | None, last: Record) -> Noted:
    if before is None:
        raise _another()
    return Noted(journal=before.journal, file=before.file, entries=last.number, end=last.end, digest=last.digest)


def _require_all(noted: Noted | None, journal: Reader, *, moved: bool) -> None:
    """Refuse a journal that cannot be the one that was released from last."""
    name = str(journal.log.path)
    if noted is None:
        if journal.end.number > 1:
            message = f"the {journal.log.noun} {name!r} was begun with another ledger, or the note beside the ledger is lost"
            raise LedgerError(message)
        return
    if noted.journal != journal.name or not journal.holds(noted.end, noted.digest):
        message = (
            f"the {journal.log.noun} {name!r} lacks record {noted.entries}, which was released under its charge: it is an older "
            "copy, and would draw again what was drawn; go on with the journal that has it, or begin a new stream"
        )
        raise LedgerError(message)
    if noted.file != os.fstat(journal.fd).st_ino and not moved:
        message = (
            f"the {journal.log.noun} {name!r} is a copy: the one that was released from is another file, and both would draw; "
            "go on with that one, or say that it was moved here and is gone (--moved)"
        )
        raise LedgerError(message)


def _another() -> LedgerError:
    return LedgerError("another journal has been released from under this charge, so this one must not draw; stop one of the two")
