"""Options that are fields of the library's dataclasses, or parameters of its readers, as rows of two tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tacita.cli.words.common import Container, add_switch

__all__ = ["FieldOption", "add_options", "typed"]


@dataclass(frozen=True, kw_only=True)
class FieldOption:
    """One public parameter: a text, a number, a choice, a list, a file, or a switch."""

    field_name: str
    help: str
    methods: tuple[str, ...] = ()
    convert: Callable[[str], object] = str
    choices: tuple[str, ...] | None = None
    metavar: str | None = None
    switch: bool = False

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return "--" + self.field_name.replace("_", "-")


def add_options(parser: Container, options: Iterable[FieldOption]) -> None:
    """Offer the options; none has a default of its own, so that the library's defaults hold."""
    for option in options:
        text = f"{', '.join(option.methods)}: {option.help}" if option.methods else option.help
        if option.switch:
            add_switch(parser, option.flag, text, default=None)
        else:
            parser.add_argument(option.flag, type=option.convert, choices=option.choices, metavar=option.metavar, help=text)


def typed(options: argparse.Namespace, table: Iterable[FieldOption]) -> dict[str, object]:
    """What was given of a table, by field name."""
    given = {option.field_name: getattr(options, option.field_name) for option in table}
    return {name: value for name, value in given.items() if value is not None}
