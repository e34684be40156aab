"""Interrupts that leave nothing half-done.

Polars watches for an interrupt too, so that a single Ctrl-C can arrive twice: once from there, and once from Python.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ignore_echo", "one_at_a_time"]


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let a short piece of work, its cleaning up included, come to its end before an interrupt is told."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, _frame: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if received:
        raise KeyboardInterrupt


def ignore_echo() -> None:
    """After an interrupt was told, swallow its second arrival, and every further one."""
    for _ in range(3):
        try:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            time.sleep(0.01)
        except KeyboardInterrupt:
            continue
        return
