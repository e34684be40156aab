"""Pieces, the rows of one part of a file that belong to one block, as bytes; and blocks, the lists that their pieces make up.

If the ids of a part are whole numbers, and id, time and code fit into 63 bits, each row is one packed integer

    (id - first id) << (time bits + code bits) | (time - first time) << code bits | code

and sorting the integers sorts the rows. Everything else is a small Arrow frame. Both carry a header that says how to read them.
The code of a row outside the universe or the grid is the number of symbols: such rows travel along, because how many there were
is reported to the owner.

Two people must never become one, nor one person two. So whether an id is a number is decided row by row (it is, if it is
written in the usual form of a 64-bit integer), and the two sorts of ids never meet.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays import AnyIntegers, Booleans, Integers
from tacita.arrays.ragged import Ragged, distinct, offsets_of, without_stays
from tacita.errors import EngineError
from tacita.io.long_rows import EventColumns
from tacita.io.misfits import Misfits
from tacita.io.ordering import lists_of_people, lists_of_records
from tacita.io.times import as_triples
from tacita.public.inputs import PerPerson

__all__ = [
    "Block",
    "BlockRules",
    "Header",
    "assembled",
    "block_of_lists",
    "bucket_of_numbers",
    "bucket_of_strings",
    "cut_into_pieces",
    "frame_of_piece",
    "frames_by_block",
    "note_of",
    "opened_piece",
]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd constant (2**64 divided by the golden ratio): the high bits of a product with it depend on all bits of an id."""

PACKED_BITS = 63


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a piece holds: packed integers with these offsets and widths, an Arrow stream, or a note of rows left out."""

    is_packed: bool
    is_note: bool = False
    time_kind: str = ""
    first_id: int = 0
    last_id: int = 0
    first_time: int = 0
    last_time: int = 0
    time_bits: int = 0
    code_bits: int = 0

    @property
    def fits(self) -> bool:
        """Whether id, time and code fit side by side."""
        return (self.last_id - self.first_id).bit_length() + self.time_bits + self.code_bits <= PACKED_BITS


def bucket_of_numbers(ids: Integers, buckets: int) -> npt.NDArray[np.unsignedinteger]:
    """The block of each numeric id; `buckets` is a power of two, at most 2**16.

    >>> bucket_of_numbers(np.array([7, 7, -1]), 1).tolist()
    [0, 0, 0]
    """
    kind = np.min_scalar_type(buckets - 1)
    if buckets == 1:
        return np.zeros(ids.size, dtype=kind)
    spread = ids.view(np.uint64) * _SPREAD
    spread >>= np.uint64(64 - (buckets.bit_length() - 1))
    return spread.astype(kind)


def bucket_of_strings(ids: pl.Series, buckets: int) -> npt.NDArray[np.uint16]:
    """The block of each id that is a string."""
    return (ids.hash().to_numpy() & np.uint64(buckets - 1)).astype(np.uint16)


def cut_into_pieces(rows: EventColumns, *, symbols: int, buckets: int) -> Iterator[tuple[int, bytes]]:
    """The pieces of one part, at most two for each block; rows outside the universe have the code `symbols`."""
    codes = _filled(rows.codes, symbols)
    numbers, are_numbers = _numeric_ids(rows.ids)
    if are_numbers is None:
        yield from _of_numbers(rows, codes, numbers, symbols=symbols, buckets=buckets)
        return
    inside, outside = np.flatnonzero(are_numbers), np.flatnonzero(~are_numbers)
    if inside.size:
        chosen = rows.chosen(inside)
        yield from _of_numbers(chosen, codes[inside], numbers[inside], symbols=symbols, buckets=buckets)
    if outside.size:
        chosen = rows.chosen(outside)
        ids = chosen.ids.cast(pl.String)
        yield from frames_by_block(_frame(ids, chosen, codes[outside]), bucket_of_strings(ids, buckets), buckets)


def opened_piece(piece: bytes | memoryview) -> tuple[Header, memoryview]:
    """The header of a piece, and what comes after it."""
    view = memoryview(piece)
    end = 4 + int.from_bytes(view[:4], "little")
    return Header(**json.loads(bytes(view[4:end]))), view[end:]


def frame_of_piece(header: Header, body: memoryview) -> pl.DataFrame:
    """The rows of a piece as a frame with the columns id, code and, where there are any, time and record."""
    if not header.is_packed:
        return pl.read_ipc_stream(io.BytesIO(body))
    packed = np.frombuffer(body, dtype=np.int64)
    columns = {
        "id": (packed >> (header.time_bits + header.code_bits)) + header.first_id,
        "code": packed & ((1 << header.code_bits) - 1),
    }
    frame = pl.DataFrame(columns)
    if not header.time_kind:
        return frame
    times = ((packed >> header.code_bits) & ((1 << header.time_bits) - 1)) + header.first_time
    return frame.with_columns(_as_kind(pl.Series("time", times), header.time_kind))


def _as_kind(numbers: pl.Series, kind: str) -> pl.Series:
    """Whole numbers as the type whose physical values they are."""
    empty = pl.read_ipc_stream(io.BytesIO(bytes.fromhex(kind)))
    return numbers.cast(empty["time"].to_physical().dtype).cast(empty.schema["time"])


def _kind_of(times: pl.Series | None) -> str:
    """The type of the times as text: an empty Arrow stream knows time zones and units."""
    if times is None:
        return ""
    buffer = io.BytesIO()
    times.clear().alias("time").to_frame().write_ipc_stream(buffer)
    return buffer.getvalue().hex()


def _filled(codes: pl.Series, symbols: int) -> Integers:
    return codes.cast(pl.Int64).fill_null(symbols).to_numpy()


def _numeric_ids(ids: pl.Series) -> tuple[Integers, Booleans | None]:
    """Ids as 64-bit integers, and, unless all of them are, which ones are."""
    if ids.dtype.is_integer():
        numbers = ids.cast(pl.Int64, strict=False)
        if not numbers.null_count():
            return numbers.to_numpy(), None
        return numbers.fill_null(0).to_numpy(), numbers.is_not_null().to_numpy()
    strings = ids.cast(pl.String)
    numbers = strings.cast(pl.Int64, strict=False)
    usual = numbers.is_not_null() & (numbers.cast(pl.String) == strings)
    if bool(usual.all()):
        return numbers.to_numpy(), None
    return numbers.fill_null(0).to_numpy(), usual.fill_null(value=False).to_numpy()


def _of_numbers(rows: EventColumns, codes: Integers, ids: Integers, *, symbols: int, buckets: int) -> Iterator[tuple[int, bytes]]:
    bucket = bucket_of_numbers(ids, buckets)
    times = _whole_times(rows.times)
    if rows.records is None and times is not None:
        header = _header(ids, times, kind=_kind_of(rows.times), symbols=symbols)
    else:
        header = Header(is_packed=False)
    if times is None or not header.is_packed or not header.fits:
        yield from frames_by_block(_frame(pl.Series("id", ids), rows, codes), bucket, buckets)
        return
    packed = ids - header.first_id
    packed <<= header.time_bits + header.code_bits
    if times.size:
        packed |= (times - header.first_time) << header.code_bits
    packed |= codes
    order = np.argsort(bucket, kind="stable")
    packed = packed[order]
    start = 0
    for number, end in enumerate(np.cumsum(np.bincount(bucket, minlength=buckets)).tolist()):
        if end > start:
            yield number, _piece(header, packed[start:end].tobytes())
        start = end


def _whole_times(times: pl.Series | None) -> Integers | None:
    """Times as whole numbers; empty if there are none, None if they are not whole numbers."""
    if times is None:
        return np.zeros(0, dtype=np.int64)
    physical = times.to_physical()
    if not physical.dtype.is_integer():
        return None
    numbers = physical.cast(pl.Int64, strict=False)
    return None if numbers.null_count() else numbers.to_numpy()


def _header(ids: Integers, times: Integers, *, kind: str, symbols: int) -> Header:
    first, last = (int(times.min()), int(times.max())) if times.size else (0, 0)
    return Header(
        is_packed=True,
        time_kind=kind,
        first_id=int(ids.min()),
        last_id=int(ids.max()),
        first_time=first,
        last_time=last,
        time_bits=(last - first).bit_length(),
        code_bits=symbols.bit_length(),
    )


def _frame(ids: pl.Series, rows: EventColumns, codes: Integers) -> pl.DataFrame:
    columns = [ids.alias("id"), pl.Series("code", codes)]
    if rows.times is not None:
        columns.append(rows.times.alias("time"))
    if rows.records is not None:
        columns.append(rows.records.cast(pl.String).alias("record"))
    return pl.DataFrame(columns)


def frames_by_block(frame: pl.DataFrame, bucket: AnyIntegers, buckets: int) -> Iterator[tuple[int, bytes]]:
    """The rows of a frame as pieces, one for each block that has some."""
    order = np.argsort(bucket, kind="stable")
    frame = frame[order]
    start = 0
    for number, end in enumerate(np.cumsum(np.bincount(bucket, minlength=buckets)).tolist()):
        if end > start:
            buffer = io.BytesIO()
            frame.slice(start, end - start).rechunk().write_ipc_stream(buffer)
            yield number, _piece(Header(is_packed=False), buffer.getvalue())
        start = end


def _piece(header: Header, body: bytes) -> bytes:
    text = json.dumps(asdict(header)).encode()
    text += b" " * (-(len(text) + 4) % 8)  # the integers after it are aligned
    return len(text).to_bytes(4, "little") + text + body


# From the pieces of a block to one list of codes per person (or per record, if the records of a person are capped).


@dataclass(frozen=True, kw_only=True)
class BlockRules:
    """What is public about all blocks: the number of symbols, whether lists are sets, what is a record, and their number."""

    symbols: int
    are_sets: bool
    per_person: PerPerson
    buckets: int
    joins_stays: bool = False
    """Whether equal codes that follow each other become one, as those of points in one cell do."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """The lists of a block, and how much was dropped, for the owner only."""

    lists: Ragged = field(repr=False)
    dropped: int = field(default=0, repr=False)
    emptied: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)


def assembled(pieces: Iterable[bytes | memoryview], *, number: int, rules: BlockRules) -> Block:
    """Sort the rows of a block; every id must hash to it, because nobody may be cut in two."""
    opened, misfits = [], Misfits()
    for piece in pieces:
        header, body = opened_piece(piece)
        if header.is_note:
            misfits.join(Misfits.from_bytes(bytes(body)))
        else:
            opened.append((header, body))
    block = _from_packed(opened, number, rules)
    if block is None:
        block = _from_frames(opened, number, rules)
    return replace(block, misfits=misfits)


def note_of(misfits: Misfits) -> bytes:
    """A piece that tells how many rows of a part were left out; any block may have it."""
    return _piece(Header(is_packed=False, is_note=True), misfits.to_bytes())


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
    """Drop codes that represent no symbol, and people who have nothing else."""
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
            raise EngineError(LOST)
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
    """Frames with one sort of times, or with times of several sorts as triples that compare exactly."""
    if len({frame.schema.get("time") for frame in frames}) > 1:
        frames = [frame.with_columns(as_triples(frame["time"])) for frame in frames]
    return pl.concat(frames)


def _lists(frame: pl.DataFrame, rules: BlockRules) -> Ragged:
    times = frame["time"] if "time" in frame.columns else None
    if rules.per_person.most is None:
        return lists_of_people(frame["code"], frame["id"], times)
    return lists_of_records(frame["code"], frame["id"], times, records=frame["record"], per_person=rules.per_person)


def _narrow(lists: Ragged, rules: BlockRules) -> Ragged:
    """The lists as sets, if that is what they are, in the smallest integers."""
    if rules.are_sets:
        lists = distinct(lists, symbols=rules.symbols)
    if rules.joins_stays:
        lists = without_stays(lists)
    return Ragged(lists.codes.astype(np.min_scalar_type(rules.symbols), copy=False), lists.offsets)


LOST = "rows of one person were found in two blocks; nothing was counted, because the guarantee would not hold"


def _require_home(ids: Integers, number: int, rules: BlockRules) -> None:
    if np.any(bucket_of_numbers(ids, rules.buckets) != number):
        raise EngineError(LOST)
