"""The words of `tacita datasets`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    datasets = add_command(commands, "datasets", COMMANDS["datasets"], "tacita datasets")
    datasets.add_argument(
        "names", metavar="NAME", nargs="*", help="the data sets to take; without any, all that are known are listed"
    )
    datasets.add_argument("--out", metavar="FOLDER", help="put the files there; they are checked first")
    datasets.add_argument(
        "--from", dest="source", metavar="FOLDER", help="take them from this local folder, or below it, instead of fetching them"
    )
    add_json(datasets)
    add_config(datasets)
