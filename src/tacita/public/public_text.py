"""Reading small public files, such as a universe or a taxonomy: as a whole, with a sentence for everything that can go wrong."""

from __future__ import annotations

from pathlib import Path

from tacita.errors import TacitaError

__all__ = ["public_text"]


def public_text(path: str | Path, *, what: str, error: type[TacitaError]) -> str:
    """The text of a file in UTF-8, with or without a mark, line ends as they are; `what` names it in messages."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        message = f"the {what} {str(path)!r} does not exist"
    except OSError as failure:
        message = f"the {what} {str(path)!r} cannot be read: {failure.strerror}"
    except UnicodeDecodeError:
        message = f"the {what} {str(path)!r} must be plain UTF-8 text; unpack it, or write it in that encoding"
    else:
        if "\0" not in text:
            return text
        message = f"the {what} {str(path)!r} must be text, it holds a NUL character"
    raise error(message)
