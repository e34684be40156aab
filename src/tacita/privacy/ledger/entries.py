"""What a ledger writes down: one entry for every cap, charge, draw, end of a charge, and publication that cost nothing.

An entry holds public facts only. In a file it is one line of JSON; fields that are empty are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any

__all__ = ["PERSON", "Entry", "EntryKind", "as_payload", "entry_of", "now"]

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


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a ledger; public facts only.

    `unit` is what epsilon and delta are the loss of: one person, or one edge of a network. `identity` is what the owner declares
    the data to be; data sets of one identity share their caps. A `tick` is one time step of a sliding step, and `plan` is the
    plan of a charge that lasts; which file holds its journal is a `note`. `number` is the entry's place in its file, and `digest`
    what it is chained by.
    """

    kind: EntryKind
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
    number: int = 0
    digest: str = ""


_AMOUNT = re.compile(r"[0-9]{1,4000}(/[0-9]{1,4000})?")
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
    return payload | {name: str(amount) for name in ("epsilon", "delta") if (amount := getattr(entry, name))}


def entry_of(payload: Mapping[str, object], *, number: int = 0, digest: str = "") -> Entry:
    """The entry that a line of a file holds; a ValueError if it holds none."""
    if not {"kind", "at"} <= set(payload) <= {"kind", "tick", "epsilon", "delta", *_STRINGS}:
        message = "an entry must have its own fields and no others"
        raise ValueError(message)
    held: dict[str, Any] = {"dataset": ""} | {name: str(payload[name]) for name in _STRINGS if name in payload}
    tick = payload.get("tick")
    return Entry(
        kind=EntryKind(str(payload["kind"])),
        epsilon=_amount(str(payload.get("epsilon", "0"))),
        delta=_amount(str(payload.get("delta", "0"))),
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
