"""What the page of the first step shows: how the file is written, what one row says, and one card per column.

Everything is derived from a publication and from what was seen of its file; no row and no count of rows is shown, but for those
that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tacita.inspecting import Column, ColumnType
from tacita.inspecting.declaring import open_questions
from tacita.kinds import Kind, kind_named
from tacita.kinds.configuration import COLUMNS
from tacita.kinds.options import reading_default
from tacita.studio.fields import Field, kind_fields
from tacita.studio.mapping import (
    CELLS,
    CORNERS,
    GRID,
    OUTLINE,
    ROLES,
    TYPES,
    WEEK,
    Seen,
    asked_of,
    has_option,
    roles_of,
    slug_of,
)
from tacita.studio.missing import event_columns, labels_of, wanted_of
from tacita.studio.workspace import Publication, Workspace

__all__ = ["ColumnCard", "mapped"]


@dataclass(frozen=True, kw_only=True)
class ColumnCard:
    """One column, and what it is for."""

    place: int
    name: str
    holds: str
    why: str
    role: str
    choices: tuple[tuple[str, str], ...]
    asked: Mapping[str, Any] = field(default_factory=dict)
    """What a published column of a table may hold, as it is typed."""


def mapped(publication: Publication, seen: Seen, workspace: Workspace) -> dict[str, Any]:
    """What the page shows."""
    kind = kind_named(publication.kind)
    options = publication.options
    has_columns = has_option(kind, COLUMNS)
    public = {one.name: one for one in kind_fields(kind, kind.public_options, options, seen.names)}
    reading = {one.name: one for one in kind_fields(kind, kind.reading_options, options, seen.names)}
    events = _events_fields(options, reading, workspace) if has_option(kind, "events") else []
    roles = roles_of(kind) if seen.names else []
    used = {COLUMNS, "universe", *CELLS, *GRID, "record", "per_person", *roles, *(one.name for one in events), *_FACTS}
    return {
        "kind": kind,
        "seen": seen,
        "facts": _facts(publication, seen, reading),
        "questions": [(slug_of(one), one, publication.answers.get(one.about)) for one in asked_of(seen)],
        "hints": [one.text for one in (open_questions(seen.found) if seen.found else ()) if one not in asked_of(seen)],
        "cards": list(_cards(publication, seen, kind, roles)),
        "has_columns": has_columns,
        "sentence": _sentence(publication, kind),
        "events": events,
        "record": _record(options, seen, kind),
        "labels": _labels(publication, workspace, public) if "universe" in public else None,
        "times": _times(options, seen, public) if set(GRID) <= set(public) else None,
        "more": [one for name, one in {**public, **reading}.items() if name not in used],
        "files": workspace.files(),
    }


_FACTS = ("input_format", "edge_format", "separator", "quote", "encoding", "no_header", "comment", "time_format", "time_zone")


def _facts(publication: Publication, seen: Seen, reading: Mapping[str, Field]) -> list[dict[str, Any]]:
    """How the file is written: what was detected or said, and the field that says otherwise."""
    found, options = seen.found, publication.options
    detected = {} if found is None else {"separator": found.reading.separator, "encoding": found.reading.encoding}
    detected |= {} if found is None else {"quote": found.reading.quote, "comment": found.reading.comment}
    detected |= {} if found is None else {"input_format": found.reading.file_format, "edge_format": found.reading.file_format}
    time = options.get("time") or (found.time if found is not None else None)
    pattern = seen.columns[time].pattern if time in seen.columns else None
    is_asked = any(question.about == "time format" for question in asked_of(seen))
    texts = {
        "no_header": "no header" if options.get("no_header") else "the first row names the columns",
        "time_format": options.get("time_format") or ("you decide, below" if is_asked else pattern or "plain numbers"),
        "time_zone": options.get("time_zone") or "as they are written",
    }
    titles = {"no_header": "header", "time_format": "dates", "input_format": "format", "edge_format": "format"}
    shown = []
    for name in _FACTS:
        value = texts.get(name) or options.get(name) or detected.get(name)
        if name not in reading or not value or (name == "no_header" and found is not None and found.reading.header is None):
            continue
        if name.startswith("time") and time is None:
            continue
        value = _SAID.get((name, value), value)
        shown.append({"name": name, "title": titles.get(name, name.replace("_", " ")), "value": value, "field": reading[name]})
    return shown


_SAID = {
    ("separator", ";"): "semicolon",
    ("separator", ","): "comma",
    ("separator", "\t"): "tab",
    ("separator", "|"): "bar",
    ("separator", " "): "space",
    ("encoding", "utf-8"): "UTF-8",
    ("encoding", "utf-8-sig"): "UTF-8",
    ("quote", '"'): "double quotes",
    ("time_format", "%d/%m/%Y %H:%M"): "day/month/year, hour:minute",
    ("time_format", "%m/%d/%Y %H:%M"): "month/day/year, hour:minute",
    ("time_format", "iso"): "ISO dates",
}


def _cards(publication: Publication, seen: Seen, kind: Kind, roles: Sequence[str]) -> Iterator[ColumnCard]:
    has_columns = has_option(kind, COLUMNS)
    chosen = {name: role for role in roles for name in publication.options.get(role, "").splitlines()}
    for role in roles:  # the names that a reader looks for if nothing is said
        usual = reading_default(kind, role)
        if not publication.options.get(role) and usual in seen.names and not (has_columns and usual in publication.columns):
            chosen.setdefault(str(usual), role)
    choices = [(role, ROLES.get(role, role.replace("_", " "))) for role in roles]
    choices += [(f"as {name}", text) for name, text in TYPES.items()] if has_columns else []
    for place, name in enumerate(seen.names):
        column, one = seen.columns.get(name), publication.columns.get(name)
        role = chosen.get(name) or (f"as {one['type']}" if one else "")
        asked = {} if one is None else {**one, "values": "\n".join(map(str, one.get("values", ())))}
        yield ColumnCard(
            place=place,
            name=name,
            holds="" if column is None else _holds(column),
            why=_why(column, role, kind),
            role=role,
            choices=(*choices, ("", "Leave out")),
            asked=asked,
        )


def _holds(column: Column) -> str:
    """What a column holds, without any value and number of rows."""
    said = str(column.type)
    if column.type is ColumnType.TIME and column.pattern is not None:
        said = "dates and hours" if any(letter in column.pattern for letter in ("%H", "%I", "iso", "epoch")) else "dates"
    return f"{said[:1].upper()}{said[1:]}"


def _why(column: Column | None, role: str, kind: Kind) -> str:
    if column is None:
        return ""
    why = next((one.why for one in column.roles if one.role == role), None)
    if why is not None:
        return f"Taken for the {role} {why}."
    if role.startswith("as "):
        return ""
    return "" if role else f"A column that is left out is not read: {kind.noun}s hold none of it."


def _sentence(publication: Publication, kind: Kind) -> list[tuple[str, bool]]:
    """What one row says, as pieces of text, each with whether it names a column."""
    named = {role: publication.options.get(role, "").partition("\n")[0] for role in ROLES}
    person = named["person"] or "person"
    if has_option(kind, "source"):
        ends = (named["source"] or "the first column", named["target"] or "the second column")
        return [("One row says that ", False), (ends[0], True), (" and ", False), (ends[1], True), (" know each other.", False)]
    if has_option(kind, COLUMNS):
        names = list(publication.columns)[:3]
        said = ", ".join(names) + (" and more" if len(publication.columns) > 3 else "") if names else "its columns"
        tail = f". Rows with the same {person} are one person." if named["person"] else ". Every row is a person of its own."
        more = [(" The events of the same people are in another file.", False)] if has_option(kind, "events") else []
        return [("One row says what one person is: ", False), (said, bool(names)), (tail, False), *more]
    where = [(named["latitude"], True), (", ", False), (named["longitude"], True)] if publication.options.get("cells") else []
    where = where or [("a ", False), (named["label"] or "label", bool(named["label"]))]
    when = [(" at a ", False), (named["time"], True)] if named["time"] else []
    order = f", in order of {named['time']}" if named["time"] else ""
    verb = " was at " if named["time"] else " has "
    pieces = [("One row says that a ", False), (person, bool(named["person"])), (verb, False), *where, *when]
    return [*pieces, (". All rows of one ", False), (person, bool(named["person"])), (f" are one person{order}.", False)]


def _record(options: Mapping[str, str], seen: Seen, kind: Kind) -> dict[str, Any] | None:
    if not has_option(kind, "per_person") or not seen.names:
        return None
    rule = options.get("per_person", "")
    has_parts = has_option(kind, "record")
    taken = {options.get(role) for role in ROLES if role != "record"}
    return {
        "rule": "each" if rule.startswith("cap=") else "all",
        "most": rule.removeprefix("cap=") if rule.startswith("cap=") else "",
        "column": options.get("record", ""),
        "columns": [name for name in seen.names if name not in taken] if has_parts else [],
        "has_parts": has_parts,
        "person": options.get("person", "") or "person",
        "is_asked": has_parts or bool(options.get("person")),
    }


def _labels(publication: Publication, workspace: Workspace, public: Mapping[str, Field]) -> dict[str, Any]:
    """Where the public labels come from."""
    options = publication.options
    corners = (options.get("cells", "").split(",") + [""] * len(CORNERS))[: len(CORNERS)]
    count = labels_of(options["universe"], publication, workspace) if options.get("universe") else None
    has_cells = set(CELLS) <= set(public)
    by_points = has_cells and (bool(options.get("cells")) or bool(options.get("latitude") and not options.get("universe")))
    return {
        "field": public["universe"],
        "source": "cells" if by_points else "file",
        "count": count if isinstance(count, int) else None,
        "has_cells": has_cells,
        "cells": dict(zip(CORNERS, (part.strip() for part in corners), strict=True)),
        "size": options.get("cell_size", ""),
        "outline": publication.output.get(OUTLINE, ""),
    }


def _times(options: Mapping[str, str], seen: Seen, public: Mapping[str, Field]) -> dict[str, Any]:
    given = tuple(options.get(name, "") for name in GRID)
    is_needed = set(GRID) <= wanted_of(seen)
    grid = "week" if given[1:] == WEEK and "-" in given[0] else "own" if any(given) or is_needed else "none"
    column = seen.columns.get(options.get("time", ""))
    return {
        "grid": grid,
        "is_needed": is_needed,
        "has_dates": column is None or column.type is ColumnType.TIME,
        "monday": given[0] if grid == "week" else "",
        "fields": [public[name] for name in GRID],
    }


def _events_fields(options: Mapping[str, str], reading: Mapping[str, Field], workspace: Workspace) -> list[Field]:
    """The second file, and which of its columns are labels and times."""
    names = event_columns(workspace.folder / options.get("events", "")) if options.get("events") else ()
    return [
        replace(reading[name], choices=names or reading[name].choices) for name in ("events", "label", "time") if name in reading
    ]
