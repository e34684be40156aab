"""Handling Ctrl-C and termination signals so that nothing is left half-done.

Polars watches for an interrupt too, so that a single Ctrl-C can arrive twice: once from there, and once from Python. And it can
get lost: an exception raised by a signal while a library runs C code may be swallowed there. So every request to stop is also
remembered, and checked before anything is written.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType

__all__ = ["Terminated", "ignore_echo", "one_at_a_time", "stop_if_asked", "stoppable"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_asked: list[int] = []


class Terminated(KeyboardInterrupt):
    """The system asks the process to end."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let an interrupt or a termination end the work, cleaning up included; signals that are ignored stay so."""
    _asked.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _spare_workers()

    def stop(number: int, _frame: FrameType | None) -> None:
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

    def hold() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])

    def let_go() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])

    def let_go_in_worker() -> None:
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        let_go()

    os.register_at_fork(before=hold, after_in_parent=let_go, after_in_child=let_go_in_worker)


def stop_if_asked() -> None:
    """Stop now if that was requested, even if the exception got lost."""
    if _asked:
        raise Terminated if signal.SIGTERM in _asked else KeyboardInterrupt


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Delay interrupts until a short piece of work, including its cleanup, is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    previous = {number: signal.signal(number, lambda got, _frame: received.append(got)) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if received:
        raise Terminated if signal.SIGTERM in received else KeyboardInterrupt


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
