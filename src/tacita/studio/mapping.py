"""The first step: who is in a file, and what is public, from what `tacita inspect` sees and its owner confirms.

Everything is derived from a publication and from what was seen of its file: the same code shows the page, what the page would
write while somebody types, and what is missing. `drafted` turns a form into a publication, without writing anything but lists of
names. Roles, times, labels and columns are read off the options that a kind registers: no kind is named here.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacita.errors import InputError, ParameterError
from tacita.inspecting import Column, ColumnType, Inspection, Question
from tacita.inspecting.declaring import SETTLES, answered, open_questions
from tacita.kinds import Kind, kind_named
from tacita.kinds.configuration import COLUMNS
from tacita.kinds.options import reading_default
from tacita.studio.fields import lines_of
from tacita.studio.workspace import Publication

__all__ = [
    "CELLS",
    "CORNERS",
    "GRID",
    "OUTLINE",
    "ROLES",
    "TYPES",
    "WEEK",
    "Seen",
    "asked_of",
    "drafted",
    "first_answers",
    "has_option",
    "roles_of",
    "slug_of",
]

Form = Mapping[str, str]
Keep = Callable[[str, str], str]
"""Keeps a text under a name in the studio's folder; its short name."""

GRID = ("time_start", "time_step", "time_intervals")
CELLS = ("cells", "cell_size")
OUTLINE = "outline"
CORNERS = ("south", "west", "north", "east")
ROLES = {
    "person": "Person",
    "label": "Place or item",
    "time": "Time",
    "record": "Day or other part of a record",
    "latitude": "Latitude",
    "longitude": "Longitude",
    "source": "One end",
    "target": "Other end",
}
"""Options that name a column, in the words of the page; others are called as they are typed."""

TYPES = {"category": "Category", "number": "Number", "date": "Date", "time": "Date and hour", "yes/no": "Yes or no"}
KEYS = {
    "category": ("values",),
    "number": ("low", "high", "step", "decimal"),
    "date": ("first", "last", "step", "format"),
    "time": ("first", "last", "step", "format"),
    "yes/no": ("values",),
}
"""What the page asks of a column of each type; whatever else a `tacita.toml` said of it is kept as long as the type stays."""

WEEK = ("1h", "168")


@dataclass(frozen=True)
class Seen:
    """What is known of a private file: what `inspect` found, or why it could not look."""

    found: Inspection | None
    note: str = ""
    names: tuple[str, ...] = ()
    """The names of its columns; none if its lines have none."""

    @property
    def columns(self) -> dict[str, Column]:
        """What was seen of each column."""
        return {} if self.found is None else {column.name: column for column in self.found.columns}


# What the file suggests, before its owner said anything.


def first_answers(found: Inspection) -> dict[str, Any]:
    """The fields of a publication that need no owner: how the file is written, and roles that nothing contradicts."""
    words, options = list(found.options), {}
    while words:
        name = words.pop(0).removeprefix("--").replace("-", "_")
        options[name] = words.pop(0) if words and not words[0].startswith("--") else "yes"
    for question in open_questions(found):
        options.pop(SETTLES[question.about], None)
    kind = kind_named(str(found.kind))
    columns = {}
    if COLUMNS in {option.field_name for option in kind.public_options}:
        person = {found.person, reading_default(kind, "person")}
        columns = {one.name: suggested for one in found.columns if one.name not in person and (suggested := _suggested(one))}
        decimal = {"decimal": ","} if found.reading.decimal == "," else {}
        columns = {name: one | (decimal if one["type"] == "number" else {}) for name, one in columns.items()}
    return {"options": options, "columns": columns}


def _suggested(column: Column) -> dict[str, Any]:
    """The type of a column, without anything that its rows hold; nothing for what cannot be published."""
    pattern = column.pattern or ""
    match column.type:
        case ColumnType.WHOLE | ColumnType.DECIMAL:
            found: dict[str, Any] = {"type": "number"}
        case ColumnType.TIME if pattern.startswith("epoch"):
            found = {"type": "number"}
        case ColumnType.TIME:
            hour = any(letter in pattern for letter in ("%H", "%I"))
            found = {"type": "time" if hour else "date"} | ({"format": pattern} if pattern.startswith("%") else {})
        case ColumnType.CATEGORY:
            found = {"type": "category"}
        case ColumnType.YES_NO:
            found = {"type": "yes/no"}
        case _:
            return {}
    return found | {"missing": True}  # whether a value is missing now is no public fact


# From a form to a publication.


def drafted(known: Publication, form: Form, seen: Seen, *, keep: Keep, folder: Path) -> Publication:
    """The publication with what was typed; what a form does not hold stays as it was."""
    kind = kind_named(known.kind)
    options = dict(known.options)
    for option in kind.options:
        name = option.field_name
        if f"switch.{name}" in form or f"option.{name}" in form or form.get(f"option.{name}.text", "").strip():
            options[name] = _typed(form, f"option.{name}", keep)
    answers = dict(known.answers)
    for question in asked_of(seen):
        typed = form.get(f"answer.{slug_of(question)}", "")
        if typed.isdecimal() and int(typed) < len(question.answers):
            answers[question.about] = typed
            if question.about in SETTLES and SETTLES[question.about] not in ROLES:
                options |= _answered_options(seen, question, int(typed), kind)
    columns = {name: dict(one) for name, one in known.columns.items()}
    if any(key.startswith("role.") for key in form):
        _take_roles(form, kind, seen, options)
        columns = _take_columns(form, seen, columns)
    _take_record(form, options)
    _take_labels(form, options, keep=keep, folder=folder, private=known.file)
    _take_times(form, options)
    output = {name: text for name, text in {**known.output, **_outline(form)}.items() if text}
    observed = "observed" in form if "switch.observed" in form else known.observed
    kept = {name: text for name, text in options.items() if text}
    dataset = form.get("dataset", known.dataset).strip() or known.dataset
    return replace(known, options=kept, output=output, columns=columns, answers=answers, observed=observed, dataset=dataset)


def _typed(form: Form, key: str, keep: Keep) -> str:
    text = form.get(f"{key}.text", "")
    return keep(form.get(f"{key}.name", "") or "typed.txt", text) if text.strip() else form.get(key, "").strip()


def _answered_options(seen: Seen, question: Question, place: int, kind: Kind) -> dict[str, str]:
    """What an answer says about how the file is read."""
    if seen.found is None:
        return {}
    name = SETTLES[question.about]
    words = answered(replace(seen.found, options=()), question, question.answers[place]).options
    pairs = dict(zip(words[::2], words[1::2], strict=False)) if len(words) > 1 else dict.fromkeys(words, "yes")
    said = {word.removeprefix("--").replace("-", "_"): text for word, text in pairs.items()}
    is_left = any(text.isupper() and text.isalpha() for text in said.values())  # such as NAME: typed in a field of its own
    return {} if is_left or name not in {option.field_name for option in kind.options} else {name: "", **said}


def _take_roles(form: Form, kind: Kind, seen: Seen, options: dict[str, str]) -> None:
    for role in roles_of(kind):
        own = [name for place, name in enumerate(seen.names) if form.get(f"role.{place}") == role]
        options[role] = "\n".join(own)  # two are refused by name


def _take_columns(form: Form, seen: Seen, known: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the columns of a table may hold."""
    found: dict[str, dict[str, Any]] = {}
    for place, name in enumerate(seen.names):
        role = form.get(f"role.{place}", "")
        kind = role.removeprefix("as ")
        if kind not in TYPES or kind == role:
            continue
        before = known.get(name, {})
        kept = {key: value for key, value in before.items() if before.get("type") == kind and f"column.{place}.{key}" not in form}
        typed = {key: form.get(f"column.{place}.{key}", "").strip() for key in KEYS[kind]}
        one: dict[str, Any] = {"type": kind, **kept, **{key: text for key, text in typed.items() if text}}
        if "values" in KEYS[kind] and f"column.{place}.values" in form and "edges" not in before:
            one["values"] = _values(form[f"column.{place}.values"], is_whole=kind == "category")
        for key in ("missing", "sensitive"):
            if f"switch.column.{place}" in form:
                one.pop(key, None)
                one |= {key: True} if f"column.{place}.{key}" in form else {}
        if one.get("sensitive"):
            one.pop("missing", None)  # what nobody may learn is one of its values
        found[name] = one
    return found


def _values(text: str, *, is_whole: bool) -> list[str | int]:
    """Values as they were typed; whole numbers stay whole numbers."""
    parts = list(dict.fromkeys(lines_of(text)))
    if is_whole and parts and all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", part) for part in parts):
        return [int(part) for part in parts]
    return list(parts)


def _take_record(form: Form, options: dict[str, str]) -> None:
    rule = form.get("record.rule")
    if rule == "all":
        options["record"] = options["per_person"] = ""
    elif rule == "each":
        most = form.get("record.most", "").strip()
        options["per_person"] = f"cap={most}" if most else ""
        if "record.column" in form:
            options["record"] = form["record.column"]


def _take_labels(form: Form, options: dict[str, str], *, keep: Keep, folder: Path, private: str) -> None:
    source = form.get("labels.from")
    if source in {"file", "paste", "catalogue"}:
        options |= dict.fromkeys(CELLS, "")
    if source == "paste" and form.get("labels.text", "").strip():
        options["universe"] = keep("labels.txt", "\n".join(dict.fromkeys(lines_of(form["labels.text"]))) + "\n")
    elif source == "catalogue" and form.get("labels.table", "").strip():
        named = form["labels.table"].strip()
        if (folder / named).resolve() == (folder / private).resolve():
            message = (
                "the labels must not come from the private file: a label that is there only because somebody was gives them away"
            )
            raise ParameterError(message)
        options["universe"] = keep(
            "labels.txt", "\n".join(_catalogue(folder / named, form.get("labels.column", "").strip())) + "\n"
        )
    elif source == "cells":
        corners = [form.get(f"cells.{corner}", "").strip() for corner in CORNERS]
        options |= {
            "universe": "",
            "cells": ",".join(corners) if any(corners) else "",
            "cell_size": form.get("cells.size", "").strip(),
        }


def _outline(form: Form) -> dict[str, str]:
    """The lines over the maps of a report; none where the places are no cells."""
    if "labels.from" not in form:
        return {}
    return {OUTLINE: form.get(f"cells.{OUTLINE}", "").strip() if form["labels.from"] == "cells" else ""}


def _catalogue(path: Path, column: str) -> list[str]:
    """The different values of a column of a public table, in order; its first column if none is named."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            dialect = csv.Sniffer().sniff(file.read(1 << 16), delimiters=",;\t|")
            file.seek(0)
            rows = csv.DictReader(file, dialect=dialect)
            named = column or next(iter(rows.fieldnames or ()), "")
            if named not in (rows.fieldnames or ()):
                message = f"the catalogue {path.name!r} has the columns {', '.join(rows.fieldnames or ())}, got {column!r}"
                raise ParameterError(message)
            return list(dict.fromkeys(value.strip() for row in rows if (value := row.get(named)) and value.strip()))
    except (OSError, ValueError, csv.Error) as error:
        message = f"the catalogue {path.name!r} must be a table as CSV in UTF-8, with a header: {type(error).__name__}"
        raise InputError(message) from None


def _take_times(form: Form, options: dict[str, str]) -> None:
    grid = form.get("times.grid")
    if grid == "none":
        options |= dict.fromkeys(GRID, "")
    elif grid == "week":
        options |= {"time_start": form.get("times.monday", "").strip(), "time_step": WEEK[0], "time_intervals": WEEK[1]}


# What the options of a kind, and the questions of a file, ask for.


def roles_of(kind: Kind) -> list[str]:
    """The options of a kind that name a column of this file; with a second file of events, labels and times are there."""
    own = [option.field_name for option in kind.reading_options if option.metavar == "COLUMN"]
    return [name for name in own if not (has_option(kind, "events") and name in {"label", "time"})]


def has_option(kind: Kind, name: str) -> bool:
    """Whether a kind has an option of this field name."""
    return any(option.field_name == name for option in kind.options)


def asked_of(seen: Seen) -> list[Question]:
    """The questions that rows cannot settle; roles are asked at their columns."""
    if seen.found is None:
        return []
    roles = {"label", "time", *({"person"} if seen.found.person is not None else ())}
    return [question for question in open_questions(seen.found) if question.about not in roles]


def slug_of(question: Question) -> str:
    """What a question is called in a form."""
    return question.about.replace(" ", "-")
