"""`tacita.toml`: how one private file is read and published, declared by its owner.

    kind = "sequences"
    input = "taps.csv"
    [reading]                 # how the file is written, and which column is what
    separator = ";"
    person = "card"
    [public]                  # public inputs and facts, which must not come from the file
    universe = "stations.txt"
    [budget]
    epsilon = 1               # exactly as it is written
    ledger = "taps.ledger"
    [output]
    out = "release"

`tacita inspect` writes it, the owner confirms it, and `publish`, `explain`, `evaluate`, `report`, `stream`, `ta.publish` and the
studio read it. Keys are the options of the command line without their dashes, each in the table where it belongs. A value of "?"
is a line that the owner has not confirmed yet. The columns of a table are tables of their own: `[columns.age]`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from tacita.errors import ParameterError
from tacita.kinds import Kind, kinds, methods
from tacita.kinds.options import BUDGET_OPTIONS, FACT_OPTIONS, OUTPUT_OPTIONS, REPORT_OPTIONS, STREAM_OPTIONS
from tacita.kinds.registration import (
    PRIVATE,
    Option,
    amount,
    byte_size,
    height,
    level,
    number,
    number_or_text,
    texts,
    whole_numbers,
)

__all__ = [
    "COLUMNS",
    "DECIMAL",
    "FILE_NAME",
    "OPEN",
    "Configuration",
    "key_of",
    "quoted",
    "read_configuration",
    "tables_of",
    "typed_value",
]

FILE_NAME = "tacita.toml"
"""The file that commands look for in the working directory."""

OPEN = "?"
"""The value of a line that the owner has not confirmed yet."""

COLUMNS = "columns"
"""The table that declares the columns of a table, and the option that it represents."""

LARGEST_FILE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """What a file declares; values are what typing them would have given."""

    file: Path
    kind: Kind
    values: Mapping[str, Any]
    """By field name: options of the kind and its methods, budget, ledger, output, and `input` and `method`."""
    table_of: Mapping[str, str]
    """The table that each value stands in; empty for what stands above all tables."""
    open_lines: Mapping[str, int]
    """What is not confirmed yet: by field name, or the name of a column, the number of its line."""

    def require_confirmed(self, typed: frozenset[str] = frozenset()) -> None:
        """Refuse if a line is still open that nothing typed replaces."""
        left = {name: line for name, line in self.open_lines.items() if name not in typed}
        if left:
            named = ", ".join(f"{name.replace('_', '-')} (line {line})" for name, line in left.items())
            message = (
                f"{self.file} has lines that you have not confirmed: {named}; replace each {OPEN!r} by what is public, "
                "never by what the data show"
            )
            raise ParameterError(message)


def tables_of(kind: Kind) -> dict[str, tuple[Option, ...]]:
    """The tables of a file for data of this kind, in order, and the options that each may hold."""
    parameters: dict[str, Option] = {}
    public = {option.field_name for option in kind.public_options}
    for method in methods().values():
        if method.kind == kind.name:
            parameters |= {option.field_name: option for option in method.options if option.field_name not in public}
    found = {
        "reading": kind.reading_options,
        "public": (*kind.public_options, *FACT_OPTIONS),
        "parameters": tuple(parameters.values()),
        "budget": BUDGET_OPTIONS,
        "output": OUTPUT_OPTIONS,
    }
    if "cells" in public:
        found["report"] = REPORT_OPTIONS
    return found if kind.live is None else {**found, "stream": STREAM_OPTIONS}


def read_configuration(path: str | Path) -> Configuration:
    """Read and check a whole file, the tables that a command does not use included."""
    file = Path(path)
    text = _text(file)
    try:
        parsed = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = f"{file} must be TOML: {error}"
        raise ParameterError(message) from None
    refuse = partial(_refuse, file)
    kind = _kind(parsed.pop("kind", None), refuse)
    values: dict[str, Any] = {}
    table_of: dict[str, str] = {}
    lines = _open_lines(text)
    still_open: dict[str, int] = {}
    tables = tables_of(kind)
    declared = parsed.pop(COLUMNS, None)
    if declared is not None:
        if COLUMNS not in {option.field_name for option in kind.public_options}:
            refuse("", f"must not hold [{COLUMNS}]: {kind.name} have none to declare")
        values[COLUMNS], open_columns = _declared_columns(declared, refuse)
        table_of[COLUMNS] = "public"
        still_open |= {f"{name}.{key}": lines.get((f"{COLUMNS}.{name}", key), 0) for name, key in open_columns}
    for where, option, value in _settings(parsed, tables, refuse):
        if value == OPEN:
            still_open[option.field_name] = lines.get((where, key_of(option)), 0)
        else:
            values[option.field_name], table_of[option.field_name] = _checked(option, value, partial(refuse, where)), where
    open_lines = dict(sorted(still_open.items(), key=lambda one: one[1]))
    return Configuration(file=file, kind=kind, values=values, table_of=table_of, open_lines=open_lines)


def _text(file: Path) -> str:
    """The text of the file; a file of this size or larger was not written by hand."""
    try:
        if not file.is_file() or file.stat().st_size <= LARGEST_FILE:
            return file.read_text(encoding="utf-8-sig")
        message = f"{file} is larger than a configuration may be ({LARGEST_FILE:,} bytes)"
    except FileNotFoundError:
        message = f"{file} does not exist; `tacita inspect FILE` writes one for a private file"
    except (OSError, ValueError) as error:
        message = f"{file} cannot be read as UTF-8 text: {type(error).__name__}"
    raise ParameterError(message)


Refuse = Callable[[str, str], NoReturn]


def _refuse(file: Path, table: str, rule: str) -> NoReturn:
    where = f"[{table}] " if table else ""
    message = f"{file}: {where}{rule}"
    raise ParameterError(message)


def _kind(named: object, refuse: Refuse) -> Kind:
    if named in (None, OPEN):
        refuse("", f"must say what kind of data this is: kind = one of {', '.join(kinds())}")
    if not isinstance(named, str) or named not in kinds():
        refuse("", f"kind must be one of {', '.join(kinds())}, got {named!r}")
    return kinds()[named]


_TOP = (
    Option(field_name="input", help="the private file"),
    Option(field_name="method", help="how to publish"),
)
"""What stands above all tables, beside the kind."""


def key_of(option: Option) -> str:
    """The key of an option: as it is typed, without the dashes."""
    return option.flag.removeprefix("--")


def _settings(
    parsed: Mapping[str, object], tables: Mapping[str, tuple[Option, ...]], refuse: Refuse
) -> Iterator[tuple[str, Option, object]]:
    """Every table, option and value of a file; what belongs nowhere, or elsewhere, is refused."""
    homes = {key_of(option): table for table, options in tables.items() for option in options} | {key_of(one): "" for one in _TOP}
    known = {key_of(option): option for options in (*tables.values(), _TOP) for option in options}
    for name, value in parsed.items():
        inside = value if name in tables and isinstance(value, dict) else None
        for key, one in ((name, value),) if inside is None else inside.items():
            where = "" if inside is None else name
            if key not in known:
                near = get_close_matches(key, [*known, *tables], n=1)
                refuse(where, f"must not hold {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
            if homes[key] != where:
                refuse(where, f"must not hold {key!r}: it belongs {f'to [{homes[key]}]' if homes[key] else 'above all tables'}")
            yield where, known[key], one


# The columns of a table, as the kind's own code will read them.


def _declared_columns(declared: object, refuse: Refuse) -> tuple[dict[str, dict[str, object]], list[tuple[str, str]]]:
    """Each column's declaration without its open lines, and these."""
    columns: dict[str, dict[str, object]] = {}
    still_open: list[tuple[str, str]] = []
    for name, one in declared.items() if isinstance(declared, dict) else ():
        if not isinstance(one, dict):
            refuse(COLUMNS, f"must hold one table per column, such as [{COLUMNS}.age], got {name} = {one!r}")
        still_open += [(name, key) for key, value in one.items() if value == OPEN]
        columns[name] = {key: value for key, value in one.items() if value != OPEN}
    if not columns:
        refuse("", f"[{COLUMNS}] must hold one table per column, such as [{COLUMNS}.age]")
    return columns, still_open


_HEADER = re.compile(r"\s*\[\s*([^\]]+?)\s*\]")
_OPEN_LINE = re.compile(r"""\s*([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=\s*(?:"\?"|'\?')\s*(?:#.*)?$""")


def _open_lines(text: str) -> dict[tuple[str, str], int]:
    """The numbers of the lines that are not confirmed, by table and key; TOML's parser does not tell them."""
    found: dict[tuple[str, str], int] = {}
    table = ""
    for number_of_line, line in enumerate(text.splitlines(), start=1):
        header, left = _HEADER.match(line), _OPEN_LINE.match(line)
        if header is not None:
            table = ".".join(part.strip(" \"'") for part in re.split(r"""\.(?=(?:[^"]*"[^"]*")*[^"]*$)""", header[1]))
        elif left is not None:
            found[table, left[1].strip("\"'")] = number_of_line
    return found


# Values: what typing them would have given.


def _checked(option: Option, value: object, refuse: Callable[[str], NoReturn]) -> object:
    meant, rule = _meaning(option, value)
    if meant is None:
        refuse(f"{key_of(option)} must be {rule}, got {value!r}")
    if option.choices is not None and meant not in option.choices:
        refuse(f"{key_of(option)} must be one of {', '.join(option.choices)}, got {value!r}")
    return meant


def _meaning(option: Option, value: object) -> tuple[object | None, str]:
    """The converted value, or None if it is invalid, and what it must be."""
    if option.switch:
        return (value if isinstance(value, bool) else None), "true or false"
    meaning, rule = _MEANINGS.get(option.convert, (_as_text, "a string"))
    return meaning(value), rule


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _as_whole(value: object) -> object | None:
    return value if _is_number(value) else None


def _as_height(value: object) -> object | None:
    is_private = isinstance(value, str) and value.startswith(PRIVATE) and value.removeprefix(PRIVATE).isdecimal()
    return value if is_private else _as_whole(value)


def _as_number(value: object) -> object | None:
    return float(str(value)) if _is_number(value) or isinstance(value, Decimal) else None


def _as_level(value: object) -> object | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _as_number_or_text(value: object) -> object | None:
    return str(value) if _is_number(value) or isinstance(value, str) else None


def _as_amount(value: object) -> object | None:
    return str(value) if _is_number(value) or isinstance(value, str | Decimal) else None


def _as_size(value: object) -> object | None:
    try:
        return byte_size(str(value)) if _is_number(value) or isinstance(value, str) else None
    except ValueError:
        return None


def _as_list_of(kind: type, value: object) -> object | None:
    return tuple(value) if isinstance(value, list) and all(type(part) is kind for part in value) else None


def _as_text(value: object) -> object | None:
    return value if isinstance(value, str) else None


_MEANINGS: dict[object, tuple[Callable[[object], object | None], str]] = {
    int: (_as_whole, "a whole number"),
    height: (_as_height, f"a whole number, or '{PRIVATE}LONGEST'"),
    number: (_as_number, "a number"),
    level: (_as_level, "a whole number, or the name of a level"),
    number_or_text: (_as_number_or_text, "a whole number or a string"),
    amount: (_as_amount, "an amount such as 1, 0.5 or '1/3'"),
    byte_size: (_as_size, "a size such as '500MB'"),
    whole_numbers: (partial(_as_list_of, int), "a list of whole numbers"),
    texts: (partial(_as_list_of, str), "a list of strings"),
}
"""What a file may hold for an option, by the function that converts the typed value."""


# Values the other way round: what was typed, as a file holds it.

_WHOLE, DECIMAL = re.compile(r"[+-]?(0|[1-9][0-9]*)"), re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?")
_BARE: dict[object, re.Pattern[str]] = {
    **dict.fromkeys((int, height, level, number_or_text, byte_size), _WHOLE),
    **dict.fromkeys((number, amount), DECIMAL),
}
"""What needs no quotation marks, by the function that converts the typed value."""


def typed_value(option: Option, text: str) -> str:
    """A typed text as TOML; what does not have the form that the option needs stays a string, and is refused by name."""
    if option.switch:
        return "true"
    if option.convert in (texts, whole_numbers):
        parts = [part.strip() for part in text.split(",") if part.strip()]
        return "[" + ", ".join(part if option.convert is whole_numbers else quoted(part) for part in parts) + "]"
    bare = _BARE.get(option.convert)
    return text if bare is not None and bare.fullmatch(text) else quoted(text)


def quoted(value: object) -> str:
    """A value in TOML: its strings and lists are those of JSON, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
