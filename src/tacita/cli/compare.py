"""`tacita compare`: the errors of all methods of a kind on one file, with a release of nothing as the floor.

The figures come from raw data without noise, so they are for the owner's eyes only; nothing is released and nothing is charged.
"""

from __future__ import annotations

import argparse

from tacita.cli.options import add_method, add_reading
from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import ParameterError
from tacita.kinds import load

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    compare = add_command(
        commands,
        "compare",
        COMMANDS["compare"],
        "tacita compare events.jsonl --method pace --contexts 40 --epsilon 1 --universe cells.txt "
        "--time-start 0 --time-step 1 --time-intervals 96",
    )
    compare.add_argument("input", metavar="INPUT", help="a file as publish takes it, better a public or a simulated one")
    add_method(compare)
    add_reading(compare)
    compare.add_argument("--runs", type=int, default=1, metavar="N", help="how often each method is run (1)")
    add_json(compare)
    add_config(compare)


def run(options: argparse.Namespace) -> None:
    """Run every method, and print what they keep."""
    from tacita.cli.choices import Choices

    choices = Choices(options)
    if choices.kind.compared is None or choices.budget is None:
        message = f"there is no comparison for {choices.kind.name}; take evaluate, one release at a time"
        raise ParameterError(message)
    records = choices.records(choices.public, name="compared")
    tell_owner(records.owner_note)
    found = load(choices.kind.compared)(records, method=choices.mechanism, budget=choices.budget, runs=options.runs)
    if options.json:
        say_json("tacita-compare-1", {"input": str(options.input), **found.as_json()})
    else:
        say(str(found))
