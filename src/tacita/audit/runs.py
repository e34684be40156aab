"""Running a callable many times on two data sets, or several callables side by side, on all cores.

Processes are forked, so that a callable need not be pickled. A library with threads of its own may wait for ever in a forked
process, as Polars does once its parent has computed with it; so one run is tried in such a process first.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

__all__ = ["count_outcomes", "side_by_side"]

ResultT = TypeVar("ResultT")

Run = Callable[[Any, int], Hashable]
"""From a data set and the number of the run to an outcome."""

QUARTERS = 4
_AT_ONCE = 500
PATIENCE = 10.0
"""How many seconds longer than in this process a run may take in a forked one."""

_shared: tuple[Run, Any] | None = None
_parts: Sequence[Callable[[], Iterable[Any]]] = ()


def count_outcomes(
    run: Run,
    data: Any,  # noqa: ANN401 - whatever the callable takes
    *,
    runs: int,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Counter[Hashable]]:
    """How often each outcome came, in four parts by the number of the run: one part can learn what another tests."""
    global _shared  # noqa: PLW0603 - a forked worker finds the callable here, so that it need not be pickled
    _shared = (run, data)
    quarters: list[Counter[Hashable]] = [Counter() for _ in range(QUARTERS)]
    parts = [range(start, min(start + _AT_ONCE, runs)) for start in range(0, runs, _AT_ONCE)]
    processes = 1 if multiprocessing.current_process().daemon else min(processes or os.cpu_count() or 1, len(parts))
    if processes <= 1 or not _runs_when_forked(run, data):
        results = map(_run_part, parts)
        return _collect(results, quarters, len(parts), progress)
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        # In order: if two events are equally one-sided, which is learnt must not depend on which worker was first.
        collected = _collect(pool.imap(_run_part, parts), quarters, len(parts), progress)
        pool.close()  # idle workers end by themselves; one that has just started may miss a signal
        pool.join()
    return collected


def _runs_when_forked(run: Run, data: Any) -> bool:  # noqa: ANN401 - whatever the callable takes
    """Whether a forked process ends a run, in a time that is not out of proportion."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return False
    start = time.monotonic()
    run(data, 0)
    taken = time.monotonic() - start
    trial = multiprocessing.get_context("fork").Process(target=run, args=(data, 0), daemon=True)
    trial.start()
    trial.join(PATIENCE + 10 * taken)
    has_ended = not trial.is_alive()
    trial.kill()
    trial.join()
    return has_ended


def side_by_side(parts: Sequence[Callable[[], Iterable[ResultT]]], *, processes: int | None = None) -> Iterator[list[ResultT]]:
    """What each part gives, in order; as many parts at a time as there are cores, each in a process of its own."""
    global _parts  # noqa: PLW0603 - as above
    processes = min(processes or os.cpu_count() or 1, len(parts))
    if processes <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from (list(part()) for part in parts)
        return
    _parts = parts
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        yield from pool.imap(_all_of, range(len(parts)))
        pool.close()
        pool.join()


def _all_of(place: int) -> list[Any]:
    return list(_parts[place]())


def _run_part(part: range) -> list[Counter[Hashable]]:
    if _shared is None:
        message = "a worker was started without its work"
        raise RuntimeError(message)
    run, data = _shared
    quarters: list[Counter[Hashable]] = [Counter() for _ in range(QUARTERS)]
    for number in part:
        quarters[number % QUARTERS][run(data, number)] += 1
    return quarters


def _collect(
    results: Any,  # noqa: ANN401 - an iterator over what workers return
    quarters: list[Counter[Hashable]],
    total: int,
    progress: Callable[[int, int], None] | None,
) -> list[Counter[Hashable]]:
    for done, part in enumerate(results, start=1):
        for quarter, counted in zip(quarters, part, strict=True):
            quarter.update(counted)
        if progress is not None:
            progress(done, total)
    return quarters
