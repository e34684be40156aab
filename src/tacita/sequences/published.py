"""Published sequences: synthetic, free to be looked at, and able to write themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tacita.core.ragged import Ragged
from tacita.core.universe import Universe
from tacita.io import FileFormat, LongColumns, StoredFormat, require_labels, write_lists

__all__ = ["PublishedSequences", "writable_format"]


def writable_format(name: str, universe: Universe) -> str:
    """The name of a format, such as `csv` or `csv.gz`, if it can hold the labels; to be asked before anything is spent."""
    chosen = StoredFormat.parse(name)
    require_labels(chosen.file_format, universe)
    return str(chosen)


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedSequences:
    """Synthetic sequences over the universe of the records."""

    sequences: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
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
        stored = StoredFormat.parse(writable_format(self.file_format if file_format is None else file_format, self.universe))
        path = folder / f"sequences{stored.ending}"
        write_lists(path, self.sequences, universe=self.universe, stored=stored, columns=self.columns)
        return path
