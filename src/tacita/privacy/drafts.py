"""Drafts: what is written beside its place under another name, and moved there when it is whole.

A process that is killed leaves its draft behind. The next one that writes to the same place removes it, but never the draft of a
process that is still at work: whoever writes holds a lock on the draft, and the system lets it go when the process ends.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tacita.errors import OutputError
from tacita.privacy.randomness import token

__all__ = ["appearing", "draft_of", "held", "remove_abandoned"]


def draft_of(path: Path) -> Path:
    """A new name beside a path, which nobody else will choose."""
    return path.with_name(f".{path.name}.{token()}.partial")


@contextmanager
def appearing(path: Path, *, what: str, is_file: bool = False) -> Iterator[Path]:
    """A draft that becomes the folder, or the file, when the work on it is done, and is gone otherwise: all of it or nothing.

    `what` names it in the sentence that is said if it cannot be written.
    """
    draft = draft_of(path)
    try:
        remove_abandoned(path)
        draft.touch() if is_file else draft.mkdir()
        with held(draft):
            yield draft
            draft.rename(path)
    except OSError as error:
        message = f"{what} {str(path)!r}: {error.strerror or error}; nothing was left there"
        raise OutputError(message) from None
    finally:
        with suppress(OSError):
            draft.unlink() if draft.is_file() else shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def held(draft: Path) -> Iterator[None]:
    """Keep others from taking a draft that exists for one that was left behind."""
    descriptor = os.open(draft, os.O_RDONLY)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def remove_abandoned(path: Path) -> None:
    """Remove the drafts of this path whose writers are gone; what cannot be removed stays, and is no reason to stop."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}\.partial")
    for draft in path.parent.iterdir():
        if pattern.fullmatch(draft.name) and not draft.is_symlink():
            with suppress(OSError):
                _remove(draft)


def _remove(draft: Path) -> None:
    descriptor = os.open(draft, os.O_RDONLY)
    try:
        if not _lock(descriptor):
            return
        if draft.is_dir():
            shutil.rmtree(draft)
        else:
            draft.unlink()
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Whether the lock was to be had; where a system has none, it never is, and nothing is removed."""
    try:
        import fcntl  # noqa: PLC0415 - some systems do without
    except ImportError:  # pragma: no cover - depends on the system
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
