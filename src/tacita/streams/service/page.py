"""A page that shows the released stream as it grows, with what is public about the error of each cell.

One HTML file, replaced at most once a second, that loads nothing from elsewhere and asks the browser to load it again. It is made
from released numbers only, so it may be given away with them. The latest timestamps are in the page as JSON too, from which a
restart goes on.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacita.pictures import Axis, Line, Page, Section, Table, line_plot, standalone
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.questions import SIXTEENTHS
from tacita.streams.service.journal import Released
from tacita.streams.service.outbox import said_errors

__all__ = ["LivePage"]

SHOWN = 300
"""How many timestamps the page shows."""

CELLS = 5
"""Of how many cells: the largest."""

_SECONDS = 1.0
_OPENING, _CLOSING = '<script type="application/json" id="stream">', "</script>"
NOTE = (
    "Everything here was released. Where the stream was measured, an interval (from, to) holds the true count in at least 95 of "
    "100 cases, by the law of the noise alone. With pace, which filters, it need not hold the published count: filters know more "
    "than one draw. How far off they expect to be (±) is drawn as a band around the count, and is no promise. "
    "Between measurements there is no interval, since nothing public says how counts move. The sum of all cells has none either: "
    "errors of cells go together, and as pace is cautious, its sum is often too small."
)

ABOUT = (
    "Where the stream was measured, what holds 95 of 100 true counts; with pace also a band, which is what its filters expect."
)


class LivePage:
    """An outbox that draws what it is given."""

    def __init__(self, path: Path, *, title: str, promise: str, cells: Universe, grid: TimeGrid) -> None:
        """Draw into this file; what it shows already is kept."""
        self._path, self._title, self._promise = path, title, promise
        self._cells, self._grid = cells, grid
        self._rows: deque[dict[str, Any]] = deque(_held(path), maxlen=SHOWN)
        self._drawn = 0.0

    def last(self) -> int:
        """The place of the last timestamp that it shows."""
        return int(self._rows[-1]["place"]) if self._rows else -1

    def put(self, released: Sequence[Released]) -> None:
        """Show further timestamps; those that are shown already are passed over."""
        last = self.last()
        self._rows.extend(
            {
                "place": each.place,
                "measured": each.measured,
                "counts": (each.sixteenths / SIXTEENTHS).tolist(),
                **said_errors(each),
            }
            for each in released
            if each.place > last
        )
        if time.monotonic() - self._drawn > _SECONDS:
            self._draw()

    def close(self) -> None:
        """Draw the last ones."""
        self._draw()

    def _draw(self) -> None:
        draft = self._path.with_name(f".{self._path.name}.partial")
        draft.write_text(self._html(), encoding="utf-8")
        draft.replace(self._path)
        self._drawn = time.monotonic()

    def _html(self) -> str:
        rows = list(self._rows)
        page = Page(title=self._title, lead=f"{self._promise}.", sections=self._sections(rows), footer=NOTE)
        held = json.dumps(rows, separators=(",", ":"))  # numbers only: nothing in it can end the script
        return standalone("live.html", page=page, seconds=5, held=_OPENING + held + _CLOSING)

    def _sections(self, rows: list[dict[str, Any]]) -> list[Section]:
        if not rows:
            return [Section(title="So far", paragraphs=["Nothing has been released yet."])]
        counts = np.array([row["counts"] for row in rows])
        largest = np.argsort(-counts.mean(axis=0), kind="stable")[:CELLS].tolist()
        over_time = Axis(label="time", names=[self._grid.named(row["place"]) for row in rows])
        total = Line(name="all cells", values=counts.sum(axis=1).tolist())  # errors of cells go together: no band is known
        several = [self._line(cell, rows) for cell in largest]
        measured = np.mean([row["measured"] for row in rows])
        facts = f"Timestamp {rows[-1]['place'] + 1:,} of {self._grid.intervals:,}; {measured:.0%} of those shown were measured."
        people = Axis(label="people")
        plots = [
            line_plot("People in all cells, as released", [total], x=over_time, y=people),
            line_plot(f"People in the {len(several)} largest cells", several, x=over_time, y=people, about=ABOUT),
        ]
        return [Section(title="So far", paragraphs=[facts], tables=[self._now(rows, largest)], pictures=plots)]

    def _now(self, rows: list[dict[str, Any]], largest: list[int]) -> Table:
        """The largest cells at the last timestamp, and where they were when the stream was measured last."""
        columns = ["cell", "people now"]
        sides = [[self._cells.labels[cell] for cell in largest], _part(rows[-1], "counts", largest)]
        if rows[-1]["deviation"] is not None:
            columns.append("expected, ±")
            sides.append(_part(rows[-1], "deviation", largest))
        measured = next((row for row in reversed(rows) if row["low"] is not None), None)
        if measured is not None:
            columns += [f"95 % at {self._grid.named(measured['place'])}: from", "to"]
            sides += [_part(measured, name, largest) for name in ("low", "high")]
        return Table(caption="The largest cells now", columns=tuple(columns), rows=tuple(zip(*sides, strict=True)))

    def _line(self, cell: int, rows: list[dict[str, Any]]) -> Line:
        """A cell over time, with what is known of its errors."""
        counts, low, high, around = ([_of(row, name, cell) for row in rows] for name in ("counts", "low", "high", "deviation"))
        ends = [None if first is None or last is None else (first, last) for first, last in zip(low, high, strict=True)]
        return Line(
            name=self._cells.labels[cell],
            values=[count or 0.0 for count in counts],
            intervals=ends if any(ends) else None,
            band=around if any(each is not None for each in around) else None,
        )


def _part(row: Mapping[str, Any], name: str, cells: Sequence[int]) -> list[Any]:
    return [row[name][cell] for cell in cells]


def _of(row: Mapping[str, Any], name: str, cell: int) -> float | None:
    return None if row[name] is None else row[name][cell]


def _held(path: Path) -> list[dict[str, Any]]:
    """What a page shows; nothing if there is none, or if it is no page of ours."""
    try:
        text = path.read_text(encoding="utf-8")
        rows: list[dict[str, Any]] = json.loads(text.partition(_OPENING)[2].partition(_CLOSING)[0])
    except (OSError, ValueError):
        return []
    return rows
