"""`tacita studio`: the whole path from a file to a release on a page of this machine."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from tacita.cli.parser import COMMANDS, Commands, add_command
from tacita.cli.screen import finish, say
from tacita.errors import ParameterError

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    studio = add_command(commands, "studio", COMMANDS["studio"], "tacita studio --no-browser")
    studio.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="where the files are (the current folder)")
    studio.add_argument("--ledger", metavar="FILE", help="the ledger to charge (tacita-studio/studio.ledger in the folder)")
    studio.add_argument("--port", type=int, default=0, metavar="N", help="the port to listen on; any free one if not given")
    studio.add_argument("--no-browser", action="store_true", help="print the link only; do not open a browser")


NEEDED = ("starlette", "uvicorn", "jinja2")


def run(options: argparse.Namespace) -> None:
    """Serve the studio until it is interrupted."""
    if any(find_spec(name) is None for name in NEEDED):
        message = "the studio needs some more packages: pip install 'tacita[studio]'"
        raise ParameterError(message)
    if find_spec("fcntl") is None:
        message = "the studio needs file locks, which this system does not have; use the commands, or Windows Subsystem for Linux"
        raise ParameterError(message)
    from tacita.studio.app import serve

    def show(text: str) -> None:
        say(text)
        finish()  # at once, also where a program reads the link

    serve(options.folder, ledger=options.ledger, port=options.port, browse=not options.no_browser, say=show)
