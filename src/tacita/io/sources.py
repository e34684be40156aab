"""Reading input text: files and standard input, decompressed and decoded to UTF-8 as a whole.

Compression is recognised by the first bytes, whatever the file is called. Errors give a line number, never the line's contents.
"""

from __future__ import annotations

import codecs
import gzip
import mmap
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from tacita.errors import InputError
from tacita.formats import Compression
from tacita.io.formats import STANDARD_INPUT, require_file

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = [
    "MAGIC",
    "PlainFile",
    "first_lines",
    "holds_nothing",
    "input_bytes",
    "input_name",
    "input_text",
    "line_of",
    "opened_lines",
    "plain_file",
    "refuse_misnamed",
    "without_comments",
]

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
