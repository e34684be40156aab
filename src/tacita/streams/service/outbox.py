"""What leaves the publisher: one histogram per timestamp, each exactly once, after it is durable; as rows. `live` draws them.

An outbox knows the last timestamp that it holds whole, so that after a restart the publisher hands over again what the journal
has and the outbox lacks. A line that was cut short by a kill is removed first. Parquet grows by parts of a fixed number of
timestamps; each part appears whole, under a name that says which timestamps it holds.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from tacita.errors import OutputError
from tacita.io.columns import POLARS_FAILURES
from tacita.public.time_grid import TimeGrid, iso_duration
from tacita.public.universe import Universe
from tacita.streams.protection import Presence
from tacita.streams.published import THOUSANDTHS, error_columns, known_errors, known_means, mean_column
from tacita.streams.questions import SIXTEENTHS
from tacita.streams.service.journal import Released

__all__ = [
    "JsonLines",
    "Outbox",
    "Outboxes",
    "ParquetParts",
    "metrics_endpoint",
    "replace_file",
    "said_errors",
    "said_means",
    "written",
]

_TAIL = 1 << 16


def said_means(each: Released) -> list[float] | None:
    """The means of a timestamp, of a method that has some."""
    return None if each.means is None else (each.means / THOUSANDTHS).tolist()


def said_errors(each: Released) -> dict[str, list[int] | list[float] | None]:
    """What is known of the errors of a timestamp, as it is written: two decimals, and nothing where nothing is known."""
    low, high = (None, None) if each.interval is None else (end.tolist() for end in each.interval)
    return {"low": low, "high": high, "deviation": None if each.deviation is None else np.round(each.deviation, 2).tolist()}


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Say in a sentence why something that leaves the publisher cannot be written; the journal has it, so nothing is lost."""
    try:
        yield
    except (OSError, *POLARS_FAILURES) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        message = f"the output {str(path)!r} cannot be written: {reason}; the same command goes on from the journal"
        raise OutputError(message) from None


def replace_file(path: Path, text: str) -> None:
    """Write a small file anew, whole or not at all."""
    with written(path):
        draft = path.with_name(f".{path.name}.partial")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)


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
    """Several outboxes, or none; the first says what has been emitted, the others show it."""

    def __init__(self, *outboxes: Outbox) -> None:
        """Hand everything to each of them, in order."""
        self._all = outboxes

    def last(self) -> int:
        """The place of the last timestamp that the first one holds."""
        return self._all[0].last() if self._all else -1

    def put(self, released: Sequence[Released]) -> None:
        """Add timestamps, in order."""
        for outbox in self._all:
            outbox.put(released)

    def close(self) -> None:
        """No more will come."""
        for outbox in self._all:
            outbox.close()


class JsonLines:
    """One line per timestamp, which says everything by itself.

    That is its place in the grid, its beginning and its interval (in ISO forms if the grid is one of dates), whether presence is
    public, whether it was measured, and the counts and means of all cells by name. With `errors` also what is known of the error
    of each count (see `PublishedStream`): `low`, `high` and `deviation`, each null where nothing is known. Writing so many
    numbers takes time, so that is asked for.
    """

    def __init__(
        self, path: Path, *, grid: TimeGrid, cells: Universe, presence: Presence = Presence.PUBLIC, errors: bool = False
    ) -> None:
        """Add to this file."""
        self._path, self._grid, self._cells, self._errors = path, grid, cells, errors
        interval = grid.interval if isinstance(grid.interval, int) else iso_duration(grid.interval)
        self._facts = {"interval": interval, "presence": str(presence)}
        with written(path):
            self._file = path.open("ab+")

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
        with written(self._path):
            self._file.write(b"".join(self._line(each) for each in released))
            self._file.flush()

    def close(self) -> None:
        """Bring all of it to the disk."""
        with written(self._path):
            try:
                os.fsync(self._file.fileno())
            finally:
                self._file.close()

    def _line(self, each: Released) -> bytes:
        counts = each.sixteenths
        whole = not np.any(counts % SIXTEENTHS)
        shown = (counts // SIXTEENTHS if whole else counts / SIXTEENTHS).tolist()
        beginning = self._grid.beginning(each.place)
        time = beginning if isinstance(beginning, int) else beginning.isoformat()
        line = {"place": each.place, "time": time, **self._facts, "measured": each.measured, "counts": self._named(shown)}
        if each.means is not None:
            line["means"] = self._named(said_means(each))
        if self._errors:
            line |= {name: self._named(values) for name, values in said_errors(each).items()}
        return json.dumps(line, separators=(",", ":")).encode() + b"\n"

    def _named(self, values: Sequence[float] | None) -> dict[str, float] | None:
        return None if values is None else dict(zip(self._cells.labels, values, strict=True))


class ParquetParts:
    """A folder of Parquet files with one row per timestamp and cell; `size` timestamps a file, the last one may have fewer."""

    def __init__(self, folder: Path, *, grid: TimeGrid, cells: Universe, size: int = 1000) -> None:
        """Add to this folder; it is made if it is not there."""
        self._folder, self._grid, self._cells, self._size = folder, grid, cells, size
        self._held: list[Released] = []
        with written(folder):
            folder.mkdir(exist_ok=True)

    def last(self) -> int:
        """The place of the last timestamp of the last part."""
        with written(self._folder):
            for draft in self._folder.glob(".*.partial"):
                draft.unlink()
            parts = [part for part in self._folder.glob("part-*.parquet") if part.stem.rpartition("-")[2].isdecimal()]
        return max((int(part.stem.rpartition("-")[2]) for part in parts), default=-1)

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
                **mean_column(known_means([each.means for each in part], cells=cells)),
                "measured": np.array([each.measured for each in part])[rows],
                **error_columns(*known_errors([(each.interval, each.deviation) for each in part], cells=cells)),
            }
        )
        name = f"part-{part[0].place:09d}-{part[-1].place:09d}.parquet"
        with written(self._folder / name):
            draft = self._folder / f".{name}.partial"
            frame.write_parquet(draft)
            draft.rename(self._folder / name)


# The metrics of the publisher, for a Prometheus that asks for them over the network: the file that lies in the state folder, and
# nothing else. Nothing in it is computed from events.


@contextmanager
def metrics_endpoint(file: Path, address: tuple[str, int]) -> Iterator[int]:
    """Serve a file of metrics at `http://HOST:PORT/metrics` meanwhile, and give the port."""

    class Asked(BaseHTTPRequestHandler):
        timeout = 5.0
        server_version, sys_version = "tacita", ""

        def do_GET(self) -> None:
            text = b""
            with suppress(OSError):  # before the first timestamp there is no file
                text = file.read_bytes()
            is_there = self.path == "/metrics"
            self.send_response(200 if is_there else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(text) if is_there else 0))
            self.end_headers()
            if is_there:
                self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the library calls it
            """Who asks is nobody's business."""

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        daemon_threads = True

    try:
        server = Server(address, Asked)
    except (OSError, OverflowError) as error:
        message = f"metrics cannot be served at {address[0]}, port {address[1]}: {getattr(error, 'strerror', None) or error}"
        raise OutputError(message) from None
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()
