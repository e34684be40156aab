"""Publish events until they end or the process is killed; a line of input has source, folder, group and the rule of bad events.

A source is a file, `kafka:BROKERS` or `nats:SERVER`; a topic ends when all timestamps are out.
"""

import os
import sys
from fractions import Fraction
from pathlib import Path

from stream_worlds import Wall
from tacita.errors import InputError
from tacita.privacy.budget import PureDP
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams import Pace
from tacita.streams.published import with_other
from tacita.streams.service import (
    BadEvents,
    Clock,
    EventLines,
    FileSource,
    JsonLines,
    KafkaSource,
    NatsSource,
    Publisher,
    Service,
    Settings,
)

CELLS = with_other(Universe([f"cell {number}" for number in range(20)]))
INTERVALS = int(os.environ.get("TACITA_INTERVALS", "2000"))
CONTEXTS = 20
TOPIC = "events"
GRID = TimeGrid(start=0, interval=10, intervals=INTERVALS)
METHOD = Pace(contexts=CONTEXTS)
STOPPED = 3
"""How a publisher ends that met a bad event which it must not pass over."""


def service(folder: Path, *, group: int) -> Service:
    return Service(
        name=TOPIC,
        method=METHOD,
        budget=PureDP(1),
        public=PublicInputs(universe=CELLS, grid=GRID),
        state=folder / "state",
        out=folder / "out",
        settings=Settings(grace=5, clock=Clock.EVENTS, group=group, checkpoint_bytes=100_000),
    )


def replaying(folder: Path) -> Publisher:
    """A publisher that never draws, to replay a journal with."""
    return Publisher(
        make=lambda wall: METHOD.start(PureDP(Fraction(1)), cells=len(CELLS), wall=wall),
        wall=Wall(lambda *_: 1 / 0),
        cells=CELLS,
        grid=GRID,
        journal=folder / "unused",
        outbox=JsonLines(folder / "unused.jsonl", grid=GRID, cells=CELLS),
        settings=Settings(clock=Clock.EVENTS),
    )


def source_named(name: str, lines: EventLines) -> FileSource | KafkaSource | NatsSource:
    kind, _, where = name.partition(":")
    if kind == "kafka":
        return KafkaSource(topic=TOPIC, servers=where, lines=lines)
    return NatsSource(topic=TOPIC, servers=where, lines=lines) if kind == "nats" else FileSource(path=Path(name), lines=lines)


def main() -> None:
    """Fork a publisher for each line of arguments; say its number, and how it ended. Imports are done once."""
    for line in sys.stdin:
        source, folder, group, bad = line.rstrip("\n").split("\t")
        child = os.fork()
        if not child:
            lines = EventLines(bad=BadEvents(bad), quarantine=Path(folder) / "state" / "quarantine.jsonl")
            try:
                service(Path(folder), group=int(group)).run(source_named(source, lines))
            except InputError:
                os._exit(STOPPED)
            os._exit(0)
        print(child, flush=True)  # noqa: T201
        print(os.waitpid(child, 0)[1], flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
