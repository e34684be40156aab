"""Private tables: one row per person, in columns of places.

Values are encoded by public rules that look at one row at a time: numbers outside their bounds are moved to the bound; a row in
which a categorical or sensitive value is unknown, or any value is missing, is left out. How many rows that were is known here,
for the owner only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.counting import TableCounts
from tacita.counting.local import TableCounter
from tacita.errors import InputError, ParameterError
from tacita.io import FileFormat, Source, dataset_name, format_of
from tacita.io.columns import table_columns
from tacita.io.frames import is_frame
from tacita.io.sources import input_name
from tacita.markup import html_facts
from tacita.public.inputs import PublicInputs
from tacita.tables.columns import Schema
from tacita.tables.published import SCHEMA_INPUT, schema_of

__all__ = ["TableReading", "TableRecords", "no_table", "read_for_kind", "read_table"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class TableRecords:
    """One row per person: `quasi[j][i]` is the place of person i in quasi-identifier j, `sensitive[i]` a sensitive code."""

    schema: Schema
    quasi: tuple[Integers, ...] = field(repr=False)
    sensitive: Integers | None = field(default=None, repr=False)
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.CSV
    dropped_rows: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        """Check the shape, and freeze the columns, because nobody may change private input."""
        if len(self.quasi) != len(self.schema.quasi) or (self.sensitive is None) != (self.schema.sensitive is None):
            message = "a table must have the columns that its schema declares"
            raise ParameterError(message)
        columns = [*zip(self.quasi, self.schema.sizes, strict=True)]
        if self.sensitive is not None and self.schema.sensitive is not None:
            columns.append((self.sensitive, self.schema.sensitive.size))
        for codes, size in columns:
            if codes.shape != (len(self),) or (codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < size):
                message = "every column of a table must have one code per row, within the declared values"
                raise ParameterError(message)
            codes.setflags(write=False)

    def __len__(self) -> int:
        """The number of rows; private."""
        return int(self.quasi[0].size)

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were read with."""
        return PublicInputs(others={SCHEMA_INPUT: self.schema})

    def counts(self) -> TableCounts:
        """What may be counted of them; everything that a private mechanism learns comes from here."""
        symbols = 1 if self.schema.sensitive is None else self.schema.sensitive.size
        return TableCounter(self.quasi, self.sensitive, sizes=self.schema.sizes, symbols=symbols)

    def _repr_html_(self) -> str:
        """Public facts only, for a notebook: how many there are is private."""
        return html_facts(f"Private table, {self.name}", [("columns", ", ".join(self.schema.names)), ("protected", self.unit)])

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be published."""
        return not len(self)

    @property
    def why_empty(self) -> str:
        """What may be wrong if nothing is left."""
        return "no row fits the declared columns" if self.dropped_rows else "the file holds no rows"

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner only."""
        return f"rows that do not fit the declared columns are left out: {self.dropped_rows:,}"

    @property
    def unit(self) -> str:
        """What one protected record is, for the guarantee."""
        return "one row, which holds all that the table has of one person"

    @property
    def records_per_person(self) -> int:
        """One row is one person."""
        return 1

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each row, whatever the data."""
        return (
            "columns that the schema does not name were dropped",
            "numbers outside their public bounds were moved to the bound",
            "rows with a missing value, or with one that is not among the public ones, were left out",
        )

    def sensitive_codes(self, purpose: str) -> Integers:
        """The sensitive codes, or an error that says who needs them."""
        self.schema.required_sensitive(purpose)
        if self.sensitive is None:  # pragma: no cover - checked at construction
            raise ParameterError(purpose)
        return self.sensitive

    @classmethod
    def from_frame(
        cls, frame: pl.DataFrame, *, schema: Schema, name: str = "unnamed", file_format: FileFormat = FileFormat.CSV
    ) -> TableRecords:
        """Encode a frame whose columns have the declared names."""
        missing = [column for column in schema.names if column not in frame.columns]
        if missing:
            message = f"the table must have the columns {', '.join(schema.names)}; {', '.join(missing)} is missing"
            raise InputError(message)
        coded = [column.encoded(frame[column.name]) for column in schema.quasi]
        if schema.sensitive is not None:
            coded.append(schema.sensitive.encoded(frame[schema.sensitive.name]))
        whole = np.min(np.stack(coded), axis=0) >= 0 if len(frame) else np.zeros(0, dtype=np.bool_)
        kept = [codes[whole] for codes in coded]
        return cls(
            schema=schema,
            quasi=tuple(kept[: len(schema.quasi)]),
            sensitive=None if schema.sensitive is None else kept[-1],
            name=name,
            file_format=file_format,
            dropped_rows=int(whole.size - np.count_nonzero(whole)),
        )


def read_table(
    path: Source, *, schema: Schema, file_format: FileFormat | None = None, name: str | None = None, strict: bool = False
) -> TableRecords:
    """Read one row per person from CSV (also `.gz` or `.zst`, or standard input), JSON lines, Parquet or a data frame.

    Rows that do not fit the schema are left out, or refused if `strict`.
    """
    chosen = file_format or (FileFormat.CSV if is_frame(path) else format_of(path))
    if not chosen.is_long:
        message = f"a table is read from parquet, csv or jsonl, got {str(chosen)!r}"
        raise ParameterError(message)
    frame = table_columns(path, lambda _: list(schema.names), file_format=chosen)
    records = TableRecords.from_frame(frame, schema=schema, name=dataset_name(path, name), file_format=chosen)
    if strict and records.dropped_rows:
        source = "the data frame" if is_frame(path) else input_name(path)
        message = f"every row of {source} must fit the declared columns, some do not; without strict they are left out"
        raise InputError(message)
    return records


@dataclass(frozen=True, kw_only=True)
class TableReading:
    """How the private file is read."""

    file_format: FileFormat | None = None


def read_for_kind(
    source: Source, *, public: PublicInputs, options: TableReading, name: str | None = None, strict: bool = False
) -> TableRecords:
    """Read a table as the registration of the kind asks for it."""
    return read_table(source, schema=schema_of(public), file_format=options.file_format, name=name, strict=strict)


def no_table(*, public: PublicInputs, options: TableReading, name: str) -> TableRecords:  # noqa: ARG001 - every kind is asked alike
    """The rows of nobody, for a rehearsal."""
    schema = schema_of(public)
    nobody = np.zeros(0, dtype=np.int64)
    sensitive = None if schema.sensitive is None else nobody.copy()
    return TableRecords(schema=schema, quasi=tuple(nobody.copy() for _ in schema.quasi), sensitive=sensitive, name=name)
