"""Where events come from, in batches, each event with an offset from which the source can be read again.

Events are JSON lines with a time, an id and a label. Offsets increase within a partition. A file has one partition, and its
offsets are bytes; standard input and iterators have numbers of events and cannot be read again, so what was pending when a
process ended is lost there, and the guarantee is not touched by it. A publisher pulls: a source is asked for more only when
what it gave has been dealt with, which is all the back-pressure that there is.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers
from tacita.errors import InputError, ParameterError
from tacita.io.misfits import LINE, Misfits
from tacita.io.options import LATITUDE, LONGITUDE
from tacita.io.times import EpochTime, IsoTime, TimeFormat, comparable_times
from tacita.public.cells import CellGrid
from tacita.public.parameters import Chosen

__all__ = ["BadEvents", "Batch", "EventLines", "FileSource", "IteratorSource", "Offsets", "PipeSource", "Source"]

Offsets = dict[str, int]

_CHUNK = 1 << 20
MICROSECONDS = 1_000_000
"""In a second."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Events of one partition in the order of arrival; `end` is the offset behind the last."""

    times: Integers = field(repr=False)
    people: Sequence[str] = field(repr=False)
    statuses: Sequence[str | None] | pl.Series = field(repr=False)
    offsets: Integers = field(repr=False)
    end: int
    partition: str = ""


class Source(Protocol):
    """Whatever hands out events."""

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be read again from an offset."""
        ...

    @property
    def is_live(self) -> bool:
        """Whether it says that there is nothing now, so that a clock can close timestamps without events."""
        ...

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """Events from these offsets on; None where there is nothing now but may be later."""
        ...

    def commit(self, offsets: Mapping[str, int]) -> None:
        """Say that nothing before these offsets will be asked for again."""
        ...


class BadEvents(StrEnum):
    """What becomes of a message that is no event: no JSON, no person, or no time that can be read."""

    SKIP = "skip"
    QUARANTINE = "quarantine"
    """Kept for the owner, in a file that nothing reads again."""
    STOP = "stop"


@dataclass(frozen=True, kw_only=True)
class EventLines:
    """How events are written: the names of their fields, and how their times are, if the grid is one of dates.

    Every line is read by itself: a bad one changes nothing about the others. How many were bad is private, and goes to the
    owner alone.
    """

    time: str = "time"
    person: str = "id"
    label: str = "label"
    latitude: str = LATITUDE
    longitude: str = LONGITUDE
    cells: CellGrid | None = None
    """The public grid whose cells are the statuses, if events have points in place of a label."""
    of_dates: bool = False
    time_format: TimeFormat = field(default_factory=IsoTime)
    """Of dates: ISO (in UTC if neither a date nor the format names a zone), numbers since 1970, or a pattern."""
    bad: Chosen[BadEvents] = Chosen(BadEvents, BadEvents.SKIP)
    quarantine: Path | None = None
    """Where bad messages are kept, if they are."""
    misfits: Misfits = field(default_factory=Misfits, compare=False)

    def __post_init__(self) -> None:
        """A quarantine needs a place."""
        if self.bad is BadEvents.QUARANTINE and self.quarantine is None:
            message = "bad events can be kept only where a file for them is named"
            raise ParameterError(message)

    def parsed(self, data: bytes, offset: int, *, where: Callable[[int], str] | None = None) -> Batch:
        """Whole lines as a batch; the first begins at this offset, and `where` says where another one begins."""
        starts, ends = _lines(data)
        found = self._read(data, starts.size)
        lines = [data[low:high] for low, high in zip(starts, ends, strict=True)] if found is None else None
        return self._batch(found, lines, starts + offset, end=offset + len(data), where=where)

    def messages(self, values: Sequence[bytes], offsets: Sequence[int], *, partition: str, topic: str) -> Batch:
        """Messages of a topic as a batch; each is one event, without a line break."""
        numbers = np.array(offsets, dtype=np.int64)
        is_plain = not any(b"\n" in value for value in values)
        found = self._read(b"".join(value + b"\n" for value in values), len(values)) if is_plain else None
        of_partition = f", partition {partition}" if partition else ""
        return self._batch(
            found,
            list(values) if found is None else None,
            numbers,
            end=int(numbers[-1]) + 1,
            partition=partition,
            where=lambda number: f"message {number} of {topic!r}{of_partition}",
        )

    def _batch(
        self,
        found: _Events | None,
        lines: list[bytes] | None,
        offsets: Integers,
        *,
        end: int,
        partition: str = "",
        where: Callable[[int], str] | None,
    ) -> Batch:
        if lines is not None:
            good, parts = self._good(lines)
            self._put_aside([(partition, int(offsets[place]), lines[place]) for place in np.flatnonzero(~good)], where)
            offsets = offsets[good]
            found = _Events.joined(parts)
        found = _Events.joined([]) if found is None else found
        return Batch(
            times=found.times.to_numpy(),
            people=found.people.to_list(),
            statuses=found.labels,
            offsets=offsets,
            end=end,
            partition=partition,
        )

    def _read(self, data: bytes, number: int) -> _Events | None:
        """So many lines, all of them events; None if one is not."""
        schema: dict[str, type[pl.DataType]] = {self.time: pl.String if self.of_dates else pl.Int64, self.person: pl.String}
        schema |= dict.fromkeys(self._status, pl.String if self.cells is None else pl.Float64)
        try:
            frame = pl.read_ndjson(data, schema=schema)
            times = _microseconds(frame[self.time], self.time_format) if self.of_dates else frame[self.time]
        except (pl.exceptions.PolarsError, OSError):
            return None
        if len(frame) != number or times.null_count() or frame[self.person].null_count():
            return None
        return _Events(times=times, people=frame[self.person], labels=self._labels(frame))

    @property
    def _status(self) -> tuple[str, ...]:
        """The fields that say where somebody is."""
        return (self.label,) if self.cells is None else (self.latitude, self.longitude)

    def _labels(self, frame: pl.DataFrame) -> pl.Series:
        """The status of each event; of a point, the label of its cell, and none outside the box."""
        if self.cells is None:
            return frame[self.label]
        codes = self.cells.codes(*(frame[name].fill_null(float("nan")).to_numpy() for name in self._status))
        places = pl.Series(codes)
        return pl.Series(self.cells.universe.labels, dtype=pl.String).gather(places.set(places < 0, None))

    def _good(self, lines: list[bytes]) -> tuple[Booleans, list[_Events]]:
        """Which lines are events, and these; bad ones are found by halving, so that a few of them cost little."""
        found = self._read(b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines), len(lines))
        if found is not None and not any(b"\n" in line[:-1] for line in lines):
            return np.ones(len(lines), dtype=np.bool_), [found]
        if len(lines) == 1:
            rescued = self._rescued(lines[0])
            return np.full(1, rescued is not None), [] if rescued is None else [rescued]
        half = len(lines) // 2
        (first, before), (second, behind) = self._good(lines[:half]), self._good(lines[half:])
        return np.concatenate([first, second]), [*before, *behind]

    def _rescued(self, line: bytes) -> _Events | None:
        """An event without its label, if nothing but that makes the line unreadable: a status must not hide its person."""
        try:
            held = json.loads(line.decode("utf-8", errors="replace"))
        except (ValueError, RecursionError):
            return None
        if not isinstance(held, dict) or not {*self._status} & {*held}:
            return None
        rest = {name: held.get(name) for name in (self.time, self.person)}
        if any(isinstance(value, str) and "\ufffd" in value for value in rest.values()):
            return None
        return self._read(json.dumps(rest).encode() + b"\n", 1)

    @property
    def _times(self) -> str:
        """How times must be written, by what was declared."""
        if not self.of_dates:
            return "a whole number, as those of the grid"
        is_iso = isinstance(self.time_format, IsoTime)
        return "an ISO date; --time-format epoch-s or epoch-ms for numbers" if is_iso else "as --time-format says"

    def _put_aside(self, bad: list[tuple[str, int, bytes]], where: Callable[[int], str] | None) -> None:
        """Do with bad lines what was declared."""
        if bad and self.bad is BadEvents.STOP:
            offset = bad[0][1]
            place = f"byte {offset}" if where is None else where(offset)
            fields = ", ".join((f"{self.time} ({self._times})", self.person, *self._status))
            message = (
                f"every event must be one JSON object with {fields}, and {place} is not; "
                "mend it, or let --bad-events skip or quarantine such messages"
            )
            raise InputError(message)
        self.misfits.add(LINE, f"not an event with {self.person} and {self.time}, {self._times}", len(bad))
        if bad and self.quarantine is not None and self.bad is BadEvents.QUARANTINE:
            keep_bad_events(self.quarantine, bad)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Events:
    """Columns of events."""

    times: pl.Series
    people: pl.Series
    labels: pl.Series

    @classmethod
    def joined(cls, parts: Sequence[_Events]) -> _Events:
        """Some parts in order."""
        none = cls(times=pl.Series(dtype=pl.Int64), people=pl.Series(dtype=pl.String), labels=pl.Series(dtype=pl.String))
        columns = {name: pl.concat([getattr(part, name) for part in (none, *parts)]) for name in vars(none)}
        return cls(**columns)


def keep_bad_events(file: Path, bad: Sequence[tuple[str, int, bytes]]) -> None:
    """Add messages to a file that only its owner may read, each once, however often a source is read again."""
    known: dict[str, int] = {}
    line = "\n"
    if file.exists():
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                with suppress(ValueError, KeyError, TypeError):  # a line that was cut short
                    held = json.loads(line)
                    known[held["partition"]] = max(known.get(held["partition"], -1), int(held["offset"]))
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as out:
        if not line.endswith("\n"):
            out.write("\n")
        for partition, offset, message in bad:
            if offset > known.get(partition, -1):
                text = message.rstrip(b"\n").decode("utf-8", errors="backslashreplace")
                out.write(json.dumps({"partition": partition, "offset": offset, "message": text}) + "\n")


@dataclass(frozen=True, kw_only=True)
class FileSource:
    """A file of JSON lines; `follow` waits for more at the end, as `tail -f` does."""

    path: Path
    lines: EventLines = field(default_factory=EventLines)
    follow: bool = False
    wait_seconds: float = 0.05

    @property
    def is_repeatable(self) -> bool:
        """A file can."""
        return True

    @property
    def is_live(self) -> bool:
        """Only if it waits for more."""
        return self.follow

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """Events from a byte on."""
        offset, held = since.get("", 0), b""
        try:
            file = self.path.open("rb")
        except OSError as error:
            message = f"the events {str(self.path)!r} cannot be read: {error.strerror or error}"
            raise InputError(message) from None
        with file:
            if file.seek(0, os.SEEK_END) < offset:
                message = f"the events {str(self.path)!r} must hold all that was read before; the file has become shorter"
                raise InputError(message)
            file.seek(offset)
            while True:
                block = file.read(_CHUNK)
                if not block:
                    if not self.follow:
                        break
                    yield None
                    time.sleep(self.wait_seconds)
                    continue
                held += block
                cut = held.rfind(b"\n") + 1
                if cut:
                    yield self.lines.parsed(held[:cut], offset, where=self._line)
                    held, offset = held[cut:], offset + cut
            if held.strip():
                yield self.lines.parsed(held + b"\n", offset, where=self._line)

    def _line(self, offset: int) -> str:
        """Which line of the file begins at a byte."""
        before = 0
        with self.path.open("rb") as file:
            while offset > 0 and (block := file.read(min(_CHUNK, offset))):
                before, offset = before + block.count(b"\n"), offset - len(block)
        return f"line {before + 1:,} of {str(self.path)!r}"

    def commit(self, offsets: Mapping[str, int]) -> None:
        """A file keeps everything."""


@dataclass(frozen=True, kw_only=True)
class PipeSource:
    """JSON lines from an open descriptor, such as standard input; it waits for more until the other end is closed."""

    descriptor: int = 0
    lines: EventLines = field(default_factory=EventLines)
    wait_seconds: float = 0.05

    @property
    def is_repeatable(self) -> bool:
        """What was read is gone."""
        return False

    @property
    def is_live(self) -> bool:
        """It says when nothing comes."""
        return True

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """Whatever comes; None while nothing does, so that timestamps are closed in time."""
        offset, held = since.get("", 0), b""
        while True:
            if not select.select([self.descriptor], [], [], self.wait_seconds)[0]:
                yield None
                continue
            block = os.read(self.descriptor, _CHUNK)
            held += block
            cut = held.rfind(b"\n") + 1 if block else len(held)
            if held[:cut].strip():
                yield self.lines.parsed(held[:cut] if block else held + b"\n", offset)
            held, offset = held[cut:], offset + cut
            if not block:
                return

    def commit(self, offsets: Mapping[str, int]) -> None:
        """Nothing is kept."""


@dataclass(frozen=True, kw_only=True)
class IteratorSource:
    """Events from a Python iterable of (time, id, label), or lists of them; standard input is read through this too."""

    events: Iterable[tuple[int, str, str]]
    size: int = 1000

    @property
    def is_repeatable(self) -> bool:
        """It goes on where it is."""
        return False

    @property
    def is_live(self) -> bool:
        """It waits inside the iterable, and nobody knows how long."""
        return False

    def batches(self, since: Mapping[str, int]) -> Iterator[Batch | None]:
        """Whatever comes; offsets go on from those that were given."""
        offset = since.get("", 0)
        held: list[tuple[int, str, str]] = []
        for event in self.events:
            held.append(event)
            if len(held) >= self.size:
                yield _listed(held, offset)
                offset, held = offset + len(held), []
        if held:
            yield _listed(held, offset)

    def commit(self, offsets: Mapping[str, int]) -> None:
        """Nothing is kept."""


def _listed(events: list[tuple[int, str, str]], offset: int) -> Batch:
    times, people, statuses = zip(*events, strict=True)
    return Batch(
        times=np.array(times, dtype=np.int64),
        people=people,
        statuses=statuses,
        offsets=np.arange(offset, offset + len(events)),
        end=offset + len(events),
    )


def _lines(data: bytes) -> tuple[Integers, Integers]:
    """Where the lines begin that are not empty, and where they end."""
    breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
    starts = np.concatenate([np.zeros(1, dtype=np.int64), breaks[:-1]])
    kept = breaks - starts > 1
    return np.asarray(starts[kept], dtype=np.int64), np.asarray(breaks[kept], dtype=np.int64)


def _microseconds(times: pl.Series, time_format: TimeFormat) -> pl.Series:
    """Times as microseconds since 1970, null where one cannot be read; each by itself."""
    found = comparable_times(times, time_format)
    if isinstance(found.dtype, pl.Struct):  # numbers with fractions
        whole, part = found.struct.field("whole"), found.struct.field("part")
    else:
        whole, part = found.to_physical().cast(pl.Int64), None
    if not isinstance(time_format, EpochTime):
        return whole
    unit = time_format.unit.in_a_second
    if unit > MICROSECONDS:
        return whole // (unit // MICROSECONDS)
    scale = MICROSECONDS // unit
    return whole * scale if part is None else whole * scale + (part * scale).floor().cast(pl.Int64)
