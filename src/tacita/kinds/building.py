"""Building a method with its parameters from typed options, whatever its kind.

A field is converted by its type: numbers and fractions are exact, enums are looked up, a class with `parse` parses, a taxonomy is
read from a file or built with a fan-out. Missing and unknown parameters are refused by name.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from tacita.errors import ParameterError
from tacita.kinds import kind_of
from tacita.kinds.registration import Method
from tacita.privacy.budget import exact
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import Chosen, one_of
from tacita.public.taxonomy import Taxonomy

__all__ = ["MAKES_TAXONOMY", "built_method", "built_taxonomy"]

MAKES_TAXONOMY = ("taxonomy", "taxonomy_columns", "fan_out")
"""The options that make a tree over the labels; idle for a method without one."""


def built_method(method: Method, given: Mapping[str, Any], public: PublicInputs) -> Any:  # noqa: ANN401 - a mechanism or a verified method
    """The method with the parameters that were given by name; public inputs and reading options among them are ignored."""
    loaded = method.load()
    own = {part.name for part in fields(loaded)}
    elsewhere = {option.field_name for option in kind_of(method).options} | set(MAKES_TAXONOMY)
    for name in given:
        if name not in own and name not in elsewhere:
            message = f"{method.name} has no {_flag(name)}"
            raise ParameterError(message)
    idle = [name for name in MAKES_TAXONOMY if given.get(name) is not None and name not in own]
    if idle and "taxonomy" not in own:
        message = f"{method.name} has no taxonomy, so {', '.join(map(_flag, idle))} would do nothing; leave it out"
        raise ParameterError(message)
    hints = get_type_hints(loaded)
    made = {name: _field(method, name, hints[name], value) for name, value in given.items() if name in own and name != "taxonomy"}
    taxonomy = _taxonomy(given, public, makes_its_own="fan_out" in own) if "taxonomy" in own else None
    made |= {} if taxonomy is None else {"taxonomy": taxonomy}
    for part in fields(loaded):
        if part.default is MISSING and part.default_factory is MISSING and part.name not in made:
            message = f"{method.name} needs {_flag(part.name)}"
            raise ParameterError(message)
    return loaded(**made)


def built_taxonomy(given: Mapping[str, Any], public: PublicInputs) -> Taxonomy | None:
    """The tree over the labels that was given, if any."""
    return _taxonomy(given, public, makes_its_own=False)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _field(method: Method, name: str, hint: Any, value: Any) -> object:  # noqa: ANN401 - a type, a typed value
    """Convert a value to the type of a field; for an optional field, to the type that is not None."""
    is_wrapped = get_origin(hint) in (Union, UnionType, Chosen)
    types = [part for part in get_args(hint) if part is not NoneType] if is_wrapped else [hint]
    option = method.option(name)
    if option is not None and option.choices is not None and value not in option.choices:
        message = f"{_flag(name)} of {method.name} must be one of {', '.join(option.choices)}, got {value!r}"
        raise ParameterError(message)
    enums = [part for part in types if isinstance(part, type) and issubclass(part, StrEnum)]
    if enums:
        return one_of(enums[0], value, name=name)
    if Fraction in types:
        return exact(value, name=name)
    parsing = [part for part in types if hasattr(part, "parse")]
    if parsing and isinstance(value, str):
        parsed: object = parsing[0].parse(value)
        return parsed
    return value


def _taxonomy(given: Mapping[str, Any], public: PublicInputs, *, makes_its_own: bool) -> Taxonomy | None:
    """The tree over the labels: from a file, or balanced over the universe unless the method has a fan-out itself."""
    path, columns, fan_out = (given.get(name) for name in MAKES_TAXONOMY)
    if columns is not None and path is None:
        message = "--taxonomy-columns names columns of a file, so --taxonomy must name one"
        raise ParameterError(message)
    if fan_out is not None and path is not None:
        message = "--fan-out makes a taxonomy and --taxonomy reads one; leave one of them out"
        raise ParameterError(message)
    if path is not None:
        return Taxonomy.read_columns(path, columns=_columns(path, columns), universe=public.universe)
    if fan_out is None or makes_its_own:
        return None
    if public.universe is None:
        message = "--fan-out groups the labels of a public --universe; name its file"
        raise ParameterError(message)
    return Taxonomy.balanced(public.universe, fan_out=fan_out)


def _columns(path: str, columns: Sequence[str] | None) -> Sequence[str]:
    """The columns of a CSV file, from fine to coarse; all of them if none are named."""
    if columns is not None:
        return columns
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError):
        return []  # the reader of the file reports what is wrong
