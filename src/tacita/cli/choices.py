"""From typed options to the objects that they mean."""

from __future__ import annotations

import argparse
from dataclasses import MISSING, fields
from enum import Enum
from typing import get_type_hints

from tacita.cli.parser import METHOD_OPTIONS, method_parameters
from tacita.core.errors import ParameterError
from tacita.core.universe import Universe
from tacita.io import FileFormat, declared_universe
from tacita.methods import method_named
from tacita.sequences import PrefixTree

__all__ = ["chosen_method", "chosen_universe"]


def chosen_method(options: argparse.Namespace) -> PrefixTree:
    """The mechanism with its parameters; a parameter that it lacks or does not have is refused by name."""
    method = method_named(options.method)
    loaded = method.load()
    typed = method_parameters(options)
    for option in METHOD_OPTIONS:
        if option.field_name in typed and method.name not in option.methods:
            message = f"{method.name} has no {option.flag}"
            raise ParameterError(message)
    for parameter in fields(loaded):
        if parameter.default is MISSING and parameter.name not in typed:
            message = f"{method.name} needs --{parameter.name.replace('_', '-')}"
            raise ParameterError(message)
    hints = get_type_hints(loaded)
    parameters = {name: hints[name](value) if issubclass(hints[name], Enum) else value for name, value in typed.items()}
    made = loaded(**parameters)
    if not isinstance(made, PrefixTree):
        message = f"{method.name} is not a method of the command line"
        raise ParameterError(message)
    return made


def chosen_universe(options: argparse.Namespace) -> Universe | None:
    """The universe that was named, if one was; a `.seq` file serves by its header."""
    if options.universe is None:
        return None
    is_seq = str(options.universe).lower().removesuffix(".gz").endswith(FileFormat.SEQ.ending)
    return declared_universe(options.universe) if is_seq else Universe.read(options.universe)
