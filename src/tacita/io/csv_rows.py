"""CSV: long rows, and any other rows, as frames of the requested columns; a fast path for plain files, a check of quotes.

Polars does the reading. Its error messages may quote records, so they are not passed on: a slower pass finds the row and
reports its number. All columns except the time are read as strings, whatever they look like: two people must not become one
because 007 is read as 7 (the fast path proves that this cannot happen). Every row must have as many fields as the header, even
where Polars would accept fewer.

Read `csv_frame` first: it checks the quotes, tries the fast path, and otherwise reads the text as a `CsvText`. `Csv`, at the
end, is the registered format.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from mmap import mmap
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays import Booleans
from tacita.errors import InputError, ParameterError
from tacita.formats import Compression
from tacita.io.columns import POLARS_FAILURES, require_columns
from tacita.io.formats import Chosen
from tacita.io.options import LongColumns, ReadOptions, TextDialect
from tacita.io.sources import PlainFile, first_lines, input_name, input_text, line_of, plain_file, text_parts, without_comments
from tacita.io.times import AutoTime, EpochTime, TimeFormat
from tacita.io.writing import compressed

__all__ = [
    "CSV",
    "Csv",
    "CsvText",
    "csv_frame",
    "number_kind",
    "outside_quotes",
    "plain_frame",
    "ragged_rows",
    "require_tidy_quotes",
]


# A fast path for the plainest CSV files: only the needed columns, ids and times that are whole numbers, nothing quoted.
#
# Parsing ids as integers avoids their strings, but 007 and 7 would become one person. So the bytes are counted: the usual form
# of a whole number is its shortest one. If the file has exactly as many bytes as its numbers and labels need in their shortest
# form, every number is written that way, and no two strings became one number. If it has more, it is read as text.


def plain_frame(file: PlainFile, header: list[str], *, columns: LongColumns, separator: str) -> pl.DataFrame | None:
    """The columns with ids and times as integers; None if the file is not that plain."""
    if sorted(header) != sorted(columns.names) or columns.record is not None:
        return None
    numbers = [columns.id] if columns.time is None else [columns.id, columns.time]
    try:
        frame = pl.read_csv(
            file.path,
            glob=False,
            separator=separator,
            quote_char=None,
            infer_schema=False,
            schema_overrides=dict.fromkeys(numbers, pl.Int64),
        ).select(columns.names)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return None
    if any(series.null_count() for series in frame):
        return None
    labels = pl.col(columns.label).str.len_bytes().cast(pl.Int64).sum()
    needed = frame.select(pl.sum_horizontal(labels, *(_shortest_forms(frame[name]) for name in numbers))).item()
    first = file.content.find(b"\n") + 1
    return frame if first + needed + len(header) * len(frame) == len(file.content) else None


def _shortest_forms(numbers: pl.Series) -> pl.Expr:
    """The characters that all numbers need in total: a digit each, one more for each power of ten, and the minus signs."""
    column = pl.col(numbers.name)
    least, most = (int(cast("int", bound)) for bound in (numbers.min() or 0, numbers.max() or 0))
    characters = pl.lit(len(numbers), dtype=pl.Int64)
    if least < 0:
        characters += (column < 0).sum().cast(pl.Int64)
    for power in range(1, 19):
        if most >= 10**power:
            characters += (column >= 10**power).sum().cast(pl.Int64)
        if least <= -(10**power):
            characters += (column <= -(10**power)).sum().cast(pl.Int64)
    return characters


# Quotation marks in delimited text: they must enclose a whole field, and be doubled inside one.
#
# Parsers disagree about marks anywhere else, and a wrong guess swallows separators and line ends, which would join the rows of
# two people. So files with such marks are refused after a scan of their bytes.

_CHUNK = 1 << 24


def require_tidy_quotes(data: bytes | mmap, *, separator: str, quote: str, source: str) -> None:
    """Refuse marks that do not open or close a field, and fields that are never closed."""
    mark = quote.encode()
    first = data.find(mark)
    if first < 0:
        return
    may_open_after, may_close_before = (np.zeros(256, dtype=bool) for _ in range(2))
    may_open_after[[ord(character) for character in (separator, quote, "\n")]] = True
    may_close_before[[ord(character) for character in (separator, quote, "\n", "\r")]] = True
    text = np.frombuffer(data, dtype=np.uint8)
    is_open = False
    for start in range(first, text.size, _CHUNK):
        chunk = text[start : start + _CHUNK]
        marks = chunk == np.uint8(mark[0])
        opens = marks & outside_quotes(marks, is_open=not is_open)
        closes = marks & ~opens
        before = may_open_after[np.append(text[start - 1] if start else np.uint8(ord("\n")), chunk[:-1])]
        after = may_close_before[np.append(chunk[1:], text[start + chunk.size] if start + chunk.size < text.size else ord("\n"))]
        stray = (opens & ~before) | (closes & ~after)
        if stray.any():
            line = line_of(bytes(data), start + int(stray.argmax()))
            message = f"{source} has a misplaced quotation mark in line {line}; marks must enclose a whole field, doubled inside"
            raise InputError(message)
        is_open ^= bool(np.count_nonzero(marks) % 2)
    if is_open:
        message = f"{source} has a quotation mark that is never closed, or one that is not doubled"
        raise InputError(message)


def outside_quotes(marks: Booleans, *, is_open: bool = False) -> Booleans:
    """Whether each byte is outside quotation marks; an opening mark counts as inside, a closing one as outside."""
    inside: npt.NDArray[np.uint8] = np.bitwise_xor.accumulate(marks.view(np.uint8))
    return np.asarray(inside == np.uint8(is_open))


_SEPARATORS = (",", "\t", ";", "|", " ")
_SAMPLE, _HEAD = 100, 1 << 20
_WHOLE = re.compile(r"-?\d{1,18}")
_NEWLINE = ord("\n")


def csv_frame(
    data: bytes | PlainFile, *, columns: LongColumns, dialect: TextDialect, separator: str, time_format: TimeFormat, source: str
) -> pl.DataFrame:
    """The columns of a CSV text; rows are counted from 1, without the header and empty lines.

    Polars reads a plain file directly, without a copy on our side.
    """
    content: bytes | mmap
    if isinstance(data, PlainFile):
        content = data.content
    else:
        content = data.lstrip(b"\r\n")
        content = content if content.endswith(b"\n") else content + b"\n"  # an empty last field would be lost
    if dialect.quote is not None:
        require_tidy_quotes(content, separator=separator, quote=dialect.quote, source=source)
    text = CsvText(content, separator, dialect.quote, data.path if isinstance(data, PlainFile) else None)
    if not dialect.header:
        text = text.with_numbers_for_names()
        if not all(name.isascii() and name.isdigit() for name in columns.names):
            message = f"columns of a file without a header must be given by number, starting at 1, got {', '.join(columns.names)}"
            raise ParameterError(message)
    header = text.header()
    require_columns(header, columns.names, source)
    text.refuse_wide_rows(len(header), source)
    times = [] if columns.time is None else text.sample(header.index(columns.time))
    time_kind = number_kind(times, time_format)
    is_plain = time_kind == pl.Int64() or (columns.time is None and _are_whole(text.sample(header.index(columns.id))))
    if isinstance(data, PlainFile) and is_plain and _is_unquoted(content, dialect.quote):
        plain = plain_frame(data, header, columns=columns, separator=separator)
        if plain is not None:
            return plain
    frame = text.frame(columns, time_kind)
    if frame is None or (len(columns.names) < len(header) and not text.is_regular(len(header))):
        row = text.first_ragged(len(header))
        if frame is None or row is not None:
            raise InputError(ragged_rows(source, row))
    return frame


def ragged_rows(source: str, row: int | None) -> str:
    """What is wrong with a text whose rows cannot be read, or differ in their number of fields from this row on."""
    which = "" if row is None else f", row {row} does not"
    return f"{source} cannot be read as csv: its rows must fit its columns{which}"


def _is_unquoted(content: bytes | mmap, quote: str | None) -> bool:
    return quote is None or content.find(quote.encode()) < 0


def number_kind(sample: list[str], time_format: TimeFormat) -> pl.DataType:
    """The type of the times, guessed from the first rows: whole numbers are read as such, everything else as text first."""
    return pl.Int64() if isinstance(time_format, AutoTime | EpochTime) and _are_whole(sample) else pl.String()


def _are_whole(sample: list[str]) -> bool:
    return bool(sample) and all(_WHOLE.fullmatch(value) for value in sample)


@dataclass(frozen=True)
class CsvText:
    """A CSV text with a header, and several ways to scan it."""

    data: bytes | mmap
    separator: str
    quote: str | None
    file: Path | None = None

    def with_numbers_for_names(self) -> CsvText:
        """The same rows under a header of numbers."""
        header = self.separator.join(str(number + 1) for number in range(len(self.header())))
        return CsvText(header.encode() + b"\n" + bytes(self.data), self.separator, self.quote)

    def header(self) -> list[str]:
        """The first row."""
        return next(self._rows(_HEAD), [])

    def sample(self, column: int) -> list[str]:
        """The values of a column in the first rows after the header."""
        return [row[column] for row in islice(self._rows(_HEAD), 1, 1 + _SAMPLE) if len(row) > column and row[column]]

    def frame(self, columns: LongColumns, time_kind: pl.DataType) -> pl.DataFrame | None:
        """The columns, with times as strings unless they all fit `time_kind`; None if the rows cannot be read."""
        if columns.time is not None and time_kind != pl.String():
            frame = self._read(columns.names, {columns.time: time_kind})
            if frame is not None:
                return frame
        return self.strings(columns.names)

    def strings(self, names: list[str]) -> pl.DataFrame | None:
        """The columns as strings; None if the rows cannot be read."""
        return self._read(names, {})

    def _read(self, names: list[str], kinds: dict[str, pl.DataType]) -> pl.DataFrame | None:
        try:
            return pl.read_csv(
                bytes(self.data) if self.file is None else self.file,
                glob=False,
                columns=names,
                separator=self.separator,
                quote_char=self.quote,
                infer_schema=False,
                schema_overrides=kinds,
            ).select(names)
        except POLARS_FAILURES:
            return None

    def is_regular(self, width: int) -> bool:
        """Whether every line has `width` fields, checked on the raw bytes; empty lines count as irregular."""
        text = np.frombuffer(bytes(self.data).rstrip(b"\r\n") + b"\n", dtype=np.uint8)
        separator = np.uint8(ord(self.separator))
        divides = (text == separator) | (text == np.uint8(_NEWLINE))
        if self.quote is not None and self.data.find(self.quote.encode()) >= 0:
            divides &= outside_quotes(text == np.uint8(ord(self.quote)))
        delimiters = text[divides]
        if delimiters.size % width:
            return False
        table = delimiters.reshape(-1, width)
        return bool((table[:, :-1] == separator).all() and (table[:, -1] == np.uint8(_NEWLINE)).all())

    def refuse_wide_rows(self, width: int, source: str) -> None:
        """Refuse a text that has too many fields in one of its first rows, before all of it is read."""
        first = None
        for number, row in enumerate(filter(None, self._rows(_HEAD))):
            first = number if first is None and len(row) != width else first
            if len(row) > width:
                raise InputError(ragged_rows(source, first))

    def first_ragged(self, width: int) -> int | None:
        """The first row that does not have `width` fields, if one can be found."""
        return next((number for number, row in enumerate(filter(None, self._rows())) if len(row) != width), None)

    def _rows(self, most: int | None = None) -> Iterator[list[str]]:
        """The rows one by one, up to the first that cannot be parsed, such as one with an absurdly long field."""
        streams = self.file is not None and most is None  # a whole file is never copied
        raw = self.file.open("rb") if streams and self.file is not None else io.BytesIO(self.data[:most])
        with io.TextIOWrapper(raw, encoding="utf-8", errors="replace", newline="\n") as lines:
            try:
                if self.quote is None:
                    yield from csv.reader(lines, delimiter=self.separator, quoting=csv.QUOTE_NONE)
                else:
                    yield from csv.reader(lines, delimiter=self.separator, quotechar=self.quote)
            except csv.Error:
                return


@dataclass(frozen=True)
class Csv:
    """Reads and writes CSV; a `separator` holds unless the options name another."""

    separator: str | None = None

    def events(self, path: str | Path, options: ReadOptions) -> pl.DataFrame:
        """The columns of a whole file of events; a plain file is not copied."""
        dialect = options.dialect
        may_be_plain = dialect.header and dialect.comment is None and dialect.encoding == "utf-8"
        plain = plain_file(path) if may_be_plain else None
        data = plain or without_comments(input_text(path, encoding=dialect.encoding), dialect.comment)
        return self._events(data, path, options)

    def event_parts(self, path: str | Path, options: ReadOptions) -> Iterator[pl.DataFrame]:
        """The same, some rows at a time; every part of the text begins with the header."""
        dialect = options.dialect
        for data in text_parts(path, dialect, quote=dialect.quote, has_header=dialect.header):
            yield self._events(data, path, options)

    def _events(self, data: bytes | PlainFile, path: str | Path, options: ReadOptions) -> pl.DataFrame:
        return csv_frame(
            data,
            columns=options.columns,
            dialect=options.dialect,
            separator=self._between(path, options.dialect),
            time_format=options.time_format,
            source=input_name(path),
        )

    def _between(self, path: str | Path, dialect: TextDialect) -> str:
        return dialect.separator or self.separator or dialect.separator_for(path)

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect) -> pl.DataFrame:
        """The columns that `chosen` names, as strings."""
        data = without_comments(input_text(path, encoding=dialect.encoding), dialect.comment)
        separator, source = self._between(path, dialect), input_name(path)
        content = data.lstrip(b"\r\n")
        content = content if content.endswith(b"\n") else content + b"\n"
        if dialect.quote is not None:
            require_tidy_quotes(content, separator=separator, quote=dialect.quote, source=source)
        text = CsvText(content, separator, dialect.quote)
        header = text.header()
        names = chosen(header)
        require_columns(header, names, source)
        text.refuse_wide_rows(len(header), source)
        frame = text.strings(names)
        if frame is None or not text.is_regular(len(header)):
            row = text.first_ragged(len(header))
            if frame is None or row is not None:
                raise InputError(ragged_rows(source, row))
        return frame.filter(~pl.all_horizontal(pl.all().is_null())) if frame.width else frame

    def row_count(self, path: Path) -> int | None:  # noqa: ARG002 - only reading it would tell
        """Nobody knows."""
        return None

    def released(self, path: Path) -> pl.DataFrame:
        """All columns, as strings."""
        return pl.read_csv(input_text(path), infer_schema=False, separator=self.separator or ",")

    def write(self, path: Path, frame: pl.DataFrame, compression: Compression | None) -> None:
        """Write rows."""
        frame.write_csv(path, separator=self.separator or ",", **compressed(compression))

    def sink(self, path: Path, rows: pl.LazyFrame, compression: Compression | None) -> None:
        """Write rows that need not fit into memory."""
        rows.sink_csv(path, separator=self.separator or ",", **compressed(compression))

    def fields(self, path: Path) -> Mapping[str, pl.DataType]:
        """The types that the values of each column have."""
        return pl.scan_csv(path, separator=self.separator or ",").collect_schema()

    def header(self, path: Path) -> list[tuple[str, str]]:
        """The fields of the header, by the separator that it holds most of."""
        line = first_lines(path, 1)[0]
        separator = self.separator or max(_SEPARATORS, key=line.count)
        return [(name, "") for name in next(csv.reader([line], delimiter=separator))]

    def first_rows(self, path: Path, count: int) -> list[str]:
        """The header and the first rows, as they are written."""
        return first_lines(path, count + 1)

    def spark_options(self, path: str, options: ReadOptions) -> dict[str, object]:
        """The dialect in the words of Spark, which refuses rows that do not fit."""
        dialect = options.dialect
        given = {"sep": self._between(path, dialect), "encoding": dialect.encoding, "header": dialect.header}
        given |= {"quote": dialect.quote or "", "escape": dialect.quote or "", "columnPruning": False, "mode": "FAILFAST"}
        return given | ({} if dialect.comment is None else {"comment": dialect.comment})


CSV = Csv()
