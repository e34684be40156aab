"""From typed options to public inputs, reading options and formats, for kinds whose records are lists of labels.

Loaded when a command runs; the registrations name these functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tacita import io
from tacita.errors import ParameterError
from tacita.formats import LISTS, format_ending, format_named, format_of
from tacita.io import STANDARD_INPUT, Engine, LongColumns, ReadOptions, TextDialect, writable_format
from tacita.kinds.options import COLUMN_OPTIONS, GRID_OPTIONS
from tacita.public.inputs import PublicInputs
from tacita.public.per_person import PerPerson
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = [
    "chosen_grid",
    "chosen_universe",
    "csv_only",
    "is_header",
    "labels",
    "labels_and_times",
    "observed_labels",
    "output_format",
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
    """The universe that was named, if any; if the file's header declares one, such as that of a `.seq` file, that."""
    name = given.get("universe")
    if name is None:
        return None
    return io.declared_universe(name) if is_header(name) else Universe.read(name)


def is_header(universe: str) -> bool:
    """Whether a universe is declared in the header of a file with sequences."""
    found = format_ending(universe, *LISTS)
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
    return {option.field_name: str(given[option.field_name]) for option in COLUMN_OPTIONS if given.get(option.field_name)}


def _common(given: Given) -> dict[str, Any]:
    per_person, file_format = given.get("per_person"), given.get("input_format")
    return {
        "file_format": None if file_format is None else format_named(file_format),
        "dialect": _dialect(given),
        "per_person": PerPerson.JOIN if per_person is None else PerPerson.parse(per_person),
        "engine": Engine(given.get("engine") or Engine.AUTO),
    }


def _dialect(given: Given) -> TextDialect:
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


def _start(text: str, zone: str | None) -> int | datetime:
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
