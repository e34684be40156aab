"""Blocks handled by a few threads: NumPy lets several of them work at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["few_at_once"]

THREADS = 2

Given = TypeVar("Given")
Made = TypeVar("Made")


def few_at_once(make: Callable[[Given], Made], given: Iterable[Given]) -> Iterator[Made]:
    """What is made of each of some things, in their order; few of them are made, or wait to be taken, at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque[Future[Made]] = deque()
        for each in given:
            waiting.append(pool.submit(make, each))
            if len(waiting) > THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
