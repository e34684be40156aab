"""Configuration files in TOML, for options that would otherwise be typed each time.

A file is read only if `--config` names it: privacy parameters must not come from a file that happens to lie around. It has one
table per command, with the same names as on the command line, which takes precedence. The whole file is checked, including the
tables of other commands. Amounts may be strings or numbers, and a number means exactly the decimals that are written.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import NoReturn

from tacita.cli.parser import Parser, below, every_parser, visible
from tacita.errors import ParameterError
from tacita.kinds.registration import PRIVATE, amount, height, level, number, number_or_text, texts, whole_numbers

__all__ = ["apply_config", "key_of"]

NOT_HELD = ("config", "version")
"""Options that make no sense in a configuration file."""


def apply_config(parser: Parser, arguments: Sequence[str], typed: Sequence[str]) -> list[str]:
    """Make the contents of the named file the parser's defaults; options that it sets need not be typed.

    The words to parse come back: with the kind of the command's table, if none was typed.
    """
    name = _named(typed)
    if name is None:  # the parser says what is wrong
        return list(arguments)
    content = _read(name)
    words, typed = list(arguments), list(typed)
    for command, child in below(parser).items():
        table = content.get(command, {})
        table = table if isinstance(table, dict) else {}
        own = list(typed[1:]) if typed[:1] == [command] else []
        child.filled([*own, *map(str, table.values())])
        if child.above and own and own[0] in below(child):
            table["kind"] = own[0]
        elif child.above and typed[:1] == [command] and isinstance(table.get("kind"), str):
            words.insert(1, str(table["kind"]))
    _apply(_Place(file=name), content, dict(every_parser(parser)))
    return words


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A place in a configuration file, for error messages."""

    file: str
    path: tuple[str, ...] = ()
    key: str = ""

    def refuse(self, rule: str) -> NoReturn:
        table = f"[{'.'.join(self.path)}] " if self.path else ""
        message = f"the configuration {self.file!r}: {table}{self.key}{' ' if self.key else ''}{rule}"
        raise ParameterError(message)


def key_of(action: argparse.Action) -> str:
    """The name of an option in a file: as it is typed, without the dashes."""
    return action.option_strings[0].removeprefix("--") if action.option_strings else action.dest


def _named(typed: Sequence[str]) -> str | None:
    """The last file given; `--config` cannot be the value of another option, because the parser would not accept that."""
    name = None
    for place, word in enumerate(typed):
        if word.startswith("--config="):
            name = word.removeprefix("--config=")
        elif word == "--config" and place + 1 < len(typed):
            name = typed[place + 1]
    return name


def _read(name: str) -> dict[str, object]:
    try:
        return tomllib.loads(Path(name).read_text(encoding="utf-8"), parse_float=Decimal)
    except FileNotFoundError:
        message = f"the configuration {name!r} does not exist"
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = f"the configuration {name!r} must be TOML: {error}"
    except (OSError, ValueError) as error:
        message = f"the configuration {name!r} cannot be read as UTF-8 text: {type(error).__name__}"
    raise ParameterError(message)


def _apply(place: _Place, table: Mapping[str, object], parsers: Mapping[tuple[str, ...], Parser]) -> None:
    if parsers[place.path].above and "kind" in table:
        kind, table = table["kind"], {key: value for key, value in table.items() if key != "kind"}
        if kind not in below(parsers[place.path]):
            replace(place, key="kind").refuse(f"must be one of {', '.join(below(parsers[place.path]))}, got {kind!r}")
        place = replace(place, path=(*place.path, str(kind)))
    lower = [path[-1] for path in parsers if path and path[:-1] == place.path]
    options = {key_of(action): action for action in visible(parsers[place.path]) if key_of(action) not in NOT_HELD}
    for key, value in table.items():
        here = replace(place, key=key)
        if key in lower:
            if not isinstance(value, dict):
                here.refuse(f"must be a table, got {value!r}")
            _apply(_Place(file=place.file, path=(*place.path, key)), value, parsers)
        elif key in options:
            _set_default(options[key], _checked(options[key], value, here))
        else:
            place.refuse(f"must not hold {key!r}; it may hold {', '.join([*lower, *options]) or 'nothing'}")


def _checked(action: argparse.Action, value: object, place: _Place) -> object:
    """The same value that typing it would have given."""
    meant, rule = _meaning(action, value)
    if meant is None:
        place.refuse(f"must be {rule}, got {value!r}")
    if action.choices is not None and meant not in action.choices:
        place.refuse(f"must be one of {', '.join(map(str, action.choices))}, got {value!r}")
    return meant


def _meaning(action: argparse.Action, value: object) -> tuple[object | None, str]:
    """The converted value, or None if it is invalid, and a description of what it must be."""
    if action.nargs == 0:
        return (value if isinstance(value, bool) else None), "true or false"
    meaning, rule = _MEANINGS.get(action.type, (_as_text, "a string"))
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
    whole_numbers: (partial(_as_list_of, int), "a list of whole numbers"),
    texts: (partial(_as_list_of, str), "a list of strings"),
}
"""What a file may hold for an option, by the function that converts the typed value."""


def _set_default(action: argparse.Action, value: object) -> None:
    action.default = value
    action.required = False
    if not action.option_strings:
        action.nargs = "?"
