"""Reading small public files, such as a universe or a taxonomy: read whole, with a clear message if anything goes wrong."""

from __future__ import annotations

from pathlib import Path

from tacita.errors import TacitaError

__all__ = ["public_text"]


def public_text(path: str | Path, *, what: str, error: type[TacitaError]) -> str:
    """The text of a UTF-8 file, with or without a byte order mark, line endings unchanged; `what` names the file in messages."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
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
