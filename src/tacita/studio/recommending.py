"""The second step: which method at which epsilon, and why; with the floors, the odds and what others chose.

Everything comes from public facts: a comparison holds forecasts on simulated worlds, and no number from the private file. The
recommendation has one rule, which the page prints. It can say that nothing here is worth publishing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp
from typing import Any

from tacita.kinds import Method
from tacita.kinds.registration import AUTO
from tacita.pictures import Axis, Bars, Line, Picture, Table, bar_plot, line_plot
from tacita.privacy.budget import decimal_text
from tacita.privacy.ledger import PERSON, Balance
from tacita.studio.comparison import Cell, Comparison

__all__ = [
    "PRECEDENTS",
    "Recommended",
    "comparison_picture",
    "ledger_picture",
    "method_rows",
    "odds_of",
    "primary_of",
    "recommended",
]

USUAL = 1
"""The usual epsilon for a whole data set: a recommendation goes no further if anything below keeps more than the floors."""

ENOUGH = 0.1
"""More epsilon that lowers the error by less than this share is not recommended; worlds differ by far more than that."""

FLOOR_NAMES = {"nothing": "publishing nothing", "independent": "the simplest release"}

PRECEDENTS = (
    ("Google, Community Mobility Reports, 2020", "a person's day", 2.64, 2.64),
    ("Apple, usage of devices, 2017", "an event, on the device, a day and use", 2.0, 8.0),
    ("US Census Bureau, OnTheMap, 2008", "a worker; delta 10⁻⁵", 8.6, 8.6),
    ("US Census Bureau, redistricting data, 2021", "a person; delta 10⁻¹⁰", 19.61, 19.61),
)
"""What others chose, as docs/how-to/choose-a-method.md has it with sources."""


@dataclass(frozen=True, kw_only=True)
class Recommended:
    """A method at an epsilon, with the reasons; without a method, a reason to publish nothing like this."""

    method: str
    """As it is kept: `auto`, so that the choice is made again by the command."""
    name: str
    """What that choice is now."""
    epsilon: str
    title: str
    reasons: tuple[str, ...]
    rule: str


def odds_of(epsilon: str) -> dict[str, Any]:
    """What a guess of fifty-fifty about one person can become at most, as people of a hundred."""
    try:
        amount = float(Fraction(epsilon))
    except (ValueError, ZeroDivisionError, OverflowError):
        return {}
    belief = 1 / (1 + exp(-min(amount, 700)))
    after = min(round(100 * belief), 99) if amount > 0 else 50
    return {"epsilon": epsilon, "before": 50, "after": after, "added": after - 50, "left": 100 - after, "is_large": amount > 5}


def primary_of(comparison: Comparison) -> str:
    """The figure by which methods are compared: what the kind decides by, among the errors that the forecast has."""
    for cell in comparison.automatic:
        errors = [name for name, span in cell.figures.items() if span.best == 0]
        for name in (*(one for one in cell.decides if one in errors), *errors):
            return name
    return next(iter(comparison.figures), "")


def recommended(comparison: Comparison, *, takes_epsilon: bool) -> Recommended | None:
    """What the studio would do; None as long as too little is known."""
    automatic = comparison.automatic
    if any(not cell.known for cell in automatic):
        return None
    usable = [cell for cell in automatic if not cell.refusal]
    if not usable:
        return None
    name = usable[0].chosen
    if not takes_epsilon or not usable[0].epsilon:
        reasons = ("It spends no budget: what it promises is verified on the release itself.",)
        return Recommended(
            method=AUTO,
            name=name,
            epsilon="",
            title=f"{name}",
            reasons=reasons,
            rule="The method that the kind of data chooses from public facts.",
        )
    figure = primary_of(comparison)
    judged = [cell for cell in usable if cell.floors.get(figure) and figure in cell.figures]
    if not judged:
        usual = next((cell for cell in usable if float(cell.epsilon) == USUAL), usable[-1])
        why = (
            f"ε {usual.epsilon} is the usual choice for a whole data set.",
            "Say above how many people there are, if that is public, and you see what each ε would keep.",
        )
        rule = "Without a number of people there is no forecast, so the usual ε stands here."
        return Recommended(
            method=AUTO,
            name=usual.chosen,
            epsilon=usual.epsilon,
            title=f"{usual.chosen} at ε {usual.epsilon}",
            reasons=why,
            rule=rule,
        )
    return _judged(comparison, judged, figure)


def _judged(comparison: Comparison, judged: Sequence[Cell], figure: str) -> Recommended:
    rule = (
        f"Rule: the smallest ε up to {USUAL} that keeps more than both floors and whose error is within "
        f"{ENOUGH:.0%} of the least up to {USUAL}; a larger one only if none of these does. Where chance in the simulated worlds "
        "makes more ε look worse, neighbouring ε are averaged."
    )
    error = dict(zip((cell.epsilon for cell in judged), falling([cell.figures[figure].middle for cell in judged]), strict=True))
    least = {cell.epsilon: min(cell.floors[figure].values()) for cell in judged}
    worth = [cell for cell in judged if error[cell.epsilon] < least[cell.epsilon]]
    usual = [cell for cell in worth if float(cell.epsilon) <= USUAL] or worth[:1]
    if not usual:
        last = judged[-1]
        floor = _floor_of(last, figure)
        beside = f"{shown(last.floors[figure][floor])} beside {shown(error[last.epsilon])}"
        why = (
            f"Up to ε {last.epsilon}, {FLOOR_NAMES.get(floor, floor)} is no worse: {beside} ({figure}).",
            "It takes more people, fewer labels, or shorter records. You may choose yourself below.",
        )
        return Recommended(method="", name="", epsilon="", title="Do not publish like this", reasons=why, rule=rule)
    best = min(error[cell.epsilon] for cell in usual)
    taken = next(cell for cell in usual if error[cell.epsilon] <= (1 + ENOUGH) * best)
    floor = _floor_of(taken, figure)
    odds = odds_of(taken.epsilon)
    own = error[taken.epsilon]
    ratio = (
        f"{taken.floors[figure][floor] / own:.1f} times better than {FLOOR_NAMES.get(floor, floor)}" if own > 0 else "No error"
    )
    reasons = [f"{ratio} ({shown(own)} beside {shown(taken.floors[figure][floor])}): {figure}."]
    more = [cell for cell in judged if float(cell.epsilon) > float(taken.epsilon)]
    if more:
        said = ", ".join(f"ε {cell.epsilon} gives {shown(error[cell.epsilon])}" for cell in more[:2])
        reasons.append(f"More ε buys {'little' if float(more[0].epsilon) <= USUAL else 'this'}: {said}.")
    rivals = [
        cell for cell in comparison.cells if cell.method != AUTO and cell.epsilon == taken.epsilon and figure in cell.figures
    ]
    better = [cell for cell in rivals if cell.figures[figure].middle < own]
    if rivals and not better:
        reasons.append(f"The best of {len(rivals) + 1} methods at this ε.")
    elif better:
        first = min(better, key=lambda cell: cell.figures[figure].middle)
        reasons.append(
            f"{first.method} has less of this error ({shown(first.figures[figure].middle)}); the choice goes by all measures."
        )
    reasons.append(f"A 50:50 guess about one person becomes at most {odds['after']}:{odds['left']}.")
    return Recommended(
        method=AUTO,
        name=taken.chosen,
        epsilon=taken.epsilon,
        title=f"{taken.chosen} at ε {taken.epsilon}",
        reasons=tuple(reasons),
        rule=rule,
    )


def falling(values: Sequence[float]) -> list[float]:
    """The nearest values that never rise, in least squares: an error cannot grow with epsilon but by chance.

    >>> falling([74, 52, 29, 93, 33])
    [74.0, 58.0, 58.0, 58.0, 33.0]
    """
    blocks: list[tuple[float, int]] = []
    for value in values:
        mean, size = float(value), 1
        while blocks and blocks[-1][0] < mean:
            before, count = blocks.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        blocks.append((mean, size))
    return [mean for mean, size in blocks for _ in range(size)]


def _floor_of(cell: Cell, figure: str) -> str:
    return min(cell.floors[figure], key=lambda name: cell.floors[figure][name])


def shown(value: float) -> str:
    """A figure in two digits: shares as percentages."""
    return f"{100 * value:.2g} %" if 0 < value < 0.095 else f"{100 * value:.0f} %" if value < 10 else f"{value:.2g} times"


def method_rows(comparison: Comparison, known: Sequence[Method], figure: str) -> list[dict[str, Any]]:
    """One row per method, the automatic choice first, and one cell per epsilon; then the floors."""
    keeps = {method.name: method.keeps for method in known}
    promises = {method.name: method.promise for method in known}
    rows = []
    epsilons = list(dict.fromkeys(cell.epsilon for cell in comparison.cells if cell.epsilon))
    for name in dict.fromkeys(cell.method for cell in sorted(comparison.cells, key=lambda cell: cell.method != AUTO)):
        own = {cell.epsilon: cell for cell in comparison.cells if cell.method == name}
        taken = comparison.chosen if name == AUTO else name
        refusals = list(dict.fromkeys(cell.refusal for cell in own.values() if cell.refusal))
        rows.append(
            {
                "name": name,
                "title": f"automatic: {taken}"
                if name == AUTO and taken not in {"", "none"}
                else "automatic"
                if name == AUTO
                else name,
                "keeps": keeps.get(taken, ""),
                "promise": promises[taken].value if taken in promises else "",
                "cells": [_shown_cell(own.get(epsilon), figure, comparison) for epsilon in epsilons],
                "refusal": refusals[0] if refusals else "",
            }
        )
    return rows


def _shown_cell(cell: Cell | None, figure: str, comparison: Comparison) -> dict[str, str]:
    if cell is None:
        return {"text": "no ε", "state": "none", "word": ""}
    if not cell.known:
        return {"text": "…", "state": "none", "word": "in work"}
    if figure not in cell.figures:
        return {"text": "-", "state": "none", "word": "refused" if cell.refusal else "no forecast"}
    value = cell.figures[figure].middle
    beside = next((one.floors.get(figure, {}) for one in comparison.automatic if one.epsilon == cell.epsilon), {})
    floors = cell.floors.get(figure) or beside
    if not floors:
        return {"text": f"±{value:.3g}", "state": "none", "word": ""}
    worse = [name for name, floor in floors.items() if value >= floor]
    word = f"worse than {'nothing' if 'nothing' in worse else 'the simplest'}" if worse else "better than both"
    return {"text": shown(value), "state": "bad" if worse else "good", "word": word}


def floor_rows(comparison: Comparison, figure: str) -> list[tuple[str, list[str]]]:
    """What the simplest releases would have, at each epsilon."""
    cells = [cell for cell in comparison.automatic if cell.floors.get(figure)]
    names = list(dict.fromkeys(name for cell in cells for name in cell.floors[figure]))
    return [(FLOOR_NAMES.get(name, name), [shown(cell.floors[figure][name]) for cell in cells]) for name in names if cells]


# The pictures.


def comparison_picture(comparison: Comparison, figure: str, found: Recommended | None) -> Picture | None:
    """The automatic choice over epsilon the range over simulated worlds, and the floors; the recommended one is marked."""
    cells = [cell for cell in comparison.automatic if figure in cell.figures and cell.epsilon]
    if not cells:
        return None
    xs = [float(cell.epsilon) for cell in cells]
    spans = [cell.figures[figure] for cell in cells]
    ends = ([span.low for span in spans], [span.high for span in spans])
    lines = [Line(name=cells[0].chosen, values=[span.middle for span in spans], xs=xs, intervals=tuple(zip(*ends, strict=True)))]
    floors = [cell for cell in cells if cell.floors.get(figure)]
    for name in dict.fromkeys(name for cell in floors for name in cell.floors[figure]):
        values = [cell.floors[figure][name] for cell in floors]
        lines.append(
            Line(name=FLOOR_NAMES.get(name, name), values=values, xs=[float(cell.epsilon) for cell in floors], is_baseline=True)
        )
    marks = [float(found.epsilon)] if found is not None and found.epsilon else []
    drawn = line_plot(
        _finding(found, figure, has_floors=bool(floors)),
        lines,
        x=Axis(label="ε (smaller protects more)", logarithmic=True),
        y=Axis(
            label="median of the simulated worlds", logarithmic=all((value or 0) > 0 for line in lines for value in line.values)
        ),
        about=f"{figure[:1].upper()}{figure[1:]}, with the range over simulated worlds; grey is what the simplest releases have.",
        marks=marks,
    )
    rows = tuple(
        (f"{cell.chosen}, ε {cell.epsilon}", span.low, span.middle, span.high) for cell, span in zip(cells, spans, strict=True)
    )
    return replace(drawn, tables=(Table(caption=figure, columns=("", "low", "middle", "high"), rows=rows),))


def _finding(found: Recommended | None, figure: str, *, has_floors: bool) -> str:
    if found is not None and not found.method:
        return "No ε here keeps more than the simplest releases"
    if found is not None and has_floors:
        return (
            f"ε {found.epsilon} is enough: more, up to {USUAL}, lowers the error by less than a tenth"
            if float(found.epsilon) < USUAL
            else f"ε {found.epsilon} keeps more than the simplest releases"
        )
    return f"{figure[:1].upper()}{figure[1:]}"


FEW = 3
"""So many balances are told in words too."""


def ledger_picture(balances: Sequence[Balance], asked: tuple[str, Fraction] | None = None) -> Picture | None:
    """Spent epsilon under each cap; `asked` is a data set, and what a publication would add. None if nothing is known."""
    if not balances:
        return None
    names = [", ".join(one.datasets or (one.dataset,)) + ("" if one.unit == PERSON else f", per {one.unit}") for one in balances]
    caps = [None if one.cap_epsilon is None else float(one.cap_epsilon) for one in balances]
    spent = [Bars(name="spent so far", values=[float(one.epsilon) for one in balances], bounds=caps)]
    if asked is not None:
        after = [float(one.epsilon + asked[1]) if asked[0] in {one.dataset, *one.datasets} else None for one in balances]
        spent.append(Bars(name="with this publication", values=after, bounds=caps))
    told = [f"{name}: {_of_cap(one)}" for name, one in zip(names, balances, strict=True)] if len(balances) <= FEW else []
    about = " ".join(["A thick mark is the cap, where the owner has set one.", *(f"{text}." for text in told)])
    return bar_plot("What was spent, and the owner's caps", names, spent, unit="epsilon", about=about)


def _of_cap(balance: Balance) -> str:
    cap = "no cap" if balance.cap_epsilon is None else f"a cap of {decimal_text(balance.cap_epsilon)}"
    return f"{decimal_text(balance.epsilon)} spent, {cap}"
