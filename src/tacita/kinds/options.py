"""Options that several kinds share: labels, a tree over them, times, and how a private file is read.

The defaults of options, looked up where the library declares them, for help and forms.

An option has no default of its own. That of a parameter is the default of the field of the method's dataclass, and that of a
reading option is in the reading options that a kind makes of nothing. Looking them up loads the method, so only help does it.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction

from tacita.formats import LISTS, formats_of
from tacita.kinds.registration import Kind, Method, Option, amount, byte_size, load, number, number_or_text, texts
from tacita.privacy.budget import decimal_text

__all__ = [
    "BUDGET_OPTIONS",
    "COLUMN_OPTIONS",
    "ENGINE",
    "ENGINES",
    "FACT_OPTIONS",
    "FORMATS",
    "GRID_OPTIONS",
    "LEDGER_OPTIONS",
    "OUTPUT_OPTIONS",
    "PLACE_OPTIONS",
    "POINT_OPTIONS",
    "READING_OPTIONS",
    "REPORT_OPTIONS",
    "STREAM_OPTIONS",
    "TAXONOMY_OPTIONS",
    "TIMED_READING_OPTIONS",
    "TIME_READING_OPTIONS",
    "UNIVERSE",
    "parameter_default",
    "reading_default",
    "with_default",
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

PLACE_OPTIONS = (
    UNIVERSE,
    Option(
        field_name="cells",
        metavar="BOX",
        help="points become cells of a public grid in this box, in place of a universe: south,west,north,east in degrees",
    ),
    Option(
        field_name="cell_size",
        metavar="SIZE",
        help="the size of a cell: 500m, 0.5km, 0.01deg, or 16x16 rows and columns",
    ),
)
"""Where public places come from: a list of labels, or the cells of a map."""

TAXONOMY_OPTIONS = (
    Option(
        field_name="taxonomy_columns",
        convert=texts,
        metavar="COLUMNS",
        help="columns of the taxonomy's file, from fine to coarse, with commas",
    ),
    Option(
        field_name="fan_out",
        convert=int,
        metavar="N",
        help="make a taxonomy instead: group labels by N, in their order",
    ),
)

GRID_OPTIONS = (
    Option(
        field_name="time_start",
        convert=number_or_text,
        metavar="TIME",
        help="publish times too, on a grid from this number or ISO date",
    ),
    Option(
        field_name="time_step",
        convert=number_or_text,
        metavar="STEP",
        help="an interval: a whole number, or such as 30s, 15m, 1h, 1d",
    ),
    Option(field_name="time_intervals", convert=int, metavar="N", help="how many intervals the grid has"),
)

COLUMN_OPTIONS = (
    Option(field_name="person", metavar="COLUMN", help="the column that identifies a person"),
    Option(field_name="label", metavar="COLUMN", help="the column with the labels"),
    Option(field_name="time", metavar="COLUMN", help="the column that orders a person's rows"),
    Option(field_name="record", metavar="COLUMN", help="the column that tells a person's records apart, such as a day"),
)

POINT_OPTIONS = (
    Option(field_name="latitude", metavar="COLUMN", help="the column with latitudes, for --cells"),
    Option(field_name="longitude", metavar="COLUMN", help="the column with longitudes, for --cells"),
)
"""For kinds whose places may be cells of a map."""

_TEXT_OPTIONS = (
    Option(field_name="separator", metavar="CHARACTER", help="between columns: any single character, tab or space"),
    Option(
        field_name="quote",
        metavar="CHARACTER",
        help="around fields with separators: a character, or none",
    ),
    Option(field_name="no_header", switch=True, help="no header: columns are given by number, starting at 1"),
    Option(field_name="comment", metavar="PREFIX", help="skip lines that begin with this"),
    Option(field_name="encoding", metavar="NAME", help="the encoding of the text"),
)

TIME_READING_OPTIONS = (
    Option(
        field_name="time_format",
        metavar="FORMAT",
        help="auto, iso, epoch-s, -ms, -us or -ns, or a strptime pattern",
    ),
    Option(field_name="time_zone", metavar="ZONE", help="of times without a zone, such as Europe/London"),
)

_STRICT = Option(field_name="strict", switch=True, help="refuse labels outside the universe, do not drop them")
_FORMAT = Option(field_name="input_format", choices=FORMATS, help="the format, if the file's ending does not show it")
_PER_PERSON = Option(
    field_name="per_person",
    metavar="RULE",
    help="join a person's records, or protect the first N apart (cap=N)",
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
    help="count in memory (if it fits), on disk, or by Spark",
)
"""For kinds whose counts add up over blocks of people."""


# What a publication takes beside the options of its kind and method.

FACT_OPTIONS = (
    Option(field_name="records", convert=int, metavar="N", help="the number of records, if that is public"),
    Option(field_name="mean_length", convert=number, metavar="X", help="the mean length of records, if that is public"),
    Option(field_name="longest_record", convert=int, metavar="N", help="the largest length of records, if that is public"),
)
"""What an owner may say about the data for a method to be chosen; for a forecast too."""

LEDGER_OPTIONS = (
    Option(field_name="create_ledger", switch=True, help="create the ledger file if it does not exist"),
    Option(field_name="dataset", metavar="NAME", help="the data set's name in the ledger, if not the file's"),
    Option(field_name="new_dataset", switch=True, help="allow a data set without a cap where others have one"),
)

BUDGET_OPTIONS = (
    Option(field_name="epsilon", convert=amount, metavar="E", help="the budget, such as 1, 0.5 or 1/3"),
    Option(field_name="delta", convert=amount, metavar="D", help="the delta of the budget, for methods that promise (E, D)"),
    Option(field_name="ledger", metavar="FILE", help="the ledger file that records the spend"),
    *LEDGER_OPTIONS,
)

OUTPUT_OPTIONS = (
    Option(field_name="out", metavar="FOLDER", help="the folder to create; it must not exist yet"),
    Option(field_name="format", metavar="FORMAT", help="the format of the release, if not that of the file"),
    Option(field_name="spark_folder", metavar="URL", help="where Spark's workers write, if not to --out"),
    Option(
        field_name="reserve",
        convert=byte_size,
        metavar="SIZE",
        help="space to reserve before anything is spent (16MB)",
    ),
    Option(field_name="key", metavar="FILE", help="a private key to sign with (tacita ledger key)"),
)

REPORT_OPTIONS = (
    Option(field_name="outline", metavar="FILE", help="lines to draw over maps of cells, such as a coast: a public GeoJSON file"),
)
"""For reports on kinds whose places may be cells of a map."""

STREAM_OPTIONS = (
    Option(field_name="state", metavar="FOLDER", help="the owner's folder, with the journal; created, or resumed if it exists"),
    Option(field_name="clock", choices=("wall", "events"), help="what closes a timestamp: this machine's clock, or event times"),
    Option(field_name="grace", convert=int, metavar="N", help="how long after its end a timestamp stays open"),
    Option(field_name="follow", switch=True, help="wait for more at the end of the file"),
    Option(field_name="bad_events", choices=("skip", "quarantine", "stop"), help="what becomes of messages that are no events"),
    Option(field_name="group", convert=int, metavar="N", help="let up to N closed timestamps share one sync of the journal"),
    Option(field_name="page", switch=True, help="keep a page, live.html, that shows what was released as it grows"),
)
"""How a stream that goes on is published, by `tacita stream`."""


def parameter_default(method: Method, field_name: str) -> str | None:
    """The default of a parameter as it would be typed; None if the method needs it, or does without it."""
    for part in fields(method.load()):
        if part.name == field_name:
            made = part.default if part.default_factory is MISSING else part.default_factory()
            return None if made is MISSING else _typed(made)
    return None


def reading_default(kind: Kind, field_name: str) -> str | None:
    """The default of a reading option as it would be typed; None if there is none."""
    return _typed(_found(load(kind.reading)({}), field_name))


def with_default(option: Option, default: str | None) -> str:
    """The help of an option with its default."""
    if default is None or (option.switch and default == "no") or default == "default":
        return option.help  # a choice that is called default says so itself
    if option.switch:
        return f"{option.help} (on by default; --no-{option.flag.removeprefix('--')} turns it off)"
    return f"{option.help} (default {default})"


def _found(made: object, name: str) -> object:
    """A field of this name in a dataclass or in one that it holds."""
    if not is_dataclass(made):
        return None
    if name in {part.name for part in fields(made)}:
        return getattr(made, name)
    return next((found for part in fields(made) if (found := _found(getattr(made, part.name), name)) is not None), None)


def _typed(value: object) -> str | None:
    """A value as it would be typed; None for nothing, and for objects that have no such form."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Fraction):
        return decimal_text(value)
    if isinstance(value, tuple):
        return ",".join(filter(None, map(_typed, value))) or None
    if value is None or (is_dataclass(value) and type(value).__str__ is object.__str__):
        return None
    return str(value)
