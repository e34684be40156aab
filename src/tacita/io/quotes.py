"""Quotation marks in delimited text: they must enclose a whole field, and be doubled inside one.

Parsers disagree about marks anywhere else, and a wrong guess swallows separators and line ends, which would join the rows of two
people. So such files are refused after a scan of their bytes.
"""

from __future__ import annotations

from mmap import mmap

import numpy as np
import numpy.typing as npt

from tacita.arrays import Booleans
from tacita.errors import InputError
from tacita.io.sources import line_of

__all__ = ["outside_quotes", "require_tidy_quotes"]

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
