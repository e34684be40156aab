"""Interrupts that leave nothing half-done: Ctrl-C, and the signal by which a system ends a process.

Polars watches for an interrupt too, so that a single Ctrl-C can arrive twice: once from there, and once from Python.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Terminated", "ignore_echo", "one_at_a_time", "terminable"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """The system asks the process to end."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let a termination end the work as an interrupt does, cleaning up included."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    process = os.getpid()

    def terminate(number: int, _frame: FrameType | None) -> None:
        if os.getpid() != process:  # a worker has nothing to clean up and ends as if this handler were not there
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        raise Terminated

    previous = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let a short piece of work, its cleaning up included, come to its end before an interrupt is told."""
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
    """After an interrupt was told, swallow its second arrival, and every further one."""
    for _ in range(3):
        try:
            if threading.current_thread() is threading.main_thread():
                for number in SIGNALS:
                    signal.signal(number, signal.SIG_IGN)
            time.sleep(0.01)
        except KeyboardInterrupt:
            continue
        return
