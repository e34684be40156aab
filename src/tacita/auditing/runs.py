"""Many runs on all cores, and everything that one run leaves: callables on two data sets, or several callables side by side.

Processes are forked, so that a callable need not be pickled. A library with threads of its own may wait for ever in a forked
process, as Polars does once its parent has computed with it; so one run is tried in such a process first.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import format_exception_only
from typing import Any, TypeVar

from tacita.errors import ReplayError
from tacita.privacy.release import Release

__all__ = ["Left", "count_outcomes", "left_by", "side_by_side"]

ResultT = TypeVar("ResultT")

Run = Callable[[Any, int], Hashable]
"""From a data set and the number of the run to an outcome."""

QUARTERS = 4
_AT_ONCE = 500
PATIENCE = 10.0
"""How many seconds longer than in this process a run may take in a forked one."""

_shared: tuple[Run, Any] | None = None
_parts: Sequence[Callable[[], Iterable[Any]]] = ()


def count_outcomes(
    run: Run,
    data: Any,  # noqa: ANN401 - whatever the callable takes
    *,
    runs: int,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Counter[Hashable]]:
    """How often each outcome came, in four parts by the number of the run: one part can learn what another tests."""
    global _shared  # noqa: PLW0603 - a forked worker finds the callable here, so that it need not be pickled
    _shared = (run, data)
    quarters: list[Counter[Hashable]] = [Counter() for _ in range(QUARTERS)]
    parts = [range(start, min(start + _AT_ONCE, runs)) for start in range(0, runs, _AT_ONCE)]
    processes = 1 if multiprocessing.current_process().daemon else min(processes or os.cpu_count() or 1, len(parts))
    if processes <= 1 or not _runs_when_forked(run, data):
        results = map(_run_part, parts)
        return _collect(results, quarters, len(parts), progress)
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        # In order: if two events are equally one-sided, which is learnt must not depend on which worker was first.
        collected = _collect(pool.imap(_run_part, parts), quarters, len(parts), progress)
        pool.close()  # idle workers end by themselves; one that has just started may miss a signal
        pool.join()
    return collected


def _runs_when_forked(run: Run, data: Any) -> bool:  # noqa: ANN401 - whatever the callable takes
    """Whether a forked process ends a run, in a time that is not out of proportion."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return False
    start = time.monotonic()
    run(data, 0)
    taken = time.monotonic() - start
    trial = multiprocessing.get_context("fork").Process(target=run, args=(data, 0), daemon=True)
    trial.start()
    trial.join(PATIENCE + 10 * taken)
    has_ended = not trial.is_alive()
    trial.kill()
    trial.join()
    return has_ended


def side_by_side(parts: Sequence[Callable[[], Iterable[ResultT]]], *, processes: int | None = None) -> Iterator[list[ResultT]]:
    """What each part gives, in order; as many parts at a time as there are cores, each in a process of its own."""
    global _parts  # noqa: PLW0603 - as above
    processes = min(processes or os.cpu_count() or 1, len(parts))
    if processes <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from (list(part()) for part in parts)
        return
    _parts = parts
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        yield from pool.imap(_all_of, range(len(parts)))
        pool.close()
        pool.join()


def _all_of(place: int) -> list[Any]:
    return list(_parts[place]())


def _run_part(part: range) -> list[Counter[Hashable]]:
    if _shared is None:
        message = "a worker was started without its work"
        raise RuntimeError(message)
    run, data = _shared
    quarters: list[Counter[Hashable]] = [Counter() for _ in range(QUARTERS)]
    for number in part:
        quarters[number % QUARTERS][run(data, number)] += 1
    return quarters


def _collect(
    results: Any,  # noqa: ANN401 - an iterator over what workers return
    quarters: list[Counter[Hashable]],
    total: int,
    progress: Callable[[int, int], None] | None,
) -> list[Counter[Hashable]]:
    for done, part in enumerate(results, start=1):
        for quarter, counted in zip(quarters, part, strict=True):
            quarter.update(counted)
        if progress is not None:
            progress(done, total)
    return quarters


# Everything that leaves a run, so that two runs can be compared byte by byte.
#
# A run is watched from outside. The release is written to an empty folder, which is also the current directory. What is kept:
# the files in it afterwards, what was printed, which other files were opened for writing, and the text of a refusal. Two
# neighbours that got the same answers must leave the same. Only the date is ignored: a replay after midnight is the same
# replay.

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


def _promised(release: Any) -> tuple[str, str]:  # noqa: ANN401 - any release, or a stand-in
    """The guarantee and the manifest, except for the date."""
    manifest = getattr(release, "manifest", {})
    public = {name: value for name, value in manifest.items() if name != "created"}
    return str(getattr(release, "guarantee", "")), json.dumps(public, sort_keys=True, default=str)


def _write(release: Any, folder: Path) -> None:  # noqa: ANN401 - any release, or a stand-in
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
