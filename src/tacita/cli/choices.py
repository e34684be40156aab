"""From typed options to the objects that they mean."""

from __future__ import annotations

import argparse
import csv
from dataclasses import MISSING, fields
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from tacita.cli.words.method_options import METHOD_OPTIONS, method_parameters
from tacita.core.budget import exact
from tacita.core.errors import ParameterError
from tacita.core.mechanism import Mechanism
from tacita.core.taxonomy import Taxonomy
from tacita.core.universe import Universe
from tacita.io import FileFormat, declared_universe
from tacita.methods import method_named

__all__ = ["chosen_method", "chosen_universe", "is_header"]


def chosen_method(options: argparse.Namespace) -> Mechanism:
    """The mechanism with its parameters; a parameter that it lacks or does not have is refused by name."""
    method = method_named(options.method)
    loaded = method.load()
    typed = method_parameters(options)
    for option in METHOD_OPTIONS:
        if option.field_name in typed and method.name not in option.methods:
            message = f"{method.name} has no {option.flag}"
            raise ParameterError(message)
    for parameter in fields(loaded):
        if parameter.default is MISSING and parameter.default_factory is MISSING and parameter.name not in typed:
            message = f"{method.name} needs --{parameter.name.replace('_', '-')}"
            raise ParameterError(message)
    hints = get_type_hints(loaded)
    made: Mechanism = loaded(**{name: _field(name, hints[name], value, options) for name, value in typed.items()})
    return made


def _field(name: str, hint: Any, value: Any, options: argparse.Namespace) -> object:  # noqa: ANN401 - a type, a typed value
    """The value that a field of this type takes; a field that may be None takes the other type here."""
    types = [part for part in get_args(hint) if part is not NoneType] if NoneType in get_args(hint) else [hint]
    if types == [Taxonomy]:
        return _taxonomy(value, chosen_universe(options))
    if types == [Fraction]:
        return exact(value, name=name)
    if isinstance(types[0], type) and issubclass(types[0], Enum):
        return types[0](value)
    return value


def _taxonomy(path: str, universe: Universe | None) -> Taxonomy:
    """Read all columns of a CSV file, which go from fine to coarse."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            columns = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError):
        columns = []  # the reader below says what is wrong
    return Taxonomy.read_columns(path, columns=columns, universe=universe)


def chosen_universe(options: argparse.Namespace) -> Universe | None:
    """The universe that was named, if one was; a `.seq` file serves by its header."""
    if options.universe is None:
        return None
    return declared_universe(options.universe) if is_header(options.universe) else Universe.read(options.universe)


def is_header(universe: str) -> bool:
    """Whether a universe is declared in the header of a file with sequences."""
    return str(universe).lower().removesuffix(".gz").endswith(FileFormat.SEQ.ending)
