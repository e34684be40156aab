"""A command of Tacita's that the package adds: how many ratings of each label a file holds, for the owner's eyes only."""

from __future__ import annotations

import argparse

from tacita.cli.parser import Commands, add_command

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    tally = add_command(commands, "tally", "count the ratings of a file, for the owner's eyes only", "tacita tally ratings.txt")
    tally.add_argument("input", metavar="INPUT", help="a file with one rating per line")


def run(options: argparse.Namespace) -> None:
    """Count, and print."""
    from collections import Counter
    from pathlib import Path

    from tacita.cli.screen import say

    for label, number in Counter(Path(options.input).read_text(encoding="utf-8").split()).most_common():
        say(f"{label}: {number}")
