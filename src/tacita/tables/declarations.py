"""The declaration of a table's columns as a JSON file, for the command line and for whoever receives a release.

    {"quasi": [{"name": "age", "type": "numeric", "low": 17, "high": 90, "widths": [5, 10, 20]},
               {"name": "job", "type": "categorical", "edges": [["lawyer", "professional"], ["professional", "*"]]}],
     "sensitive": {"name": "disease", "values": ["flu", "HIV"], "ordered": false}}

A categorical column has the edges of its tree, as pairs of child and parent, or just its `values`, all below one root. Several
sensitive columns are a list. In a `tacita.toml`, and in Python, the same is said column by column, with the types `number`,
`category`, `yes/no`, `date` and `time`, and `sensitive = true`:

    [columns.income]
    type = "number"
    low = 0
    high = 9999.5
    step = 0.5
    missing = true            # having no value is a value of its own; false: rows without a value are left out
    otherwise = "bound"       # numbers outside are moved to the bound; or "drop" the row, or take it for "missing"

    [columns.admitted]
    type = "date"
    first = 2020-01-01
    last = 2024-12-31
    format = "%d.%m.%Y"
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any

from tacita.errors import ParameterError
from tacita.public.taxonomy import ROOT, Taxonomy
from tacita.public.universe import Universe, public_text
from tacita.tables.columns import Categorical, Column, Moment, Numeric, Otherwise, Written
from tacita.tables.schema import Schema, Sensitive, SensitiveColumns
from tacita.tables.values import DAY, declared_moment

__all__ = ["declared", "read_schema", "schema_as_json"]


def read_schema(path: str | Path) -> Schema:
    """Read a declaration from a JSON file."""
    text = public_text(path, what="declaration of columns", error=ParameterError)
    try:
        parsed = json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError as error:
        message = f"the declaration of columns {str(path)!r} must be JSON, line {error.lineno} is not"
        raise ParameterError(message) from None
    return declared(parsed)


def declared(parsed: object) -> Schema:
    """The schema that a parsed declaration means.

    >>> declared({"quasi": [{"name": "age", "type": "numeric", "low": 0, "high": 9}]}).names
    ('age',)
    """
    if isinstance(parsed, Mapping) and parsed and all(isinstance(one, Mapping) for one in parsed.values()):
        parsed = _by_role(parsed)
    whole = _mapping(parsed, "a declaration of columns", {"quasi", "sensitive"})
    quasi = whole.get("quasi")
    if not isinstance(quasi, list):
        message = "a declaration of columns must have a list 'quasi'"
        raise ParameterError(message)
    return Schema(quasi=tuple(_column(each) for each in quasi), sensitive=_sensitive(whole.get("sensitive")))


_TYPES = {"number": "numeric", "category": "categorical", "yes/no": "yes/no", "date": "date", "time": "time"}
"""What a `tacita.toml` calls a type, and what a JSON file does."""

_FIELDS = {
    "numeric": {"low", "high", "step", "widths", "decimal"},
    "categorical": {"edges", "values", "written"},
    "yes/no": {"values"},
    "date": {"first", "last", "step", "format"},
    "time": {"first", "last", "step", "format"},
}
"""What is declared of a column of each type, beside its name, whether it may be missing, and what happens to misfits."""

_COMMON = {"name", "type", "missing", "otherwise"}


def _by_role(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, object]:
    """What a `tacita.toml` says column by column, as quasi-identifiers and sensitive columns."""
    quasi: list[dict[str, object]] = []
    sensitive: list[dict[str, object]] = []
    for name, one in columns.items():
        kind, rest = one.get("type"), {key: value for key, value in one.items() if key not in {"type", "sensitive"}}
        if kind not in _TYPES:
            message = f"the column {name!r} must have one of the types {', '.join(_TYPES)}, got {kind!r}"
            raise ParameterError(message)
        if one.get("sensitive") is True:
            sensitive.append({"name": name, **rest})
        else:
            quasi.append({"name": name, "type": _TYPES[kind], **rest})
    return {"quasi": quasi, **({"sensitive": sensitive} if sensitive else {})}


def _column(parsed: object) -> Column:
    one = _mapping(parsed, "a quasi-identifier", _COMMON.union(*_FIELDS.values()))
    name, kind = _name(one), one.get("type")
    if kind not in _FIELDS:
        message = f"the column {name!r} must have one of the types {', '.join(_FIELDS)}, got {kind!r}"
        raise ParameterError(message)
    unknown = set(one) - _COMMON - _FIELDS[kind]
    if unknown:
        known = ", ".join(sorted(_FIELDS[kind]))
        message = f"the {kind} column {name!r} must not have {', '.join(sorted(unknown))}; it may have {known}"
        raise ParameterError(message)
    missing = one.get("missing", False)
    if not isinstance(missing, bool):
        message = f"the column {name!r} must have missing = true or false, got {missing!r}"
        raise ParameterError(message)
    if kind == "numeric":
        return _numeric(name, one, missing=missing)
    if kind in {"date", "time"}:
        return _moments(name, one, missing=missing)
    return _categorical(name, one, missing=missing)


def _otherwise(name: str, one: Mapping[str, Any], usual: Otherwise) -> Otherwise:
    said = one.get("otherwise", usual)
    if said not in set(Otherwise):
        message = f"the column {name!r} must have otherwise = one of {', '.join(Otherwise)}, got {said!r}"
        raise ParameterError(message)
    return Otherwise(said)


def _numeric(name: str, one: Mapping[str, Any], *, missing: bool) -> Numeric:
    widths = one.get("widths", [])
    if "low" not in one or "high" not in one or not isinstance(widths, list):
        message = f"the numeric column {name!r} must have numbers 'low' and 'high', and a list of widths if any"
        raise ParameterError(message)
    return Numeric(
        name=name,
        low=one["low"],
        high=one["high"],
        step=one.get("step", 1),
        widths=tuple(widths),
        decimal=one.get("decimal", "."),
        missing=missing,
        otherwise=_otherwise(name, one, Otherwise.BOUND),
    )


_STEP = re.compile(r"([1-9][0-9]*)(us|ms|s|min|h|d)")
_LENGTHS = {"us": 1, "ms": 10**3, "s": 10**6, "min": 60 * 10**6, "h": 3600 * 10**6, "d": 86_400 * 10**6}


def _usual_step(pattern: str | None) -> str:
    """The smallest part of a time that is written."""
    if pattern is None or any(letter in pattern for letter in ("%S", "%T", "%s", "%X", "%c", "%r", "%+")):
        return "1s"
    return "1min" if any(letter in pattern for letter in ("%M", "%R")) else "1h"


def _moments(name: str, one: Mapping[str, Any], *, missing: bool) -> Moment:
    if "first" not in one or "last" not in one:
        message = f"the column {name!r} of dates or times must have 'first' and 'last'"
        raise ParameterError(message)
    pattern, is_time = one.get("format"), one["type"] == "time"
    if not isinstance(pattern, str | None):
        message = f"the format of {name!r} must be a pattern such as '%d.%m.%Y', got {pattern!r}"
        raise ParameterError(message)
    step = one.get("step", _usual_step(pattern) if is_time else "1d")
    said = _STEP.fullmatch(str(step))
    if said is None:
        message = f"the step of {name!r} must be such as 1d, 12h, 15min or 1s, got {step!r}"
        raise ParameterError(message)
    length = timedelta(microseconds=int(said[1]) * _LENGTHS[said[2]])
    first, last = (declared_moment(one[part], name=f"{part} of {name}") for part in ("first", "last"))
    if is_time and not isinstance(first, datetime) and not isinstance(last, datetime):
        first = datetime.combine(first, clock.min)  # whole days: from the first midnight to the last step before the next
        last = datetime.combine(last, clock.min) + DAY - length
    found = Moment(
        name=name,
        first=first,
        last=last,
        step=length,
        pattern=pattern,
        missing=missing,
        otherwise=_otherwise(name, one, Otherwise.BOUND),
    )
    if found.is_day is is_time:
        message = f"the column {name!r} must have dates as bounds if its type is date, and two dates or two times if it is time"
        raise ParameterError(message)
    return found


def _categorical(name: str, one: Mapping[str, Any], *, missing: bool) -> Categorical:
    values, written = one.get("values"), one.get("written", Written.TEXT)
    if one["type"] == "yes/no":
        values = ["false", "true"] if values is None else values
        written = Written.BOOLEAN if values == ["false", "true"] else Written.TEXT
        if not isinstance(values, list) or len(values) != 2:
            message = f"the yes/no column {name!r} must have two 'values', the one for no first, or none for false and true"
            raise ParameterError(message)
        one = {"values": values, **({"otherwise": one["otherwise"]} if "otherwise" in one else {})}
    elif isinstance(values, list) and values and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        written = Written.WHOLE
    if written not in set(Written):
        message = f"the categorical column {name!r} must be written as one of {', '.join(Written)}, got {written!r}"
        raise ParameterError(message)
    return Categorical(
        name=name,
        taxonomy=_taxonomy(name, one),
        written=Written(written),
        missing=missing,
        otherwise=_otherwise(name, one, Otherwise.DROP),
    )


def _taxonomy(name: str, one: Mapping[str, Any]) -> Taxonomy:
    edges, values = one.get("edges"), one.get("values")
    is_pairs = isinstance(edges, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in edges)
    if is_pairs and isinstance(edges, list):
        return Taxonomy.from_edges((str(child), str(parent)) for child, parent in edges)
    if isinstance(values, list):
        if ROOT in map(str, values):  # the release could not be told from one in which that value was hidden, nor be opened
            message = f"the categorical column {name!r} must not have the value {ROOT!r}, which stands for all of them; rename it"
            raise ParameterError(message)
        return Taxonomy.flat(Universe(str(value) for value in values))
    message = f"the categorical column {name!r} must have 'edges', a list of pairs of child and parent, or a list of 'values'"
    raise ParameterError(message)


def _sensitive(parsed: object) -> Sensitive | SensitiveColumns | None:
    if parsed is None:
        return None
    if isinstance(parsed, list) and len(parsed) > 1:
        return SensitiveColumns(parts=tuple(_one_sensitive(each) for each in parsed))
    return _one_sensitive(parsed[0] if isinstance(parsed, list) and parsed else parsed)


def _one_sensitive(parsed: object) -> Sensitive:
    one = _mapping(parsed, "the sensitive column", {"name", "values", "ordered"})
    values = one.get("values")
    if not isinstance(values, list):
        message = "the sensitive column must have a list of its public 'values'"
        raise ParameterError(message)
    universe = Universe(str(value) for value in values)
    return Sensitive(name=_name(one), universe=universe, ordered=bool(one.get("ordered", False)))


def _mapping(parsed: object, what: str, known: set[str]) -> Mapping[str, Any]:
    if not isinstance(parsed, Mapping) or not set(parsed) <= known:
        message = f"{what} must be an object with the fields {', '.join(sorted(known))} and no others"
        raise ParameterError(message)
    return parsed


def _name(one: Mapping[str, Any]) -> str:
    name = one.get("name")
    if not isinstance(name, str) or not name:
        message = "every declared column must have a name"
        raise ParameterError(message)
    return name


def schema_as_json(schema: Schema) -> dict[str, object]:
    """The declaration that `declared` reads back."""
    quasi = [{"name": column.name, **_as_json(column), **_beside(column)} for column in schema.quasi]
    hidden = [{"name": part.name, "values": list(part.universe.labels), "ordered": part.ordered} for part in schema.hidden]
    if not hidden:
        return {"quasi": quasi}
    return {"quasi": quasi, "sensitive": hidden if len(hidden) > 1 else hidden[0]}


def _as_json(column: Column) -> dict[str, object]:
    if isinstance(column, Numeric):
        numbers = {part: getattr(column, part) for part in ("low", "high", "step")}
        said = {part: number if isinstance(number, int) else str(number) for part, number in numbers.items()}
        usual = {"step": 1, "decimal": "."}
        kept = {name: value for name, value in {**said, "decimal": column.decimal}.items() if usual.get(name) != value}
        return {"type": "numeric", **kept, "widths": list(column.widths)}
    if isinstance(column, Moment):
        step = (column.step or DAY) // timedelta(microseconds=1)
        unit = next(unit for unit in ("d", "h", "min", "s", "ms", "us") if not step % _LENGTHS[unit])
        bounds = {"first": column.first.isoformat(), "last": column.last.isoformat(), "step": f"{step // _LENGTHS[unit]}{unit}"}
        pattern = {} if column.pattern is None else {"format": column.pattern}
        return {"type": "date" if column.is_day else "time", **bounds, **pattern}
    tree = column.taxonomy
    edges = [[tree.name(node), tree.name(parent)] for node, parent in enumerate(tree.parents) if parent >= 0]
    written = {} if column.written is Written.TEXT else {"written": column.written}
    return {"type": "categorical", "edges": edges, **written}


def _beside(column: Column) -> dict[str, object]:
    """What is declared of missing values and misfits, where it is not as usual."""
    usual = Otherwise.DROP if isinstance(column, Categorical) else Otherwise.BOUND
    said: dict[str, object] = {"missing": True} if column.missing else {}
    return said if column.otherwise is usual else {**said, "otherwise": column.otherwise}
