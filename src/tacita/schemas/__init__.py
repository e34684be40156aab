"""JSON schemas of what Tacita writes and prints, one file per version, and a check of documents against them.

A released version never changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from importlib.resources import files
from typing import Any

__all__ = ["manifest_schema", "output_schema", "violations"]


def manifest_schema() -> dict[str, object]:
    """The schema of a manifest."""
    return _read("manifest-1.json")


def output_schema(name: str) -> dict[str, object]:
    """The schema of what a command prints with `--json`, by the name that the output carries, such as `tacita-publish-1`."""
    return _read(f"{name.removeprefix('tacita-')}.json")


def _read(file: str) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(files("tacita.schemas").joinpath(file).read_text(encoding="utf-8"))
    return loaded


# Whether a document follows one of our schemas: the part of JSON Schema (draft 2020-12) that they use, and nothing more.
#
# A schema with any other keyword is refused, so that nothing passes because a keyword was not understood. A test compares this
# with the reference implementation.

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}
_WORDS = {"$schema", "$id", "$defs", "title", "description", "then"}


def violations(document: object, schema: Mapping[str, Any]) -> list[str]:
    """What is wrong with a document, each with where it is; nothing if it follows the schema.

    >>> violations({"a": "x"}, {"type": "object", "properties": {"a": {"type": "integer"}}})
    ['a: must be of the type integer']
    """
    return list(_wrong(document, schema, schema, ""))


def _wrong(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    for word, told in schema.items():
        check = _CHECKS.get(word)
        if check is not None:
            yield from check(value, told, schema, root, where)
        elif word not in _WORDS:
            message = f"the schema has the keyword {word!r}, which is not known here"
            raise NotImplementedError(message)


def _said(where: str, words: str) -> str:
    return f"{where.lstrip('.') or 'the document'}: {words}"


def _is(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer())


def _type(value: Any, told: Any, _schema: Any, _root: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    names = told if isinstance(told, list) else [told]
    if not any(_is(value, name) for name in names):
        yield _said(where, f"must be of the type {' or '.join(names)}")


def _reference(value: Any, told: str, _schema: Any, root: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    found: Any = root
    for part in told.removeprefix("#/").split("/"):
        found = found[part]
    yield from _wrong(value, found, root, where)


def _properties(value: Any, told: Mapping[str, Any], _schema: Any, root: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        for name, part in told.items():
            if name in value:
                yield from _wrong(value[name], part, root, f"{where}.{name}")


def _required(value: Any, told: list[str], _schema: Any, _root: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        yield from (_said(where, f"{name!r} is missing") for name in told if name not in value)


def _others(value: Any, told: Any, schema: Mapping[str, Any], root: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    if isinstance(value, dict) and told is not True:
        for name in value.keys() - schema.get("properties", {}).keys():
            if told is False:
                yield _said(where, f"{name!r} is not foreseen")
            else:
                yield from _wrong(value[name], told, root, f"{where}.{name}")


def _items(value: Any, told: Mapping[str, Any], _schema: Any, root: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        for place, each in enumerate(value):
            yield from _wrong(each, told, root, f"{where}[{place}]")


def _plain(value: Any, told: Any, word: str) -> str | None:  # noqa: ANN401 - JSON
    """Keywords about a single value, in words if one is broken."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match word:
        case "const":
            broken = value != told
        case "enum":
            broken = value not in told
        case "minimum":
            broken = is_number and value < told
        case "format":
            broken = isinstance(value, str) and not _is_date(value)
        case "pattern":
            broken = isinstance(value, str) and re.search(told, value) is None
        case _:
            broken = isinstance(value, list if word == "minItems" else str) and len(value) < told
    return f"{word} {told!r} is broken" if broken else None


def _is_date(value: str) -> bool:
    """Our schemas know one format, that of a day."""
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _one_of(value: Any, told: list[Mapping[str, Any]], _schema: Any, root: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    fitting = sum(not list(_wrong(value, each, root, where)) for each in told)
    if fitting != 1:
        yield _said(where, f"must follow one of {len(told)} forms, follows {fitting}")


def _condition(value: Any, told: Any, schema: Any, root: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    if "then" in schema and not list(_wrong(value, told, root, where)):
        yield from _wrong(value, schema["then"], root, where)


def _all_of(value: Any, told: list[Mapping[str, Any]], _schema: Any, root: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    for each in told:
        yield from _wrong(value, each, root, where)


def _single(word: str) -> Any:  # noqa: ANN401 - a check
    def check(value: Any, told: Any, _schema: Any, _root: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - JSON
        words = _plain(value, told, word)
        if words is not None:
            yield _said(where, words)

    return check


_CHECKS: dict[str, Any] = {
    "type": _type,
    "$ref": _reference,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _others,
    "items": _items,
    "oneOf": _one_of,
    "if": _condition,
    "allOf": _all_of,
    **{word: _single(word) for word in ("const", "enum", "format", "minimum", "minItems", "minLength", "pattern")},
}
