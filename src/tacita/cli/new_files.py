"""Single files that a command writes beside its result: they appear complete or not at all, and never replace another."""

from __future__ import annotations

from pathlib import Path

from tacita.cli.interrupts import one_at_a_time
from tacita.errors import OutputError
from tacita.privacy.drafts import draft_of, held, remove_abandoned

__all__ = ["new_file", "write_new"]


def new_file(name: str, *, what: str) -> Path:
    """The path of a file that can be created: it does not exist yet, and its folder does. `what` names it in messages."""
    path = Path(name)
    if path.exists() or not path.absolute().parent.is_dir():
        message = f"the {what} {name!r} must not exist yet, but its folder must"
        raise OutputError(message)
    return path


def write_new(path: Path, text: str, *, what: str) -> None:
    """Write a file that appears complete or not at all."""
    path = path.absolute()
    draft = draft_of(path)
    try:
        with one_at_a_time():
            remove_abandoned(path)
            draft.touch()
            with held(draft):
                draft.write_text(text, encoding="utf-8")
                draft.rename(path)
    except OSError as error:
        message = f"the {what} {str(path)!r} cannot be written: {error.strerror or error}; nothing was left there"
        raise OutputError(message) from None
    finally:
        draft.unlink(missing_ok=True)
