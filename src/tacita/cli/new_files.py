"""Single files that a command writes beside its result: they appear complete or not at all, and never replace another."""

from __future__ import annotations

from pathlib import Path

from tacita.cli.interrupts import one_at_a_time
from tacita.errors import OutputError
from tacita.privacy.drafts import appearing

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
    with one_at_a_time(), appearing(path.absolute(), what=f"the {what} cannot be written to", is_file=True) as draft:
        draft.write_text(text, encoding="utf-8")
