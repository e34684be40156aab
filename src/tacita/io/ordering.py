"""From rows of events to one list of codes per record: by person, then by time, ties in the order of the file.

Where they fit, id, time and label code are packed into one integer per row, and the integers are sorted: that is five times as
fast as sorting rows. What is kept of a person depends only on that person's rows.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.public.per_person import PerPerson

__all__ = ["lists_of_people", "lists_of_records"]


def lists_of_people(codes: pl.Series, ids: pl.Series, times: pl.Series | None) -> Ragged:
    """One list per id: all its codes by time; without times, in any order."""
    if codes.is_empty():
        return Ragged.from_lists([])
    if times is None:
        return _lists_in_any_order(codes, ids)
    if ids.is_sorted():
        same, earlier = _against_before(ids, times)
        if not np.any(same & earlier):
            return Ragged(codes.to_numpy(), _offsets(same))
    packed = _packed_lists(codes, ids, times)
    if packed is not None:
        return packed
    frame = pl.DataFrame([codes.alias("code"), ids.alias("id"), times.alias("time")])
    frame = frame.sort("id", "time", maintain_order=True)
    return Ragged(frame["code"].to_numpy(), _offsets(_same_as_before(frame["id"])))


def lists_of_records(
    codes: pl.Series, ids: pl.Series, times: pl.Series | None, *, records: pl.Series, per_person: PerPerson
) -> Ragged:
    """If joined, all rows of an id by time; if capped, its first few records, by time, then position, of their first row.

    Without times, records are ordered by position alone.
    """
    if codes.is_empty():
        return Ragged.from_lists([])
    if per_person.most is None:
        return lists_of_people(codes, ids, times)
    times = pl.Series(np.zeros(len(ids), dtype=np.int8)) if times is None else times
    frame = pl.DataFrame([codes.alias("code"), ids.alias("id"), times.alias("time"), records.alias("record")]).with_row_index(
        "row"
    )
    one = ("id", "record")
    frame = frame.with_columns(pl.col("time").min().over(one).alias("begin"), pl.col("row").min().over(one).alias("first"))
    frame = frame.sort("id", "begin", "first", "time", "row")
    new = frame["first"].is_first_distinct()  # the first row identifies a record across all people
    frame = frame.with_columns(new.cast(pl.UInt32).cum_sum().alias("number"))
    place = pl.col("number") - pl.col("number").min().over("id")
    frame = frame.filter(place < per_person.most)
    return Ragged(frame["code"].to_numpy(), _offsets(_same_as_before(frame["number"])))


def _lists_in_any_order(codes: pl.Series, ids: pl.Series) -> Ragged:
    """One list per id; if the ids are not sorted already, sort integers that pack (id, code)."""
    if ids.is_sorted():
        return Ragged(codes.to_numpy(), _offsets(_same_as_before(ids)))
    people, labels = _from_zero(ids), _bits(_most(codes))
    if people is None or _bits(int(people.max())) + labels > 63:
        frame = pl.DataFrame([codes.alias("code"), ids.alias("id")]).sort("id")
        return Ragged(frame["code"].to_numpy(), _offsets(_same_as_before(frame["id"])))
    return _unpacked((people << labels) | codes.to_numpy(), labels, labels, codes)


def _packed_lists(codes: pl.Series, ids: pl.Series, times: pl.Series) -> Ragged | None:
    """The lists by sorting integers that pack (time, row) and then (id, row, code); None if they do not fit into 63 bits."""
    people = _from_zero(ids)
    if people is None:
        return None
    rows, labels = _bits(len(ids) - 1), _bits(_most(codes))
    if _bits(int(people.max())) + rows + labels > 63:
        return None
    symbols = codes.to_numpy().astype(np.int64)
    if not times.is_sorted():
        moments = _from_zero(times)
        if moments is None or _bits(int(moments.max())) + rows > 63:
            return None
        order = _sorted((moments << rows) | np.arange(len(ids))) & ((1 << rows) - 1)
        people, symbols = people[order], symbols[order]
    return _unpacked((people << (rows + labels)) | (np.arange(len(ids)) << labels) | symbols, rows + labels, labels, codes)


def _unpacked(packed: npt.NDArray[np.int64], below: int, labels: int, codes: pl.Series) -> Ragged:
    """Sort packed integers and unpack the lists: `below` bits lie under the id, and the lowest `labels` of them hold the code."""
    packed = _sorted(packed)
    people = packed >> below
    codes_in_order = (packed & ((1 << labels) - 1)).astype(codes.to_numpy().dtype)
    return Ragged(codes_in_order, _offsets(people[1:] == people[:-1]))


def _sorted(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return pl.Series(numbers).sort().to_numpy()


def _bits(largest: int) -> int:
    return max(1, largest.bit_length())


def _from_zero(series: pl.Series) -> npt.NDArray[np.int64] | None:
    """Integers from 0, equal for equal values and, except for strings, in the same order; None if that is impossible."""
    if series.dtype == pl.String:
        series = series.cast(pl.Categorical)
    if not (series.dtype.is_integer() or series.dtype.is_temporal() or series.dtype == pl.Categorical):
        return None
    numbers = series.to_physical()
    least = int(cast("int", numbers.min()))
    if _most(numbers) - least >= 2**62 or _most(numbers) >= 2**63:
        return None
    return (numbers.cast(pl.Int64) - least).to_numpy()


def _most(numbers: pl.Series) -> int:
    return int(cast("int", numbers.max()))


def _against_before(ids: pl.Series, times: pl.Series) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each row after the first: whether it has the same id as the row before, and whether its time is earlier."""
    frame = pl.DataFrame([ids.alias("id"), times.to_physical().alias("time")]).lazy()
    same, earlier = pl.col("id") == pl.col("id").shift(1), pl.col("time") < pl.col("time").shift(1)
    found = frame.select(same, earlier).slice(1).collect()
    return found["id"].to_numpy(), found["time"].to_numpy()


def _same_as_before(ids: pl.Series) -> npt.NDArray[np.bool_]:
    """For each id after the first, whether it equals the one before."""
    return (ids.slice(1) == ids.slice(0, len(ids) - 1)).to_numpy()


def _offsets(same: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Where each run of equal ids begins, and the end of the last one."""
    return np.concatenate([[0], np.flatnonzero(~same) + 1, [same.size + 1]]).astype(np.int64)
