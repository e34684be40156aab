"""File formats by name and by file ending."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from tacita.core.errors import InputError

__all__ = ["FileFormat", "format_of", "require_file"]


class FileFormat(StrEnum):
    """How a file holds its records."""

    PARQUET = "parquet"
    CSV = "csv"
    SEQ = "seq"

    @property
    def ending(self) -> str:
        """The ending of files in this format."""
        return f".{self}"


def format_of(path: str | Path) -> FileFormat:
    """Tell the format from the ending; `.csv.gz` and `.seq.gz` are read too."""
    name = Path(path).name.lower().removesuffix(".gz")
    for known in FileFormat:
        if name.endswith(known.ending):
            return known
    endings = ", ".join(known.ending for known in FileFormat)
    message = f"the format of {str(path)!r} must be told by its ending, one of {endings} (the last two also with .gz)"
    raise InputError(message)


def require_file(path: str | Path) -> Path:
    """Give the path back if there is a file that is not empty."""
    path = Path(path)
    if not path.is_file():
        message = f"the input {str(path)!r} does not exist or is no file"
        raise InputError(message)
    if path.stat().st_size == 0:
        message = f"the input {str(path)!r} is empty"
        raise InputError(message)
    return path
