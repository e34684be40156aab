"""The whole command line, assembled from the parsers of its commands.

A command is its name and a summary in `COMMANDS`, and a module `tacita.cli.<name>` with `add`, which offers its parser, and
`run`. Commands of other packages come through `tacita.cli.added`. Options that kinds and methods register are in
`tacita.cli.options`, which only commands import, so that `tacita --help` is instant.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NoReturn, TypeAlias

from tacita.cli.added import OF_EXTRAS, added_commands
from tacita.cli.screen import say

__all__ = [
    "COMMANDS",
    "Commands",
    "Container",
    "add_command",
    "add_config",
    "add_json",
    "add_switch",
    "build_parser",
    "every_parser",
    "visible",
]


COMMANDS = {
    "inspect": "look at a private file and say how to publish it, for the owner's eyes only",
    "publish": "publish a file with a guarantee",
    "stream": "publish a stream of events while it goes on; what was interrupted goes on where it was",
    "explain": "show where a budget would go and, given the number of records, what a release would keep; reads no data",
    "evaluate": "compare a release with the private file it was made from, for the owner's eyes only",
    "report": "write a page on a release for its owner, and one without raw figures that may go with it",
    "verify": "check a release folder from itself alone: files, schema, and that the guarantee follows from the draws",
    "lattice": "show what each coarser grain of the data would keep, for the owner's eyes only",
    "compare": "run all methods of a kind on one file and compare their errors, for the owner's eyes only",
    "attack": "attack the private file and its releases by what others may know, for the owner's eyes only",
    "ledger": "create a ledger, show what was spent, set a cap, verify it",
    "audit": "check that a method keeps its promise",
    "studio": "open a page on this machine that leads from a file to a release",
    "datasets": "list known public data, fetch it, or check a local copy",
    "simulate": "write a simulated world: data of any size that belongs to nobody",
    "demo": "simulate a small transit agency and publish it",
    "completion": "print a shell completion script",
}
"""The commands in the order in which help lists them, each with what it does in one line."""

EXIT_CODES = "Exit codes: 0 done, 1 refused (one line says why), 2 wrong usage, 130 interrupted, 143 terminated."


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of every command that is offered; with `only`, the options of other commands are left out, to save time."""
    parser = Parser(
        prog="tacita",
        description="Publish personal data without giving anyone away.",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        if only in {None, name}:
            import_module(f"tacita.cli.{name}").add(commands)
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


class Parser(argparse.ArgumentParser):
    """A parser whose errors are two lines: what is wrong, and the nearest word that exists or where to read on."""

    _typed: tuple[str, ...] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - as argparse has it
        """Remember what was typed, for errors."""
        self._typed = tuple(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End with both lines. An option that a command does not have is reported by the parser above the command."""
        first = self._typed[0] if self._typed else ""
        is_below = message.startswith("unrecognized") and (first,) in {path for path, _ in every_parser(self)}
        whole, nearest = f"{self.prog} {first}" if is_below else self.prog, _nearest(message, self)
        self.exit(2, f"{whole}: error: {message}\n{f'did you mean {nearest}? ' if nearest else ''}see {whole} --help\n")


def _nearest(message: str, parser: argparse.ArgumentParser) -> str:
    """The option, command or choice that was probably meant, by argparse's own sentence."""
    from difflib import get_close_matches

    head, _, listed = message.partition(" (choose from ")
    if listed:
        wrong, known = head.rpartition(": ")[2].strip("'"), [word.strip(" ')") for word in listed.split(",")]
    elif head.startswith("unrecognized"):
        wrong = next((word.partition("=")[0] for word in head.split() if word.startswith("--")), "")
        known = [flag for _, below in every_parser(parser) for action in visible(below) for flag in action.option_strings]
    else:
        return ""
    return next(iter(get_close_matches(wrong, known, n=1)), "")


class _Version(argparse.Action):
    """Looks up the version only when it is needed."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

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


# What all command parsers share: adding a command, switches, `--json` and `--config`.

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse gives it no public name
Container = argparse._ActionsContainer  # noqa: SLF001 - a parser or a group of options


def add_command(commands: Commands, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """Offer a command with its help and an example that runs."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"Example: {example}",
        allow_abbrev=False,
    )


def add_switch(parser: Container, flag: str, text: str, *, default: bool | None = False) -> None:
    """Offer a switch; `--no-...`, which help leaves out, turns off what a configuration file turned on."""
    name = flag.removeprefix("--")
    dest = name.replace("-", "_")
    parser.add_argument(flag, dest=dest, action="store_true", default=default, help=text)
    parser.add_argument(f"--no-{name}", dest=dest, action="store_false", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def add_json(parser: Container) -> None:
    """Offer output for scripts."""
    add_switch(parser, "--json", "print one JSON object for scripts")


def add_config(parser: Container) -> None:
    """Offer a configuration file."""
    parser.add_argument("--config", metavar="FILE", help="take options from a TOML file; typed options take precedence")
