"""The whole command line, assembled from the parsers of its commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module

from tacita.cli.added import OF_EXTRAS, added_commands
from tacita.cli.screen import say
from tacita.cli.words import COMMANDS

__all__ = ["build_parser", "every_parser", "visible"]

EXIT_CODES = "Exit codes: 0 done, 1 refused (one line says why), 2 wrong usage, 130 interrupted, 143 terminated."


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of every command that is offered; with `only`, the options of other commands are left out, to save time."""
    parser = argparse.ArgumentParser(
        prog="tacita",
        description="Publish personal data without giving anyone away.",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        if only in {None, name}:
            import_module(f"tacita.cli.words.{name}").add(commands)
        else:
            commands.add_parser(name, help=summary, add_help=False)
    added = {} if only in COMMANDS else added_commands(COMMANDS)
    for name, command in added.items():
        if only in {None, name}:
            command.load().add(commands)
        else:
            commands.add_parser(name, help=command.summary, add_help=False)
    if only in OF_EXTRAS and only not in added:
        parser.error(f"{only} comes with an extra: pip install 'tacita[{OF_EXTRAS[only]}]'")
    return parser


class _Version(argparse.Action):
    """Looks up the version only when it is needed."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - keeps help fast

        say(f"tacita {version('tacita')}")
        parser.exit()


def every_parser(
    parser: argparse.ArgumentParser, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Every parser below, groups of commands included, each after the one that it belongs to, with the words that lead to it."""
    yield path, parser
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way down
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, child in action.choices.items():
                yield from every_parser(child, (*path, name))


def visible(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The options and positions that help shows, without help itself and without commands below."""
    hidden = (argparse._HelpAction, argparse._SubParsersAction)  # noqa: SLF001
    actions = parser._actions  # noqa: SLF001
    return [action for action in actions if action.help != argparse.SUPPRESS and not isinstance(action, hidden)]
