"""From the reading options to private records; the one place of the command line where private files are opened."""

from __future__ import annotations

import argparse
from pathlib import Path

from tacita.cli.words.field_options import typed
from tacita.cli.words.reading_options import COLUMN_OPTIONS
from tacita.core.universe import Universe
from tacita.io import FileFormat, LongColumns, declared_universe, format_of
from tacita.io.long_rows import observed_labels
from tacita.sequences import SequenceRecords, read_sequences

__all__ = ["columns_of", "dataset_of", "no_records", "observed_universe", "read_records"]


def columns_of(options: argparse.Namespace) -> LongColumns:
    """The names of the columns; those that were not given are the library's."""
    return LongColumns(**{name: str(column) for name, column in typed(options, COLUMN_OPTIONS).items()})


def dataset_of(options: argparse.Namespace) -> str:
    """The name of the data set in the ledger, which is that of the file if no other was given."""
    return Path(options.input).name.split(".")[0] if options.dataset is None else str(options.dataset)


def read_records(options: argparse.Namespace, universe: Universe, *, name: str | None = None) -> SequenceRecords:
    """Read the private file."""
    return read_sequences(options.input, universe=universe, columns=columns_of(options), name=name, strict=bool(options.strict))


def no_records(universe: Universe, *, name: str) -> SequenceRecords:
    """Records of nobody, for a rehearsal."""
    return SequenceRecords.from_labels([], universe=universe, name=name)


def observed_universe(options: argparse.Namespace) -> Universe:
    """The labels that the private file holds, or declares; whoever publishes with them has no guarantee."""
    if format_of(options.input) is FileFormat.SEQ:
        return Universe.observed(declared_universe(options.input).labels)
    return Universe.observed(observed_labels(options.input, columns=columns_of(options)))
