"""The words of `tacita demo`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    demo = add_command(commands, "demo", COMMANDS["demo"], "tacita demo --out tacita-demo")
    demo.add_argument("--out", metavar="FOLDER", help="the folder to create; tacita-demo, or the next free name, if not given")
    add_json(demo)
    add_config(demo)
