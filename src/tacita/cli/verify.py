"""`tacita verify`: whether a release folder is what it says; what cannot be seen from what was given is listed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tacita.cli.options import add_file
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_json
from tacita.cli.screen import say, say_json
from tacita.errors import InputError

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    verify = add_command(commands, "verify", COMMANDS["verify"], "tacita verify release")
    verify.later(_fill)


def _fill(verify: Parser, words: Sequence[str]) -> None:
    """The options, with those of the kind of the release that was named."""
    verify.add_argument("release", metavar="FOLDER", help="the release folder")
    verify.add_argument(
        "--input", metavar="FILE", help="the owner's private file, which bounds of personal sequences cannot be checked without"
    )
    verify.add_argument("--ledger", metavar="FILE", help="a ledger, which says whether this folder is the one that was charged")
    verify.add_argument("--key", metavar="FILE", help="the owner's public key, which says whether the owner signed this folder")
    add_json(verify)
    add_file(verify, words)


def run(options: argparse.Namespace) -> None:
    """Check the folder, print what was found, and fail if anything is wrong."""
    from tacita.cli.choices import opened_release, private_records
    from tacita.privacy.guarantee import OWNER_ONLY
    from tacita.verifying import verify

    records = None if options.input is None else private_records(options, opened_release(options))
    found = verify(options.release, records=records, ledger=options.ledger, key=options.key)
    if options.json:
        say_json("tacita-verify-1", {**found.as_json(), "release": str(options.release)})
    else:
        say("\n".join([*([] if records is None else [OWNER_ONLY]), str(found)]))
    if not found.passed:
        failed, every = len(found.failed), len(found.findings)
        message = f"the release {options.release!r} is not what it says: {failed} of {every} checks failed"
        raise InputError(message)
