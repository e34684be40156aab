"""Whether a source fits into memory, and how many blocks it needs otherwise.

Both look at the size of the file and at this machine. They decide how counts are computed, and never what comes out: a release is
the same on every engine, so nothing about the size leaves with it.
"""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from tacita.formats import Compression, FileFormat
from tacita.io.formats import STANDARD_INPUT, rows_of
from tacita.io.frames import Source, is_frame

__all__ = ["fits_memory", "is_large", "number_of_blocks"]

BYTES_PER_ROW = 64
"""Reading and publishing in memory takes about this much per row of events, and large files less."""
TEXT_BYTES_PER_ROW = 16
COMPRESSED = 8
"""Compressed text may be this much larger when it is read."""
ROWS_PER_BLOCK = 1 << 22
FEWEST, MOST = 4, 256
LARGE = 1 << 24


def fits_memory(source: Source, file_format: FileFormat, *, available: int | None = None) -> bool:
    """Whether a file can be read into half of the memory that is free; frames and standard input are taken to fit."""
    if is_frame(source) or str(source) == STANDARD_INPUT:
        return True
    free = free_memory() if available is None else available
    return free is None or rows_at_most(Path(source), file_format) * BYTES_PER_ROW <= free // 2


def is_large(source: Source, file_format: FileFormat) -> bool:
    """Whether a file of long rows is so large that reading it in blocks takes far less memory, and less time."""
    if is_frame(source) or str(source) == STANDARD_INPUT or not file_format.is_long:
        return False
    return rows_at_most(Path(source), file_format) >= LARGE


def number_of_blocks(source: Source, file_format: FileFormat) -> int:
    """A power of two, so that a block has about four million rows."""
    if is_frame(source) or str(source) == STANDARD_INPUT:
        return 4 * FEWEST
    wanted = rows_at_most(Path(source), file_format) / ROWS_PER_BLOCK
    return min(MOST, max(FEWEST, 1 << max(0, int(wanted)).bit_length()))


def rows_at_most(path: Path, file_format: FileFormat) -> int:
    """About how many rows a file has: what its metadata says, or else a guess from its size. For sizing only."""
    try:
        known = rows_of(file_format).row_count(path) if file_format.is_long else None
        if known is not None:
            return known
        size = path.stat().st_size
    except (OSError, pl.exceptions.PolarsError):  # reading it says what is wrong
        return 0
    return size // TEXT_BYTES_PER_ROW * (COMPRESSED if path.suffix.removeprefix(".") in set(Compression) else 1)


def free_memory() -> int | None:
    """The bytes of memory that are free on this machine or in its control group; None if nobody knows."""
    found = [_meminfo(), _control_group()]
    known = [number for number in found if number is not None]
    return min(known) if known else None


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return _physical()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _control_group() -> int | None:
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return max(0, int(limit) - int(used)) if limit.isdigit() and used.isdigit() else None
