"""Options that are registered with kinds and methods, as arguments of a parser, and the groups of them that commands share.

A command that is about data takes the kind as its first word and has a parser below for each kind, which holds the options of
that kind only. Commands that judge a release look its kind up in its manifest. Every group of options is made here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tacita.cli.parser import Container, Parser, add_line, add_switch
from tacita.errors import ParameterError, TacitaError
from tacita.kinds import AUTO, Facts, Kind, Method, Option, kinds, load, methods, missing_extra
from tacita.kinds.options import FACT_OPTIONS
from tacita.kinds.registration import amount

__all__ = [
    "add_budget",
    "add_defaulted",
    "add_file",
    "add_kinds",
    "add_method",
    "add_needed",
    "add_options",
    "add_parameters",
    "add_public",
    "add_reading",
    "add_rest",
    "fact_options",
    "method_name",
    "methods_of",
    "named_method",
    "options_of",
    "released_kind",
    "typed",
]


def add_options(parser: Container, options: Iterable[Option]) -> None:
    """Offer the options; none has a default of its own, so that the library's defaults hold."""
    for option in options:
        if option.switch:
            add_switch(parser, option.flag, _plain(option.help), default=None)
        else:
            parser.add_argument(
                option.flag, type=option.convert, choices=option.choices, metavar=option.metavar, help=_plain(option.help)
            )


def _plain(text: str) -> str:
    """A text in which argparse finds nothing to fill in."""
    return text.replace("%", "%%")


def add_defaulted(parser: Parser, group: Container, options: Sequence[Option], of: Kind | Method) -> None:
    """Offer reading options of a kind, or parameters of a method; help shows the defaults that the library has for them."""
    add_options(group, options)

    def complete() -> None:
        from tacita.kinds.options import parameter_default, reading_default, with_default

        known = {option.field_name: option for option in options}
        for action in parser._actions:  # noqa: SLF001 - argparse has no public way to them
            if action.dest in known and action.option_strings and action.help != argparse.SUPPRESS:
                name = action.dest
                default = reading_default(of, name) if isinstance(of, Kind) else parameter_default(of, name)
                action.help = _plain(with_default(known[name], default))

    parser.before_help(complete)


def typed(options: argparse.Namespace, table: Iterable[Option]) -> dict[str, Any]:
    """What was given of a table, by field name."""
    given = {option.field_name: getattr(options, option.field_name, None) for option in table}
    return {name: value for name, value in given.items() if value is not None}


# The kind: the first word of a command about data, or what a release says.


def add_kinds(
    command: Parser, fill: Callable[[Kind, Parser, Sequence[str]], None], *, has: Callable[[Kind], bool] = lambda _: True
) -> argparse._SubParsersAction[Parser]:
    """Offer a parser below for each kind, with the options of that kind, which are added when it is chosen."""
    command.above = "the kind of data"
    below = command.add_subparsers(dest="kind", required=True, metavar="KIND", title="kinds of data")
    for kind in kinds().values():
        if has(kind):
            child = below.add_parser(
                kind.name,
                help=_plain(kind.about),
                description=_sentence(kind),
                allow_abbrev=False,
                add_help=False,
            )
            child.later(partial(fill, kind))

    def complete() -> None:
        for line in below._choices_actions:  # noqa: SLF001 - argparse has no public way to them
            if line.dest in kinds():
                line.help = _plain(f"{kinds()[line.dest].about} ({default_methods(kinds()[line.dest])})")

    command.before_help(complete)
    return below


def _sentence(kind: Kind) -> str:
    return _plain(f"{kind.name[:1].upper()}{kind.name[1:]}: {kind.about}.")


def default_methods(kind: Kind) -> str:
    """Which method is chosen if nothing else is said: without a budget and with one."""
    found: dict[str, str] = {}
    for facts, condition in ((Facts(), "without --epsilon"), (Facts(epsilon=1.0), "with it")):
        among = [method for method in methods_of(kind) if method.fits(facts)]
        if among:
            found[load(kind.chooses)(facts, among).method] = condition
    if len(found) == 1:
        return f"by default {next(iter(found))}"
    return "by default " + ", ".join(f"{name} {condition}" for name, condition in found.items())


def released_kind(words: Sequence[str]) -> Kind | None:
    """The kind of the first release among the words typed; None if none of them is one, which opening it will explain."""
    from pathlib import Path

    for word in words:
        if not word.startswith("-") and (Path(word) / "manifest.json").is_file():
            from tacita.io import read_manifest

            try:
                return kinds().get(read_manifest(word)["kind"])
            except TacitaError:
                return None
    return None


# Methods and their parameters.


def methods_of(kind: Kind) -> list[Method]:
    """The methods of a kind, those of other packages too."""
    return [method for method in methods().values() if method.kind == kind.name]


def named_method(kind: Kind, words: Sequence[str]) -> Method | None:
    """The method of the kind that the words name with `--method`; None if none is, or one that does not exist."""
    found = None
    for place, word in enumerate(words):
        if word == "--method" and place + 1 < len(words):
            found = words[place + 1]
        elif word.startswith("--method="):
            found = word.removeprefix("--method=")
    return next((method for method in methods_of(kind) if method.name == found), None)


def parameters_of(kind: Kind) -> list[Option]:
    """The parameters of all methods of a kind, each name once, with the choices of all methods that have it."""
    taken = {option.field_name for option in kind.options}
    found: dict[str, Option] = {}
    for method in methods_of(kind):
        for option in method.options:
            if option.field_name in taken:
                continue
            known = found.setdefault(option.field_name, option)
            if (option.convert, option.switch) != (known.convert, known.switch):
                message = f"the option {option.flag} of {method.name} must be typed as that of other methods of {kind.name} is"
                raise ParameterError(message)
            if known.choices is not None:
                choices = tuple(dict.fromkeys((*known.choices, *(option.choices or ()))))
                found[option.field_name] = replace(known, choices=choices)
    return list(found.values())


def options_of(kind: Kind) -> list[Option]:
    """Everything that may be given for a kind: public inputs, reading options and parameters of its methods."""
    return [*kind.options, *parameters_of(kind)]


def method_name(text: str, kind: Kind | None = None, command: str = "") -> str:
    """The name of a method as it was typed; a missing extra, or a method of another kind, is refused with the remedy."""
    missing = missing_extra(text)
    if missing is not None:
        raise argparse.ArgumentTypeError(missing)
    if kind is not None and text in methods() and methods()[text].kind != kind.name:
        other = methods()[text].kind
        message = f"{text} is a method of {other}, not of {kind.name}: type {command.removesuffix(kind.name)}{other}"
        raise argparse.ArgumentTypeError(message)
    return text


def add_method(parser: Parser, kind: Kind, words: Sequence[str]) -> argparse._ArgumentGroup:
    """The method and its parameters; those of all methods are accepted, and help shows those of a method that is named."""
    chosen = named_method(kind, words)
    group = parser.add_argument_group("method and parameters")
    group.add_argument(
        "--method",
        default=AUTO,
        type=partial(method_name, kind=kind, command=parser.prog),
        choices=(AUTO, *(method.name for method in methods_of(kind))),
        metavar="METHOD",
        help=f"chosen from public facts (%(default)s, the default), or one of these; {parser.prog} --method METHOD --help shows "
        "its parameters"
        if chosen is None
        else _plain(f"{chosen.name} keeps {chosen.keeps}; {parser.prog} --help shows the other methods, and reading options"),
    )
    if chosen is None:
        for method in methods_of(kind):
            flags = " ".join(option.flag for option in method.options)
            add_line(group, method.name, _plain(f"{method.keeps}{f'; {flags}' if flags else ''}"))
    if kind.measures:
        listed = ", ".join(kind.measures)
        (group if chosen is None else parser.quiet_group()).add_argument(
            "--measure",
            choices=tuple(kind.measures),
            metavar="MEASURE",
            help=_plain(f"what matters most, for {AUTO}: {listed}"),
        )
    add_parameters(parser, kind, chosen, group)
    return group


def add_parameters(parser: Parser, kind: Kind, chosen: Method | None, group: argparse._ArgumentGroup) -> None:
    """The parameters of one method, and those of the others, which it refuses by name; or those of all."""
    taken = {option.field_name for option in kind.options}
    own = [] if chosen is None else [option for option in chosen.options if option.field_name not in taken]
    if chosen is not None:
        add_defaulted(parser, group, own, chosen)
    shown = {option.field_name for option in own}
    add_options(parser.quiet_group(), [option for option in parameters_of(kind) if option.field_name not in shown])


# Groups of options that several commands share, in the order of help.


def add_needed(parser: Parser, kind: Kind, words: Sequence[str], *, file: str | None = None) -> argparse._ArgumentGroup:
    """What is nearly always needed: the private file, if the command takes one, the budget and the first public input."""
    group = parser.add_argument_group("what is always needed")
    if file is not None:
        group.add_argument("input", metavar="FILE", help=file)
    chosen = named_method(kind, words)
    add_budget(parser, group, methods_of(kind) if chosen is None else [chosen])
    add_options(group, kind.public_options[:1])
    return group


def add_budget(parser: Parser, group: argparse._ArgumentGroup, among: Sequence[Method]) -> None:
    """The budget; help leaves out what none of the methods takes."""
    takes_epsilon = any(method.promise.takes_epsilon for method in among)
    verified = any(not method.promise.takes_epsilon for method in among)
    (group if takes_epsilon else parser.quiet_group()).add_argument(
        "--epsilon",
        type=amount,
        metavar="E",
        help=f"the budget, such as 1, 0.5 or 1/3{'; verified methods take none' if verified else ''}",
    )
    (group if any(method.takes_delta for method in among) else parser.quiet_group()).add_argument(
        "--delta", type=amount, metavar="D", help="a delta beside it, such as 1e-9, for methods that take one"
    )


def add_public(parser: Parser, kind: Kind) -> None:
    """The public inputs that `add_needed` leaves, fixed without looking at the data."""
    if kind.public_options[1:]:
        add_options(parser.add_argument_group("more public inputs"), kind.public_options[1:])


def add_reading(parser: Parser, kind: Kind, words: Sequence[str] = ()) -> None:
    """How the private file is read; the page of one method leaves that to the page of its kind."""
    if kind.reading_options:
        is_shown = named_method(kind, words) is None
        group = parser.add_argument_group("columns and reading") if is_shown else parser.quiet_group()
        add_defaulted(parser, group, kind.reading_options, kind)


def add_rest(parser: Parser) -> argparse._ArgumentGroup:
    """The last group of a kind's options; commands add theirs to it."""
    group = parser.add_argument_group("output and the rest")
    group.add_argument("-h", "--help", action="help", help="show this help and exit")
    return group


def add_file(parser: Parser, words: Sequence[str]) -> None:
    """For a command that judges a release: public inputs and reading options of the kind of the release among the words.

    If none of the words is a release, the options of all kinds are accepted, and opening the release says what is wrong.
    """
    kind = released_kind(words)
    if kind is not None:
        add_options(parser.add_argument_group("public inputs"), kind.public_options)
        add_reading(parser, kind)
        return
    every = {option.field_name: option for each in kinds().values() for option in each.options}
    add_options(parser.quiet_group(), [replace(option, choices=None) for option in every.values()])
    parser.epilog = (
        f"{parser.epilog}. How the private file is read depends on the kind of the release: name it, and --help adds its options."
    )


def fact_options(kind: Kind) -> tuple[Option, ...]:
    """The facts that records of a kind can have."""
    return FACT_OPTIONS if kind.records_have_lengths else FACT_OPTIONS[:1]
