"""Output for people and scripts, and interrupts: results go to standard output, progress and private figures to standard error.

An interrupt or a termination ends the work with nothing left half-done.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from types import FrameType
from typing import Protocol

from tacita.errors import OutputError

__all__ = [
    "Terminated",
    "Watcher",
    "finish",
    "ignore_echo",
    "one_at_a_time",
    "paid_for",
    "progress_bar",
    "say",
    "say_json",
    "silence",
    "stop_if_asked",
    "stoppable",
    "tell_owner",
    "warn",
    "watched_by",
]


# Ctrl-C and termination signals. Polars watches for an interrupt too, so that a single Ctrl-C can arrive twice: once from
# there, and once from Python. And it can get lost: an exception raised by a signal while a library runs C code may be swallowed
# there. So every request to stop is also remembered, and checked before anything is written.

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What ends the work; a terminal that is closed sends the last, which not every system has."""

_asked: list[int] = []
_postponed: list[int] = []
_is_paid: list[Callable[[], bool]] = []


class Terminated(KeyboardInterrupt):
    """The system asks the process to end."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let an interrupt or a termination end the work, cleaning up included; signals that are ignored stay so."""
    _asked.clear()
    _postponed.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _spare_workers()

    def stop(number: int, _frame: FrameType | None) -> None:
        if _is_paid and not _postponed and _is_paid[-1]():
            _postponed.append(number)
            with suppress(RuntimeError):  # standard error may be in the middle of a line
                warn("what was charged stays charged, so the release is finished first; once more stops without a release")
            return
        _asked.append(number)
        stop_if_asked()

    usual = (signal.SIG_DFL, signal.default_int_handler)
    previous = {int(number): signal.getsignal(number) for number in SIGNALS if signal.getsignal(number) in usual}
    for number in previous:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@cache
def _spare_workers() -> None:
    """Let a forked worker end at once when it is terminated, as if nothing were handled here.

    Python drops a signal that comes while a fork is under way, and a pool would wait for that worker for ever; so signals wait.
    """
    ending = [number for number in SIGNALS if number != signal.SIGINT]

    def hold() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)

    def let_go() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)

    def let_go_in_worker() -> None:
        for number in ending:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        let_go()

    if hasattr(os, "register_at_fork"):  # where processes fork at all
        os.register_at_fork(before=hold, after_in_parent=let_go, after_in_child=let_go_in_worker)


def stop_if_asked() -> None:
    """Stop now if that was requested, even if the exception got lost."""
    if _asked:
        raise _ending(_asked)


def _ending(received: list[int]) -> KeyboardInterrupt:
    """An interrupt from the keyboard, or the end that the system or a closed terminal asks for."""
    return KeyboardInterrupt() if set(received) == {signal.SIGINT} else Terminated()


@contextmanager
def paid_for(is_paid: Callable[[], bool]) -> Iterator[None]:
    """Let the first signal wait until the work is done, as soon as what it costs cannot be taken back; the next one stops it."""
    _is_paid.append(is_paid)
    try:
        yield
    finally:
        _is_paid.pop()
    if _postponed:
        raise _ending(_postponed)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Delay interrupts until a short piece of work, including its cleanup, is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    previous = {number: signal.signal(number, lambda got, _frame: received.append(got)) for number in heeded}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if received:
        raise _ending(received)


def ignore_echo() -> None:
    """After an interrupt was handled, ignore its second arrival and any further ones."""
    for _ in range(3):
        try:
            if threading.current_thread() is threading.main_thread():
                for number in SIGNALS:
                    signal.signal(number, signal.SIG_IGN)
            time.sleep(0.01)
        except KeyboardInterrupt:
            continue
        return


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
    import json

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
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int) -> None:
            stop_if_asked()
            bar.update(task, completed=done, total=total)

        yield show
