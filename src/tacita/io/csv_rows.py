"""CSV: long rows, and any other rows, as frames of the requested columns; every line is read on its own.

Polars does the reading. All columns are strings, whatever they look like: two people must not become one because 007 is read as 7
(the fast path proves that this cannot happen). A line with another number of fields than the header, or a mark that does not
enclose a field of that line, is left out and counted, whatever the other lines are.

Read `csv_frame` first: it tries the fast path, and otherwise reads the text as a `CsvText`, whose lines `Shape` judges. `Csv`, at
the end, is the registered format.
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
from tacita.errors import ParameterError
from tacita.formats import Compression
from tacita.io.columns import POLARS_FAILURES, require_columns
from tacita.io.formats import Chosen
from tacita.io.frames import EVENT_OPTIONS
from tacita.io.misfits import LINE, Misfits
from tacita.io.options import LongColumns, ReadOptions, TextDialect
from tacita.io.sources import PlainFile, first_lines, input_name, input_text, is_text, plain_file, text_parts, without_comments
from tacita.io.writing import compressed

__all__ = [
    "CSV",
    "Csv",
    "CsvText",
    "Shape",
    "csv_frame",
    "outside_quotes",
    "plain_frame",
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
    numbers = [columns.person] if columns.time is None else [columns.person, columns.time]
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
    texts = (pl.col(name).str.len_bytes().cast(pl.Int64).sum() for name in columns.names if name not in numbers)
    needed = frame.select(pl.sum_horizontal(*texts, *(_shortest_forms(frame[name]) for name in numbers))).item()
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


# Which lines are rows. Every line is read on its own: it must have as many fields as the header, and a mark must enclose a
# whole field of one line, doubled inside. Parsers disagree about marks anywhere else, and a field that went on in the next line
# would swallow the rows of other people. Lines that do not fit are left out.
#
# `_are_clean` proves on the bytes of the whole text that all lines fit; only if they do not are they gone through one by one.

_NEWLINE, _RETURN = ord("\n"), ord("\r")
_WRONG_FIELDS = "fields or quotation marks that do not fit the header"


def outside_quotes(marks: Booleans, *, is_open: bool = False) -> Booleans:
    """Whether each byte is outside quotation marks; an opening mark counts as inside, a closing one as outside."""
    inside: npt.NDArray[np.uint8] = np.bitwise_xor.accumulate(marks.view(np.uint8))
    return np.asarray(inside == np.uint8(is_open))


@dataclass(frozen=True)
class Shape:
    """How a line is divided: the separator, the mark, and how many fields a row has, or has at least."""

    separator: str
    quote: str | None
    width: int
    or_more: bool = False

    def fitting(self, data: bytes | mmap, misfits: Misfits, *, rule: str = _WRONG_FIELDS) -> bytes | mmap:
        """The text itself if all its lines fit, or else the lines that do; empty lines are no rows."""
        if self._are_clean(data):
            return data
        pattern = self.pattern()
        kept = []
        for line in bytes(data).split(b"\n"):
            if not line.rstrip(b"\r"):
                continue
            if pattern.fullmatch(line):
                kept.append(line)
            else:
                misfits.add(LINE, rule)
        return b"\n".join([*kept, b""])

    def pattern(self) -> re.Pattern[bytes]:
        """A line that fits."""
        between = re.escape(self.separator.encode())
        plain = rb"[^" + between + rb"]*"
        if self.quote is not None:
            mark = re.escape(self.quote.encode())
            field = rb"(?:" + mark + rb"(?:[^" + mark + rb"]|" + mark + mark + rb")*" + mark + rb"|[^" + between + mark + rb"]*)"
        else:
            field = plain
        more = b"," if self.or_more else b""
        return re.compile(field + rb"(?:" + between + field + rb"){%d%s}\r?" % (self.width - 1, more), re.DOTALL)

    def _are_clean(self, data: bytes | mmap) -> bool:
        """Whether every line fits, checked on the bytes of all lines at once; empty lines count as unclean."""
        text = np.frombuffer(data, dtype=np.uint8)
        if not text.size or text[-1] != _NEWLINE or self.or_more:
            return False
        is_end = text == np.uint8(_NEWLINE)
        divides = (text == np.uint8(ord(self.separator))) | is_end
        if self.quote is not None and data.find(self.quote.encode()) >= 0:
            marks = text == np.uint8(ord(self.quote))
            outside = outside_quotes(marks)
            if not self._are_tidy(text, marks, outside) or not outside[is_end].all():
                return False
            divides &= outside
        ends_line = is_end[divides]
        if ends_line.size % self.width:
            return False
        table = ends_line.reshape(-1, self.width)
        is_regular = bool(table[:, -1].all()) and int(np.count_nonzero(table)) == len(table)
        return is_regular and (self.width > 1 or not bool((is_end[1:] & is_end[:-1]).any()))

    def _are_tidy(self, text: npt.NDArray[np.uint8], marks: Booleans, outside: Booleans) -> bool:
        """Whether every mark opens a field after a separator, closes one before a separator, or is doubled inside one."""
        returns = np.flatnonzero(text == np.uint8(_RETURN))
        if returns.size and not bool((text[np.minimum(returns + 1, text.size - 1)] == np.uint8(_NEWLINE)).all()):
            return False
        may_open_after, may_close_before = (np.zeros(256, dtype=bool) for _ in range(2))
        mark = cast("str", self.quote)
        may_open_after[[ord(character) for character in (self.separator, mark, "\n")]] = True
        may_close_before[[ord(character) for character in (self.separator, mark, "\n", "\r")]] = True
        places = np.flatnonzero(marks)
        opens = ~outside[places]
        before = may_open_after[np.where(places > 0, text[places - 1], np.uint8(_NEWLINE))]
        after = may_close_before[text[np.minimum(places + 1, text.size - 1)]]
        return bool(np.where(opens, before, after).all())


_SEPARATORS = (",", "\t", ";", "|", " ")
_SAMPLE, _HEAD = 100, 1 << 20
_WHOLE = re.compile(r"-?\d{1,18}")


def csv_frame(
    data: bytes | PlainFile, *, columns: LongColumns, dialect: TextDialect, separator: str, source: str, misfits: Misfits
) -> pl.DataFrame:
    """The columns of a CSV text as strings, or as whole numbers where that makes no difference.

    Polars reads a plain file directly, without a copy on our side.
    """
    content = data.content if isinstance(data, PlainFile) else _ended(data)
    text = CsvText(content, separator, dialect.quote, data.path if isinstance(data, PlainFile) else None)
    if not dialect.header:
        return _without_header(text, columns, misfits)
    header = text.header()
    require_columns(header, columns.names, source, mapped_by=EVENT_OPTIONS)
    if isinstance(data, PlainFile) and text.is_unquoted and text.is_of_numbers(header, columns):
        plain = plain_frame(data, header, columns=columns, separator=separator)
        if plain is not None:
            return plain
    return text.strings(columns.names, header, misfits)


def _ended(data: bytes) -> bytes:
    """The text from its first line on, with an end of the last: an empty last field would be lost."""
    content = data.lstrip(b"\r\n")
    return content if content.endswith(b"\n") else content + b"\n"


def _without_header(text: CsvText, columns: LongColumns, misfits: Misfits) -> pl.DataFrame:
    """Columns by number: a row must have as many fields as the largest number says, or more."""
    if not all(name.isascii() and name.isdigit() and int(name) for name in columns.names):
        message = f"columns of a file without a header must be given by number, starting at 1, got {', '.join(columns.names)}"
        raise ParameterError(message)
    width = max(map(int, columns.names))
    header = [str(number + 1) for number in range(width)]
    rows = Shape(text.separator, text.quote, width, or_more=True).fitting(text.data, misfits, rule="fewer fields than columns")
    numbered = CsvText(text.separator.join(header).encode() + b"\n" + bytes(rows), text.separator, text.quote)
    return numbered.read(columns.names, cuts=True)


def _are_whole(sample: list[str]) -> bool:
    return bool(sample) and all(_WHOLE.fullmatch(value) for value in sample)


@dataclass(frozen=True)
class CsvText:
    """A CSV text with a header, and several ways to scan it."""

    data: bytes | mmap
    separator: str
    quote: str | None
    file: Path | None = None

    def header(self) -> list[str]:
        """The first line."""
        end = self.data.find(b"\n")
        return next(self._rows(self.data[: end if end >= 0 else None]), [])

    @property
    def is_unquoted(self) -> bool:
        """Whether there are no quotation marks."""
        return self.quote is None or self.data.find(self.quote.encode()) < 0

    def is_of_numbers(self, header: list[str], columns: LongColumns) -> bool:
        """Whether the first rows have whole numbers as times, or ids if there are none: then the fast path is worth a trial."""
        column = header.index(columns.person if columns.time is None else columns.time)
        sample = islice(self._rows(self.data[:_HEAD]), 1, 1 + _SAMPLE)
        return _are_whole([row[column] for row in sample if len(row) > column and row[column]])

    def strings(self, names: list[str], header: list[str], misfits: Misfits) -> pl.DataFrame:
        """The columns as strings, of the lines that fit the header."""
        if self.is_unquoted and set(names) == set(header):  # Polars refuses lines with more fields, and shorter ones end in null
            try:
                frame = self.read(names)
            except POLARS_FAILURES:
                pass
            else:
                if not any(series.null_count() for series in frame):
                    return frame
        fitting = Shape(self.separator, self.quote, len(header)).fitting(self.data, misfits)
        return self.read(names) if fitting is self.data else CsvText(bytes(fitting), self.separator, self.quote).read(names)

    def read(self, names: list[str], *, cuts: bool = False) -> pl.DataFrame:
        """The columns as strings; if it `cuts`, lines may have more fields than the header."""
        mark = self.quote or ""
        written = {name: name.replace(mark, 2 * mark) if mark else name for name in names}  # Polars keeps doubled marks of names
        frame = pl.read_csv(
            bytes(self.data) if self.file is None else self.file,
            glob=False,
            columns=list(written.values()),
            separator=self.separator,
            quote_char=self.quote,
            infer_schema=False,
            truncate_ragged_lines=cuts,
        )
        return frame.rename({other: name for name, other in written.items() if other != name}).select(names)

    def _rows(self, data: bytes) -> Iterator[list[str]]:
        """The rows of some lines one by one, up to the first that cannot be parsed, such as one with an absurdly long field."""
        lines = io.StringIO(data.decode("utf-8", errors="replace"), newline="\n")
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

    def events(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:
        """The columns of a whole file of events; a plain file is not copied."""
        dialect = options.dialect
        may_be_plain = dialect.header and dialect.comment is None and dialect.encoding == "utf-8"
        plain = plain_file(path) if may_be_plain else None
        return self._events(plain or _text(path, dialect, misfits), path, options, misfits)

    def event_parts(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The same, some rows at a time; every part of the text begins with the header."""
        for data in text_parts(path, options.dialect, misfits, has_header=options.dialect.header):
            yield self._events(data, path, options, misfits)

    def lines(self, data: bytes, path: str, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:
        """The columns of some lines of a file, with its header if it has one."""
        return self._events(data, path, options, misfits)

    def unlabelled(self, lines: list[str], path: str | Path, options: ReadOptions) -> Iterator[tuple[str, str]]:
        """Person and time of each line that fits nothing else: separators and marks too many belong to the label."""
        dialect, columns = options.dialect, options.columns
        separator = dialect.separator_for(path)
        kept = [line for line in lines if line and not (dialect.comment and line.startswith(dialect.comment))]
        if not kept:
            return
        if dialect.header:
            header = [name.strip(dialect.quote or "") for name in kept.pop(0).split(separator)]
        else:
            header = [str(place + 1) for place in range(max(map(int, columns.names)))]
        if any(name not in header for name in columns.names):
            return
        label = header.index(columns.latitude or columns.label)
        person, time = (header.index(name or "") for name in (columns.person, columns.time))
        pattern = Shape(separator, dialect.quote, len(header), or_more=not dialect.header).pattern()
        for line in kept:
            fields = line.split(separator)
            more = len(fields) - len(header)
            if more < 0 or (pattern.fullmatch(line.encode("utf-8")) and is_text(line)):
                continue
            who, when = (fields[place if place < label else place + more].strip(dialect.quote or "") for place in (person, time))
            yield who, when

    def _events(self, data: bytes | PlainFile, path: str | Path, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:
        return csv_frame(
            data,
            columns=options.columns,
            dialect=options.dialect,
            separator=self._between(path, options.dialect),
            source=input_name(path),
            misfits=misfits,
        )

    def _between(self, path: str | Path, dialect: TextDialect) -> str:
        return dialect.separator or self.separator or dialect.separator_for(path)

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect, misfits: Misfits) -> pl.DataFrame:
        """The columns that `chosen` names, as strings."""
        return self._columns(_text(path, dialect, misfits), path, chosen, dialect, misfits)

    def column_parts(self, path: str | Path, names: list[str], dialect: TextDialect, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The columns of these names, some rows at a time; every part of the text begins with the header."""
        for data in text_parts(path, dialect, misfits, has_header=True):
            yield self.column_lines(data, path, names, dialect, misfits)

    def column_lines(
        self, data: bytes, path: str | Path, names: list[str], dialect: TextDialect, misfits: Misfits
    ) -> pl.DataFrame:
        """The columns of these names in some lines."""
        return self._columns(data, path, lambda _: names, dialect, misfits)

    def _columns(self, data: bytes, path: str | Path, chosen: Chosen, dialect: TextDialect, misfits: Misfits) -> pl.DataFrame:
        text = CsvText(_ended(data), self._between(path, dialect), dialect.quote)
        header = text.header()
        names = chosen(header)
        require_columns(header, names, input_name(path))
        frame = text.strings(names, header, misfits)
        return frame.filter(~pl.all_horizontal(pl.all().is_null())) if frame.width else frame

    def row_count(self, path: Path) -> int | None:  # noqa: ARG002 - only reading it would tell
        """Nobody knows."""
        return None

    def released(self, path: Path) -> pl.DataFrame:
        """All columns, as strings."""
        frame = pl.read_csv(input_text(path, Misfits()), infer_schema=False, separator=self.separator or ",")
        return frame.rename(lambda name: name.replace('""', '"'))  # Polars keeps doubled marks of names

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


def _text(path: str | Path, dialect: TextDialect, misfits: Misfits) -> bytes:
    """The text of a file without its comments."""
    return without_comments(input_text(path, misfits, encoding=dialect.encoding, has_header=dialect.header), dialect.comment)


CSV = Csv()
