"""Records one per line.

The MSNBC `.seq` format: a header that names the categories, then one sequence per line, as category numbers from 1.

The header holds comment lines that begin with `%`, and between them one line with the names, separated by spaces. The numbers
are parsed on the bytes of the whole file at once. A line that holds anything else is left out.

Wide lines: one record per line, with its labels side by side; and FIMI `.dat`, the same with spaces in between.

Lines have no ids: each is one person's record. Empty lines and fields are ignored. Spaces around a label are not part of it. A
field in quotation marks may hold separators, and no line ends: a line with a misplaced mark is left out, whatever the others are.

`Words` are all words of a text at once, for these formats and for lists of edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays import Booleans, Integers, Numbers
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.formats import Compression
from tacita.io.columns import POLARS_FAILURES
from tacita.io.csv_rows import Shape, outside_quotes
from tacita.io.formats import STANDARD_INPUT
from tacita.io.misfits import LINE, Misfits
from tacita.io.options import ReadOptions
from tacita.io.sources import (
    holds_nothing,
    input_name,
    input_text,
    text_parts,
    without_comments,
)
from tacita.io.writing import joined_lines, write_pieces
from tacita.public.universe import Universe

__all__ = [
    "DAT",
    "SEQ",
    "WIDE",
    "Words",
    "blank_words",
    "declared_universe",
    "read_dat",
    "read_seq",
    "read_wide",
    "require_seq_labels",
    "require_words",
    "write_dat",
    "write_seq",
    "write_wide",
]

_NEWLINE, _ZERO = np.uint8(ord("\n")), np.uint8(ord("0"))
_LONGEST_NUMBER = 9
_OTHER = re.compile(rb"[^0-9 \t\r\n]|[0-9]{%d}" % (_LONGEST_NUMBER + 1))
"""What no line of sequences may hold."""
_IS_ALLOWED = np.zeros(256, dtype=bool)
_IS_ALLOWED[[ord(character) for character in "0123456789 \t\r\n"]] = True


def declared_universe(path: str | Path, *, options: ReadOptions | None = None) -> Universe:
    """The categories named in the header of a `.seq` file; by calling this, the owner declares them public."""
    if str(path) == STANDARD_INPUT:
        message = "standard input can be read only once, so its header cannot serve as the universe; name a file"
        raise ParameterError(message)
    names = _header(_text(path, options, Misfits()), path)[0]
    if len(set(names)) < len(names):
        message = f"the header of {input_name(path)} must name every category once"
        raise InputError(message)
    return Universe(names, origin="declared in the header of a .seq file")


def read_seq(
    path: str | Path, *, universe: Universe, options: ReadOptions | None = None, misfits: Misfits | None = None
) -> tuple[Ragged, int]:
    """Read the sequences; also return how many symbols were dropped because they are outside the universe."""
    misfits = Misfits() if misfits is None else misfits
    data = _text(path, options, misfits)
    names, start = _header(data, path)
    return _lists(data[start:], misfits, names=names, universe=universe)


def _lists(data: bytes, misfits: Misfits, *, names: list[str], universe: Universe) -> tuple[Ragged, int]:
    """The sequences of some lines, if the header names these categories; and how many symbols were dropped."""
    numbers, offsets = _numbers(data, misfits)
    code_of = np.full(len(names) + 2, -1, dtype=np.int32)
    for number, name in enumerate(names, start=1):
        code_of[number] = universe.code(name) if name in universe else -1
    largest = int(numbers.max(initial=0))
    codes = code_of[numbers if largest <= len(names) else np.minimum(numbers, len(names) + 1)]
    if codes.size and codes.min() < 0:  # 0 and numbers past the header count as outside
        inside = codes >= 0
        offsets = np.append(0, np.cumsum(inside))[offsets]
        dropped = codes.size - int(offsets[-1])
        return Ragged(codes[inside], offsets.astype(np.int64)), dropped
    return Ragged(codes, offsets), 0


def require_seq_labels(universe: Universe) -> None:
    """Refuse labels that the format cannot hold."""
    require_words(universe, what="the .seq format")
    if universe.labels[0].startswith("%") or all(label.isdigit() for label in universe.labels):
        message = (
            "the names in a .seq header must not begin with %, and must not all be numbers; choose another format, such as csv"
        )
        raise ParameterError(message)


def write_seq(path: Path, sequences: Ragged, *, universe: Universe, compression: Compression | None = None) -> None:
    """Write the header and one line per sequence; empty sequences are left out."""
    require_seq_labels(universe)
    header = f"% The categories that may occur:\n\n{' '.join(universe.labels)}\n\n% Sequences:\n"
    lines: Iterator[str] = joined_lines(sequences, [f"{number} " for number in range(1, len(universe) + 1)], separator="")
    write_pieces(path, chain([header], lines), compression=compression)


def _text(path: str | Path, options: ReadOptions | None, misfits: Misfits) -> bytes:
    return input_text(path, misfits, encoding=ReadOptions.of(options).dialect.encoding, has_header=True)


def _header(data: bytes, path: str | Path) -> tuple[list[str], int]:
    """The names, and where the sequences begin: after the last comment line."""
    names: list[str] = []
    position = after = 0
    while position < len(data):
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        line = data[position:end].strip(b" \t\r")
        position = end + 1
        if line.startswith(b"%"):
            after = position
        elif line and names:
            break
        elif line:
            names = line.replace(b"\t", b" ").replace(b"\r", b" ").decode("utf-8").split(" ")
            names = [name for name in names if name]
    if not names or after == 0 or all(name.isdigit() for name in names):
        message = f"{input_name(path)} must begin with a .seq header: comment lines with %, and a line of category names"
        raise InputError(message)
    return names, min(after, len(data))


def _numbers(data: bytes, misfits: Misfits) -> tuple[Numbers, Integers]:
    """All numbers of the lines, and the offsets of the lines that hold any; a line with anything else is left out."""
    text = np.frombuffer(data if data.endswith(b"\n") else data + b"\n", dtype=np.uint8)
    digits = text - _ZERO  # anything but a digit wraps round to 10 or more
    is_digit = digits < 10
    is_last = is_digit.copy()
    is_last[:-1] &= ~is_digit[1:]
    numbers = _values(digits, is_digit, np.flatnonzero(is_last)) if _IS_ALLOWED[text].all() else None
    if numbers is None:
        lines = [line for line in data.split(b"\n") if line.strip()]
        fitting = [line for line in lines if _OTHER.search(line) is None]
        misfits.add(LINE, f"not whole numbers of at most {_LONGEST_NUMBER} digits", len(lines) - len(fitting))
        return _numbers(b"\n".join([*fitting, b""]), misfits)
    per_line = words_per_line(is_last, text == _NEWLINE)
    return numbers, np.append(0, np.cumsum(per_line[per_line > 0])).astype(np.int64)


def _values(digits: npt.NDArray[np.uint8], is_digit: Booleans, last: Integers) -> Numbers | None:
    """The numbers that end at these positions, built digit by digit from the right; None if one has too many digits."""
    numbers = digits[last].astype(np.int32)
    longer, behind = np.arange(last.size), 0
    while longer.size:
        behind += 1
        places = last[longer] - behind
        reaches = (places >= 0) & is_digit[places]
        longer, places = longer[reaches], places[reaches]
        if longer.size and behind == _LONGEST_NUMBER:
            return None
        numbers[longer] += digits[places].astype(np.int32) * np.int32(10**behind)
    return numbers


class SeqLines:
    """Reads and writes `.seq` files."""

    def lists(self, path: str | Path, universe: Universe, options: ReadOptions, misfits: Misfits) -> tuple[Ragged, int]:
        """The sequences, and how many symbols were dropped."""
        return read_seq(path, universe=universe, options=options, misfits=misfits)

    def list_parts(
        self, path: str | Path, universe: Universe, options: ReadOptions, misfits: Misfits
    ) -> Iterator[tuple[Ragged, int]]:
        """The same, some lines at a time; the header is in the first part."""
        names: list[str] | None = None
        for part in text_parts(path, options.dialect, misfits, has_header=False):
            names, start = _header(part, path) if names is None else (names, 0)
            yield _lists(part[start:], misfits, names=names, universe=universe)
        if names is None:
            message = f"{input_name(path)} has no records"
            raise InputError(message)

    def labels(self, path: str | Path, options: ReadOptions) -> list[str]:
        """The categories that the header names."""
        return list(declared_universe(path, options=options).labels)

    def released(self, path: Path, universe: Universe) -> tuple[Ragged, int]:
        """The sequences of a release; an empty one has a header."""
        return read_seq(path, universe=universe)

    def require_labels(self, universe: Universe) -> None:
        """Refuse labels that the format cannot hold."""
        require_seq_labels(universe)

    def write(self, path: Path, lists: Ragged, universe: Universe, compression: Compression | None) -> None:
        """Write the header and one line per sequence."""
        write_seq(path, lists, universe=universe, compression=compression)


SEQ = SeqLines()

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


# A whole text split into words at once: a column of words and the number per line, without a Python object for each.

_IS_BLANK = np.zeros(256, dtype=bool)
_IS_BLANK[[ord(character) for character in " \t\r\n"]] = True


@dataclass(frozen=True, eq=False)
class Words:
    """All words of a text in order, and the number of words in each line, empty lines included."""

    words: pl.Series
    per_line: Integers

    def encoded(self, universe: Universe) -> tuple[Ragged, int]:
        """One list of codes per non-empty line; also how many words were dropped because they are outside the universe."""
        codes = self.words.cast(pl.Enum(universe.labels), strict=False).to_physical()
        offsets = np.append(0, np.cumsum(self.per_line[self.per_line > 0])).astype(np.int64)
        dropped = codes.null_count()
        if dropped:
            inside = codes.is_not_null()
            offsets = np.append(0, np.cumsum(inside.to_numpy()))[offsets].astype(np.int64)
            codes = codes.filter(inside)
        return Ragged(codes.to_numpy(), offsets), dropped


def blank_words(data: bytes, *, source: str) -> Words:
    """Words separated by any runs of spaces and tabs."""
    text = np.frombuffer(data if data.endswith(b"\n") else data + b"\n", dtype=np.uint8)
    is_word = ~_IS_BLANK[text]
    is_last = is_word.copy()  # the last byte of a word
    is_last[:-1] &= ~is_word[1:]
    kept = is_word.copy()  # the words, and one space after each
    kept[1:] |= is_last[:-1]
    column = one_column(np.where(is_word, text, _NEWLINE)[kept].tobytes(), separator="\t", quote=None, source=source)
    return Words(column, words_per_line(is_last, text == _NEWLINE))


def words_per_line(is_last: Booleans, is_line_end: Booleans) -> Integers:
    """The number of words in each line, given where words and lines end."""
    lines = np.flatnonzero(is_line_end[is_last | is_line_end])  # positions of line ends among the ends of words and lines
    return np.diff(lines - np.arange(lines.size), prepend=0)


def one_column(data: bytes, *, separator: str, quote: str | None, source: str) -> pl.Series:
    """The fields of a text with one field per line; separators occur only in quotation marks; empty fields may be null."""
    if not data:
        return pl.Series(dtype=pl.String)
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator, quote_char=quote, infer_schema=False)
    except POLARS_FAILURES:
        frame = pl.DataFrame()
    if frame.width != 1:
        message = f"{source} has a misplaced quotation mark"
        raise InputError(message)
    return frame.to_series()


def require_words(universe: Universe, *, what: str) -> None:
    """Refuse labels that are not one word each."""
    if any(any(space in label for space in " \t\r\n\0") or label.startswith("\ufeff") for label in universe.labels):
        message = f"{what} separates names by spaces, so no label may contain one; choose another format, such as csv"
        raise ParameterError(message)
