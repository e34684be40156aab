"""Drafts: output is written under a temporary name beside its destination and moved there once complete.

A process that is killed leaves its draft behind. The next one that writes to the same place removes it, but never the draft of a
process that is still running: the writer holds a lock on its draft, and the system releases it when the process ends.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from tacita.errors import OutputError
from tacita.privacy.randomness import token

__all__ = ["appearing", "draft_of", "held", "is_held", "new_file", "outside_releases", "remove_abandoned", "sync_folder"]


_HAS_LOCKS = find_spec("fcntl") is not None
"""Not every system has them."""


def draft_of(path: Path) -> Path:
    """A new, unique name beside a path."""
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
            sync_folder(path.parent)
    except OSError as error:
        message = f"{what} {str(path)!r}: {error.strerror or error}; nothing was left there"
        raise OutputError(message) from None
    finally:
        with suppress(OSError):
            draft.unlink() if draft.is_file() else shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def held(draft: Path) -> Iterator[None]:
    """Lock an existing draft, so that nobody takes it for an abandoned one; on a system without locks, nobody removes any."""
    if not _HAS_LOCKS:
        yield
        return
    descriptor = os.open(draft, os.O_RDONLY)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def is_held(draft: Path) -> bool:
    """Whether somebody is working on a draft; one that cannot be opened counts as such."""
    if not _HAS_LOCKS:
        return False
    try:
        descriptor = os.open(draft, os.O_RDONLY)
    except OSError:
        return True
    try:
        return not _lock(descriptor)
    finally:
        os.close(descriptor)


def remove_abandoned(path: Path) -> None:
    """Remove the drafts of this path whose writers are gone; one that cannot be removed is left where it is, without an error."""
    if not _HAS_LOCKS:
        return  # nobody can tell whether a writer is gone
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


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder last; some systems cannot, and have their own ways."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Try to take the lock."""
    import fcntl  # noqa: PLC0415 - missing on some systems

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


# Single files beside a result, such as pages: they never replace another, and those with private figures lie outside releases.


def new_file(name: str | Path, *, what: str) -> Path:
    """The path of a file that can be created: it does not exist yet, and its folder does. `what` names it in messages."""
    path = Path(name)
    if path.exists() or not path.absolute().parent.is_dir():
        message = f"the {what} {str(name)!r} must not exist yet, but its folder must"
        raise OutputError(message)
    return path


def outside_releases(name: str | Path, release: str | Path | None) -> Path:
    """A new file outside this and any other release folder, where it would be handed over."""
    path = Path(name).resolve()
    folders = [folder for folder in path.parents if (folder / "manifest.json").exists()]
    if folders or (release is not None and path.is_relative_to(Path(release).resolve())):
        folder = str(folders[0] if folders else release)
        message = f"the file {str(name)!r} must lie outside the release folder {folder!r}, because its figures are private"
        raise OutputError(message)
    return new_file(name, what="file")
