"""Neighbours of a file: the same text with one row fewer, one row twice, or one more row with something odd in a field.

How a file is read is part of the promise: if one row could change how the others are read (the type of a column, a separator, a
limit), neighbours would differ everywhere. So these neighbours are files, and the reader of the kind reads each of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tacita.seeded import PublicGenerator, public_generator

__all__ = ["has_rows", "row_neighbours"]

ODD = ("1.0", "", "007", "1e3", " 1", "99999999999999999999", "nan", "null", "-0", "true", "2020-02-30", "\u00e9", "a b")
"""What may stand in a field by mistake: each would be a reason for somebody to read a whole column in another way."""

ODD_JSON = (1.0, "", None, True, 10**20, "1", [1], 0.5, -0.0)

LINES = {".csv": ",", ".tsv": "\t", ".txt": " ", ".jsonl": "", ".ndjson": ""}
"""The endings of files that have a row on each line, and what separates fields; nothing for JSON."""

LARGEST = 2**26
"""Larger files are not rewritten again and again."""


def has_rows(path: Path) -> bool:
    """Whether a file has one row on each line, and is small enough to be rewritten."""
    return path.is_file() and path.suffix.lower() in LINES and path.stat().st_size <= LARGEST


def row_neighbours(path: Path, folder: Path, *, number: int, seed: int) -> Iterator[tuple[str, Path]]:
    """So many neighbours, each with a description that quotes no value; all of them are written to the same place."""
    text = path.read_bytes().decode("utf-8", errors="surrogateescape")
    lines = text.splitlines(keepends=True)
    first = 1 if path.suffix.lower() in {".csv", ".tsv"} else 0
    changed, generator = folder / path.name, public_generator(seed)
    for turn in range(number if len(lines) > first else 0):
        place = int(generator.integers(first, len(lines)))
        row = lines[place]
        if turn % 4 == 0:
            what, rows = f"row {place} removed", [*lines[:place], *lines[place + 1 :]]
        elif turn % 4 == 1:
            what, rows = f"row {place} twice", [*lines[:place], row if row.endswith("\n") else f"{row}\n", *lines[place:]]
        else:
            odd = _odd(row.rstrip("\r\n"), LINES[path.suffix.lower()], generator)
            what, rows = f"row {place} once more, with an odd field", [*lines[:first], f"{odd}\n", *lines[first:]]
        changed.write_bytes("".join(rows).encode("utf-8", errors="surrogateescape"))
        yield what, changed


def _odd(row: str, separator: str, generator: PublicGenerator) -> str:
    """The row with one field replaced; a row that is no object of JSON stays as it is."""
    if separator:
        fields = row.split(separator)
        fields[int(generator.integers(0, len(fields)))] = ODD[int(generator.integers(0, len(ODD)))]
        return separator.join(fields)
    try:
        held = json.loads(row)
    except ValueError:
        return row
    if isinstance(held, dict) and held:
        held[list(held)[int(generator.integers(0, len(held)))]] = ODD_JSON[int(generator.integers(0, len(ODD_JSON)))]
    return json.dumps(held)
