"""The words of `tacita completion`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command

__all__ = ["SHELLS", "add"]

SHELLS = ("bash", "zsh", "fish")


def add(commands: Commands) -> None:
    """Offer the command."""
    completion = add_command(commands, "completion", COMMANDS["completion"], "tacita completion bash")
    completion.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")
