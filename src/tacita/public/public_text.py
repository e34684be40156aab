"""Public text, such as a universe or a taxonomy: files read whole, with a clear message if anything goes wrong, and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from tacita.errors import TacitaError
from tacita.public.parameters import path_of

__all__ = ["digest_of", "public_text"]

BATCH = 2**16
"""How many lines are hashed at once: their text together need not fit in memory."""


def public_text(path: str | Path, *, what: str, error: type[TacitaError]) -> str:
    """The text of a UTF-8 file, with or without a byte order mark, line endings unchanged; `what` names the file in messages."""
    try:
        with path_of(path, name=f"the {what}").open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        message = f"the {what} {str(path)!r} does not exist"
    except OSError as failure:
        message = f"the {what} {str(path)!r} cannot be read: {failure.strerror}"
    except UnicodeDecodeError:
        message = f"the {what} {str(path)!r} must be plain UTF-8 text; decompress it, or save it in that encoding"
    else:
        if "\0" not in text:
            return text
        message = f"the {what} {str(path)!r} must be text, but it contains a NUL character"
    raise error(message)


def digest_of(lines: Iterable[str], *, separator: str = "") -> str:
    """The SHA-256 of these lines, one after the other with the separator in between.

    >>> digest_of(["a", "b"], separator=" ") == hashlib.sha256(b"a b").hexdigest()
    True
    """
    found, waiting, before = hashlib.sha256(), iter(lines), ""
    while batch := list(islice(waiting, BATCH)):
        found.update((before + separator.join(batch)).encode())
        before = separator
    return found.hexdigest()
