"""The gate for files that a stranger wrote: release folders, ledgers, journals, and what lies beside them.

Only regular files are opened, so that no device is read without end and no pipe is waited for. A document is read up to a limit
and no further, and parsed as JSON that nests to a limited depth. Whatever a library says about such a file becomes one sentence:
somebody else's damage is never a traceback here.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from stat import S_IFREG, S_ISDIR, S_ISREG
from typing import NoReturn

from tacita.errors import InputError, TacitaError

__all__ = [
    "DEEPEST",
    "LARGEST_DOCUMENT",
    "digest_of",
    "open_regular",
    "parsed",
    "read_document",
    "read_json",
    "read_text",
    "require_files",
    "told",
]

LARGEST_DOCUMENT = 2**26
"""How many bytes a document may have that is read whole, such as a manifest: 64 MB."""

DEEPEST = 200
"""How deep JSON may nest: a plan of a deep tree needs about a hundred levels, and Python's parser gives up before a thousand."""

_DAMAGE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,  # of recursion, and of a generator that looked for what is not there
    StopIteration,
    TypeError,
    ValueError,
)
"""What code raises that meets data it was not written for."""

_STRING = re.compile(r'"(?:[^"\\\\]|\\\\.)*"')

_LIBRARIES = ("polars", "pyo3_runtime", "pyarrow", "zlib", "zstandard", "backports.zstd", "compression")
"""Libraries with errors of their own; one of them ends in an exception that is none of Python's ordinary ones."""


@contextmanager
def told(what: str, *, error: type[TacitaError] = InputError) -> Iterator[None]:
    """Turn everything that goes wrong with a stranger's file into one sentence; `what` names the file or folder."""
    try:
        yield
    except TacitaError:
        raise
    except BaseException as found:
        sentence = _sentence(what, found)
        if sentence is None:
            raise
        raise error(sentence) from None


def _sentence(what: str, found: BaseException) -> str | None:
    """The refusal for an error that a file caused; None for any other error."""
    if isinstance(found, OSError):
        return f"{what} cannot be read: {found.strerror or type(found).__name__}"
    if isinstance(found, MemoryError):
        return f"{what} does not fit into memory"
    if isinstance(found, _DAMAGE) or type(found).__module__.startswith(_LIBRARIES):
        return f"{what} is damaged, or not what it says it is ({type(found).__name__})"
    return None


def open_regular(path: Path, *, what: str) -> BufferedReader:
    """Open a file for reading if it is a regular one; a pipe is not waited for, and a device is not read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:
        _refuse(what, path, getattr(error, "strerror", None) or "its name cannot be used")
    try:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            _refuse(what, path, "it is not a regular file")
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def require_files(folder: Path, *, what: str) -> None:
    """Refuse a folder that holds anything but regular files and folders, by links too: opening it might wait or read for ever."""
    with told(f"{what} {str(folder)!r}"):
        for path in folder.iterdir():
            mode = path.stat().st_mode if path.exists() else S_IFREG  # a link to nothing is a file that is missing
            if not (S_ISREG(mode) or S_ISDIR(mode)):
                message = f"{what} {str(folder)!r} cannot be read: {path.name!r} is not a regular file"
                raise InputError(message)


def read_document(path: Path, *, what: str, limit: int = LARGEST_DOCUMENT) -> bytes:
    """The bytes of a document; one that is longer than the limit is refused before it is read."""
    with open_regular(path, what=what) as file, told(f"{what} {str(path)!r}"):
        if os.fstat(file.fileno()).st_size > limit:
            _refuse(what, path, f"it is longer than {limit:,} bytes")
        data = file.read(limit + 1)  # a file may grow after it was looked at
    if len(data) > limit:
        _refuse(what, path, f"it is longer than {limit:,} bytes")
    return data


def read_text(path: Path, *, what: str, limit: int = LARGEST_DOCUMENT) -> str:
    """A document as text."""
    with told(f"{what} {str(path)!r}"):
        return read_document(path, what=what, limit=limit).decode("utf-8")


def read_json(path: Path, *, what: str, limit: int = LARGEST_DOCUMENT) -> object:
    """A document as JSON."""
    return parsed(read_document(path, what=what, limit=limit), what=f"{what} {str(path)!r}")


def parsed(data: bytes, *, what: str) -> object:
    """JSON that nests to a limited depth, gives each name of an object once, and has finite numbers only."""
    with told(what):
        text = data.decode("utf-8")
        if _depth(text) > DEEPEST:
            message = f"{what} nests deeper than {DEEPEST} levels"
            raise InputError(message)
        found: object = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
        return found


def _depth(text: str) -> int:
    """The most brackets that are open at once; strings may hold any number of them."""
    deepest = depth = 0
    for sign in filter("[]{}".__contains__, _STRING.sub("", text)):
        depth += 1 if sign in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON; two readers could take different ones of two values, so a name comes once."""
    found = dict(pairs)
    if len(found) != len(pairs):
        message = "a name comes twice"
        raise ValueError(message)
    return found


def _no_number(name: str) -> NoReturn:
    message = f"{name} is not a number"
    raise ValueError(message)


def digest_of(path: Path, *, what: str, size: int) -> str:
    """The SHA-256 of a regular file of this size, as hexadecimal digits; a file of another size is not read."""
    with open_regular(path, what=what) as file, told(f"{what} {str(path)!r}"):
        if os.fstat(file.fileno()).st_size != size:
            return ""
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse(what: str, path: Path, why: str) -> NoReturn:
    message = f"{what} {str(path)!r} cannot be read: {why}"
    raise InputError(message)
