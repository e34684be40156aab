"""JSON lines: one object per line, as frames of the requested columns; every line is read on its own.

All columns are strings. A string is itself; a number is its value in its shortest form, so that 7, 7.0 and "7" are equal, and
7.50 is 7.5; true, false, lists and objects are their JSON text. A whole number is exact however long it is; another one must be
below 2**53, where two different ones could become equal, or its row is left out. If a key occurs twice in an object, the first
one counts. Lines that are no JSON objects are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from tacita.formats import Compression
from tacita.io.columns import POLARS_FAILURES
from tacita.io.formats import Chosen
from tacita.io.misfits import LINE, Misfits
from tacita.io.options import ReadOptions, TextDialect
from tacita.io.sources import first_lines, input_text, is_text, text_parts
from tacita.io.values import LARGEST_EXACT
from tacita.io.writing import compressed

__all__ = ["JSONL", "jsonl_frame"]

_LONG = r"^-?[0-9]{16,}$|^-?[0-9.]+[eE][-+0-9]+$"
"""Texts of numbers that may have lost digits, if they were written with a point or an exponent, or in more than 64 bits."""
_LONGEST = 4000
_FEW = 64
_BLANKS = b" \t\r"


def jsonl_frame(data: bytes, names: list[str], misfits: Misfits) -> pl.DataFrame:
    """These columns of JSON lines as strings, null where an object lacks one."""
    schema = dict.fromkeys(names, pl.String())
    try:
        frame, lines = pl.read_ndjson(data, schema=schema).select(names), None
    except POLARS_FAILURES:
        every = _lines(data)
        rows, frame = _read(every, schema)
        misfits.add(LINE, "not a JSON object", len(every) - len(rows))
        lines = [every[row] for row in rows]
    if not any(_doubtful(series).any() for series in frame):
        return frame
    lines = _lines(data) if lines is None else lines
    return frame.with_columns(_exact(series, lines) for series in frame)


def _object_lines(lines: list[bytes], names: list[str]) -> list[int] | range:
    """Which lines are objects that can be read."""
    return _read(lines, dict.fromkeys(names, pl.String()))[0]


def _keys(data: bytes) -> list[str]:
    """All keys of all objects."""
    found: dict[str, None] = {}
    for line in _lines(data):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        found |= dict.fromkeys(row if isinstance(row, dict) else [])
    return list(found)


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line.strip(_BLANKS)]


def _read(lines: list[bytes], schema: dict[str, pl.String]) -> tuple[list[int] | range, pl.DataFrame]:
    """Which lines are objects, and their columns. Polars refuses a text with any other line, so such a text is halved."""
    try:
        return range(len(lines)), pl.read_ndjson(b"\n".join(lines), schema=schema).select(*schema)
    except POLARS_FAILURES:
        pass
    likely = [place for place, line in enumerate(lines) if line.strip(_BLANKS)[:1] == b"{" and line.strip(_BLANKS)[-1:] == b"}"]
    if len(likely) < 2:
        alone = [place for place in likely if len(lines) > 1 and len(_read([lines[place]], schema)[0])]
        found = pl.read_ndjson(lines[alone[0]], schema=schema).select(*schema) if alone else pl.DataFrame(schema=schema)
        return alone, found
    step = 1 if len(likely) <= _FEW else -(-len(likely) // 2)
    parts = []
    kept: list[int] = []
    for start in range(0, len(likely), step):
        chosen = likely[start : start + step]
        rows, frame = _read([lines[place] for place in chosen], schema)
        kept.extend(chosen[row] for row in rows)
        parts.append(frame)
    return kept, pl.concat(parts)


def _doubtful(texts: pl.Series) -> pl.Series:
    """Which texts may have lost digits, or are no text: half of a surrogate pair is read as NUL."""
    return texts.str.contains(_LONG).fill_null(value=False) | texts.str.contains("\0", literal=True).fill_null(value=False)


def _exact(texts: pl.Series, lines: list[bytes]) -> pl.Series:
    """The texts, null where a number has lost digits, or a string is no text."""
    rows = _doubtful(texts).arg_true()
    if rows.is_empty():
        return texts
    exact = [_written(lines[row], texts.name, str(texts[row])) for row in rows.to_list()]
    return texts.scatter(rows, pl.Series(exact, dtype=pl.String))


def _written(line: bytes, name: str, text: str) -> str | None:
    """The text of a key in one line; None for a number that two numbers could be, and for a string that is no text."""
    if "\0" in text:
        return None
    try:
        pairs = json.loads(line, object_pairs_hook=list, parse_int=_Whole, parse_float=_Real)
    except (ValueError, RecursionError):
        return None
    value = next((value for key, value in pairs if key == name), None)
    if isinstance(value, _Real):
        return text if abs(float(value)) < LARGEST_EXACT else None
    if isinstance(value, _Whole):
        return (value.lstrip("-") if value == "-0" else str(value)) if len(value) < _LONGEST else None
    return text


class _Whole(str):
    """A number as it is written, without a point or an exponent."""

    __slots__ = ()


class _Real(str):
    """Any other number as it is written."""

    __slots__ = ()


class JsonLines:
    """Reads and writes JSON lines."""

    def events(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:
        """The columns of a whole file of events."""
        return jsonl_frame(input_text(path, misfits, encoding=options.dialect.encoding), options.columns.names, misfits)

    def event_parts(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The same, some rows at a time."""
        for data in text_parts(path, options.dialect, misfits, has_header=False):
            yield jsonl_frame(data, options.columns.names, misfits)

    def lines(self, data: bytes, path: str, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:  # noqa: ARG002 - as of all formats of lines
        """The columns of some lines of a file."""
        return jsonl_frame(data, options.columns.names, misfits)

    def unlabelled(self, lines: list[str], path: str | Path, options: ReadOptions) -> Iterator[tuple[str, str]]:  # noqa: ARG002 - as of all formats of lines
        """Person and time of each line that is read in no other way, such as one with a number that JSON does not have."""
        names = (options.columns.person, options.columns.time or "")
        every = [line for line in lines if line.strip()]
        fitting = set(_object_lines([line.encode("utf-8") for line in every], [*names]))
        for place, line in enumerate(every):
            if place in fitting and is_text(line):
                continue
            try:
                held = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(held, dict):
                who, when = (_plain(held.get(name)) for name in names)
                yield who, when

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect, misfits: Misfits) -> pl.DataFrame:
        """The columns that `chosen` names, as strings."""
        text = input_text(path, misfits, encoding=dialect.encoding)
        return jsonl_frame(text, chosen([]) or _keys(text), misfits)

    def column_parts(self, path: str | Path, names: list[str], dialect: TextDialect, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The columns of these names, some rows at a time."""
        for data in text_parts(path, dialect, misfits, has_header=False):
            yield jsonl_frame(data, names, misfits)

    def column_lines(
        self,
        data: bytes,
        path: str | Path,  # noqa: ARG002 - as of all formats of lines
        names: list[str],
        dialect: TextDialect,  # noqa: ARG002 - as of all formats of lines
        misfits: Misfits,
    ) -> pl.DataFrame:
        """The columns of these names in some lines."""
        return jsonl_frame(data, names, misfits)

    def row_count(self, path: Path) -> int | None:  # noqa: ARG002 - only reading it would tell
        """Nobody knows."""
        return None

    def released(self, path: Path) -> pl.DataFrame:
        """All columns."""
        return pl.read_ndjson(input_text(path, Misfits()))

    def write(self, path: Path, frame: pl.DataFrame, compression: Compression | None) -> None:
        """Write rows."""
        frame.write_ndjson(path, **compressed(compression))

    def sink(self, path: Path, rows: pl.LazyFrame, compression: Compression | None) -> None:
        """Write rows that need not fit into memory."""
        rows.sink_ndjson(path, **compressed(compression))

    def fields(self, path: Path) -> Mapping[str, pl.DataType]:  # noqa: ARG002 - each line has its own
        """Croissant has no way to say where the fields of a line are."""
        return {}

    def header(self, path: Path) -> list[tuple[str, str]]:
        """The names in the first object."""
        return [(name, "") for name in json.loads(first_lines(path, 1)[0])]

    def first_rows(self, path: Path, count: int) -> list[str]:
        """The first lines, and one more."""
        return first_lines(path, count + 1)


JSONL = JsonLines()


def _plain(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return value if isinstance(value, str) else repr(value)
