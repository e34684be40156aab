"""What goes wrong with a file, in one sentence each."""

from __future__ import annotations

import errno
from pathlib import Path

from tacita.errors import LedgerDamagedError, LedgerError

__all__ = ["RESTORE", "cannot_create", "damaged", "meaning"]

RESTORE = "restore it from a copy, and lower the caps by what was published since"

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS}


def damaged(path: Path, noun: str, number: int, why: str) -> LedgerDamagedError:
    """An entry, by its number, cannot be what was written; entry 0 is the header."""
    which = f"entry {number}" if number else "its first line"
    return LedgerDamagedError(f"the {noun} {str(path)!r} is damaged at {which}: {why}; {RESTORE}")


def meaning(error: OSError, path: Path, noun: str) -> LedgerError:
    """What the system's refusal means for the owner."""
    name, said = f"the {noun} {str(path)!r}", error.strerror or str(error)
    if error.errno in _FULL:
        return LedgerError(f"{name} cannot be written to, because the disk is full ({said}); nothing was added to it: make room")
    if error.errno in _CLOSED:
        return LedgerError(f"{name} cannot be opened or written to ({said}); ask whoever keeps it for the right to write")
    if error.errno == errno.ENOENT:
        return LedgerError(
            f"{name} does not exist; is it the right name? a new one is made by `tacita ledger create` or `Ledger.create`"
        )
    return LedgerError(f"{name} cannot be used: {said}")


def cannot_create(error: OSError, path: Path, noun: str) -> LedgerError:
    """Why a new file could not be made."""
    said = error.strerror or str(error)
    return LedgerError(f"the {noun} {str(path)!r} cannot be created: {said}; its folder must exist and be writable")
