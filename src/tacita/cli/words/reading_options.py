"""How the private file is read: one table for every command that reads one; `tacita.cli.reading` gives them their meaning."""

from __future__ import annotations

import argparse

from tacita.cli.words.field_options import FieldOption, typed

__all__ = ["COLUMN_OPTIONS", "READING_OPTIONS", "reading_parameters"]

COLUMN_OPTIONS = (
    FieldOption(field_name="id", metavar="COLUMN", help="the column that tells persons apart (id)"),
    FieldOption(field_name="label", metavar="COLUMN", help="the column with the labels (label)"),
    FieldOption(field_name="time", metavar="COLUMN", help="the column that orders a person's rows (time)"),
)

READING_OPTIONS = (
    *COLUMN_OPTIONS,
    FieldOption(field_name="strict", switch=True, help="refuse labels outside the universe instead of dropping them"),
)


def reading_parameters(options: argparse.Namespace) -> dict[str, object]:
    """The reading options that were given, by name."""
    return typed(options, READING_OPTIONS)
