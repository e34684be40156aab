"""Running a callable many times on two data sets, on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

__all__ = ["count_outcomes"]

Run = Callable[[Any, int], Hashable]
"""From a data set and the number of the run to an outcome."""

_AT_ONCE = 500
_shared: tuple[Run, Any] | None = None


def count_outcomes(
    run: Run,
    data: Any,  # noqa: ANN401 - whatever the callable takes
    *,
    runs: int,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Counter[Hashable]]:
    """How often each outcome came, separately for runs of even and of odd number: one half to learn from, one to test on."""
    global _shared  # noqa: PLW0603 - a forked worker finds the callable here, so that it need not be pickled
    _shared = (run, data)
    halves: list[Counter[Hashable]] = [Counter(), Counter()]
    parts = [range(start, min(start + _AT_ONCE, runs)) for start in range(0, runs, _AT_ONCE)]
    processes = processes or len(os.sched_getaffinity(0))
    if processes == 1 or "fork" not in multiprocessing.get_all_start_methods():
        results = map(_run_part, parts)
        return _collect(results, halves, len(parts), progress)
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        return _collect(pool.imap_unordered(_run_part, parts), halves, len(parts), progress)


def _run_part(part: range) -> list[Counter[Hashable]]:
    if _shared is None:
        message = "a worker was started without its work"
        raise RuntimeError(message)
    run, data = _shared
    halves: list[Counter[Hashable]] = [Counter(), Counter()]
    for number in part:
        halves[number % 2][run(data, number)] += 1
    return halves


def _collect(
    results: Any,  # noqa: ANN401 - an iterator over what workers return
    halves: list[Counter[Hashable]],
    total: int,
    progress: Callable[[int, int], None] | None,
) -> list[Counter[Hashable]]:
    for done, part in enumerate(results, start=1):
        for half, counted in zip(halves, part, strict=True):
            half.update(counted)
        if progress is not None:
            progress(done, total)
    return halves
