"""The declaration of a table's columns as a JSON file, for the command line and for whoever receives a release.

    {"quasi": [{"name": "age", "type": "numeric", "low": 17, "high": 90, "widths": [5, 10, 20]},
               {"name": "job", "type": "categorical", "edges": [["lawyer", "professional"], ["professional", "*"]]}],
     "sensitive": {"name": "disease", "values": ["flu", "HIV"], "ordered": false}}

A categorical column has the edges of its tree, as pairs of child and parent, or just its `values`, all below one root. Several
sensitive columns are a list. In a `tacita.toml` the same is said column by column, with `type = "number"` or `"category"`, and
`sensitive = true`:

    [columns.age]
    type = "number"
    low = 17
    high = 90
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita.errors import ParameterError
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe, public_text
from tacita.tables.columns import Categorical, Column, Numeric, Schema, Sensitive, SensitiveColumns

__all__ = ["declared", "read_schema", "schema_as_json"]


def read_schema(path: str | Path) -> Schema:
    """Read a declaration from a JSON file."""
    text = public_text(path, what="declaration of columns", error=ParameterError)
    try:
        parsed = json.loads(text)
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


_TYPES = {"number": "numeric", "category": "categorical"}


def _by_role(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, object]:
    """What a `tacita.toml` says column by column, as quasi-identifiers and sensitive columns."""
    quasi: list[dict[str, object]] = []
    sensitive: list[dict[str, object]] = []
    for name, one in columns.items():
        kind, rest = one.get("type"), {key: value for key, value in one.items() if key not in {"type", "sensitive"}}
        if kind not in _TYPES:
            message = f"the column {name!r} must have the type number or category, got {kind!r}"
            raise ParameterError(message)
        if one.get("sensitive") is True:
            sensitive.append({"name": name, **rest})
        else:
            quasi.append({"name": name, "type": _TYPES[kind], **rest})
    return {"quasi": quasi, **({"sensitive": sensitive} if sensitive else {})}


def _column(parsed: object) -> Column:
    one = _mapping(parsed, "a quasi-identifier", {"name", "type", "low", "high", "widths", "edges", "values"})
    name = _name(one)
    match one.get("type"):
        case "numeric":
            low, high, widths = one.get("low"), one.get("high"), one.get("widths", [])
            if not isinstance(low, int) or not isinstance(high, int) or not isinstance(widths, list):
                message = f"the numeric column {name!r} must have whole numbers 'low' and 'high', and a list of widths if any"
                raise ParameterError(message)
            return Numeric(name=name, low=low, high=high, widths=tuple(widths))
        case "categorical":
            return Categorical(name=name, taxonomy=_taxonomy(name, one))
        case other:
            message = f"the column {name!r} must have the type numeric or categorical, got {other!r}"
            raise ParameterError(message)


def _taxonomy(name: str, one: Mapping[str, Any]) -> Taxonomy:
    edges, values = one.get("edges"), one.get("values")
    is_pairs = isinstance(edges, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in edges)
    if is_pairs and isinstance(edges, list):
        return Taxonomy.from_edges((str(child), str(parent)) for child, parent in edges)
    if isinstance(values, list):
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
    quasi: list[dict[str, object]] = []
    for column in schema.quasi:
        if isinstance(column, Numeric):
            quasi.append(
                {"name": column.name, "type": "numeric", "low": column.low, "high": column.high, "widths": list(column.widths)}
            )
        else:
            tree = column.taxonomy
            edges = [[tree.name(node), tree.name(parent)] for node, parent in enumerate(tree.parents) if parent >= 0]
            quasi.append({"name": column.name, "type": "categorical", "edges": edges})
    hidden = [{"name": part.name, "values": list(part.universe.labels), "ordered": part.ordered} for part in schema.hidden]
    if not hidden:
        return {"quasi": quasi}
    return {"quasi": quasi, "sensitive": hidden if len(hidden) > 1 else hidden[0]}
