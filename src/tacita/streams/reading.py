"""How a file of events is read, and the public list of people who have longer windows than all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tacita.errors import InputError
from tacita.io import ReadOptions
from tacita.kinds.words import timed_reading

__all__ = ["StreamReading", "read_longer_windows", "stream_reading"]


@dataclass(frozen=True, kw_only=True)
class StreamReading:
    """How a file of events is read, and who has longer windows than all others."""

    events: ReadOptions = field(default_factory=ReadOptions)
    longer_windows: Mapping[str, int] = field(default_factory=dict, repr=False)


def stream_reading(given: Mapping[str, Any]) -> StreamReading:
    """The reading options that were typed."""
    path = given.get("longer_windows")
    return StreamReading(events=timed_reading(given), longer_windows={} if path is None else read_longer_windows(path))


def read_longer_windows(path: str) -> dict[str, int]:
    """A public list of people and their numbers of contexts: a CSV file with the columns id and contexts."""
    try:
        frame = pl.read_csv(path, schema_overrides={"id": pl.String, "contexts": pl.Int64}, columns=["id", "contexts"])
    except (OSError, pl.exceptions.PolarsError):
        message = f"the list of longer windows {path!r} must be a CSV file with the columns id and contexts, whole numbers"
        raise InputError(message) from None
    if frame.null_count().sum_horizontal().item() or frame["id"].n_unique() != len(frame) or (frame["contexts"] < 1).any():
        message = f"the list of longer windows {path!r} must name each person once, with one or more contexts"
        raise InputError(message)
    return dict(zip(frame["id"].to_list(), frame["contexts"].to_list(), strict=True))
