"""An append-only file of chained records that no alias, kill or crash can make forget, and a mark that guards its end.

One line of JSON per record. Each ends with a digest of itself and of the digest before, so that a record that was changed, put
in between, or lost from before another one is noticed where it is read. The first line is the header: the format and a random
name.

    {"format":"tacita-ledger-1","id":"9f...","at":"2026-01-31T12:00:00+00:00","digest":"4a..."}
    {"n":1,"kind":"cap","dataset":"taps",...,"digest":"b7..."}

*Commits.* A writer holds `flock` on the file itself, appends at its end, and syncs it before it says that the record is kept.
Lock, data and sync belong to the inode: it does not matter by which hard link, symbolic link or mount the file was opened, and
there is no lock file whose name depends on the path. After its creation the file is never renamed, replaced or overwritten.

*Groups.* Several records can be committed together: each says how many `more` follow, and a group counts only as a whole.

*Room.* A log that is committed to again and again may write zeros `ahead` of its end: a commit within them changes no size, so
that its data alone must be synced, which is several times faster. A writer cuts them off when it leaves; a killed one leaves
zeros, which are no lines.

*Tails.* What a killed writer leaves behind the last whole group was never acknowledged. Readers pass over it, and the next
writer cuts it off under the lock, unless the mark says that it was acknowledged: then the file was damaged, and nothing is
written.

*Marks.* The chain of digests cannot show that the last entries are missing. The mark, a small file beside the log, can: it says
how far the log had come.

Anyone who needs a state and not the whole history writes it into a record from time to time: `tail` reads backwards to the last
record of that sort, and checks the chain from there on. The payload is any JSON object without the keys `n`, `more` and
`digest`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

from tacita.errors import LedgerDamagedError, LedgerError, LedgerLockedError
from tacita.privacy.ledger.entries import (
    ENDING_SIZE,
    RESTORE,
    Payload,
    Record,
    cannot_create,
    damaged,
    ending_of,
    follows,
    lines_after,
    lines_before,
    meaning,
    packed,
    stated,
)
from tacita.privacy.ledger.marks import Mark, mark_path, read_mark, write_mark
from tacita.privacy.randomness import token

__all__ = ["AppendLog", "Payload", "Reader", "Record", "Writer"]


_POLL_SECONDS = 0.002
_ROOM = 2**16
"""Bytes that are held for a new file: its first records have a few kilobytes."""


@dataclass(frozen=True, kw_only=True)
class AppendLog:
    """A file of chained records; each operation opens it anew, so that forks and threads need no care."""

    path: Path
    kind: str
    noun: str = "ledger"
    wait_seconds: float = 30
    ahead: int = 0
    """How many bytes of zeros a writer keeps behind the end."""
    mode: int = 0o666
    """The rights that a new file has, as far as the process may give them."""

    @property
    def is_there(self) -> bool:
        """Whether the name is taken, if only by a link to nothing."""
        return os.path.lexists(self.path)

    @contextmanager
    def room(self) -> Iterator[None]:
        """Hold space for a new file meanwhile, so that what is charged before it is made is not lost to a full disk."""
        draft = self.path.with_name(f".{self.path.name}.{token()}.new")
        try:
            with draft.open("xb") as file:
                file.write(bytes(_ROOM))
                file.flush()
                _sync(file.fileno())
            yield
        except OSError as error:
            raise cannot_create(error, self.path, self.noun) from None
        finally:
            with suppress(OSError):
                draft.unlink()

    def create(self, payloads: Sequence[Payload] = (), *, at: str) -> None:
        """Make the file, complete with its first records; a file that exists is a FileExistsError."""
        _flock(exclusive=True)  # refuses systems that cannot lock
        header = {"format": self.kind, "id": token(), "at": at}
        data, records = packed([header, *payloads])
        draft = self.path.with_name(f".{self.path.name}.{token()}.new")
        try:
            with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, self.mode)) as file:
                file.write(data)
                file.flush()
                _sync(file.fileno())
            os.link(draft, self.path)  # appears whole or not at all, and never replaces a file
            _sync_folder(self.path.absolute().parent)
        finally:
            with suppress(OSError):
                draft.unlink()
        write_mark(mark_path(self.path), _mark_at(str(header["id"]), records[-1]))

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Look at what is committed now; later commits do not disturb it, and it does not hold them up."""
        with self._opened(os.O_RDONLY) as fd:
            with self._locked(fd, exclusive=False):
                reader = self._reader(fd)
            yield reader

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Look at what is committed and add to it, with nobody in between."""
        with self._opened(os.O_RDWR) as fd, self._locked(fd, exclusive=True):
            reader = self._reader(fd)
            writer = Writer(fd=fd, log=self, name=reader.name, end=reader.end)
            try:
                yield writer
            finally:
                writer.cut()

    @contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        try:
            fd = os.open(self.path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            raise meaning(error, self.path, self.noun) from None
        try:
            if not S_ISREG(os.fstat(fd).st_mode):  # a pipe would be waited for, a device would forget
                message = f"the {self.noun} {str(self.path)!r} cannot be used: it is not a regular file"
                raise LedgerError(message)
            yield fd
        except OSError as error:
            raise meaning(error, self.path, self.noun) from None
        finally:
            os.close(fd)

    @contextmanager
    def _locked(self, fd: int, *, exclusive: bool) -> Iterator[None]:
        lock, unlock = _flock(exclusive=exclusive)
        deadline = time.monotonic() + self.wait_seconds
        while not lock(fd):
            if time.monotonic() >= deadline:
                message = (
                    f"the {self.noun} {str(self.path)!r} is locked by another process for more than {self.wait_seconds:g} s; "
                    "try again later"
                )
                raise LedgerLockedError(message)
            time.sleep(_POLL_SECONDS)
        try:
            self._require_same_file(fd)
            yield
        finally:
            unlock(fd)

    def _require_same_file(self, fd: int) -> None:
        """Refuse a file that lost its name while we waited for the lock: what is written there would be lost."""
        ours = os.fstat(fd)
        named = self.path.stat()
        if (ours.st_dev, ours.st_ino) != (named.st_dev, named.st_ino):
            message = f"the {self.noun} {str(self.path)!r} was replaced while it was in use; see which of the two files is right"
            raise LedgerError(message)

    def _reader(self, fd: int) -> Reader:
        name = self._header_name(fd)
        reader = Reader(fd=fd, log=self, name=name, end=self._committed_end(fd))
        self._check_mark(reader)
        return reader

    def _header_name(self, fd: int) -> str:
        line = os.pread(fd, 4096, 0).partition(b"\n")[0] + b"\n"
        try:
            header = json.loads(line)
            kind, name = str(header["format"]), str(header["id"])
        except (ValueError, KeyError, TypeError, RecursionError):
            message = (
                f"{str(self.path)!r} is not a Tacita {self.noun}, or was emptied or damaged; name another file, or {RESTORE}"
            )
            raise LedgerDamagedError(message) from None
        if kind != self.kind:
            message = f"the {self.noun} {str(self.path)!r} has format {kind!r}, this version of Tacita reads {self.kind!r}"
            raise LedgerError(message)
        return name

    def _committed_end(self, fd: int) -> Record:
        """The last record of the last whole group; what is behind it was never acknowledged."""
        for start, line in lines_before(fd, os.fstat(fd).st_size):
            if not line.endswith(b"\n") or b"\0" in line:
                continue
            record = stated(line, start)
            if record is None:
                raise damaged(self.path, self.noun, _number_at(fd, start), "it cannot be read")
            if not record.more:
                return record
        raise damaged(self.path, self.noun, 0, "it cannot be read")

    def _check_mark(self, reader: Reader) -> None:
        """Refuse a file that lacks what the mark beside it has seen."""
        mark = read_mark(self.path)
        if mark is None:
            return
        if mark.log != reader.name:
            message = (
                f"the mark {str(mark.path)!r} belongs to another {self.noun}; was {str(self.path)!r} replaced? "
                "Put the right file back, or remove the mark if you are sure"
            )
            raise LedgerDamagedError(message)
        if not reader.holds(mark.end, mark.digest):
            message = (
                f"the {self.noun} {str(self.path)!r} was cut or replaced by an older copy: it has {reader.end.number} entries "
                f"and lacks entry {mark.entries}, which the mark {str(mark.path)!r} has seen; {RESTORE}, and remove the mark then"
            )
            raise LedgerDamagedError(message)


@dataclass(kw_only=True)
class Reader:
    """What was committed when the file was opened."""

    fd: int
    log: AppendLog
    name: str
    end: Record

    def holds(self, end: int, digest: str) -> bool:
        """Whether a record with this digest ends at this offset."""
        is_inside = ENDING_SIZE <= end <= self.end.end
        return is_inside and os.pread(self.fd, ENDING_SIZE, end - ENDING_SIZE) == ending_of(digest)

    def records(self) -> Iterator[Record]:
        """All records, oldest first, checked one by one; the header is none of them."""
        everything = self._checked(lines_after(self.fd, 0, self.end.end), number=0, digest="")
        return (record for record in everything if record.number)

    def since(self, last: Record) -> list[Record] | None:
        """The records after one that was read earlier, or None if the file does not hold that one."""
        if not self.holds(last.end, last.digest):
            return None
        return list(self._checked(lines_after(self.fd, last.end, self.end.end), number=last.number + 1, digest=last.digest))

    def tail(self, is_start: Callable[[Payload], bool]) -> Iterator[Record]:
        """The records from the last one on that `is_start` knows, or all; their chain is checked, that before them is not.

        Each is checked when it is given, so that there is no second copy of all.
        """
        lines: list[tuple[int, bytes]] = []
        is_found = False
        for start, line in lines_before(self.fd, self.end.end):
            record = stated(line, start)
            if record is None:
                raise damaged(self.log.path, self.log.noun, _number_at(self.fd, start), "it cannot be read")
            if is_found:
                yield from self._checked(_emptied(lines), number=record.number + 1, digest=record.digest)
                return
            lines.append((start, line))
            is_found = bool(record.number) and is_start(record.payload)
        yield from (record for record in self._checked(_emptied(lines), number=0, digest="") if record.number)

    def _checked(self, lines: Iterable[tuple[int, bytes]], *, number: int, digest: str) -> Iterator[Record]:
        """The records of some lines, each of which must follow from the one before."""
        for start, line in lines:
            record = stated(line, start)
            if record is None or not follows(line, record, number=number, digest=digest):
                raise damaged(self.log.path, self.log.noun, number, "it does not follow from the one before")
            yield record
            number, digest = number + 1, record.digest


@dataclass(kw_only=True)
class Writer(Reader):
    """What was committed, while nobody else can add to it."""

    zeros_to: int = 0
    """Up to where there are zeros that this writer wrote."""

    def append(self, payloads: Sequence[Payload]) -> list[Record]:
        """Commit records as one group, all or none; they are on the disk when this returns."""
        end = self.end
        data, records = packed(payloads, after=end)
        if not records:
            return []
        try:
            is_within = self._make_room(len(data))
            _write(self.fd, data, end.end)
            _sync(self.fd, data_only=is_within)
        except OSError:
            with suppress(OSError):
                self.zeros_to = 0
                os.ftruncate(self.fd, end.end)
            raise
        self.end = records[-1]
        write_mark(self.mark_path, _mark_at(self.name, self.end))
        return records

    @cached_property
    def mark_path(self) -> Path:
        """Where the mark of this log lies; looked up once, since links are followed step by step."""
        return mark_path(self.log.path)

    def cut(self) -> None:
        """Cut off the zeros that were written ahead."""
        if self.zeros_to:
            with suppress(OSError):
                os.ftruncate(self.fd, self.end.end)
        self.zeros_to = 0

    def _make_room(self, size: int) -> bool:
        """Cut off what was never acknowledged; whether there are zeros for that many bytes, written if they should be."""
        end = self.end.end
        if end + size <= self.zeros_to:
            return True
        if os.fstat(self.fd).st_size != end:
            os.ftruncate(self.fd, end)
        self.zeros_to = 0
        if not self.log.ahead:
            return False
        _write(self.fd, bytes(size + self.log.ahead), end)
        _sync(self.fd)
        self.zeros_to = end + size + self.log.ahead
        return True


class _Flock(Protocol):
    def __call__(self, fd: int, /) -> bool: ...


def _flock(*, exclusive: bool) -> tuple[_Flock, _Flock]:
    """How to try to lock a file, and to unlock it."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        message = "a ledger in a file needs `flock`, which this system does not have; use one in memory, or another system"
        raise LedgerError(message) from None
    mode = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB

    def lock(fd: int, /) -> bool:
        try:
            fcntl.flock(fd, mode)
        except BlockingIOError:
            return False
        return True

    def unlock(fd: int, /) -> bool:
        fcntl.flock(fd, fcntl.LOCK_UN)
        return True

    return lock, unlock


def _emptied(lines: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Lines from the last to the first, each taken away when it is given."""
    while lines:
        yield lines.pop()


def _number_at(fd: int, offset: int) -> int:
    """The number of the record that starts at an offset; for errors, since it reads everything before."""
    return sum(1 for _ in lines_after(fd, 0, offset))


def _write(fd: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(fd, view, offset)
        view, offset = view[written:], offset + written


def _sync(fd: int, *, data_only: bool = False) -> None:
    """Bring a file to the disk itself, or its data alone if its size is unchanged; on macOS that takes a word of its own."""
    import fcntl  # noqa: PLC0415 - not on every system, but on each that could lock the file

    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is None:
        (os.fdatasync if data_only else os.fsync)(fd)
    else:
        fcntl.fcntl(fd, full)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system can
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _mark_at(log: str, record: Record) -> Mark:
    return Mark(log=log, entries=record.number, end=record.end, digest=record.digest)
