"""`tacita verify`: whether a release folder is what it says, from the folder alone."""

from __future__ import annotations

import argparse

from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json
from tacita.cli.screen import say, say_json
from tacita.errors import InputError

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    verify = add_command(commands, "verify", COMMANDS["verify"], "tacita verify release")
    verify.add_argument("release", metavar="FOLDER", help="the release folder")
    add_json(verify)
    add_config(verify)


def run(options: argparse.Namespace) -> None:
    """Check the folder, print what was found, and fail if anything is wrong."""
    from tacita.opening import verify_release

    findings = verify_release(options.release)
    failed = [finding for finding in findings if not finding.passed]
    if options.json:
        content = {"release": str(options.release), "passed": not failed, "checks": [finding.as_json() for finding in findings]}
        say_json("tacita-verify-1", content)
    else:
        say("\n".join(str(finding) for finding in findings))
    if failed:
        message = f"the release {options.release!r} is not what it says: {len(failed)} of {len(findings)} checks failed"
        raise InputError(message)
