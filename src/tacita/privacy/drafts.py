"""Drafts: output is written under a temporary name beside its destination and moved there once complete.

A process that is killed leaves its draft behind. The next one that writes to the same place removes it, but never the draft of a
process that is still running: the writer holds a lock on its draft, and the system releases it when the process ends.

The place of a release: its name is claimed and space reserved before anything is spent; it appears complete or not at all.

    .out.TOKEN.partial     being written; removed when its writer ends
    .out.TOKEN.complete    whole and synced; its digest enters the ledger next
    out                    the release, renamed from the complete draft

Whatever goes wrong before the digest is in the ledger leaves nothing. Whatever goes wrong after it (a name that somebody else
took, a disk that fails, a kill) leaves the complete draft, which is paid for: `tacita publish --finish` renames it, and draws
nothing.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from tacita.errors import OutputError
from tacita.privacy.randomness import token

__all__ = [
    "DEFAULT_RESERVE",
    "Place",
    "appearing",
    "complete_drafts",
    "draft_of",
    "finish",
    "held",
    "is_held",
    "new_file",
    "outside_releases",
    "remove_abandoned",
    "reserved",
    "sync_folder",
]

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


DEFAULT_RESERVE = 16 * 2**20
"""The space in bytes that is reserved unless another is declared: most releases fit, and every disk in use has it."""

_RESERVE = ".reserve"
_BLOCK = 2**20
_COMPLETE = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{32}\.complete")


class Place:
    """A folder that is about to appear, and the draft that becomes it."""

    def __init__(self, folder: Path, draft: Path) -> None:
        """Nothing is reserved yet."""
        self.folder, self.draft = folder, draft
        self.is_kept = False

    @property
    def name(self) -> Path:
        """Where the release will be."""
        return self.folder

    def reserve(self, size: int) -> None:
        """Hold that many bytes on the disk in all until the release is written, or fail as writing would."""
        file = self.draft / _RESERVE
        with file.open("ab") as stream:
            held_already = stream.tell()
            if size > held_already:
                _allocate(stream.fileno(), held_already, size - held_already)
                os.fsync(stream.fileno())

    def give_up_some(self) -> bool:
        """Free half of what is reserved, for a ledger on the same disk that is full now; return whether there was something."""
        file = self.draft / _RESERVE
        with suppress(OSError):
            size = file.stat().st_size
            os.truncate(file, size // 2)
            return size > 0
        return False

    @contextmanager
    def filled(self) -> Iterator[Path]:
        """The draft, whose reserved space is free for what is written there; what an attempt before left is removed."""
        with self.told():
            for file in self.draft.iterdir():
                file.unlink()
            yield self.draft

    def appear(self, note: Callable[[], bool] | None) -> None:
        """Let the complete draft become the folder; `note` enters its digest in the ledger, and says whether that will last."""
        with self.told():
            complete = self.draft.with_suffix(".complete")
            self.draft.rename(complete)
            self.draft = complete
            sync_folder(complete.parent)
            self.is_kept = note is not None and note()
            complete.rename(self.folder)
            sync_folder(self.folder.parent)

    @contextmanager
    def told(self) -> Iterator[None]:
        """Say in a sentence what the system refuses."""
        try:
            yield
        except OSError as error:
            left = "nothing was left there"
            if self.is_kept:
                left = f"it is complete, in {str(self.draft)!r}; the same command with --finish names it and draws nothing"
            message = f"the release cannot be written to {str(self.folder)!r}: {error.strerror or error}; {left}"
            raise OutputError(message) from None


@contextmanager
def reserved(folder: Path, *, size: int = 0) -> Iterator[Place]:
    """Claim a name and reserve space in its folder; both are given up at the end, unless a complete draft is left."""
    place = Place(folder, draft_of(folder))
    try:
        with place.told():
            remove_abandoned(folder)
            place.draft.mkdir()
        with held(place.draft):
            _require_alone(place)
            try:
                place.reserve(size)
            except OSError as error:
                message = (
                    f"{size:,} bytes must be reserved for the release before anything is spent: {error.strerror or error} in "
                    f"{str(folder.parent)!r}; make room, or declare another size with --reserve"
                )
                raise OutputError(message) from None
            yield place
    finally:
        if not place.is_kept:
            with suppress(OSError):
                shutil.rmtree(place.draft, ignore_errors=True)


def complete_drafts(folder: Path) -> list[Path]:
    """Drafts in a folder that are complete and that nobody is about to rename."""
    with suppress(OSError):
        found = [each for each in folder.iterdir() if _COMPLETE.fullmatch(each.name) and each.is_dir() and not each.is_symlink()]
        return sorted(each for each in found if not is_held(each))
    return []


def finish(draft: Path, folder: Path) -> None:
    """Rename a complete draft."""
    place = Place(folder, draft)
    place.is_kept = True
    with place.told():
        draft.rename(folder)
        sync_folder(folder.parent)


def _require_alone(place: Place) -> None:
    """Refuse a name that another publication has claimed; of two at the same moment, both see each other and give up."""
    pattern = re.compile(rf"\.{re.escape(place.folder.name)}\.[0-9a-f]{{32}}\.(partial|complete)")
    with place.told():
        others = [each for each in place.folder.parent.iterdir() if pattern.fullmatch(each.name) and each != place.draft]
    if any(is_held(each) for each in others):
        message = f"the output folder {str(place.folder)!r} is claimed by another publication, which is running; choose another"
        raise OutputError(message)


def _allocate(descriptor: int, start: int, size: int) -> None:
    """Take space on the disk for good: a sparse file would take none."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, start, size)
        return
    for left in range(size, 0, -_BLOCK):  # pragma: no cover - depends on the system
        os.write(descriptor, b"\0" * min(left, _BLOCK))
