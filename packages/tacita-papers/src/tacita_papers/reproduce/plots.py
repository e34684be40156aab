"""Pictures of results: one panel per data set and panel of the paper, with printed figures and stated bounds drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from statistics import mean

from tacita.pictures import Axis, Bars, Picture, Table, bar_plot, line_plot
from tacita.pictures import Line as Curve
from tacita.pictures import svg as shapes
from tacita_papers.reproduce.catalogue import Chapter
from tacita_papers.reproduce.claims import Bound
from tacita_papers.reproduce.experiment import Experiment, Form, Line, Row, stands_for
from tacita_papers.reproduce.running import Outcome

__all__ = ["overview", "picture"]

COLUMNS, GAP, HEAD = 2, 28, 24
BASELINES = ("no release", "zeros")
PRODUCT = "the product's"


def picture(outcome: Outcome) -> Picture:
    """The figure of an experiment."""
    experiment = outcome.experiment
    figures = [row for row in outcome.rows if not isnan(row.value) and row.line is not Line.NOISELESS]
    keys = dict.fromkeys((row.data, row.panel) for row in figures if _is_shown(experiment, row))
    panels = {}
    for data, panel in keys:
        rows = [row for row in figures if (row.data, row.panel) == (data, panel)]
        name = ", ".join(part for part in (data, panel) if part and part != "statistics")
        panels[name] = _panel(experiment, name, rows, data, panel)
    stamp = ", quick run" if outcome.quick else ""
    return _together(f"{experiment.id} {experiment.title}: {outcome.verdict}{stamp}", panels)


def overview(outcome: Outcome, chapter: Chapter) -> Picture:
    """The picture of a chapter: its method as published, as printed and as ours, and the product's own, on one data set."""
    rows = [row for row in outcome.rows if (row.data, row.panel) == (chapter.data, chapter.panel) and not isnan(row.value)]
    published = [
        (float(point.x), point.value)
        for point in outcome.experiment.published
        if (point.data, point.series, point.panel) == (stands_for(chapter.data), chapter.series, chapter.panel)
    ]
    chosen = {
        f"{chapter.series}, published": published,
        f"{chapter.series}, as printed": _points(rows, chapter.series, Line.PRINTED),
        f"{chapter.series}, ours": _points(rows, chapter.series, Line.OURS),
        f"{chapter.product}, {PRODUCT}": _points(rows, chapter.product, Line.OURS),
    }
    baselines = {name: _points(rows, name, Line.OURS) for name in BASELINES}
    curves = [
        Curve(name=name, xs=[x for x, _ in points], values=[value for _, value in points], is_baseline=name in BASELINES)
        for name, points in (chosen | baselines).items()
        if points
    ]
    where = ", ".join(part for part in (chapter.data, chapter.panel) if part)
    experiment = outcome.experiment
    means = {name.rpartition(", ")[2]: mean(value for _, value in points) for name, points in chosen.items() if points}
    told = ", ".join(f"{chapter.product if name == PRODUCT else name} {value:.3g}" for name, value in means.items())
    return line_plot(
        f"{chapter.series}: {told} (means, {where})",
        curves,
        x=Axis(label=experiment.x_label),
        y=Axis(label=experiment.y_label),
    )


def _points(rows: Sequence[Row], series: str, line: Line) -> list[tuple[float, float]]:
    return sorted((float(row.x), row.value) for row in rows if row.series == series and row.line is line)


def _is_shown(experiment: Experiment, row: Row) -> bool:
    return experiment.form is Form.TABLE or row.panel != "statistics"


def _panel(experiment: Experiment, name: str, rows: Sequence[Row], data: str, panel: str) -> Picture:
    if experiment.form is Form.TABLE:
        return _ratios(experiment, name, rows)
    if experiment.form is Form.BARS:
        return _bars(experiment, name, rows)
    lines = [*_ours(rows), *_printed(experiment, data, panel), *_bounds(experiment, rows)]
    places = [float(row.x) for row in rows]
    wide = min(places, default=1) > 0 and max(places, default=1) > 50 * min(places, default=1)
    return line_plot(
        name,
        lines,
        x=Axis(label=experiment.x_label, logarithmic=wide),
        y=Axis(label=experiment.y_label, logarithmic=experiment.log_y),
    )


def _ours(rows: Sequence[Row]) -> list[Curve]:
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        name = row.series if row.line is Line.OURS else f"{row.series}, {row.line}"
        found.setdefault(name, []).append((float(row.x), row.value))
    ordered = sorted(found, key=lambda series: series in BASELINES)
    return [
        Curve(
            name=series,
            xs=[x for x, _ in sorted(found[series])],
            values=[value for _, value in sorted(found[series])],
            is_baseline=series in BASELINES,
        )
        for series in ordered
    ]


def _printed(experiment: Experiment, data: str, panel: str) -> list[Curve]:
    found: dict[str, list[tuple[float, float]]] = {}
    for point in experiment.published:
        if (point.data, point.panel) == (stands_for(data), panel):
            found.setdefault(point.series, []).append((float(point.x), point.value))
    return [
        Curve(name=f"{series}, published", xs=[x for x, _ in sorted(points)], values=[value for _, value in sorted(points)])
        for series, points in found.items()
    ]


def _bounds(experiment: Experiment, rows: Sequence[Row]) -> list[Curve]:
    """Stated bounds that some of these rows are held against, as dotted lines."""
    stated = {
        (claim.most if claim.most is not None else claim.least): "at most" if claim.most is not None else "at least"
        for claim in experiment.claims
        if isinstance(claim, Bound) and claim.chosen(rows)
    }
    places = [float(row.x) for row in rows]
    return [
        Curve(name=f"stated: {word} {bound:g}", xs=[min(places), max(places)], values=[bound, bound], is_baseline=True)
        for bound, word in stated.items()
        if bound is not None
    ]


def _bars(experiment: Experiment, name: str, rows: Sequence[Row]) -> Picture:
    groups = list(dict.fromkeys(row.x for row in rows))
    series = dict.fromkeys(row.series for row in rows)
    found = {(row.series, row.x): row.value for row in rows}
    bars = [Bars(name=each, values=[found.get((each, group)) for group in groups]) for each in series]
    return bar_plot(name, groups, bars, unit=experiment.y_label)


def _ratios(experiment: Experiment, name: str, rows: Sequence[Row]) -> Picture:
    printed = {(point.data, point.x): point.value for point in experiment.published}
    told = [row for row in rows if printed.get((row.data, row.x))]
    ratios = [row.value / printed[row.data, row.x] for row in told]
    bars = [Bars(name="ours over printed", values=ratios, bounds=[1.0] * len(told))]
    return bar_plot(name, [row.x for row in told], bars, unit="ours, as a multiple of the printed figure")


def _together(title: str, panels: dict[str, Picture]) -> Picture:
    """Panels side by side, two in a row."""
    parts: list[str] = []
    tables: list[Table] = []
    y = 0.0
    names = list(panels)
    columns = min(COLUMNS, max(len(names), 1))
    for start in range(0, len(names), columns):
        row = names[start : start + columns]
        for place, name in enumerate(row):
            panel = panels[name]
            label = shapes.text(4, 14, name, class_="title") if name else ""
            parts.append(f'<g transform="translate({place * (panel.width + GAP):.0f} {y:.0f})">{label}')
            parts.append(f'<g transform="translate(0 {HEAD})">{panel.drawing}</g></g>')
            tables += panel.tables
        y += max(panels[name].height for name in row) + HEAD + GAP
    width = max((panel.width for panel in panels.values()), default=640.0)
    about = f"{len(panels)} panels: {'; '.join(names[:6])}."
    return Picture(
        title=title,
        about=about,
        drawing="".join(parts),
        height=y,
        width=columns * width + (columns - 1) * GAP,
        tables=tuple(tables),
    )
