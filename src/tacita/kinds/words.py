"""From typed options to public inputs, reading options, formats and methods with their parameters.

The first part is for kinds whose records are lists of labels; `built_method`, at the end, is for any kind. Loaded when a
command runs; the registrations name these functions.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from tacita import io
from tacita.errors import ParameterError
from tacita.formats import LISTS, format_ending, format_named, format_of
from tacita.io import STANDARD_INPUT, Engine, LongColumns, ReadOptions, TextDialect, writable_format
from tacita.io.options import LATITUDE, LONGITUDE
from tacita.kinds import kind_of
from tacita.kinds.options import COLUMN_OPTIONS, GRID_OPTIONS, POINT_OPTIONS
from tacita.kinds.registration import Method
from tacita.privacy.budget import exact
from tacita.public.cells import CellGrid
from tacita.public.inputs import PerPerson, PublicInputs
from tacita.public.parameters import Chosen, one_of, path_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = [
    "MAKES_TAXONOMY",
    "built_method",
    "built_taxonomy",
    "chosen_cells",
    "chosen_grid",
    "chosen_universe",
    "csv_only",
    "is_header",
    "labels",
    "labels_and_times",
    "listed_universe",
    "observed_labels",
    "output_format",
    "text_dialect",
    "timed_reading",
    "untimed_reading",
]

Given = Mapping[str, Any]
"""The options that were typed, by field name."""

CHARACTERS = {"tab": "\t", "space": " ", "blank": " "}
"""Separators that are hard to type."""

SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def labels(given: Given) -> PublicInputs:
    """A universe."""
    return PublicInputs(universe=chosen_universe(given))


def labels_and_times(given: Given) -> PublicInputs:
    """A universe and, if times are to be published, a grid of them."""
    return PublicInputs(universe=chosen_universe(given), grid=chosen_grid(given))


def chosen_universe(given: Given) -> Universe | None:
    """The universe that was named, if any: the cells of a grid, labels, or what the header of a `.seq` file declares."""
    named: Any = given.get("universe")
    cells = chosen_cells(given)
    if cells is not None:
        if named is not None:
            message = "the cells of a grid (--cells) take the place of --universe; leave one of them out"
            raise ParameterError(message)
        return cells.universe
    return io.declared_universe(named) if is_header(named) else listed_universe(named)


def chosen_cells(given: Given) -> CellGrid | None:
    """The public grid whose cells points become, if one was given: as a grid, or as a box and the size of a cell."""
    box, size = given.get("cells"), given.get("cell_size")
    if isinstance(box, CellGrid) and size is None:
        return box
    if (box is None) != (size is None) or isinstance(box, CellGrid):
        message = "cells need a box (--cells south,west,north,east) and the size of a cell (--cell-size, such as 500m or 16x16)"
        raise ParameterError(message)
    return None if box is None or size is None else CellGrid.parse(box, str(size))


def listed_universe(named: object) -> Universe | None:
    """A universe from a file, or from its labels; None stays None."""
    if named is None or isinstance(named, Universe):
        return named
    if isinstance(named, str | Path):
        return Universe.read(named)
    if not isinstance(named, Iterable) or isinstance(named, Mapping | bytes):
        message = f"--universe must be a file, a list of labels or a Universe, got {type(named).__name__}"
        raise ParameterError(message)
    return Universe(named)


def is_header(universe: object) -> bool:
    """Whether a universe is declared in the header of a file with sequences."""
    found = format_ending(universe, *LISTS) if isinstance(universe, str | Path) else None
    return found is not None and found.declares_labels


def chosen_grid(given: Given) -> TimeGrid | None:
    """The public time grid, if one was given; a date without a zone is in the zone of the file's times, or else in UTC."""
    missing = [option.flag for option in GRID_OPTIONS if given.get(option.field_name) is None]
    if len(missing) == len(GRID_OPTIONS):
        return None
    if missing:
        message = f"a time grid needs --time-start, --time-step and --time-intervals; {', '.join(missing)} is missing"
        raise ParameterError(message)
    return TimeGrid(
        start=_start(given["time_start"], given.get("time_zone")),
        interval=_step(given["time_step"]),
        intervals=given["time_intervals"],
    )


def timed_reading(given: Given) -> ReadOptions:
    """How rows or lines with an order are read; the library's defaults hold for the rest."""
    time_format = io.parse_time_format(given.get("time_format") or "auto", zone=given.get("time_zone"))
    return ReadOptions(columns=LongColumns(**_columns(given)), time_format=time_format, **_common(given))


def untimed_reading(given: Given) -> ReadOptions:
    """How rows or lines without an order are read."""
    return ReadOptions(columns=LongColumns(**(_columns(given) | {"time": None})), **_common(given))


def _columns(given: Given) -> dict[str, Any]:
    """The columns that were named; those of points have usual names if only one is named, or none."""
    known = [option.field_name for option in (*COLUMN_OPTIONS, *POINT_OPTIONS)]
    named = {name: str(given[name]) for name in known if given.get(name)}
    points = {"latitude": LATITUDE, "longitude": LONGITUDE}
    return points | named if given.get("cells") or set(points) & set(named) else named


def _common(given: Given) -> dict[str, Any]:
    per_person, file_format = given.get("per_person"), given.get("input_format")
    return {
        "file_format": None if file_format is None else format_named(file_format),
        "dialect": text_dialect(given),
        "per_person": PerPerson.JOIN if per_person is None else PerPerson.parse(per_person),
        "engine": Engine(given.get("engine") or Engine.AUTO),
    }


def text_dialect(given: Given) -> TextDialect:
    """How the text is written; the library's defaults hold for what was not given."""
    dialect = TextDialect(header=not given.get("no_header"), comment=given.get("comment"))
    if given.get("separator") is not None:
        dialect = replace(dialect, separator=CHARACTERS.get(given["separator"], given["separator"]))
    if given.get("quote") is not None:
        dialect = replace(dialect, quote=None if given["quote"] == "none" else given["quote"])
    return dialect if given.get("encoding") is None else replace(dialect, encoding=given["encoding"])


def output_format(source: str, *, options: ReadOptions, public: PublicInputs, wanted: str | None) -> str:
    """The format of the release: the requested one, or that of the private file, which is not opened.

    Options that do not apply to the private file's format are refused, and so is a format that cannot hold the labels.
    """
    if options.file_format is None and source != STANDARD_INPUT:
        options = replace(options, file_format=format_of(source))
    came_as = options.format_for(source)
    return str(writable_format(wanted or came_as, public.required_universe(), grid=public.grid))


def csv_only(source: str, *, options: object, public: PublicInputs, wanted: str | None) -> str:  # noqa: ARG001 - as it is registered
    """The format of kinds that write nothing but CSV."""
    if wanted not in {None, "csv"}:
        message = f"this kind of data is written as csv, got {wanted!r}"
        raise ParameterError(message)
    return "csv"


def observed_labels(source: str | Path, *, options: ReadOptions) -> PublicInputs:
    """The labels that the private file holds or declares; publishing with them voids the guarantee."""
    return PublicInputs(universe=Universe.observed(io.observed_labels(source, options=options)))


def _start(text: str | int | datetime, zone: str | None) -> int | datetime:
    if not isinstance(text, str):
        return text
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    try:
        start = datetime.fromisoformat(text)
        start = start if start.tzinfo is not None else start.replace(tzinfo=UTC if zone is None else ZoneInfo(zone))
        return start.astimezone(UTC)
    except (ValueError, KeyError, OSError, OverflowError):
        where = "" if zone is None else f", in a known zone such as Europe/London (got {zone!r})"
        message = f"--time-start must be a whole number or an ISO date such as 2024-05-01T06:00{where}, got {text!r}"
        raise ParameterError(message) from None


def _step(text: str | int | timedelta) -> int | timedelta:
    if not isinstance(text, str):
        return text
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


# A method with its parameters, whatever its kind.
#
# A field is converted by its type: numbers and fractions are exact, enums are looked up, a class with `parse` parses, a
# taxonomy is read from a file or built with a fan-out. Missing and unknown parameters are refused by name.

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
    if columns is not None and isinstance(path, Taxonomy):
        message = "--taxonomy-columns names columns of a file, and the taxonomy is given as it is; leave it out"
        raise ParameterError(message)
    if fan_out is not None and path is not None:
        message = "--fan-out makes a taxonomy and --taxonomy reads one; leave one of them out"
        raise ParameterError(message)
    if isinstance(path, Taxonomy):
        return path
    if path is not None:
        return Taxonomy.read_columns(path, columns=_table_columns(path, columns), universe=public.universe)
    if fan_out is None or makes_its_own:
        return None
    if public.universe is None:
        message = "--fan-out groups the labels of a public --universe; name its file"
        raise ParameterError(message)
    return Taxonomy.balanced(public.universe, fan_out=fan_out)


def _table_columns(path: str, columns: Sequence[str] | None) -> Sequence[str]:
    """The columns of a CSV file, from fine to coarse; all of them if none are named."""
    if columns is not None:
        return columns
    try:
        with path_of(path, name="a taxonomy").open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError):
        return []  # the reader of the file reports what is wrong
