"""Blocks on one machine: pieces are spilled to disk, and each block is sorted in memory and written back as two columns.

Private rows on disk have no names: the files are unlinked when they are opened, so that nothing is left behind, not even by a
process that is killed. They lie in the folder for temporary files (`TMPDIR`).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.parts import joined_lists
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, OutputError
from tacita.formats import FileFormat
from tacita.io import text_parts
from tacita.io.blocks.assembly import Block, BlockRules, assembled, block_of_lists
from tacita.io.blocks.choosing import number_of_blocks
from tacita.io.blocks.pieces import cut_into_pieces
from tacita.io.blocks.threads import few_at_once
from tacita.io.formats import lines_of, rows_of
from tacita.io.frames import Source, is_frame, polars_frame
from tacita.io.long_rows import EventColumns, event_columns, no_rows, without_empty_rows
from tacita.io.options import ReadOptions
from tacita.io.sources import input_name
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["BlockFiles", "lists_in_memory", "spilled"]


@dataclass(frozen=True, eq=False)
class _StoredBlock:
    """The lengths and codes of a block, mapped from a file that has neither a name nor an open descriptor any more."""

    lengths: npt.NDArray[np.unsignedinteger] = field(repr=False)
    codes: npt.NDArray[np.unsignedinteger] = field(repr=False)

    def lists(self) -> Ragged:
        """The lists, with the codes still on disk."""
        return Ragged(self.codes, offsets_of(self.lengths.astype(np.int64)))


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockFiles:
    """Blocks of people in unnamed files, and what was dropped while reading, for the owner only."""

    stored: tuple[_StoredBlock, ...] = field(repr=False)
    file_format: FileFormat
    dropped: int = field(repr=False)
    emptied: int = field(repr=False)

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.stored)

    def lists(self, number: int) -> Ragged:
        """The lists of one block."""
        return self.stored[number].lists()

    @property
    def codes(self) -> int:
        """How many codes there are in all blocks; for the owner only."""
        return sum(block.codes.size for block in self.stored)


def spilled(  # noqa: PLR0913 - what blocks depend on
    source: Source,
    *,
    universe: Universe,
    options: ReadOptions,
    grid: TimeGrid | None = None,
    strict: bool = False,
    are_sets: bool = False,
    buckets: int | None = None,
) -> BlockFiles:
    """Read a source of any format into blocks; labels outside the universe are dropped, or refused if `strict`."""
    file_format = options.format_for(source)
    buckets = number_of_blocks(source, file_format) if buckets is None else buckets
    rules = _rules(universe, options, grid, buckets=buckets, are_sets=are_sets)
    if file_format.is_long:
        blocks = _blocks_of_rows(source, universe, options, grid, rules, strict=strict)
    else:
        blocks = _blocks_of_lines(source, universe, options, rules, file_format)
    stored, dropped, emptied = [], 0, 0
    for block in blocks:
        if strict and block.dropped:
            raise InputError(outside_message(source, grid))
        stored.append(_stored(block))
        dropped, emptied = dropped + block.dropped, emptied + block.emptied
    return BlockFiles(stored=tuple(stored), file_format=file_format, dropped=dropped, emptied=emptied)


def outside_message(source: Source, grid: TimeGrid | None) -> str:
    """What is wrong with labels outside the universe, where they are refused."""
    where = "the universe" if grid is None else "the universe, and every time to the grid"
    return f"every label in {input_name(source)} must belong to {where}, but some do not; without strict they would be dropped"


def _blocks_of_rows(
    source: Source, universe: Universe, options: ReadOptions, grid: TimeGrid | None, rules: BlockRules, *, strict: bool
) -> Iterator[Block]:
    with ExitStack() as closing:
        files = [closing.enter_context(_unnamed()) for _ in range(rules.buckets)]
        sizes: list[list[int]] = [[] for _ in files]
        for number, piece in _pieces(source, universe, options, grid, rules, strict=strict):
            _write(files[number], piece)
            sizes[number].append(len(piece))

        def block(number: int) -> Block:
            files[number].seek(0)
            made = assembled([files[number].read(size) for size in sizes[number]], number=number, rules=rules)
            files[number].close()
            return made

        yield from few_at_once(block, range(rules.buckets))


def lists_in_memory(
    source: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None
) -> tuple[Ragged, int, int]:
    """The lists of long rows, block after block, how many rows were dropped, and how many records lost all of theirs.

    Nothing is written to disk. Rows wait in pieces of 8 bytes each, so a large file takes a fraction of what its columns take.
    """
    file_format = options.format_for(source)
    rules = _rules(universe, options, grid, buckets=number_of_blocks(source, file_format))
    pieces: list[list[bytes]] = [[] for _ in range(rules.buckets)]
    for number, piece in _pieces(source, universe, options, grid, rules, strict=False):
        pieces[number].append(piece)

    def block(number: int) -> Block:
        found, pieces[number] = pieces[number], []
        return assembled(found, number=number, rules=rules)

    blocks = list(few_at_once(block, range(rules.buckets)))
    lists = joined_lists([block.lists for block in blocks])
    return lists, sum(block.dropped for block in blocks), sum(block.emptied for block in blocks)


def _rules(
    universe: Universe, options: ReadOptions, grid: TimeGrid | None, *, buckets: int, are_sets: bool = False
) -> BlockRules:
    symbols = len(universe) * (1 if grid is None else grid.intervals)
    return BlockRules(symbols=symbols, are_sets=are_sets, per_person=options.per_person, buckets=buckets)


def _pieces(
    source: Source, universe: Universe, options: ReadOptions, grid: TimeGrid | None, rules: BlockRules, *, strict: bool
) -> Iterator[tuple[int, bytes]]:
    """The pieces of all parts of a source."""
    wanted = options if options.per_person.most is not None else options.without_record()
    is_empty = True
    for rows in checked_parts(_frame_parts(source, wanted), source, universe=universe, options=wanted, grid=grid):
        if strict and rows.codes.null_count():
            raise InputError(outside_message(source, grid))
        is_empty = False
        yield from cut_into_pieces(rows, symbols=rules.symbols, buckets=rules.buckets)
    if is_empty:
        raise InputError(no_rows(input_name(source)))


def _frame_parts(source: Source, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """The columns of long rows, some rows at a time, in any order."""
    if is_frame(source):
        return polars_frame(source, options.columns.names).iter_slices(text_parts.ROWS)
    return rows_of(options.format_for(source)).event_parts(source, options)


def checked_parts(
    parts: Iterable[pl.DataFrame], source: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None
) -> Iterator[EventColumns]:
    """Each part of some rows, checked and encoded; parts without rows are left out."""
    before = 0
    for part in parts:
        try:
            frame = without_empty_rows(part)
            if len(frame):
                yield event_columns(frame, universe=universe, options=options, grid=grid, source=input_name(source))
        except InputError as error:
            message = f"{error} (counted from row {before + 1} on)" if before else str(error)
            raise InputError(message) from None
        before += len(part)


def _blocks_of_lines(
    source: Source, universe: Universe, options: ReadOptions, rules: BlockRules, file_format: FileFormat
) -> Iterator[Block]:
    """Every line is one person, so a part of the lines is a block as it is."""
    for lists, dropped in lines_of(file_format).list_parts(source, universe, options):
        yield block_of_lists(lists, dropped=dropped, rules=rules)


def _stored(block: Block) -> _StoredBlock:
    lengths = block.lists.lengths
    narrow = lengths.astype(np.min_scalar_type(int(lengths.max(initial=0))))
    return _StoredBlock(_on_disk(narrow), _on_disk(np.ascontiguousarray(block.lists.codes)))


def _on_disk(column: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.unsignedinteger]:
    if not column.size:
        return column
    with _unnamed() as file:
        _write(file, column.data)
        file.flush()
        return np.memmap(file, column.dtype, "r", 0, column.shape)


def _unnamed() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(prefix="tacita-")
    except OSError as error:
        raise OutputError(_no_room(error)) from None


def _write(file: IO[bytes], data: bytes | memoryview) -> None:
    try:
        file.write(data)
    except OSError as error:
        raise OutputError(_no_room(error)) from None


def _no_room(error: OSError) -> str:
    return f"blocks cannot be written to {tempfile.gettempdir()!r}: {os.strerror(error.errno or 0)}; TMPDIR names another folder"
