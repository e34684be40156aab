"""Publish a file of events until it ends or the process is killed: arguments are the events, the journal and the output."""

import sys
from fractions import Fraction
from pathlib import Path

from stream_worlds import Wall
from tacita.privacy.randomness import SecureSource
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.pace.running import Pacing
from tacita.streams.protection import Protection
from tacita.streams.records import with_other
from tacita.streams.service import FileSource, JsonLines, Publisher, Settings
from tacita.streams.service.intake import Clock

CELLS = with_other(Universe([f"cell {number}" for number in range(20)]))
INTERVALS = 1000


def publisher(journal: Path, output: Path, *, group: int) -> Publisher:
    grid, source = TimeGrid(start=0, interval=10, intervals=INTERVALS), SecureSource()
    protection = Protection(contexts=20)
    return Publisher(
        make=lambda wall: Pacing(protection=protection, epsilon=Fraction(1), cells=len(CELLS), wall=wall),
        wall=Wall(lambda question, truth: question.draw(truth, source)),
        cells=CELLS,
        grid=grid,
        journal=journal,
        outbox=JsonLines(output, grid=grid),
        settings=Settings(grace=5, clock=Clock.EVENTS, group=group, checkpoint_bytes=100_000),
    )


def main() -> None:
    events, journal, output = map(Path, sys.argv[1:4])
    print("ready", flush=True)  # noqa: T201
    publisher(journal, output, group=int(sys.argv[4])).run(FileSource(path=events))
    print("done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
