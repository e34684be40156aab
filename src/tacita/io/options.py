"""How a file is to be read: everything that the file itself does not say, in one place.

What the protected unit depends on (the format, the id, which records of a person count) is a field here and is never guessed from
the contents.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from types import NoneType

from tacita.errors import ParameterError
from tacita.formats import LISTS, FileFormat, format_named, format_of, formats, formats_of, plain_name
from tacita.io.formats import STANDARD_INPUT, require_file
from tacita.io.frames import Source, is_frame
from tacita.io.times import AutoTime, TimeFormat
from tacita.public.inputs import PerPerson
from tacita.public.parameters import Chosen, instance_of
from tacita.public.universe import Universe

__all__ = ["LATITUDE", "LONGITUDE", "POSITION", "Engine", "LongColumns", "ReadOptions", "TextDialect"]

POSITION = "position"
LATITUDE, LONGITUDE = "latitude", "longitude"
"""What the columns of points are called unless they are named."""


class Engine(StrEnum):
    """Where records are held and counted; a release is the same whichever it is."""

    AUTO = "auto"
    """In memory if they fit, in blocks on disk if not; a data frame of Spark stays in Spark."""
    LOCAL = "local"
    BLOCKS = "blocks"
    SPARK = "spark"


@dataclass(frozen=True, kw_only=True)
class LongColumns:
    """The names of the columns, or their numbers (from 1) if a file has no header.

    `record` names the column that distinguishes the records of one person, such as a trip or a day. Where the order of a person's
    rows means nothing, as in baskets, `time` may be None. Where `latitude` and `longitude` are named, rows are points that become
    cells of a public grid, and no label is read.
    """

    person: str = "id"
    label: str = "label"
    time: str | None = "time"
    record: str | None = None
    latitude: str | None = None
    longitude: str | None = None

    def __post_init__(self) -> None:
        """The columns must differ, and none may collide with the position that a release has instead of a time."""
        for name in (self.person, self.label, self.time or "time", self.record or "record"):
            instance_of(name, str, name="the name of a column")
        if self.time is None:
            if self.person == self.label:
                message = f"person and label must be two different columns, got {self.person!r} for both"
                raise ParameterError(message)
        elif len({self.person, self.label, self.time}) < 3 or POSITION in {self.person, self.label}:
            message = (
                f"person, label and time must be three different columns, the first two not named {POSITION!r}, "
                f"got {self.person!r}, {self.label!r} and {self.time!r}"
            )
            raise ParameterError(message)
        if self.record is not None and self.record in {self.person, self.label, self.time}:
            message = f"the record must have a column of its own, got {self.record!r}"
            raise ParameterError(message)
        if (self.latitude is None) != (self.longitude is None) or len({*self.names}) != len(self.names):
            message = (
                f"points need two columns of their own, latitude and longitude, got {self.latitude!r} and {self.longitude!r} "
                f"beside {self.person!r} and {self.time!r}"
            )
            raise ParameterError(message)

    @property
    def has_points(self) -> bool:
        """Whether rows are points, and not labels."""
        return self.latitude is not None

    @property
    def names(self) -> list[str]:
        """The columns to read."""
        places = (self.label,) if self.latitude is None else (self.latitude, self.longitude)
        return [name for name in (self.person, *places, self.time, self.record) if name is not None]

    def without_time(self) -> LongColumns:
        """The same columns without the time."""
        return replace(self, time=None)


@dataclass(frozen=True, kw_only=True)
class TextDialect:
    """How a text file is written.

    `separator` is one ASCII character; by default it depends on the format (a comma, a tab in `.tsv`, spaces in `.dat`). In wide
    lines a space represents any run of spaces and tabs. `quote` encloses fields that contain separators; None if nothing is
    quoted. Lines that begin with `comment` are skipped.
    """

    separator: str | None = None
    quote: str | None = '"'
    header: bool = True
    comment: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        """Refuse a dialect that no file can have."""
        for name, mark in (("separator", self.separator), ("quote", self.quote)):
            if mark is None:
                continue
            instance_of(mark, str, name=f"a {name}")
            if len(mark) != 1 or not mark.isascii() or mark.isalnum() or mark in "\r\n\0":
                message = f"a {name} must be one ASCII character that is not a letter, digit or line end, got {mark!r}"
                raise ParameterError(message)
        if self.quote is not None and self.separator == self.quote:
            message = f"separator and quote must differ, got {self.quote!r} for both"
            raise ParameterError(message)
        instance_of(self.comment, str, NoneType, name="the start of a comment")
        if self.comment is not None and (not self.comment or any(character in self.comment for character in "\r\n\0")):
            message = f"the start of a comment must be a non-empty string without line ends, got {self.comment!r}"
            raise ParameterError(message)
        try:
            "x".encode(self.encoding)
        except (LookupError, ValueError, TypeError):
            message = (
                f"an encoding must be one that Python knows, such as utf-8, latin-1, cp1252 or utf-16, got {self.encoding!r}"
            )
            raise ParameterError(message) from None

    def separator_for(self, path: str | Path) -> str:
        """The separator of a text file."""
        if self.separator is not None:
            return self.separator
        tabbed = tuple(ending for known in formats().values() for ending in known.tabbed)
        return "\t" if plain_name(path).endswith(tabbed) else ","


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Everything about reading, with defaults that suit most files; without a format it is inferred from the ending."""

    file_format: FileFormat | None = None
    columns: LongColumns = field(default_factory=LongColumns)
    dialect: TextDialect = field(default_factory=TextDialect)
    time_format: TimeFormat = field(default_factory=AutoTime)
    per_person: PerPerson = PerPerson.JOIN
    engine: Chosen[Engine] = Chosen(Engine, Engine.AUTO)

    def __post_init__(self) -> None:
        """A cap counts records, so a column must distinguish them."""
        if self.file_format is not None:
            object.__setattr__(self, "file_format", format_named(self.file_format))
        for value, expected in ((self.columns, LongColumns), (self.dialect, TextDialect), (self.per_person, PerPerson)):
            instance_of(value, expected, name="a part of reading options")
        if self.per_person.most is not None and self.columns.record is None:
            message = f"{self.per_person} needs the column that distinguishes the records of a person; name it as record"
            raise ParameterError(message)

    def with_columns(self, columns: LongColumns) -> ReadOptions:
        """The same with other columns."""
        return replace(self, columns=columns)

    def placed(self, universe: Universe) -> ReadOptions:
        """The same for these places: cells of a grid are read from points, other labels from their column."""
        columns = self.columns
        if columns.has_points and universe.cells is None:
            message = "latitudes and longitudes are read for cells of a public grid; give its box and the size of a cell"
            raise ParameterError(message)
        if columns.has_points or universe.cells is None:
            return self
        return self.with_columns(replace(columns, latitude=LATITUDE, longitude=LONGITUDE))

    def without_record(self) -> ReadOptions:
        """The same for records that are joined, where nothing needs to be distinguished."""
        return replace(self, columns=replace(self.columns, record=None))

    @classmethod
    def of(
        cls, options: ReadOptions | None, *, columns: LongColumns | None = None, file_format: FileFormat | None = None
    ) -> ReadOptions:
        """The options, or the defaults, with other columns or another format where these are given."""
        instance_of(options, cls, NoneType, name="the options of reading")
        chosen = cls() if options is None else options
        return replace(
            chosen,
            columns=chosen.columns if columns is None else columns,
            file_format=chosen.file_format if file_format is None else file_format,
        )

    @property
    def named_columns(self) -> LongColumns:
        """The columns as a release names them: numbers are not names, and no point is left."""
        if self.dialect.header:
            return replace(self.columns, latitude=None, longitude=None)
        return LongColumns() if self.columns.time is not None else LongColumns(time=None)

    def format_for(self, path: Source) -> FileFormat:
        """The format of a file; options that do not apply to it are refused, because they would do nothing.

        A data frame is released as Parquet, which holds everything.
        """
        if is_frame(path):
            return FileFormat.PARQUET
        if self.file_format is None and str(path) == STANDARD_INPUT:
            message = (
                f"standard input has no ending, so its format must be named, one of {', '.join(map(str, formats_of(*LISTS)))}"
            )
            raise ParameterError(message)
        chosen = format_of(require_file(path)) if self.file_format is None else self.file_format
        standard = TextDialect()
        changed = {part.name for part in fields(standard) if getattr(self.dialect, part.name) != getattr(standard, part.name)}
        idle = sorted(changed - chosen.dialect)
        if idle:
            message = f"the format {chosen} has no {idle[0]} to choose; leave it out"
            raise ParameterError(message)
        if not chosen.is_long and (self.columns.record is not None or self.per_person.most is not None):
            message = f"the format {chosen} has one line per person and no ids, so it cannot hold several records of a person"
            raise ParameterError(message)
        if not chosen.is_long and self.columns.has_points:
            message = f"the format {chosen} has one line per person, and no columns of latitudes and longitudes"
            raise ParameterError(message)
        return chosen
