"""Commands that obey a `tacita.toml`: what it declares need not be typed, and what is typed takes precedence.

A command reads the file of the working directory if no kind, file or folder is typed, and any file that `--config` names. So
`tacita publish` alone obeys the file, and `tacita publish sequences taps.csv ...` means what is typed and nothing else: privacy
parameters never come from a file that happens to lie around. What the file holds is checked as a whole, whatever command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from tacita.cli.parser import Parser, below
from tacita.errors import ParameterError
from tacita.kinds import kinds
from tacita.kinds.configuration import FILE_NAME, Configuration, read_configuration

__all__ = ["configure", "configured_options"]

_JUDGED = ("reading", "public")
_ALL = ("reading", "public", "parameters", "budget")

COMMANDS = {
    "publish": (("kind", "input"), (*_ALL, "output")),
    "stream": (("input",), (*_ALL, "output", "stream")),
    "explain": (("kind",), _ALL),
    "compare": (("kind", "input"), _ALL),
    "lattice": (("kind", "input"), _ALL),
    "attack": (("kind", "input"), _ALL),
    "audit": (("method",), _ALL),
    "evaluate": (("input", "out"), _JUDGED),
    "report": (("input", "out"), _JUDGED),
}
"""What each command takes from the file: the words that it begins with, and the tables."""


def configure(parser: Parser, arguments: Sequence[str]) -> tuple[list[str], Configuration | None]:
    """The words to parse, with those that the file gives; its values become the defaults of the command's options."""
    command, words = arguments[0], list(arguments[1:])
    file, leading = _named(words), list(takewhile(lambda word: not word.startswith("-"), words))
    if command not in COMMANDS or "-h" in words or "--help" in words or (file is None and "--all" in words):
        return list(arguments), None  # what is audited with `--all` is no data of the owner's
    if file is None and _is_judged(command, leading):
        file = FILE_NAME
    if file is None:
        if len(leading) >= len(COMMANDS[command][0]) or not Path(FILE_NAME).is_file() or not _is_left_out(command, leading):
            return list(arguments), None
        file = FILE_NAME
    found = read_configuration(file)
    first, tables = COMMANDS[command]
    words = [*_leading(found, first, leading), *words[len(leading) :]]
    child = below(parser)[command]
    if child.above and words and words[0] in below(child):
        child = below(child)[words[0]]
    method = found.values.get("method")
    child.filled(words if method is None else ["--method", str(method), *words])
    _set_defaults(child, {name: value for name, value in found.values.items() if found.table_of[name] in {"", *tables}})
    return [command, *words], found


def configured_options(options: argparse.Namespace) -> Configuration | None:
    """The file that a command obeys, all of whose lines are confirmed or typed; None if it obeys none."""
    found: Configuration | None = getattr(options, "configuration", None)
    if found is not None:
        found.require_confirmed(frozenset(name for name in found.open_lines if getattr(options, name, None) is not None))
    return found


def _is_judged(command: str, leading: Sequence[str]) -> bool:
    """Whether a release is to be compared with the very file that the working directory declares: it is read as declared."""
    if command not in {"evaluate", "report"} or len(leading) != 2 or not Path(FILE_NAME).is_file():
        return False
    try:
        named = read_configuration(FILE_NAME).values.get("input")
    except ParameterError:  # all that is needed was typed, and may be meant
        return False
    return named is not None and Path(str(named)).resolve() == Path(leading[0]).resolve()


def _is_left_out(command: str, leading: Sequence[str]) -> bool:
    """Whether what is typed leaves the words that begin a command to the file: all of them, or all but the release."""
    return not leading or (command in {"evaluate", "report"} and (Path(leading[0]) / "manifest.json").is_file())


def _leading(found: Configuration, first: Sequence[str], typed: Sequence[str]) -> list[str]:
    """The words that a command begins with: those typed, and those of the file that are left out.

    A kind that is typed comes before what the file gives, a release after it.
    """
    of_file = {"kind": found.kind.name, **{name: str(value) for name, value in found.values.items() if name in first}}
    if first[0] != "kind":
        return [*(of_file[name] for name in first[: max(0, len(first) - len(typed))] if name in of_file), *typed]
    if typed and typed[0] in kinds() and typed[0] != found.kind.name:
        message = f"{found.file} is for {found.kind.name}, got {typed[0]}; leave the kind out, or name another file with --config"
        raise ParameterError(message)
    return [*typed, *(of_file[name] for name in first[len(typed) :] if name in of_file)]


def _named(words: Sequence[str]) -> str | None:
    """The last file given; `--config` cannot be the value of another option, because the parser would not accept that."""
    name = None
    for place, word in enumerate(words):
        if word == "--":
            break
        if word.startswith("--config="):
            name = word.removeprefix("--config=")
        elif word == "--config" and place + 1 < len(words):
            name = words[place + 1]
    return name


def _set_defaults(parser: Parser, values: dict[str, object]) -> None:
    """Make values the defaults of the options that the command has."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to its options
        if action.option_strings and action.dest in values:
            action.default, action.required = values[action.dest], False
