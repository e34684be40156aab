"""Publish events until they end or the process is killed: arguments are the source, the journal, the output and the group.

A source is a file, `kafka:BROKERS` or `nats:SERVER`; a topic ends when all timestamps are out.
"""

import sys
from fractions import Fraction
from pathlib import Path

from stream_worlds import Wall
from tacita.privacy.randomness import SecureSource
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.pace.running import Pacing
from tacita.streams.protection import Protection
from tacita.streams.published import with_other
from tacita.streams.service import Clock, FileSource, JsonLines, KafkaSource, NatsSource, Publisher, Settings

CELLS = with_other(Universe([f"cell {number}" for number in range(20)]))
INTERVALS = 1000
CONTEXTS = 20
TOPIC = "events"


def publisher(journal: Path, output: Path, *, group: int) -> Publisher:
    grid, source = TimeGrid(start=0, interval=10, intervals=INTERVALS), SecureSource()
    protection = Protection(contexts=CONTEXTS)
    return Publisher(
        make=lambda wall: Pacing(protection=protection, epsilon=Fraction(1), cells=len(CELLS), wall=wall),
        wall=Wall(lambda question, truth: question.draw(truth, source)),
        cells=CELLS,
        grid=grid,
        journal=journal,
        outbox=JsonLines(output, grid=grid),
        settings=Settings(grace=5, clock=Clock.EVENTS, group=group, checkpoint_bytes=100_000),
    )


def source_named(name: str) -> FileSource | KafkaSource | NatsSource:
    kind, _, where = name.partition(":")
    if kind == "kafka":
        return KafkaSource(topic=TOPIC, brokers=where)
    return NatsSource(subject=TOPIC, server=where) if kind == "nats" else FileSource(path=Path(name))


def main() -> None:
    journal, output = map(Path, sys.argv[2:4])
    print("ready", flush=True)  # noqa: T201
    publisher(journal, output, group=int(sys.argv[4])).run(source_named(sys.argv[1]))
    print("done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
