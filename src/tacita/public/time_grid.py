"""Time grids: the public intervals into which times are put.

A time is published as the beginning of its interval. The grid must be fixed without a look at the data: which hours have
visitors is private. Times outside the grid are dropped by a declared rule, like labels outside the universe.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tacita.errors import ParameterError

__all__ = ["TimeGrid"]

MOST_INTERVALS = 1_000_000
_FARTHEST = 2**60


@dataclass(frozen=True, kw_only=True)
class TimeGrid:
    """Intervals of one length from a start on: for times that are numbers, or for dates (then in UTC).

    >>> TimeGrid(start=0, interval=60, intervals=3).beginnings
    (0, 60, 120)
    >>> morning = TimeGrid(start=datetime(2026, 5, 4, 6), interval=timedelta(hours=1), intervals=4)
    >>> print(morning.beginnings[1])
    2026-05-04 07:00:00+00:00
    """

    start: int | datetime
    interval: int | timedelta
    intervals: int

    def __post_init__(self) -> None:
        """Check that start and interval are of one kind; a date without a zone is in UTC."""
        of_dates = isinstance(self.start, datetime) and isinstance(self.interval, timedelta)
        of_numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in (self.start, self.interval))
        if not of_dates and not of_numbers:
            message = (
                "a time grid must have a date as start and a duration as interval, or two whole numbers, "
                f"got {self.start!r} and {self.interval!r}"
            )
            raise ParameterError(message)
        if isinstance(self.start, datetime):
            start = self.start.replace(tzinfo=UTC) if self.start.tzinfo is None else self.start.astimezone(UTC)
            object.__setattr__(self, "start", start)
        if not self.ticks_interval > 0 or not 1 <= self.intervals <= MOST_INTERVALS:
            message = (
                f"a time grid must have intervals of a positive length, 1 to {MOST_INTERVALS:,} of them, "
                f"got {self.intervals} of {self.interval}"
            )
            raise ParameterError(message)
        if not -_FARTHEST < self.ticks_start <= self.ticks_start + self.intervals * self.ticks_interval < _FARTHEST:
            message = f"a time grid must lie within the years 1 to 9999, or within 2**60, got {self.start} and {self.interval}"
            raise ParameterError(message)
        try:
            _ = self.beginnings[-1]
        except OverflowError:
            message = f"the intervals of a time grid must begin within the years 1 to 9999, got {self.start} and {self.interval}"
            raise ParameterError(message) from None

    @property
    def is_of_dates(self) -> bool:
        """Whether times are dates; numbers if not."""
        return isinstance(self.start, datetime)

    @property
    def ticks_start(self) -> int:
        """The start as a number: as it is, or in microseconds since 1970."""
        if isinstance(self.start, datetime):
            return (self.start - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        return self.start

    @property
    def ticks_interval(self) -> int:
        """The interval as a number: as it is, or in microseconds."""
        return self.interval // timedelta(microseconds=1) if isinstance(self.interval, timedelta) else self.interval

    @cached_property
    def beginnings(self) -> tuple[int | datetime, ...]:
        """When each interval begins."""
        if isinstance(self.start, datetime) and isinstance(self.interval, timedelta):
            return tuple(self.start + place * self.interval for place in range(self.intervals))
        return tuple(self.ticks_start + place * self.ticks_interval for place in range(self.intervals))

    def places(self, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The interval of each time (a number, or microseconds since 1970 in UTC), and -1 outside the grid."""
        end = self.ticks_start + self.intervals * self.ticks_interval
        inside = (times >= self.ticks_start) & (times < end)
        return np.where(inside, (np.where(inside, times, self.ticks_start) - self.ticks_start) // self.ticks_interval, -1)

    def as_json(self) -> dict[str, object]:
        """The grid as a manifest holds it."""
        text = f"{self.ticks_start} {self.ticks_interval} {self.intervals} {self.is_of_dates}"
        return {
            "start": self.start.isoformat() if isinstance(self.start, datetime) else self.start,
            "interval": str(self.interval) if isinstance(self.interval, timedelta) else self.interval,
            "intervals": self.intervals,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
