"""Groups of options that several commands share; what stands in them is registered with kinds and methods."""

from __future__ import annotations

import argparse

from tacita.cli.words.common import Container
from tacita.cli.words.field_options import add_options, kind_options, method_options
from tacita.kinds import AUTO, Method, Option, kinds, methods, missing_extra
from tacita.kinds.values import amount, number

__all__ = [
    "FACT_OPTIONS",
    "add_budget",
    "add_kind",
    "add_method",
    "add_parameters",
    "add_public",
    "add_reading",
    "method_name",
    "private_methods",
]

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
