"""Lines over time as inline SVG, with bands around them: text as text, colours that survive grey printing, light and dark.

A line has a dash of its own as well as a colour, so that two are told apart without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

__all__ = ["Line", "line_plot"]

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 300, 64, 16, 58, 48
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 2", "12 4")
STYLE = (
    "svg{font:13px system-ui,sans-serif;color:#1b1b1b}@media (prefers-color-scheme:dark){svg{color:#eee}}"
    "text{fill:currentColor}.axis{stroke:currentColor}.grid{stroke:currentColor;opacity:.15}"
    ".line{fill:none;stroke-width:1.8}.band{opacity:.18;stroke:none}"
)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One value per step, and how far off it may be, if that is known."""

    name: str
    values: Sequence[float]
    band: Sequence[float] | None = None


def line_plot(title: str, lines: Sequence[Line], *, x_label: str, y_label: str, ticks: tuple[str, str]) -> str:
    """A picture of some lines over the same steps; `title` should say what to see, `ticks` name the first and the last step.

    >>> line_plot("a & b", [Line(name="x", values=[1, 2])], x_label="t", y_label="n", ticks=("0", "1")).count("a &amp; b")
    2
    """
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    highest = max((value + spread for line in lines for value, spread in zip(line.values, _band(line), strict=True)), default=0.0)
    lowest = min((value for line in lines for value in line.values), default=0.0)
    top, least = _nice(max(highest, 1e-9)), -_nice(-lowest) if lowest < 0 else 0.0

    def across(step: int, steps: int) -> float:
        return LEFT + wide * (step / max(steps - 1, 1))

    def down(value: float) -> float:
        return TOP + tall * (top - min(max(value, least), top)) / (top - least)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text x="{LEFT}" y="18" font-weight="600">{escape(title)}</text>',
    ]
    for quarter in range(5):
        value = least + (top - least) * quarter / 4
        y = down(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + wide}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:,.4g}</text>')
    for place, line in enumerate(lines):
        colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
        xs = [across(step, len(line.values)) for step in range(len(line.values))]
        if line.band is not None:
            upper = [(x, down(value + spread)) for x, value, spread in zip(xs, line.values, line.band, strict=True)]
            lower = [(x, down(value - spread)) for x, value, spread in zip(xs, line.values, line.band, strict=True)]
            parts.append(f'<polygon class="band" fill="{colour}" points="{_points([*upper, *reversed(lower)])}"/>')
        stroke = f'stroke="{colour}" stroke-dasharray="{dash}"' if dash else f'stroke="{colour}"'
        parts.append(f'<polyline class="line" {stroke} points="{_points([(x, down(y)) for x, y in zip(xs, line.values)])}"/>')  # noqa: B905 - of one length
        x = LEFT + wide * place / max(len(lines), 1)
        parts.append(f'<line class="line" {stroke} x1="{x:.0f}" x2="{x + 22:.0f}" y1="36" y2="36"/>')
        parts.append(f'<text x="{x + 27:.0f}" y="40">{escape(line.name)}</text>')
    parts += [
        f'<line class="axis" x1="{LEFT}" x2="{LEFT + wide}" y1="{TOP + tall}" y2="{TOP + tall}"/>',
        f'<text x="{LEFT}" y="{TOP + tall + 18}">{escape(ticks[0])}</text>',
        f'<text x="{LEFT + wide}" y="{TOP + tall + 18}" text-anchor="end">{escape(ticks[1])}</text>',
        f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>',
        f'<text transform="translate(14 {TOP + tall / 2}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _band(line: Line) -> Sequence[float]:
    return [0.0] * len(line.values) if line.band is None else line.band


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _nice(value: float) -> float:
    """The next of 1, 2, 4, 5 or 8 times a power of ten."""
    power = 10.0 ** floor(log10(value))
    return next((step * power for step in (1, 2, 4, 5, 8) if value <= step * power * 1.0000001), 10 * power)
