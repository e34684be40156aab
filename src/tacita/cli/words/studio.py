"""The words of `tacita studio`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    studio = add_command(commands, "studio", COMMANDS["studio"], "tacita studio --no-browser")
    studio.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="where the files are (the current folder)")
    studio.add_argument("--ledger", metavar="FILE", help="the ledger to charge (tacita-studio/studio.ledger in the folder)")
    studio.add_argument("--port", type=int, default=0, metavar="N", help="the port to listen on; any free one if not given")
    studio.add_argument("--no-browser", action="store_true", help="print the link only; do not open a browser")
    add_config(studio)
