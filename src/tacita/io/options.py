"""How a file is to be read: everything that is not in the file itself, in one place.

What the protected unit depends on (the format, the id, which records of a person count) is a field here and is never guessed from
the contents.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from tacita.errors import ParameterError
from tacita.io.formats import STANDARD_INPUT, FileFormat, format_of, plain_name, require_file
from tacita.io.times import AutoTime, TimeFormat
from tacita.public.per_person import PerPerson

__all__ = ["POSITION", "LongColumns", "ReadOptions", "TextDialect"]

POSITION = "position"


@dataclass(frozen=True, kw_only=True)
class LongColumns:
    """The names of the columns, or their numbers from 1 on where a file has no header.

    `record` names the column that tells the records of one person apart, such as a trip or a day. Where the order of a person's
    rows means nothing, as in baskets, there need not be a `time`.
    """

    id: str = "id"
    label: str = "label"
    time: str | None = "time"
    record: str | None = None

    def __post_init__(self) -> None:
        """Different columns, none of which would be overwritten by the position that a release has instead of a time."""
        if self.time is None:
            if self.id == self.label:
                message = f"id and label must be two different columns, got {self.id!r} for both"
                raise ParameterError(message)
        elif len({self.id, self.label, self.time}) < 3 or POSITION in {self.id, self.label}:
            message = (
                f"id, label and time must be three different columns, the first two not named {POSITION!r}, "
                f"got {self.id!r}, {self.label!r} and {self.time!r}"
            )
            raise ParameterError(message)
        if self.record is not None and self.record in {self.id, self.label, self.time}:
            message = f"the record must have a column of its own, got {self.record!r}"
            raise ParameterError(message)

    @property
    def names(self) -> list[str]:
        """The columns that are to be read."""
        return [name for name in (self.id, self.label, self.time, self.record) if name is not None]

    def without_time(self) -> LongColumns:
        """The same columns but for the time."""
        return replace(self, time=None)


@dataclass(frozen=True, kw_only=True)
class TextDialect:
    """How a text file is written.

    `separator` is one ASCII character; without it a format has its own (a comma, a tab in `.tsv`, blanks in `.dat`). In wide
    lines a blank stands for any run of blanks and tabs. `quote` encloses what holds separators; None where nothing is quoted.
    Lines that begin with `comment` are skipped.
    """

    separator: str | None = None
    quote: str | None = '"'
    header: bool = True
    comment: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        """Refuse what no file can be written in."""
        for name, sign in (("separator", self.separator), ("quote", self.quote)):
            if sign is not None and (len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in "\r\n\0"):
                message = f"a {name} must be one ASCII character that is no letter, digit or line end, got {sign!r}"
                raise ParameterError(message)
        if self.quote is not None and self.separator == self.quote:
            message = f"separator and quote must differ, got {self.quote!r} for both"
            raise ParameterError(message)
        if self.comment is not None and (not self.comment or any(sign in self.comment for sign in "\r\n\0")):
            message = f"a comment must begin with a text of one line, got {self.comment!r}"
            raise ParameterError(message)
        try:
            "x".encode(self.encoding)
        except (LookupError, ValueError, TypeError):
            message = (
                f"an encoding must be one that Python knows, such as utf-8, latin-1, cp1252 or utf-16, got {self.encoding!r}"
            )
            raise ParameterError(message) from None


_APPLIES = {
    FileFormat.PARQUET: set[str](),
    FileFormat.CSV: {"separator", "quote", "header", "comment", "encoding"},
    FileFormat.SEQ: {"encoding"},
    FileFormat.JSONL: {"encoding"},
    FileFormat.WIDE: {"separator", "quote", "comment", "encoding"},
    FileFormat.DAT: {"comment", "encoding"},
}


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Everything about reading, with the defaults that most files need; without a format it is told by the ending."""

    file_format: FileFormat | None = None
    columns: LongColumns = field(default_factory=LongColumns)
    dialect: TextDialect = field(default_factory=TextDialect)
    time_format: TimeFormat = field(default_factory=AutoTime)
    per_person: PerPerson = PerPerson.JOIN

    def __post_init__(self) -> None:
        """A cap counts records, so they must be told apart."""
        if self.per_person.most is not None and self.columns.record is None:
            message = f"{self.per_person} needs the column that tells the records of a person apart; name it as record"
            raise ParameterError(message)

    def with_columns(self, columns: LongColumns) -> ReadOptions:
        """The same with other columns."""
        return replace(self, columns=columns)

    def overridden(self, *, columns: LongColumns | None, file_format: FileFormat | None) -> ReadOptions:
        """The same with other columns or another format, where these are given."""
        return replace(self, columns=columns or self.columns, file_format=file_format or self.file_format)

    @property
    def named_columns(self) -> LongColumns:
        """The columns as a release may call them: numbers, which a file without a header has, are no names."""
        if self.dialect.header:
            return self.columns
        return LongColumns() if self.columns.time is not None else LongColumns(time=None)

    def format_for(self, path: str | Path) -> FileFormat:
        """The format of a file; options that it cannot follow are refused, because they would do nothing."""
        if self.file_format is None and str(path) == STANDARD_INPUT:
            message = f"standard input has no ending, so its format must be named, one of {', '.join(FileFormat)}"
            raise ParameterError(message)
        chosen = format_of(require_file(path)) if self.file_format is None else self.file_format
        standard = TextDialect()
        changed = {part.name for part in fields(standard) if getattr(self.dialect, part.name) != getattr(standard, part.name)}
        idle = sorted(changed - _APPLIES[chosen])
        if idle:
            message = f"the format {chosen} has no {idle[0]} to choose; leave it out"
            raise ParameterError(message)
        if not chosen.is_long and (self.columns.record is not None or self.per_person.most is not None):
            message = f"the format {chosen} has one line a person and no ids, so there are no records of a person to tell apart"
            raise ParameterError(message)
        return chosen

    def separator_for(self, path: str | Path) -> str:
        """The separator of a text file."""
        if self.dialect.separator is not None:
            return self.dialect.separator
        return "\t" if plain_name(path).endswith(".tsv") else ","
