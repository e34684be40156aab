"""Rows that did not fit: how many, by column and rule. For the owner's eyes only.

Whether a row fits depends on that row and on public declarations alone. A row that does not fit is left out, whatever the others
are, so that adding or removing it changes nothing about how they are read. Records carry these counts for the owner's terminal;
no release, manifest or ledger holds them.
"""

from __future__ import annotations

import json
from collections import Counter

from tacita.errors import InputError

__all__ = ["LINE", "NOT_A_TIME", "NOT_TEXT", "NO_VALUE", "WRONG_BOX", "WRONG_UNIVERSE", "Misfits", "wrong_file_hint"]

LINE = ""
"""The column of rows that cannot be divided into columns at all."""

WRONG_UNIVERSE = "is it the right universe, and the right separator (--separator)?"
WRONG_BOX = "is it the right box (--cells south,west,north,east), and is --latitude the column of latitudes?"

NO_VALUE = "no value that can be read"
NOT_TEXT = "not text in the encoding, or with a NUL"
NOT_A_TIME = "not a time"
"""How rules about times begin."""


def wrong_file_hint(dropped: int, kept: int, *, of_points: bool = False) -> str:
    """The message to the owner if more labels, or points, are unknown than known."""
    if dropped <= kept:
        return ""
    return f"; {WRONG_BOX if of_points else WRONG_UNIVERSE} `tacita inspect` looks"


class Misfits:
    """Counts of rows that were left out; readers add to them while they read.

    >>> misfits = Misfits()
    >>> misfits.add("time", "not a time", 2)
    >>> misfits.add(LINE, "not a JSON object", 1)
    >>> len(misfits), misfits.note
    (3, "3 rows do not fit and are left out: 1 line (not a JSON object), 2 in 'time' (not a time)")
    """

    def __init__(self) -> None:
        """None yet."""
        self._counts: Counter[tuple[str, str]] = Counter()

    def __repr__(self) -> str:
        """Nothing: the counts are private."""
        return "Misfits()"

    def __len__(self) -> int:
        """How many rows were left out."""
        return self._counts.total()

    @property
    def has_lines(self) -> bool:
        """Whether lines were left out that could not be divided into columns."""
        return any(column == LINE for column, _ in self._counts)

    def add(self, column: str, rule: str, rows: int = 1) -> None:
        """Count rows whose value in a column does not fit a rule."""
        if rows:
            self._counts[column, rule] += rows

    def join(self, others: Misfits) -> None:
        """Count those of another part of the same source too."""
        self._counts.update(others._counts)

    @property
    def note(self) -> str:
        """The message to the owner."""
        if not self._counts:
            return "all rows fit"
        found = [
            f"{rows:,} {'line' if rows == 1 else 'lines'} ({rule})" if column == LINE else f"{rows:,} in {column!r} ({rule})"
            for (column, rule), rows in sorted(self._counts.items())
        ]
        verb = "row does not fit and is" if len(self) == 1 else "rows do not fit and are"
        return f"{len(self):,} {verb} left out: {', '.join(found)}"

    def told(self, note: str) -> str:
        """The message to the owner after another note; nothing more if all rows fit."""
        return f"{note}; {self.note}" if self._counts else note

    def refuse(self, source: str) -> None:
        """Refuse a source that has such rows, for owners who asked for that."""
        if self._counts:
            message = (
                f"every row of {source} must fit, but some do not ({self.rules}); `tacita inspect` shows which, and without "
                "strict they would be left out"
            )
            raise InputError(message)

    @property
    def rules(self) -> str:
        """What rows did not fit, without a number."""
        return "; ".join(f"line: {rule}" if column == LINE else f"{column!r}: {rule}" for column, rule in sorted(self._counts))

    def no_rows(self, source: str) -> str:
        """What is wrong with a source in which no row is left."""
        if not self._counts:
            return f"{source} has no rows, or none with a value in the columns that are read (--person, --label, --time)"
        return f"no row of {source} fits ({self.rules}); {self._remedy}"

    @property
    def _remedy(self) -> str:
        """What an owner may declare wrongly, by the rule that rows do not fit."""
        rules = {rule for _, rule in self._counts}
        if NOT_TEXT in rules:
            return "name the encoding of the text (--encoding)"
        if any(rule.startswith(NOT_A_TIME) for rule in rules):
            return "name how times are written (--time-format); `tacita inspect` finds the pattern"
        return "see how it is written with `tacita inspect`"

    def to_bytes(self) -> bytes:
        """The counts, for another process."""
        return json.dumps([[*where, rows] for where, rows in self._counts.items()]).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Misfits:
        """What `to_bytes` wrote."""
        made = cls()
        for column, rule, rows in json.loads(data):
            made.add(column, rule, rows)
        return made
