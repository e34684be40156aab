"""Wide lines: one record per line, with its labels side by side; and FIMI `.dat`, the same with spaces in between.

Lines have no ids: each is one person's record. Empty lines and fields are ignored. Spaces around a label are not part of it. A
field in quotation marks may hold separators, and no line ends: a line with a misplaced mark is left out, whatever the others are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.formats import Compression
from tacita.io.csv_rows import Shape, outside_quotes
from tacita.io.misfits import Misfits
from tacita.io.options import ReadOptions
from tacita.io.sources import (
    Words,
    blank_words,
    holds_nothing,
    input_name,
    input_text,
    one_column,
    require_words,
    text_parts,
    without_comments,
)
from tacita.io.writing import joined_lines, write_pieces
from tacita.public.universe import Universe

__all__ = ["DAT", "WIDE", "read_dat", "read_wide", "write_dat", "write_wide"]

_NEWLINE = np.uint8(ord("\n"))
_BLANKS = " \t\r"


def read_wide(
    path: str | Path, *, universe: Universe, options: ReadOptions | None = None, misfits: Misfits | None = None
) -> tuple[Ragged, int]:
    """Read one list of codes per line; also return how many labels were dropped because they are outside the universe."""
    return _words(path, options, Misfits() if misfits is None else misfits, blank=False).encoded(universe)


def read_dat(
    path: str | Path, *, universe: Universe, options: ReadOptions | None = None, misfits: Misfits | None = None
) -> tuple[Ragged, int]:
    """Read one list of codes per line of a `.dat` file, in the order of the line; also return how many labels were dropped."""
    return _words(path, options, Misfits() if misfits is None else misfits, blank=True).encoded(universe)


def _require_wide_labels(universe: Universe) -> None:
    """Refuse labels that wide lines cannot hold."""
    if any(label != label.strip(_BLANKS) or set(label) & set("\0\r\n") or not label.strip(_BLANKS) for label in universe.labels):
        message = "labels in wide lines cannot begin or end with a space, or hold NUL or a line end; choose another format"
        raise ParameterError(message)


def _require_dat_labels(universe: Universe) -> None:
    """Refuse labels that `.dat` lines cannot hold."""
    require_words(universe, what="the .dat format")


def write_wide(path: Path, lists: Ragged, *, universe: Universe, compression: Compression | None = None) -> None:
    """Write one line per list with commas, and quotation marks where a label needs them; empty lists are left out."""
    _require_wide_labels(universe)
    texts = [_quoted(label) for label in universe.labels]
    write_pieces(path, joined_lines(lists, texts, separator=","), compression=compression)


def write_dat(path: Path, lists: Ragged, *, universe: Universe, compression: Compression | None = None) -> None:
    """Write one line per list with spaces; empty lists are left out."""
    _require_dat_labels(universe)
    write_pieces(path, joined_lines(lists, list(universe.labels), separator=" "), compression=compression)


def _words(path: str | Path, options: ReadOptions | None, misfits: Misfits, *, blank: bool) -> Words:
    options = ReadOptions.of(options)
    data = without_comments(input_text(path, misfits, encoding=options.dialect.encoding), options.dialect.comment)
    words = _words_of_text(data, path, misfits, options=options, blank=blank)
    if words.words.is_empty():
        raise InputError(_no_records(path))
    return words


def _no_records(path: str | Path) -> str:
    return f"{input_name(path)} has no records"


def _words_of_text(data: bytes, path: str | Path, misfits: Misfits, *, options: ReadOptions, blank: bool) -> Words:
    """The words of a text without comments, which is all or some lines of a file."""
    source = input_name(path)
    separator = " " if blank else options.dialect.separator_for(path)
    if separator == " ":
        return blank_words(data, source=source)
    return _separated_words(data, misfits, separator=separator, quote=options.dialect.quote, source=source)


def _separated_words(data: bytes, misfits: Misfits, *, separator: str, quote: str | None, source: str) -> Words:
    """Fields between separators: each is put on a line of its own, which Polars reads as one column."""
    data = data if data.endswith(b"\n") else data + b"\n"
    if quote is not None and quote.encode() in data:
        data = bytes(Shape(separator, quote, 1, or_more=True).fitting(data, misfits, rule="a misplaced quotation mark"))
    text = np.frombuffer(data, dtype=np.uint8)
    is_line_end = text == _NEWLINE
    is_end = text == np.uint8(ord(separator))
    if quote is not None and quote.encode() in data:
        outside = outside_quotes(text == np.uint8(ord(quote)))
        is_line_end, is_end = is_line_end & outside, is_end & outside
    else:
        quote = None
    lines = np.where(is_end, _NEWLINE, text)
    fields = one_column(lines.tobytes(), separator=separator, quote=quote, source=source).fill_null("").str.strip_chars(_BLANKS)
    last = is_end | is_line_end
    if len(fields) != np.count_nonzero(last):
        message = f"{source} has a misplaced quotation mark"
        raise InputError(message)
    held = (fields != "").to_numpy()
    return Words(fields.filter(pl.Series(held)), _held_per_line(held, is_line_end[last]))


def _held_per_line(held: Booleans, ends_line: Booleans) -> Integers:
    """The number of non-empty fields in each line."""
    return np.diff(np.cumsum(held, dtype=np.int64)[ends_line], prepend=0)


def _quoted(label: str) -> str:
    """A label, in quotation marks if it contains a character with a special meaning."""
    if any(character in label for character in ',"\r\n') or label.startswith("\ufeff"):
        return '"' + label.replace('"', '""') + '"'
    return label


@dataclass(frozen=True)
class WordLines:
    """Reads and writes lines of labels: wide ones, or with a `blank` between labels those of `.dat`."""

    blank: bool

    def lists(self, path: str | Path, universe: Universe, options: ReadOptions, misfits: Misfits) -> tuple[Ragged, int]:
        """One list of codes per line, and how many labels were dropped."""
        return (read_dat if self.blank else read_wide)(path, universe=universe, options=options, misfits=misfits)

    def list_parts(
        self, path: str | Path, universe: Universe, options: ReadOptions, misfits: Misfits
    ) -> Iterator[tuple[Ragged, int]]:
        """The same, some lines at a time."""
        words = 0
        for part in text_parts(path, options.dialect, misfits, has_header=False):
            found = _words_of_text(part, path, misfits, options=options, blank=self.blank)
            words += len(found.words)
            yield found.encoded(universe)
        if not words:
            raise InputError(_no_records(path))

    def labels(self, path: str | Path, options: ReadOptions) -> list[str]:
        """Every label that occurs."""
        return [str(label) for label in _words(path, options, Misfits(), blank=self.blank).words.unique().to_list()]

    def released(self, path: Path, universe: Universe) -> tuple[Ragged, int]:
        """The lists of a release; an empty one has no lines."""
        return (Ragged.from_lists([]), 0) if holds_nothing(path) else self.lists(path, universe, ReadOptions(), Misfits())

    def require_labels(self, universe: Universe) -> None:
        """Refuse labels that such lines cannot hold."""
        (_require_dat_labels if self.blank else _require_wide_labels)(universe)

    def write(self, path: Path, lists: Ragged, universe: Universe, compression: Compression | None) -> None:
        """Write one line per list."""
        (write_dat if self.blank else write_wide)(path, lists, universe=universe, compression=compression)


WIDE, DAT = WordLines(blank=False), WordLines(blank=True)
