"""From registered options to fields of a form, whatever the kind of data; no kind is named here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum

from tacita.kinds import Kind, Method, Option, methods

__all__ = ["Field", "Widget", "kind_fields", "method_fields", "required_parameters"]


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
    widget: Widget
    value: str = ""
    choices: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    """The methods that have this parameter."""
    required_by: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name in the form."""
        return f"{self.prefix}.{self.name}"


def kind_fields(options: Iterable[Option], values: Mapping[str, str], columns: Sequence[str]) -> list[Field]:
    """The public inputs, or the reading options, of a kind."""
    return [_field(option, "option", values, columns) for option in options]


def method_fields(kind: Kind, values: Mapping[str, str]) -> list[Field]:
    """The parameters of all methods of a kind, each name once; public inputs are asked for elsewhere."""
    elsewhere = {option.field_name for option in kind.options}
    found: dict[str, list[tuple[Method, Option]]] = {}
    for method in methods().values():
        for option in method.options if method.kind == kind.name else ():
            if option.field_name not in elsewhere:
                found.setdefault(option.field_name, []).append((method, option))
    made = []
    for owners in found.values():
        names = tuple(method.name for method, _ in owners)
        needed = tuple(method.name for method, option in owners if option.field_name in required_parameters(method))
        choices = tuple(dict.fromkeys(choice for _, option in owners for choice in option.choices or ()))
        made.append(_field(owners[0][1], "parameter", values, (), owners=names, required_by=needed, choices=choices))
    return sorted(made, key=lambda field: not field.required_by)


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
        title=option.field_name.replace("_", " "),
        help=option.help,
        widget=widget,
        value=values.get(option.field_name, ""),
        choices=choices or option.choices or (),
        owners=owners,
        required_by=required_by,
    )


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
