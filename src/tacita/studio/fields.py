"""What forms ask for and offer: fields from registered options, and the columns of a private file; no kind is named here.

A `tacita.toml` in the studio's folder: what it declares is filled in, and what the pages ask is written to it.

A publication holds texts as they are typed; the file holds TOML values. Both directions are here, so that a test can say that
nothing is lost between them. The commands that the studio runs obey the file, and nothing else says how a file is read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.errors import ParameterError, TacitaError
from tacita.formats import LISTS, Holds, format_ending
from tacita.io.formats import require_file, rows_of
from tacita.io.sources import first_lines
from tacita.kinds import Kind, Method, Option, kind_named, methods
from tacita.kinds.configuration import (
    COLUMNS,
    DECIMAL,
    FILE_NAME,
    OPEN,
    Configuration,
    key_of,
    quoted,
    read_configuration,
    tables_of,
    typed_value,
)
from tacita.kinds.options import (
    BUDGET_OPTIONS,
    FACT_OPTIONS,
    OUTPUT_OPTIONS,
    REPORT_OPTIONS,
    STREAM_OPTIONS,
    parameter_default,
    reading_default,
    with_default,
)
from tacita.kinds.registration import AUTO
from tacita.kinds.words import MAKES_TAXONOMY
from tacita.public.parameters import Chosen

if TYPE_CHECKING:
    from tacita.studio.workspace import Publication

__all__ = [
    "Columns",
    "Declared",
    "Field",
    "Widget",
    "columns_of",
    "declaration",
    "declared_in",
    "first_rows",
    "kind_fields",
    "lines_of",
    "method_fields",
    "parameters_of",
    "require_same_ledger",
    "required_parameters",
]


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


_BUDGET = {option.field_name for option in BUDGET_OPTIONS}
_FACTS = {option.field_name for option in FACT_OPTIONS}
_OUTPUT = {option.field_name for option in (*OUTPUT_OPTIONS, *REPORT_OPTIONS, *STREAM_OPTIONS)} - {"out"} | {
    "create_ledger",
    "new_dataset",
}
"""What no page asks, and what is kept as it was declared; the studio names the folder of a release."""


# From a file to a publication.


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What a file says about one private file."""

    found: Configuration

    @property
    def file(self) -> str:
        """The private file; empty if the owner has not said."""
        return str(self.found.values.get("input", ""))

    @property
    def kind(self) -> str:
        """What it holds."""
        return self.found.kind.name

    @property
    def ledger(self) -> str | None:
        """The ledger, if one is named."""
        named = self.found.values.get("ledger")
        return None if named is None else str(named)

    @property
    def creates_ledger(self) -> bool:
        """Whether a ledger that does not exist is made."""
        return bool(self.found.values.get("create_ledger"))

    def typed(self) -> dict[str, Any]:
        """The fields of a publication, as they would be typed; a line that is still open is left to be typed."""
        kind = self.found.kind
        of_kind = {option.field_name for option in kind.options}
        spelled = {name: _text(value) for name, value in self.found.values.items() if not isinstance(value, Mapping)}
        given = {name: text for name, text in spelled.items() if text}
        tables = self.found.table_of
        columns = self.found.values.get(COLUMNS)
        return {
            "options": {name: text for name, text in given.items() if name in of_kind},
            "parameters": {name: text for name, text in given.items() if tables[name] == "parameters" and name not in of_kind},
            "facts": {name: text for name, text in given.items() if name in _FACTS},
            "output": {name: text for name, text in given.items() if name in _OUTPUT},
            "columns": {name: _plain(one) for name, one in columns.items()} if isinstance(columns, Mapping) else {},
            "method": given.get("method", AUTO),
            **{name: given[name] for name in ("epsilon", "delta", "dataset") if name in given and name in _BUDGET},
        }


def declared_in(folder: Path, name: str = FILE_NAME) -> Declared | None:
    """The configuration of a folder; None if there is none."""
    path = folder / name
    return Declared(found=read_configuration(path)) if path.is_file() else None


def require_same_ledger(declared: Declared, folder: Path, charged: Path) -> None:
    """Refuse a file that names another ledger than the one that this studio charges."""
    if declared.ledger is not None and (folder / declared.ledger).resolve() != charged.resolve():
        message = f"{FILE_NAME} names the ledger {declared.ledger!r}, and this studio charges {charged.name!r}; start it anew"
        raise ParameterError(message)


def _text(value: object) -> str:
    """A value as it is typed on the command line."""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever TOML holds
    """A value of TOML as JSON holds it: decimals and dates as their text."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value if isinstance(value, bool | int | str) else value.isoformat() if hasattr(value, "isoformat") else str(value)


# From a publication to a file.

_HEAD = """\
# How {source} is read and published. Written by the Tacita studio.
# Nothing here comes from a row: you confirmed how the file is written, and what is public.
"""

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}:[0-9]{2})?")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def declaration(publication: Publication, *, ledger: str, still_open: Collection[str] = ()) -> str:
    """The text of the file; `still_open` names lines that wait for the owner."""
    kind = kind_named(publication.kind)
    method = next((one for one in methods().values() if one.name == publication.method), None)
    values = _values(publication, kind, method) | {"ledger": ledger}
    lines = [_HEAD.format(source=publication.file), f"kind = {quoted(kind.name)}", f"input = {quoted(publication.file)}"]
    if method is not None:
        lines.append(f"method = {quoted(method.name)}")
    for table, options in tables_of(kind).items():
        own = [
            f"{key_of(option)} = {quoted(OPEN) if not values.get(name) else typed_value(option, values[name])}"
            for option in options
            if (name := option.field_name) != COLUMNS and (values.get(name) or name in still_open)
        ]
        lines += ["", f"[{table}]", *own] if own else []
    for name, one in publication.columns.items():
        lines += ["", f"[{COLUMNS}.{name if _BARE_KEY.fullmatch(name) else quoted(name)}]"]
        lines += [f"{key} = {_of_column(key, value)}" for key, value in one.items() if value != "" and value is not False]
    return "\n".join([*lines, ""])


def _values(publication: Publication, kind: Kind, method: Method | None) -> dict[str, str]:
    """Everything that was typed and means something for this method, by field name."""
    idle = MAKES_TAXONOMY if method is not None and method.option("taxonomy") is None else ()
    own = {name: text for name, text in publication.options.items() if name not in idle}
    parameters = parameters_of(publication, kind, method)
    budget = {"epsilon": publication.epsilon, "delta": publication.delta, "dataset": publication.dataset}
    if method is not None:
        budget |= {} if method.promise.takes_epsilon else {"epsilon": ""}
        budget |= {} if method.takes_delta else {"delta": ""}
    return {**publication.output, **publication.facts, **own, **parameters, **budget}


def parameters_of(publication: Publication, kind: Kind, method: Method | None) -> dict[str, str]:
    """The typed parameters that a method has; for an automatic choice, all if one method takes all, or those of every one."""
    typed = publication.parameters
    if method is not None:
        return {name: text for name, text in typed.items() if method.option(name) is not None}
    own = [one for one in methods().values() if one.kind == kind.name]
    if any(all(one.option(name) is not None for name in typed) for one in own):
        return dict(typed)
    return {name: text for name, text in typed.items() if all(one.option(name) is not None for one in own)}


def _of_column(key: str, value: object) -> str:
    if isinstance(value, str) and (
        (key in {"low", "high", "step"} and DECIMAL.fullmatch(value)) or (key in {"first", "last"} and _MOMENT.fullmatch(value))
    ):
        return value
    return quoted(value)


def lines_of(text: str) -> Iterator[str]:
    """Names or values that were typed, one per line or with commas between them."""
    for part in re.split(r"\n" if "\n" in text.strip() else r"[,\n]", text.replace("\r\n", "\n")):
        if part.strip():
            yield part.strip()
