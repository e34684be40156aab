"""The means of drawing: elements of SVG, escaped by construction, scales from numbers to places, and the style as CSS.

Nothing enters a drawing but through the functions for elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib import resources
from math import ceil, floor, log10

__all__ = [
    "CHARACTER",
    "PAGE_STYLE",
    "PICTURE_STYLE",
    "SERIES",
    "SHADES",
    "Points",
    "Scale",
    "clipped",
    "element",
    "nice_top",
    "path",
    "polyline",
    "rect",
    "rule",
    "series_class",
    "short_cells",
    "text",
]

_CELL = re.compile(r"\brow (\d+) column (\d+)\b")

CHARACTER = 8.0
"""About how wide a character is at the size of a label, in units of the drawing; fonts differ, and this is a wide one."""

Points = Iterable[tuple[float, float]]


def element(name: str, content: str = "", **attributes: str | float | None) -> str:
    """One element around content that is already markup; `class_` is the class, `_` in other names is a dash."""
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{words}>{content}</{name}>" if content else f"<{name}{words}/>"


def text(x: float, y: float, words: str, *, anchor: str | None = None, class_: str | None = None, turned: bool = False) -> str:
    """A label; `anchor` is middle or end; turned ones read upward."""
    if turned:
        return element(
            "text", escape(words), transform=f"translate({x:.0f} {y:.0f}) rotate(-90)", text_anchor=anchor, class_=class_
        )
    return element("text", escape(words), x=x, y=y, text_anchor=anchor, class_=class_)


def rect(x: float, y: float, width: float, height: float, *, class_: str) -> str:
    """A rectangle."""
    return element("rect", class_=class_, x=x, y=y, width=max(width, 0.0), height=max(height, 0.0))


def rule(x1: float, y1: float, x2: float, y2: float, *, class_: str) -> str:
    """A straight line."""
    return element("line", class_=class_, x1=x1, y1=y1, x2=x2, y2=y2)


def polyline(points: Points, *, class_: str, closed: bool = False) -> str:
    """A line through points, or the area that they enclose."""
    return element("polygon" if closed else "polyline", class_=class_, points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))


def path(steps: str, *, class_: str) -> str:
    """Any outline, by its steps."""
    return element("path", class_=class_, d=steps)


def clipped(words: str, most: int) -> str:
    """Words that fit: shortened where they name cells, then with an ellipsis where some are cut off; tables hold them whole.

    >>> clipped("Guy-Concordia", 8), clipped("row 12 column 5", 8)
    ('Guy-Con…', 'r12 c5')
    """
    shorter = words if len(words) <= most else short_cells(words)
    return shorter if len(shorter) <= most else shorter[: most - 1] + "…"


def short_cells(words: str) -> str:
    """The same with cells of a map by the numbers of their row and column.

    >>> short_cells("row 12 column 5 to row 1 column 2")
    'r12 c5 to r1 c2'
    """
    return _CELL.sub(r"r\1 c\2", words)


def series_class(place: int, name: str, *, is_baseline: bool = False) -> str:
    """The end of the class of a series: what is raw is hollow or dashed, what is released is filled, others are numbered."""
    if is_baseline:
        return str(SERIES)
    return {"raw": "raw", "true": "raw", "before": "raw", "released": "rel", "after": "rel"}.get(name, str(place % SERIES))


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


# Scales: from numbers to places in a drawing, linear or logarithmic, with round ticks.


@dataclass(frozen=True, kw_only=True)
class Scale:
    """An axis from `low` to `high`, drawn from `start` to `end`.

    >>> Scale(low=0, high=10, start=100, end=0).at(2.5)
    75.0
    >>> Scale(low=1, high=1000, start=0, end=3, logarithmic=True).ticks()
    [1.0, 10.0, 100.0, 1000.0]
    >>> Scale(low=3, high=3, start=0, end=9).ticks()
    [3]
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where a value is drawn; one outside is drawn at the edge."""
        low, high, seen = (_seen(each, logarithmic=self.logarithmic) for each in (self.low, self.high, value))
        share = (min(max(seen, low), high) - low) / (high - low) if high > low else 0.0
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers on the axis; of an axis for a single value, that."""
        if self.high <= self.low:
            return [self.low]
        if self.logarithmic:
            low, high = floor(log10(self.low) + 1e-9), ceil(log10(self.high) - 1e-9)
            tens = [10.0**power for power in range(low, high + 1, max(1, ceil((high - low) / 6)))]
            return [ten for ten in tens if self.low * 0.999 <= ten <= self.high * 1.001]
        step = _step((self.high - self.low) / 4)
        return [step * place for place in range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]


def nice_top(value: float) -> float:
    """The next round number, so that an axis ends at one.

    >>> nice_top(7.3), nice_top(0.031), nice_top(0)
    (8.0, 0.04, 1.0)
    """
    if value <= 0:
        return 1.0
    step = _step(value / 4)
    return round(step * ceil(value / step - 1e-9), 12)


def _step(least: float) -> float:
    """The next of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(least))
    return next(size * power for size in (1, 2, 5, 10) if size * power >= least * 0.9999999)


def _seen(value: float, *, logarithmic: bool) -> float:
    return log10(max(value, 1e-300)) if logarithmic else value


# Colours and shapes of pictures and pages, as CSS.
#
# `tacita.css` is the sheet of all pages. Its tokens are at the root of a page, and below the class `tacita` in a notebook, where
# nothing else may be touched. What is raw is hollow and dashed, what is released is filled, so that the two can be distinguished
# without colours; other series differ by colour, by dash (lines) and by filling (bars).

SERIES = 6
"""How many series have a colour and a dash of their own; one more represents a baseline."""

SHADES = 7
DIFFERENCES = ("m3", "m2", "m1", "z", "p1", "p2", "p3")
"""The colours of differences: fewer is orange, more is blue."""

_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "12 4", "1 3")
_FILLS = (1.0, 0.5, 0.2, 0.75, 0.35, 0.6, 0.15)
_SHEET = resources.files("tacita.pictures").joinpath("tacita.css").read_text(encoding="utf-8")
_TOKENS = _SHEET.partition("/* base */")[0].replace(":root", ".tacita").replace("color-scheme:light dark;", "")

_DRAWINGS = (
    ".tacita text{font-size:13px}.tacita text.title{font-weight:600;font-size:15px}"
    ".tacita text.tick{fill:var(--soft);font-size:12px}.tacita text.small{font-size:10px}"
    ".tacita .paper{fill:var(--paper)}.tacita .grid{stroke:var(--line)}.tacita .axis{stroke:var(--edge)}"
    ".tacita .bound{stroke:var(--ink);stroke-width:2.5}.tacita .error{stroke:var(--ink);stroke-width:1.2}"
    ".tacita .mark{stroke:var(--ink);stroke-dasharray:4 3}.tacita .frame{fill:none;stroke:var(--edge)}"
    ".tacita .track{stroke:var(--edge);stroke-width:4}.tacita circle.stop{fill:var(--paper);stroke:var(--ink);stroke-width:2}"
    ".tacita .group{fill:var(--s6)}"
    + "".join(
        f".tacita .l{k}{{fill:none;stroke:var(--s{k});stroke-width:2;stroke-dasharray:{dash or 'none'}}}"
        f".tacita .e{k}{{fill:none;stroke:var(--s{k});stroke-opacity:.55}}"
        f".tacita .b{k}{{fill:var(--s{k});fill-opacity:.16}}.tacita .d{k}{{fill:var(--s{k})}}"
        f".tacita .f{k}{{fill:var(--s{k});fill-opacity:{fill};stroke:var(--s{k})}}"
        for k, (dash, fill) in enumerate(zip(_DASHES, _FILLS, strict=True))
    )
    + "".join(
        f".tacita .h{k}{{fill:var(--q{k})}}.tacita text.x{k}{{fill:var(--t{k})}}.tacita .v{k}{{fill:var(--{name})}}"
        for k, name in enumerate(DIFFERENCES)
    )
    + ".tacita .empty{fill:var(--empty);stroke:var(--line)}.tacita .lit{fill:none;stroke:var(--acc);stroke-width:2}"
    ".tacita .fraw{fill:var(--paper);stroke:var(--raw);stroke-width:1.4}.tacita .frel{fill:var(--rel)}"
    ".tacita .lraw{stroke:var(--raw);fill:none;stroke-width:1.8;stroke-dasharray:5 3}"
    ".tacita .lrel{stroke:var(--rel);fill:none;stroke-width:2.2}.tacita .drel{fill:var(--rel)}"
    ".tacita .draw{fill:var(--paper);stroke:var(--raw);stroke-width:1.4}.tacita .brel{fill:var(--rel);fill-opacity:.16}"
    ".tacita .erel{stroke:var(--rel);stroke-opacity:.6}.tacita .fgood{fill:var(--good)}.tacita .fgrey{fill:var(--raw)}"
    ".tacita .room{fill:var(--panel)}.tacita .facc{fill:var(--acc)}.tacita .ink{stroke:var(--ink);stroke-width:2}"
    ".tacita text.t{fill:var(--soft);font-size:11.5px}.tacita text.soft{fill:var(--soft)}.tacita text.b{font-weight:650}"
    ".tacita .fpale{fill:var(--rel);fill-opacity:.55}.tacita .inked{fill:var(--ink)}"
    ".tacita .halo{fill:var(--paper);fill-opacity:.75}.tacita text.tiny{font-size:9.5px;fill:var(--soft)}"
    ".tacita .anyway{fill:var(--raw);fill-opacity:.5;stroke:var(--raw);stroke-width:.6}.tacita .added{fill:var(--acc)}"
    ".tacita .wrong{fill:var(--paper);stroke:var(--edge);stroke-width:1}"
    + "".join(
        f".tacita .g{grade}{{fill:var(--{grade}bg)}}.tacita .w{grade},.tacita text.w{grade}{{fill:var(--{grade})}}"
        for grade in ("good", "care", "bad")
    )
)

PICTURE_STYLE = _TOKENS + (
    ".tacita{color:var(--ink);font:14px/1.4 system-ui,sans-serif}.tacita svg,svg.tacita{font-size:13px}"
    ".tacita svg{display:block;width:100%;height:auto}.tacita .only-s{display:none}.tacita text{fill:var(--ink)}"
    + _DRAWINGS
    + ".tacita figure{margin:1.6rem 0}.tacita figcaption b{display:block}.tacita figcaption span{color:var(--soft)}"
    ".tacita .scroll{overflow-x:auto}.tacita table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".tacita caption{text-align:left;white-space:nowrap;color:var(--soft);padding:.2rem 0}"
    ".tacita th,.tacita td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}"
    ".tacita th[scope=row],.tacita .t,.tacita thead th:first-child{text-align:left}.tacita th[scope=row]{font-weight:400}"
    ".tacita summary{cursor:pointer;color:var(--soft)}"
)
"""What pictures need in a notebook or in a file of their own."""

PAGE_STYLE = (
    _SHEET + _DRAWINGS + "@media print{.scroll,details .scroll{max-height:none}details:not(.large) summary{display:none}"
    "details.large::details-content{content-visibility:hidden;block-size:0}"
    "tr{break-inside:avoid}thead,caption{break-after:avoid}}"
    + "".join(f"i.h{k}{{background:var(--q{k})}}i.v{k}{{background:var(--{name})}}" for k, name in enumerate(DIFFERENCES))
)
"""The sheet of all pages, with the classes of drawings."""
