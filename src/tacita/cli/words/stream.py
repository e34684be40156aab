"""The words of `tacita stream`."""

from __future__ import annotations

import argparse

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json, add_switch
from tacita.cli.words.field_options import add_options, kind_options
from tacita.cli.words.groups import add_method

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    stream = add_command(
        commands,
        "stream",
        COMMANDS["stream"],
        "tacita stream events.jsonl --clock events --method pace --contexts 40 --epsilon 1 --universe cells.txt "
        "--time-start 0 --time-step 1 --time-intervals 96 --state state --out released",
    )
    stream.add_argument(
        "input",
        metavar="INPUT",
        help=(
            "a file of JSON lines with time, id and label, in the order of arrival; - is standard input; "
            "kafka://SERVER:PORT/TOPIC or nats://SERVER:PORT/SUBJECT is a topic of such messages"
        ),
    )
    add_method(stream)
    _add_events(stream)
    _add_output(stream)
    add_config(stream)


def _add_events(parser: argparse.ArgumentParser) -> None:
    """How events are read, and when a timestamp is closed."""
    events = parser.add_argument_group("events and clock")
    events.add_argument("--id", metavar="FIELD", help="the field that tells persons apart (id)")
    events.add_argument("--label", metavar="FIELD", help="the field with the status (label)")
    events.add_argument(
        "--time",
        metavar="FIELD",
        help="the field with the time (time): whole numbers, or ISO dates if the grid is one of dates",
    )
    events.add_argument(
        "--grace",
        type=int,
        default=0,
        metavar="N",
        help="how long after its end a timestamp stays open: seconds, or units of a grid of numbers (0)",
    )
    events.add_argument(
        "--clock",
        choices=("wall", "events"),
        default="wall",
        help="what closes a timestamp: this machine's clock, or the times of a recorded stream (wall)",
    )
    events.add_argument(
        "--late",
        choices=("drop", "arrival"),
        default="drop",
        help="leave out events that come after their timestamp was closed, or count them when they come (drop)",
    )
    add_switch(events, "--follow", "wait for more at the end of the file")
    add_options(events, [option for option in kind_options("reading_options") if option.field_name == "longer_windows"])


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Where things go, and how often they are brought to the disk."""
    output = parser.add_argument_group("output and ledger")
    output.add_argument(
        "--state", required=True, metavar="FOLDER", help="the owner's folder, with the journal; it is made, or taken up again"
    )
    output.add_argument("--out", required=True, metavar="FOLDER", help="the folder for what is released; it is made, or added to")
    output.add_argument(
        "--format",
        choices=("jsonl", "parquet"),
        default="jsonl",
        help="one JSON line per timestamp, or parts of Parquet (jsonl)",
    )
    output.add_argument(
        "--ledger", metavar="FILE", help="the ledger file that records the charge; one in the state folder if not given"
    )
    add_switch(
        output, "--create-ledger", "make the ledger file if it does not exist; otherwise a name that does not exist is refused"
    )
    output.add_argument("--dataset", metavar="NAME", help="the data set's name in the ledger; the file's name if not given")
    add_switch(output, "--new-dataset", "allow a data set without a cap in a ledger that holds caps for others")
    output.add_argument(
        "--group", type=int, default=1, metavar="N", help="let up to N closed timestamps share one sync of the journal (1)"
    )
    add_switch(output, "--page", "keep a page, live.html, that shows what was released as it grows")
    add_switch(output, "--moved", "the state folder was moved here from another disk or machine, and is gone there")
    add_json(output)
