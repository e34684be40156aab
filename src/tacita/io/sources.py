"""Input text: files and standard input, decompressed and decoded to UTF-8, as a whole or in parts.

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
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

import numpy as np
import polars as pl

from tacita.errors import InputError
from tacita.formats import Compression
from tacita.io.formats import STANDARD_INPUT, require_file
from tacita.io.misfits import LINE, NOT_TEXT, Misfits
from tacita.io.options import TextDialect

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = [
    "LARGEST_EXPANDED",
    "MAGIC",
    "REPLACEMENT",
    "ROWS",
    "PlainFile",
    "decoded_line",
    "first_lines",
    "holds_nothing",
    "input_bytes",
    "input_name",
    "input_text",
    "is_text",
    "opened_bytes",
    "opened_lines",
    "plain_file",
    "raw_text",
    "readable_text",
    "refuse_misnamed",
    "require_expandable",
    "text_parts",
    "without_comments",
]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


MAGIC = {Compression.GZ: b"\x1f\x8b", Compression.ZST: b"\x28\xb5\x2f\xfd"}
_NAMES = {Compression.GZ: "gzip", Compression.ZST: "zst"}
_UTF_8_MARK = codecs.BOM_UTF8
REPLACEMENT = "\ufffd"
"""What represents bytes that the encoding does not know; a line that holds it is not read."""
_NUL, _REPLACEMENT = b"\0", REPLACEMENT.encode()


def is_text(value: str) -> bool:
    """Whether nothing in it represents bytes that are no text."""
    return REPLACEMENT not in value and "\0" not in value


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


def input_text(path: str | Path, misfits: Misfits, *, encoding: str = "utf-8", has_header: bool = False) -> bytes:
    """The decompressed text of an input, as UTF-8 without a byte order mark; lines that are not text are left out.

    A line with a NUL, or with bytes that the encoding does not know, becomes an empty one. A header must be text.
    """
    data = _readable(_decoded(_unpacked(input_bytes(path), path), path, encoding), misfits, path, has_header=has_header)
    if not data.strip(b" \t\r\n"):  # other white-space characters may be labels
        message = f"{input_name(path)} is empty"
        raise InputError(message)
    return data


def raw_text(path: str | Path, encoding: str) -> str:
    """All of an input, with replacement characters for what is no text."""
    return _decoded(_unpacked(input_bytes(path), path), path, encoding).decode("utf-8", errors="replace")


def readable_text(data: bytes, misfits: Misfits, path: str | Path, dialect: TextDialect) -> bytes:
    """Some lines of a file, without its header, as `input_text` gives them, and without comments."""
    readable = _readable(_decoded(data, path, dialect.encoding), misfits, path, has_header=False)
    return without_comments(readable, dialect.comment)


def decoded_line(line: bytes, path: str | Path, dialect: TextDialect) -> bytes:
    """A header in UTF-8, which must be text."""
    return _readable(_decoded(line, path, dialect.encoding), Misfits(), path, has_header=True)


def _readable(data: bytes, misfits: Misfits, path: str | Path, *, has_header: bool) -> bytes:
    """The text with an empty line instead of each line that holds a NUL or a replacement character."""
    if _NUL not in data and _REPLACEMENT not in data:
        return data
    lines = data.split(b"\n")
    for place, line in enumerate(lines):
        if _NUL in line or _REPLACEMENT in line:
            if has_header and not any(before.strip(b"\r") for before in lines[:place]):
                message = f"the header of {input_name(path)} must be text, without a NUL; give its actual encoding"
                raise InputError(message)
            lines[place] = b""
            misfits.add(LINE, NOT_TEXT)
    return b"\n".join(lines)


def opened_lines(path: str | Path) -> Iterator[bytes]:
    """The lines of a file one after another, decompressed; no more of it is read than is asked for."""
    with require_file(path).open("rb") as raw:
        start = raw.read(4)
        raw.seek(0)
        packing = next((known for known, magic in MAGIC.items() if start.startswith(magic)), None)
        opened: Iterable[bytes] = raw
        if packing is not None:
            opened = io.BufferedReader(Expanded(raw, packing, path), 1 << 16)
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
        return b"".join(iter(partial(Expanded(io.BytesIO(data), packing, path).read, BYTES), b""))
    except (OSError, EOFError, zlib.error, zstd.ZstdError):
        raise InputError(_not_whole(path, packing)) from None
    except MemoryError:
        message = f"{input_name(path)} does not fit into memory once it is decompressed; decompress it first"
        raise InputError(message) from None


LARGEST_EXPANDED = 2**31
"""How many bytes a compressed text may have once it is decompressed, on every engine: half a megabyte can hold a thousand times
as much, and would fill any memory."""


class Expanded(io.RawIOBase):
    """The decompressed bytes of a file, up to a limit."""

    def __init__(self, raw: IO[bytes], packing: Compression, path: str | Path) -> None:
        """Nothing is read yet."""
        self._opened = gzip.GzipFile(fileobj=raw) if packing is Compression.GZ else zstd.ZstdFile(raw)
        self._path, self._left = path, LARGEST_EXPANDED

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """The next bytes; a file that holds more than the limit is refused."""
        view = memoryview(buffer).cast("B")
        data = self._opened.read(len(view))
        view[: len(data)] = data
        self._left -= len(data)
        if self._left < 0:
            message = (
                f"{input_name(self._path)} must hold at most {LARGEST_EXPANDED:,} bytes once it is decompressed, and holds more; "
                "decompress it and give the plain file"
            )
            raise InputError(message)
        return len(data)


def require_expandable(path: str | Path) -> None:
    """Refuse a compressed file on this machine that holds more than the limit; other programs that decompress it have none."""
    if Path(path).is_file():
        with opened_bytes(path) as stream:
            while isinstance(stream, io.BufferedReader) and isinstance(stream.raw, Expanded) and stream.read(BYTES):
                pass


def _not_whole(path: str | Path, packing: Compression) -> str:
    return f"{input_name(path)} is not a complete {_NAMES[packing]} file"


def _decoded(data: bytes, path: str | Path, encoding: str) -> bytes:
    """The text in UTF-8, line by line where characters have several bytes; what cannot be decoded is a replacement character.

    UTF-8 input is checked but not copied, unless it begins with a byte order mark.
    """
    name = codecs.lookup(encoding).name
    try:
        if name in {"utf-8", "utf-8-sig"}:
            data = data.removeprefix(_UTF_8_MARK)
            return data if data.isascii() else _valid(data)
        if name.startswith(("utf-16", "utf-32")):
            return data.decode(encoding, errors="replace").removeprefix("\ufeff").encode("utf-8")
        if name.startswith(("ascii", "iso8859", "cp125")):  # one byte per character
            return data.decode(encoding, errors="replace").encode("utf-8")
        # Some encodings have states: no line may change how the next one is decoded.
        return b"\n".join(line.decode(encoding, errors="replace").encode("utf-8") for line in data.split(b"\n"))
    except UnicodeError:
        message = f"{input_name(path)} must be text in {encoding}; give its actual encoding"
        raise InputError(message) from None


def _valid(data: bytes) -> bytes:
    """UTF-8 as it is, or with replacement characters for what is not; no line end is ever part of what is replaced."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", errors="replace").encode("utf-8")
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
# Text is decompressed and decoded as it is read, and cut at line ends. Every part is then read
# by the same code as a whole file, so formats mean the same on every engine.

ROWS = 1 << 20
"""How many rows of a format that is not text make a part."""

BYTES = 1 << 25


def text_parts(path: str | Path, dialect: TextDialect, misfits: Misfits, *, has_header: bool) -> Iterator[bytes]:
    """A text in parts that end with a line; if the first line is a header, every part begins with it."""
    header, is_empty = b"", True
    for text in _whole_lines(path, dialect.encoding):
        readable = _readable(text, misfits, path, has_header=has_header and not header)
        body = without_comments(readable, dialect.comment)
        if not body.strip(b"\r\n"):
            continue
        yield header + body
        is_empty = False
        if has_header and not header:
            body = body.lstrip(b"\r\n")
            end = body.find(b"\n") + 1
            header = body[:end] if end else body + b"\n"
    if is_empty:
        message = f"{input_name(path)} is empty"
        raise InputError(message)


def _whole_lines(path: str | Path, encoding: str) -> Iterator[bytes]:
    """The text in UTF-8 without a byte order mark, some megabytes of whole lines at a time."""
    name = codecs.lookup(encoding).name
    is_wide = name.startswith(("utf-16", "utf-32"))
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace") if is_wide else None
    left, is_first = b"", True
    try:
        with opened_bytes(path) as stream:
            while data := stream.read(BYTES):
                text = left + (data if decoder is None else decoder.decode(data).encode("utf-8"))
                text = text.removeprefix(_UTF_8_MARK) if is_first and (is_wide or name.startswith("utf-8")) else text
                is_first = False
                end = text.rfind(b"\n") + 1
                left, text = text[end:], text[:end]
                if text:
                    yield text if is_wide else _decoded(text, path, encoding)
            if decoder is not None:
                left += decoder.decode(b"", final=True).encode("utf-8")
            if left:
                yield left if is_wide else _decoded(left, path, encoding)
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
        packing = next((known for known, magic in MAGIC.items() if start.startswith(magic)), None)
        if packing is None:
            refuse_misnamed(path)
            yield stream
        else:
            yield closing.enter_context(io.BufferedReader(Expanded(stream, packing, path), 1 << 16))


class Readable(Protocol):
    """Something that gives bytes."""

    def read(self, size: int, /) -> bytes:
        """Up to this many bytes; none at the end."""
        ...
