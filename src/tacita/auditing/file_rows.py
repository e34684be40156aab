"""Neighbours of a file: the same with one row fewer, one row twice, or one more row with something odd in a field.

How a file is read is part of the promise: if one row could change how the others are read (the type of a column, a separator, a
limit), neighbours would differ everywhere. So these neighbours are files, and the reader of the kind reads each of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.seeded import PublicGenerator, public_generator

if TYPE_CHECKING:
    import polars as pl

__all__ = ["has_rows", "row_neighbours"]

ODD = ("1.0", "", "007", "1e3", " 1", "99999999999999999999", "nan", "null", "-0", "true", "2020-02-30", "\u00e9", "a b")
"""What may stand in a field by mistake: each would be a reason for somebody to read a whole column in another way."""

ODD_JSON = (1.0, "", None, True, 10**20, "1", [1], 0.5, -0.0)

ODD_WHOLE = (None, -1, 0, 2**31 - 1)

ODD_REAL = (None, 0.5, float("nan"), float("inf"), -0.0, 1e300)

LINES = {".csv": 1, ".tsv": 1, ".txt": 0, ".lines": 0, ".dat": 0, ".jsonl": 0, ".ndjson": 0}
"""The endings of files that have a row on each line, and how many lines come before the rows."""

JSON = {".jsonl", ".ndjson"}

TYPED = {".parquet", ".arrow", ".feather"}
"""The endings of files that hold columns with types."""

SEPARATORS = ("\t", ";", ",", " ")

LARGEST = 2**26
"""Larger files are not rewritten again and again."""


def has_rows(path: Path) -> bool:
    """Whether a file has rows that can be changed one by one, and is small enough to be rewritten."""
    return path.is_file() and path.suffix.lower() in {*LINES, *TYPED} and path.stat().st_size <= LARGEST


def row_neighbours(path: Path, folder: Path, *, number: int, seed: int) -> Iterator[tuple[str, Path]]:
    """That number of neighbours, each with a description that quotes no value; all of them are written to the same place."""
    changed, generator = folder / path.name, public_generator(seed)
    file = _Columns(path) if path.suffix.lower() in TYPED else _Lines(path)
    for turn in range(number if file.rows else 0):
        place = int(generator.integers(0, file.rows))
        if turn % 4 == 0:
            what = f"row {place} removed"
            file.without(place, changed)
        elif turn % 4 == 1:
            what = f"row {place} twice"
            file.twice(place, changed)
        else:
            what = f"row {place} once more, with an odd field"
            file.with_odd(place, changed, generator)
        yield what, changed


class _Lines:
    """A file with a row on each line."""

    def __init__(self, path: Path) -> None:
        """Read it as it is, whatever its encoding."""
        ending = path.suffix.lower()
        lines = path.read_bytes().decode("utf-8", errors="surrogateescape").splitlines(keepends=True)
        self._head, self._lines, self._is_json = lines[: LINES[ending]], lines[LINES[ending] :], ending in JSON
        self.rows = len(self._lines)

    def without(self, place: int, to: Path) -> None:
        """Leave a row out."""
        self._write([*self._lines[:place], *self._lines[place + 1 :]], to)

    def twice(self, place: int, to: Path) -> None:
        """Repeat a row."""
        self._write([*self._lines[:place], _ended(self._lines[place]), *self._lines[place:]], to)

    def with_odd(self, place: int, to: Path, generator: PublicGenerator) -> None:
        """Add a row with an odd field before all others, where a reader that looks at the first rows would see it."""
        row = self._lines[place].rstrip("\r\n")
        self._write([_ended(_odd_json(row, generator) if self._is_json else _odd_text(row, generator)), *self._lines], to)

    def _write(self, lines: list[str], to: Path) -> None:
        to.write_bytes("".join([*self._head, *lines]).encode("utf-8", errors="surrogateescape"))


class _Columns:
    """A file whose columns have types: what is odd in one must be of its type."""

    def __init__(self, path: Path) -> None:
        """Read it whole."""
        import polars as pl  # noqa: PLC0415 - only for such files

        self._frame = pl.read_parquet(path) if path.suffix.lower() == ".parquet" else pl.read_ipc(path)
        self.rows = self._frame.height if self._frame.width else 0

    def without(self, place: int, to: Path) -> None:
        """Leave a row out."""
        self._write([self._frame[:place], self._frame[place + 1 :]], to)

    def twice(self, place: int, to: Path) -> None:
        """Repeat a row."""
        self._write([self._frame[: place + 1], self._frame[place:]], to)

    def with_odd(self, place: int, to: Path, generator: PublicGenerator) -> None:
        """Add a row with an odd value before all others."""
        import polars as pl  # noqa: PLC0415 - only for such files

        row = self._frame[place : place + 1]
        name = row.columns[int(generator.integers(0, row.width))]
        kind = row.schema[name]
        values: Sequence[object] = (None,)
        if kind == pl.String:
            values = (None, *ODD)
        elif kind.is_integer():
            values = ODD_WHOLE
        elif kind.is_float():
            values = ODD_REAL
        odd = values[int(generator.integers(0, len(values)))]
        changed = row.with_columns(pl.lit(odd).cast(kind, strict=False).alias(name))
        self._write([changed, self._frame], to)

    def _write(self, parts: Sequence[pl.DataFrame], to: Path) -> None:
        import polars as pl  # noqa: PLC0415 - only for such files

        whole = pl.concat(parts)
        if to.suffix.lower() == ".parquet":
            whole.write_parquet(to)
        else:
            whole.write_ipc(to)


def _ended(row: str) -> str:
    return row if row.endswith("\n") else f"{row}\n"


def _odd_text(row: str, generator: PublicGenerator) -> str:
    """The row with one field replaced."""
    separator = next((one for one in SEPARATORS if one in row), ",")
    fields = row.split(separator)
    fields[int(generator.integers(0, len(fields)))] = ODD[int(generator.integers(0, len(ODD)))]
    return separator.join(fields)


def _odd_json(row: str, generator: PublicGenerator) -> str:
    """The object with one value replaced; a row that is no object of JSON stays as it is."""
    try:
        held = json.loads(row)
    except ValueError:
        return row
    if isinstance(held, dict) and held:
        held[list(held)[int(generator.integers(0, len(held)))]] = ODD_JSON[int(generator.integers(0, len(ODD_JSON)))]
    return json.dumps(held)
