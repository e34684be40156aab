"""From the pieces of a block to one list of codes per person (or per record, if the records of a person are capped)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.distinct import distinct
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import EngineError, InputError
from tacita.io.blocks.pieces import PACKED_BITS, Header, bucket_of_numbers, bucket_of_strings, frame_of_piece, opened_piece
from tacita.io.ordering import lists_of_people, lists_of_records
from tacita.public.per_person import PerPerson

__all__ = ["Block", "BlockRules", "assembled", "block_of_lists"]


@dataclass(frozen=True, kw_only=True)
class BlockRules:
    """What is public about all blocks: the number of symbols, whether lists are sets, what is a record, and their number."""

    symbols: int
    are_sets: bool
    per_person: PerPerson
    buckets: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """The lists of a block, and how much was dropped, for the owner only."""

    lists: Ragged = field(repr=False)
    dropped: int = field(default=0, repr=False)
    emptied: int = field(default=0, repr=False)


def assembled(pieces: Iterable[bytes | memoryview], *, number: int, rules: BlockRules) -> Block:
    """Sort the rows of a block; every id must hash to it, because nobody may be cut in two."""
    opened = [opened_piece(piece) for piece in pieces]
    block = _from_packed(opened, number, rules)
    if block is None:
        block = _from_frames(opened, number, rules)
    return block


def block_of_lists(lists: Ragged, *, dropped: int, rules: BlockRules) -> Block:
    """A block of lists that are complete already, such as the lines of a file."""
    emptied = int(np.count_nonzero(lists.lengths == 0))
    return Block(lists=_narrow(lists, rules), dropped=dropped, emptied=emptied)


def _from_packed(opened: list[tuple[Header, memoryview]], number: int, rules: BlockRules) -> Block | None:
    """Sort packed integers; None if a piece is not packed, or they do not fit into 63 bits together."""
    headers = [header for header, _ in opened]
    if not headers or not all(header.is_packed and header.time_kind == headers[0].time_kind for header in headers):
        return None
    first_id, first_time = min(header.first_id for header in headers), min(header.first_time for header in headers)
    time_bits = (max(header.last_time for header in headers) - first_time).bit_length()
    code_bits = rules.symbols.bit_length()
    below = time_bits + code_bits
    if (max(header.last_id for header in headers) - first_id).bit_length() + below > PACKED_BITS:
        return None
    packed = np.empty(sum(len(body) for _, body in opened) // 8, dtype=np.int64)
    start = 0
    for header, body in opened:
        rows = np.frombuffer(body, dtype=np.int64)
        part = packed[start : start + rows.size]
        start += rows.size
        if header.time_bits == time_bits and header.first_time == first_time:
            np.add(rows, (header.first_id - first_id) << below, out=part)
        else:
            np.right_shift(rows, header.time_bits + code_bits, out=part)
            part += header.first_id - first_id
            part <<= below
            part += rows & ((1 << (header.time_bits + code_bits)) - 1)
            part += (header.first_time - first_time) << code_bits
    packed.sort()
    codes = packed & ((1 << code_bits) - 1)
    codes = codes.astype(np.min_scalar_type(rules.symbols))
    packed >>= below
    starts = np.flatnonzero(np.concatenate([[True], packed[1:] != packed[:-1]]))
    _require_home(packed[starts] + first_id, number, rules)
    return _without_outside(codes, np.append(starts, packed.size), rules)


def _without_outside(codes: AnyIntegers, offsets: Integers, rules: BlockRules) -> Block:
    """Drop codes that stand for no symbol, and people who have nothing else."""
    inside = codes < rules.symbols
    kept = int(np.count_nonzero(inside))
    if kept == codes.size:
        return Block(lists=_narrow(Ragged(codes, offsets), rules))
    counts = np.diff(offsets_of(inside.astype(np.int64))[offsets])
    lists = Ragged(codes[inside], offsets_of(counts[counts > 0]))
    emptied = int(np.count_nonzero(counts == 0))
    return Block(lists=_narrow(lists, rules), dropped=codes.size - kept, emptied=emptied)


def _from_frames(opened: list[tuple[Header, memoryview]], number: int, rules: BlockRules) -> Block:
    """Sort frames; people whose ids are numbers and people whose ids are strings are never compared."""
    frames = [frame_of_piece(header, body) for header, body in opened]
    lists: list[Ragged] = []
    dropped = emptied = 0
    for are_numbers in (True, False):
        alike = [frame for frame in frames if frame["id"].dtype.is_integer() == are_numbers]
        if not alike:
            continue
        frame = _together(alike)
        ids = frame["id"]
        if are_numbers:
            _require_home(ids.to_numpy(), number, rules)
        elif np.any(bucket_of_strings(ids, rules.buckets) != number):
            raise EngineError(_LOST)
        inside = frame.filter(pl.col("code") < rules.symbols)
        record = [] if rules.per_person.most is None else ["record"]
        emptied += frame.select("id", *record).n_unique() - (inside.select("id", *record).n_unique() if len(inside) else 0)
        dropped += len(frame) - len(inside)
        lists.append(_lists(inside, rules))
    if not lists:
        return Block(lists=_narrow(Ragged.from_lists([]), rules))
    codes = np.concatenate([part.codes.astype(np.int64) for part in lists])
    together = Ragged(codes, offsets_of(np.concatenate([part.lengths for part in lists])))
    return Block(lists=_narrow(together, rules), dropped=dropped, emptied=emptied)


def _together(frames: list[pl.DataFrame]) -> pl.DataFrame:
    kinds = {frame.schema.get("time") for frame in frames}
    try:
        joined = pl.concat(frames, how="vertical_relaxed") if len(kinds) > 1 else pl.concat(frames)
    except pl.exceptions.PolarsError:
        joined = None
    if joined is None or (pl.Float64() in kinds and _too_large(frames)):
        message = "the times of a file must all be of one kind: numbers (below 2**53 unless all are whole), or dates"
        raise InputError(message)
    return joined


def _too_large(frames: list[pl.DataFrame]) -> bool:
    """Whether a whole time among fractions is so large that two different ones could become equal."""
    whole = [frame["time"] for frame in frames if frame["time"].dtype.is_integer()]
    return any(int(times.cast(pl.Int128).abs().max() or 0) >= 2**53 for times in whole)  # type: ignore[arg-type] # a number


def _lists(frame: pl.DataFrame, rules: BlockRules) -> Ragged:
    times = frame["time"] if "time" in frame.columns else None
    if rules.per_person.most is None:
        return lists_of_people(frame["code"], frame["id"], times)
    return lists_of_records(frame["code"], frame["id"], times, records=frame["record"], per_person=rules.per_person)


def _narrow(lists: Ragged, rules: BlockRules) -> Ragged:
    """The lists as sets, if that is what they are, in the smallest integers."""
    if rules.are_sets:
        lists = distinct(lists, symbols=rules.symbols)
    return Ragged(lists.codes.astype(np.min_scalar_type(rules.symbols), copy=False), lists.offsets)


_LOST = "rows of one person were found in two blocks; nothing was counted, because the guarantee would not hold"


def _require_home(ids: Integers, number: int, rules: BlockRules) -> None:
    if np.any(bucket_of_numbers(ids, rules.buckets) != number):
        raise EngineError(_LOST)
