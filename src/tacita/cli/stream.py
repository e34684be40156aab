"""`tacita stream`: publish events while they come, and go on after a restart where it was."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.options import add_defaulted, add_method, add_needed, add_options, add_public
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json, add_switch
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import ParameterError
from tacita.kinds import Kind, Option, kinds, load
from tacita.kinds.options import TIME_READING_OPTIONS

if TYPE_CHECKING:
    from tacita.cli.choices import Choices

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    stream = add_command(
        commands,
        "stream",
        COMMANDS["stream"],
        "tacita stream events.jsonl --clock events --method pace --contexts 40 --epsilon 1 --universe cells.txt "
        "--time-start 0 --time-step 1 --time-intervals 96 --state state --out released",
    )
    stream.later(_fill)


def _fill(stream: Parser, words: Sequence[str]) -> None:
    """The options of the kind of data that goes on while it is published."""
    kind = next(kind for kind in kinds().values() if kind.live is not None)
    stream.set_defaults(kind=kind.name)
    text = (
        "a file of JSON lines with time, id and label, in the order of arrival; - is standard input; "
        "kafka://SERVER:PORT/TOPIC or nats://SERVER:PORT/SUBJECT is a topic of such messages"
    )
    needed = add_needed(stream, kind, words, file=text)
    needed.add_argument(
        "--state", required=True, metavar="FOLDER", help="the owner's folder, with the journal; created, or resumed if it exists"
    )
    needed.add_argument("--out", required=True, metavar="FOLDER", help="the folder for what is released; created, or added to")
    needed.add_argument(
        "--ledger", metavar="FILE", help="the ledger file that records the charge; beside the state folder if not given"
    )
    add_public(stream, kind)
    _add_events(stream, kind)
    add_method(stream, kind, words)
    _add_output(stream)


def _add_events(parser: Parser, kind: Kind) -> None:
    """How events are read, and when a timestamp is closed."""
    events = parser.add_argument_group("events and clock")
    add_defaulted(parser, events, list(FIELDS.values()), kind)
    events.add_argument(
        "--grace",
        type=int,
        default=0,
        metavar="N",
        help="how long after its end a timestamp stays open: seconds, or units of a grid of numbers (default %(default)s)",
    )
    events.add_argument(
        "--clock",
        choices=("wall", "events"),
        default="wall",
        help="what closes a timestamp: this machine's clock, or the times of a recorded stream (default %(default)s)",
    )
    add_switch(events, "--follow", "wait for more at the end of the file")
    add_options(events, TIME_READING_OPTIONS)
    events.add_argument(
        "--bad-events",
        choices=("skip", "quarantine", "stop"),
        default="skip",
        help="leave out messages that are no events, keep them in the state folder too, or stop (default %(default)s)",
    )
    add_options(events, [option for option in kind.reading_options if option.field_name == "longer_windows"])


def _add_output(parser: argparse.ArgumentParser) -> None:
    """How things are written, and how often they are brought to the disk."""
    output = parser.add_argument_group("output and the rest")
    output.add_argument(
        "--format",
        choices=("jsonl", "parquet"),
        default="jsonl",
        help="one JSON line per timestamp, or parts of Parquet (default %(default)s)",
    )
    add_switch(
        output, "--create-ledger", "make the ledger file if it does not exist; otherwise a name that does not exist is refused"
    )
    output.add_argument("--dataset", metavar="NAME", help="the data set's name in the ledger; the file's name if not given")
    add_switch(output, "--new-dataset", "allow a data set without a cap in a ledger that holds caps for others")
    output.add_argument(
        "--group",
        type=int,
        default=1,
        metavar="N",
        help="let up to N closed timestamps share one sync of the journal (default %(default)s)",
    )
    add_switch(output, "--page", "keep a page, live.html, that shows what was released as it grows")
    output.add_argument(
        "--metrics",
        type=address,
        metavar="[HOST:]PORT",
        help="serve the metrics at http://HOST:PORT/metrics too; the host is 127.0.0.1 if none is given",
    )
    add_switch(
        output, "--finish", "end the stream for good, and release it once more, smoothed; nothing is read, drawn or charged"
    )
    add_switch(output, "--moved", "the state folder was moved here from another disk or machine, and is gone there")
    add_json(output)
    add_config(output)


FIELDS = {
    "person": Option(field_name="person", metavar="FIELD", help="the field that identifies a person"),
    "label": Option(field_name="label", metavar="FIELD", help="the field with the status"),
    "latitude": Option(field_name="latitude", metavar="FIELD", help="the field with the latitude of a point, for --cells"),
    "longitude": Option(field_name="longitude", metavar="FIELD", help="the field with the longitude of a point"),
    "time": Option(
        field_name="time",
        metavar="FIELD",
        help="the field with the time: whole numbers, or ISO dates if the grid is one of dates",
    ),
}
MICROSECONDS = 1_000_000
LOOPBACK, PORTS = "127.0.0.1", 1 << 16
TOPICS = {"kafka": "KafkaSource", "nats": "NatsSource"}


def run(options: argparse.Namespace) -> None:
    """Publish until the events or the time grid end."""
    from tacita.cli.choices import Choices, configured_options, opened_ledger

    configured_options(options)

    choices = Choices(options)
    service = _service(choices, options)
    ledger = None if options.ledger is None else opened_ledger(options)
    if options.finish:
        _finish(service, ledger, options)
        return
    try:
        source = _source(choices, options)
        published = service.run(source, ledger=ledger)
    except KeyboardInterrupt:
        say(f"stopped; the same command goes on from {options.state}")
        raise
    if len(source.lines.misfits):
        tell_owner(source.lines.misfits.note)
    if options.json:
        say_json("tacita-stream-1", {"published": published, "out": str(options.out), "state": str(options.state)})
    else:
        say(f"{published:,} timestamps were added to {options.out}; the owner's journal is in {options.state}")


def address(text: str) -> tuple[str, int]:
    """A host and a port, as they are typed.

    >>> address("9108"), address("[::1]:9108")
    (('127.0.0.1', 9108), ('::1', 9108))
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < PORTS:
        message = f"metrics are served at a PORT from 1 to {PORTS - 1}, or at HOST:PORT, got {text!r}"
        raise argparse.ArgumentTypeError(message)
    return host.strip("[]") or LOOPBACK, int(port)


def _finish(service: Any, ledger: Any, options: argparse.Namespace) -> None:  # noqa: ANN401 - loaded by its name
    folder = service.finish(ledger=ledger, file_format="parquet" if options.format == "parquet" else None)
    if options.json:
        say_json("tacita-stream-1", {"published": 0, "out": str(folder), "state": str(options.state)})
    else:
        say(f"the stream has ended; it is released once more, smoothed, in {folder}; nothing was drawn or charged")


def _service(choices: Choices, options: argparse.Namespace) -> Any:  # noqa: ANN401 - loaded by its name
    from tacita.cli.choices import dataset_of

    grid = choices.public.grid
    grace = options.grace * MICROSECONDS if grid is not None and grid.is_of_dates else options.grace
    settings = load(f"{choices.kind.live}:Settings")(
        grace=grace,
        clock=load(f"{choices.kind.live}:Clock")(options.clock),
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
        metrics=options.metrics,
        moved=options.moved,
    )


def _source(choices: Choices, options: argparse.Namespace) -> Any:  # noqa: ANN401 - loaded by its name
    from tacita.io import STANDARD_INPUT, parse_time_format

    named = {field: getattr(options, field) for field in FIELDS if getattr(options, field)}
    of_dates = choices.public.grid is not None and choices.public.grid.is_of_dates
    quarantine = Path(options.state) / "quarantine.jsonl"
    written = parse_time_format("iso" if options.time_format in {None, "auto"} else options.time_format, zone=options.time_zone)
    lines = load(f"{choices.kind.live}:EventLines")(
        **named,
        cells=None if choices.public.universe is None else choices.public.universe.cells,
        of_dates=of_dates,
        time_format=written,
        bad=options.bad_events,
        quarantine=quarantine,
    )
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
