"""Private sequences: one record a person, in columns.

Only `counting` may look inside; a mechanism asks for counts. What was dropped while reading is known here for the owner's eyes
and goes into no release.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tacita.core.errors import InputError, ParameterError
from tacita.core.ragged import Ragged
from tacita.core.time_grid import TimeGrid
from tacita.core.universe import Universe
from tacita.io import FileFormat, LongColumns, format_of, read_long, read_seq

__all__ = ["SequenceRecords", "read_sequences"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SequenceRecords:
    """One sequence of codes a person, over a universe."""

    sequences: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    grid: TimeGrid | None = None
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=LongColumns)
    dropped_labels: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        """Check that every code has a label."""
        codes = self.sequences.codes
        symbols = len(self.universe) * (1 if self.grid is None else self.grid.intervals)
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < symbols:
            message = "every code of a sequence must be the place of a label in the universe"
            raise ParameterError(message)

    @classmethod
    def from_labels(cls, sequences: Iterable[Sequence[str]], *, universe: Universe, name: str = "unnamed") -> SequenceRecords:
        """Build from Python lists; labels outside the universe are dropped from their sequence."""
        rows = [list(row) for row in sequences]
        kept = [[universe.code(label) for label in row if label in universe] for row in rows]
        dropped = sum(map(len, rows)) - sum(map(len, kept))
        return cls(sequences=Ragged.from_lists(kept), universe=universe, name=name, dropped_labels=dropped)


def read_sequences(
    path: str | Path,
    *,
    universe: Universe,
    columns: LongColumns | None = None,
    name: str | None = None,
    strict: bool = False,
) -> SequenceRecords:
    """Read sequences from long rows (Parquet, CSV) or from a `.seq` file.

    The universe is public knowledge and must be given. Labels outside it are dropped from their sequence, or refused if `strict`.
    """
    file_format = format_of(path)
    columns = LongColumns() if columns is None else columns
    if file_format is FileFormat.SEQ:
        sequences, dropped = read_seq(path, universe=universe)
    else:
        sequences, dropped = read_long(path, universe=universe, columns=columns)
    if dropped and strict:
        message = f"every label in {str(path)!r} must belong to the universe, some do not; without strict they would be dropped"
        raise InputError(message)
    return SequenceRecords(
        sequences=sequences,
        universe=universe,
        name=Path(path).name.split(".")[0] if name is None else name,
        file_format=file_format,
        columns=columns,
        dropped_labels=dropped,
    )
