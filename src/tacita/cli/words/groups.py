"""Groups of options that several commands share."""

from __future__ import annotations

import argparse

from tacita.cli.words.common import Container
from tacita.cli.words.field_options import add_options
from tacita.cli.words.method_options import METHOD_OPTIONS, TAXONOMY_OPTIONS
from tacita.cli.words.reading_options import GRID_OPTIONS, READING_OPTIONS
from tacita.cli.words.values import amount
from tacita.methods import METHODS, Kind

__all__ = ["add_delta", "add_grid", "add_kind", "add_method", "add_parameters", "add_reading", "add_universe"]


def add_method(parser: argparse.ArgumentParser) -> None:
    """The method, its budget, the universe and the method's parameters."""
    parser.add_argument("--method", required=True, choices=tuple(METHODS), help="how to publish")
    add_kind(parser, told_by="method")
    parser.add_argument("--epsilon", required=True, type=amount, metavar="E", help="the budget, as 1, 0.5 or 1/3")
    add_delta(parser)
    add_universe(parser)
    add_parameters(parser)


def add_kind(parser: Container, *, told_by: str) -> None:
    """The kind of data, which something else tells too."""
    parser.add_argument("--kind", choices=tuple(map(str, Kind)), help=f"the kind of data; the {told_by} tells it if not given")


def add_delta(parser: Container) -> None:
    """The second half of a budget."""
    parser.add_argument(
        "--delta", type=amount, metavar="D", help="the delta of the budget, as 1e-6; only for methods that promise (E, D)"
    )


def add_universe(parser: Container, *, required: bool = False) -> None:
    """The public labels."""
    parser.add_argument(
        "--universe",
        required=required,
        metavar="FILE",
        help="the public labels: one a line, the first column of a .csv with a header, or the header of a .seq file",
    )


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """The parameters of all methods; each method refuses those that it does not have."""
    group = parser.add_argument_group("parameters of methods")
    add_options(group, METHOD_OPTIONS)
    add_options(group, TAXONOMY_OPTIONS)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How the private file is read."""
    add_options(parser.add_argument_group("reading the private file"), READING_OPTIONS)


def add_grid(parser: argparse.ArgumentParser) -> None:
    """The public intervals into which times are put, if they are to be published."""
    add_options(parser.add_argument_group("publishing times (all three, or none)"), GRID_OPTIONS)
