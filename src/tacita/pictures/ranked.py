"""Rows with a bar or a line: values beside a mark, what floors have, histograms, small multiples, areas over time, and people.

Bars are what was released, marks are what is raw. A grade stands beside a figure as an icon, a word or a number, never as a
colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tacita.pictures import svg
from tacita.pictures.picture import Cell, Pane, Picture, Table, drawn_twice
from tacita.pictures.svg import Scale, nice_top

__all__ = ["Area", "Multiple", "Row", "areas_plot", "columns_plot", "icon", "multiples", "people_grid", "rows_plot"]

ICONS = {
    "good": "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm-1 10.3L3.9 8.2l1.2-1.2L7 8.9l4-4 1.2 1.2z",
    "care": "M8 1.3 15.3 14.5H.7zM7.2 6v4.3h1.6V6zm0 5.3v1.7h1.6v-1.7z",
    "bad": (
        "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1z"
        "m3.3 9.1-1.2 1.2L8 9.2l-2.1 2.1-1.2-1.2L6.8 8 4.7 5.9l1.2-1.2L8 6.8l2.1-2.1 1.2 1.2L9.2 8z"
    ),
}
STEP = 26.0
SMALL = 500
"""Narrower drawings put a name above its bar."""


def icon(grade: str) -> str:
    """The icon of a grade, for a page."""
    drawn = f'<path fill="currentColor" fill-rule="evenodd" d="{ICONS[grade]}"/>'
    return f'<svg class="ico" viewBox="0 0 16 16" aria-hidden="true">{drawn}</svg>'


def _badge(x: float, y: float, grade: str, words: str) -> str:
    """A grade with its words, in a drawing."""
    wide = 30 + 7.2 * len(words)
    drawn = f'<path class="w{grade}" fill-rule="evenodd" d="{ICONS[grade]}"/>'
    mark = f'<g transform="translate({x + 7:.1f} {y + 4:.1f}) scale(.85)">{drawn}</g>'
    box = svg.element("rect", class_=f"g{grade}", x=x, y=y, width=wide, height=22, rx=11)
    return box + mark + svg.text(x + 25, y + 15.5, words, class_=f"w{grade}")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A value with its name, what it is beside (a mark), how it is written, and its grade or class."""

    name: str
    value: float
    mark: float | None = None
    words: str
    class_: str = "frel"
    cells: tuple[Cell, ...] = ()
    """What stands in the table behind the picture."""
    error: float | None = None


def rows_plot(  # noqa: PLR0913 - the parts of a picture
    title: str,
    rows: Sequence[Row],
    *,
    about: str,
    columns: tuple[str, ...],
    limit: float | None = None,
    is_half: bool = False,
    key: str = "",
) -> Picture:
    """One row per value; `limit` is a mark at the same place in each, such as where care begins."""
    top = (
        max([each.value + (each.error or 0) for each in rows] + [each.mark or 0 for each in rows] + [limit or 0], default=1.0)
        or 1.0
    )

    def draw(width: float) -> tuple[str, float]:
        small = width < SMALL
        longest = max((len(each.name) for each in rows), default=4)
        end = 7.4 * max((len(each.words) for each in rows), default=4) + 14
        left = 0.0 if small else min(7.4 * longest + 14, width * 0.42)
        scale = Scale(low=0.0, high=top, start=left, end=width - end)
        step, parts = (38.0 if small else STEP), []
        for number, each in enumerate(rows):
            y = number * step + (18 if small else 2)
            name = svg.clipped(each.name, int(width / 7.4) if small else int(left / 7.4))
            parts.append(svg.text(0, y - 4 if small else y + 14, name))
            parts.append(svg.rect(left, y + 1, width - end - left, 16, class_="room"))
            parts.append(svg.rect(left, y + 1, scale.at(max(each.value, 0)) - left, 16, class_=each.class_))
            if each.error:
                low, high = scale.at(max(each.value - each.error, 0)), scale.at(each.value + each.error)
                parts.append(svg.path(f"M{low:.1f} {y + 9}H{high:.1f}m0 -5v10", class_="error"))
            if each.mark is not None:
                parts.append(svg.rect(scale.at(each.mark) - 1, y - 2, 2.4, 22, class_="inked"))
            if limit is not None:
                parts.append(svg.rule(scale.at(limit), y - 2, scale.at(limit), y + 20, class_="mark"))
            parts.append(svg.text(width - end + 8, y + 14, each.words))
        return "".join(parts), max(len(rows) * step, 10) + 4

    table = Table(caption=title, columns=columns, rows=tuple((each.name, *each.cells) for each in rows))
    return drawn_twice(title, draw, [table], about=about, is_half=is_half, key=key)


SIDES = '<div class="key"><span><i class="bg-raw"></i>raw (stays here)</span><span><i class="bg-rel"></i>released</span></div>'
MARKS = '<div class="key"><span><i class="bg-rel"></i>released</span><span><i class="bg-mark"></i>raw (stays here)</span></div>'


def columns_plot(
    title: str, names: Sequence[str], sides: Mapping[str, Sequence[float]], *, x: str, about: str, is_half: bool = True
) -> Picture:
    """Standing bars of shares, raw ones hollow beside released ones."""
    top = nice_top(max((value for values in sides.values() for value in values), default=1.0))

    def draw(width: float) -> tuple[str, float]:
        height, left = 200.0, 42.0
        scale = Scale(low=0.0, high=top, start=height, end=10)
        parts = []
        for tick in scale.ticks():
            parts.append(svg.rule(left, scale.at(tick), width, scale.at(tick), class_="grid"))
            parts.append(svg.text(left - 6, scale.at(tick) + 4, f"{100 * tick:.3g} %", anchor="end", class_="t"))
        wide = (width - left - 4) / max(len(names), 1)
        each_wide = wide * 0.8 / max(len(sides), 1)
        longest = max((len(name) for name in names), default=1)
        every = max(1, -(-int(6.6 * longest + 6) // max(int(wide), 1)))
        for place, name in enumerate(names):
            for number, (side, values) in enumerate(sides.items()):
                x_at = left + 4 + place * wide + number * each_wide
                parts.append(
                    svg.rect(
                        x_at,
                        scale.at(values[place]),
                        each_wide * 0.95,
                        height - scale.at(values[place]),
                        class_=f"f{svg.series_class(number, side)}",
                    )
                )
            if place % every == 0:
                parts.append(svg.text(left + 4 + (place + 0.4) * wide, height + 16, name, anchor="middle", class_="t"))
        parts.append(svg.text((left + width) / 2, height + 34, x, anchor="middle", class_="t"))
        return "".join(parts), height + 40

    table = Table(caption=title, columns=(x, *sides), rows=tuple(zip(names, *sides.values(), strict=True)))
    return drawn_twice(title, draw, [table], about=about, is_half=is_half, key=SIDES if len(sides) > 1 else "")


# Small multiples.


@dataclass(frozen=True, kw_only=True)
class Multiple:
    """One column of a table: shares of its values or parts on each side, what the first and the last is, and its grade."""

    name: str
    names: Sequence[str]
    sides: Mapping[str, Sequence[float]]
    ends: tuple[str, str]
    grade: str = ""
    words: str = ""


def multiples(title: str, columns: Sequence[Multiple], *, about: str) -> Picture:
    """A small histogram of each column: bars are released, marks are raw."""
    panes = []
    for each in columns:
        released = list(each.sides.values())[-1]
        raw = each.sides.get("raw")
        top = max([*released, *(raw or [])], default=1.0) or 1.0
        wide = 196 / max(len(released), 1)
        parts = [svg.rule(2, 72, 198, 72, class_="axis")]
        for place, value in enumerate(released):
            tall = 66 * value / top
            parts.append(svg.rect(2 + place * wide + 0.6, 72 - tall, max(wide - 1.2, 0.8), tall, class_="fpale"))
            if raw is not None:
                at = 72 - 66 * raw[place] / top
                parts.append(svg.rule(2 + place * wide, at, 2 + (place + 1) * wide, at, class_="ink"))
        if len(each.names) <= 6 and sum(map(len, each.names)) <= 26:
            parts += [
                svg.text(2 + (place + 0.5) * wide, 87, name, anchor="middle", class_="t") for place, name in enumerate(each.names)
            ]
        else:
            parts.append(svg.text(2, 87, svg.clipped(each.ends[0], 15), class_="t"))
            parts.append(svg.text(198, 87, svg.clipped(each.ends[1], 15), anchor="end", class_="t"))
        panes.append(Pane(name=each.name, drawing="".join(parts), height=92, width=200, grade=each.grade, words=each.words))
    rows: list[tuple[Cell, ...]] = [
        (each.name, name, *(values[place] for values in each.sides.values()))
        for each in columns
        for place, name in enumerate(each.names)
    ]
    sides = tuple(columns[0].sides) if columns else ()
    table = Table(caption=title, columns=("column", "value", *sides), rows=tuple(rows))
    placed = []
    for at, pane in enumerate(panes):
        where = f"translate({220 * (at % 5)} {130 * (at // 5) + 18})"
        placed.append(f'<g transform="{where}">{svg.text(2, -4, pane.name)}{pane.drawing}</g>')
    return Picture(
        title=title,
        about=about,
        drawing="".join(placed),
        height=130 * -(-max(len(panes), 1) // 5),
        panes=tuple(panes),
        layout="minis",
        tables=(table,),
        key=MARKS if len(sides) > 1 else "",
    )


# Areas over time.


@dataclass(frozen=True, kw_only=True)
class Area:
    """One area: its counts on each side, how far off each may be, and its grade."""

    name: str
    sides: Mapping[str, Sequence[float | None]]
    """None is a gap."""
    band: Sequence[float | None] | None = None
    grade: str = ""
    words: str = ""
    cells: tuple[str, ...] = ()
    value: float | None = None
    """What a bar shows, such as how many are there now, and how far off that may be."""
    spread: float | None = None


def areas_plot(title: str, areas: Sequence[Area], *, columns: tuple[str, ...], about: str, times: tuple[str, str]) -> Picture:
    """One row per area: a bar if it has a value, a line over time for each side, some figures, and a grade.

    All lines have the same scale of time, all bars the same scale.
    """
    has_bars, has_grades = any(each.value is not None for each in areas), any(each.grade for each in areas)
    top = max([(each.value or 0.0) + (each.spread or 0.0) for each in areas], default=1.0) or 1.0
    span = f"{times[0]} to {times[1]}"

    def wide(width: float) -> tuple[str, float]:
        bar, line, name = (230.0 if has_bars else 0.0), (200.0 if has_bars else 330.0), 170.0
        begin = name + bar + (20 if has_bars else 0)
        room = (width - begin - line - (100 if has_grades else 0)) / max(len(columns), 1)
        ends = [begin + line + room * (number + 1) for number in range(len(columns))]
        parts = [svg.text(0, 12, "area", class_="t"), svg.text(begin, 12, span, class_="t")]
        parts += [svg.text(end, 12, words, anchor="end", class_="t") for end, words in zip(ends, columns, strict=True)]
        for number, each in enumerate(areas):
            y = number * 38.0 + 20
            parts.append(svg.text(0, y + 20, svg.clipped(each.name, 22)))
            parts.append(_bar(each, Scale(low=0, high=top, start=name, end=name + bar), y + 7) if each.value is not None else "")
            parts.append(_spark(each, begin, y + 2, line - 8, 28))
            parts += [svg.text(end, y + 20, words, anchor="end") for end, words in zip(ends, each.cells, strict=False)]
            parts.append(_badge(width - 88, y + 4, each.grade, each.words) if each.grade else "")
            parts.append(svg.rule(0, y + 35, width, y + 35, class_="grid"))
        return "".join(parts), len(areas) * 38.0 + 22

    def small(width: float) -> tuple[str, float]:
        step = 96.0 if has_bars else 80.0
        parts = []
        for number, each in enumerate(areas):
            y = number * step
            parts.append(svg.text(0, y + 14, svg.clipped(each.name, 20)))
            if each.grade:
                parts.append(_badge(width - 88, y, each.grade, each.words))
            else:
                shown = each.cells[:2] if len(each.cells) > 2 else each.cells[:1]
                parts.append(svg.text(width, y + 14, "  ·  ".join(shown), anchor="end"))
            if each.value is not None:
                parts.append(_bar(each, Scale(low=0, high=top, start=0, end=width), y + 22))
            parts.append(_spark(each, 2, y + (42 if has_bars else 24), width - 4, 40))
            parts.append(svg.rule(0, y + step - 5, width, y + step - 5, class_="grid"))
        return "".join(parts), len(areas) * step

    graded = ["error"] if has_grades else []
    rows = tuple((each.name, *each.cells, *([each.words] if has_grades else [])) for each in areas)
    table = Table(caption=title, columns=("area", *columns, *graded), rows=rows)
    return drawn_twice(title, lambda width: small(width) if width < SMALL else wide(width), [table], about=about)


def _bar(area: Area, scale: Scale, y: float) -> str:
    """The value of an area as a bar with its whisker."""
    value, spread = area.value or 0.0, area.spread
    parts = [svg.rect(scale.start, y, scale.end - scale.start, 14, class_="room")]
    parts.append(svg.rect(scale.start, y, scale.at(value) - scale.start, 14, class_="frel"))
    if spread is not None:
        low, high = scale.at(max(value - spread, 0.0)), scale.at(value + spread)
        parts.append(svg.rect(low - 1, y + 5, high - low + 2, 4, class_="halo"))
        parts.append(svg.path(f"M{low:.1f} {y + 7:.1f}H{high:.1f}m0 -5v10M{low:.1f} {y + 2:.1f}v10", class_="error"))
    return "".join(parts)


def _spark(area: Area, x: float, y: float, wide: float, tall: float) -> str:
    values = [value for side in area.sides.values() for value in side if value is not None]
    released = list(area.sides.values())[-1]
    top = max(values, default=1.0) or 1.0
    across = Scale(low=0, high=max(len(released) - 1, 1), start=x, end=x + wide)
    up = Scale(low=0, high=top, start=y + tall, end=y + 2)
    parts = []
    spreads = [None] * len(released) if area.band is None else area.band
    known = [(place, *each) for place, each in enumerate(zip(released, spreads, strict=True))]
    for is_known, run in groupby(known, key=lambda each: each[1] is not None and each[2] is not None):
        around = [(across.at(place), value or 0.0, spread or 0.0) for place, value, spread in run]
        if is_known and len(around) > 1:
            upper = [(at, up.at(value + spread)) for at, value, spread in around]
            lower = [(at, up.at(value - spread)) for at, value, spread in reversed(around)]
            parts.append(svg.polyline([*upper, *lower], class_="brel", closed=True))
    for name, side in area.sides.items():
        points = [(across.at(place), None if value is None else up.at(value)) for place, value in enumerate(side)]
        for is_drawn, line in groupby(points, key=lambda point: point[1] is not None):
            if is_drawn:
                parts.append(svg.polyline([(at, y) for at, y in line if y is not None], class_=f"l{svg.series_class(0, name)}"))
    return "".join(parts)


# A hundred people.


def people_grid(right: int, more: int) -> str:
    """A hundred guesses: those that are right anyway, those that are right with the release at most, and those still wrong."""
    parts = []
    for place in range(100):
        x, y = 4 + 23 * (place % 10), 3 + 23 * (place // 10)
        class_ = "anyway" if place < right else "added" if place < right + more else "wrong"
        parts.append(f'<use href="#person" class="{class_}" transform="translate({x} {y}) scale(1.05)"/>')
    words = f"Of 100 guesses, {right} are right without the release, at most {right + more} with it"
    person = '<defs><g id="person"><circle cx="8" cy="5" r="3"/><path d="M2.5 14c.6-3.4 2.7-5 5.5-5s4.9 1.6 5.5 5z"/></g></defs>'
    return f'<svg viewBox="0 0 234 236" role="img" aria-label="{words}">{person}{"".join(parts)}</svg>'
