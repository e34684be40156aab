"""`tacita compare`: the errors of all methods of a kind on one file, with a release of nothing as the floor.

The figures come from raw data without noise, so they are for the owner's eyes only; nothing is released and nothing is charged.
"""

from __future__ import annotations

import argparse

from tacita.cli.choices import Choices
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import ParameterError
from tacita.kinds import load

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Run every method, and print what they keep."""
    choices = Choices(options)
    if choices.kind.compared is None or choices.budget is None:
        message = f"there is no comparison for {choices.kind.name}; take evaluate, one release at a time"
        raise ParameterError(message)
    records = choices.records(choices.public, name="compared")
    tell_owner(records.owner_note)
    found = load(choices.kind.compared)(records, method=choices.mechanism, budget=choices.budget, runs=options.runs)
    if options.json:
        say_json("tacita-compare-1", {"input": str(options.input), **found.as_json()})
    else:
        say(str(found))
