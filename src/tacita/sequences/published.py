"""Published sequences: synthetic, safe to inspect, and able to write themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.io import FileFormat, Framed, LongColumns, NoisyCounts, long_frame, long_frames, write_named, write_universe
from tacita.io.spark import rows_on_spark, written_by_spark
from tacita.pictures import Picture
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences.pictures import sequence_pictures
from tacita.sequences.published_grams import PublishedGrams

__all__ = ["PublishedSequences"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedSequences(Framed):
    """Synthetic sequences over the universe of the records."""

    sequences: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    grid: TimeGrid | None = None
    file_format: FileFormat
    columns: LongColumns
    grams: PublishedGrams | None = None
    """The noisy grams that the sequences were made from, if they are part of the release."""
    counts: NoisyCounts | None = None
    """Other noisy counts that they were made from, if these are."""

    @property
    def public(self) -> PublicInputs:
        """The public inputs they were made with."""
        return PublicInputs(universe=self.universe, grid=self.grid)

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "sequences"

    def __len__(self) -> int:
        """The number of sequences."""
        return len(self.sequences)

    def to_labels(self) -> list[list[str]]:
        """The sequences as Python lists; for small releases."""
        labels = self.universe.labels
        return [[labels[code % len(labels)] for code in row] for row in self.sequences.to_lists()]

    def to_visits(self) -> list[list[tuple[str, int | datetime]]]:
        """The sequences as Python lists of labels with the beginnings of their intervals; for small releases with times."""
        if self.grid is None:
            message = "these sequences were published without a time grid, so they have no times"
            raise ParameterError(message)
        labels, beginnings = self.universe.labels, self.grid.beginnings
        rows = self.sequences.to_lists()
        return [[(labels[code % len(labels)], beginnings[code // len(labels)]) for code in row] for row in rows]

    def pictures(self, *, taxonomy: Taxonomy | None = None) -> list[Picture]:
        """Pictures of the release alone; with a taxonomy (stations into lines), along lines and from line to line."""
        sides = {"released": self.sequences}
        return sequence_pictures(sides, universe=self.universe, grid=self.grid, taxonomy=taxonomy)

    def frame(self) -> pl.DataFrame:
        """One row per symbol: the number of the sequence, the label, and its position or time."""
        return pl.concat(long_frames(self.sequences, universe=self.universe, columns=self.columns, grid=self.grid))

    def to_spark(self, session: Any = None) -> Any:  # noqa: ANN401 - Spark is an extra
        """The rows as a data frame of Spark, whose workers make them; for releases that are larger than this process."""
        frame = partial(long_frame, universe=self.universe, columns=self.columns, grid=self.grid)
        return rows_on_spark(self.sequences, frame, session)

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `sequences.*` in the named format, or in the one that the records came in; noisy grams and counts too, if any."""
        self._write_beside(folder)
        chosen = self.file_format if file_format is None else file_format
        return write_named(
            folder,
            "sequences",
            self.sequences,
            universe=self.universe,
            file_format=chosen,
            columns=self.columns,
            grid=self.grid,
        )

    def write_by_spark(self, folder: Path, where: str, *, file_format: str | None) -> list[dict[str, object]]:
        """Let the workers of Spark write the sequences to `where`, and write what stands beside them into a folder."""
        self._write_beside(folder)
        return written_by_spark(self.to_spark(), where, "sequences", file_format=file_format or str(self.file_format))

    def _write_beside(self, folder: Path) -> None:
        """Write the universe, and noisy grams and counts if there are any."""
        write_universe(folder, self.universe)
        if self.grams is not None:
            self.grams.write(folder)
        if self.counts is not None:
            self.counts.write(folder)
