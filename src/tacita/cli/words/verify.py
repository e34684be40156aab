"""The words of `tacita verify`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    verify = add_command(commands, "verify", COMMANDS["verify"], "tacita verify release")
    verify.add_argument("release", metavar="FOLDER", help="the release folder")
    add_json(verify)
    add_config(verify)
