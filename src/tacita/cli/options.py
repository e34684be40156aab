"""Options that are registered with kinds and methods, as arguments of a parser, and the groups of them that commands share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace

from tacita.cli.parser import Container, add_switch
from tacita.errors import ParameterError
from tacita.kinds import AUTO, Kind, Method, Option, kinds, methods, missing_extra
from tacita.kinds.registration import amount, number

__all__ = [
    "FACT_OPTIONS",
    "add_budget",
    "add_kind",
    "add_method",
    "add_options",
    "add_parameters",
    "add_public",
    "add_reading",
    "kind_options",
    "method_name",
    "method_options",
    "private_methods",
    "typed",
]


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
