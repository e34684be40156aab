"""`tacita inspect`: what a private file is like, what only its owner can say, and the options by which it is published.

What is printed comes from raw data, so it goes to standard output, with the words that it is for the owner's eyes only. Nothing
is written or charged.
"""

from __future__ import annotations

import argparse

from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json
from tacita.cli.screen import say, say_json, stop_if_asked

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    inspect = add_command(commands, "inspect", COMMANDS["inspect"], "tacita inspect taps.parquet")
    inspect.add_argument(
        "input", metavar="FILE", help="the private file: delimited text, JSON lines, lines of labels, Parquet or Excel"
    )
    add_json(inspect)
    add_config(inspect)


def run(options: argparse.Namespace) -> None:
    """Look at the file and print what was found."""
    from tacita.inspecting import inspect

    found = inspect(options.input, progress=lambda _rows: stop_if_asked())
    if options.json:
        say_json("tacita-inspect-1", found.as_json())
    else:
        say(str(found))
