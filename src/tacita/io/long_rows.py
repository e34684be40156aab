"""Long rows: one row an event, with the person's id, a label and a time; from and to Parquet and CSV.

All rows of one id are one record, ordered by time; rows of one time keep the order of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.core.errors import InputError, OutputError, ParameterError
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

    def __post_init__(self) -> None:
        """Three different columns, none of which would be overwritten by the position that a release has instead of a time."""
        if len({self.id, self.label, self.time}) < 3 or POSITION in {self.id, self.label}:
            message = (
                f"id, label and time must be three different columns, the first two not named {POSITION!r}, "
                f"got {self.id!r}, {self.label!r} and {self.time!r}"
            )
            raise ParameterError(message)


def read_long(path: str | Path, *, universe: Universe, columns: LongColumns) -> tuple[Ragged, int]:
    """Read one list of codes an id, and how many rows had a label outside the universe and were dropped."""
    frame = _frame(require_file(path), columns)
    if frame.is_empty():
        message = f"the input {str(path)!r} has no rows"
        raise InputError(message)
    for series in frame:
        _refuse_missing(series)
    codes, ids, times = (
        _encode(frame[columns.label], universe),
        _text_or_number(frame[columns.id]),
        _comparable(frame[columns.time]),
    )
    del frame
    dropped = codes.null_count()
    if dropped:
        inside = codes.is_not_null()
        codes, ids, times = codes.filter(inside), ids.filter(inside), times.filter(inside)
    if codes.is_empty():
        return Ragged.from_lists([]), dropped
    if not _is_in_order(ids, times):
        codes, ids = _in_order(codes, ids, times)
    del times
    offsets = np.append(_run_starts(ids), len(codes)).astype(np.int64)
    return Ragged(codes.to_numpy(), offsets), dropped


def observed_labels(path: str | Path, *, columns: LongColumns) -> list[str]:
    """Every label that occurs in a file; for experiments, because a universe made of them voids the guarantee."""
    labels = _text_or_number(_frame(require_file(path), columns)[columns.label])
    return [str(label) for label in labels.cast(pl.String).drop_nulls().unique().to_list()]


def write_long(path: Path, sequences: Ragged, *, universe: Universe, columns: LongColumns, file_format: FileFormat) -> None:
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
    try:
        if file_format is FileFormat.PARQUET:
            frame.write_parquet(path)
        else:
            frame.write_csv(path)
    except pl.exceptions.PolarsError as error:
        message = f"the data cannot be written: {error}"
        raise OutputError(message) from None


def _frame(path: Path, columns: LongColumns) -> pl.DataFrame:
    """The three columns of a file; what Polars says of a failure may quote records, so it is not passed on."""
    names = [columns.id, columns.label, columns.time]
    try:
        if format_of(path) is FileFormat.PARQUET:
            return pl.read_parquet(path, columns=names, glob=False)
        return _csv_frame(path, columns, names)
    except (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaFieldNotFoundError):
        message = f"the input {str(path)!r} must have the columns {', '.join(names)}; name those that it has instead"
    except pl.exceptions.NoDataError:
        message = f"the input {str(path)!r} is empty"
    except pl.exceptions.PolarsError:
        message = f"the input {str(path)!r} cannot be read as {format_of(path)} in UTF-8: its rows must fit its columns"
    except OSError as error:
        message = f"the input {str(path)!r} cannot be read: {error.strerror or 'it is not a whole file'}"
    raise InputError(message)


def _csv_frame(path: Path, columns: LongColumns, names: list[str]) -> pl.DataFrame:
    """Ids and labels are texts, whatever they look like: two people must not become one because 007 is read as 7."""
    header = pl.read_csv(path, n_rows=0, infer_schema=False, glob=False).columns
    repeated = [name for name in names if f"{name}_duplicated_0" in header]
    if repeated:
        message = f"the columns of {str(path)!r} must have different names, got {repeated[0]!r} twice"
        raise InputError(message)
    as_text = {columns.id: pl.String, columns.label: pl.String}
    frame = pl.read_csv(path, columns=names, schema_overrides=as_text, try_parse_dates=True, glob=False)
    return frame.with_columns(_whole_numbers(frame[columns.id]))


def _whole_numbers(ids: pl.Series) -> pl.Series:
    """Ids as integers if every one of them is written as integers are written, which groups faster; as they are if not."""
    numbers = ids.cast(pl.Int64, strict=False)
    written_so = bool((numbers.cast(pl.String) == ids).all()) and numbers.null_count() == ids.null_count()
    return numbers if written_so else ids


def _encode(labels: pl.Series, universe: Universe) -> pl.Series:
    """Codes of the labels, missing where a label is outside the universe."""
    return _text_or_number(labels).cast(pl.String).cast(pl.Enum(universe.labels), strict=False).to_physical()


def _text_or_number(series: pl.Series) -> pl.Series:
    """Ids and labels must be equal exactly when they look equal; broken numbers, dates and bytes need not be."""
    texts = (pl.String, pl.Categorical, pl.Enum)
    if series.dtype.is_integer() or any(series.dtype == text for text in texts):
        return series
    message = f"the column {series.name!r} must hold texts or whole numbers, got {series.dtype}"
    raise InputError(message)


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


def _in_order(codes: pl.Series, ids: pl.Series, times: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Codes and ids ordered by id, then time, then row; by one packed integer where both fit, which sorts six times as fast."""
    people, moments = _from_zero(ids), _from_zero(times)
    if people is None or moments is None or (_most(people) + 1) * (_most(moments) + 1) >= 2**63:
        frame = pl.DataFrame([codes.alias("code"), ids.alias("id"), times.alias("time")])
        frame = frame.sort("id", "time", maintain_order=True)
        return frame["code"], frame["id"]
    span = _most(moments) + 1
    key = (people * span + moments).alias("key")
    frame = pl.DataFrame([codes.alias("code"), key]).sort("key", maintain_order=True)
    return frame["code"], frame["key"] // span


def _from_zero(series: pl.Series) -> pl.Series | None:
    """Whole numbers from 0 on, equal for equal values and, but for texts, in their order; None where there are none."""
    if series.dtype == pl.String:
        series = series.cast(pl.Categorical)
    if not (series.dtype.is_integer() or series.dtype.is_temporal() or series.dtype == pl.Categorical):
        return None
    numbers = series.to_physical()
    least = int(cast("int", numbers.min()))
    if _most(numbers) - least >= 2**62 or _most(numbers) >= 2**63:
        return None
    return numbers.cast(pl.Int64) - least


def _most(numbers: pl.Series) -> int:
    return int(cast("int", numbers.max()))


def _run_starts(ids: pl.Series) -> npt.NDArray[np.int64]:
    """Where a new id begins."""
    changes = (ids.slice(1) != ids.slice(0, len(ids) - 1)).to_numpy()
    return np.append(0, np.flatnonzero(changes) + 1)
