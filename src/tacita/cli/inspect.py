"""`tacita inspect`: what a private file is like, what only its owner can say, and a `tacita.toml` that publishes it.

What is printed comes from raw data, so it goes to standard output, with the words that it is for the owner's eyes only. What the
rows cannot settle is asked, if a person sits at the terminal, and left open in the file otherwise. The file holds no value and
no count of rows. One that exists is never changed: it is what the owner declared, and rows that do not fit it are counted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.cli.parser import COMMANDS, Commands, add_command, add_json
from tacita.cli.screen import say, say_json, stop_if_asked
from tacita.kinds import kinds

if TYPE_CHECKING:
    from tacita.inspecting.result import Inspection, Question

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    inspect = add_command(commands, "inspect", COMMANDS["inspect"], "tacita inspect taps.parquet")
    inspect.add_argument(
        "input", metavar="FILE", help="the private file: delimited text, JSON lines, lines of labels, Parquet or Excel"
    )
    inspect.add_argument("--kind", choices=tuple(kinds()), metavar="KIND", help="the kind of data, if the guess is wrong")
    inspect.add_argument(
        "--config", metavar="FILE", default="tacita.toml", help="the file to write, unless it exists (default %(default)s)"
    )
    add_json(inspect)


def run(options: argparse.Namespace) -> None:
    """Look at the file, print what was found, ask what the rows cannot settle, and write the configuration."""
    from tacita.inspecting import inspect
    from tacita.inspecting.declaring import answered, open_questions

    found = inspect(options.input, kind=options.kind, progress=lambda _rows: stop_if_asked())
    if options.json:
        say_json("tacita-inspect-1", found.as_json())
        return
    say(str(found))
    if found.command is None:
        return
    if Path(options.config).exists():
        say(f"\n{options.config} exists, and stays as you declared it; write another one with --config, or remove it.")
        _count_misfits(options)
        return
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        for question in open_questions(found):
            found = answered(found, question, question.answers[_answer(question)])
    path = found.write(options.config)
    say(f"\n{path} was written: {_what_is_left(found, path)}")


def _count_misfits(options: argparse.Namespace) -> None:
    """Say how many rows do not fit what the file declares, by column and rule, and refuse if there are any."""
    from tacita.kinds.configuration import read_configuration
    from tacita.kinds.wanted import Wanted

    declared = read_configuration(options.config)
    if declared.open_lines or Path(str(declared.values.get("input"))).absolute() != Path(options.input).absolute():
        return  # it is about another file, or not confirmed yet
    wanted = Wanted(given=declared.values, named_kind=declared.kind.name)
    records = wanted.read(options.input, wanted.public, name="inspected", strict=False)
    say(f"By what it declares, {records.owner_note}.")
    wanted.read(options.input, wanted.public, name="inspected", strict=True)


def _answer(question: Question) -> int:
    """Which of the answers the owner chooses."""
    say(f"\n{question.text}")
    for number, answer in enumerate(question.answers, start=1):
        say(f"  {number}  {answer.text}")
    while True:
        typed = input(f"1 to {len(question.answers)}: ").strip()
        if typed.isdecimal() and 1 <= int(typed) <= len(question.answers):
            return int(typed) - 1


def _what_is_left(found: Inspection, path: Path) -> str:
    """What to do next: fill in what is open, then publish."""
    from tacita.kinds.configuration import read_configuration

    left = [name.replace("_", "-") for name in read_configuration(path).open_lines]
    first = f"fill in {', '.join(left)}, then type" if left else "type"
    where = "" if path == Path("tacita.toml") else f" --config {path}"
    command = "stream" if found.kind == "streams" else "publish"
    return f"{first}\n  tacita explain{where}\n  tacita {command}{where}"
