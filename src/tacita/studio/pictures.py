"""The studio's two pictures: what was spent under each cap, and what each method is expected to keep at several epsilons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tacita.pictures import Axis, Bars, Line, Picture, Table, bar_plot, line_plot
from tacita.privacy.budget import decimal_text
from tacita.privacy.ledger import PERSON, Balance
from tacita.studio.comparison import Cell, Comparison

__all__ = ["comparison_pictures", "ledger_picture"]

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


def comparison_pictures(comparison: Comparison) -> list[Picture]:
    """One picture per figure: a line per method over epsilon, with the range over all simulated worlds in the table."""
    return [_picture(name, [cell for cell in comparison.cells if name in cell.figures]) for name in comparison.figures]


def _picture(name: str, cells: Sequence[Cell]) -> Picture:
    methods = list(dict.fromkeys(cell.method for cell in cells))
    best = cells[0].figures[name].best
    lines = []
    for method in methods:
        own = sorted((cell for cell in cells if cell.method == method), key=lambda cell: float(cell.epsilon))
        values = [cell.figures[name].middle for cell in own]
        lines.append(Line(name=method, values=values, xs=[float(cell.epsilon) for cell in own]))
    rows = [
        (f"{cell.method}, epsilon {cell.epsilon}", cell.figures[name].low, cell.figures[name].middle, cell.figures[name].high)
        for cell in cells
    ]
    drawn = line_plot(
        name[:1].upper() + name[1:],
        lines,
        x=Axis(label="epsilon", logarithmic=True),
        y=Axis(label="median of the simulated worlds"),
        about=f"{'Lower' if best == 0 else 'Higher'} is better; {best:g} would be perfect.",
    )
    table = Table(caption=f"{name}, over all that was simulated", columns=("method", "low", "middle", "high"), rows=tuple(rows))
    return replace(drawn, tables=(table,))
