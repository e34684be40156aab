"""A text as parts of limited size.

Text is decompressed and decoded as it is read, and cut at line ends that are outside
quotation marks. Every part is then read by the same code as a whole file, so formats mean the same on every engine.
"""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from tacita.errors import InputError
from tacita.formats import Compression
from tacita.io.formats import STANDARD_INPUT, require_file
from tacita.io.options import TextDialect
from tacita.io.sources import MAGIC, input_name, refuse_misnamed, without_comments

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["ROWS", "text_parts"]

ROWS = 1 << 20
"""How many rows of a format that is not text make a part."""

BYTES = 1 << 25


def text_parts(path: str | Path, dialect: TextDialect, *, quote: str | None, has_header: bool) -> Iterator[bytes]:
    """A text in parts that end with a line; if the first line is a header, every part begins with it."""
    header, left, line = b"", b"", 0
    mark = None if quote is None else quote.encode()
    for text in _decoded(path, dialect.encoding):
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


def _decoded(path: str | Path, encoding: str) -> Iterator[bytes]:
    """The text in UTF-8 without a byte order mark, some megabytes at a time."""
    name = codecs.lookup(encoding).name
    decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else encoding)()
    try:
        with _opened(path) as stream:
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
def _opened(path: str | Path) -> Iterator[Readable]:
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
