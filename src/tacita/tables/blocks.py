"""Tables that need not fit into memory: rows in blocks of people, on disk or in Spark, and how they are opened.

A block holds the columns of its rows one after the other. The rows of a person are in one block, which is checked, so a block
keeps the same rows of a person that memory would keep; where nobody said whose row is whose, any row may be in any block. The
rows of a block are in the order of a hash, so that a block that is made again is the same.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import cast

import numpy as np
import polars as pl

from tacita.arrays import AnyIntegers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting import TableCounts
from tacita.counting.blocks import TableCountsOfBlocks
from tacita.counting.engines import BlocksOnDisk, HeldBlocks
from tacita.counting.local import TableCounter
from tacita.errors import EngineError, ParameterError
from tacita.formats import FileFormat
from tacita.io import Engine, Source, dataset_name
from tacita.io.blocks import Block, blocks_of_pieces, fits_memory, number_of_blocks, stored_blocks
from tacita.io.blocks.pieces import LOST, bucket_of_numbers, bucket_of_strings, frames_by_block, opened_piece
from tacita.io.blocks.spill import BYTES_PER_ROW
from tacita.io.columns import table_parts
from tacita.io.formats import TableLines, table_of
from tacita.io.frames import is_frame
from tacita.io.misfits import Misfits
from tacita.io.options import TextDialect
from tacita.io.sources import input_name
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.tables.published import schema_of
from tacita.tables.records import (
    CountedTable,
    TableReading,
    TableRecords,
    needed_columns,
    read_table,
    separator_of,
    table_file_format,
)
from tacita.tables.rows import CodedRows, coded_rows, row_keys
from tacita.tables.schema import Schema

__all__ = ["TableInBlocks", "open_table", "read_for_kind"]

PERSON = "person"


@dataclass(frozen=True, kw_only=True)
class TableCut:
    """Rows of a table, which become blocks of columns."""

    schema: Schema
    person: str | None
    most: int
    """How many rows of a person are kept, if a column says whose they are."""
    buckets: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of values of all columns, that of combined sensitive values last."""
        return (*self.schema.sizes, *(() if self.schema.sensitive is None else (self.schema.sensitive.size,)))

    @property
    def symbols(self) -> int:
        """No code is larger."""
        return max(self.sizes)

    def pieces(self, parts: Iterable[pl.DataFrame], misfits: Misfits) -> Iterator[tuple[int, bytes]]:
        """The rows that fit, encoded, as small frames."""
        for part in parts:
            rows = coded_rows(part, misfits, schema=self.schema, person=self.person)
            named = {f"c{place}": codes for place, codes in enumerate(self._narrow(rows.columns))}
            frame = pl.DataFrame(named if rows.persons is None else {PERSON: rows.persons, **named})
            if rows.persons is None:
                block = bucket_of_numbers(row_keys(rows.columns, None).view(np.int64), self.buckets)
            else:
                block = bucket_of_strings(rows.persons, self.buckets)
            yield from frames_by_block(frame, block, self.buckets)

    def _narrow(self, columns: Iterable[AnyIntegers]) -> Iterator[AnyIntegers]:
        for codes, size in zip(columns, self.sizes, strict=True):
            yield codes.astype(np.min_scalar_type(size))

    def assembled(self, pieces: Iterable[bytes | memoryview], *, number: int) -> Block:
        """The columns of a block; every person must belong to it, because nobody may be cut in two."""
        frames, misfits = [], Misfits()
        for piece in pieces:
            header, body = opened_piece(piece)
            if header.is_note:
                misfits.join(Misfits.from_bytes(bytes(body)))
            else:
                frames.append(pl.read_ipc_stream(io.BytesIO(body)))
        kind = np.min_scalar_type(self.symbols)
        if not frames:
            nothing = np.zeros(len(self.sizes) + 1, dtype=np.int64)
            return Block(lists=Ragged(np.zeros(0, dtype=kind), nothing), misfits=misfits)
        frame = pl.concat(frames)
        columns = tuple(frame[f"c{place}"].to_numpy() for place in range(len(self.sizes)))
        rows = CodedRows(columns=columns, persons=frame[PERSON] if PERSON in frame.columns else None)
        if rows.persons is not None and np.any(bucket_of_strings(rows.persons, self.buckets) != number):
            raise EngineError(LOST)
        kept = rows.capped(self.most)
        order = np.argsort(row_keys(kept.columns, None), kind="stable")
        codes = np.concatenate([codes[order].astype(kind) for codes in kept.columns])
        lengths = np.full(len(self.sizes), len(kept), dtype=np.int64)
        return Block(lists=Ragged(codes, offsets_of(lengths)), dropped=len(rows) - len(kept), misfits=misfits)


def _counts(schema: Schema, lists: Ragged) -> TableCounter:
    """The counts of one block, as the local engine has them."""
    columns = _columns(lists)
    quasi = columns[: len(schema.quasi)]
    if schema.sensitive is None:
        return TableCounter(quasi, None, sizes=schema.sizes, symbols=1)
    hidden = schema.hidden_codes(columns[-1].astype(np.int64))
    return TableCounter(quasi, columns[-1], sizes=schema.sizes, symbols=schema.sensitive.size, hidden=hidden)


def _columns(lists: Ragged) -> list[AnyIntegers]:
    ends = lists.offsets.tolist()
    return [lists.codes[begin:end] for begin, end in pairwise(ends)]


@dataclass(frozen=True, kw_only=True, eq=False)
class TableInBlocks(CountedTable):
    """Rows in blocks of people, on disk or on a cluster."""

    blocks: HeldBlocks = field(repr=False)

    def __len__(self) -> int:
        """The number of rows; private."""
        return self.blocks.codes // (len(self.schema.quasi) + (self.schema.sensitive is not None))

    def counts(self) -> TableCounts:
        """What may be counted of them; everything that a private mechanism learns comes from here."""
        return TableCountsOfBlocks(self.blocks.asker(partial(_counts, self.schema)))

    def in_memory(self) -> TableRecords:
        """All rows in this process, for judges, who look at all of them at once."""
        parts = [_columns(self.blocks.lists(number)) for number in range(len(self.blocks.people))]
        columns = [np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True)]
        return TableRecords(
            schema=self.schema,
            quasi=tuple(columns[: len(self.schema.quasi)]),
            sensitive=None if self.schema.sensitive is None else columns[-1],
            name=self.name,
            file_format=self.file_format,
            separator=self.separator,
            dropped_rows=self.dropped_rows,
            misfits=self.misfits,
            per_person=self.per_person,
        )


def open_table(
    source: Source, *, schema: Schema, options: TableReading | None = None, name: str | None = None, strict: bool = False
) -> CountedTable:
    """A table on the engine that the options name: in memory, in blocks on disk, or in Spark.

    What comes out can be published by every private method, whatever its size; only `read_table` promises that it is in memory,
    where verified methods need it. If the options leave the engine open, a file that fits into memory is read into it.
    """
    instance_of(schema, Schema, name="the schema of a table")
    options = TableReading() if options is None else options
    engine = _chosen_engine(source, schema, options)
    if engine is Engine.LOCAL:
        return read_table(source, schema=schema, name=name, strict=strict, **options.as_given())
    name, misfits = dataset_name(source, name), Misfits()
    cut = TableCut(
        schema=schema, person=options.person, most=1 if options.per_person is None else options.per_person.records, buckets=1
    )
    if engine is Engine.SPARK:
        held: HeldBlocks = _on_spark(source, cut, options)
    else:
        file_format = table_file_format(source, options.file_format)
        cut = replace(cut, buckets=number_of_blocks(source, file_format))
        names = needed_columns(schema, options.person)
        parts = table_parts(source, names, misfits, file_format=file_format, dialect=options.dialect)
        blocks = blocks_of_pieces(cut.pieces(parts, misfits), cut)
        held = BlocksOnDisk(stored_blocks(blocks, file_format=file_format, misfits=misfits))
    if strict:
        held.misfits.refuse(input_name(source))
    return TableInBlocks(
        blocks=held,
        schema=schema,
        name=name,
        file_format=held.file_format,
        separator=separator_of(source, options.dialect),
        dropped_rows=held.dropped,
        misfits=held.misfits,
        per_person=options.per_person,
    )


def _chosen_engine(source: Source, schema: Schema, options: TableReading) -> Engine:
    """The engine that the options name, or else the simplest one that will do."""
    if type(source).__module__.startswith("pyspark."):
        if options.engine not in {Engine.AUTO, Engine.SPARK}:
            message = f"a data frame of Spark is counted by Spark, got the engine {options.engine}; leave it out"
            raise ParameterError(message)
        return Engine.SPARK
    if options.engine is not Engine.AUTO:
        return options.engine
    file_format = table_file_format(source, options.file_format)
    per_row = BYTES_PER_ROW if file_format.is_text else max(BYTES_PER_ROW, 16 * len(schema.names))
    return Engine.LOCAL if fits_memory(source, file_format, per_row=per_row) else Engine.BLOCKS


def _on_spark(source: Source, cut: TableCut, options: TableReading) -> HeldBlocks:
    from tacita.counting.spark import SparkRows, blocks_on_spark, spark_format  # noqa: PLC0415 - an extra

    file_format = table_file_format(source, None) if is_frame(source) else spark_format(source, options.file_format)
    names = needed_columns(cut.schema, options.person)
    rows = SparkRows(
        names=tuple(names),
        dialect=options.dialect,
        file_format=file_format,
        lines=partial(_lines, file_format, names, options.dialect),
    )
    return blocks_on_spark(source, rows, lambda buckets: replace(cut, buckets=buckets))


def _lines(
    file_format: FileFormat, names: list[str], dialect: TextDialect, data: bytes, source: str, misfits: Misfits
) -> pl.DataFrame:
    """The columns of some lines, as workers read them."""
    return cast("TableLines", table_of(file_format)).column_lines(data, source, names, dialect, misfits)


def read_for_kind(
    source: Source, *, public: PublicInputs, options: TableReading, name: str | None = None, strict: bool = False
) -> CountedTable:
    """Open a table as the registration of the kind asks for it."""
    return open_table(source, schema=schema_of(public), options=options, name=name, strict=strict)
