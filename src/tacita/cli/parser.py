"""The whole command line, assembled from the parsers of its commands.

A command is its name and a summary in `COMMANDS`, and a module `tacita.cli.<name>` with `add`, which offers its parser, and
`run`. Commands of other packages come through `tacita.cli.parser`. Options that kinds and methods register are in
`tacita.cli.options`, which only commands import, so that `tacita --help` is instant. Options that depend on words typed after
the command (a kind, a method, a release) are added when these words are known: see `Parser.later`.

Commands that other packages add, through the entry points of the group `tacita.commands`.

An entry point names a module with `add(commands)`, which offers the command's parser, and `run(options)`. To list the commands,
only the files that an installation leaves beside packages are read; a module is imported when its command is typed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, NoReturn, TypeAlias

from tacita.cli.screen import say
from tacita.errors import ParameterError
from tacita.registered import entry_points, lines_of

__all__ = [
    "COMMANDS",
    "GROUP",
    "OF_EXTRAS",
    "AddedCommand",
    "Commands",
    "Container",
    "Parser",
    "add_command",
    "add_config",
    "add_json",
    "add_line",
    "add_switch",
    "added_commands",
    "below",
    "build_parser",
    "every_parser",
    "visible",
]

GROUP = "tacita.commands"

OF_EXTRAS = {"reproduce": "papers"}
"""The commands of packages that an extra of Tacita installs."""


class AddedCommand(NamedTuple):
    """A command of another package: its module, and the folder in which the installation describes the package."""

    name: str
    module: str
    about: str

    @property
    def summary(self) -> str:
        """What the package does, by its own description, and its name."""
        found: dict[str, str] = {}
        for line in lines_of(f"{self.about}/METADATA") or lines_of(f"{self.about}/PKG-INFO"):
            key, colon, value = line.partition(": ")
            if not colon:
                break
            found.setdefault(key, value)
        return f"{found.get('Summary', 'a command')} ({found.get('Name', self.module)})"

    def load(self) -> ModuleType:
        """The module, with `add` and `run`."""
        try:
            module = import_module(self.module)
        except ImportError as error:
            message = f"the command {self.name!r} must name a module that can be imported, got {self.module}: {error}"
            raise ParameterError(message) from error
        if not all(callable(getattr(module, verb, None)) for verb in ("add", "run")):
            message = f"the entry point {self.name!r} of {GROUP} must be a module with add and run, got {self.module}"
            raise ParameterError(message)
        return module


def added_commands(own: Mapping[str, str]) -> dict[str, AddedCommand]:
    """The commands of installed packages by name; two of a name, or one of our own, are refused."""
    found: dict[str, AddedCommand] = {}
    for command in _registered():
        known = found.setdefault(command.name, command)
        if command.name in own or known.module != command.module:
            message = f"a command {command.name!r} is registered twice; an installed package must choose another name"
            raise ParameterError(message)
    return dict(sorted(found.items()))


def _registered() -> Iterator[AddedCommand]:
    for point in entry_points(GROUP):
        yield AddedCommand(name=point.name, module=point.value, about=point.about)


COMMANDS = {
    "inspect": "look at a private file and say how to publish it (for the owner)",
    "publish": "publish a file with a guarantee",
    "stream": "publish a stream of events as it arrives; resumes after a stop",
    "explain": "show where a budget would go, and forecast a release; reads no data",
    "evaluate": "compare a release with its private file (for the owner)",
    "report": "write a page on a release for its owner, and one to share",
    "verify": "check a release folder from itself alone",
    "lattice": "show what each coarser grain would keep (for the owner)",
    "compare": "compare methods of a kind, or two releases (for the owner)",
    "attack": "attack a private file and its releases (for the owner)",
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


def build_parser(only: str | None = None) -> Parser:
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


class Help(argparse.HelpFormatter):
    """Help with a column of 26 for words, so that most options take one line."""

    def __init__(self, prog: str, **rest: Any) -> None:  # noqa: ANN401 - as argparse has it
        """Wrap to the terminal, and to 120 columns at most: longer lines are hard to read."""
        super().__init__(prog, **(rest | {"max_help_position": 28}))
        self._width = min(self._width, 118)

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Lines that break no option at its hyphen."""
        from textwrap import wrap

        return wrap(" ".join(text.split()), width, break_on_hyphens=False)


Fill: TypeAlias = "Callable[[Parser, Sequence[str]], None]"


class Parser(argparse.ArgumentParser):
    """A parser that adds options once it knows the words typed, and whose errors are two lines.

    The lines say what is wrong, and the nearest word that exists or where to read on.
    """

    def __init__(self, **rest: Any) -> None:  # noqa: ANN401 - as argparse has it
        """A parser without options yet."""
        super().__init__(formatter_class=Help, **rest)
        self.above = ""
        """What the first word after this parser's own is called, such as `the kind of data`, if it chooses a parser below."""
        self._typed: tuple[str, ...] = ()
        self._fill: Fill | None = None
        self._before_help: list[Callable[[], None]] = []
        self._quiet: list[argparse._ArgumentGroup] = []

    def later(self, fill: Fill) -> None:
        """Add options when the words typed after this parser's own are known."""
        self._fill = fill

    def filled(self, words: Sequence[str] = ()) -> Parser:
        """The parser with the options that these words call for; once there, they stay."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            fill(self, words)
        return self

    def before_help(self, complete: Callable[[], None]) -> None:
        """Complete texts that cost time, such as defaults that the library knows, before help is shown."""
        self._before_help.append(complete)

    def quiet_group(self) -> argparse._ArgumentGroup:
        """A group of options that are accepted and completed, although help leaves them to another page."""
        group = self.add_argument_group()
        self._quiet.append(group)
        return group

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - as argparse has it
        """Add what the words call for, and remember them for errors."""
        self._typed = tuple(args or ())
        self.filled(self._typed)
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """Usage in one line, then the groups of options that belong on this page."""
        self.filled()
        while self._before_help:
            self._before_help.pop()()
        formatter = self._get_formatter()
        formatter.add_usage(self._usage(), self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            if group not in self._quiet:
                formatter.start_section(group.title)
                formatter.add_text(group.description)
                formatter.add_arguments(group._group_actions)  # noqa: SLF001 - as argparse does
                formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def _usage(self) -> str:
        options = [action for action in self._actions if action.option_strings]
        needed = [f"{action.option_strings[0]} {action.metavar}" for action in options if action.required]
        positions = [_position(action) for action in self._actions if not action.option_strings]
        return " ".join([self.prog.replace("%", "%%"), *positions, *needed, "[options]"])

    def _unknown_option(self) -> str:
        """The first option that there is not: mistyping one is more likely than forgetting another."""
        known = [flag for action in self._actions for flag in action.option_strings]
        named = (word.partition("=")[0] for word in self._typed if word.startswith("--") and word != "--")
        return next((word for word in named if not any(flag.startswith(word) for flag in known)), "")

    def error(self, message: str) -> NoReturn:
        """End with both lines. An option that a command does not have is reported by the parser above the command."""
        parser, words = self, self._typed
        wrong = self._unknown_option() if message.startswith("the following arguments are required") and not below(self) else ""
        message = f"unrecognized arguments: {wrong}" if wrong else message
        while message.startswith("unrecognized") and words and words[0] in (lower := below(parser)):
            parser, words = lower[words[0]], words[1:]
        if parser.above and ("invalid choice" in message or message.startswith("the following arguments are required")):
            got = next((word for word in self._typed if not word.startswith("-")), None)
            known = ", ".join(below(parser))
            message = f"{parser.above} comes first, one of {known}{'' if got is None else f'; got {got!r}'}"
            nearest = _close(got or "", list(below(parser)))
        else:
            nearest = _nearest(message, parser)
        self.exit(
            2, f"{parser.prog}: error: {message}\n{f'did you mean {nearest}? ' if nearest else ''}see {parser.prog} --help\n"
        )


def _position(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse gives it no public name
        return f"{name} ..."
    return {"?": f"[{name}]", "*": f"[{name} ...]"}.get(str(action.nargs), name)


def below(parser: argparse.ArgumentParser) -> dict[str, Parser]:
    """The parsers one word below."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way down
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            return action.choices
    return {}


def _nearest(message: str, parser: argparse.ArgumentParser) -> str:
    """The option, command or choice that was probably meant, by argparse's own sentence."""
    head, _, listed = message.partition(" (choose from ")
    if listed:
        wrong, known = head.rpartition(": ")[2].strip("'"), [word.strip(" ')") for word in listed.split(",")]
    elif head.startswith("unrecognized"):
        wrong = next((word.partition("=")[0] for word in head.split() if word.startswith("--")), "")
        known = [flag for action in visible(parser) for flag in action.option_strings]
    else:
        return ""
    return _close(wrong, known)


def _close(wrong: str, known: list[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(wrong, known, n=1)), "")


class _Version(argparse.Action):
    """Looks up the version only when it is needed."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        say(f"tacita {version('tacita')}")
        parser.exit()


def every_parser(parser: Parser, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Parser]]:
    """Every parser below, groups of commands included, each after the one that it belongs to, with the words that lead to it."""
    yield path, parser.filled()
    for name, child in below(parser).items():
        yield from every_parser(child, (*path, name))


def visible(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The options and positions that help shows, without help itself and without commands below."""
    hidden = (argparse._HelpAction, argparse._SubParsersAction)  # noqa: SLF001
    actions = parser._actions  # noqa: SLF001
    return [action for action in actions if action.help != argparse.SUPPRESS and not isinstance(action, hidden)]


# What all command parsers share: adding a command, switches, `--json` and `--config`.

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001 - argparse gives it no public name
Container = argparse._ActionsContainer  # noqa: SLF001 - a parser or a group of options


def add_command(commands: Commands, name: str, summary: str, example: str) -> Parser:
    """Offer a command with its help and an example that runs."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"Example: {example}",
        allow_abbrev=False,
    )


class _Line(argparse.Action):
    """A line of help that cannot be typed."""

    def __call__(self, *_: object) -> None:
        """Nothing calls it: no word leads here."""


def add_line(group: argparse._ArgumentGroup, name: str, text: str) -> argparse.Action:
    """Show a name with a text in a group of options."""
    line = _Line(option_strings=[], dest=name, metavar=f"  {name}", help=text)
    group._group_actions.append(line)  # noqa: SLF001 - only help shows it: the parser must not take it for a position
    return line


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
    parser.add_argument("--config", metavar="FILE", help="obey this file, not ./tacita.toml; typed options take precedence")
