"""Rows of a stream whose status makes them unreadable: who was there and when is still in them.

Where presence is public, a status must not decide whether its person is there. So a line of text that is left out because of its
quotation marks, a separator too many, bytes that are no text or a number that JSON does not know is looked at once more, by
itself: what is too much belongs to the label, and if there is a person and a time before and behind it, the event counts
without a label. A line without both is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from tacita.formats import FileFormat
from tacita.io.csv_rows import Shape
from tacita.io.json_rows import object_lines
from tacita.io.options import ReadOptions
from tacita.io.sources import raw_text

__all__ = ["rescued_rows"]

_NO_TEXT = ("\0", "\ufffd")


def rescued_rows(path: str | Path, options: ReadOptions) -> pl.DataFrame:
    """The events of such lines: a person, a time and no label."""
    file_format = options.format_for(path)
    columns = options.columns
    lines = raw_text(path, options.dialect.encoding).replace("\r\n", "\n").split("\n")
    found: list[tuple[str, str]] = []
    if file_format == FileFormat.CSV:
        found = list(_of_csv(lines, path, options))
    elif file_format == FileFormat.JSONL:
        found = list(_of_json(lines, columns.person, columns.time or ""))
    people, times = (pl.Series([row[place] for row in found], dtype=pl.String) for place in (0, 1))
    named = {columns.person: people, columns.label: pl.Series([None] * len(found), dtype=pl.String), columns.time or "": times}
    return pl.DataFrame(named)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and not any(sign in value for sign in _NO_TEXT)


def _of_csv(lines: list[str], path: str | Path, options: ReadOptions) -> Iterator[tuple[str, str]]:
    dialect, columns = options.dialect, options.columns
    separator = dialect.separator_for(path)
    kept = [line for line in lines if line and not (dialect.comment and line.startswith(dialect.comment))]
    if not kept:
        return
    names = columns.names
    if dialect.header:
        header = [name.strip(dialect.quote or "") for name in kept[0].split(separator)]
        rows = kept[1:]
    else:
        header, rows = [str(place + 1) for place in range(max(map(int, names)))], kept
    if any(name not in header for name in names):
        return
    person, label, time = (header.index(name or "") for name in (columns.person, columns.label, columns.time))
    pattern = Shape(separator, dialect.quote, len(header), or_more=not dialect.header).pattern()
    for line in rows:
        if pattern.fullmatch(line.encode("utf-8")) and not any(sign in line for sign in _NO_TEXT):
            continue
        fields = line.split(separator)
        more = len(fields) - len(header)
        if more < 0:
            continue
        who, when = (fields[place if place < label else place + more].strip(dialect.quote or "") for place in (person, time))
        if _is_text(who) and _is_text(when):
            yield who, when


def _of_json(lines: list[str], person: str, time: str) -> Iterator[tuple[str, str]]:
    every = [line for line in lines if line.strip()]
    fitting = set(object_lines([line.encode("utf-8") for line in every], [person, time]))
    for place, line in enumerate(every):
        if place in fitting and not any(sign in line for sign in _NO_TEXT):
            continue
        try:
            held = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(held, dict):
            continue
        who, when = (_plain(held.get(name)) for name in (person, time))
        if who is not None and when is not None and _is_text(who) and _is_text(when):
            yield who, when


def _plain(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return value if isinstance(value, str) else repr(value)
