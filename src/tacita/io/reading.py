"""One way in for every format: lists of codes over a public universe, whatever the file is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io import long_rows
from tacita.io.formats import STANDARD_INPUT, FileFormat
from tacita.io.frames import Source, is_frame
from tacita.io.options import LongColumns, ReadOptions
from tacita.io.seq_lines import declared_universe, read_seq
from tacita.io.sources import spoken
from tacita.io.wide_lines import observed_words, read_dat, read_wide
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["ReadLists", "dataset_name", "observed_labels", "read_lists"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadLists:
    """What a file held: one list of codes a record, and what was dropped, for the owner's eyes.

    `emptied_records` tells of how many records nothing was left; where records are lines, these are still empty lists.
    """

    lists: Ragged = field(repr=False)
    file_format: FileFormat
    dropped_labels: int = field(default=0, repr=False)
    emptied_records: int = field(default=0, repr=False)


def read_lists(
    path: Source,
    *,
    universe: Universe,
    options: ReadOptions | None = None,
    strict: bool = False,
    grid: TimeGrid | None = None,
) -> ReadLists:
    """Read a file of any format, or a data frame. Labels outside the universe are dropped, or refused if `strict`.

    With a grid, codes hold the interval of each label too, and times outside the grid are treated like labels outside.
    """
    options = ReadOptions() if options is None else options
    file_format = FileFormat.PARQUET if is_frame(path) else options.format_for(path)
    if grid is not None and not file_format.is_long:
        message = f"the format {file_format} has no times, so there is nothing to put into a time grid; leave the grid out"
        raise ParameterError(message)
    emptied = None
    try:
        match file_format:
            case FileFormat.SEQ:
                lists, dropped = read_seq(path, universe=universe, options=options)
            case FileFormat.WIDE:
                lists, dropped = read_wide(path, universe=universe, options=options)
            case FileFormat.DAT:
                lists, dropped = read_dat(path, universe=universe, options=options)
            case FileFormat.PARQUET | FileFormat.CSV | FileFormat.JSONL:
                lists, dropped, emptied = long_rows.long_lists(path, universe=universe, options=options, grid=grid)
    except pl.exceptions.PolarsError:  # its text may hold what stands in a row
        message = f"{spoken(path)} cannot be read as {file_format}: its columns do not hold what they should"
        raise InputError(message) from None
    if dropped and strict:
        where = "the universe" if grid is None else "the universe, and every time to the grid"
        message = f"every label in {spoken(path)} must belong to {where}, some do not; without strict they would be dropped"
        raise InputError(message)
    emptied = int(np.count_nonzero(lists.lengths == 0)) if emptied is None else emptied
    return ReadLists(lists=lists, file_format=file_format, dropped_labels=dropped, emptied_records=emptied)


def dataset_name(path: Source, name: str | None) -> str:
    """The name by which a ledger knows a data set: the given one, or that of the file."""
    if name is not None:
        return name
    if is_frame(path):
        message = "a data frame has no name, by which a ledger knows it; give one"
        raise ParameterError(message)
    if str(path) == STANDARD_INPUT:
        message = "what comes from standard input needs a name, by which a ledger knows it"
        raise ParameterError(message)
    return Path(path).name.split(".")[0]


def observed_labels(path: Source, *, columns: LongColumns | None = None, options: ReadOptions | None = None) -> list[str]:
    """Every label that occurs in a file; for experiments, because a universe made of them voids the guarantee."""
    options = ReadOptions() if options is None else options
    options = options if columns is None else options.with_columns(columns)
    if str(path) == STANDARD_INPUT:
        message = f"{spoken(path)} can be read once only, so its labels cannot serve as the universe; name a file"
        raise ParameterError(message)
    file_format = FileFormat.PARQUET if is_frame(path) else options.format_for(path)
    if file_format is FileFormat.SEQ:
        return list(declared_universe(path, options=options).labels)
    if file_format.is_long:
        return long_rows.observed_labels(path, options=options)
    return observed_words(path, options=options)
