"""Options that several kinds share: labels, a tree over them, times, and how a private file is read."""

from __future__ import annotations

from tacita.formats import LISTS, formats_of
from tacita.kinds.registration import Option, number_or_text, texts

__all__ = [
    "COLUMN_OPTIONS",
    "ENGINE",
    "ENGINES",
    "FORMATS",
    "GRID_OPTIONS",
    "READING_OPTIONS",
    "TAXONOMY_OPTIONS",
    "TIMED_READING_OPTIONS",
    "TIME_READING_OPTIONS",
    "UNIVERSE",
]

FORMATS = tuple(known.name for known in formats_of(*LISTS))
"""The formats of files that hold lists of labels."""

ENGINES = ("auto", "local", "blocks", "spark")
"""Where records are counted; a test keeps them equal to those of the library."""

UNIVERSE = Option(
    field_name="universe",
    metavar="FILE",
    help="the public labels: one per line, first column of a .csv with a header, or header of a .seq file",
)

TAXONOMY_OPTIONS = (
    Option(
        field_name="taxonomy_columns",
        convert=texts,
        metavar="COLUMNS",
        help="the columns of the taxonomy's file, from fine to coarse, with commas; all if not given",
    ),
    Option(
        field_name="fan_out",
        convert=int,
        metavar="N",
        help="make a taxonomy instead: group labels by N in the order of the universe, then groups",
    ),
)

GRID_OPTIONS = (
    Option(
        field_name="time_start",
        convert=number_or_text,
        metavar="TIME",
        help="publish times too, on a grid that begins here: a whole number or ISO date",
    ),
    Option(
        field_name="time_step",
        convert=number_or_text,
        metavar="STEP",
        help="the length of an interval: a whole number, or such as 30s, 15m, 1h, 1d, 1w",
    ),
    Option(field_name="time_intervals", convert=int, metavar="N", help="how many intervals the grid has"),
)

COLUMN_OPTIONS = (
    Option(field_name="id", metavar="COLUMN", help="the column that identifies a person"),
    Option(field_name="label", metavar="COLUMN", help="the column with the labels"),
    Option(field_name="time", metavar="COLUMN", help="the column that orders a person's rows"),
    Option(field_name="record", metavar="COLUMN", help="the column that distinguishes the records of a person, such as a day"),
)

_TEXT_OPTIONS = (
    Option(field_name="separator", metavar="CHARACTER", help="the character between columns: any single one, tab or space"),
    Option(
        field_name="quote",
        metavar="CHARACTER",
        help="the character around fields with separators, or none",
    ),
    Option(field_name="no_header", switch=True, help="the file has no header; columns are given by number, starting at 1"),
    Option(field_name="comment", metavar="PREFIX", help="skip lines that begin with this"),
    Option(field_name="encoding", metavar="NAME", help="the encoding of the text"),
)

TIME_READING_OPTIONS = (
    Option(
        field_name="time_format",
        metavar="FORMAT",
        help="auto, iso, epoch-s, epoch-ms, epoch-us, epoch-ns, or a strptime pattern",
    ),
    Option(field_name="time_zone", metavar="ZONE", help="the zone of times without one, such as Europe/London"),
)

_STRICT = Option(field_name="strict", switch=True, help="refuse labels outside the universe instead of dropping them")
_FORMAT = Option(field_name="input_format", choices=FORMATS, help="the format, if the file's ending does not show it")
_PER_PERSON = Option(
    field_name="per_person",
    metavar="RULE",
    help="join all records of a person (join), or protect the first N separately (cap=N)",
)

TIMED_READING_OPTIONS = (_FORMAT, *COLUMN_OPTIONS, _PER_PERSON, *_TEXT_OPTIONS, *TIME_READING_OPTIONS, _STRICT)
"""How long rows or lines with an order are read."""

READING_OPTIONS = tuple(
    option for option in TIMED_READING_OPTIONS if option.field_name not in {"time", "time_format", "time_zone"}
)
"""The same without times."""

ENGINE = Option(
    field_name="engine",
    choices=ENGINES,
    help="count in memory, in blocks on disk, by Apache Spark, or in memory if it fits (auto); the release is the same",
)
"""For kinds whose counts add up over blocks of people."""
