"""`tacita verify`: whether a release folder is what it says, from the folder alone."""

from __future__ import annotations

import argparse

from tacita.cli.parser import COMMANDS, Commands, add_command, add_json
from tacita.cli.screen import say, say_json
from tacita.errors import InputError

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    verify = add_command(commands, "verify", COMMANDS["verify"], "tacita verify release")
    verify.add_argument("release", metavar="FOLDER", help="the release folder")
    add_json(verify)


def run(options: argparse.Namespace) -> None:
    """Check the folder, print what was found, and fail if anything is wrong."""
    from tacita.opening import verify

    found = verify(options.release)
    if options.json:
        say_json("tacita-verify-1", {**found.as_json(), "release": str(options.release)})
    else:
        say(str(found))
    if not found.passed:
        failed, every = len(found.failed), len(found.findings)
        message = f"the release {options.release!r} is not what it says: {failed} of {every} checks failed"
        raise InputError(message)
