"""What can be typed, as completion needs it: for each command its commands below, options and positions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from enum import Enum, auto

from tacita.cli.parser import every_parser, visible

__all__ = ["Command", "Takes", "Word", "vocabulary"]


class Takes(Enum):
    """What follows an option, or stands at a position."""

    NOTHING = auto()
    CHOICE = auto()
    FILE = auto()
    FOLDER = auto()
    TEXT = auto()


FILES = {"FILE": Takes.FILE, "INPUT": Takes.FILE, "FOLDER": Takes.FOLDER}


@dataclass(frozen=True, kw_only=True)
class Word:
    """An option, or a position if it has no flags."""

    flags: tuple[str, ...]
    name: str
    help: str
    takes: Takes
    choices: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command by the words that lead to it; the first of all has none."""

    path: tuple[str, ...]
    summary: str
    below: dict[str, str]
    options: tuple[Word, ...]
    positions: tuple[Word, ...]


def vocabulary(parser: argparse.ArgumentParser) -> list[Command]:
    """Every command, each after the one that it belongs to."""
    parsers = dict(every_parser(parser))
    commands = []
    for path, child in parsers.items():
        words = [_word(action) for action in visible(child)]
        asked = Word(flags=("-h", "--help"), name="", help="show help and exit", takes=Takes.NOTHING, choices=())
        below = {name[-1]: _summary(parsers[name]) for name in parsers if name and name[:-1] == path}
        commands.append(
            Command(
                path=path,
                summary=_summary(child),
                below=below,
                options=(asked, *(word for word in words if word.flags)),
                positions=tuple(word for word in words if not word.flags),
            )
        )
    return commands


def _summary(parser: argparse.ArgumentParser) -> str:
    return (parser.description or "").rstrip(".")


def _word(action: argparse.Action) -> Word:
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    if action.nargs == 0:
        takes = Takes.NOTHING
    elif action.choices is not None:
        takes = Takes.CHOICE
    else:
        takes = FILES.get(name, Takes.TEXT)
    return Word(
        flags=tuple(action.option_strings),
        name=name,
        help=(action.help or "").split(";")[0],
        takes=takes,
        choices=tuple(map(str, action.choices or ())),
    )
