"""The high-water mark of a log.

It holds the number, the offset and the digest of the last entry that was committed by this path. A log that does not hold that
entry was cut at its end, or replaced by an older copy. The mark is written after each commit and not synced, so it may lag behind
a crash, but never runs ahead of the log. Symbolic links share the mark of the file that they point to; a hard link in another
folder has its own. Nothing shows that somebody restored an old log together with its old mark. Against that, the owner can note
the mark elsewhere, as `tacita ledger show` prints it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any

from tacita.errors import InputError
from tacita.gate import parsed, read_document

__all__ = ["Mark", "mark_path", "read_mark", "write_mark"]

_SIZE = 256
"""Bytes of the file: always the same, so that it is overwritten in place by one write."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """How far a log had come: its last entry's number and digest, and the offset behind it."""

    log: str
    entries: int
    end: int
    digest: str
    path: Path | None = None


def mark_path(path: Path) -> Path:
    """Where the mark of a log lies."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.mark")


def read_mark(path: Path) -> Mark | None:
    """The mark of a log; None if there is none, or if a crash has torn it."""
    place = mark_path(path)
    try:
        held: Any = parsed(read_document(place, what="the mark", limit=_SIZE), what="the mark")
        return Mark(
            log=str(held["log"]), entries=int(held["entries"]), end=int(held["end"]), digest=str(held["digest"]), path=place
        )
    except (InputError, ValueError, KeyError, TypeError):
        return None


def write_mark(place: Path, mark: Mark) -> None:
    """Move the mark at this place; a folder in which that cannot be done has none, and the log itself still holds everything.

    What lies there in place of a mark is left alone: a pipe would be waited for, and a link would have its target overwritten.
    """
    held = {"log": mark.log, "entries": mark.entries, "end": mark.end, "digest": mark.digest}
    data = json.dumps(held).encode().ljust(_SIZE - 1) + b"\n"
    with suppress(OSError):
        careful = [getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW")]
        fd = os.open(place, os.O_WRONLY | os.O_CREAT | sum(careful), 0o666)
        try:
            if S_ISREG(os.fstat(fd).st_mode):
                os.pwrite(fd, data, 0)
        finally:
            os.close(fd)
