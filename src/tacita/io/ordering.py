"""From rows of events to one list of codes per record: by person, then by time, ties by code.

The order of rows in a file means nothing, because rows that are read in parallel have none. Where they fit, id, time and code are
packed into one integer per row, and the integers are sorted: that is five times as fast as sorting rows. What is kept of a person
depends only on that person's rows.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers
from tacita.arrays.ragged import Ragged
from tacita.public.inputs import PerPerson

__all__ = ["lists_of_people", "lists_of_records"]


def lists_of_people(codes: pl.Series, ids: pl.Series, times: pl.Series | None) -> Ragged:
    """One list per id: all its codes by time, and by code at one time; without times, in any order."""
    if codes.is_empty():
        return Ragged.from_lists([])
    if times is None:
        return _lists_in_any_order(codes, ids)
    times = _sortable(times)
    if ids.is_sorted():
        same, earlier = _against_before(ids, times, codes)
        if not np.any(same & earlier):
            return Ragged(codes.to_numpy(), _offsets(same))
    packed = _packed_lists(codes, ids, times)
    if packed is not None:
        return packed
    frame = pl.DataFrame([codes.alias("code"), ids.alias("id"), times.alias("time")])
    frame = frame.sort("id", "time", "code")
    return Ragged(frame["code"].to_numpy(), _offsets(_same_as_before(frame["id"])))


def lists_of_records(
    codes: pl.Series, ids: pl.Series, times: pl.Series | None, *, records: pl.Series, per_person: PerPerson
) -> Ragged:
    """If joined, all rows of an id by time; if capped, its first few records, by the time of their first row, then by name.

    Names that are whole numbers come first, as numbers, whatever the names of other people's records. Without times, records are
    ordered by name alone.
    """
    if codes.is_empty():
        return Ragged.from_lists([])
    if per_person.most is None:
        return lists_of_people(codes, ids, times)
    times = pl.Series(np.zeros(len(ids), dtype=np.int8)) if times is None else _sortable(times)
    names = records.cast(pl.String).alias("record")
    frame = pl.DataFrame([codes.alias("code"), ids.alias("id"), times.alias("time"), names, _number_of(names)])
    frame = frame.with_columns(pl.col("time").min().over("id", "record").alias("begin"))
    frame = frame.sort("id", "begin", "number", "record", "time", "code", nulls_last=True)
    same_person, same_name = _same_as_before(frame["id"]), _same_as_before(frame["record"])
    number = np.concatenate([[0], np.cumsum(~(same_person & same_name))])  # of the record, across all people
    starts = np.flatnonzero(np.concatenate([[True], ~same_person]))
    first = np.repeat(number[starts], np.diff(np.append(starts, number.size)))
    kept = number - first < per_person.most
    number = number[kept]
    return Ragged(frame["code"].to_numpy()[kept], _offsets(number[1:] == number[:-1]))


def _sortable(times: pl.Series) -> pl.Series:
    """Times of several numbers each as ranks, which have the same order within every person, no matter who else is there."""
    return times.rank("dense").cast(pl.Int64) if isinstance(times.dtype, pl.Struct) else times


def _number_of(names: pl.Series) -> pl.Series:
    """The numbers that names are, null for names that are not written as a whole number."""
    numbers = names.cast(pl.Int64, strict=False)
    return numbers.set(numbers.cast(pl.String) != names, None).alias("number")


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
    """The lists by sorting integers that pack (id, time, code); None if they do not fit into 63 bits.

    If the times are too long for that, their ranks represent them, which are found by sorting integers that pack (time, row).
    """
    people = _from_zero(ids)
    if people is None:
        return None
    moments, labels, most = _from_zero(times), _bits(_most(codes)), _bits(int(people.max()))
    symbols = codes.to_numpy()
    if moments is not None and most + (bits := _bits(int(moments.max()))) + labels <= 63:
        packed = people << (bits + labels)
        packed |= moments << labels
        packed |= symbols
        del people, moments  # each is as large as what is sorted
        return _unpacked(packed, bits + labels, labels, codes)
    rows = _bits(len(ids) - 1)
    if most + rows + labels > 63:
        return None
    if times.is_sorted():
        ranks = np.concatenate([[0], np.cumsum(~_same_as_before(times))])
    else:
        if moments is None or _bits(int(moments.max())) + rows > 63:
            return None
        in_order = _sorted((moments << rows) | np.arange(len(ids)))
        order = in_order & ((1 << rows) - 1)
        in_order = in_order >> rows
        people, symbols = people[order], symbols[order]
        ranks = np.concatenate([[0], np.cumsum(in_order[1:] != in_order[:-1])])
    return _unpacked((people << (rows + labels)) | (ranks << labels) | symbols, rows + labels, labels, codes)


def _unpacked(packed: Integers, below: int, labels: int, codes: pl.Series) -> Ragged:
    """Sort packed integers and unpack the lists: `below` bits lie under the id, and the lowest `labels` of them hold the code."""
    packed = _sorted(packed)
    people = packed >> below
    codes_in_order = (packed & ((1 << labels) - 1)).astype(codes.to_numpy().dtype)
    return Ragged(codes_in_order, _offsets(people[1:] == people[:-1]))


def _sorted(numbers: Integers) -> Integers:
    return pl.Series(numbers).sort().to_numpy()


def _bits(largest: int) -> int:
    return max(1, largest.bit_length())


def _from_zero(series: pl.Series) -> Integers | None:
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


def _against_before(ids: pl.Series, times: pl.Series, codes: pl.Series) -> tuple[Booleans, Booleans]:
    """For each row after the first: whether it has the id of the row before, and whether it comes before that row."""
    frame = pl.DataFrame([ids.alias("id"), times.to_physical().alias("time"), codes.alias("code")]).lazy()
    time, code = pl.col("time"), pl.col("code")
    earlier = (time < time.shift(1)) | ((time == time.shift(1)) & (code < code.shift(1)))
    found = frame.select(pl.col("id") == pl.col("id").shift(1), earlier).slice(1).collect()
    return found["id"].to_numpy(), found["time"].to_numpy()


def _same_as_before(ids: pl.Series) -> Booleans:
    """For each id after the first, whether it equals the one before."""
    return (ids.slice(1) == ids.slice(0, len(ids) - 1)).to_numpy()


def _offsets(same: Booleans) -> Integers:
    """Where each run of equal ids begins, and the end of the last one."""
    return np.concatenate([[0], np.flatnonzero(~same) + 1, [same.size + 1]]).astype(np.int64)
