"""The live page: how many people are where now, the last hour, all cells in order, and when the next figures come.

It is one HTML file that loads nothing from elsewhere, replaced at most once a second, made from released numbers only, so it may
be given away with them. The latest timestamps are in it as JSON too, from which a restart goes on. Where a browser lets a page
ask for itself, a script puts the new figures in place; else the page is loaded again every few seconds, without a script.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from tacita.errors import InputError
from tacita.gate import parsed, read_text
from tacita.pictures import Axis, Line, Picture, line_plot, standalone
from tacita.pictures.bars import largest_places
from tacita.pictures.page import policy
from tacita.pictures.picture import percent
from tacita.pictures.ranked import Area, areas_plot
from tacita.public.pictures import cell_picture, interval_names
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.questions import SIXTEENTHS
from tacita.streams.service.journal import Released
from tacita.streams.service.outbox import replace_file, said_errors, said_means

__all__ = ["LivePage"]

SHOWN = 300
"""How many timestamps the page holds."""

CELLS, NORMAL_95 = 12, 1.96
HOUR = timedelta(hours=1)
STEPS = 4
"""How many intervals count as lately, where nobody has said how long they are, or they are longer than an hour."""

RECENT = 4
"""How many times as far back the small lines go."""

_SECONDS = 1.0
AGAIN = 5
"""After how many seconds a browser asks again."""

_OPENING, _CLOSING = '<script type="application/json" id="stream">', "</script>"
SCRIPT = (
    "const again=async()=>{try{const answer=await fetch(location.href,{cache:'no-store'});"
    "const page=new DOMParser().parseFromString(await answer.text(),'text/html');const main=page.querySelector('main');"
    "if(!answer.ok||!main)throw 0;document.querySelector('main').replaceWith(main)}catch{location.reload()}};"
    "const late=()=>{const now=document.querySelector('[data-late]');const is=!!now&&Date.now()>+now.dataset.late;"
    "document.querySelectorAll('.only-late').forEach(each=>each.hidden=!is);"
    "document.documentElement.classList.toggle('late',is)};"
    f"setInterval(()=>again().then(late),{AGAIN}000);late();"
)
"""Puts new figures in place; greys the page out, and says so, when one interval more than the next one has gone by."""
NOTES = (
    "Everything here was released, so anybody may see it. Every figure carries noise.",
    (
        "Where the stream was measured (orange ticks), an interval holds the true count in at least 95 of 100 cases, by the law "
        "of the noise alone. In between, counts are estimated, and nothing public says how far off they are but what the filters "
        "of a method expect of themselves: the band. It is no promise."
    ),
    "A gap is a time of which nothing was published. It does not mean nobody.",
    "The sum of all cells has no interval: errors of cells go together.",
)


class LivePage:
    """An outbox that draws what it is given."""

    def __init__(
        self, path: Path, *, title: str, promise: str, cells: Universe, grid: TimeGrid, grace: timedelta | None = None
    ) -> None:
        """Draw into this file; what it shows already is kept.

        If a clock closes the intervals, and how long after their end (`grace`), the page says so when the next figures are late.
        """
        self._path, self._title, self._promise = path, title, promise
        self._cells, self._grid, self._grace = cells, grid, grace
        self._rows: deque[dict[str, Any]] = deque(_held(path, cells=len(cells)), maxlen=SHOWN)
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
                "means": said_means(each),
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
        replace_file(self._path, self._html())
        self._drawn = time.monotonic()

    def _html(self) -> str:
        rows = list(self._rows)
        held = json.dumps(rows, separators=(",", ":"))  # numbers only: nothing in it can end the script
        shown: dict[str, Any] = {
            "title": self._title,
            "promise": f"{self._promise}.",
            "notes": NOTES,
            "now": None,
            "pictures": (),
        }
        if rows:
            view = _View(rows, self._cells, self._grid, self._grace)
            shown |= {"now": view.now(), "pictures": view.pictures()}
        allowed = policy(script=SCRIPT).replace("base-uri", "connect-src 'self'; base-uri")
        return standalone("live.html", **shown, seconds=AGAIN, script=SCRIPT, held=_OPENING + held + _CLOSING, policy=allowed)


class _View:
    """What the page says of some timestamps; a place without one is a gap."""

    def __init__(self, rows: list[dict[str, Any]], cells: Universe, grid: TimeGrid, grace: timedelta | None) -> None:
        self._cells, self._grid, self._last, self._grace = cells, grid, rows[-1], grace
        first, last = int(rows[0]["place"]), int(rows[-1]["place"])
        self._places = list(range(max(first, last - SHOWN + 1), last + 1))
        self._by_place = {int(row["place"]): row for row in rows}
        step = grid.interval
        self._ago = max(1, round(HOUR / step)) if isinstance(step, timedelta) and step <= HOUR else STEPS

    def _row(self, place: int) -> dict[str, Any] | None:
        return self._by_place.get(place)

    def _of(self, place: int, name: str, cell: int) -> float | None:
        row = self._row(place)
        return None if row is None or row[name] is None else float(row[name][cell])

    def _total(self, place: int) -> float | None:
        """With pace the sum of means: whole counts, each near one true count, add up to too little."""
        row = self._row(place)
        return None if row is None else float(sum(row["means"] or row["counts"]))

    def _name(self, place: int) -> str:
        beginning = self._grid.beginning(place)
        return (
            f"{beginning:%H:%M}" if isinstance(beginning, datetime) else interval_names(self._grid, [self._places[0], place])[1]
        )

    @property
    def _back(self) -> int:
        return int(self._last["place"]) - self._ago

    @property
    def _lately(self) -> str:
        return (
            "in the last hour"
            if isinstance(self._grid.interval, timedelta) and self._grid.interval <= HOUR
            else f"in {self._ago} intervals"
        )

    def now(self) -> dict[str, Any]:
        """The first card: how many people, how many more or less, when measured, and when the next figures come."""
        place = int(self._last["place"])
        measured = next(
            (each for each in reversed(self._places) if (row := self._row(each)) is not None and row["measured"]), None
        )
        total, before = self._total(place), self._total(self._back)
        change = "unknown" if total is None or before is None else _signed(total - before)
        end, following = self._name(place), place + 1
        coming = "the last one of the grid" if following >= self._grid.intervals else f"the next is for {self._name(following)}"
        if isinstance(self._grid.interval, timedelta) and following < self._grid.intervals:
            coming = f"the next is for {self._name(following)}, and comes when that interval is over"
        facts = [
            (change, self._lately),
            (self._name(measured) if measured is not None else "not lately", "measured last; estimated since"),
            (f"{place + 1:,} of {self._grid.intervals:,}", "intervals so far"),
        ]
        return {
            "total": f"{total or 0:,.0f}",
            "when": end,
            "coming": coming,
            "facts": facts,
            **self._due(following),
        }

    def _due(self, place: int) -> dict[str, Any]:
        """When the figures of an interval should be there, and when they are late; None if nobody can know, or none comes."""
        begins, interval = self._grid.beginning(min(place, self._grid.intervals - 1)), self._grid.interval
        is_last = place >= self._grid.intervals
        if is_last or self._grace is None or not isinstance(begins, datetime) or not isinstance(interval, timedelta):
            return {"due": None, "late": None}
        due = begins + interval + self._grace
        return {"due": f"{due.astimezone(UTC):%H:%M:%S} UTC", "late": int((due + interval).timestamp() * 1000)}

    def pictures(self) -> list[Picture]:
        """All cells in order, a map if they are cells of a grid, and the total."""
        counts = np.array(self._last["counts"])
        found = [self._ranked(counts)]
        if self._cells.cells is not None:
            found.append(cell_picture({"released": counts}, self._cells.cells, what="people"))
        return [*found, self._over_time()]

    def _ranked(self, counts: np.ndarray[Any, np.dtype[np.float64]]) -> Picture:
        order = largest_places(counts.tolist(), CELLS)
        recent = [place for place in self._places if place > int(self._last["place"]) - RECENT * self._ago - 1]
        areas = []
        for cell in order:
            spread = self._of(recent[-1], "deviation", cell)
            band = [self._of(place, "deviation", cell) for place in recent]
            areas.append(
                Area(
                    name=self._cells.labels[cell],
                    sides={"released": [self._of(place, "counts", cell) for place in recent]},
                    band=band if any(each is not None for each in band) else None,
                    value=float(counts[cell]),
                    spread=None if spread is None else 2 * spread,
                    cells=(f"{counts[cell]:,.0f}", _likely(counts[cell], spread), self._change(cell)),
                )
            )
        about = f"The {len(order)} fullest of {len(self._cells)} cells, fullest first."
        if any(area.spread is not None for area in areas):
            about += " Bar: now; whisker: twice what the filters expect to be off by."
        first, last = (self._name(place) for place in (recent[0], recent[-1]))
        return areas_plot(
            self._title(counts, order), areas, columns=("now", "likely", self._lately), about=about, times=(first, last)
        )

    def _title(self, counts: np.ndarray[Any, np.dtype[np.float64]], order: list[int]) -> str:
        """Which cells are fullest, and what share of all people they have."""
        whole = float(counts.sum())
        if not whole:
            return "Nobody was counted at the last time"
        two = order[:2]
        names = " and ".join(self._cells.labels[cell][:24] for cell in two)
        return f"{names} {'are' if len(two) > 1 else 'is'} fullest: {percent(float(counts[two].sum()) / whole)} of all people"

    def _change(self, cell: int) -> str:
        """Whether a cell clearly has more or fewer people than a while ago: by more than what both times may be off."""
        place = int(self._last["place"])
        now, before = self._of(place, "counts", cell), self._of(self._back, "counts", cell)
        if now is None or before is None:
            return "unknown"
        spreads = [self._of(each, "deviation", cell) for each in (place, self._back)]
        if any(each is None for each in spreads):
            return _signed(now - before)
        may = NORMAL_95 * sqrt(sum(each * each for each in spreads if each is not None))
        return f"{_signed(now - before)}, clearly" if abs(now - before) > may else "no clear change"

    def _over_time(self) -> Picture:
        totals = [self._total(place) for place in self._places]
        known = [(total, place) for total, place in zip(totals, self._places, strict=True) if total is not None]
        most, when = max(known)
        ticks = [number for number, place in enumerate(self._places) if (row := self._row(place)) is not None and row["measured"]]
        gaps = len(totals) - len(known)
        missing = f" {gaps} times are missing, and left out." if gaps else ""
        return line_plot(
            f"Most people were there at {self._name(when)}: about {most:,.0f}",
            [Line(name="released", values=totals)],
            x=Axis(label="time", names=interval_names(self._grid, self._places)),
            y=Axis(label="people in all cells"),
            about=f"People in all cells, as released. Orange ticks: measured.{missing}",
            ticks=[] if len(ticks) == len(known) else ticks,
        )


def _signed(change: float) -> str:
    return f"{change:+,.0f}".replace("-", "\N{MINUS SIGN}")


def _likely(count: float, spread: float | None) -> str:
    return "not known" if spread is None else f"{max(count - 2 * spread, 0):,.0f} to {count + 2 * spread:,.0f}"


def _held(path: Path, *, cells: int) -> list[dict[str, Any]]:
    """What a page shows; nothing if there is none, or if it is no page of ours."""
    try:
        rows: Any = parsed(
            read_text(path, what="the page").partition(_OPENING)[2].partition(_CLOSING)[0].encode(), what="the page"
        )
    except InputError:
        return []
    return rows if isinstance(rows, list) and all(_is_shown(row, cells) for row in rows) else []


def _is_shown(row: Any, cells: int) -> bool:  # noqa: ANN401 - JSON
    """Whether something is a timestamp as a page holds it."""

    def numbers(name: str) -> bool:
        held = row.get(name)
        return isinstance(held, list) and len(held) == cells and all(isinstance(each, int | float) for each in held)

    is_timestamp = isinstance(row, dict) and type(row.get("place")) is int and isinstance(row.get("measured"), bool)
    errors = ("means", "low", "high", "deviation")
    return is_timestamp and numbers("counts") and all(row.get(name) is None or numbers(name) for name in errors)
