"""Ledgers of format 1, which were SQLite files: they can be read, and moved into a log of the present format.

SQLite names its rollback journal after the path. Through two names of one file, a journal that a killed run left beside one name
could undo what was committed through the other. So a journal is never followed where the file as it stands is consistent: its
chain of digests is whole, and what is in it counts. Only a file that is broken without its journal, and has no other name, is
rolled back.

Nothing is added to an old file any more, except a note that it was moved, and where to. That note is committed first, and
changes the format's number, so that no earlier version of Tacita spends from the old file afterwards; if the new file then cannot
be made, moving again to the same place finishes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tacita.errors import LedgerDamagedError, LedgerError, LedgerLockedError
from tacita.privacy.ledger.entries import Entry, EntryKind, now
from tacita.privacy.ledger.troubles import RESTORE
from tacita.privacy.randomness import token

__all__ = ["OldFile", "check_old_chain", "is_old_format"]

APPLICATION_ID = 0x54414349
FORMAT, MOVED_FORMAT = 1, 2
_MAGIC = b"SQLite format 3\0"
_COLUMNS = "kind, dataset, at, charge, mechanism, step, epsilon, delta, digest"


def is_old_format(path: Path) -> bool:
    """Whether a file is one of SQLite's."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


@dataclass(frozen=True)
class OldFile:
    """A ledger of format 1."""

    path: Path
    wait_seconds: float = 30

    def read(self) -> list[Entry]:
        """All entries, checked."""
        try:
            return self._read("immutable=1" if self._journal.exists() else "mode=ro")
        except LedgerDamagedError:
            if not self._journal.exists() or self.path.stat().st_nlink > 1:
                raise
        return self._read("mode=rw")  # SQLite rolls the unfinished entry back

    def close(self, new: Path) -> tuple[str, list[Entry]]:
        """Note that the ledger was moved, so that nothing is spent from it; gives the new one's name and first entries.

        Moving again to the same place is allowed as long as the new file does not exist.
        """
        if self.path.stat().st_nlink > 1:
            message = (
                f"the ledger {str(self.path)!r} has other names (hard links), beside which a journal may lie; "
                "remove them, then move it"
            )
            raise LedgerError(message)
        entries = self.read() if self._moved() is None else self._read("mode=ro", moved=True)
        if self._journal.exists():
            self._journal.rename(self._journal.with_name(f"{self._journal.name}.set-aside"))  # or SQLite would follow it
        name = self._note_move(new, entries)
        digest = entries[-1].digest if entries else "none"
        note = f"{len(entries)} entries of format 1, last digest {digest}"
        return name, [Entry(kind=EntryKind.MOVED, dataset="", at=now(), note=note), *entries]

    @property
    def _journal(self) -> Path:
        real = Path(os.path.realpath(self.path))
        return real.with_name(f"{real.name}-journal")

    def _note_move(self, new: Path, entries: Sequence[Entry]) -> str:
        with self._open("mode=rw") as connection:
            connection.execute("BEGIN EXCLUSIVE")
            moved = self._moved_in(connection)
            if moved is not None:
                connection.execute("ROLLBACK")
                return self._require_same_place(moved, new)
            (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
            if count != len(entries):
                connection.execute("ROLLBACK")
                message = f"the ledger {str(self.path)!r} is in use; stop all publishers, then move it"
                raise LedgerLockedError(message)
            name = token()
            connection.execute("CREATE TABLE moved (path TEXT NOT NULL, id TEXT NOT NULL) STRICT")
            connection.execute("INSERT INTO moved VALUES (?, ?)", [str(new.absolute()), name])
            connection.execute(f"PRAGMA user_version = {MOVED_FORMAT}")
            connection.execute("COMMIT")
        return name

    def _require_same_place(self, moved: tuple[str, str], new: Path) -> str:
        path, name = moved
        if path != str(new.absolute()) or new.exists():
            message = f"the ledger {str(self.path)!r} was moved to {path!r}; use that one"
            raise LedgerError(message)
        return name

    def _moved(self) -> tuple[str, str] | None:
        with self._open("immutable=1" if self._journal.exists() else "mode=ro") as connection:
            return self._moved_in(connection)

    def _moved_in(self, connection: sqlite3.Connection) -> tuple[str, str] | None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != MOVED_FORMAT:
            return None
        path, name = connection.execute("SELECT path, id FROM moved").fetchone()
        return str(path), str(name)

    def _read(self, access: str, *, moved: bool = False) -> list[Entry]:
        with self._open(access) as connection:
            self._check_format(connection, moved=moved)
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            rows = connection.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY place").fetchall()  # noqa: S608 - a constant
        if verdict != "ok":
            message = f"the ledger {str(self.path)!r} is damaged; {RESTORE}"
            raise LedgerDamagedError(message)
        entries = [self._entry(place, row) for place, row in enumerate(rows, start=1)]
        _check_chain(entries, path=self.path)
        return entries

    def _entry(self, place: int, row: tuple[str, ...]) -> Entry:
        kind, dataset, at, charge, mechanism, step, epsilon, delta, digest = row
        try:
            meant, amounts = EntryKind(kind), (Fraction(epsilon), Fraction(delta))
        except (ValueError, ZeroDivisionError):
            raise _broken(place, self.path) from None
        return Entry(
            kind=meant,
            dataset=dataset,
            at=at,
            charge=charge,
            mechanism=mechanism,
            step=step,
            epsilon=amounts[0],
            delta=amounts[1],
            number=place,
            digest=digest,
        )

    @contextmanager
    def _open(self, access: str) -> Iterator[sqlite3.Connection]:
        """Connect, check that this is a ledger, and turn what SQLite says into what it means."""
        try:
            uri = f"{self.path.absolute().as_uri()}?{access}"
            with closing(sqlite3.connect(uri, uri=True, timeout=self.wait_seconds, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")
                (application,) = connection.execute("PRAGMA application_id").fetchone()
                if application != APPLICATION_ID:
                    message = f"{str(self.path)!r} is not a Tacita ledger; name another file, or {RESTORE}"
                    raise LedgerDamagedError(message)
                yield connection
        except sqlite3.Error as error:
            raise self._meaning(error) from error

    def _check_format(self, connection: sqlite3.Connection, *, moved: bool) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == MOVED_FORMAT and not moved:
            place = self._moved_in(connection)
            message = f"the ledger {str(self.path)!r} was moved to {place[0] if place else '?'!r}; use that one"
            raise LedgerError(message)
        if version not in {FORMAT, MOVED_FORMAT}:
            message = (
                f"the ledger {str(self.path)!r} has format {version} of SQLite, this version of Tacita reads format {FORMAT}"
            )
            raise LedgerError(message)

    def _meaning(self, error: sqlite3.Error) -> LedgerError:
        name = str(self.path)
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return LedgerLockedError(
                f"the ledger {name!r} is locked by another process for more than {self.wait_seconds:g} s; try again later"
            )
        if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "no such table" in str(error):
            return LedgerDamagedError(f"the ledger {name!r} is damaged ({error}); {RESTORE}")
        return LedgerError(f"the ledger {name!r} cannot be used: {error}")


def check_old_chain(entries: Sequence[Entry], *, path: Path) -> None:
    """Check that the history which was taken over from an old file is the one that the first entry speaks of."""
    if not entries or entries[0].kind is not EntryKind.MOVED:
        return
    words = entries[0].note.split()
    count, digest = int(words[0]), words[-1]
    previous = "none"
    for entry in entries[1 : 1 + count]:
        previous = _old_digest(entry, "" if previous == "none" else previous)
    if previous != digest or len(entries) < 1 + count:
        raise _broken(entries[0].number, path)


def _check_chain(entries: Sequence[Entry], *, path: Path) -> None:
    previous = ""
    for entry in entries:
        if _old_digest(entry, previous) != entry.digest:
            raise _broken(entry.number, path)
        previous = entry.digest


def _old_digest(entry: Entry, previous: str) -> str:
    texts = [entry.kind, entry.dataset, entry.at, entry.charge, entry.mechanism, entry.step]
    text = json.dumps([previous, *texts, str(entry.epsilon), str(entry.delta)])
    return hashlib.sha256(text.encode()).hexdigest()


def _broken(place: int, path: Path) -> LedgerDamagedError:
    return LedgerDamagedError(
        f"the ledger {str(path)!r} is damaged at entry {place}: it does not follow from the one before; {RESTORE}"
    )
