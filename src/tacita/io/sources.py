"""Input text: files and standard input, decompressed and decoded to UTF-8, as a whole, in parts, or split into words.

Compression is recognised by the first bytes, whatever the file is called. Errors give a line number, never the line's contents.
"""

from __future__ import annotations

import codecs
import gzip
import io
import mmap
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.formats import Compression
from tacita.io.columns import POLARS_FAILURES
from tacita.io.formats import STANDARD_INPUT, require_file
from tacita.io.options import TextDialect
from tacita.public.universe import Universe

__all__ = [
    "MAGIC",
    "ROWS",
    "PlainFile",
    "Words",
    "blank_words",
    "first_lines",
    "holds_nothing",
    "input_bytes",
    "input_name",
    "input_text",
    "line_of",
    "one_column",
    "opened_bytes",
    "opened_lines",
    "plain_file",
    "refuse_misnamed",
    "require_words",
    "text_parts",
    "without_comments",
    "words_per_line",
]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


MAGIC = {Compression.GZ: b"\x1f\x8b", Compression.ZST: b"\x28\xb5\x2f\xfd"}
_NAMES = {Compression.GZ: "gzip", Compression.ZST: "zst"}
_UTF_8_MARK = codecs.BOM_UTF8


def input_name(path: object) -> str:
    """The name of an input in messages: a file, standard input, or a data frame."""
    if not isinstance(path, str | Path):
        return "the data frame"
    return "standard input" if str(path) == STANDARD_INPUT else f"the input {str(path)!r}"


def input_bytes(path: str | Path) -> bytes:
    """The raw bytes of a non-empty file, or of standard input."""
    try:
        data = sys.stdin.buffer.read() if str(path) == STANDARD_INPUT else require_file(path).read_bytes()
    except OSError as error:
        message = f"{input_name(path)} cannot be read: {error.strerror or 'it is incomplete'}"
        raise InputError(message) from None
    if not data:
        message = f"{input_name(path)} is empty"
        raise InputError(message)
    return data


def input_text(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """The decompressed text of an input, as UTF-8 without a byte order mark; NUL characters are refused."""
    data = input_bytes(path)
    data = _decoded(_unpacked(data, path), path, encoding)
    nul = data.find(b"\0")
    if nul >= 0:
        message = f"{input_name(path)} must be text, line {line_of(data, nul)} holds a NUL character"
        raise InputError(message)
    if not data.strip(b" \t\r\n"):  # other white-space characters may be labels
        message = f"{input_name(path)} is empty"
        raise InputError(message)
    return data


def opened_lines(path: str | Path) -> Iterator[bytes]:
    """The lines of a file one after another, decompressed; no more of it is read than is asked for."""
    with require_file(path).open("rb") as raw:
        start = raw.read(4)
        raw.seek(0)
        packing = next((known for known, magic in MAGIC.items() if start.startswith(magic)), None)
        opened: Iterable[bytes] = raw
        if packing is not None:
            opened = gzip.GzipFile(fileobj=raw) if packing is Compression.GZ else zstd.ZstdFile(raw)
        try:
            yield from opened
        except (OSError, EOFError, zlib.error, zstd.ZstdError):
            raise InputError(_not_whole(path, packing or Compression.GZ)) from None


def first_lines(path: str | Path, count: int) -> list[str]:
    """The first lines of a file as text, without their ends."""
    lines = islice(opened_lines(path), count)
    return [line.removeprefix(_UTF_8_MARK).decode("utf-8", errors="replace").rstrip("\r\n") for line in lines]


@dataclass(frozen=True)
class PlainFile:
    """A file whose bytes are its text."""

    path: Path
    content: mmap.mmap


def plain_file(path: str | Path) -> PlainFile | None:
    """Map a file into memory if it is plain ASCII text that needs no decompression, decoding or checks."""
    if str(path) == STANDARD_INPUT or _named_compression(path) is not None:
        return None
    with require_file(path).open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    is_plain = data[:1].isalnum() and data[-1:] == b"\n" and data.find(b"\0") < 0
    return PlainFile(Path(path), data) if is_plain and int(np.frombuffer(data, dtype=np.uint8).max()) < 128 else None


def without_comments(data: bytes, comment: str | None) -> bytes:
    """The text with an empty line instead of each line that begins with `comment`, so that line numbers stay the same."""
    if comment is None:
        return data
    return re.sub(rb"^" + re.escape(comment.encode()) + rb"[^\n]*", b"", data, flags=re.MULTILINE)


def line_of(data: bytes, position: int) -> int:
    """The line number, counted from 1, of a byte position."""
    return data.count(b"\n", 0, position) + 1


def _named_compression(path: str | Path) -> Compression | None:
    """The compression that a file's name suggests."""
    return next((known for known in Compression if str(path).lower().endswith(f".{known}")), None)


def refuse_misnamed(path: str | Path) -> None:
    """Refuse a file that is named as compressed and is not."""
    named = _named_compression(path)
    if named is not None:
        raise InputError(_not_whole(path, named))


def _unpacked(data: bytes, path: str | Path) -> bytes:
    packing = next((known for known, magic in MAGIC.items() if data.startswith(magic)), None)
    if packing is None:
        refuse_misnamed(path)
        return data
    try:
        return gzip.decompress(data) if packing is Compression.GZ else zstd.decompress(data)
    except (OSError, EOFError, zlib.error, zstd.ZstdError):
        raise InputError(_not_whole(path, packing)) from None


def _not_whole(path: str | Path, packing: Compression) -> str:
    return f"{input_name(path)} is not a complete {_NAMES[packing]} file"


def _decoded(data: bytes, path: str | Path, encoding: str) -> bytes:
    """The text in UTF-8; UTF-8 input is checked but not copied, unless it begins with a byte order mark."""
    name = codecs.lookup(encoding).name
    try:
        if name not in {"utf-8", "utf-8-sig", "ascii"}:
            return data.decode(encoding).removeprefix("\ufeff").encode("utf-8")
        data = data.removeprefix(_UTF_8_MARK)
        if not data.isascii():
            data.decode("ascii" if name == "ascii" else "utf-8")
    except UnicodeDecodeError as error:
        written = encoding.upper() if name.startswith("utf") else encoding
        where = line_of(data, error.start) if name.startswith(("utf-8", "ascii")) else None
        place = "" if where is None else f", line {where} is not"
        message = f"{input_name(path)} must be text in {written}{place}; give its actual encoding"
        raise InputError(message) from None
    except UnicodeError:
        message = f"{input_name(path)} must be text in {encoding}; give its actual encoding"
        raise InputError(message) from None
    return data


def holds_nothing(path: Path) -> bool:
    """Whether a text file, compressed or not, has no lines; the usual readers refuse such files."""
    if path.stat().st_size > 64:  # larger than any compressed empty file
        return False
    try:
        pl.read_csv(path, has_header=False, infer_schema=False, quote_char=None, truncate_ragged_lines=True, glob=False)
    except pl.exceptions.NoDataError:
        return True
    return False


# A text as parts of limited size.
#
# Text is decompressed and decoded as it is read, and cut at line ends that are outside quotation marks. Every part is then read
# by the same code as a whole file, so formats mean the same on every engine.

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


ROWS = 1 << 20
"""How many rows of a format that is not text make a part."""

BYTES = 1 << 25


def text_parts(path: str | Path, dialect: TextDialect, *, quote: str | None, has_header: bool) -> Iterator[bytes]:
    """A text in parts that end with a line; if the first line is a header, every part begins with it."""
    header, left, line = b"", b"", 0
    mark = None if quote is None else quote.encode()
    for text in _decoded_part(path, dialect.encoding):
        text = left + text  # noqa: PLW2901 - what was left of the last one belongs to it
        end = _last_line_end(text, mark)
        left, text = text[end:], text[:end]  # noqa: PLW2901
        if text:
            yield from _part(text, header, dialect.comment)
            line += 1
        if has_header and not header and text:
            body = without_comments(text, dialect.comment).lstrip(b"\r\n")
            header = body[: _first_line_end(body, mark)]
    if left.strip(b"\r\n"):
        yield from _part(left, header, dialect.comment)
        line += 1
    if not line:
        message = f"{input_name(path)} is empty"
        raise InputError(message)


def _part(text: bytes, header: bytes, comment: str | None) -> Iterator[bytes]:
    body = without_comments(text, comment)
    if body.strip(b"\r\n"):
        yield header + body


def _last_line_end(text: bytes, mark: bytes | None) -> int:
    """Where the last complete line ends, outside quotation marks; 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if mark is None or mark not in text:
        return end
    while end and text.count(mark, 0, end) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end


def _first_line_end(text: bytes, mark: bytes | None) -> int:
    end = text.find(b"\n") + 1
    while mark is not None and end and text.count(mark, 0, end) % 2:
        end = text.find(b"\n", end) + 1
    return end or len(text)


def _decoded_part(path: str | Path, encoding: str) -> Iterator[bytes]:
    """The text in UTF-8 without a byte order mark, some megabytes at a time."""
    name = codecs.lookup(encoding).name
    decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else encoding)()
    try:
        with opened_bytes(path) as stream:
            is_last = False
            while not is_last:
                data = stream.read(BYTES)
                is_last = not data
                text = decoder.decode(data, is_last).removeprefix("\ufeff")
                if "\0" in text:
                    message = f"{input_name(path)} must be text, but it holds a NUL character"
                    raise InputError(message)
                if text:
                    yield text.encode()
    except UnicodeError:
        message = f"{input_name(path)} must be text in {encoding.upper()}; give its actual encoding"
        raise InputError(message) from None
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        reason = getattr(error, "strerror", None) or "it is incomplete"
        message = f"{input_name(path)} cannot be read: {reason}"
        raise InputError(message) from None


@contextmanager
def opened_bytes(path: str | Path) -> Iterator[Readable]:
    """The decompressed bytes of a file, or of standard input; compression is recognised by the first bytes."""
    with ExitStack() as closing:
        raw = sys.stdin.buffer if str(path) == STANDARD_INPUT else closing.enter_context(require_file(path).open("rb"))
        stream = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
        start = stream.peek(4)[:4]
        if start.startswith(MAGIC[Compression.GZ]):
            yield closing.enter_context(gzip.open(stream, "rb"))
        elif start == MAGIC[Compression.ZST]:
            yield closing.enter_context(zstd.open(stream, "rb"))
        else:
            refuse_misnamed(path)
            yield stream


class Readable(Protocol):
    """Something that gives bytes."""

    def read(self, size: int, /) -> bytes:
        """Up to this many bytes; none at the end."""
        ...


# A whole text split into words at once: a column of words and the number per line, without a Python object for each.

_NEWLINE = np.uint8(ord("\n"))
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
