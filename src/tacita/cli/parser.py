"""The whole command line, assembled from the parsers of its commands, and the options that several commands share.

A command is its name and a summary in `COMMANDS`, and a module `tacita.cli.<name>` with `add`, which offers its parser, and
`run`. Commands of other packages come through `tacita.cli.added`. Nothing heavy is imported here, so that help is instant.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import TypeAlias

from tacita.cli.added import OF_EXTRAS, added_commands
from tacita.cli.screen import say
from tacita.errors import ParameterError
from tacita.kinds import AUTO, Kind, Method, Option, kinds, methods, missing_extra
from tacita.kinds.registration import amount, number

__all__ = [
    "COMMANDS",
    "FACT_OPTIONS",
    "Commands",
    "Container",
    "add_budget",
    "add_command",
    "add_config",
    "add_json",
    "add_kind",
    "add_method",
    "add_options",
    "add_parameters",
    "add_public",
    "add_reading",
    "add_switch",
    "build_parser",
    "every_parser",
    "kind_options",
    "method_name",
    "method_options",
    "private_methods",
    "typed",
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


# Options that are registered with kinds and methods, as arguments of a parser.


def add_options(parser: Container, options: Iterable[Option]) -> None:
    """Offer the options; none has a default of its own, so that the library's defaults hold."""
    for option in options:
        if option.switch:
            add_switch(parser, option.flag, option.help, default=None)
        else:
            parser.add_argument(
                option.flag, type=option.convert, choices=option.choices, metavar=option.metavar, help=option.help
            )


def method_options() -> list[Option]:
    """The parameters of all methods, one option for each name; help says whose it is."""
    taken = {option.field_name for option in kind_options("public_options")}
    merged: dict[str, list[tuple[Method, Option]]] = {}
    for method in methods().values():
        for option in method.options:
            if option.field_name not in taken:
                merged.setdefault(option.field_name, []).append((method, option))
    return [_merged_method_option(owners) for owners in merged.values()]


def _merged_method_option(owners: list[tuple[Method, Option]]) -> Option:
    """One option for all methods that have it: the choices of all, and what each of them means by it."""
    first = owners[0][1]
    for method, option in owners[1:]:
        if (option.convert, option.switch) != (first.convert, first.switch):
            message = f"the option {option.flag} of {method.name} must be typed as that of {owners[0][0].name} is"
            raise ParameterError(message)
    texts: dict[str, list[str]] = {}
    for method, option in owners:
        texts.setdefault(option.help, []).append(method.name)
    choices = None
    if any(option.choices for _, option in owners):
        choices = tuple(dict.fromkeys(choice for _, option in owners for choice in option.choices or ()))
    text = "; ".join(f"{', '.join(names)}: {text}" for text, names in texts.items())
    return replace(first, help=text, choices=choices)


def kind_options(which: str) -> list[Option]:
    """The public options, or the reading options, of all kinds, each name once."""
    found: dict[str, Option] = {}
    for kind in kinds().values():
        for option in _options_of(kind, which):
            known = found.setdefault(option.field_name, option)
            if (known.convert, known.switch, known.choices) != (option.convert, option.switch, option.choices):
                message = f"the option {option.flag} of the kind {kind.name} must be typed as that of another kind is"
                raise ParameterError(message)
    return list(found.values())


def _options_of(kind: Kind, which: str) -> tuple[Option, ...]:
    return kind.public_options if which == "public_options" else kind.reading_options


def typed(options: argparse.Namespace, table: Iterable[Option]) -> dict[str, object]:
    """What was given of a table, by field name."""
    given = {option.field_name: getattr(options, option.field_name, None) for option in table}
    return {name: value for name, value in given.items() if value is not None}


# Groups of options that several commands share; kinds and methods register what belongs to each group.

FACT_OPTIONS = (
    Option(field_name="records", convert=int, metavar="N", help="the number of records, if that is public"),
    Option(field_name="mean_length", convert=number, metavar="X", help="the mean length of records, if that is public"),
    Option(field_name="longest_record", convert=int, metavar="N", help="the largest length of records, if that is public"),
)
"""What an owner may say about the data for a method to be chosen; for a forecast too."""


def add_method(parser: argparse.ArgumentParser) -> None:
    """The method, its budget, the public inputs and the method's parameters."""
    parser.add_argument(
        "--method", default=AUTO, type=method_name, choices=(AUTO, *methods()), metavar="METHOD", help=_methods_text()
    )
    parser.add_argument("--measure", choices=_measures(), help=_measures_text())
    add_kind(parser, inferred_from="method, or else from the other options")
    add_budget(parser)
    add_public(parser)
    add_parameters(parser)


def method_name(text: str) -> str:
    """The name of a method as it was typed; one whose extra is not installed is refused with the command that installs it."""
    missing = missing_extra(text)
    if missing is not None:
        raise argparse.ArgumentTypeError(missing)
    return text


def _methods_text() -> str:
    listed = (f"{', '.join(method.name for method in _methods_of(kind))} for {kind}" for kind in kinds())
    return f"how to publish: chosen from public facts ({AUTO}, the default), or {'; '.join(listed)}"


def _measures() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for kind in kinds().values() for name in kind.measures))


def _measures_text() -> str:
    listed = (f"{name} ({what})" for kind in kinds().values() for name, what in kind.measures.items())
    return f"what matters most, for {AUTO}: {', '.join(listed)}; everything alike if not given"


def private_methods() -> list[str]:
    """The methods that spend a budget."""
    return [name for name, method in methods().items() if method.promise.takes_epsilon]


def _methods_of(kind: str) -> list[Method]:
    return [method for method in methods().values() if method.kind == kind]


def add_kind(parser: Container, *, inferred_from: str) -> None:
    """The kind of data, which can also be inferred."""
    parser.add_argument("--kind", choices=tuple(kinds()), help=f"the kind of data (inferred from the {inferred_from})")


def add_budget(parser: Container) -> None:
    """The budget, for methods that spend one."""
    parser.add_argument(
        "--epsilon", type=amount, metavar="E", help="the budget, such as 1, 0.5 or 1/3; verified methods take none"
    )
    parser.add_argument(
        "--delta", type=amount, metavar="D", help="the delta of the budget, such as 1e-6; only for methods that promise (E, D)"
    )


def add_public(parser: argparse.ArgumentParser) -> None:
    """The public inputs, fixed without looking at the data."""
    add_options(parser.add_argument_group("public inputs"), kind_options("public_options"))


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """The parameters of all methods; each method refuses those that it does not have."""
    add_options(parser.add_argument_group("parameters of methods"), method_options())


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How the private file is read."""
    add_options(parser.add_argument_group("reading the private file"), kind_options("reading_options"))
