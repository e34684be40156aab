"""File formats by name and by file ending."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tacita.errors import InputError, ParameterError
from tacita.public.parameters import path_of

__all__ = ["STANDARD_INPUT", "Compression", "FileFormat", "StoredFormat", "format_of", "require_file"]

STANDARD_INPUT = "-"


class FileFormat(StrEnum):
    """How a file holds its records."""

    PARQUET = "parquet"
    CSV = "csv"
    SEQ = "seq"
    JSONL = "jsonl"
    WIDE = "wide"
    DAT = "dat"

    @property
    def ending(self) -> str:
        """The ending of files in this format."""
        return ".lines" if self is FileFormat.WIDE else f".{self}"

    @property
    def is_long(self) -> bool:
        """Whether a file has one row per event, with ids; the other formats have one line per record."""
        return self in {FileFormat.PARQUET, FileFormat.CSV, FileFormat.JSONL}


class Compression(StrEnum):
    """How a text file is compressed."""

    GZ = "gz"
    ZST = "zst"


@dataclass(frozen=True)
class StoredFormat:
    """A format and its compression, such as `csv` or `csv.gz`."""

    file_format: FileFormat
    compression: Compression | None = None

    def __post_init__(self) -> None:
        """Parquet compresses its own columns."""
        if self.compression is not None and self.file_format is FileFormat.PARQUET:
            message = (
                f"parquet files are already compressed inside, so they take no .gz or .zst, got 'parquet.{self.compression}'"
            )
            raise ParameterError(message)

    @classmethod
    def parse(cls, name: str) -> StoredFormat:
        """Parse the name of a format, with `.gz` or `.zst` after it if the file is to be compressed."""
        plain, _, packing = str(name).partition(".")
        if plain not in set(FileFormat) or packing not in {"", *Compression}:
            message = f"a format must be one of {', '.join(FileFormat)}, got {name!r} (all but parquet also with .gz or .zst)"
            raise ParameterError(message)
        return cls(FileFormat(plain), Compression(packing) if packing else None)

    @property
    def ending(self) -> str:
        """The ending of such files."""
        return self.file_format.ending + (f".{self.compression}" if self.compression else "")

    def __str__(self) -> str:
        """Render as it is parsed."""
        return f"{self.file_format}.{self.compression}" if self.compression else str(self.file_format)


_OTHER_ENDINGS = {".tsv": FileFormat.CSV, ".ndjson": FileFormat.JSONL}


def format_of(path: str | Path) -> FileFormat:
    """Infer the format from the file's ending, ignoring `.gz` or `.zst`."""
    name = plain_name(path)
    endings = {known.ending: known for known in FileFormat} | _OTHER_ENDINGS
    for ending, known in endings.items():
        if name.endswith(ending):
            return known
    message = (
        f"the format of {str(path)!r} must be clear from its ending, one of {', '.join(endings)} "
        "(all but the first also with .gz or .zst), or be given explicitly"
    )
    raise InputError(message)


def plain_name(path: str | Path) -> str:
    """The file's name in lower case, without a compression ending."""
    name = Path(path).name.lower()
    for packing in Compression:
        name = name.removesuffix(f".{packing}")
    return name


def require_file(path: str | Path) -> Path:
    """Return the path if it is a file that is not empty."""
    path = path_of(path, name="the input")
    try:
        is_file, size = path.is_file(), path.stat().st_size if path.exists() else 0
    except (OSError, ValueError):  # a name with a NUL, or one that is too long
        is_file, size = False, 0
    if not is_file:
        message = f"the input {str(path)!r} does not exist or is not a file"
        raise InputError(message)
    if size == 0:
        message = f"the input {str(path)!r} is empty"
        raise InputError(message)
    if not os.access(path, os.R_OK):
        message = f"the input {str(path)!r} cannot be read: permission denied"
        raise InputError(message)
    return path
