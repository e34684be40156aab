"""How the cost of a charge depends on the length of the ledger: CPU time as ratios in one run, bytes read, and 16 publishers.

The product itself fills a ledger with some entries, including checkpoints. A charge is measured as a command makes it, by a
process that has never seen the ledger, and as the second charge of a running process.

    python benchmarks/ledger.py [ENTRIES]
"""

from __future__ import annotations

import multiprocessing
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import median

from tacita.errors import TacitaError
from tacita.privacy.account import Charge
from tacita.privacy.budget import PureDP, Step
from tacita.privacy.ledger import Entry, EntryKind, Ledger
from tacita.privacy.ledger.log import mark_path
from tacita.privacy.ledger.store import FileStore
from tacita.privacy.questions import select

PUBLISHERS, EACH = 16, 20
CHARGE = Charge(dataset="taps", mechanism="bench", plan=Step(name="only", epsilon=Fraction(1, 1000)))


def filled(path: Path, entries: int) -> None:
    """A ledger with that many entries: finished charges of ten data sets, thirty entries to a commit."""
    store = FileStore(path)
    store.create()
    Ledger(path).set_cap("taps", PureDP(5000))
    kinds = (EntryKind.CHARGE, EntryKind.DRAW, EntryKind.FINISHED)
    for first in range(1, entries, 30):
        several = [
            Entry(
                kind=kinds[number % 3],
                dataset=f"taps {number // 3 % 10}",
                at="2026-01-31T12:00:00+00:00",
                charge=f"{number // 3:032x}",
                mechanism="bench" if number % 3 == 0 else "",
                step="only" if number % 3 == 1 else "",
                epsilon=Fraction(1, 1000) if number % 3 == 0 else Fraction(0),
            )
            for number in range(first, min(first + 30, entries))
        ]
        store.transact(lambda _, several=several: several)  # type: ignore[misc]


def spend(ledger: Ledger) -> None:
    """One publication: a charge, a draw and its end."""
    with ledger.open(CHARGE) as account:
        select(account, "only", scores=[1, 2])


def cpu(run: Callable[[], object], *, after: Callable[[], object] = lambda: None, times: int = 100) -> float:
    """The median CPU time of a call, in milliseconds; over a hundred calls every distance from a checkpoint comes up."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        run()
        taken.append(time.process_time() - begun)
        after()
    return 1000 * median(taken)


def put_back(path: Path, held: bytes) -> None:
    """Make a small ledger small again."""
    path.write_bytes(held)
    mark_path(path).unlink()


def publish_some(path: Path) -> tuple[int, float]:
    """How many publications were refused, and the longest wait for one."""
    refused, longest = 0, 0.0
    for _ in range(EACH):
        begun = time.perf_counter()
        try:
            spend(Ledger(path))
        except TacitaError:
            refused += 1
        longest = max(longest, time.perf_counter() - begun)
    return refused, longest


def main() -> None:
    """Print the table."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    folder = Path(tempfile.mkdtemp())
    first: tuple[float, float] | None = None
    print("entries   a charge of a new process   a further one of the same   CPU, ms (and to the first line)")
    for entries in (10, 1_000, most):
        path = folder / f"{entries}.ledger"
        filled(path, entries)
        held, ledger = path.read_bytes() if entries == 10 else b"", Ledger(path)
        after = partial(put_back, path, held) if held else lambda: None
        found = (
            cpu(lambda path=path: spend(Ledger(path)), after=after),  # type: ignore[misc]
            cpu(lambda ledger=ledger: spend(ledger), after=after),  # type: ignore[misc]
        )
        first = found if first is None else first
        told = "   ".join(f"{value:8.2f} ({value / one:.2f})" for value, one in zip(found, first, strict=True))
        print(f"{entries:>7}   {told}")
    begun = time.process_time()
    Ledger(path).verify()
    print(f"a full check of {entries:,} entries: {time.process_time() - begun:.1f} s")
    begun = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(PUBLISHERS) as pool:
        done = pool.map(publish_some, [path] * PUBLISHERS)
    taken = time.perf_counter() - begun
    refused, longest = sum(one for one, _ in done), max(wait for _, wait in done)
    print(f"{PUBLISHERS} publishers, {EACH} publications each: {refused} refused, longest {longest:.2f} s, all in {taken:.1f} s")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
