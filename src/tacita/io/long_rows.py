"""Long rows: one row an event, with the person's id, a label and a time; from and to Parquet and CSV.

All rows of one id are one record, ordered by time; rows of one time keep the order of the file. Columns are read one after the other
and encoded at once, so that the texts of a large file are never held beside everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.core.errors import InputError
from tacita.core.ragged import Ragged
from tacita.core.universe import Universe
from tacita.io.formats import FileFormat, format_of, require_file

__all__ = ["LongColumns", "observed_labels", "read_long", "write_long"]

POSITION = "position"


@dataclass(frozen=True, kw_only=True)
class LongColumns:
    """The names of the columns."""

    id: str = "id"
    label: str = "label"
    time: str = "time"


def read_long(path: str | Path, *, universe: Universe, columns: LongColumns) -> tuple[Ragged, int]:
    """Read one list of codes an id, and how many rows had a label outside the universe and were dropped."""
    table = _Table(require_file(path), columns)
    codes, dropped = _encode(table.column(columns.label), universe, columns.label)
    ids, times = table.column(columns.id), table.column(columns.time)
    for series in (ids, times):
        _refuse_missing(series)
    times = _comparable(times)
    if dropped:
        inside = codes.is_not_null()
        codes, ids, times = codes.filter(inside), ids.filter(inside), times.filter(inside)
    if not _is_in_order(ids, times):
        order = pl.DataFrame([ids.alias("id"), times.alias("time")]).select(
            pl.arg_sort_by("id", "time", maintain_order=True)
        ).to_series()
        codes, ids = codes.gather(order), ids.gather(order)
    del times
    starts = _run_starts(ids)
    del ids
    offsets = np.append(starts, len(codes)).astype(np.int64)
    return Ragged(codes.to_numpy(), offsets), dropped


def observed_labels(path: str | Path, *, columns: LongColumns) -> list[str]:
    """Every label that occurs in a file; for experiments, because a universe made of them voids the guarantee."""
    series = _Table(require_file(path), columns).column(columns.label)
    return [str(label) for label in series.cast(pl.String).drop_nulls().unique().to_list()]


def write_long(
    path: Path, sequences: Ragged, *, universe: Universe, columns: LongColumns, file_format: FileFormat
) -> None:
    """Write one row a symbol: a number for the record, the label, and the position that stands for the time."""
    lengths = sequences.lengths
    positions = np.arange(sequences.codes.size) - np.repeat(sequences.offsets[:-1], lengths) + 1
    labels = pl.Series(columns.label, universe.labels, dtype=pl.String)
    frame = pl.DataFrame(
        {
            columns.id: np.repeat(np.arange(1, len(sequences) + 1), lengths),
            columns.label: labels.gather(sequences.codes),
            POSITION: positions.astype(np.int32),
        }
    )
    if file_format is FileFormat.PARQUET:
        frame.write_parquet(path)
    else:
        frame.write_csv(path)


@dataclass(frozen=True)
class _Table:
    """A file of which single columns are read."""

    path: Path
    columns: LongColumns

    def column(self, name: str) -> pl.Series:
        try:
            if format_of(self.path) is FileFormat.PARQUET:
                return pl.read_parquet(self.path, columns=[name]).to_series()
            return self._csv_column(name)
        except (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaFieldNotFoundError):
            message = f"the input {str(self.path)!r} must have a column {name!r}; name the column that it has instead"
        except pl.exceptions.NoDataError:
            message = f"the input {str(self.path)!r} is empty"
        except pl.exceptions.DuplicateError:
            message = f"the input {str(self.path)!r} has two columns of one name"
        except pl.exceptions.PolarsError:
            # what Polars says may quote values of records, so it is not passed on
            message = f"the input {str(self.path)!r} cannot be read as {format_of(self.path)} in UTF-8: its rows must fit its columns"
        except OSError as error:
            message = f"the input {str(self.path)!r} cannot be read: {error.strerror}"
        raise InputError(message)

    def _csv_column(self, name: str) -> pl.Series:
        as_text = {name: pl.String} if name == self.columns.label else {}
        try:
            return pl.read_csv(self.path, columns=[name], schema_overrides=as_text, try_parse_dates=True).to_series()
        except pl.exceptions.ComputeError:
            if name == self.columns.time:
                raise
            return pl.read_csv(self.path, columns=[name], schema_overrides={name: pl.String}).to_series()


def _encode(labels: pl.Series, universe: Universe, name: str) -> tuple[pl.Series, int]:
    """Codes of the labels, missing where a label is outside the universe, and how many are."""
    _refuse_missing(labels)
    if labels.dtype.is_float() or labels.dtype.is_nested():
        message = f"the column {name!r} must hold labels, got {labels.dtype}"
        raise InputError(message)
    codes = labels.cast(pl.String).cast(pl.Enum(universe.labels), strict=False).to_physical()
    return codes, codes.null_count()


def _refuse_missing(series: pl.Series) -> None:
    if series.null_count():
        row = int(series.is_null().arg_max() or 0) + 1
        message = f"every row must have a value in the column {series.name!r}, row {row} has none"
        raise InputError(message)


def _comparable(times: pl.Series) -> pl.Series:
    """Times must have an order that means time; a text has not, unless it was read as a date."""
    if times.dtype.is_numeric() or times.dtype.is_temporal():
        if times.dtype.is_float() and not bool(times.is_finite().all()):
            message = f"the times in the column {times.name!r} must be finite"
            raise InputError(message)
        return times
    message = f"the column {times.name!r} must hold times as numbers or ISO dates, got {times.dtype}"
    raise InputError(message)


def _is_in_order(ids: pl.Series, times: pl.Series) -> bool:
    """Whether the ids increase and the times do not decrease within one id."""
    if not ids.is_sorted():
        return False
    earlier = times.slice(1) < times.slice(0, len(times) - 1)
    same = ids.slice(1) == ids.slice(0, len(ids) - 1)
    return not bool((earlier & same).any())


def _run_starts(ids: pl.Series) -> npt.NDArray[np.int64]:
    """Where a new id begins."""
    if len(ids) == 0:
        return np.zeros(0, dtype=np.int64)
    changes = (ids.slice(1) != ids.slice(0, len(ids) - 1)).to_numpy()
    return np.append(0, np.flatnonzero(changes) + 1)


