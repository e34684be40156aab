"""From the reading options to private records; the one place of the command line where private files are opened."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from tacita.cli.words.field_options import typed
from tacita.cli.words.reading_options import COLUMN_OPTIONS
from tacita.core.errors import ParameterError
from tacita.core.per_person import PerPerson
from tacita.core.ragged import Ragged
from tacita.core.time_grid import TimeGrid
from tacita.core.universe import Universe
from tacita.io import (
    STANDARD_INPUT,
    FileFormat,
    LongColumns,
    ReadOptions,
    TextDialect,
    format_of,
    observed_labels,
    parse_time_format,
)
from tacita.sequences import SequenceRecords, read_sequences

__all__ = ["dataset_of", "input_format", "no_records", "observed_universe", "read_options", "read_records"]

SIGNS = {"tab": "\t", "blank": " "}
"""Separators that are hard to type."""


def read_options(options: argparse.Namespace) -> ReadOptions:
    """Everything about reading; what was not given is the library's."""
    per_person = PerPerson.JOIN if options.per_person is None else PerPerson.parse(options.per_person)
    return ReadOptions(
        file_format=None if options.input_format is None else FileFormat(options.input_format),
        columns=LongColumns(**{name: str(column) for name, column in typed(options, COLUMN_OPTIONS).items()}),
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


def input_format(options: argparse.Namespace) -> FileFormat:
    """The format of the private file, told without a look at it; options that it cannot follow are refused."""
    chosen = read_options(options)
    if chosen.file_format is None and options.input != STANDARD_INPUT:
        chosen = replace(chosen, file_format=format_of(options.input))
    return chosen.format_for(options.input)


def dataset_of(options: argparse.Namespace) -> str:
    """The name of the data set in the ledger, which is that of the file if no other was given."""
    if options.dataset is not None:
        return str(options.dataset)
    if options.input == STANDARD_INPUT:
        message = "what comes from standard input needs a name, by which a ledger knows it; give --dataset"
        raise ParameterError(message)
    return Path(options.input).name.split(".")[0]


def read_records(
    options: argparse.Namespace, universe: Universe, *, grid: TimeGrid | None = None, name: str | None = None
) -> SequenceRecords:
    """Read the private file."""
    return read_sequences(
        options.input, universe=universe, options=read_options(options), grid=grid, name=name, strict=bool(options.strict)
    )


def no_records(
    universe: Universe, *, name: str, grid: TimeGrid | None = None, per_person: PerPerson = PerPerson.JOIN
) -> SequenceRecords:
    """Records of nobody, for a rehearsal."""
    return SequenceRecords(sequences=Ragged.from_lists([]), universe=universe, grid=grid, name=name, per_person=per_person)


def observed_universe(options: argparse.Namespace) -> Universe:
    """The labels that the private file holds, or declares; whoever publishes with them has no guarantee."""
    return Universe.observed(observed_labels(options.input, options=read_options(options)))
