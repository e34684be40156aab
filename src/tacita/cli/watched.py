"""One command in a process of its own, for a program that shows it to the owner: `python -m tacita.cli.watched FILE HOW WORDS`.

FILE is its journal. HOW is `alone` for a command that goes on when that program ends, as a publication must once it is charged,
or `bound` for one that only reads and would run for nobody: it is interrupted as soon as its standard input is closed, however
the program ended.

Two channels, because they outlive different things. The journal is a file: the id of this process, and at the end the exit code
with what was printed, which is what a script would see. It is locked while the command runs, so that anybody can tell a command
that runs from one that was killed. Standard output is a pipe for the owner's eyes: progress, and private figures, which must
reach no file. If its reader is gone, the command goes on without it.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import signal
import sys
import threading
import time
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import IO

from tacita.cli import INTERRUPTED
from tacita.cli import main as command
from tacita.cli.screen import watched_by

__all__ = ["main"]

BOUND = "bound"
PATIENCE_SECONDS = 5.0
"""How long an interrupted command may take to clean up."""

PAUSE_SECONDS = 0.1
"""Progress is reported at most this often."""


class _Pipe:
    """Lines of JSON for the owner's eyes."""

    def __init__(self, file: IO[str]) -> None:
        self._file: IO[str] | None = file
        self._last = 0.0

    def progress(self, title: str, done: int, total: int) -> None:
        """How far it is."""
        now = time.monotonic()
        if now - self._last >= PAUSE_SECONDS or done == total:
            self._last = now
            self._write({"progress": {"title": title, "done": done, "total": total}})

    def owner_only(self, text: str) -> None:
        """A private figure."""
        self._write({"owner_only": text})

    def close(self) -> None:
        """Nothing more will come; what the reader did not take is lost."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def _write(self, event: dict[str, object]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(event) + "\n")
            self._file.flush()
        except OSError:
            self._file = None


def main(arguments: list[str]) -> int:
    """Run the command that follows the journal."""
    journal, how, words = Path(arguments[0]), arguments[1], arguments[2:]
    if how == BOUND:
        threading.Thread(target=_end_with_input, daemon=True).start()
    with journal.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # waits for those who only look
        out, errors = io.StringIO(), io.StringIO()
        pipe = _Pipe(os.fdopen(os.dup(1), "w", encoding="utf-8"))
        with closing(pipe), redirect_stdout(out), redirect_stderr(errors), watched_by(pipe):
            try:
                _note(file, {"pid": os.getpid()})  # from here on it can be cancelled
                code = command(words)
            except KeyboardInterrupt:  # before the command minds interrupts itself
                code = INTERRUPTED
                print("tacita: interrupted", file=errors)
            except SystemExit as wrong:  # wrong usage
                code = wrong.code if isinstance(wrong.code, int) else 2
            except Exception as unexpected:  # noqa: BLE001 - noted; its message may quote data, so only its name is
                code = 1
                print(f"tacita: this should not have happened: {type(unexpected).__name__}", file=errors)
        _note(file, {"code": code, "out": out.getvalue(), "error": errors.getvalue()})
    return code


def _end_with_input() -> None:
    """Wait until whoever started this process closes its input or is gone, and end it then."""
    while os.read(0, 1 << 16):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(PATIENCE_SECONDS)
    os._exit(INTERRUPTED)


def _note(file: IO[str], entry: dict[str, object]) -> None:
    """Write one line, and bring it to the disk."""
    file.write(json.dumps(entry) + "\n")
    file.flush()
    os.fsync(file.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
