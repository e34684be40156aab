"""What forms ask for and offer: fields from registered options, and the columns of a private file; no kind is named here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path

from tacita.errors import TacitaError
from tacita.formats import LISTS, Holds, format_ending
from tacita.io.formats import require_file, rows_of
from tacita.io.sources import first_lines
from tacita.kinds import Kind, Method, Option, methods
from tacita.kinds.options import parameter_default, reading_default, with_default
from tacita.public.parameters import Chosen

__all__ = ["Columns", "Field", "Widget", "columns_of", "first_rows", "kind_fields", "method_fields", "required_parameters"]


class Widget(StrEnum):
    """How a field is filled in."""

    COLUMN = "column"
    FILE = "file"
    CHOICE = "choice"
    SWITCH = "switch"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a form."""

    name: str
    prefix: str
    title: str
    help: str
    widget: Chosen[Widget] = Chosen(Widget)
    value: str = ""
    default: str = ""
    """What holds if nothing is typed; empty if that is nothing, or depends on the method."""
    choices: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    """The methods that have this parameter."""
    required_by: tuple[str, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    """The fields that this one is refused without, each with the methods that refuse it."""

    @property
    def key(self) -> str:
        """The name in the form."""
        return f"{self.prefix}.{self.name}"


def kind_fields(kind: Kind, options: Iterable[Option], values: Mapping[str, str], columns: Sequence[str]) -> list[Field]:
    """The public inputs, or the reading options, of a kind."""
    made = []
    for option in options:
        default = reading_default(kind, option.field_name) if option in kind.reading_options else None
        field = _field(option, "option", values, columns)
        made.append(
            replace(field, help=_help(option, {default}), default=default or "", needs=_needs(_having(kind, option.field_name)))
        )
    return made


def method_fields(kind: Kind, values: Mapping[str, str]) -> list[Field]:
    """The parameters of all methods of a kind, each name once; public inputs are asked for elsewhere."""
    elsewhere = {option.field_name for option in kind.options}
    own = [option.field_name for method in methods().values() if method.kind == kind.name for option in method.options]
    made = []
    for field_name in dict.fromkeys(name for name in own if name not in elsewhere):
        owners = _having(kind, field_name)
        names = tuple(method.name for method, _ in owners)
        needed = tuple(method.name for method, option in owners if option.field_name in required_parameters(method))
        choices = tuple(dict.fromkeys(choice for _, option in owners for choice in option.choices or ()))
        field = _field(owners[0][1], "parameter", values, (), owners=names, required_by=needed, choices=choices)
        defaults = {parameter_default(method, field_name) for method, _ in owners}
        made.append(replace(field, help=_help(owners[0][1], defaults), default=_only(defaults), needs=_needs(owners)))
    return sorted(made, key=lambda field: not field.required_by)


def _only(defaults: set[str | None]) -> str:
    """The default of all methods; the methods' own if they differ."""
    return (next(iter(defaults)) or "") if len(defaults) == 1 else "the default of the method"


def _help(option: Option, defaults: set[str | None]) -> str:
    """The help of an option, with its default if there is one for all methods; a switch shows its own."""
    return with_default(option, next(iter(defaults))) if len(defaults) == 1 and not option.switch else option.help


def _having(kind: Kind, field_name: str) -> list[tuple[Method, Option]]:
    """The methods of a kind that have this parameter."""
    own = (method for method in methods().values() if method.kind == kind.name)
    return [(method, option) for method in own for option in method.options if option.field_name == field_name]


def _needs(owners: Iterable[tuple[Method, Option]]) -> tuple[tuple[str, str], ...]:
    found: dict[str, list[str]] = {}
    for method, option in owners:
        if option.needs is not None:
            found.setdefault(_title(option.needs), []).append(method.name)
    return tuple((title, ", ".join(names)) for title, names in found.items())


def required_parameters(method: Method) -> set[str]:
    """The parameters that a method cannot do without."""
    loaded = method.load()
    return {part.name for part in fields(loaded) if part.default is MISSING and part.default_factory is MISSING}


def _field(  # noqa: PLR0913 - what a field is made of
    option: Option,
    prefix: str,
    values: Mapping[str, str],
    columns: Sequence[str],
    *,
    owners: tuple[str, ...] = (),
    required_by: tuple[str, ...] = (),
    choices: tuple[str, ...] = (),
) -> Field:
    widget = _widget(option)
    if widget is Widget.COLUMN:
        choices = tuple(columns)
        widget = widget if columns else Widget.TEXT
    return Field(
        name=option.field_name,
        prefix=prefix,
        title=_title(option.field_name),
        help=option.help,
        widget=widget,
        value=values.get(option.field_name, ""),
        choices=choices or option.choices or (),
        owners=owners,
        required_by=required_by,
    )


def _title(field_name: str) -> str:
    return field_name.replace("_", " ")


def _widget(option: Option) -> Widget:
    if option.switch:
        return Widget.SWITCH
    if option.choices:
        return Widget.CHOICE
    if option.metavar == "COLUMN":
        return Widget.COLUMN
    if re.match(r"FILE\b", option.metavar or ""):
        return Widget.FILE
    return Widget.NUMBER if option.convert is int else Widget.TEXT


# What may be shown of a private file: the names and types of its columns, and rows only if the owner asks for them.

ROWS = 3


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns of a file, or a sentence on why there are none."""

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    note: str = ""


def columns_of(path: Path) -> Columns:
    """The names of a file's columns; of its rows, only the first is read, for its field names in JSON lines."""
    try:
        require_file(path)
        file_format = format_ending(path, *LISTS)
        if file_format is not None and file_format.is_long:
            found = rows_of(file_format).header(path)
            return Columns(names=tuple(name for name, _ in found), types=tuple(kind for _, kind in found))
    except TacitaError as error:
        return Columns(note=str(error))
    except Exception:  # noqa: BLE001 - a message of a library may quote a row
        return Columns(note="its columns cannot be read; the options below may say how it is written")
    if file_format is None:
        return Columns(note="its ending does not say how it is written, so columns are named by hand")
    return Columns(note=f"a file in the format {file_format} has one record per line and no columns")


def first_rows(path: Path) -> list[str]:
    """The first rows as text, for the owner's eyes only."""
    require_file(path)
    file_format = format_ending(path, Holds.EVENTS)
    return first_lines(path, ROWS + 1) if file_format is None else rows_of(file_format).first_rows(path, ROWS)
