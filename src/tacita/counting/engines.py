"""Which engine holds and counts records: memory, blocks on disk, or Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.blocks import Asker, LocalBlocks
from tacita.counting.blocks.engine import ROOM
from tacita.errors import ParameterError
from tacita.io.blocks import BlockFiles, fits_memory, spilled
from tacita.io.blocks.choosing import free_memory
from tacita.io.formats import FileFormat
from tacita.io.frames import Source, is_frame
from tacita.io.options import Engine, ReadOptions
from tacita.public.time_grid import TimeGrid, require_grid
from tacita.public.universe import Universe, require_universe

__all__ = ["BlocksOnDisk", "HeldBlocks", "chosen_engine", "gathered", "held_blocks", "refuse_other_engines"]


class HeldBlocks(Protocol):
    """Lists of codes in blocks of people, and what was dropped while reading, for the owner only."""

    @property
    def file_format(self) -> FileFormat:
        """The format that they came in."""
        ...

    @property
    def codes(self) -> int:
        """How many codes there are."""
        ...

    @property
    def dropped(self) -> int:
        """How many labels were outside the universe."""
        ...

    @property
    def emptied(self) -> int:
        """How many records held nothing else."""
        ...

    def asker(self, counted: Callable[[Ragged], object]) -> Asker:
        """Brings questions about the counts of the lists to every block; `counted` are those of one block."""
        ...

    def lists(self) -> Iterator[Ragged]:
        """The lists of one block after another, for judges."""
        ...


@dataclass(frozen=True, eq=False)
class BlocksOnDisk:
    """Blocks in unnamed files of this machine."""

    files: BlockFiles = field(repr=False)

    @property
    def file_format(self) -> FileFormat:
        """The format that they came in."""
        return self.files.file_format

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return self.files.codes

    @property
    def dropped(self) -> int:
        """How many labels were outside the universe."""
        return self.files.dropped

    @property
    def emptied(self) -> int:
        """How many records held nothing else."""
        return self.files.emptied

    def asker(self, counted: Callable[[Ragged], object]) -> Asker:
        """Count block by block, in a few threads."""
        free = free_memory()
        room = ROOM if free is None else min(ROOM, free // 4)
        return LocalBlocks(blocks=len(self.files), load=self.files.lists, counted=counted, room=room)

    def lists(self) -> Iterator[Ragged]:
        """The lists of one block after another."""
        return (self.files.lists(number) for number in range(len(self.files)))


def chosen_engine(source: Source, options: ReadOptions) -> Engine:
    """The engine that the options name, or else the simplest one that will do."""
    of_spark = type(source).__module__.startswith("pyspark.")
    if options.engine is not Engine.AUTO:
        if of_spark and options.engine is not Engine.SPARK:
            message = f"a data frame of Spark is counted by Spark, got the engine {options.engine}; leave it out"
            raise ParameterError(message)
        return options.engine
    if of_spark:
        return Engine.SPARK
    file_format = FileFormat.PARQUET if is_frame(source) else options.format_for(source)
    return Engine.LOCAL if fits_memory(source, file_format) else Engine.BLOCKS


def held_blocks(  # noqa: PLR0913 - what blocks depend on
    source: Source,
    engine: Engine,
    *,
    universe: Universe,
    options: ReadOptions,
    grid: TimeGrid | None = None,
    strict: bool = False,
    are_sets: bool = False,
) -> HeldBlocks:
    """Read a source into blocks, on disk or in Spark."""
    require_universe(universe)
    require_grid(grid)
    if engine is Engine.SPARK:
        from tacita.counting.spark import spark_blocks  # noqa: PLC0415 - an extra

        return spark_blocks(source, universe=universe, options=options, grid=grid, strict=strict, are_sets=are_sets)
    files = spilled(source, universe=universe, options=options, grid=grid, strict=strict, are_sets=are_sets)
    return BlocksOnDisk(files)


def gathered(blocks: HeldBlocks) -> Ragged:
    """The lists of all blocks in the memory of this process, in narrow integers; for judges, never for a mechanism."""
    parts = list(blocks.lists())
    codes = np.concatenate([part.codes for part in parts]) if parts else np.zeros(0, dtype=np.uint8)
    return Ragged(codes, offsets_of(np.concatenate([part.lengths for part in parts]) if parts else []))


def refuse_other_engines(engine: Engine, opens: str) -> None:
    """A reader that promises columns in memory cannot hold them elsewhere."""
    if engine in {Engine.BLOCKS, Engine.SPARK}:
        message = f"this reads records into memory, got the engine {engine}; {opens} holds them anywhere"
        raise ParameterError(message)
