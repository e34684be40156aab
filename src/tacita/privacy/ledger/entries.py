"""The words of a ledger: its entries, the lines that hold them in a file, and when two names mean the same data set.

There is one entry for every cap, charge, draw, end of a charge, and publication that cost nothing. An entry holds public facts
only. In a file it is one line of JSON, chained to the line before by a digest; fields that are empty are left out.

Read in this order: `Entry` (what is recorded), `Record` and `packed` (how it becomes bytes), `keys` (when two names are the
same), and the messages for files that cannot be used. Nothing here opens or locks a file; that is in `log`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from tacita.errors import LedgerDamagedError, LedgerError
from tacita.privacy.budget import Cost
from tacita.public.parameters import Chosen

__all__ = [
    "ENDING_SIZE",
    "PERSON",
    "RESTORE",
    "Entry",
    "EntryKind",
    "Payload",
    "Record",
    "as_payload",
    "cannot_create",
    "check_name",
    "damaged",
    "ending_of",
    "entry_of",
    "follows",
    "keys",
    "lines_after",
    "lines_before",
    "meaning",
    "now",
    "packed",
    "stated",
]

PERSON = "person"
"""The unit that is protected if nothing else is said."""


class EntryKind(StrEnum):
    """What an entry records."""

    CAP = "cap"
    CHARGE = "charge"
    DRAW = "draw"
    TICK = "tick"
    FINISHED = "finished"
    VOID = "void"
    VERIFIED = "verified"
    JOURNAL = "journal"
    PROGRESS = "progress"
    RELEASE = "release"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a ledger; public facts only.

    `unit` is what epsilon, delta and rho are the loss of: one person, or one edge of a network. `identity` is what the owner
    declares the data to be; data sets of one identity share their caps. A `tick` is one time step of a sliding step, and `plan`
    is the plan of a charge that lasts. Which file holds its journal, how far that has come, and the digest of a release are a
    `note`. `number` is the entry's place in its file, and `digest` what it is chained by.
    """

    kind: Chosen[EntryKind] = Chosen(EntryKind)
    dataset: str
    at: str
    charge: str = ""
    mechanism: str = ""
    step: str = ""
    unit: str = PERSON
    identity: str = ""
    note: str = ""
    plan: str = ""
    tick: int | None = None
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    number: int = 0
    digest: str = ""

    @property
    def cost(self) -> Cost:
        """What it charges, allows or draws."""
        return Cost(self.epsilon, self.delta, self.rho)


_AMOUNT = re.compile(r"[0-9]{1,4000}(/[0-9]{1,4000})?")
_AMOUNTS = ("epsilon", "delta", "rho")
_STRINGS = ("dataset", "at", "charge", "mechanism", "step", "unit", "identity", "note", "plan")


def now() -> str:
    """The time of an entry."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def as_payload(entry: Entry) -> dict[str, object]:
    """The entry as a file holds it."""
    payload: dict[str, object] = {"kind": str(entry.kind)}
    payload |= {name: getattr(entry, name) for name in _STRINGS if getattr(entry, name)}
    if entry.tick is not None:
        payload["tick"] = entry.tick
    return payload | {name: str(amount) for name in _AMOUNTS if (amount := getattr(entry, name))}


def entry_of(payload: Mapping[str, object], *, number: int = 0, digest: str = "") -> Entry:
    """The entry that a line of a file holds; a ValueError if it holds none."""
    if not {"kind", "at"} <= set(payload) <= {"kind", "tick", *_AMOUNTS, *_STRINGS}:
        message = "an entry must have its own fields and no others"
        raise ValueError(message)
    held: dict[str, Any] = {"dataset": ""} | {name: str(payload[name]) for name in _STRINGS if name in payload}
    held |= {name: _amount(str(payload.get(name, "0"))) for name in _AMOUNTS}
    tick = payload.get("tick")
    return Entry(
        kind=EntryKind(str(payload["kind"])),
        tick=None if tick is None else int(str(tick)),
        number=number,
        digest=digest,
        **held,
    )


@lru_cache(maxsize=1024)
def _amount(text: str) -> Fraction:
    """An amount as `as_payload` writes it: no sign, which would give something back, and no exponent, which may take for ever."""
    if not _AMOUNT.fullmatch(text):
        message = "an amount must be a whole number or a fraction of two"
        raise ValueError(message)
    return Fraction(text)


# Lines of a log: how records become bytes, and how they are found again from either end of a file.
#
# A line is a JSON object that ends with its digest, `,"digest":"<64 digits>"}`. The digest is the SHA-256 of the previous
# digest followed by the bytes of the line up to its own digest.

Payload = Mapping[str, Any]
_OPENING, _CLOSING = b',"digest":"', b'"}\n'
LONGEST_LINE = 2**28
"""The most bytes of one line: a timestamp of fifty million people in the journal of a stream."""
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
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
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
        _require_short(held)
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
        _require_short(held)
        place = held.rfind(b"\n", 0, -1)
        while place >= 0:
            yield offset + place + 1, held[place + 1 :]
            held = held[: place + 1]
            place = held.rfind(b"\n", 0, -1)
    if held:
        yield 0, held


def _require_short(line: bytes) -> None:
    """Refuse a line that no writer wrote, before it fills the memory."""
    if len(line) > LONGEST_LINE:
        message = f"a line of a ledger or journal must be shorter than {LONGEST_LINE:,} bytes; the file is not what it says"
        raise LedgerDamagedError(message)


# When two names mean the same data set.
#
# A cap that another spelling of the name bypasses is no cap. So names are compared in two ways, and either match makes them the
# same:
#
# - *folded*: Unicode form NFKC, no case, one kind of dash, apostrophe, space and digit, no invisible characters;
# - by *skeleton*: letters that look alike in Latin, Cyrillic, Greek and Armenian type are one letter.
#
# The skeleton follows the idea of Unicode's UTS 39, with a table of letters that nobody can tell apart in the middle of a word.
# Unlike UTS 39, it does not merge l, I and 1, which differ in too many honest names.

# ruff: noqa: RUF001 - letters that look alike are the subject of the tables below

_LOOK_ALIKES = {
    "АВЕЅІЈКМНОРСТУХԌԚԜѴЅҺԀ": "abesijkmhopctyxgqwvshd",  # Cyrillic capitals
    "аеорсухіјѕһԁԛԝѵӏ": "aeopcyxijshdqwvl",  # and small letters
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϿͿ": "abezhikmnoptyxccj",  # Greek capitals
    "αικνορτυχϲϳγηω": "aikvoptuxcjynw",  # and small letters
    "ՍՕՏԼ": "uosl",  # Armenian capitals
    "օսհոցզ": "ouhngq",  # and small letters
    "ıɑɡȷɩ": "iagji",  # Latin letters beyond the alphabet
}
_TABLE = {ord(one): other for ours, latin in _LOOK_ALIKES.items() for one, other in zip(ours, latin, strict=True)}
_SAME = {ord(mark): "-" for mark in "‐‑‒–—―−﹘﹣－⁃"} | {ord(mark): "'" for mark in "‘’‛ʼʹ′＇`´"}
_INVISIBLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
_INVISIBLE |= set(range(0xE0100, 0xE01F0))


@lru_cache(maxsize=4096)
def keys(name: str) -> tuple[str, str]:
    r"""Two keys of a name; names that share the first or the second one mean the same.

    >>> keys("donne\u0301es") == keys("DONNÉES")
    True
    >>> keys("t\u0430ps")[1] == keys("taps")[1]  # the first has a Cyrillic letter
    True
    """
    plain = _plain(name)
    letters = unicodedata.normalize("NFD", plain).translate(_TABLE)
    return f"name:{_folded(plain)}", f"looks:{_folded(letters)}"


def check_name(name: object, *, what: str = "the name of a data set") -> str:
    """Give back a name that can be seen as it is; refuse one that could hide something."""
    if not isinstance(name, str):
        message = f"{what} must be a string, got {type(name).__name__}"
        raise LedgerError(message)
    if not name or not name.isprintable() or name != name.strip():
        message = f"{what} must be a printable string without spaces around it, got {name!r}"
        raise LedgerError(message)
    return name


def _plain(name: str) -> str:
    """The name without case-free differences: one form, one kind of dash, apostrophe, digit and space, nothing invisible."""
    seen = "".join(sign for sign in unicodedata.normalize("NFKC", name) if ord(sign) not in _INVISIBLE)
    digits = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in seen.translate(_SAME))
    return " ".join(digits.split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


# Messages for files that cannot be used, one sentence each.

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
        return LedgerError(f"{name} cannot be opened or written to ({said}); ask the person who keeps it for the right to write")
    if error.errno == errno.ENOENT:
        return LedgerError(
            f"{name} does not exist; is it the right name? a new one is made by `tacita ledger create` or `Ledger.create`"
        )
    return LedgerError(f"{name} cannot be used: {said}")


def cannot_create(error: OSError, path: Path, noun: str) -> LedgerError:
    """Why a new file could not be made."""
    said = error.strerror or str(error)
    return LedgerError(f"the {noun} {str(path)!r} cannot be created: {said}; its folder must exist and be writable")
