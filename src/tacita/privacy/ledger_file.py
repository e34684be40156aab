"""A ledger as a SQLite file that publishers share and that survives a crash at any moment.

Every write is one transaction that takes the file's write lock before it reads, so that two publishers cannot both see room for
the last of the budget, and that is synced to disk before it returns. A new file is made complete under another name and then
put in place, so that an empty or half-made file is never mistaken for a ledger without spends.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tacita.errors import LedgerDamagedError, LedgerError, LedgerLockedError
from tacita.privacy.ledger_log import RESTORE, Entry, EntryKind, chained, check_chain
from tacita.privacy.randomness import token

__all__ = ["LedgerFile"]

APPLICATION_ID = 0x54414349
FORMAT = 1

_SCHEMA = """
CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    kind TEXT NOT NULL, dataset TEXT NOT NULL, at TEXT NOT NULL, charge TEXT NOT NULL, mechanism TEXT NOT NULL,
    step TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, digest TEXT NOT NULL
) STRICT
"""
_COLUMNS = "kind, dataset, at, charge, mechanism, step, epsilon, delta, digest"


@dataclass(frozen=True)
class LedgerFile:
    """The log of a ledger in a file; each operation opens it anew, so that forks and threads need no care."""

    path: Path
    wait_seconds: float

    def read(self) -> list[Entry]:
        """All entries, checked."""
        if not self.path.exists():
            message = f"the ledger {str(self.path)!r} does not exist"
            raise LedgerError(message)
        with self._open() as connection:
            return self._entries(connection)

    def transact(self, decide: Callable[[list[Entry]], Entry], *, charge: str | None = None) -> Entry:
        """Show all entries, or those of one charge, to `decide` and commit what it returns, with nobody in between."""
        self._create_if_missing()
        with self._open() as connection, self._transaction(connection):
            shown = self._entries(connection) if charge is None else self._of_charge(connection, charge)
            last = connection.execute("SELECT digest FROM entries ORDER BY place DESC LIMIT 1").fetchone()
            entry = chained(decide(shown), last[0] if last else "")
            self._insert(connection, entry)
        return entry

    def _create_if_missing(self) -> None:
        if self.path.exists():
            return
        draft = self.path.with_name(f".{self.path.name}.{token()}.new")
        try:
            with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                connection.execute(_SCHEMA)
            os.link(draft, self.path)
        except FileExistsError:
            pass  # another publisher was quicker; its file is as good
        except (OSError, sqlite3.Error) as error:
            message = f"the ledger {str(self.path)!r} cannot be created: {error}; its folder must exist and be writable"
            raise LedgerError(message) from None
        finally:
            with suppress(OSError):
                draft.unlink()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Connect, check that this is a ledger, and turn what SQLite says into what it means."""
        try:
            uri = f"{self.path.absolute().as_uri()}?mode=rw"
            with closing(sqlite3.connect(uri, uri=True, timeout=self.wait_seconds, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")
                self._check_format(connection)
                yield connection
        except sqlite3.Error as error:
            raise self._meaning(error) from error

    def _check_format(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            message = f"{str(self.path)!r} is not a Tacita ledger, or was emptied; name another file, or {RESTORE}"
            raise LedgerDamagedError(message)
        if version != FORMAT:
            message = f"the ledger {str(self.path)!r} has format {version}, this version of Tacita reads format {FORMAT}"
            raise LedgerError(message)

    @contextmanager
    def _transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def _entries(self, connection: sqlite3.Connection) -> list[Entry]:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            message = f"the ledger {str(self.path)!r} is damaged; {RESTORE}"
            raise LedgerDamagedError(message)
        entries = self._read(connection.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY place"))  # noqa: S608 - a constant
        check_chain(entries)
        return entries

    def _of_charge(self, connection: sqlite3.Connection, charge: str) -> list[Entry]:
        """The entries of one charge; the chain was checked when the charge was made."""
        return self._read(connection.execute(f"SELECT {_COLUMNS} FROM entries WHERE charge = ? ORDER BY place", [charge]))  # noqa: S608

    def _read(self, rows: Iterable[tuple[str, ...]]) -> list[Entry]:
        try:
            return [_entry(row) for row in rows]
        except ValueError:
            message = f"the ledger {str(self.path)!r} is damaged: an entry cannot be read; {RESTORE}"
            raise LedgerDamagedError(message) from None

    def _insert(self, connection: sqlite3.Connection, entry: Entry) -> None:
        values = [*entry.content(), entry.digest]
        marks = ", ".join("?" for _ in values)
        connection.execute(f"INSERT INTO entries ({_COLUMNS}) VALUES ({marks})", values)  # noqa: S608 - a constant

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


def _entry(row: tuple[str, ...]) -> Entry:
    kind, dataset, at, charge, mechanism, step, epsilon, delta, digest = row
    return Entry(
        kind=EntryKind(kind),
        dataset=dataset,
        at=at,
        charge=charge,
        mechanism=mechanism,
        step=step,
        epsilon=Fraction(epsilon),
        delta=Fraction(delta),
        digest=digest,
    )
