"""How benchmarks measure and print."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

__all__ = ["best", "line"]


def best(turns: int, *works: Callable[[], object]) -> list[float]:
    """The best time of each task, all of them taking turns."""
    times = [float("inf")] * len(works)
    for _ in range(turns):
        for place, work in enumerate(works):
            gc.collect()
            start = time.perf_counter()
            work()
            times[place] = min(times[place], time.perf_counter() - start)
    return times


def line(what: str, ratio: float, bound: str, seconds: str) -> None:
    """One result."""
    print(f"{what:<84} {ratio:>8.2f}  {bound:<14} {seconds}", flush=True)
