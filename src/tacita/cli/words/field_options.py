"""Options that are registered with kinds and methods, as arguments of a parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace

from tacita.cli.words.common import Container, add_switch
from tacita.errors import ParameterError
from tacita.kinds import Kind, Method, Option, kinds, methods

__all__ = ["add_options", "kind_options", "method_options", "typed"]


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
