"""Private tables: one row per person, or a few, in columns of places, and how they are read.

Values are encoded by public rules that look at one row at a time: numbers outside their bounds are moved to the bound; a row in
which a categorical or sensitive value is unknown, or any value is missing, is left out. How many rows that were is known here,
for the owner only. If the column of persons is named, a person's rows beyond a cap are cut, whatever the other rows are; if it is
not, every row is taken to be another person's, and the release says so. `CountedTable` is what mechanisms take; `blocks` has
tables that need not fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.counting import TableCounts
from tacita.counting.local import TableCounter
from tacita.errors import ParameterError
from tacita.formats import FileFormat, Holds, format_named, format_of, formats_of, named_formats
from tacita.io import STANDARD_INPUT, Engine, Source, dataset_name
from tacita.io.columns import table_columns
from tacita.io.frames import is_frame
from tacita.io.misfits import Misfits
from tacita.io.options import TextDialect
from tacita.io.sources import input_name
from tacita.kinds.words import text_dialect
from tacita.pictures.picture import html_facts
from tacita.public.inputs import PerPerson, PublicInputs
from tacita.public.parameters import Chosen, instance_of
from tacita.tables.columns import Categorical, Otherwise
from tacita.tables.declarations import declared, read_schema
from tacita.tables.published import SCHEMA_INPUT, schema_of, table_format
from tacita.tables.rows import coded_rows
from tacita.tables.schema import Schema

__all__ = [
    "CountedTable",
    "TableReading",
    "TableRecords",
    "columns",
    "needed_columns",
    "no_table",
    "output_format",
    "read_table",
    "reading",
    "separator_of",
    "table_file_format",
]


ORDER = "by a fixed hash of the person and the row"
"""Which rows of a person come first if only some of them count."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedTable:
    """A private table wherever it is: what is public about it, and its counts. Private mechanisms take these.

    `per_person` is the cap on a person's rows that was applied; None: nobody said whose row is whose. `separator` is what divides
    the columns of its text, if it is not what is usual; a release is written alike.
    """

    schema: Schema
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.CSV
    separator: str | None = None
    dropped_rows: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)
    per_person: PerPerson | None = None

    def __len__(self) -> int:
        """The number of rows; private."""
        raise NotImplementedError

    def counts(self) -> TableCounts:
        """What may be counted of them; everything that a private mechanism learns comes from here."""
        raise NotImplementedError

    def in_memory(self) -> TableRecords:
        """All rows in this process, for judges."""
        raise NotImplementedError

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were read with."""
        return PublicInputs(others={SCHEMA_INPUT: self.schema})

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
        return f"no row fits the declared columns ({self.misfits.rules})" if len(self.misfits) else "the file holds no rows"

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner only."""
        if not self.dropped_rows:
            return self.misfits.note
        return f"{self.dropped_rows:,} rows beyond the cap of their person are left out; {self.misfits.note}"

    @property
    def unit(self) -> str:
        """What one protected record is, for the guarantee."""
        if self.per_person is None:
            return "one row (for a person with several rows, epsilon is multiplied by their number)"
        return self.per_person.unit("row", order=ORDER)

    @property
    def records_per_person(self) -> int:
        """The largest number of rows of one person: the cap, or one if every row is taken to be another person's."""
        return 1 if self.per_person is None else self.per_person.records

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each row, whatever the data."""
        if self.per_person is None:
            persons = "each row was treated as a different person's, because no column says whose it is"
        else:
            persons = f"of each person at most {self.per_person.records} rows were kept, the first {ORDER}"
        return (persons, "columns that the schema does not name were dropped", *self._rules_of_values)

    @property
    def _rules_of_values(self) -> Iterator[str]:
        """What was done about values that do not fit, by what is declared of each column."""
        moved, dropped, missing = (
            [column.name for column in self.schema.quasi if column.otherwise is rule]
            for rule in (Otherwise.BOUND, Otherwise.DROP, Otherwise.MISSING)
        )
        numbers = [column.name for column in self.schema.quasi if not isinstance(column, Categorical) and column.name in dropped]
        if moved:
            yield "numbers and dates outside their public bounds were moved to the bound" + _unless(moved, dropped + missing)
        if numbers:
            yield f"rows with a number or date outside its public bounds were left out: {_quoted(numbers)}"
        if missing:
            yield f"a value that does not fit was taken for missing: {_quoted(missing)}"
        kept = [column.name for column in self.schema.quasi if column.missing]
        if kept:
            yield f"having no value was counted as a value: {_quoted(kept)}"
        if len(kept) < len(self.schema.names):
            yield "rows with a missing value, or a value that is not on the public list, were dropped" + _unless([], kept)


@dataclass(frozen=True, kw_only=True, eq=False)
class TableRecords(CountedTable):
    """Rows of persons in memory: `quasi[j][i]` is the place of row i in quasi-identifier j, `sensitive[i]` a sensitive code."""

    quasi: tuple[Integers, ...] = field(repr=False)
    sensitive: Integers | None = field(default=None, repr=False)
    persons: pl.Series | None = field(default=None, repr=False)
    """Whose each row is, as text, if a column says so; for kinds that join what else is known of a person."""

    def __post_init__(self) -> None:
        """Check the shape, and freeze the columns, because nobody may change private input."""
        instance_of(self.schema, Schema, name="the schema of a table")
        instance_of(self.quasi, tuple, list, name="the columns of a table")
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

    def counts(self) -> TableCounts:
        """What may be counted of them; everything that a private mechanism learns comes from here."""
        symbols = 1 if self.schema.sensitive is None else self.schema.sensitive.size
        hidden = () if self.sensitive is None else self.schema.hidden_codes(self.sensitive)
        return TableCounter(self.quasi, self.sensitive, sizes=self.schema.sizes, symbols=symbols, hidden=hidden)

    def in_memory(self) -> TableRecords:
        """They are."""
        return self

    def sensitive_codes(self, purpose: str) -> Integers:
        """The sensitive codes, or an error that says who needs them."""
        self.schema.required_sensitive(purpose)
        if self.sensitive is None:  # pragma: no cover - checked at construction
            raise ParameterError(purpose)
        return self.sensitive

    @classmethod
    def from_frame(  # noqa: PLR0913 - how a frame is read
        cls,
        frame: pl.DataFrame,
        *,
        schema: Schema,
        name: str = "unnamed",
        file_format: FileFormat = FileFormat.CSV,
        separator: str | None = None,
        person: str | None = None,
        per_person: PerPerson | None = None,
        misfits: Misfits | None = None,
    ) -> TableRecords:
        """Encode a frame whose columns have the declared names; `person` names the column that says whose row it is.

        Of each person some rows are kept, one unless `per_person` is another cap.
        """
        per_person = _cap(person, per_person)
        misfits = Misfits() if misfits is None else misfits
        rows = coded_rows(frame, misfits, schema=schema, person=person)
        kept = rows if per_person is None else rows.capped(per_person.records)
        places = [codes.astype(np.int64, copy=False) for codes in kept.columns]
        return cls(
            schema=schema,
            quasi=tuple(places[: len(schema.quasi)]),
            sensitive=None if schema.sensitive is None else places[-1],
            name=name,
            file_format=file_format,
            separator=separator,
            dropped_rows=len(rows) - len(kept),
            misfits=misfits,
            per_person=per_person,
            persons=kept.persons,
        )


def _unless(named: list[str], others: list[str]) -> str:
    """The columns that a rule is about, where other columns have another rule."""
    if not others:
        return ""
    return f": {_quoted(named)}" if named else ", except as said of single columns"


def _quoted(names: list[str]) -> str:
    """Names in quotes, since a name may hold a comma."""
    return ", ".join(map(repr, names))


def _cap(person: str | None, per_person: PerPerson | None) -> PerPerson | None:
    """The cap on a person's rows, which needs the column of persons; rows of a table cannot be joined."""
    if person is None:
        if per_person is not None:
            message = f"{per_person} needs the column that says whose row it is; name it as person"
            raise ParameterError(message)
        return None
    if per_person is not None and per_person.most is None:
        message = "the rows of a person in a table cannot be joined into one; keep some of them, by cap=N"
        raise ParameterError(message)
    return PerPerson.cap(1) if per_person is None else per_person


def read_table(  # noqa: PLR0913 - how a file is read
    path: Source,
    *,
    schema: Schema,
    file_format: FileFormat | None = None,
    dialect: TextDialect | None = None,
    name: str | None = None,
    strict: bool = False,
    person: str | None = None,
    per_person: PerPerson | None = None,
) -> TableRecords:
    """Read rows of persons from CSV (also `.gz` or `.zst`, or standard input), JSON lines, Parquet or a data frame.

    Rows that do not fit the schema are left out, or refused if `strict`. `person` names the column that says whose row it is:
    then only some rows of each person are kept, one unless `per_person` is another cap.
    """
    instance_of(schema, Schema, name="the schema of a table")
    chosen = table_file_format(path, file_format)
    names, misfits = needed_columns(schema, person), Misfits()
    frame = table_columns(path, lambda _: names, misfits, file_format=chosen, dialect=dialect)
    records = TableRecords.from_frame(
        frame,
        schema=schema,
        name=dataset_name(path, name),
        file_format=chosen,
        separator=separator_of(path, dialect),
        person=person,
        per_person=per_person,
        misfits=misfits,
    )
    if strict:
        misfits.refuse(input_name(path))
    return records


def table_file_format(path: Source, named: FileFormat | str | None) -> FileFormat:
    """The format of a file that holds a table; that of a frame is CSV."""
    known = None if named is None else format_named(named)
    chosen = known or (FileFormat.CSV if is_frame(path) else format_of(path))
    if Holds.TABLES not in chosen.holds:
        message = f"a table is read from {named_formats(formats_of(Holds.TABLES))}, got {str(chosen)!r}"
        raise ParameterError(message)
    return chosen


def separator_of(path: Source, dialect: TextDialect | None) -> str | None:
    """What divides the columns of a file of text, if it is not a comma: as declared, or as its ending says."""
    if is_frame(path):
        return None
    found = (TextDialect() if dialect is None else dialect).separator_for(str(path))
    return None if found == "," else found


def needed_columns(schema: Schema, person: str | None) -> list[str]:
    """The names of the columns to read."""
    return list(dict.fromkeys([*schema.names, *([] if person is None else [person])]))


@dataclass(frozen=True, kw_only=True)
class TableReading:
    """How the private file is read."""

    file_format: FileFormat | None = None
    dialect: TextDialect = field(default_factory=TextDialect)
    person: str | None = None
    per_person: PerPerson | None = None
    engine: Chosen[Engine] = Chosen(Engine, Engine.AUTO)

    def __post_init__(self) -> None:
        """Check that a cap has its column."""
        object.__setattr__(self, "per_person", _cap(self.person, self.per_person))

    def as_given(self) -> dict[str, Any]:
        """What `read_table` takes of it."""
        return {part.name: getattr(self, part.name) for part in fields(self) if part.name != "engine"}


def no_table(*, public: PublicInputs, options: TableReading, name: str) -> TableRecords:
    """The rows of nobody, for a rehearsal."""
    schema = schema_of(public)
    nobody = np.zeros(0, dtype=np.int64)
    sensitive = None if schema.sensitive is None else nobody.copy()
    quasi = tuple(nobody.copy() for _ in schema.quasi)
    return TableRecords(schema=schema, quasi=quasi, sensitive=sensitive, name=name, per_person=options.per_person)


# From what is typed to public inputs, reading options and formats; the registration of the kind names these functions.


Given = Mapping[str, Any]
"""What was typed, by field name."""


def columns(given: Given) -> PublicInputs:
    """The declared columns, if there are any: a file, what such a file says, or a schema."""
    named = given.get("columns")
    if named is None:
        return PublicInputs()
    if isinstance(named, Schema):
        return PublicInputs(others={SCHEMA_INPUT: named})
    return PublicInputs(others={SCHEMA_INPUT: declared(named) if isinstance(named, Mapping) else read_schema(named)})


def reading(given: Given) -> TableReading:
    """How the private file is read."""
    named, rule = given.get("input_format"), given.get("per_person")
    return TableReading(
        file_format=None if named is None else format_named(named),
        dialect=text_dialect(given),
        person=given.get("person"),
        per_person=None if rule is None else PerPerson.parse(rule),
        engine=Engine(given.get("engine") or Engine.AUTO),
    )


def output_format(source: str, *, options: TableReading, public: PublicInputs, wanted: str | None) -> str:  # noqa: ARG001 - every kind is asked alike
    """The format of the release: the one that is wanted, or that of the private file, which is not looked at."""
    if options.file_format is None and source == STANDARD_INPUT:
        message = "the format of standard input must be named, by --input-format"
        raise ParameterError(message)
    return table_format(wanted or str(options.file_format or format_of(source)))
