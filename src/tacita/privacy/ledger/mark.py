"""The high-water mark: a small file beside a log that says how far the log had come.

The chain of digests cannot show that the last entries are missing. The mark can: it holds the number, the place and the digest of
the last entry that was committed by this path, and a log that does not hold that entry was cut at its end, or replaced by an
older copy. It is written after each commit and not synced, so it may lag behind a crash, never run ahead of the log. Symbolic
links share the mark of the file that they point to; a hard link in another folder has one of its own. Who puts back the log
together with its mark is not noticed; the owner can note the mark down elsewhere, as `tacita ledger show` prints it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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
        held = json.loads(place.read_bytes())
        return Mark(
            log=str(held["log"]), entries=int(held["entries"]), end=int(held["end"]), digest=str(held["digest"]), path=place
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_mark(place: Path, mark: Mark) -> None:
    """Move the mark at this place; a folder in which that cannot be done has none, and the log itself still holds everything."""
    held = {"log": mark.log, "entries": mark.entries, "end": mark.end, "digest": mark.digest}
    data = json.dumps(held).encode().ljust(_SIZE - 1) + b"\n"
    with suppress(OSError):
        fd = os.open(place, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            os.pwrite(fd, data, 0)
        finally:
            os.close(fd)
