"""Blocks on one machine: when a source needs them, and pieces spilled to disk that become sorted blocks of two columns.

Each block is sorted in memory, a few at a time, and written back as lengths and codes. Private rows on disk have no names: the
files are unlinked when they are opened, so that nothing is left behind, not even by a process that is killed. They lie in the
folder for temporary files (`TMPDIR`).

What is done with rows on the way to blocks: cut into pieces, wherever they are read, and put together, wherever they meet.

`Cut` is all that the mover of pieces knows of them; it is sent to the workers of a cluster, so everything in it is public.
`EventsCut` makes lists of codes from rows of events.
"""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.parts import joined_lists
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, OutputError
from tacita.formats import Compression, FileFormat
from tacita.io import sources
from tacita.io.blocks.pieces import Block, BlockRules, assembled, block_of_lists, cut_into_pieces
from tacita.io.formats import STANDARD_INPUT, lines_of, rows_of
from tacita.io.frames import EVENT_OPTIONS, Source, is_frame, polars_frame
from tacita.io.long_rows import EventColumns, event_columns, without_empty_rows
from tacita.io.misfits import Misfits
from tacita.io.options import ReadOptions
from tacita.io.sources import input_name
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = [
    "BlockFiles",
    "Cut",
    "EventsCut",
    "blocks_of_pieces",
    "few_at_once",
    "fits_memory",
    "is_large",
    "lists_in_memory",
    "number_of_blocks",
    "spilled",
    "stored_blocks",
]


class Cut(Protocol):
    """How rows become blocks."""

    @property
    def buckets(self) -> int:
        """The number of blocks, a power of two."""
        ...

    @property
    def symbols(self) -> int:
        """No code is larger."""
        ...

    def pieces(self, parts: Iterable[pl.DataFrame], misfits: Misfits) -> Iterator[tuple[int, bytes]]:
        """The rows that fit, as pieces, each with the number of its block."""
        ...

    def assembled(self, pieces: Iterable[bytes | memoryview], *, number: int) -> Block:
        """The block that these pieces make up; a row that belongs elsewhere is refused."""
        ...


@dataclass(frozen=True, kw_only=True)
class EventsCut:
    """Rows of events, which become one list for each person or record."""

    universe: Universe = field(repr=False)
    options: ReadOptions
    grid: TimeGrid | None
    rules: BlockRules

    @classmethod
    def of(
        cls, universe: Universe, options: ReadOptions, grid: TimeGrid | None, *, buckets: int, are_sets: bool = False
    ) -> EventsCut:
        """The records of a person are distinguished only if they are capped."""
        options = options.placed(universe)
        rules = BlockRules(
            symbols=len(universe) * (1 if grid is None else grid.intervals),
            are_sets=are_sets,
            joins_stays=universe.cells is not None and not are_sets,
            per_person=options.per_person,
            buckets=buckets,
        )
        wanted = options if options.per_person.most is not None else options.without_record()
        return cls(universe=universe, options=wanted, grid=grid, rules=rules)

    @property
    def buckets(self) -> int:
        """The number of blocks."""
        return self.rules.buckets

    @property
    def symbols(self) -> int:
        """The number of symbols."""
        return self.rules.symbols

    def pieces(self, parts: Iterable[pl.DataFrame], misfits: Misfits) -> Iterator[tuple[int, bytes]]:
        """The rows that fit, encoded."""
        for rows in self._encoded(parts, misfits):
            yield from cut_into_pieces(rows, symbols=self.symbols, buckets=self.buckets)

    def _encoded(self, parts: Iterable[pl.DataFrame], misfits: Misfits) -> Iterator[EventColumns]:
        """The rows of each part; parts without any are left out."""
        for part in parts:
            rows = event_columns(without_empty_rows(part), misfits, universe=self.universe, options=self.options, grid=self.grid)
            if len(rows.codes):
                yield rows

    def assembled(self, pieces: Iterable[bytes | memoryview], *, number: int) -> Block:
        """One list for each person, or record."""
        return assembled(pieces, number=number, rules=self.rules)


# Whether a source fits into memory, and how many blocks it needs otherwise.
#
# Both depend on the size of the file and on this machine. They decide how counts are computed, and never what comes out: what is
# left out, refused or released is the same on every engine, so nothing about the size leaves with it.

BYTES_PER_ROW = 64
"""Reading and publishing in memory takes about this much per row of events, and large files less."""
TEXT_BYTES_PER_ROW = 16
COMPRESSED = 8
"""Compressed text may be this much larger when it is read."""
ROWS_PER_BLOCK = 1 << 22
FEWEST, MOST = 4, 256
LARGE = 1 << 24


def fits_memory(source: Source, file_format: FileFormat, *, available: int | None = None, per_row: int = BYTES_PER_ROW) -> bool:
    """Whether a file can be read into half of the memory that is free; frames and standard input are taken to fit."""
    if is_frame(source) or str(source) == STANDARD_INPUT:
        return True
    free = free_memory() if available is None else available
    return free is None or rows_at_most(Path(source), file_format) * per_row <= free // 2


def is_large(source: Source, file_format: FileFormat) -> bool:
    """Whether a file of long rows is so large that reading it in blocks takes far less memory, and less time."""
    if is_frame(source) or str(source) == STANDARD_INPUT or not file_format.is_long:
        return False
    return rows_at_most(Path(source), file_format) >= LARGE


def number_of_blocks(source: Source, file_format: FileFormat) -> int:
    """A power of two, so that a block has about four million rows."""
    if is_frame(source) or str(source) == STANDARD_INPUT:
        return 4 * FEWEST
    wanted = rows_at_most(Path(source), file_format) / ROWS_PER_BLOCK
    return min(MOST, max(FEWEST, 1 << max(0, int(wanted)).bit_length()))


def rows_at_most(path: Path, file_format: FileFormat) -> int:
    """About how many rows a file has: what its metadata says, or else a guess from its size. For sizing only."""
    try:
        known = rows_of(file_format).row_count(path) if file_format.is_long else None
        if known is not None:
            return known
        size = path.stat().st_size
    except (OSError, pl.exceptions.PolarsError):  # reading it says what is wrong
        return 0
    return size // TEXT_BYTES_PER_ROW * (COMPRESSED if path.suffix.removeprefix(".") in set(Compression) else 1)


def free_memory() -> int | None:
    """The bytes of memory that are free on this machine or in its control group; None if nobody knows."""
    found = [_meminfo(), _control_group()]
    known = [number for number in found if number is not None]
    return min(known) if known else None


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return _physical()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _control_group() -> int | None:
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return max(0, int(limit) - int(used)) if limit.isdigit() and used.isdigit() else None


# Blocks handled by a few threads: NumPy lets several of them work at once.

THREADS = 2

Given = TypeVar("Given")
Made = TypeVar("Made")


def few_at_once(make: Callable[[Given], Made], given: Iterable[Given]) -> Iterator[Made]:
    """What is made of each of some things, in their order; few of them are made, or wait to be taken, at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque[Future[Made]] = deque()
        for each in given:
            waiting.append(pool.submit(make, each))
            if len(waiting) > THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


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
    misfits: Misfits = field(default_factory=Misfits, repr=False)

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
    """Read a source of any format into blocks; what does not fit is dropped, or refused if `strict`."""
    misfits, options = Misfits(), options.placed(universe)
    file_format = options.format_for(source)
    buckets = number_of_blocks(source, file_format) if buckets is None else buckets
    cut = EventsCut.of(universe, options, grid, buckets=buckets, are_sets=are_sets)
    if file_format.is_long:
        blocks = blocks_of_pieces(_pieces(source, misfits, cut), cut)
    else:
        blocks = _blocks_of_lines(source, misfits, universe, options, cut.rules, file_format)
    files = stored_blocks(blocks, file_format=file_format, misfits=misfits)
    if strict:
        if files.dropped:
            raise InputError(outside_message(source, grid))
        misfits.refuse(input_name(source))
    return files


def stored_blocks(blocks: Iterable[Block], *, file_format: FileFormat, misfits: Misfits) -> BlockFiles:
    """Blocks in unnamed files, as they come."""
    stored, dropped, emptied = [], 0, 0
    for block in blocks:
        stored.append(_stored(block))
        dropped, emptied = dropped + block.dropped, emptied + block.emptied
    return BlockFiles(stored=tuple(stored), file_format=file_format, dropped=dropped, emptied=emptied, misfits=misfits)


def outside_message(source: Source, grid: TimeGrid | None) -> str:
    """What is wrong with labels outside the universe, where they are refused."""
    where = "the universe" if grid is None else "the universe, and every time to the grid"
    return f"every label in {input_name(source)} must belong to {where}, but some do not; without strict they would be dropped"


def blocks_of_pieces(pieces: Iterable[tuple[int, bytes]], cut: Cut) -> Iterator[Block]:
    """The blocks that pieces make up, which wait in unnamed files until all are there."""
    with ExitStack() as closing:
        files = [closing.enter_context(_unnamed()) for _ in range(cut.buckets)]
        sizes: list[list[int]] = [[] for _ in files]
        for number, piece in pieces:
            _write(files[number], piece)
            sizes[number].append(len(piece))

        def block(number: int) -> Block:
            files[number].seek(0)
            made = cut.assembled([files[number].read(size) for size in sizes[number]], number=number)
            files[number].close()
            return made

        yield from few_at_once(block, range(cut.buckets))


def lists_in_memory(
    source: Source, misfits: Misfits, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None
) -> tuple[Ragged, int, int]:
    """The lists of long rows, block after block, how many rows were dropped, and how many records lost all of theirs.

    Nothing is written to disk. Rows wait in pieces of 8 bytes each, so a large file takes a fraction of what its columns take.
    """
    file_format = options.format_for(source)
    cut = EventsCut.of(universe, options, grid, buckets=number_of_blocks(source, file_format))
    pieces: list[list[bytes]] = [[] for _ in range(cut.buckets)]
    for number, piece in _pieces(source, misfits, cut):
        pieces[number].append(piece)

    def block(number: int) -> Block:
        found, pieces[number] = pieces[number], []
        return cut.assembled(found, number=number)

    blocks = list(few_at_once(block, range(cut.buckets)))
    lists = joined_lists([block.lists for block in blocks])
    return lists, sum(block.dropped for block in blocks), sum(block.emptied for block in blocks)


def _pieces(source: Source, misfits: Misfits, cut: EventsCut) -> Iterator[tuple[int, bytes]]:
    """The pieces of all parts of a source."""
    is_empty = True
    for piece in cut.pieces(_frame_parts(source, cut.options, misfits), misfits):
        is_empty = False
        yield piece
    if is_empty:
        raise InputError(misfits.no_rows(input_name(source)))


def _frame_parts(source: Source, options: ReadOptions, misfits: Misfits) -> Iterator[pl.DataFrame]:
    """The columns of long rows, some rows at a time, in any order."""
    if is_frame(source):
        return polars_frame(source, options.columns.names, mapped_by=EVENT_OPTIONS).iter_slices(sources.ROWS)
    return rows_of(options.format_for(source)).event_parts(source, options, misfits)


def _blocks_of_lines(
    source: Source, misfits: Misfits, universe: Universe, options: ReadOptions, rules: BlockRules, file_format: FileFormat
) -> Iterator[Block]:
    """Every line is one person, so a part of the lines is a block as it is."""
    for lists, dropped in lines_of(file_format).list_parts(source, universe, options, misfits):
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
