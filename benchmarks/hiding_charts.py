"""Small line charts in SVG, side by side: text is text, dashes and markers survive grey printing, light and dark are followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import isnan, log10

__all__ = ["Panel", "chart"]

WIDE, TALL, GAP, LEFT, TOP = 190, 150, 34, 62, 76
LOOKS = (("#d55e00", "", "circle"), ("#cc79a7", "2 3", "square"), ("#009e73", "7 3", "triangle"), ("#0072b2", "", "diamond"))
STYLE = (
    "<style>svg { font: 12px system-ui, sans-serif; color: #1b1b1b } @media (prefers-color-scheme: dark) { svg { color: #eee } } "
    "text { fill: currentColor } .axis { stroke: currentColor } .grid { stroke: currentColor; opacity: .18 } "
    ".published { fill: none; stroke: currentColor; stroke-width: 1.3 }</style>"
)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One chart: a line for each name over the same places; `published` are figures of others at some of the places."""

    title: str
    x: Sequence[str]
    lines: Mapping[str, Sequence[float]]
    published: Mapping[int, float] = field(default_factory=dict)


def chart(title: str, rows: Sequence[Sequence[Panel]], *, x_names: Sequence[str], y_name: str, ticks: Sequence[float]) -> str:
    """Rows of panels with one scale for all, logarithmic if it starts above 0; `title` says what to see."""
    width = LEFT + max(map(len, rows)) * (WIDE + GAP)
    height = TOP + len(rows) * (TALL + 66) + 4
    names = list(rows[0][0].lines)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>{STYLE}",
        f'<text x="8" y="20" font-weight="600" font-size="14">{escape(title)}</text>',
        *_legend(names, published=any(panel.published for row in rows for panel in row)),
    ]
    for level, (row, x_name) in enumerate(zip(rows, x_names, strict=True)):
        top = TOP + level * (TALL + 66)
        parts.append(f'<text transform="translate(16 {top + TALL / 2}) rotate(-90)" text-anchor="middle">{escape(y_name)}</text>')
        for place, panel in enumerate(row):
            left = LEFT + place * (WIDE + GAP)
            parts += _panel(panel, left=left, top=top, ticks=ticks, named=place == 0)
            parts.append(f'<text x="{left + WIDE / 2}" y="{top + TALL + 34}" text-anchor="middle">{escape(x_name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(names: Sequence[str], *, published: bool) -> list[str]:
    parts, x = [], LEFT
    for name, look in zip(names, LOOKS, strict=False):
        parts += [f'<path d="M{x} 40h26" {_stroke(look)}/>', _marker(look, x + 13, 40)]
        parts.append(f'<text x="{x + 32}" y="44">{escape(name)}</text>')
        x += 56 + 7 * len(name)
    if published:
        parts.append(
            f'<path class="published" d="M{x} 40l6 -6 6 6 -6 6z"/><text x="{x + 18}" y="44">prototype, best of four</text>'
        )
    return parts


def _panel(panel: Panel, *, left: float, top: float, ticks: Sequence[float], named: bool) -> list[str]:
    """The grid, the lines from left to right, and their points."""
    parts = [f'<text x="{left + WIDE / 2}" y="{top - 8}" text-anchor="middle" font-weight="600">{escape(panel.title)}</text>']
    for tick in ticks:
        y = top + TALL * (1 - _share(tick, ticks))
        parts.append(f'<line class="grid" x1="{left}" x2="{left + WIDE}" y1="{y:.1f}" y2="{y:.1f}"/>')
        if named:
            parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    step = WIDE / len(panel.x)
    for place, label in enumerate(panel.x):
        parts.append(
            f'<text x="{left + step * (place + 0.5):.1f}" y="{top + TALL + 16}" text-anchor="middle">{escape(label)}</text>'
        )
    for values, look in zip(panel.lines.values(), LOOKS, strict=False):
        points = [
            (left + step * (place + 0.5), top + TALL * (1 - _share(value, ticks)))
            for place, value in enumerate(values)
            if not isnan(value)
        ]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="M{path}" {_stroke(look)}/>' if points else "")
        parts += [_marker(look, x, y) for x, y in points]
    for place, value in panel.published.items():
        x, y = left + step * (place + 0.5), top + TALL * (1 - _share(value, ticks))
        parts.append(f'<path class="published" d="M{x - 6:.1f} {y:.1f}l6 -6 6 6 -6 6z"/>')
    parts.append(f'<line class="axis" x1="{left}" x2="{left + WIDE}" y1="{top + TALL}" y2="{top + TALL}"/>')
    return parts


def _share(value: float, ticks: Sequence[float]) -> float:
    """How far up a value is."""
    low, high = ticks[0], ticks[-1]
    if low > 0:
        return (log10(min(max(value, low), high)) - log10(low)) / (log10(high) - log10(low))
    return min(value, high) / high


def _stroke(look: tuple[str, str, str]) -> str:
    colour, dashes, _ = look
    return f'fill="none" stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")


def _marker(look: tuple[str, str, str], x: float, y: float) -> str:
    colour, _, shape = look
    drawn = {
        "circle": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>',
        "square": f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>',
        "triangle": f'<path d="M{x - 4:.1f} {y + 3:.1f}h8l-4 -7z" fill="{colour}"/>',
        "diamond": f'<path d="M{x - 4:.1f} {y:.1f}l4 -4 4 4 -4 4z" fill="{colour}"/>',
    }
    return drawn[shape]
