"""Published sequences: synthetic, free to be looked at, and able to write themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tacita.core.errors import ParameterError
from tacita.core.ragged import Ragged
from tacita.core.time_grid import TimeGrid
from tacita.core.universe import Universe
from tacita.io import FileFormat, LongColumns, require_seq_labels, write_long, write_seq

__all__ = ["PublishedSequences", "writable_format"]


def writable_format(name: str, universe: Universe) -> FileFormat:
    """The format of this name, if it exists and can hold the labels; to be asked before anything is spent."""
    try:
        chosen = FileFormat(name)
    except ValueError:
        message = f"a format must be one of {', '.join(FileFormat)}, got {name!r}"
        raise ParameterError(message) from None
    if chosen is FileFormat.SEQ:
        require_seq_labels(universe)
    return chosen


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedSequences:
    """Synthetic sequences over the universe of the records."""

    sequences: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    grid: TimeGrid | None = None
    file_format: FileFormat
    columns: LongColumns

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "sequences"

    def __len__(self) -> int:
        """The number of sequences."""
        return len(self.sequences)

    def to_labels(self) -> list[list[str]]:
        """The sequences as Python lists; for small releases."""
        return [[self.universe.labels[code] for code in row] for row in self.sequences.to_lists()]

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `sequences.*` in the named format, or in the one that the records came in."""
        chosen = self.file_format if file_format is None else writable_format(file_format, self.universe)
        path = folder / f"sequences{chosen.ending}"
        if chosen is FileFormat.SEQ:
            write_seq(path, self.sequences, universe=self.universe)
        else:
            write_long(path, self.sequences, universe=self.universe, columns=self.columns, file_format=chosen)
        return path
