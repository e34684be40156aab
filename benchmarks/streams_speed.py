"""How fast a publisher of streams is: events per CPU second, commits against bare appends, and memory over many events.

Figures are of one run on one machine, so they are set against something that is measured in the same run: parsing alone, and
appending the same records to a file with a sync of its data each. `--timestamps` chooses how long it runs, `--memory-events`
how many events memory is watched for.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from tacita.privacy.account import Charge
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import AppendLog, Ledger
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Pace, Uniform
from tacita.streams.published import with_other
from tacita.streams.service import Clock, FileSource, JsonLines, Publisher, Settings
from tacita.streams.service.sources import Batch
from tacita_papers.reproduce.runners.stream_runs import Drawn

PEOPLE, EVENTS_EACH = 10_000, 1_000


def write_events(path: Path, timestamps: int) -> None:
    """1,000 of 10,000 people at each timestamp."""
    generator = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as file:
        for place in range(timestamps):
            for user in generator.choice(PEOPLE, EVENTS_EACH, replace=False):
                file.write(f'{{"time":{place * 10 + 3},"id":"user-{user:05d}","label":"cell-{user * 7 % 1000:04d}"}}\n')


def publisher(folder: Path, method: Pace | Uniform, *, cells: int, timestamps: int, group: int) -> Publisher:
    """A publisher of this method without a ledger: the journal is what is measured."""
    universe = with_other(Universe([f"cell-{number:04d}" for number in range(cells)]))
    grid = TimeGrid(start=0, interval=10, intervals=timestamps)
    return Publisher(
        make=lambda wall: method.start(PureDP("1"), cells=len(universe), wall=wall),
        wall=Drawn(),
        cells=universe,
        grid=grid,
        journal=folder / "stream.journal",
        outbox=JsonLines(folder / "stream.jsonl", grid=grid),
        settings=Settings(clock=Clock.EVENTS, group=group),
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def events_per_second(folder: Path, timestamps: int) -> None:
    """Events per CPU second at 1,000 a timestamp, and what parsing alone takes."""
    path = folder / "events.jsonl"
    write_events(path, timestamps)
    events = timestamps * EVENTS_EACH
    cpu, _ = timed(lambda: pl.read_ndjson(path))
    print(f"parsing alone: {events / cpu:,.0f} events per CPU second")
    for name, method in (("pace", Pace(contexts=100)), ("uniform", Uniform(contexts=100))):
        for group in (1, 50):
            with tempfile.TemporaryDirectory(dir=folder) as own:
                running = publisher(Path(own), method, cells=1000, timestamps=timestamps, group=group)
                cpu, wall = timed(partial(running.run, FileSource(path=path)))
            print(
                f"{name}, group {group}: {events / cpu:,.0f} events per CPU second, {timestamps / wall:,.0f} timestamps a second"
            )


def commits(folder: Path, timestamps: int, rounds: int = 5) -> None:
    """Durable timestamps a second with few events each, and the journal alone, against bare appends, by turns on one disk."""
    path = folder / "few.jsonl"
    events = (f'{{"time":{place * 10},"id":"user-{place % 50}","label":"cell-0001"}}\n' for place in range(timestamps))
    path.write_text("".join(events), encoding="utf-8")
    for group in (1, 100):
        found = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(dir=folder) as own:
                running = publisher(Path(own), Pace(contexts=20), cells=20, timestamps=timestamps, group=group)
                cpu, whole = timed(partial(running.run, FileSource(path=path)))
                lines = (Path(own) / "stream.journal").read_bytes().splitlines(keepends=True)[2:]
                journal, bare = _by_turns(Path(own), lines, group)
            found.append([timestamps / seconds for seconds in (whole, journal, bare, cpu)])
        whole, journal, bare, cpu = (float(np.median(column)) for column in zip(*found, strict=True))
        share = float(np.median([each[1] / each[2] for each in found]))
        against = f"{share:.2f} of bare appends ({bare:,.0f})"
        durable = f"{whole:,.0f} durable timestamps a second, {cpu:,.0f} per CPU second"
        print(f"group {group}: {durable}; the journal alone {journal:,.0f}, {against}")


def _by_turns(folder: Path, lines: list[bytes], group: int) -> tuple[float, float]:
    """Seconds to commit the same records to another journal as a publisher does it, and to append them to a bare file.

    The journal has room ahead and is noted beside a ledger. One commit follows the other, so that whoever else uses the disk
    delays both. What is done once, when a stream begins, is not timed.
    """
    payloads = [
        {name: value for name, value in json.loads(line).items() if name not in {"n", "more", "digest"}} for line in lines
    ]
    log = AppendLog(path=folder / "again", kind="benchmark", noun="journal", ahead=1 << 20)
    log.create(at="")
    ledger, method = Ledger.create(folder / "ledger", new_datasets=True), Pace(contexts=20)
    plan = method.plan(PureDP("1"))
    with ledger.open(Charge(dataset="events", mechanism=method.name, plan=plan, unit=method.relation().counted)) as account:
        binding = ledger.binding(account.charge_id)
    journal = bare = 0.0
    with log.writing() as writer, (folder / "bare").open("wb", buffering=0) as file:
        binding.take_up(writer)
        writer.append(payloads[:1])
        for place in range(0, len(payloads), group):
            start = time.perf_counter()
            writer.append(payloads[place : place + group])
            binding.move(writer.end)
            between = time.perf_counter()
            file.write(b"".join(lines[place : place + group]))
            os.fdatasync(file.fileno())
            journal, bare = journal + between - start, bare + time.perf_counter() - between
        binding.close()
    return journal, bare


@dataclass(frozen=True, kw_only=True)
class Watched(FileSource):
    """A file that says how much memory the process has had at the most, after each so many events."""

    every: int

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """Events, and what is printed between them."""
        seen = 0
        for batch in super().batches(since):
            if batch is not None:
                if seen // self.every < (seen + batch.times.size) // self.every:
                    print(f"peak memory after {seen + batch.times.size:,} events: {_peak():,.0f} MB", flush=True)
                seen += batch.times.size
            yield batch


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory(folder: Path, events: int) -> None:
    """Peak memory after every tenth of the events."""
    path = folder / "events.jsonl"
    write_events(path, events // EVENTS_EACH)
    running = publisher(folder, Pace(contexts=100), cells=100, timestamps=events // EVENTS_EACH, group=100)
    running.run(Watched(path=path, every=events // 10))
    print(f"peak memory at the end: {_peak():,.0f} MB")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--timestamps", type=int, default=1_000)
    parser.add_argument("--memory-events", type=int, default=10_000_000)
    parser.add_argument("--only", choices=("events", "commits", "memory"), help="one of the three")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only in {None, "events"}:
            events_per_second(folder, options.timestamps)
        if options.only in {None, "commits"}:
            commits(folder, options.timestamps)
        if options.only in {None, "memory"}:
            memory(folder, options.memory_events)


if __name__ == "__main__":
    main()
