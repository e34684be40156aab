"""Published sequences: synthetic, safe to inspect, and able to write themselves and the noisy counts behind them.

In this order: released grams, the sequences, reading both back from a folder, and the noisy counts of the other methods.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io import (
    FileFormat,
    Framed,
    LongColumns,
    NoisyCounts,
    intact_file,
    long_frame,
    long_frames,
    read_manifest,
    read_released,
    release_universe,
    released_counts,
    require_kind,
    write_named,
    write_universe,
)
from tacita.io.spark import rows_on_spark, written_by_spark
from tacita.pictures import Picture
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

if TYPE_CHECKING:  # each method loads its own noisy structures
    from tacita.trees import LevelNoise, NoisyTree

__all__ = [
    "GRAMS_FILE",
    "PublishedGrams",
    "PublishedSequences",
    "level_step",
    "opened_sequences",
    "prefix_counts",
    "raked_counts",
    "read_published",
    "single_counts",
]


# Released grams: noisy counts of runs of consecutive labels, in a file of their own.


GRAMS_FILE = "grams.csv"
AFTER = ("end", "cut")
"""What may stand after the last place of a gram, by its code past the universe."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedGrams:
    """Grams over the universe and their noisy counts; the last symbol may be the end of a sequence, or where it was cut."""

    grams: Ragged = field(repr=False)
    counts: Integers = field(repr=False)
    universe: Universe = field(repr=False)

    @classmethod
    def read(cls, path: Path, *, universe: Universe) -> PublishedGrams:
        """The grams that `write` wrote."""
        size = len(universe)
        codes = {label: code for code, label in enumerate(universe.labels)}
        try:
            table = pl.read_csv(path, schema={"count": pl.Int64, "gram": pl.String, "then": pl.String})
            rows = [[codes[label] for label in json.loads(gram)] for gram in table["gram"].to_list()]
            for row, then in zip(rows, table["then"].to_list(), strict=True):
                row.extend([size + AFTER.index(then)] if then else [])
        except (pl.exceptions.PolarsError, ValueError, KeyError):
            message = f"the file {str(path)!r} does not hold grams of the universe with their counts"
            raise InputError(message) from None
        return cls(grams=Ragged.from_lists(rows), counts=table["count"].to_numpy().copy(), universe=universe)

    def __len__(self) -> int:
        """The number of grams."""
        return len(self.grams)

    def table(self) -> pl.DataFrame:
        """One row per gram: its noisy count, its labels as a JSON list, and whether the sequence ended or was cut after them."""
        labels, size = self.universe.labels, len(self.universe)
        after = dict(zip(range(size, size + 2), AFTER, strict=True))
        rows = self.grams.to_lists()
        return pl.DataFrame(
            {
                "count": pl.Series(self.counts, dtype=pl.Int64),
                "gram": pl.Series(
                    [json.dumps([labels[code] for code in row if code < size], ensure_ascii=False) for row in rows],
                    dtype=pl.String,
                ),
                "then": pl.Series([after.get(row[-1], "") for row in rows], dtype=pl.String),
            }
        )

    def write(self, folder: Path) -> Path:
        """Write `grams.csv`."""
        path = folder / GRAMS_FILE
        self.table().write_csv(path)
        return path


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
        from tacita.sequences.pictures import sequence_pictures  # noqa: PLC0415 - a publication draws nothing

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


# Reading a release back from its folder.


def read_published(folder: str | Path, *, universe: Universe | None = None, grid: TimeGrid | None = None) -> PublishedSequences:
    """Read the sequences of a release folder; it must be intact, and made with the universe and grid if these are given."""
    manifest = read_manifest(folder)
    return opened_sequences(Path(folder), manifest, public=PublicInputs(universe=universe, grid=grid))


def opened_sequences(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedSequences:
    """The sequences of a release whose manifest was read; public inputs that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="sequences")
    universe = release_universe(folder, manifest, public.universe)
    made_with = _grid(folder, manifest)
    if public.grid is not None and public.grid != made_with:
        message = f"the release {str(folder)!r} was made with a different time grid, or without times"
        raise ParameterError(message)
    found = read_released(folder, manifest, universe=universe, ordered=True, grid=made_with)
    has_grams = any(file["name"] == GRAMS_FILE for file in manifest["files"])
    return PublishedSequences(
        sequences=found.lists,
        universe=universe,
        grid=made_with,
        file_format=found.file_format,
        columns=found.columns,
        grams=PublishedGrams.read(intact_file(folder, manifest, GRAMS_FILE), universe=universe) if has_grams else None,
        counts=released_counts(folder, manifest),
    )


def _grid(folder: Path, manifest: Mapping[str, Any]) -> TimeGrid | None:
    """The time grid that the manifest describes, if there is one."""
    described = manifest["public_inputs"].get("time_grid")
    try:
        return None if described is None else TimeGrid.from_json(described)
    except ParameterError:
        message = f"the manifest of {str(folder)!r} does not describe its time grid by start, interval and intervals"
        raise InputError(message) from None


# Noisy counts of prefix trees and raked sequences, which a release may hold beside the sequences that were made from them.
#
# All of them were drawn with noise already; only their form changes. A prefix is a list of labels, or of labels with the number
# of their interval; None at its end is the end of a sequence.


Part: TypeAlias = tuple[str, list[list[object]], Integers | Reals, Reals]


def level_step(length: int) -> str:
    """The step of prefixes of this length; the manifest divides it where symbols were asked for group by group."""
    return f"level {length}"


def prefix_counts(tree: NoisyTree, noise: Sequence[LevelNoise], *, universe: Universe, grid: TimeGrid | None) -> NoisyCounts:
    """The noisy counts of a prefix tree, level by level, before anything was inferred from them."""
    labels, places = universe.labels, len(universe)
    symbols = places if grid is None else places * grid.intervals

    def named(code: int) -> object:
        if code >= symbols:
            return None
        return labels[code] if grid is None else [labels[code % places], code // places]

    def parts() -> Iterator[Part]:
        for place, (level, law) in enumerate(zip(tree.levels, noise, strict=True)):
            rows = tree.prefixes(place, np.arange(len(level))).tolist()
            counted = [[named(code) for code in row] for row in rows]
            yield level_step(place + 1), counted, level.counts, 1 / np.broadcast_to(law.rates, level.counts.shape)

    return NoisyCounts.of(parts())


PEOPLE, CELLS, ENDS, ROUND_OR_DIFFERENT, SYMBOLS = "people", "lengths", "ends", "shapes", "symbols"


def raked_counts(  # noqa: PLR0913 - all answers that mean something by themselves
    *,
    universe: Universe,
    edges: Integers,
    people: tuple[Reals, float],
    lengths: tuple[Reals, float],
    ends: tuple[Reals, float],
    kept: Integers,
    together: bool,
    shapes: tuple[Reals, float],
) -> NoisyCounts:
    """The noisy counts of raked sequences, each with the scale of its noise; not of steps, because long sequences weigh less.

    A cell of lengths is its least and its last length. Ends are the first and the last label, or one of them and None; labels
    that do not stand out of the noise were pooled, and are left out. A shape is the least and the last number of different
    labels, whether a sequence of three symbols or more ends where it began, and whether a label follows itself.
    """
    labels = [universe.labels[code] for code in kept.tolist()]
    size = kept.size if kept.size == len(universe) else kept.size + 2
    cells: list[list[object]] = [[*cell] for cell in zip([1, *(edges[:-1] + 1).tolist()], edges.tolist(), strict=True)]
    if together:
        values = ends[0].reshape(size, size)[: kept.size, : kept.size].ravel()
        pairs: list[list[object]] = [[first, last] for first in labels for last in labels]
    else:
        values = ends[0].reshape(2, size)[:, : kept.size].ravel()
        pairs = [*([label, None] for label in labels), *([None, label] for label in labels)]
    kinds = [(is_round, stays) for stays in (False, True) for is_round in (False, True)]
    shape_scales = np.full(len(kinds) * len(cells), shapes[1])
    parts: list[Part] = [
        (PEOPLE, [[]], people[0], np.full(1, people[1])),
        (CELLS, cells, lengths[0], np.full(len(cells), lengths[1])),
        (ENDS, pairs, values, np.full(len(pairs), ends[1])),
        (ROUND_OR_DIFFERENT, [[*cell, *kind] for kind in kinds for cell in cells], shapes[0], shape_scales),
    ]
    return NoisyCounts.of(parts)


def single_counts(people: tuple[Reals, float], symbols: tuple[Reals, float], *, universe: Universe) -> NoisyCounts:
    """The noisy counts of raked sequences of one symbol: how many there are, and how many have each label."""
    labels: list[list[object]] = [[label] for label in universe.labels]
    return NoisyCounts.of(
        [(PEOPLE, [[]], people[0], np.full(1, people[1])), (SYMBOLS, labels, symbols[0], np.full(len(labels), symbols[1]))]
    )
