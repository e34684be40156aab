"""How the private file is read: one table for every command that reads one; `tacita.cli.reading` gives them their meaning."""

from __future__ import annotations

import argparse

from tacita.cli.words.field_options import FieldOption, typed
from tacita.cli.words.values import number_or_text

__all__ = ["COLUMN_OPTIONS", "FORMATS", "GRID_OPTIONS", "READING_OPTIONS", "TIME_OPTIONS", "reading_parameters"]

FORMATS = ("parquet", "csv", "seq", "jsonl", "wide", "dat")
"""The formats of files, which a test keeps equal to those of the library."""

COLUMN_OPTIONS = (
    FieldOption(field_name="id", metavar="COLUMN", help="the column that tells persons apart (id)"),
    FieldOption(field_name="label", metavar="COLUMN", help="the column with the labels (label)"),
    FieldOption(field_name="time", metavar="COLUMN", help="the column that orders a person's rows (time); sets have none"),
    FieldOption(field_name="record", metavar="COLUMN", help="the column that tells the records of a person apart, such as a day"),
)

READING_OPTIONS = (
    FieldOption(field_name="input_format", choices=FORMATS, help="the format, if the ending does not tell it"),
    *COLUMN_OPTIONS,
    FieldOption(
        field_name="per_person",
        metavar="RULE",
        help="join all records of a person into one (join), or keep the first N apart (cap=N), each a protected record then",
    ),
    FieldOption(field_name="separator", metavar="SIGN", help="what stands between columns: one character, tab or blank"),
    FieldOption(field_name="quote", metavar="SIGN", help="what encloses texts that hold separators; none if nothing does"),
    FieldOption(field_name="no_header", switch=True, help="the file has no header; columns are named by their numbers from 1 on"),
    FieldOption(field_name="comment", metavar="SIGN", help="skip lines that begin with this"),
    FieldOption(field_name="encoding", metavar="NAME", help="the encoding of the text (utf-8)"),
    FieldOption(
        field_name="time_format",
        metavar="FORMAT",
        help="how times are written: auto, iso, epoch-s, epoch-ms, epoch-us, epoch-ns, or a pattern of strptime",
    ),
    FieldOption(field_name="time_zone", metavar="ZONE", help="the zone of times that tell none, such as Europe/London"),
    FieldOption(field_name="strict", switch=True, help="refuse labels outside the universe instead of dropping them"),
)

GRID_OPTIONS = (
    FieldOption(
        field_name="time_start",
        convert=number_or_text,
        metavar="TIME",
        help="publish times too, by a public grid that begins here: a whole number, or an ISO date",
    ),
    FieldOption(
        field_name="time_step",
        convert=number_or_text,
        metavar="STEP",
        help="the length of an interval: a whole number, or a duration such as 30s, 15m, 1h, 1d or 1w",
    ),
    FieldOption(field_name="time_intervals", convert=int, metavar="N", help="how many intervals the grid has"),
)


TIME_OPTIONS = ("time", "time_format", "time_zone", *(option.field_name for option in GRID_OPTIONS))
"""What means nothing for kinds of data that have no order."""


def reading_parameters(options: argparse.Namespace) -> dict[str, object]:
    """The reading options that were given, by name, those of the time grid included."""
    return typed(options, (*READING_OPTIONS, *GRID_OPTIONS))
