"""The MSNBC `.seq` format: a header that names the categories, then one sequence of their numbers, from 1 on, a line.

The header holds comment lines that begin with `%`, and between them one line with the names, separated by blanks. The numbers
are parsed on the bytes of the whole file at once.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacita.core.errors import InputError, ParameterError
from tacita.core.ragged import Ragged
from tacita.core.universe import Universe
from tacita.io.formats import require_file

__all__ = ["declared_universe", "read_seq", "require_seq_labels", "write_seq"]

_NEWLINE, _ZERO, _NINE = ord("\n"), ord("0"), ord("9")
_BLANKS = np.array([ord(" "), ord("\t"), ord("\r"), _NEWLINE], dtype=np.uint8)
_LONGEST_NUMBER = 9


def declared_universe(path: str | Path) -> Universe:
    """The categories that the header of a `.seq` file names, which the owner takes as public by calling this."""
    path = require_file(path)
    return Universe(_header(_bytes_of(path), path)[0], origin="declared in the header of a .seq file")


def read_seq(path: str | Path, *, universe: Universe) -> tuple[Ragged, int]:
    """Read the sequences, and how many symbols were outside the universe and were dropped."""
    path = require_file(path)
    data = _bytes_of(path)
    names, start = _header(data, path)
    numbers, offsets = _numbers(np.frombuffer(data, dtype=np.uint8)[start:], path, data.count(b"\n", 0, start))
    code_of = np.full(len(names) + 1, -1, dtype=np.int32)
    for number, name in enumerate(names, start=1):
        code_of[number] = universe.code(name) if name in universe else -1
    numbers = np.where(numbers <= len(names), numbers, 0)  # 0 and numbers past the header mean nothing: outside
    codes = code_of[numbers]
    outside = codes < 0
    dropped = int(outside.sum())
    if dropped:
        kept_before = np.append(0, np.cumsum(~outside))
        codes, offsets = codes[~outside], kept_before[offsets]
    return Ragged(codes, offsets.astype(np.int64)), dropped


def require_seq_labels(universe: Universe) -> None:
    """Refuse labels that the format cannot hold."""
    if any(any(blank in label for blank in " \t\r\n") for label in universe.labels):
        message = "the .seq format separates names by blanks, so no label may hold one; choose another format"
        raise ParameterError(message)


def write_seq(path: Path, sequences: Ragged, *, universe: Universe) -> None:
    """Write the header and one line a sequence."""
    require_seq_labels(universe)
    header = f"% The categories that may occur:\n\n{' '.join(universe.labels)}\n\n% Sequences:\n\n"
    texts = np.array([str(number) for number in range(1, len(universe) + 1)], dtype=object)[sequences.codes]
    ends = sequences.offsets[1:][sequences.lengths > 0] - 1
    glue = np.full(texts.size, " ", dtype=object)
    glue[ends] = " \n"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(header)
        file.write("".join((texts + glue).tolist()))


def _bytes_of(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        message = f"the input {str(path)!r} is not a whole gzip file"
        raise InputError(message) from None


def _header(data: bytes, path: Path) -> tuple[list[str], int]:
    """The names, and where the sequences begin: after the last comment line."""
    names: list[str] = []
    position = after = 0
    while position < len(data):
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        line = data[position:end].strip()
        position = end + 1
        if line.startswith(b"%"):
            after = position
        elif line and names:
            break
        elif line:
            try:
                names = line.decode("utf-8").split()
            except UnicodeDecodeError:
                message = f"the header of {str(path)!r} must be UTF-8 text"
                raise InputError(message) from None
    if not names or after == 0 or all(name.isdigit() for name in names):
        message = f"the input {str(path)!r} must begin with a .seq header: comment lines with %, and a line of category names"
        raise InputError(message)
    return names, after


def _numbers(text: npt.NDArray[np.uint8], path: Path, lines_before: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """All numbers of the lines, and the offsets of the lines that hold any."""
    if text.size == 0 or text[-1] != _NEWLINE:
        text = np.append(text, np.uint8(_NEWLINE))
    is_digit = (text >= _ZERO) & (text <= _NINE)
    wrong = ~is_digit & ~np.isin(text, _BLANKS)
    if wrong.any():
        line = lines_before + int(np.count_nonzero(text[: int(wrong.argmax())] == _NEWLINE)) + 1
        message = f"the input {str(path)!r} must hold whole numbers separated by blanks, line {line} does not"
        raise InputError(message)
    begins = np.flatnonzero(is_digit & ~np.append(False, is_digit[:-1]))
    ends = np.flatnonzero(is_digit & ~np.append(is_digit[1:], False)) + 1
    widths = ends - begins
    if widths.size and widths.max() > _LONGEST_NUMBER:
        message = f"the numbers in {str(path)!r} must have at most {_LONGEST_NUMBER} digits"
        raise InputError(message)
    numbers = np.zeros(begins.size, dtype=np.int32)
    for place in range(int(widths.max(initial=0))):
        inside = widths > place
        digit = (text[np.where(inside, begins + place, 0)] - np.uint8(_ZERO)).astype(np.int32)
        numbers = np.where(inside, numbers * 10 + digit, numbers)
    line_ends = np.flatnonzero(text == _NEWLINE)
    per_line = np.diff(np.searchsorted(begins, line_ends), prepend=0)
    offsets = np.append(0, np.cumsum(per_line[per_line > 0]))
    return numbers, offsets
