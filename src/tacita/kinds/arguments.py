"""From the arguments of a call in Python to what is wanted: the kind and the method, then every value by its option.

Arguments have the names of the command line's options, with underscores; `person` represents `id`. Simple values and objects are
taken; what has the wrong type, and what nothing takes, is refused in a sentence that names the argument.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from tacita.errors import ParameterError, TacitaError
from tacita.kinds import Kind, Method, Option, kind_named, kind_of, kinds, method_named, methods
from tacita.kinds.registration import number
from tacita.kinds.wanted import Wanted, is_auto
from tacita.kinds.words import MAKES_TAXONOMY
from tacita.public.inputs import PerPerson
from tacita.public.time_grid import TimeGrid

__all__ = ["Asked", "argument", "asked_for", "given_arguments", "in_python", "is_true", "named_arguments", "spelled"]


# Sentences name arguments, not options of the command line.

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")
_RENAMED = {"dataset": "name", "group-columns": "groups"}
"""Arguments whose options have another name."""


@contextmanager
def in_python() -> Iterator[None]:
    """Refusals that name an option of the command line name the argument."""
    try:
        yield
    except TacitaError as error:
        error.args = (spelled(str(error)),)
        raise


def spelled(text: str) -> str:
    """A sentence with arguments where it names options of the command line."""
    return _FLAG.sub(lambda found: _RENAMED.get(found[1], found[1]).replace("-", "_") + "=", text)


# The kind and the method, then every value by its option.


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A kind, and a method of it by name or as an object, if one was given."""

    kind: Kind
    method: Method | None = None
    made: object | None = None
    is_made: bool = False
    """Whether the release exists, so that only reading options count."""

    def parameters(self) -> dict[str, Option | None]:
        """The parameters that may be given by name: of the method, or of all that could be chosen."""
        if self.made is not None or self.is_made:
            return {}
        if self.method is not None:
            own = {part.name: self.method.option(part.name) for part in fields(self.method.load())}
            trees: dict[str, Option | None] = dict.fromkeys(MAKES_TAXONOMY) if "taxonomy" in own else {}
            return {**trees, **own}
        return {each.field_name: each for one in methods().values() if one.kind == self.kind.name for each in one.options}

    def wanted(self, given: Mapping[str, Any], **rest: Any) -> Wanted:  # noqa: ANN401 - budget and facts
        """What to publish, or to explain."""
        named = None if self.method is None else self.method.name
        wanted = Wanted(given=given, named_method=named, named_kind=self.kind.name, **rest)
        if self.made is not None:
            vars(wanted)["mechanism"] = self.made  # it has its parameters, so nothing is built
        return wanted


def asked_for(kind: object, method: object) -> Asked:
    """The kind and the method that were given, by name or as an object; one of them must be."""
    if kind is not None and not isinstance(kind, str):
        message = f"kind= must be one of {', '.join(kinds())}, got {type(kind).__name__}"
        raise ParameterError(message)
    named = None if kind is None else kind_named(kind)
    if method is None or (isinstance(method, str) and is_auto(method)):
        if named is None:
            message = f"name the kind of data with kind=, one of {', '.join(kinds())}, or a method with method="
            raise ParameterError(message)
        return Asked(kind=named)
    registered = method_named(method) if isinstance(method, str) else _registration_of(method)
    if named is not None and registered.kind != named.name:
        message = f"the method {registered.name} is for {registered.kind}, got kind={named.name!r}; leave one of them out"
        raise ParameterError(message)
    return Asked(kind=kind_of(registered), method=registered, made=None if isinstance(method, str) else method)


def _registration_of(method: object) -> Method:
    """The registration of a method with its parameters."""
    known = [each for each in methods().values() if each.loads.endswith(f":{type(method).__name__}")]
    found = next((each for each in known if each.load() is type(method)), None)
    if found is None:
        message = (
            "method= must be the name of a method, or one with its parameters such as ta.tables.Mondrian(...), "
            f"got {_type(method)}"
        )
        raise ParameterError(message)
    return found


def _type(value: object) -> str:
    return f"the class {value.__name__} itself" if isinstance(value, type) else type(value).__name__


_OWN = ("person", "label", "time", "universe", "taxonomy", "columns")


def named_arguments(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a call that represent options of the kind, by the names of these."""
    named = {name: arguments.get(name) for name in _OWN}
    grid = arguments.get("grid")
    if isinstance(grid, TimeGrid):
        named |= {"time_start": grid.start, "time_step": grid.interval, "time_intervals": grid.intervals}
    else:
        named["grid"] = grid
    return {name: value for name, value in named.items() if value is not None}


def given_arguments(asked: Asked, named: Mapping[str, object], others: Mapping[str, object]) -> dict[str, Any]:
    """Every value that was given, by field name, as the command line would have it."""
    options: dict[str, Option | None] = {**asked.parameters(), **{each.field_name: each for each in asked.kind.options}}
    everything = {**named, **{name: value for name, value in others.items() if value is not None}}
    for name, value in everything.items():
        if name not in options:
            raise ParameterError(_unknown(asked, name, value, list(options)))
    return {name: _converted(asked, name, options[name], value) for name, value in everything.items()}


def _unknown(asked: Asked, name: str, value: object, known: Sequence[str]) -> str:
    shown, names = argument(name), [argument(each) for each in known]
    if asked.made is not None and asked.method is not None and asked.method.option(name) is not None:
        return f"method= is given with its parameters, so {shown} belongs there: {type(asked.made).__name__}({name}=...)"
    if name == "grid" and "time_start" in known:
        return f"grid= must be a TimeGrid, got {type(value).__name__}"
    taken, whose = f"no method of {asked.kind.name} takes {shown}", f"methods of {asked.kind.name}"
    if asked.method is not None:
        taken, whose = f"{asked.method.name} takes no {shown}", asked.method.name
    others = ", ".join(argument(option.field_name) for option in asked.kind.options)
    own = ", ".join(sorted(argument(each) for each in asked.parameters())) or "none by name"
    near = get_close_matches(shown, names, n=1)
    if asked.is_made:
        meant = f"; did you mean {near[0]}?" if near else ""
        return f"a release of {asked.kind.name} is compared without {shown}{meant}; reading options are {others}"
    if near:
        return f"{taken}; did you mean {near[0]}? The parameters of {whose} are {own}"
    return f"{taken}; the parameters of {whose} are {own}; public inputs and reading options are {others}"


def argument(name: str) -> str:
    """An option as an argument is written."""
    return f"{name}="


_AS_THEY_ARE = {"universe", "columns", "events", "taxonomy", "blocks", "sides", "cells", "time_start", "time_step"}
"""Public inputs that may be objects; what reads them refuses what it cannot take."""


def _converted(asked: Asked, name: str, option: Option | None, value: object) -> object:
    """A value as the command line would have it; what has the wrong type is refused."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if option is None:
        return value
    if option.switch:
        return is_true(value, name)
    if isinstance(value, str):
        return _read(name, option, value)
    if name in _AS_THEY_ARE:
        return value
    if isinstance(value, list | tuple) and (option.convert is not str or option not in asked.kind.options):
        return tuple(value)
    return str(value) if isinstance(value, PerPerson) else _plain(asked, name, option, value)


def _plain(asked: Asked, name: str, option: Option, value: object) -> object:
    """A number, or an object that a method takes as it is."""
    if option.convert is int and (isinstance(value, bool) or not isinstance(value, int)):
        message = f"{argument(name)} must be a whole number, got {value!r}"
        raise ParameterError(message)
    if isinstance(value, int | float | Fraction) and not isinstance(value, bool):
        return float(value) if option.convert is number else str(value) if option.convert is str else value
    if option in asked.kind.options:
        message = f"{argument(name)} must be a string ({option.help}), got {type(value).__name__}"
        raise ParameterError(message)
    return value


def _read(name: str, option: Option, text: str) -> object:
    if option.choices is not None and text not in option.choices:
        message = f"{argument(name)} must be one of {', '.join(option.choices)}, got {text!r}"
        raise ParameterError(message)
    try:
        return option.convert(text)
    except ValueError:
        message = f"{argument(name)} cannot be {text!r}: {option.help}"
        raise ParameterError(message) from None


def is_true(value: object, name: str) -> bool:
    """A switch, which must be True or False."""
    if not isinstance(value, bool):
        message = f"{name}= must be True or False, got {value!r}"
        raise ParameterError(message)
    return value
