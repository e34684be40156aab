"""File formats: one registration each. Whatever reads, writes, offers or describes formats looks them up here.

A registration says what a format is called, how its files end, what they can hold, and by a dotted name which object reads and
writes them: `tacita.io.formats` says what that object can do. Nothing heavy is imported here. A new format is one module with its
code, and one entry of `_OWN`; other packages register theirs as entry points of the group `tacita.formats`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType

from tacita.errors import InputError, ParameterError
from tacita.registered import registered

__all__ = [
    "LISTS",
    "SHEETS",
    "Compression",
    "FileFormat",
    "Holds",
    "StoredFormat",
    "format_ending",
    "format_named",
    "format_of",
    "formats",
    "formats_of",
    "is_sheet",
    "named_formats",
    "plain_name",
]


class Holds(Enum):
    """What a file can hold."""

    EVENTS = "one row per event, with the id of a person"
    RECORDS = "one record per line, without ids"
    TABLES = "one row per person, with a column per attribute"
    COUNTS = "one row per count"
    EDGES = "one row per edge, with a column for each end"
    PAIRS = "one line per edge: two vertices"


LISTS = (Holds.EVENTS, Holds.RECORDS)
"""What holds lists of labels, in rows or in lines."""

_ROWS = frozenset({Holds.EVENTS, Holds.TABLES, Holds.COUNTS, Holds.EDGES})


class Compression(StrEnum):
    """How a text file is compressed."""

    GZ = "gz"
    ZST = "zst"


class _ByName(type):
    """Gives `FileFormat.CSV` and the like: the registered format of that name."""

    def __getattr__(cls, name: str) -> FileFormat:
        found = formats().get(name.lower()) if name.isupper() else None
        if found is None:
            message = f"there is no file format {name!r}"
            raise AttributeError(message)
        return found


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FileFormat(metaclass=_ByName):
    """How a file holds its records: `FileFormat.CSV`, `PARQUET`, `JSONL`, `WIDE`, `DAT`, `SEQ`, for networks `EDGES` and `ARROW`.

    Wherever a format is expected, its name is taken as well. `formats()` lists those of other packages too.
    """

    name: str
    endings: tuple[str, ...]
    """How files end; those that are written, as the first says."""
    holds: frozenset[Holds]
    about: str
    """What a file holds, for the page about formats."""
    code: str
    """The object that reads and writes: `io.formats.Rows` if it holds events, `Table` if only edges, otherwise `Lines`."""
    is_text: bool = True
    """Whether files are text, which may be compressed."""
    dialect: frozenset[str] = frozenset()
    """The parts of a `TextDialect` that can be chosen."""
    tabbed: tuple[str, ...] = ()
    """Endings of files whose columns are separated by tabs."""
    escapes_line_ends: bool = False
    """Whether a line end within a label is written in other characters."""
    declares_labels: bool = False
    """Whether the file begins with a list of all labels, which can serve as the universe."""
    spark: str = ""
    """What Spark calls it, if Spark can read and write it."""
    media_type: str = "application/octet-stream"

    @property
    def ending(self) -> str:
        """The ending of files that are written in this format."""
        return self.endings[0]

    @property
    def is_long(self) -> bool:
        """Whether a file has one row per event, with ids; other formats of lists have one line per record."""
        return Holds.EVENTS in self.holds

    def __eq__(self, other: object) -> bool:
        """Names are unique, so a format equals its name."""
        return self.name == str(other) if isinstance(other, FileFormat | str) else NotImplemented

    def __hash__(self) -> int:
        """That of the name."""
        return hash(self.name)

    def __str__(self) -> str:
        """Its name."""
        return self.name

    def __repr__(self) -> str:
        """As it is written in Python."""
        return f"FileFormat.{self.name.upper()}"

    def __reduce__(self) -> tuple[object, ...]:
        """A copy, also one in another process, is the registered format itself."""
        return _registered_format, (self.name,)


_OWN = (
    FileFormat(
        name="edges",
        endings=(".txt",),
        holds=frozenset({Holds.PAIRS}),
        about="SNAP: two vertices per line, separated by spaces or tabs",
        code="tacita.io.edge_lists:EDGES",
        media_type="text/plain",
    ),
    FileFormat(
        name="parquet",
        endings=(".parquet",),
        holds=_ROWS,
        about="long rows: one row per event, with an id, a label and, for sequences, a time",
        code="tacita.io.typed_files:PARQUET",
        is_text=False,
        spark="parquet",
        media_type="application/x-parquet",
    ),
    FileFormat(
        name="csv",
        endings=(".csv", ".tsv"),
        holds=_ROWS,
        about="long rows",
        code="tacita.io.csv_rows:CSV",
        dialect=frozenset({"separator", "quote", "header", "comment", "encoding"}),
        tabbed=(".tsv",),
        spark="csv",
        media_type="text/csv",
    ),
    FileFormat(
        name="seq",
        endings=(".seq",),
        holds=frozenset({Holds.RECORDS}),
        about="MSNBC: a header that names the labels, then one record per line, as label numbers",
        code="tacita.io.lines:SEQ",
        dialect=frozenset({"encoding"}),
        declares_labels=True,
        media_type="text/plain",
    ),
    FileFormat(
        name="jsonl",
        endings=(".jsonl", ".ndjson"),
        holds=_ROWS,
        about="long rows: one JSON object per line",
        code="tacita.io.json_rows:JSONL",
        escapes_line_ends=True,
        dialect=frozenset({"encoding"}),
        spark="json",
        media_type="application/jsonlines",
    ),
    FileFormat(
        name="wide",
        endings=(".lines",),
        holds=frozenset({Holds.RECORDS}),
        about="one record per line, its labels separated by commas or another character",
        code="tacita.io.lines:WIDE",
        dialect=frozenset({"separator", "quote", "comment", "encoding"}),
    ),
    FileFormat(
        name="dat",
        endings=(".dat",),
        holds=frozenset({Holds.RECORDS}),
        about="FIMI: one record per line, its labels separated by spaces",
        code="tacita.io.lines:DAT",
        dialect=frozenset({"comment", "encoding"}),
        media_type="text/plain",
    ),
    FileFormat(
        name="arrow",
        endings=(".arrow", ".feather"),
        holds=frozenset({Holds.EDGES}),
        about="edges in the columns of an Arrow file",
        code="tacita.io.typed_files:ARROW",
        is_text=False,
        media_type="application/vnd.apache.arrow.file",
    ),
)


@cache
def formats() -> Mapping[str, FileFormat]:
    """All formats by name: the product's own, then those of other packages."""
    found = {known.name: known for known in _OWN}
    for other in registered("tacita.formats", FileFormat):
        if other.name in found:
            message = f"a file format {other.name!r} is registered twice; an installed package must choose another name"
            raise ParameterError(message)
        taken = {ending for known in found.values() for ending in known.endings} & set(other.endings)
        if taken:
            message = f"the file format {other.name!r} must end in something else than {', '.join(sorted(taken))}: that is taken"
            raise ParameterError(message)
        found[other.name] = other
    return MappingProxyType(found)


def _registered_format(name: str) -> FileFormat:
    return formats()[name]


def formats_of(*wanted: Holds) -> tuple[FileFormat, ...]:
    """The formats that can hold any of this."""
    return tuple(known for known in formats().values() if known.holds & set(wanted))


def format_named(name: str | FileFormat, *wanted: Holds, what: str = "file_format") -> FileFormat:
    """The format itself, given the format or its name; one of lists, unless something else is wanted."""
    known = formats_of(*(wanted or LISTS))
    found = next((each for each in known if each.name == str(name)), None)
    if found is None:
        message = f"{what} must be one of {', '.join(map(str, known))}, got {name!r}"
        raise ParameterError(message)
    return found


def named_formats(known: Iterable[object], last: str = "or") -> str:
    """Formats, or endings, in a sentence.

    >>> named_formats(formats_of(Holds.EVENTS))
    'parquet, csv or jsonl'
    """
    *most, final = map(str, known)
    return f"{', '.join(most)} {last} {final}" if most else final


def format_ending(path: str | Path, *wanted: Holds) -> FileFormat | None:
    """The format that a file's ending shows, ignoring `.gz` or `.zst`, if one of these has that ending."""
    name = plain_name(path)
    return next((known for known in formats_of(*wanted) if name.endswith(known.endings)), None)


SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""The endings of workbooks, whose first sheet is read as text (`tacita.io.typed_files`)."""


def is_sheet(source: object) -> bool:
    """Whether a path names a workbook."""
    return isinstance(source, str | Path) and str(source).lower().endswith(SHEETS)


def format_of(path: str | Path) -> FileFormat:
    """Infer the format of a file of lists from its ending, ignoring `.gz` or `.zst`."""
    found = format_ending(path, *LISTS)
    if found is None:
        known = sorted(formats_of(*LISTS), key=lambda each: each.is_text)
        endings = [each.ending for each in known] + [other for each in known for other in each.endings[1:]]
        binary = sum(not each.is_text for each in known)
        message = (
            f"the format of {str(path)!r} must be clear from its ending, one of {', '.join(endings)} "
            f"(all but the first{f' {binary}' if binary > 1 else ''} also with .gz or .zst), or be given explicitly"
        )
        if str(path).lower().endswith(SHEETS):
            message = (
                f"{str(path)!r} is a workbook; tacita.io.typed_files.sheet_rows gives its rows, "
                "and tacita publish reads it as it is"
            )
        raise InputError(message)
    return found


def plain_name(path: str | Path) -> str:
    """The file's name in lower case, without a compression ending."""
    name = Path(path).name.lower()
    for packing in Compression:
        name = name.removesuffix(f".{packing}")
    return name


@dataclass(frozen=True)
class StoredFormat:
    """A format and its compression, such as `csv` or `csv.gz`."""

    file_format: FileFormat
    compression: Compression | None = None

    def __post_init__(self) -> None:
        """Take a compression by name; Parquet compresses its own columns."""
        if self.compression is not None:
            if self.compression not in set(Compression):
                message = f"a compression must be one of {', '.join(Compression)}, got {self.compression!r}"
                raise ParameterError(message)
            object.__setattr__(self, "compression", Compression(self.compression))
        if self.compression is not None and not self.file_format.is_text:
            message = (
                f"{self.file_format} files are already compressed inside, so they take no .gz or .zst, "
                f"got '{self.file_format}.{self.compression}'"
            )
            raise ParameterError(message)

    @classmethod
    def parse(cls, name: str | FileFormat) -> StoredFormat:
        """Parse the name of a format, with `.gz` or `.zst` after it if the file is to be compressed."""
        plain, _, packing = str(name).partition(".")
        known = {each.name: each for each in formats_of(*LISTS)}
        if plain not in known or packing not in {"", *Compression}:
            binary = named_formats([each for each in known.values() if not each.is_text], "and")
            message = f"a format must be one of {', '.join(known)}, got {name!r} (all but {binary} also with .gz or .zst)"
            raise ParameterError(message)
        return cls(known[plain], Compression(packing) if packing else None)

    @property
    def ending(self) -> str:
        """The ending of such files."""
        return self.file_format.ending + (f".{self.compression}" if self.compression else "")

    def __str__(self) -> str:
        """Render as it is parsed."""
        return f"{self.file_format}.{self.compression}" if self.compression else str(self.file_format)
