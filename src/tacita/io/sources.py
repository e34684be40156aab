"""Where text comes from: files and standard input, unpacked and decoded to UTF-8 as a whole.

What is packed is recognised by its first bytes, whatever the file is called. Errors tell a line, never what stands there.
"""

from __future__ import annotations

import codecs
import gzip
import mmap
import re
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tacita.errors import InputError
from tacita.io.formats import STANDARD_INPUT, Compression, require_file

__all__ = ["PlainFile", "input_bytes", "input_text", "line_of", "plain_file", "spoken", "without_comments"]

_MAGIC = {Compression.GZ: b"\x1f\x8b", Compression.ZST: b"\x28\xb5\x2f\xfd"}
_NAMES = {Compression.GZ: "gzip", Compression.ZST: "zst"}
_UTF_8_MARK = codecs.BOM_UTF8


def spoken(path: object) -> str:
    """How messages call an input: a file, standard input, or a data frame."""
    if not isinstance(path, str | Path):
        return "the data frame"
    return "standard input" if str(path) == STANDARD_INPUT else f"the input {str(path)!r}"


def input_bytes(path: str | Path) -> bytes:
    """The bytes of a file that is not empty, or of standard input, as they are."""
    try:
        data = sys.stdin.buffer.read() if str(path) == STANDARD_INPUT else require_file(path).read_bytes()
    except OSError as error:
        message = f"{spoken(path)} cannot be read: {error.strerror or 'it is not a whole file'}"
        raise InputError(message) from None
    if not data:
        message = f"{spoken(path)} is empty"
        raise InputError(message)
    return data


def input_text(path: str | Path, *, encoding: str = "utf-8") -> bytes:
    """The text of an input, unpacked, as UTF-8 without a byte order mark and without NUL characters."""
    data = input_bytes(path)
    data = _decoded(_unpacked(data, path), path, encoding)
    nul = data.find(b"\0")
    if nul >= 0:
        message = f"{spoken(path)} must be text, line {line_of(data, nul)} holds a NUL character"
        raise InputError(message)
    if not data.strip(b" \t\r\n"):  # other signs that count as space may be labels
        message = f"{spoken(path)} is empty"
        raise InputError(message)
    return data


@dataclass(frozen=True)
class PlainFile:
    """A file whose bytes are its text."""

    path: Path
    content: mmap.mmap


def plain_file(path: str | Path) -> PlainFile | None:
    """A file's bytes without copying them, if they are plain ASCII text that need not be unpacked, decoded or refused."""
    if str(path) == STANDARD_INPUT or _named_packing(path) is not None:
        return None
    with require_file(path).open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    is_plain = data[:1].isalnum() and data[-1:] == b"\n" and data.find(b"\0") < 0
    return PlainFile(Path(path), data) if is_plain and int(np.frombuffer(data, dtype=np.uint8).max()) < 128 else None


def without_comments(data: bytes, comment: str | None) -> bytes:
    """The text with an empty line in place of each line that begins with the comment sign, so that lines keep their numbers."""
    if comment is None:
        return data
    return re.sub(rb"^" + re.escape(comment.encode()) + rb"[^\n]*", b"", data, flags=re.MULTILINE)


def line_of(data: bytes, position: int) -> int:
    """The number of the line, from 1 on, in which a byte stands."""
    return data.count(b"\n", 0, position) + 1


def _named_packing(path: str | Path) -> Compression | None:
    """How a file is packed if one believes its name."""
    return next((known for known in Compression if str(path).lower().endswith(f".{known}")), None)


def _unpacked(data: bytes, path: str | Path) -> bytes:
    packing = next((known for known, magic in _MAGIC.items() if data.startswith(magic)), None)
    if packing is None:
        named = _named_packing(path)
        if named is not None:
            raise InputError(_not_whole(path, named))
        return data
    try:
        return gzip.decompress(data) if packing is Compression.GZ else _unpacked_zst(data)
    except (OSError, EOFError, zlib.error):
        raise InputError(_not_whole(path, packing)) from None
    except pl.exceptions.PolarsError:
        message = f"{spoken(path)} must hold UTF-8 text without NUL characters if it is packed as zst; pack others as gz"
        raise InputError(message) from None


def _unpacked_zst(data: bytes) -> bytes:
    """Python has no zst of its own before 3.14, but Polars has: it reads the whole text as one field, which ends at a NUL."""
    whole = pl.read_csv(data, has_header=False, separator="\0", eol_char="\0", quote_char=None, infer_schema=False)
    if whole.shape != (1, 1):
        raise pl.exceptions.ComputeError
    return str(whole.item()).encode()


def _not_whole(path: str | Path, packing: Compression) -> str:
    return f"{spoken(path)} is not a whole {_NAMES[packing]} file"


def _decoded(data: bytes, path: str | Path, encoding: str) -> bytes:
    """The text in UTF-8; what is UTF-8 already is looked at, not copied, unless it begins with a mark."""
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
        message = f"{spoken(path)} must be text in {written}{place}; name the encoding that it has"
        raise InputError(message) from None
    except UnicodeError:
        message = f"{spoken(path)} must be text in {encoding}; name the encoding that it has"
        raise InputError(message) from None
    return data
