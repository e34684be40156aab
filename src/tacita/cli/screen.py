"""Output for people and scripts: results on standard output; progress and owner-only figures on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Protocol

from tacita.cli.interrupts import stop_if_asked
from tacita.errors import OutputError

__all__ = ["Watcher", "finish", "progress_bar", "say", "say_json", "silence", "tell_owner", "warn", "watched_by"]


class Watcher(Protocol):
    """Shows the owner what a terminal would show, such as a page on the same machine."""

    def progress(self, title: str, done: int, total: int) -> None:
        """How far a piece of work is."""
        ...

    def owner_only(self, text: str) -> None:
        """A private figure, which must reach no file."""
        ...


_watchers: list[Watcher] = []


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Show progress and private figures to a watcher instead of a terminal."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def say(text: str) -> None:
    """Print a result."""
    with _writing():
        print(text)  # noqa: T201 - the command line prints


def say_json(schema: str, content: Mapping[str, object]) -> None:
    """Print a result for scripts: one JSON object that names its schema."""
    import json  # noqa: PLC0415 - keeps help fast

    say(json.dumps({"schema": schema, **content}, indent=2))


def finish() -> None:
    """Flush standard output while a failure can still be reported."""
    with _writing():
        if sys.stdout is not None:  # closed before we began: nobody wants the result
            sys.stdout.flush()


def silence() -> None:
    """Discard pending output, because its reader is gone or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        message = f"the result cannot be printed to standard output: {error.strerror or error}"
        raise OutputError(message) from None


def warn(text: str) -> None:
    """Print an error or a warning; never anything computed from private data."""
    with suppress(OSError):
        print(f"tacita: {text}", file=sys.stderr)  # noqa: T201 - the command line prints


def tell_owner(text: str) -> None:
    """Print a private figure, which must reach no file, to the owner's terminal.

    Without a terminal nothing is printed: even whether a line appears would depend on private data.
    """
    for watcher in _watchers:
        watcher.owner_only(text)
    if is_watched():
        warn(f"for your eyes only: {text}")


def is_watched() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar, updated by calling the yielded function with (done, total), which also checks for interrupts."""
    if _watchers or not is_watched():

        def report(done: int, total: int) -> None:
            stop_if_asked()
            for watcher in _watchers:
                watcher.progress(title, done, total)

        yield report
        return
    from rich.console import Console  # noqa: PLC0415 - not paid for by help or scripts
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int) -> None:
            stop_if_asked()
            bar.update(task, completed=done, total=total)

        yield show
