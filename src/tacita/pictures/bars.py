"""Horizontal bars in groups, with their values as text, error bars and marks for what is allowed; stops along a line as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.pictures import svg
from tacita.pictures.picture import WIDTH, Picture
from tacita.pictures.scales import Scale, nice_top
from tacita.pictures.style import SERIES
from tacita.pictures.tables import Table, shown

__all__ = ["Bars", "bar_plot"]

BAR, GAP, LEGEND, FOOT, VALUE = 15, 9, 22, 24, 62
LONGEST_NAME = 34


@dataclass(frozen=True, kw_only=True)
class Bars:
    """One value per group (None where there is none), how far off it may be, and the most that is allowed, where known."""

    name: str
    values: Sequence[float | None]
    errors: Sequence[float | None] | None = None
    bounds: Sequence[float | None] | None = None


def bar_plot(  # noqa: PLR0913 - the parts of a picture
    title: str,
    groups: Sequence[str],
    series: Sequence[Bars],
    *,
    unit: str,
    about: str = "",
    percent: bool = False,
    as_line: bool = False,
) -> Picture:
    """A picture of one bar per series in each group; `as_line` draws the groups as stops along a line.

    With `percent`, values are shares and the axis ends at 100 % or above.
    """
    longest = min(max((len(name) for name in groups), default=4), LONGEST_NAME)
    left = svg.CHARACTER * longest + 24 + (18 if as_line else 0)
    scale = Scale(low=min(0.0, _least(series)), high=_most(series, percent=percent), start=left, end=WIDTH - VALUE)
    y, parts = float(LEGEND if len(series) > 1 else 6), []
    middles = []
    for place, group in enumerate(groups):
        there = [(number, each) for number, each in enumerate(series) if each.values[place] is not None]
        tall = BAR * max(len(there), 1)
        middles.append(y + tall / 2)
        parts.append(svg.text(left - (26 if as_line else 8), y + tall / 2 + 4, svg.clipped(group, LONGEST_NAME), anchor="end"))
        for row, (number, each) in enumerate(there):
            parts.append(_bar(each, number % SERIES, place, y + BAR * row, scale, percent=percent))
        y += tall + GAP
    grid = [_tick(value, scale, (LEGEND - 6 if len(series) > 1 else 2, y), percent=percent) for value in scale.ticks()]
    track = [svg.rule(left - 12, middles[0], left - 12, middles[-1], class_="track")] if as_line and middles else []
    stops = [svg.element("circle", class_="stop", cx=left - 12, cy=middle, r=5) for middle in middles] if as_line else []
    foot = svg.text((left + WIDTH - VALUE) / 2, y + FOOT + 4, unit, anchor="middle")
    return Picture(
        title=title,
        about=about
        or f"{unit[:1].upper()}{unit[1:]}{': ' + ', '.join(each.name for each in series) if len(series) > 1 else ''}.",
        drawing="".join([*grid, *parts, *track, *stops, *(_legend(series) if len(series) > 1 else []), foot]),
        height=y + FOOT + 10,
        tables=(_table(title, groups, series),),
    )


def _most(series: Sequence[Bars], *, percent: bool) -> float:
    ends = [0.0]
    for each in series:
        errors = [None] * len(each.values) if each.errors is None else each.errors
        ends += [value + (error or 0.0) for value, error in zip(each.values, errors, strict=True) if value is not None]
        ends += [bound for bound in each.bounds or () if bound is not None and (not percent or bound <= 1)]
    return max(1.0, *ends) if percent else nice_top(max(ends))


def _least(series: Sequence[Bars]) -> float:
    least = min((value for each in series for value in each.values if value is not None), default=0.0)
    return -nice_top(-least) if least < 0 else 0.0


def _words(value: float, *, percent: bool) -> str:
    return f"{value:.1%}".replace("%", " %") if percent else shown(value)


def _bar(each: Bars, series: int, place: int, y: float, scale: Scale, *, percent: bool) -> str:
    value = float(each.values[place] or 0.0)
    zero, end = scale.at(0.0), scale.at(value)
    parts = [svg.rect(min(zero, end), y + 1, abs(end - zero), BAR - 3, class_=f"f{series}")]
    reach = max(zero, end)
    error = None if each.errors is None else each.errors[place]
    if error is not None:
        low, high, middle = scale.at(value - error), scale.at(value + error), y + BAR / 2 - 0.5
        parts.append(svg.path(f"M{low:.1f} {middle:.1f}H{high:.1f}m0 -4v8M{low:.1f} {middle - 4:.1f}v8", class_="error"))
        reach = max(reach, high)
    bound = None if each.bounds is None else each.bounds[place]
    if bound is not None and scale.low <= bound <= scale.high:
        at = scale.at(bound)
        parts.append(svg.rule(at, y - 1, at, y + BAR - 1, class_="bound"))
        reach = max(reach, at) if at - reach < VALUE else reach
    shown_value = _words(each.values[place] or 0, percent=percent)
    parts.append(svg.text(reach + 5, y + BAR - 4, shown_value, class_="tick"))
    return "".join(parts)


def _tick(value: float, scale: Scale, ends: tuple[float, float], *, percent: bool) -> str:
    at, (top, bottom) = scale.at(value), ends
    label = f"{value * 100:.4g} %" if percent else shown(int(value) if float(value).is_integer() else value)
    return svg.rule(at, top, at, bottom - 4, class_="grid") + svg.text(at, bottom + 9, label, anchor="middle", class_="tick")


def _legend(series: Sequence[Bars]) -> list[str]:
    parts, at = [], 4.0
    for number, each in enumerate(series):
        parts.append(svg.rect(at, 2, 12, 11, class_=f"f{number % SERIES}"))
        parts.append(svg.text(at + 18, 12, each.name))
        at += 40 + svg.CHARACTER * len(each.name)
    return parts


def _table(title: str, groups: Sequence[str], series: Sequence[Bars]) -> Table:
    columns, sides = [""], []
    for each in series:
        for name, values in ((each.name, each.values), (f"{each.name}, ±", each.errors), (f"{each.name}, at most", each.bounds)):
            if values is not None:
                columns.append(name)
                sides.append(list(values))
    return Table(caption=title, columns=tuple(columns), rows=tuple(zip(groups, *sides, strict=True)))
