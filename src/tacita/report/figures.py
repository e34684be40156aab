"""Figures as tables: whatever a measure gives as JSON, of any kind of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tacita.pictures import Cell, Table

__all__ = ["tables_of", "words_of"]

LEFT_OUT = ("warning",)
MOST_VALUES = 24


def tables_of(title: str, figures: Mapping[str, Any]) -> list[Table]:
    """One table for all single figures, and one for each list or mapping of them.

    >>> [table.caption for table in tables_of("kept", {"rows": 3, "queries": [{"length": 1, "error": 0.5}]})]
    ['kept', 'kept: queries']
    """
    single: list[tuple[Cell, ...]] = []
    found: list[Table] = []
    for name, value in figures.items():
        words = _words(name)
        if name in LEFT_OUT or value is None:
            continue
        if isinstance(value, Mapping) and value and all(not isinstance(each, Mapping | list) for each in value.values()):
            single += [(f"{words}, {_words(key)}", _cell(each)) for key, each in value.items() if key not in LEFT_OUT]
        elif isinstance(value, Mapping):
            found += _mapping(f"{title}: {words}", value)
        elif isinstance(value, list):
            found += list(_rows(f"{title}: {words}", value))
        else:
            single.append((words, _cell(value)))
    return ([Table(caption=title, columns=("figure", "value"), rows=tuple(single))] if single else []) + found


def _mapping(caption: str, value: Mapping[str, Any]) -> list[Table]:
    """Rows by name if all have the same parts, else a table for each part."""
    parts = list(value.values())
    if parts and all(isinstance(each, Mapping) and list(each) == list(parts[0]) for each in parts):
        flat = all(not isinstance(cell, Mapping | list) for each in parts for cell in each.values())
        if flat:
            rows = tuple((_words(name), *(_cell(cell) for cell in each.values())) for name, each in value.items())
            return [Table(caption=caption, columns=("", *(_words(key) for key in parts[0])), rows=rows)]
    return tables_of(caption, value)


def _rows(caption: str, value: Sequence[Any]) -> Iterator[Table]:
    if not value:
        return
    if not all(isinstance(each, Mapping) for each in value):
        numbered = tuple((place, _cell(each)) for place, each in enumerate(value[:MOST_VALUES], start=1))
        more = f", the first {MOST_VALUES} of {len(value):,}" if len(value) > MOST_VALUES else ""
        yield Table(caption=caption + more, columns=("place", "value"), rows=numbered)
        return
    columns = [key for key in value[0] if not _is_table(value[0][key]) and any(each.get(key) not in (None, []) for each in value)]
    if len(columns) > 1:
        rows = tuple(tuple(_cell(each.get(key)) for key in columns) for each in value)
        yield Table(caption=caption, columns=tuple(_words(key) for key in columns), rows=rows)
    for each in value:
        for key in each:
            if _is_table(each[key]):
                name = str(next((each[key] for key in columns), ""))
                yield from _rows(f"{caption}, {name}: {_words(key)}", each[key])


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def words_of(value: object) -> str:
    """A parameter as people read it.

    >>> words_of(["a", 2]), words_of(True), words_of(0.5)
    ('a; 2', 'yes', '0.5')
    """
    if isinstance(value, list):
        return "; ".join(map(words_of, value))
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, str | int | float):
        return str(value) if isinstance(value, bool) else value
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    return str(value)
