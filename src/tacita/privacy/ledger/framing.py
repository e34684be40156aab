"""Lines of a log: how records become bytes, and how they are found again from either end of a file.

A line is a JSON object that ends with its digest, `,"digest":"<64 digits>"}`. The digest is SHA-256 of the digest before and
of the bytes of the line up to its own.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["ENDING_SIZE", "Payload", "Record", "ending_of", "follows", "lines_after", "lines_before", "packed", "stated"]

Payload = Mapping[str, Any]
_OPENING, _CLOSING = b',"digest":"', b'"}\n'
ENDING_SIZE = 64 + len(_CLOSING)
"""How many bytes at the end of a line hold its digest."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One record as it was read, or as it was committed, with the offsets at which it starts and ends."""

    number: int
    payload: Payload
    digest: str
    start: int
    end: int
    more: int = 0


def packed(payloads: Sequence[Payload], *, after: Record | None = None) -> tuple[bytes, list[Record]]:
    """The lines of some records that follow one, and the records; if they follow none, the first is a header."""
    lines: list[bytes] = []
    records: list[Record] = []
    number, digest, offset = (0, "", 0) if after is None else (after.number + 1, after.digest, after.end)
    for place, payload in enumerate(payloads):
        more = 0 if after is None else len(payloads) - 1 - place  # a file appears whole
        head = ({"n": number} if number else {}) | ({"more": more} if more else {})
        body = json.dumps({**head, **payload}, separators=(",", ":")).encode()[:-1]
        digest = _digest(body, digest)
        lines.append(body + _OPENING + digest.encode() + _CLOSING)
        start, offset = offset, offset + len(lines[-1])
        records.append(Record(number=number, payload=payload, digest=digest, start=start, end=offset, more=more))
        number += 1
    return b"".join(lines), records


def _digest(body: bytes, previous: str) -> str:
    return hashlib.sha256(previous.encode() + body).hexdigest()


def stated(line: bytes, start: int) -> Record | None:
    """The record that a line claims to be; its digest is not checked."""
    middle = len(line) - ENDING_SIZE
    if middle < len(_OPENING) or not line.endswith(_CLOSING) or line[middle - len(_OPENING) : middle] != _OPENING:
        return None
    try:
        payload = json.loads(line)
        number, more, digest = payload.pop("n", 0), payload.pop("more", 0), payload.pop("digest")
    except (ValueError, AttributeError, KeyError, RecursionError):
        return None
    if not (isinstance(number, int) and isinstance(more, int)):
        return None
    return Record(number=number, payload=payload, digest=str(digest), start=start, end=start + len(line), more=more)


def ending_of(digest: str) -> bytes:
    """The last bytes of a line with this digest."""
    return digest.encode() + _CLOSING


def follows(line: bytes, record: Record, *, number: int, digest: str) -> bool:
    """Whether a record, as its line states it, is the one that follows a digest."""
    return record.number == number and _digest(line[: -ENDING_SIZE - len(_OPENING)], digest) == record.digest


def lines_after(fd: int, offset: int, end: int, size: int = 1 << 16) -> Iterator[tuple[int, bytes]]:
    """The lines from one offset to another, each with where it starts."""
    held, start = b"", offset
    while offset < end:
        block = os.pread(fd, min(size, end - offset), offset)
        if not block:
            break
        offset += len(block)
        *lines, held = (held + block).split(b"\n")
        for line in lines:
            yield start, line + b"\n"
            start += len(line) + 1
    if held:
        yield start, held


def lines_before(fd: int, end: int, size: int = 1 << 12) -> Iterator[tuple[int, bytes]]:
    """The lines before an offset, last first, each with where it starts; the last one may lack its end."""
    held, offset = b"", end
    while offset:
        step = min(size, offset)
        size = min(2 * size, 1 << 20)
        offset -= step
        held = os.pread(fd, step, offset) + held
        place = held.rfind(b"\n", 0, -1)
        while place >= 0:
            yield offset + place + 1, held[place + 1 :]
            held = held[: place + 1]
            place = held.rfind(b"\n", 0, -1)
    if held:
        yield 0, held
