"""Horizontal bars in groups, with their values as text, error bars and marks for what is allowed; stops along a line; strips.

`bar_plot` draws any bars, `shares_by_size` and `most_frequent` draw what several kinds of data show, and `strip_plot` draws
what happened place by place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacita.pictures import svg
from tacita.pictures.lines import Axis, Line, line_plot
from tacita.pictures.picture import Cell, Picture, Table, drawn_twice, shown
from tacita.pictures.svg import SERIES, Scale, nice_top, series_class

__all__ = ["Bars", "Block", "bar_plot", "largest_places", "most_frequent", "shares_by_size", "strip_plot"]

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
    is_half: bool = False,
) -> Picture:
    """A picture of one bar per series in each group; `as_line` draws the groups as stops along a line.

    With `percent`, values are shares and the axis ends at 100 % or above.
    """
    longest = max((len(name) for name in groups), default=4)

    def draw(width: float) -> tuple[str, float]:
        most = min(LONGEST_NAME, longest, int((width / 2 - 24) / svg.CHARACTER))
        left = svg.CHARACTER * most + 24 + (18 if as_line else 0)
        scale = Scale(low=min(0.0, _least(series)), high=_most(series, percent=percent), start=left, end=width - VALUE)
        legend = _legend(series, width) if len(series) > 1 else ([], 6.0)
        y, parts, middles = legend[1], [], []
        for place, group in enumerate(groups):
            there = [(number, each) for number, each in enumerate(series) if each.values[place] is not None]
            tall = BAR * max(len(there), 1)
            middles.append(y + tall / 2)
            parts.append(svg.text(left - (26 if as_line else 8), y + tall / 2 + 4, svg.clipped(group, most), anchor="end"))
            for row, (number, each) in enumerate(there):
                class_ = series_class(number, each.name)
                parts.append(_bar(each, class_, place, y + BAR * row, scale, percent=percent))
            y += tall + GAP
        grid = [_tick(value, scale, (legend[1] - 4, y), percent=percent) for value in _fitting(scale.ticks(), width - left)]
        track = [svg.rule(left - 12, middles[0], left - 12, middles[-1], class_="track")] if as_line and middles else []
        stops = [svg.element("circle", class_="stop", cx=left - 12, cy=at, r=5) for at in middles] if as_line else []
        foot = svg.text((left + width - VALUE) / 2, y + FOOT + 4, unit, anchor="middle", class_="tick")
        return "".join([*grid, *parts, *track, *stops, *legend[0], foot]), y + FOOT + 10

    words = about or f"{unit[:1].upper()}{unit[1:]}{': ' + ', '.join(each.name for each in series) if len(series) > 1 else ''}."
    return drawn_twice(title, draw, (_table(title, groups, series),), about=words, is_half=is_half)


def _fitting(ticks: list[float], wide: float) -> list[float]:
    """As many ticks as have room for their labels."""
    return ticks if wide > 300 else ticks[::2]


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


def _bar(each: Bars, series: str, place: int, y: float, scale: Scale, *, percent: bool) -> str:
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


def _legend(series: Sequence[Bars], width: float) -> tuple[list[str], float]:
    """A square and a name each, in as many rows as are needed, and how tall they are."""
    parts, at, y = [], 4.0, 2.0
    for number, each in enumerate(series):
        wide = 40 + svg.CHARACTER * len(each.name)
        if at + wide > width and at > 4:
            at, y = 4.0, y + 20
        parts.append(svg.rect(at, y, 12, 11, class_=f"f{series_class(number, each.name)}"))
        parts.append(svg.text(at + 18, y + 10, each.name))
        at += wide
    return parts, y + LEGEND - 2


def _table(title: str, groups: Sequence[str], series: Sequence[Bars]) -> Table:
    columns, sides = [""], []
    for each in series:
        for name, values in ((each.name, each.values), (f"{each.name}, ±", each.errors), (f"{each.name}, at most", each.bounds)):
            if values is not None:
                columns.append(name)
                sides.append(list(values))
    return Table(caption=title, columns=tuple(columns), rows=tuple(zip(groups, *sides, strict=True)))


# Pictures that several kinds share: how often each size occurs, and the labels that occur most.
#
# Both take counts by side (`raw`, `released`). The last side, the release, decides what is shown, so that a page without raw
# figures and one with them show the same things.

MOST_SIZES, TOP = 40, 20


def shares_by_size(title: str, counts: Mapping[str, Sequence[int]], *, x_label: str, y_label: str, first: int = 0) -> Picture:
    """The share of each size, by side; `counts[side][n]` is how many have size n, and very large sizes are one."""
    longest = max((len(each) for each in counts.values()), default=1)
    most = min(longest - 1, MOST_SIZES)
    names = [str(size) for size in range(first, most)] + [str(most) if most == longest - 1 else f"{most} or more"]
    lines = []
    for side, each in counts.items():
        whole = max(sum(each), 1)
        sizes = [each[size] if size < len(each) else 0 for size in range(first, most)] + [sum(each[most:])]
        lines.append(Line(name=side, values=[size / whole for size in sizes]))
    return line_plot(title, lines, x=Axis(label=x_label, names=names), y=Axis(label=y_label, percent=True))


def most_frequent(
    title: str,
    labels: Sequence[str],
    counts: Mapping[str, Sequence[float]],
    *,
    unit: str,
    as_line: bool = False,
    top: int | None = TOP,
) -> Picture:
    """The labels with the largest counts of the last side, or all of them in their order, as stops of a line."""
    chosen = range(len(labels)) if as_line or top is None else largest_places(list(counts.values())[-1], top)
    series = [Bars(name=side, values=[each[place] for place in chosen]) for side, each in counts.items()]
    return bar_plot(title, [labels[place] for place in chosen], series, unit=unit, as_line=as_line)


def largest_places(values: Sequence[float], most: int) -> list[int]:
    """The places of the largest values, largest first; of equal ones the first.

    >>> largest_places([3, 9, 3, 7], 3)
    [1, 3, 0]
    """
    return sorted(range(len(values)), key=lambda place: (-values[place], place))[:most]


# Strips: one column per place, one row per side.

NAMES, ROW, FULL = 62, 48, 38.0


@dataclass(frozen=True, kw_only=True)
class Block:
    """What stands at one place: a name, and how much of it is seen; what is not `whole` is a grey stump of this height."""

    name: str
    whole: bool = True
    height: float = 1.0


def strip_plot(title: str, rows: Mapping[str, Sequence[Block | None]], *, about: str = "", first: int = 1) -> Picture:
    """A picture of some rows of blocks; None leaves a gap, `first` is the number of the first place."""
    size = max((len(row) for row in rows.values()), default=1)
    order = dict.fromkeys(block.name for row in rows.values() for block in row if block is not None and block.whole)
    series = {name: place % SERIES for place, name in enumerate(order)}

    def draw(width: float) -> tuple[str, float]:
        wide = (width - NAMES - 4) / max(size, 1)
        parts = []
        for number, (side, row) in enumerate(rows.items()):
            bottom = 8 + ROW * number + FULL
            parts.append(svg.text(0, bottom - FULL / 2 + 4, side))
            for place, block in enumerate(row):
                if block is not None:
                    tall = FULL * block.height
                    fill = f"f{series[block.name]}" if block.whole else "group"
                    parts.append(svg.rect(NAMES + place * wide, bottom - tall, max(wide * 0.9, 0.5), tall, class_=fill))
        bottom = 8 + ROW * len(rows)
        ends = ((NAMES, first, "start"), (width - 4, first + size - 1, "end"))
        parts += [svg.text(x, bottom + 10, f"place {place:,}", anchor=anchor, class_="tick") for x, place, anchor in ends]
        return "".join(parts), bottom + 16

    names: list[tuple[Cell, ...]] = [(first + place, *(_name(row, place) for row in rows.values())) for place in range(size)]
    table = Table(caption=title, columns=("place", *rows), rows=tuple(names))
    words = about or "One column per place, coloured by symbol; a group is a grey stump, the shorter the more it hides."
    return drawn_twice(title, draw, (table,), about=words)


def _name(row: Sequence[Block | None], place: int) -> str:
    block = row[place] if place < len(row) else None
    return "(nothing)" if block is None else block.name
