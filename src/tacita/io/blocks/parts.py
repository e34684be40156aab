"""A source as parts of limited size: frames for long rows, pieces of text for lines.

Parquet is read by Polars in batches. Text is decompressed and decoded as it is read, and cut at line ends that are outside
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

import polars as pl

from tacita.errors import InputError
from tacita.io.csv_rows import POLARS_FAILURES, csv_frame
from tacita.io.formats import STANDARD_INPUT, Compression, FileFormat, require_file
from tacita.io.frames import Source, is_frame, polars_frame
from tacita.io.json_rows import jsonl_frame
from tacita.io.long_rows import whole_parquet_frame
from tacita.io.options import ReadOptions
from tacita.io.sources import MAGIC, input_name, refuse_misnamed, without_comments

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["frame_parts", "text_parts"]

ROWS = 1 << 20
BYTES = 1 << 25


def frame_parts(source: Source, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """The columns of long rows, some rows at a time, in any order."""
    names = options.columns.names
    if is_frame(source):
        whole = polars_frame(source, names)
        yield from whole.iter_slices(ROWS)
        return
    file_format = options.format_for(source)
    if file_format is FileFormat.PARQUET:
        yield from _parquet_parts(source, names)
        return
    for data in text_parts(source, options, quote=options.dialect.quote if file_format is FileFormat.CSV else None):
        if file_format is FileFormat.JSONL:
            yield jsonl_frame(data, columns=options.columns, time_format=options.time_format, source=input_name(source))
        else:
            yield csv_frame(
                data,
                columns=options.columns,
                dialect=options.dialect,
                separator=options.separator_for(source),
                time_format=options.time_format,
                source=input_name(source),
            )


def text_parts(path: str | Path, options: ReadOptions, *, quote: str | None, has_header: bool | None = None) -> Iterator[bytes]:
    """A text in parts that end with a line; if the first line is a header, every part begins with it."""
    dialect = options.dialect
    repeats_header = dialect.header and options.format_for(path) is FileFormat.CSV if has_header is None else has_header
    header, left, line = b"", b"", 0
    mark = None if quote is None else quote.encode()
    for text in _decoded(path, dialect.encoding):
        text = left + text  # noqa: PLW2901 - what was left of the last one belongs to it
        end = _last_line_end(text, mark)
        left, text = text[end:], text[:end]  # noqa: PLW2901
        if text:
            yield from _part(text, header, dialect.comment)
            line += 1
        if repeats_header and not header and text:
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


def _parquet_parts(path: str | Path, names: list[str]) -> Iterator[pl.DataFrame]:
    if str(path) == STANDARD_INPUT:
        yield from whole_parquet_frame(path, names).iter_slices(ROWS)
        return
    file = require_file(path)
    try:
        yield from pl.scan_parquet(file, glob=False).select(names).collect_batches(chunk_size=ROWS, maintain_order=False)
    except (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaFieldNotFoundError):
        message = (
            f"{input_name(path)} must have the columns {', '.join(names)}; give the names that it uses (--id, --label, --time)"
        )
        raise InputError(message) from None
    except POLARS_FAILURES:
        message = f"{input_name(path)} cannot be read as parquet: it is not a complete file of that format"
        raise InputError(message) from None
