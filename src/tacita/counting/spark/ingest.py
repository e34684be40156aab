"""From rows of events in Spark to blocks of people: one shuffle, of pieces rather than rows.

Workers check and encode rows with the code that reads files, cut them into pieces by a hash of the id, and Spark brings those of
each block together. A block is then one row: its lists as bytes, what was dropped, and a checksum.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.blocks import Asker
from tacita.counting.spark.asking import SparkAsker, checksum
from tacita.errors import EngineError, InputError, ParameterError
from tacita.formats import FileFormat, Holds, formats_of, named_formats
from tacita.io.blocks import Cut, EventsCut
from tacita.io.blocks.pieces import note_of
from tacita.io.blocks.spill import ROWS_PER_BLOCK, outside_message
from tacita.io.formats import STANDARD_INPUT, TextRows, rows_of
from tacita.io.frames import Source, is_frame
from tacita.io.misfits import Misfits
from tacita.io.options import ReadOptions, TextDialect
from tacita.io.sources import decoded_line, input_name, readable_text, require_expandable
from tacita.io.spark import named_columns, numbered_columns, passing_on_errors, spark_session
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["SparkBlocks", "SparkRows", "blocks_on_spark", "spark_blocks", "spark_format"]

PIECES = "block int, piece binary"
BLOCKS = (
    "block int, lengths binary, codes binary, people long, size long, dropped long, emptied long, checksum long, misfits binary"
)
ROWS_AT_ONCE = 1 << 20
_LINE = "line of a file"
FEWEST, MOST = 4, 1 << 12
BATCHES, ROWS_IN_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch", 1 << 17


@dataclass(frozen=True, eq=False, kw_only=True)
class SparkBlocks:
    """Blocks of people as the rows of a Spark data frame, and what was dropped while reading, for the owner only."""

    frame: Any = field(repr=False)
    symbols: int
    file_format: FileFormat
    codes: int = field(repr=False)
    dropped: int = field(repr=False)
    emptied: int = field(repr=False)
    checksums: tuple[int, ...] = field(repr=False)
    people: tuple[int, ...] = field(repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)

    def asker(self, counted: Callable[[Ragged], object], *, remembers: bool = True) -> Asker:  # noqa: ARG002 - workers forget by themselves
        """Count on the cluster."""
        return SparkAsker(frame=self.frame, counted=counted, symbols=self.symbols, checksums=self.checksums)

    def lists(self, number: int) -> Ragged:
        """The lists of one block."""
        with passing_on_errors():
            (row,) = self.frame.where(f"block = {number}").select("lengths", "codes").collect()
        codes = np.frombuffer(row["codes"], np.min_scalar_type(self.symbols))
        return Ragged(codes, offsets_of(np.frombuffer(row["lengths"], np.int32).astype(np.int64)))


@dataclass(frozen=True, kw_only=True)
class SparkRows:
    """What workers read, and how: some columns of a frame, or lines of text, each on its own by the code that reads files."""

    names: tuple[str, ...]
    dialect: TextDialect
    file_format: FileFormat
    lines: Callable[[bytes, str, Misfits], pl.DataFrame]
    """The columns of some lines of a file of this name, of which the first is the header if there is one."""


def spark_blocks(  # noqa: PLR0913 - what blocks depend on
    source: Source,
    *,
    universe: Universe,
    options: ReadOptions,
    grid: TimeGrid | None = None,
    strict: bool = False,
    are_sets: bool = False,
    buckets: int | None = None,
) -> SparkBlocks:
    """Read events from a Spark data frame, or a path that Spark reads, into blocks that stay on the cluster."""
    file_format = options.format_for(source) if is_frame(source) else spark_format(source, options.file_format)

    def cut(number: int) -> EventsCut:
        return EventsCut.of(universe, options, grid, buckets=number, are_sets=are_sets)

    wanted = cut(1).options
    rows = SparkRows(
        names=tuple(wanted.columns.names),
        dialect=wanted.dialect,
        file_format=file_format,
        lines=partial(_event_lines, wanted, file_format),
    )
    blocks = blocks_on_spark(source, rows, cut, buckets=buckets)
    if not blocks.codes and not blocks.dropped:
        raise InputError(blocks.misfits.no_rows(input_name(source)))
    if strict:
        name = _name(source)
        blocks.misfits.refuse(name)
        if blocks.dropped:
            raise InputError(outside_message(name, grid))
    return blocks


def _event_lines(options: ReadOptions, file_format: FileFormat, data: bytes, source: str, misfits: Misfits) -> pl.DataFrame:
    code = cast("TextRows", rows_of(file_format))
    return code.lines(data, source, options, misfits)


def blocks_on_spark(
    source: Source, wanted: SparkRows, cut_into: Callable[[int], Cut], *, buckets: int | None = None
) -> SparkBlocks:
    """Read rows into blocks that stay on the cluster; `cut_into` says how, given their number."""
    with passing_on_errors():
        rows = _rows(source, wanted)
        cut = cut_into(_buckets(rows) if buckets is None else buckets)
        lines = _Lines(_name(source), wanted, _header(rows, wanted, source))
        pieces = rows.mapInArrow(_cutting(lines, cut), PIECES)
        together = _with_empty_pieces(pieces, cut.buckets).repartition(cut.buckets, "block")
        frame = together.mapInArrow(_assembling(cut), BLOCKS).persist()
        with _large_batches(rows.sparkSession):
            found = frame.select("block", "people", "size", "dropped", "emptied", "checksum", "misfits").collect()
    return _summed(frame, found, cut, wanted.file_format)


def _name(source: Source) -> str:
    return "the data frame of Spark" if is_frame(source) else str(source)


def _summed(frame: Any, found: list[Any], cut: Cut, file_format: FileFormat) -> SparkBlocks:  # noqa: ANN401 - of Spark
    if sorted(row["block"] for row in found) != list(range(cut.buckets)):
        message = "Spark lost a block of people, or made one twice; nothing was counted"
        raise EngineError(message)
    found = sorted(found, key=lambda row: int(row["block"]))
    codes, dropped = (sum(row[name] for row in found) for name in ("size", "dropped"))
    misfits = Misfits()
    for row in found:
        misfits.join(Misfits.from_bytes(bytes(row["misfits"])))
    return SparkBlocks(
        frame=frame,
        symbols=cut.symbols,
        file_format=file_format,
        codes=codes,
        dropped=dropped,
        emptied=sum(row["emptied"] for row in found),
        checksums=tuple(row["checksum"] for row in found),
        people=tuple(row["people"] for row in found),
        misfits=misfits,
    )


def spark_format(source: Source, named: FileFormat | None) -> FileFormat:
    """The format of a path, which need not be on this machine."""
    if str(source) == STANDARD_INPUT:
        message = "Spark cannot read standard input; name a path, or choose the engine local or blocks"
        raise ParameterError(message)
    text = str(source).rstrip("/").lower()
    known = [each for each in formats_of(Holds.EVENTS) if each.spark]
    found = next((each for each in known if any(ending in text for ending in each.endings)), FileFormat.PARQUET)
    chosen = named or found
    if chosen not in known:
        message = (
            f"Spark reads {named_formats(known, 'and')}, got {chosen}, whose lines have no ids; choose the engine local or blocks"
        )
        raise ParameterError(message)
    return chosen


def _rows(source: Source, wanted: SparkRows) -> Any:  # noqa: ANN401 - a data frame of Spark
    names, file_format, dialect = wanted.names, wanted.file_format, wanted.dialect
    if is_frame(source):
        if not type(source).__module__.startswith("pyspark."):
            message = f"Spark counts its own data frames, or paths that it reads, got {type(source).__module__}"
            raise ParameterError(message)
        return numbered_columns(source, names)
    if not file_format.is_text:
        return numbered_columns(spark_session().read.format(file_format.spark).load(str(source)), names)
    if codecs.lookup(dialect.encoding).name.startswith(("utf-16", "utf-32")):
        message = f"Spark divides a text into lines by its bytes, got {dialect.encoding}; choose the engine local or blocks"
        raise ParameterError(message)
    require_expandable(str(source))
    return spark_session().read.text(str(source), lineSep="\n").selectExpr(f"cast(value as binary) as `{_LINE}`")


def _header(rows: Any, wanted: SparkRows, source: Source) -> bytes:  # noqa: ANN401 - a data frame of Spark
    """The first line that is not empty and no comment, of a text that has a header: it is public, and begins every file."""
    if rows.columns != [_LINE] or "header" not in wanted.file_format.dialect or not wanted.dialect.header:
        return b""
    comment = wanted.dialect.comment
    kept = rows.where(f"length(trim(cast(`{_LINE}` as string))) > 0")
    kept = kept if comment is None else kept.where(f"hex(`{_LINE}`) not like '{comment.encode().hex().upper()}%'")
    found = kept.first()
    if found is None:
        raise InputError(Misfits().no_rows(input_name(source)))
    return bytes(found[_LINE]).removeprefix(codecs.BOM_UTF8).rstrip(b"\r")


def _buckets(rows: Any) -> int:  # noqa: ANN401 - a data frame of Spark
    """A power of two: several blocks per task that runs at a time, and no more than about four million rows in each."""
    wanted = rows.sparkSession.conf.get("spark.tacita.blocks", None)
    if wanted is not None:
        number = int(wanted)
        if not 1 <= number <= MOST or number & (number - 1):
            message = f"spark.tacita.blocks must be a power of two, at most {MOST}, got {number}"
            raise ParameterError(message)
        return number
    size = rows.selectExpr("spark_partition_id() as part").selectExpr("count(distinct part) as partitions", "count(1) as rows")
    found = size.first()
    wanted = max(2 * found["partitions"] - 1, found["rows"] // ROWS_PER_BLOCK, 0)
    return int(min(MOST, max(FEWEST, 1 << wanted.bit_length())))


@contextmanager
def _large_batches(session: Any) -> Iterator[None]:  # noqa: ANN401 - a session of Spark
    """Hand rows over in large batches while blocks are made: the usual ten thousand cost more than the rows do."""
    before = session.conf.get(BATCHES)
    session.conf.set(BATCHES, str(max(int(before), ROWS_IN_BATCH)))
    try:
        yield
    finally:
        session.conf.set(BATCHES, before)


def _with_empty_pieces(pieces: Any, buckets: int) -> Any:  # noqa: ANN401 - a data frame of Spark
    """One more piece for each block, so that every block exists."""
    empty = pieces.sparkSession.range(buckets).selectExpr("cast(id as int) as block", "cast('' as binary) as piece")
    return pieces.unionByName(empty)


@dataclass(frozen=True)
class _Lines:
    """How workers read lines."""

    source: str
    wanted: SparkRows
    header: bytes

    def frames(self, parts: Iterator[pl.DataFrame], misfits: Misfits) -> Iterator[pl.DataFrame]:
        """Rows as they are, or read from lines; a line that is the header of its file is no row."""
        dialect = self.wanted.dialect
        for part in parts:
            if part.columns != [_LINE]:
                yield named_columns(part, self.wanted.names)
                continue
            lines = (line.removeprefix(codecs.BOM_UTF8).removesuffix(b"\r") for line in part[_LINE].to_list())
            kept = [line for line in lines if line and line != self.header]
            text = readable_text(b"\n".join([*kept, b""]), misfits, self.source, dialect)
            if text.strip(b"\n"):
                header = [decoded_line(self.header, self.source, dialect)] if self.header else []
                yield self.wanted.lines(b"\n".join([*header, text]), self.source, misfits)


def _cutting(lines: _Lines, cut: Cut) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a worker does with rows, or with lines."""

    def into_pieces(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415 - comes with Spark

        misfits = Misfits()
        for number, piece in cut.pieces(lines.frames(_larger(batches), misfits), misfits):
            columns = {"block": pa.array([number], pa.int32()), "piece": pa.array([piece], pa.binary())}
            yield pa.RecordBatch.from_pydict(columns)
        note = {"block": pa.array([0], pa.int32()), "piece": pa.array([note_of(misfits)], pa.binary())}
        yield pa.RecordBatch.from_pydict(note)

    return into_pieces


def _larger(batches: Iterator[Any]) -> Iterator[pl.DataFrame]:
    """Batches joined to parts of about a million rows, so that pieces are not tiny."""
    held: list[pl.DataFrame] = []
    size = 0
    for batch in batches:
        frame = pl.from_arrow(batch)
        if isinstance(frame, pl.DataFrame) and len(frame):
            held.append(frame)
            size += len(frame)
        if size >= ROWS_AT_ONCE:
            yield pl.concat(held)
            held, size = [], 0
    if held:
        yield pl.concat(held)


def _assembling(cut: Cut) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a worker does with pieces: sort each block, and check that nobody is in a wrong one."""

    def assemble(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415 - comes with Spark

        pieces: dict[int, list[bytes]] = {}
        for batch in batches:
            for number, piece in zip(batch.column("block").to_pylist(), batch.column("piece").to_pylist(), strict=True):
                pieces.setdefault(number, []).extend([piece] if piece else [])
        for number in sorted(pieces):
            block = cut.assembled(pieces.pop(number), number=number)
            lengths = block.lists.lengths.astype(np.int32).tobytes()
            codes = np.ascontiguousarray(block.lists.codes).tobytes()
            yield pa.RecordBatch.from_pydict(
                {
                    "block": pa.array([number], pa.int32()),
                    "lengths": pa.array([lengths], pa.binary()),
                    "codes": pa.array([codes], pa.binary()),
                    "people": [len(block.lists)],
                    "size": [int(block.lists.codes.size)],
                    "dropped": [block.dropped],
                    "emptied": [block.emptied],
                    "checksum": [checksum(lengths, codes)],
                    "misfits": pa.array([block.misfits.to_bytes()], pa.binary()),
                }
            )

    return assemble
