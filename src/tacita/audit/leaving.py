"""Everything that leaves a run, so that two runs can be compared byte by byte.

A run is watched from outside. The release is written to an empty folder, which is also the current directory. What is kept: the
files in it afterwards, what was printed, which other files were opened for writing, and the text of a refusal. Two neighbours
that got the same answers must leave the same. Only the date is ignored: a replay after midnight is the same replay.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import format_exception_only
from typing import Any

from tacita.errors import ReplayError
from tacita.privacy.release import Release

__all__ = ["Left", "left_by"]

Files = tuple[tuple[str, str], ...]
"""The name of each file, with the hash of its bytes."""

_WRITES = os.O_WRONLY | os.O_RDWR
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - only a release is written there, and syncing costs nothing
_watched: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Left:
    """What one run left: its return value, the files of its release and beside it, and what it printed; or its refusal."""

    returned: Hashable = None
    files: Files = ()
    elsewhere: Files = ()
    printed: str = ""
    refusal: str | None = None

    def difference(self, other: Left) -> str:
        """Where two runs differ, without quoting anything; empty if they left the same."""
        if (self.refusal is None) != (other.refusal is None):
            return "one was refused"
        if self.refusal != other.refusal:
            return "the refusals differ"
        if self.returned != other.returned:
            return "the published data differs"
        for mine, theirs, where in ((self.files, other.files, "in the folder"), (self.elsewhere, other.elsewhere, "elsewhere")):
            differing = sorted({name for name, _ in set(mine) ^ set(theirs)})
            if differing:
                return f"{', '.join(differing)} {where} differs"
        return "" if self.printed == other.printed else "what was printed differs"


def left_by(publish: Callable[[], Any], *, returned: Callable[[Any], Hashable]) -> Left:
    """Publish in an empty folder, write the release there, and keep what it left; `returned` makes one value of a release."""
    printed = StringIO()
    with TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None) as name:
        folder = Path(name).resolve()
        with chdir(folder), _opened_for_writing() as opened, redirect_stdout(printed), redirect_stderr(printed), _warned():
            try:
                release = publish()
                value = (returned(release), *_promised(release))
                _write(release, folder / "release")
                refusal = None
            except (ReplayError, KeyboardInterrupt):
                raise
            except Exception as error:  # noqa: BLE001 - whatever a mechanism raises is what its user sees
                value, refusal = None, "".join(format_exception_only(error)).strip().replace(str(folder), "FOLDER")
        inside = tuple((str(path.relative_to(folder)), _digest(path)) for path in sorted(folder.rglob("*")))
        outside = {Path(path) for path in opened if not Path(path).is_relative_to(folder)}
        elsewhere = tuple((str(path), _digest(path)) for path in sorted(outside))
    text = printed.getvalue().replace(str(folder), "FOLDER")
    return Left(returned=value, files=inside, elsewhere=elsewhere, printed=text, refusal=refusal)


def _promised(release: Any) -> tuple[str, str]:  # noqa: ANN401 - any release, or what stands for one
    """The guarantee and the manifest, except for the date."""
    manifest = getattr(release, "manifest", {})
    public = {name: value for name, value in manifest.items() if name != "created"}
    return str(getattr(release, "guarantee", "")), json.dumps(public, sort_keys=True, default=str)


def _write(release: Any, folder: Path) -> None:  # noqa: ANN401 - any release, or what stands for one
    if not hasattr(release, "write"):
        return
    if isinstance(release, Release) and "created" in release.manifest:
        release = replace(release, manifest={**release.manifest, "created": "the day"})
    release.write(folder)


def _digest(path: Path) -> str:
    if not path.is_file():
        return "a folder" if path.is_dir() else "not there"
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def _warned() -> Iterator[None]:
    """Print every warning, even repeated ones: whether a warning appears is part of what a run reveals."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        yield


@contextmanager
def _opened_for_writing() -> Iterator[list[str]]:
    """The paths of all files that Python opens for writing in the meantime."""
    global _watched  # noqa: PLW0603 - a hook of the interpreter cannot be taken away again, so it is switched on and off
    _install()
    before, _watched = _watched, []
    try:
        yield _watched
    finally:
        _watched = before


@cache
def _install() -> None:
    sys.addaudithook(_hear)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _watched is None or event != "open":
        return
    path, _mode, flags = arguments
    if not flags & _WRITES or not isinstance(path, str | bytes | os.PathLike):
        return
    name = os.path.realpath(os.fsdecode(path))  # no Path here: this runs inside every open
    if not name.startswith(("/dev/pts", "/dev/tty", os.devnull)) and "__pycache__" not in name:
        _watched.append(name)
