"""When: intervals of a time grid as people write them, never as seconds since 1970."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from tacita.public.time_grid import TimeGrid

__all__ = ["interval_names", "moments", "read_as"]


def moments(grid: TimeGrid) -> list[datetime] | None:
    """When intervals begin, if times are dates, or whole numbers that can only be seconds since 1970; else nothing."""
    first, step = grid.beginning(0), grid.interval
    if isinstance(first, datetime) and isinstance(step, timedelta):
        return [first + place * step for place in range(grid.intervals)]
    is_epoch = isinstance(first, int) and 10**8 <= first < 10**10 and isinstance(step, int) and step % 60 == 0
    if not is_epoch or not isinstance(first, int) or not isinstance(step, int):
        return None
    return [datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=first + place * step) for place in range(grid.intervals)]


def read_as(grid: TimeGrid) -> str:
    """How times are read, in a few words."""
    return "UTC" if grid.is_of_dates else "whole numbers read as seconds since 1970, UTC"


def interval_names(grid: TimeGrid, places: Sequence[int]) -> list[str]:
    """When intervals begin, as people write it: a day and an hour, or the number of the interval."""
    begins = moments(grid)
    if begins is None:
        return (
            [f"interval {place + 1:,}" for place in places]
            if isinstance(grid.interval, int) and grid.interval > 1
            else [str(grid.beginning(place)) for place in places]
        )
    is_daily = all(begins[place].hour == begins[0].hour and begins[place].minute == begins[0].minute for place in places)
    if len({begins[place].date() for place in places}) == 1:
        return [f"{begins[place]:%H:%M}" for place in places]
    return [
        f"{begins[place]:%a} {begins[place].day} {begins[place]:%b}" + ("" if is_daily else f" {begins[place]:%H:%M}")
        for place in places
    ]
