"""From the reading options to private records; the one place of the command line where private files are opened."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from tacita.arrays.ragged import Ragged
from tacita.cli.words.field_options import typed
from tacita.cli.words.reading_options import COLUMN_OPTIONS
from tacita.errors import ParameterError
from tacita.io import (
    STANDARD_INPUT,
    FileFormat,
    LongColumns,
    ReadOptions,
    TextDialect,
    dataset_name,
    format_of,
    observed_labels,
    parse_time_format,
)
from tacita.methods import Kind
from tacita.public.per_person import PerPerson
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import SequenceRecords, read_sequences
from tacita.sets import BasketRecords, read_baskets

__all__ = ["Records", "dataset_of", "input_format", "no_records", "observed_universe", "read_options", "read_records"]

Records = SequenceRecords | BasketRecords

SIGNS = {"tab": "\t", "blank": " "}
"""Separators that are hard to type."""


def read_options(options: argparse.Namespace, kind: Kind = Kind.SEQUENCES) -> ReadOptions:
    """Everything about reading; what was not given is the library's, and sets have no column of times."""
    per_person = PerPerson.JOIN if options.per_person is None else PerPerson.parse(options.per_person)
    columns: dict[str, Any] = {name: str(column) for name, column in typed(options, COLUMN_OPTIONS).items()}
    return ReadOptions(
        file_format=None if options.input_format is None else FileFormat(options.input_format),
        columns=LongColumns(**(columns | {"time": None} if kind is Kind.SETS else columns)),
        dialect=_dialect(options),
        time_format=parse_time_format("auto" if options.time_format is None else options.time_format, zone=options.time_zone),
        per_person=per_person,
    )


def _dialect(options: argparse.Namespace) -> TextDialect:
    """How the text is written; each sign that was not given is the library's."""
    dialect = TextDialect(header=not options.no_header)
    if options.separator is not None:
        dialect = replace(dialect, separator=SIGNS.get(options.separator, options.separator))
    if options.quote is not None:
        dialect = replace(dialect, quote=None if options.quote == "none" else options.quote)
    if options.encoding is not None:
        dialect = replace(dialect, encoding=options.encoding)
    return replace(dialect, comment=options.comment)


def input_format(options: argparse.Namespace, kind: Kind) -> FileFormat:
    """The format of the private file, told without a look at it; options that it cannot follow are refused."""
    chosen = read_options(options, kind)
    if chosen.file_format is None and options.input != STANDARD_INPUT:
        chosen = replace(chosen, file_format=format_of(options.input))
    return chosen.format_for(options.input)


def dataset_of(options: argparse.Namespace) -> str:
    """The name of the data set in the ledger, which is that of the file if no other was given."""
    if options.dataset is None and options.input == STANDARD_INPUT:
        message = "what comes from standard input needs a name, by which a ledger knows it; give --dataset"
        raise ParameterError(message)
    return dataset_name(options.input, options.dataset)


def read_records(
    options: argparse.Namespace, universe: Universe, *, kind: Kind, grid: TimeGrid | None = None, name: str | None = None
) -> Records:
    """Read the private file."""
    chosen, strict = read_options(options, kind), bool(options.strict)
    if kind is Kind.SETS:
        return read_baskets(options.input, universe=universe, options=chosen, name=name, strict=strict)
    return read_sequences(options.input, universe=universe, options=chosen, grid=grid, name=name, strict=strict)


def no_records(
    universe: Universe, *, kind: Kind, name: str, grid: TimeGrid | None = None, per_person: PerPerson = PerPerson.JOIN
) -> Records:
    """Records of nobody, for a rehearsal."""
    nothing = Ragged.from_lists([])
    if kind is Kind.SETS:
        return BasketRecords(baskets=nothing, universe=universe, name=name, per_person=per_person)
    return SequenceRecords(sequences=nothing, universe=universe, grid=grid, name=name, per_person=per_person)


def observed_universe(options: argparse.Namespace, kind: Kind) -> Universe:
    """The labels that the private file holds, or declares; whoever publishes with them has no guarantee."""
    return Universe.observed(observed_labels(options.input, options=read_options(options, kind)))
