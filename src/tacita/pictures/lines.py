"""Lines over numbers or named steps, with bands and intervals, on linear or log scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tacita.pictures import svg
from tacita.pictures.picture import Cell, Picture, Table, drawn_twice, shown
from tacita.pictures.svg import Scale, nice_top, series_class

__all__ = ["Axis", "Line", "line_plot"]

HEIGHT, LEFT, RIGHT, BOTTOM, LEGEND = 300, 64, 16, 46, 20
MOST_DOTS = 40
LEAST_LEFT = 2
"""Names below an axis begin no further left than here."""


REACH = 4
"""The axis of values is at most this many times as long as the largest value needs, however far intervals reach."""

Ends = Sequence[tuple[float, float] | None]


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What an axis shows; `names` stand at the steps 0, 1, ... instead of numbers."""

    label: str
    logarithmic: bool = False
    names: Sequence[str] | None = None
    percent: bool = False


@dataclass(frozen=True, kw_only=True)
class Line:
    """Values at `xs` (at 0, 1, ... if there are none), and how far off each may be, where that is known (None elsewhere).

    A value of None is a gap: nothing is drawn there. A `band` is around the values; `intervals` have ends of their own, and need
    not hold the values. Intervals that would make the values small are cut at the upper edge; the table has them whole. A
    baseline is what one would have without any effort, such as an answer of zero; it is grey and dotted.
    """

    name: str
    values: Sequence[float | None]
    xs: Sequence[float] | None = None
    band: Sequence[float | None] | None = None
    intervals: Ends | None = None
    is_baseline: bool = False

    @property
    def places(self) -> Sequence[float]:
        """Where the values are."""
        return range(len(self.values)) if self.xs is None else self.xs


def line_plot(  # noqa: PLR0913 - the parts of a picture
    title: str,
    lines: Sequence[Line],
    *,
    x: Axis,
    y: Axis,
    about: str = "",
    marks: Sequence[float] = (),
    ticks: Sequence[float] = (),
    is_half: bool = False,
) -> Picture:
    """A picture of some lines; dashed vertical `marks` stand at some places, `ticks` below, such as where it was measured."""

    def draw(width: float) -> tuple[str, float]:
        legend = _legend(lines, width)
        top = 12 + LEGEND * (legend[1] if len(lines) > 1 else 0)
        x_scale, y_scale = _scales(lines, x, y, top, width)
        parts = [_axes(x, y, x_scale, y_scale, top, width)]
        parts += [svg.rule(x_scale.at(mark), top, x_scale.at(mark), HEIGHT - BOTTOM, class_="mark") for mark in marks]
        parts += [svg.rect(x_scale.at(tick) - 1, HEIGHT - BOTTOM - 7, 2, 7, class_="facc") for tick in ticks]
        for place, line in enumerate(lines):
            parts.append(_drawn(line, series_class(place, line.name, is_baseline=line.is_baseline), x_scale, y_scale))
        return "".join([*parts, *(legend[0] if len(lines) > 1 else [])]), HEIGHT

    words = about or f"{y.label[:1].upper()}{y.label[1:]} by {x.label}: {', '.join(line.name for line in lines)}."
    return drawn_twice(title, draw, (_table(title, lines, x),), about=words, is_half=is_half)


def _scales(lines: Sequence[Line], x: Axis, y: Axis, top: float, width: float) -> tuple[Scale, Scale]:
    places = [float(place) for line in lines for place in line.places]
    values = [float(value) for line in lines for value in line.values if value is not None]
    ends = [high for line in lines for run in _runs(_around(line), line.places) for _, _, high in run]
    tops = [high for line in lines for run in _runs(line.intervals, line.places) for _, _, high in run]
    most, reach = max([*values, *ends], default=0.0), max(tops, default=0.0)
    ends.append(min(reach, REACH * most) if most > 0 else reach)
    bottom = HEIGHT - BOTTOM
    if y.logarithmic:
        above = [value for value in values if value > 0] or [1.0]
        y_scale = Scale(low=min(above), high=max(*above, min(above) * 10), start=bottom, end=top, logarithmic=True)
    else:
        low = min([0.0, *values])
        y_scale = Scale(
            low=-nice_top(-low) if low < 0 else 0.0, high=nice_top(max([*values, *ends], default=1.0)), start=bottom, end=top
        )
    first, last = min(places, default=0.0), max(places, default=1.0)
    if x.logarithmic:
        first = max(first, 1e-9)
        last = max(last, first * 10)
    x_scale = Scale(low=first, high=last, start=LEFT + 6, end=width - RIGHT - 6, logarithmic=x.logarithmic)
    return x_scale, y_scale


def _axes(x: Axis, y: Axis, x_scale: Scale, y_scale: Scale, top: float, width: float) -> str:
    bottom, right = HEIGHT - BOTTOM, width - RIGHT
    parts = []
    for value in y_scale.ticks():
        at = y_scale.at(value)
        parts.append(svg.rule(LEFT, at, right, at, class_="grid"))
        parts.append(svg.text(LEFT - 6, at + 4, _tick(value, y), anchor="end", class_="tick"))
    for value, name in _x_ticks(x, x_scale, width):
        at = x_scale.at(value)
        parts.append(svg.rule(at, bottom, at, bottom + 5, class_="axis"))
        half = svg.CHARACTER * len(name) / 2
        anchor = "end" if at + half > width else "start" if at - half < LEAST_LEFT else "middle"
        parts.append(svg.text(at, bottom + 18, name, anchor=anchor, class_="tick"))
    parts.append(svg.rule(LEFT, bottom, right, bottom, class_="axis"))
    parts.append(svg.text((LEFT + right) / 2, HEIGHT - 8, x.label, anchor="middle"))
    parts.append(svg.text(13, (top + bottom) / 2, y.label, anchor="middle", turned=True))
    return "".join(parts)


def _x_ticks(x: Axis, scale: Scale, width: float) -> list[tuple[float, str]]:
    if x.names is None:
        return [(value, _tick(value, x)) for value in scale.ticks()]
    longest = max((len(name) for name in x.names), default=1)
    begins_inside = svg.CHARACTER * longest / 2 > LEFT + 6 - LEAST_LEFT  # then the first name is to the right of its tick
    wide = svg.CHARACTER * (1.5 * longest + 1 if begins_inside else longest + 2)
    fitting = max(2, int((width - LEFT - RIGHT) / wide))
    step = max(1, -(-len(x.names) // fitting))
    return [(float(place), x.names[place]) for place in range(0, len(x.names), step)]


def _tick(value: float, axis: Axis) -> str:
    if axis.percent:
        return f"{value * 100:.4g} %"
    if abs(value) < 100_000:
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value / 1e6:,.4g} M" if abs(value) >= 1_000_000 else f"{value / 1000:,.4g} k"


def _drawn(line: Line, series: str, x_scale: Scale, y_scale: Scale) -> str:
    places = [x_scale.at(float(place)) for place in line.places]
    heights = [None if value is None else y_scale.at(float(value)) for value in line.values]
    parts = []
    for together in [*_runs(line.intervals, places), *_runs(_around(line), places)]:
        upper = [(place, y_scale.at(high)) for place, _, high in together]
        lower = [(place, y_scale.at(low)) for place, low, _ in reversed(together)]
        if len(together) > 1:
            parts.append(svg.polyline([*upper, *lower], class_=f"b{series}", closed=True))
        else:
            parts.append(svg.polyline([*upper, *lower], class_=f"e{series}"))
    drawn = list(zip(places, heights, strict=True))
    for is_known, run in groupby(drawn, key=lambda point: point[1] is not None):
        if is_known:
            parts.append(svg.polyline([(x, y) for x, y in run if y is not None], class_=f"l{series}"))
    points = [(x, y) for x, y in drawn if y is not None]
    if len(drawn) <= MOST_DOTS and not line.is_baseline:
        parts += [svg.element("circle", class_=f"d{series}", cx=x, cy=y, r=2.6) for x, y in points]
    return "".join(parts)


def _around(line: Line) -> Ends | None:
    """The ends of the band of a line."""
    if line.band is None:
        return None
    points = zip(line.values, line.band, strict=True)
    return [None if spread is None or value is None else (value - spread, value + spread) for value, spread in points]


def _runs(ends: Ends | None, places: Sequence[float]) -> list[list[tuple[float, float, float]]]:
    """Place and ends of the points that have them; those next to each other are together."""
    points = zip(places, ends or [None] * len(places), strict=True)
    runs = (list(run) for is_known, run in groupby(points, key=lambda point: point[1] is not None) if is_known)
    return [[(place, *each) for place, each in run if each is not None] for run in runs]


def _legend(lines: Sequence[Line], width: float) -> tuple[list[str], int]:
    """A line and a name each, in as many rows as are needed."""
    parts, at, row = [], float(LEFT), 0
    for place, line in enumerate(lines):
        wide = 34 + svg.CHARACTER * len(line.name) + 14
        if at + wide > width and at > LEFT:
            at, row = float(LEFT), row + 1
        y = 12 + LEGEND * row
        parts.append(
            svg.rule(at, y - 4, at + 26, y - 4, class_=f"l{series_class(place, line.name, is_baseline=line.is_baseline)}")
        )
        parts.append(svg.text(at + 32, y, line.name))
        at += wide
    return parts, row + 1


def _table(title: str, lines: Sequence[Line], x: Axis) -> Table:
    """One row per place if all lines have the same places, else one row per point."""
    if lines and all(list(line.places) == list(lines[0].places) for line in lines):
        columns, names = [x.label], [_place(place, x) for place in lines[0].places]
        sides: list[Sequence[Cell]] = []
        for line in lines:
            columns.append(line.name)
            sides.append(list(line.values))
            if line.intervals is not None:
                columns += [f"{line.name}, from", f"{line.name}, to"]
                sides += [[None if ends is None else ends[side] for ends in line.intervals] for side in (0, 1)]
            if line.band is not None:
                columns.append(f"{line.name}, ±")
                sides.append(list(line.band))
        return Table(caption=title, columns=tuple(columns), rows=tuple(zip(names, *sides, strict=True)))
    rows = [(line.name, _place(place, x), value) for line in lines for place, value in zip(line.places, line.values, strict=True)]
    return Table(caption=title, columns=("line", x.label, "value"), rows=tuple(rows))


def _place(place: float, x: Axis) -> Cell:
    if x.names is not None:
        return x.names[int(place)]
    return int(place) if float(place).is_integer() else shown(place)
