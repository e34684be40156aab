"""Rows of a table as codes: each row is encoded by itself, and of the rows of one person some are kept.

Which rows of a person are kept depends on that person's rows alone, and not on the order of a file, which means nothing on a
cluster: they are those that come first by a fixed hash of the person and the row. The order of the values themselves would favour
small ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays import AnyIntegers, Booleans
from tacita.errors import InputError
from tacita.io.misfits import Misfits
from tacita.io.values import exact_text
from tacita.tables.schema import Schema

__all__ = ["CodedRows", "coded_rows", "row_keys"]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedRows:
    """The codes of rows, column by column, with the combined sensitive code last if there is one; and whose each row is."""

    columns: tuple[AnyIntegers, ...] = field(repr=False)
    persons: pl.Series | None = field(repr=False)

    def __len__(self) -> int:
        """The number of rows; private."""
        return int(self.columns[0].size)

    def chosen(self, kept: Booleans) -> CodedRows:
        """Some of the rows."""
        persons = None if self.persons is None else self.persons.filter(pl.Series(kept))
        return CodedRows(columns=tuple(codes[kept] for codes in self.columns), persons=persons)

    def capped(self, most: int) -> CodedRows:
        """At most so many rows of each person."""
        if self.persons is None:
            return self
        rows = pl.DataFrame({"person": self.persons, "key": row_keys(self.columns, self.persons)})
        kept = rows.select(pl.col("key").rank("ordinal").over("person") <= most).to_series()
        return self.chosen(np.asarray(kept.to_numpy(), dtype=np.bool_))


def row_keys(columns: Sequence[AnyIntegers], persons: pl.Series | None) -> npt.NDArray[np.uint64]:
    """A fixed hash of each row and its person; equal rows of a person have the same."""
    keys = np.zeros(columns[0].size, dtype=np.uint64) if persons is None else persons.hash().to_numpy().copy()
    for codes in columns:
        keys ^= codes.astype(np.uint64)
        keys *= _SPREAD
        keys ^= keys >> _HALF
    return keys


def coded_rows(frame: pl.DataFrame, misfits: Misfits, *, schema: Schema, person: str | None) -> CodedRows:
    """The rows that fit in all columns; `person` names the column that says whose row it is."""
    needed = schema.names if person is None else (*schema.names, person)
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        message = f"the table must have the columns {', '.join(needed)}; {', '.join(missing)} is missing"
        raise InputError(message)
    coded = [column.encoded(frame[column.name]) for column in schema.quasi]
    fitting = dict(zip((column.name for column in schema.quasi), (codes >= 0 for codes in coded), strict=True))
    fitting |= {part.name: part.encoded(frame[part.name]) >= 0 for part in schema.hidden}
    if schema.sensitive is not None:
        coded.append(schema.encoded_sensitive(frame))
    persons = None if person is None else exact_text(frame[person])
    if person is not None and persons is not None:
        fitting[person] = fitting.get(person, True) & persons.is_not_null().to_numpy()
    return CodedRows(columns=tuple(coded), persons=persons).chosen(_whole(fitting, len(frame), misfits))


def _whole(fitting: Mapping[str, Booleans], rows: int, misfits: Misfits) -> Booleans:
    """Which rows fit in all columns; a row is counted for the first that it does not fit."""
    whole = np.ones(rows, dtype=np.bool_)
    for name, fits in fitting.items():
        misfits.add(name, "not one of the declared values, or none", int(np.count_nonzero(whole & ~fits)))
        whole &= fits
    return whole
