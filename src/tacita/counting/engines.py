"""Which engine holds and counts records: memory, blocks on disk, or Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from tacita.arrays.parts import RaggedInParts
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks import Asker, Conversation, LocalBlocks
from tacita.counting.blocks.conversation import ROOT, Answer
from tacita.counting.blocks.counters import ROOM
from tacita.errors import ParameterError
from tacita.formats import FileFormat
from tacita.io.blocks import BlockFiles, fits_memory, spilled
from tacita.io.blocks.spill import free_memory
from tacita.io.frames import Source
from tacita.io.misfits import Misfits
from tacita.io.options import Engine, ReadOptions
from tacita.public.time_grid import TimeGrid, require_grid
from tacita.public.universe import Universe, require_universe

__all__ = ["BlocksOnDisk", "HeldBlocks", "chosen_engine", "held_blocks", "lists_in_blocks", "refuse_other_engines"]


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

    @property
    def misfits(self) -> Misfits:
        """The rows that did not fit."""
        ...

    @property
    def people(self) -> Sequence[int]:
        """How many lists each block has."""
        ...

    def asker(self, counted: Callable[[Ragged], object], *, remembers: bool = True) -> Asker:
        """Brings questions about the counts of the lists to every block; `counted` are those of one block."""
        ...

    def lists(self, number: int) -> Ragged:
        """The lists of one block, for judges."""
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

    @property
    def misfits(self) -> Misfits:
        """The rows that did not fit."""
        return self.files.misfits

    @property
    def people(self) -> Sequence[int]:
        """How many lists each block has."""
        return [block.lengths.size for block in self.files.stored]

    def asker(self, counted: Callable[[Ragged], object], *, remembers: bool = True) -> Asker:
        """Count block by block, in a few threads."""
        free = free_memory()
        room = (ROOM if free is None else min(ROOM, free // 4)) if remembers else 0
        return LocalBlocks(blocks=len(self.files), load=self.files.lists, counted=counted, room=room)

    def lists(self, number: int) -> Ragged:
        """The lists of one block."""
        return self.files.lists(number)


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
    file_format = options.format_for(source)
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


def lists_in_blocks(blocks: HeldBlocks) -> RaggedInParts:
    """The lists of all blocks, for judges and never for a mechanism: questions that add up are answered where the blocks are."""
    return RaggedInParts(blocks.people, blocks.lists, symbols=float(blocks.codes), asks=partial(_ask, blocks))


def _ask(blocks: HeldBlocks, question: Callable[[Ragged], Answer]) -> Answer:
    return Conversation(blocks.asker(partial(_Judged, question), remembers=False)).ask(ROOT, "answer")


@dataclass(frozen=True, eq=False)
class _Judged:
    """The lists of a block, and what a judge asks about them."""

    question: Callable[[Ragged], Answer]
    lists: Ragged

    def answer(self) -> Answer:
        return self.question(self.lists)


def refuse_other_engines(engine: Engine, opens: str) -> None:
    """A reader that promises columns in memory cannot hold them elsewhere."""
    if engine in {Engine.BLOCKS, Engine.SPARK}:
        message = f"this reads records into memory, got the engine {engine}; {opens} holds them anywhere"
        raise ParameterError(message)
