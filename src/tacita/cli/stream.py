"""`tacita stream`: publish events while they come, and go on after a restart where it was."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tacita.cli.choices import Choices, dataset_of
from tacita.cli.screen import say, say_json
from tacita.cli.spending import opened_ledger
from tacita.errors import ParameterError
from tacita.io import STANDARD_INPUT
from tacita.kinds import kinds, load
from tacita.kinds.choosing import is_auto

__all__ = ["run"]

MICROSECONDS = 1_000_000
TOPICS = {"kafka": "KafkaSource", "nats": "NatsSource"}


def run(options: argparse.Namespace) -> None:
    """Publish until the events or the time grid end."""
    if is_auto(options.method) and options.kind is None:
        options.kind = next(kind.name for kind in kinds().values() if kind.live is not None)
    choices = Choices(options)
    if choices.kind.live is None:
        lasting = ", ".join(kind.name for kind in kinds().values() if kind.live is not None)
        message = f"{options.method} publishes {choices.kind.name}, which end; tacita stream takes methods of: {lasting}"
        raise ParameterError(message)
    service = _service(choices, options)
    ledger = None if options.ledger is None else opened_ledger(options)
    try:
        published = service.run(_source(choices, options), ledger=ledger)
    except KeyboardInterrupt:
        say(f"stopped; the same command goes on from {options.state}")
        raise
    if options.json:
        say_json("tacita-stream-1", {"published": published, "out": str(options.out), "state": str(options.state)})
    else:
        say(f"{published:,} timestamps were added to {options.out}; the owner's journal is in {options.state}")


def _service(choices: Choices, options: argparse.Namespace) -> Any:  # noqa: ANN401 - loaded by its name
    grid = choices.public.grid
    grace = options.grace * MICROSECONDS if grid is not None and grid.is_of_dates else options.grace
    settings = load(f"{choices.kind.live}:Settings")(
        grace=grace,
        clock=load(f"{choices.kind.live}:Clock")(options.clock),
        late=load(f"{choices.kind.live}:Late")(options.late),
        group=options.group,
    )
    return load(f"{choices.kind.live}:Service")(
        name=dataset_of(options),
        method=choices.mechanism,
        budget=choices.budget,
        public=choices.public,
        state=Path(options.state),
        out=Path(options.out),
        settings=settings,
        longer_windows=choices.reading.longer_windows,
        parquet=options.format == "parquet",
        page=options.page,
        moved=options.moved,
    )


def _source(choices: Choices, options: argparse.Namespace) -> Any:  # noqa: ANN401 - loaded by its name
    named = {field: getattr(options, field) for field in ("time", "id", "label") if getattr(options, field)}
    of_dates = choices.public.grid is not None and choices.public.grid.is_of_dates
    lines = load(f"{choices.kind.live}:EventLines")(**named, of_dates=of_dates)
    if options.input == STANDARD_INPUT:
        return load(f"{choices.kind.live}:PipeSource")(lines=lines)
    kind, _, where = options.input.partition("://")
    if kind in TOPICS and where:
        server, _, topic = where.rpartition("/")
        if not server or not topic:
            message = f"a topic is named by {kind}://SERVER:PORT/TOPIC, got {options.input!r}"
            raise ParameterError(message)
        return load(f"{choices.kind.live}:{TOPICS[kind]}")(topic=topic, servers=server, lines=lines)
    return load(f"{choices.kind.live}:FileSource")(path=Path(options.input), lines=lines, follow=options.follow)
