"""From typed options to the objects that they mean."""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from tacita.cli.words.field_options import typed
from tacita.cli.words.method_options import METHOD_OPTIONS, TAXONOMY_OPTIONS, method_parameters
from tacita.cli.words.reading_options import GRID_OPTIONS, TIME_OPTIONS
from tacita.cli.words.values import PRIVATE
from tacita.errors import ParameterError
from tacita.io import declared_universe
from tacita.methods import Kind, method_named
from tacita.privacy.budget import ApproxDP, Budget, PureDP, exact
from tacita.privacy.mechanism import Mechanism
from tacita.public.parameters import one_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrivateLength

__all__ = [
    "chosen_budget",
    "chosen_grid",
    "chosen_kind",
    "chosen_method",
    "chosen_universe",
    "grid_text",
    "is_header",
    "kind_of",
    "public_facts",
]

SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def chosen_kind(options: argparse.Namespace) -> Kind:
    """The kind of data that the method takes; another one is refused, and so are options that mean nothing for it."""
    return kind_of(options, method_named(options.method).kind, whose=f"the method {options.method}")


def kind_of(options: argparse.Namespace, kind: Kind, *, whose: str) -> Kind:
    """The kind, if the options do not speak of another one."""
    if options.kind not in {None, kind}:
        message = f"{whose} is for {kind}, got --kind {options.kind}; leave it out, or choose another one"
        raise ParameterError(message)
    idle = [name for name in TIME_OPTIONS if getattr(options, name, None) is not None]
    if kind is Kind.SETS and idle:
        names = ", ".join("--" + name.replace("_", "-") for name in idle)
        message = f"sets have no order and no times, so {names} would do nothing; leave it out"
        raise ParameterError(message)
    return kind


def chosen_budget(options: argparse.Namespace) -> Budget:
    """The budget in the definition that the method proves; a delta is needed there or refused."""
    method = method_named(options.method)
    if method.takes_delta and options.delta is None:
        message = f"{method.name} promises (epsilon, delta)-differential privacy and needs --delta, such as 1e-6"
        raise ParameterError(message)
    if not method.takes_delta and options.delta is not None:
        message = f"{method.name} promises pure differential privacy and takes no --delta, got {options.delta}; leave it out"
        raise ParameterError(message)
    return PureDP(options.epsilon) if options.delta is None else ApproxDP(options.epsilon, options.delta)


def chosen_method(options: argparse.Namespace, universe: Universe | None) -> Mechanism:
    """The mechanism with its parameters; a parameter that it lacks or does not have is refused by name."""
    method = method_named(options.method)
    loaded = method.load()
    given = method_parameters(options)
    for option in METHOD_OPTIONS:
        if option.field_name in given and method.name not in option.methods:
            message = f"{method.name} has no {option.flag}"
            raise ParameterError(message)
    own, makes_taxonomy = {parameter.name for parameter in fields(loaded)}, typed(options, TAXONOMY_OPTIONS)
    given |= {name: makes_taxonomy.pop(name) for name in list(makes_taxonomy) if name in own}  # it makes its own taxonomy
    if makes_taxonomy and "taxonomy" not in own:
        names = ", ".join("--" + name.replace("_", "-") for name in makes_taxonomy)
        message = f"{method.name} has no taxonomy, so {names} would do nothing; leave it out"
        raise ParameterError(message)
    for parameter in fields(loaded):
        is_given = parameter.name in given or (parameter.name == "taxonomy" and "fan_out" in makes_taxonomy)
        if parameter.default is MISSING and parameter.default_factory is MISSING and not is_given:
            message = f"{method.name} needs --{parameter.name.replace('_', '-')}"
            raise ParameterError(message)
    hints = get_type_hints(loaded)
    made = {name: _field(name, hints[name], value) for name, value in given.items() if name != "taxonomy"}
    taxonomy = _chosen_taxonomy(options, universe, makes_its_own="fan_out" in own)
    mechanism: Mechanism = loaded(**(made if taxonomy is None else made | {"taxonomy": taxonomy}))
    return mechanism


def _field(name: str, hint: Any, value: Any) -> object:  # noqa: ANN401 - a type, a typed value
    """The value that a field of this type takes; a field that may be None takes the other type here."""
    is_union = get_origin(hint) in (Union, UnionType)
    types = [part for part in get_args(hint) if part is not NoneType] if is_union else [hint]
    if PrivateLength in types and isinstance(value, str):
        return PrivateLength(longest=int(value.removeprefix(PRIVATE)))
    if types == [Fraction]:
        return exact(value, name=name)
    if isinstance(types[0], type) and issubclass(types[0], StrEnum):
        return one_of(types[0], value, name=name)
    return value


def _chosen_taxonomy(options: argparse.Namespace, universe: Universe | None, *, makes_its_own: bool) -> Taxonomy | None:
    """The tree over the labels: from a file, or balanced over the universe unless the method has a fan-out itself."""
    if options.taxonomy_columns is not None and options.taxonomy is None:
        message = "--taxonomy-columns names columns of a file, so --taxonomy must name one"
        raise ParameterError(message)
    if options.fan_out is not None and options.taxonomy is not None:
        message = "--fan-out makes a taxonomy and --taxonomy reads one; leave one of them out"
        raise ParameterError(message)
    if options.taxonomy is not None:
        return _read_taxonomy(options.taxonomy, options.taxonomy_columns, universe)
    if options.fan_out is None or makes_its_own:
        return None
    if universe is None:
        message = "--fan-out groups the labels of a public --universe in a file of its own; name one"
        raise ParameterError(message)
    return Taxonomy.balanced(universe, fan_out=options.fan_out)


def _read_taxonomy(path: str, columns: Sequence[str] | None, universe: Universe | None) -> Taxonomy:
    """Read columns of a CSV file, which go from fine to coarse; all of them if none are named."""
    if columns is None:
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
    return re.search(r"\.seq(\.gz|\.zst)?$", str(universe).lower()) is not None


def chosen_grid(options: argparse.Namespace) -> TimeGrid | None:
    """The public grid of times, if one was given; a date that tells no zone is in the zone of the file's times, else in UTC."""
    given = typed(options, GRID_OPTIONS)
    if not given:
        return None
    if len(given) < len(GRID_OPTIONS):
        missing = ", ".join(option.flag for option in GRID_OPTIONS if option.field_name not in given)
        message = f"a time grid needs --time-start, --time-step and --time-intervals; {missing} is missing"
        raise ParameterError(message)
    zone = getattr(options, "time_zone", None)
    return TimeGrid(start=_start(options.time_start, zone), interval=_step(options.time_step), intervals=options.time_intervals)


def public_facts(universe: Universe | None, grid: TimeGrid | None) -> dict[str, Any]:
    """What a mechanism is told before it publishes; of times only where there are any, since not every method knows them."""
    return {"universe": universe} if grid is None else {"universe": universe, "grid": grid}


def grid_text(grid: TimeGrid) -> str:
    """A grid for people."""
    return f"{grid.intervals:,} intervals of {grid.interval} from {grid.start} on"


def _start(text: str, zone: str | None) -> int | datetime:
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    try:
        start = datetime.fromisoformat(text)
        start = start if start.tzinfo is not None else start.replace(tzinfo=UTC if zone is None else ZoneInfo(zone))
        return start.astimezone(UTC)
    except (ValueError, KeyError, OSError, OverflowError):
        where = "" if zone is None else f", in a zone that is known here, such as Europe/London (got {zone!r})"
        message = f"--time-start must be a whole number or an ISO date such as 2024-05-01T06:00{where}, got {text!r}"
        raise ParameterError(message) from None


def _step(text: str) -> int | timedelta:
    found = re.fullmatch(r"([0-9]{1,9})([smhdw]?)", text)
    if found is None:
        message = f"--time-step must be a whole number, or a duration such as 30s, 15m, 1h, 1d or 1w, got {text!r}"
        raise ParameterError(message)
    number, unit = int(found[1]), found[2]
    if not unit:
        return number
    try:
        return timedelta(seconds=number * SECONDS[unit])
    except OverflowError:
        message = f"--time-step must be a duration that a calendar can hold, got {text!r}"
        raise ParameterError(message) from None
