"""Commands that run in processes of their own, and what is known about each of them.

What must last is in the job's journal (see `tacita.cli.watched`): a studio that was restarted reads there how a command ended,
and finds one that still runs by the lock on its journal. Progress and private figures come through a pipe and are kept in memory
only. Cancelling sends the signal that Ctrl-C does, to the process that holds the lock.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from tacita.public.parameters import Chosen

__all__ = ["Job", "Jobs", "State"]

INTERRUPTED = {130, 143}
ALONE, BOUND = "alone", "bound"
"""Whether a command goes on when the studio ends; `tacita.cli.watched` reads it."""


class State(StrEnum):
    """How a job stands."""

    NONE = "none"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    KILLED = "killed"
    """Its process ended without a word: it was killed, or the machine went down."""

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self not in {State.NONE, State.RUNNING}


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is known about a command."""

    state: Chosen[State] = Chosen(State)
    output: str = ""
    error: str = ""
    progress: tuple[str, int, int] | None = None
    owner_only: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For the page's script."""
        title, done, total = self.progress or ("", 0, 0)
        return {"state": str(self.state), "error": self.error, "title": title, "done": done, "total": total}


@dataclass
class _Seen:
    """What came through the pipe."""

    progress: tuple[str, int, int] | None = None
    owner_only: list[str] = field(default_factory=list)


class Jobs:
    """Starts commands in a folder, and looks after them."""

    def __init__(self, folder: Path) -> None:
        """Name the folder in which commands run."""
        self._folder = folder
        self._seen: dict[Path, _Seen] = {}
        self._starting = threading.Lock()
        self._bound: list[IO[str]] = []

    def start(self, journal: Path, words: Sequence[str], *, is_bound: bool = False) -> bool:
        """Run a command, unless its journal says that it was started before; whether it was started now.

        One that `is_bound` ends with this process, in whatever way that does: its standard input is a pipe that closes then.
        """
        with self._starting:
            try:
                journal.touch(exist_ok=False)
            except FileExistsError:
                return False
            seen = self._seen[journal] = _Seen()
            process = subprocess.Popen(  # noqa: S603 - our own program, without a shell
                [sys.executable, "-m", "tacita.cli.watched", str(journal), BOUND if is_bound else ALONE, *words],
                cwd=self._folder,
                stdin=subprocess.PIPE if is_bound else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in the studio's terminal ends the studio, not a publication
                text=True,
            )
            while not _is_held(journal) and process.poll() is None:
                threading.Event().wait(0.02)
        if process.stdin is not None:
            self._bound.append(process.stdin)
        threading.Thread(target=_listen, args=(process, seen), daemon=True).start()
        return True

    def close(self) -> None:
        """End the commands that are bound to this process; a publication goes on."""
        while self._bound:
            with suppress(OSError):
                self._bound.pop().close()

    def look(self, journal: Path) -> Job:
        """How a command stands."""
        if not journal.exists():
            return Job(state=State.NONE)
        running = _is_held(journal)  # before the journal is read, so that an end which is noted meanwhile is seen
        entries = _entries(journal)
        seen = self._seen.get(journal, _Seen())
        rest: dict[str, Any] = {"progress": seen.progress, "owner_only": tuple(seen.owner_only)}
        end = next((entry for entry in entries if "code" in entry), None)
        if end is None:
            return Job(state=State.RUNNING if running else State.KILLED, **rest)
        state = State.DONE if end["code"] == 0 else State.CANCELLED if end["code"] in INTERRUPTED else State.REFUSED
        error = end["error"].removeprefix("tacita: ").strip()
        return Job(state=state, output=end["out"], error=error, **rest)

    def cancel(self, journal: Path) -> None:
        """Ask a command to stop; it cleans up after itself."""
        if not journal.exists() or not _is_held(journal):
            return
        pid = next((entry["pid"] for entry in _entries(journal) if "pid" in entry), None)
        if isinstance(pid, int):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)


def _is_held(journal: Path) -> bool:
    """Whether a process holds the lock."""
    with journal.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _entries(journal: Path) -> list[dict[str, Any]]:
    """The whole lines of a journal; one that was cut off by a crash is not a line."""
    found = []
    for line in journal.read_text(encoding="utf-8").splitlines(keepends=True):
        with suppress(ValueError):
            found.append(json.loads(line))
    return [entry for entry in found if isinstance(entry, dict)]


def _listen(process: subprocess.Popen[str], seen: _Seen) -> None:
    """Take in what comes through the pipe until the process ends."""
    pipe: IO[str] | None = process.stdout
    if pipe is not None:
        with pipe:
            for line in pipe:
                with suppress(ValueError, KeyError, TypeError):
                    _take(json.loads(line), seen)
    process.wait()


def _take(event: dict[str, Any], seen: _Seen) -> None:
    if "owner_only" in event:
        seen.owner_only.append(str(event["owner_only"]))
    else:
        told = event["progress"]
        seen.progress = (str(told["title"]), int(told["done"]), int(told["total"]))
