"""What leaves the publisher: one histogram per timestamp, each exactly once, after it is durable.

An outbox knows the last timestamp that it holds whole, so that after a restart the publisher hands over again what the journal
has and the outbox lacks. A line that was cut short by a kill is removed first. Parquet grows by parts of a fixed number of
timestamps; each part appears whole, under a name that says which timestamps it holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from tacita.errors import OutputError
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.published import error_columns, known_errors
from tacita.streams.questions import SIXTEENTHS
from tacita.streams.service.journal import Released

__all__ = ["JsonLines", "Outbox", "Outboxes", "ParquetParts", "said_errors"]

_TAIL = 1 << 16


def said_errors(each: Released) -> dict[str, list[int] | list[float] | None]:
    """What is known of the errors of a timestamp, as it is written: two decimals, and nothing where nothing is known."""
    low, high = (None, None) if each.interval is None else (end.tolist() for end in each.interval)
    return {"low": low, "high": high, "deviation": None if each.deviation is None else np.round(each.deviation, 2).tolist()}


class Outbox(Protocol):
    """Where histograms go."""

    def last(self) -> int:
        """The place of the last timestamp that is held, or -1; what was cut short is removed."""
        ...

    def put(self, released: Sequence[Released]) -> None:
        """Add timestamps, in order."""
        ...

    def close(self) -> None:
        """No more will come."""
        ...


class Outboxes:
    """Several outboxes; the first says what has been emitted, the others show it."""

    def __init__(self, first: Outbox, *others: Outbox) -> None:
        """Hand everything to each of them, in order."""
        self._first, self._all = first, (first, *others)

    def last(self) -> int:
        """The place of the last timestamp that the first one holds."""
        return self._first.last()

    def put(self, released: Sequence[Released]) -> None:
        """Add timestamps, in order."""
        for outbox in self._all:
            outbox.put(released)

    def close(self) -> None:
        """No more will come."""
        for outbox in self._all:
            outbox.close()


class JsonLines:
    """One line per timestamp: its place in the grid, its beginning, whether it was measured, and the counts of all cells.

    With `errors` also what is known of the error of each count (see `PublishedStream`): `low`, `high` and `deviation`, each null
    where nothing is known. Writing so many numbers takes time, so that is asked for.
    """

    def __init__(self, path: Path, *, grid: TimeGrid, errors: bool = False) -> None:
        """Add to this file."""
        self._path, self._grid, self._errors = path, grid, errors
        try:
            self._file = path.open("ab+")
        except OSError as error:
            message = f"the output {str(path)!r} cannot be written: {error.strerror or error}"
            raise OutputError(message) from None

    def last(self) -> int:
        """The place of the last whole line."""
        size = self._file.seek(0, os.SEEK_END)
        start, tail = size, b""
        while start > 0 and tail.count(b"\n") < 2:
            step = min(_TAIL, start)
            start -= step
            self._file.seek(start)
            tail = self._file.read(step) + tail
        whole = tail.rfind(b"\n") + 1
        self._file.truncate(start + whole)
        lines = tail[:whole].splitlines()
        if not lines:
            return -1
        try:
            return int(json.loads(lines[-1])["place"])
        except (ValueError, KeyError, TypeError):
            message = f"the output {str(self._path)!r} must hold lines of this stream, its last line is none; name another file"
            raise OutputError(message) from None

    def put(self, released: Sequence[Released]) -> None:
        """Add lines."""
        self._file.write(b"".join(self._line(each) for each in released))
        self._file.flush()

    def close(self) -> None:
        """Bring all of it to the disk."""
        os.fsync(self._file.fileno())
        self._file.close()

    def _line(self, each: Released) -> bytes:
        counts = each.sixteenths
        whole = not np.any(counts % SIXTEENTHS)
        shown = (counts // SIXTEENTHS if whole else counts / SIXTEENTHS).tolist()
        beginning = self._grid.beginning(each.place)
        time = beginning if isinstance(beginning, int) else beginning.isoformat()
        line = {"place": each.place, "time": time, "measured": each.measured, "counts": shown}
        if self._errors:
            line |= said_errors(each)
        return json.dumps(line, separators=(",", ":")).encode() + b"\n"


class ParquetParts:
    """A folder of Parquet files with one row per timestamp and cell; `size` timestamps a file, the last one may have fewer."""

    def __init__(self, folder: Path, *, grid: TimeGrid, cells: Universe, size: int = 1000) -> None:
        """Add to this folder; it is made if it is not there."""
        self._folder, self._grid, self._cells, self._size = folder, grid, cells, size
        self._held: list[Released] = []
        folder.mkdir(exist_ok=True)

    def last(self) -> int:
        """The place of the last timestamp of the last part."""
        for draft in self._folder.glob(".*.partial"):
            draft.unlink()
        return max((int(part.stem.rpartition("-")[2]) for part in self._folder.glob("part-*.parquet")), default=-1)

    def put(self, released: Sequence[Released]) -> None:
        """Hold timestamps until a part is full."""
        self._held += released
        while len(self._held) >= self._size:
            self._write(self._held[: self._size])
            self._held = self._held[self._size :]

    def close(self) -> None:
        """Write what is held."""
        if self._held:
            self._write(self._held)
            self._held = []

    def _write(self, part: Sequence[Released]) -> None:
        counts = np.array([each.sixteenths for each in part])
        cells = len(self._cells)
        times = pl.Series("time", [self._grid.beginning(each.place) for each in part])
        rows = np.repeat(np.arange(len(part)), cells)
        frame = pl.DataFrame(
            {
                "time": times.gather(rows),
                "cell": pl.Series(self._cells.labels, dtype=pl.String).gather(np.tile(np.arange(cells), len(part))),
                "count": counts.ravel() / SIXTEENTHS,
                "measured": np.array([each.measured for each in part])[rows],
                **error_columns(*known_errors([(each.interval, each.deviation) for each in part], cells=cells)),
            }
        )
        name = f"part-{part[0].place:09d}-{part[-1].place:09d}.parquet"
        draft = self._folder / f".{name}.partial"
        frame.write_parquet(draft)
        draft.rename(self._folder / name)
