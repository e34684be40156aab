"""Where events come from, in batches, each event with an offset from which the source can be read again.

Events are JSON lines with a time, an id and a label. Offsets increase within a partition. A file has one partition, and its
offsets are bytes; standard input and iterators have numbers of events and cannot be read again, so what was pending when a
process ended is lost there, and the guarantee is not touched by it. A publisher pulls: a source is asked for more only when
what it gave has been dealt with, which is all the back-pressure that there is.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import InputError

__all__ = ["Batch", "EventLines", "FileSource", "IteratorSource", "Offsets", "PipeSource", "Source"]

Offsets = dict[str, int]

_CHUNK = 1 << 20


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


@dataclass(frozen=True, kw_only=True)
class EventLines:
    """How events are written: the names of their fields, and whether times are numbers or ISO dates (UTC if no zone is named)."""

    time: str = "time"
    person: str = "id"
    label: str = "label"
    of_dates: bool = False

    def parsed(self, data: bytes, offset: int) -> Batch:
        """Whole lines as a batch; the first begins at this offset."""
        schema = {self.time: pl.String if self.of_dates else pl.Int64, self.person: pl.String, self.label: pl.String}
        try:
            frame = pl.read_ndjson(data, schema=schema)
            times = _microseconds(frame[self.time]) if self.of_dates else frame[self.time]
        except (pl.exceptions.PolarsError, OSError):
            message = (
                f"events must be JSON lines with {self.time}, {self.person} and {self.label}; a line behind byte {offset} is not"
            )
            raise InputError(message) from None
        starts = _line_starts(data)
        if len(frame) != starts.size or times.null_count() or frame[self.person].null_count():
            message = f"every event must have a {self.time} and an {self.person}, one behind byte {offset} has not"
            raise InputError(message)
        return Batch(
            times=times.to_numpy(),
            people=frame[self.person].to_list(),
            statuses=frame[self.label],
            offsets=starts + offset,
            end=offset + len(data),
        )


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
                    yield self.lines.parsed(held[:cut], offset)
                    held, offset = held[cut:], offset + cut
            if held.strip():
                yield self.lines.parsed(held + b"\n", offset)

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


def _line_starts(data: bytes) -> Integers:
    """Where the lines begin that are not empty; the last one has its end."""
    breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
    starts = np.concatenate([np.zeros(1, dtype=np.int64), breaks[:-1]])
    return np.asarray(starts[breaks - starts > 1], dtype=np.int64)


def _microseconds(times: pl.Series) -> pl.Series:
    """ISO dates as microseconds since 1970."""
    return times.str.to_datetime(time_unit="us", time_zone="UTC", strict=False).dt.timestamp("us")
