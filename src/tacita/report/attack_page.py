"""What attacks found, as a picture: one row per share, with a bar for the private file and for each release. For the owner only.

Only shares are drawn, no numbers of people or values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tacita.attacks.result import Figure
from tacita.pictures import Bars, Page, Picture, Section, Table, bar_plot, render

__all__ = ["Assessed", "attack_page", "attack_picture"]


class Assessed(Protocol):
    """What an attack found."""

    @property
    def attack(self) -> str:
        """The name of the attack."""
        ...

    @property
    def against(self) -> str:
        """What was attacked."""
        ...

    @property
    def assumptions(self) -> Sequence[str]:
        """What the attacker is taken to know."""
        ...

    @property
    def figures(self) -> Sequence[Figure]:
        """The figures."""
        ...


def attack_picture(title: str, found: Sequence[Assessed]) -> Picture:
    """Bars for all shares, those of one attack and name together."""
    sides = list(dict.fromkeys(each.against for each in found))
    rows: dict[tuple[str, str], dict[str, Figure]] = {}
    for each in found:
        for figure in each.figures:
            if figure.is_share:
                rows.setdefault((each.attack, figure.name), {})[each.against] = figure
    series = []
    for side in sides:
        figures = [row.get(side) for row in rows.values()]
        bounds = [None if figure is None else figure.bound for figure in figures]
        series.append(
            Bars(
                name=side,
                values=[None if figure is None else max(0.0, figure.value) for figure in figures],
                bounds=bounds if any(bound is not None for bound in bounds) else None,
            )
        )
    bounded = any(each.bounds is not None for each in series)
    return bar_plot(
        title,
        [f"{attack}: {name}" for attack, name in rows],
        series,
        unit="share of people or records",
        about="Shares of people or records" + ("; a thick mark is what is allowed at most." if bounded else "."),
        percent=True,
    )


def attack_page(title: str, found: Sequence[Assessed]) -> str:
    """Picture and tables on one page."""
    sections = [Section(title="Who is found out", pictures=[attack_picture(title, found)])]
    for each in found:
        columns = ("figure", "value", "low", "high", "at most")
        rows = tuple((figure.name, figure.value, figure.low, figure.high, figure.bound) for figure in each.figures)
        table = Table(caption=f"{each.attack} against {each.against}", columns=columns, rows=rows)
        name = f"{each.attack[:1].upper()}{each.attack[1:]} against {each.against}"
        sections.append(Section(title=name, points=[f"assumes: {words}" for words in each.assumptions], tables=[table]))
    private = (
        "For the owner's eyes only: these figures are computed from raw data, without noise. Keep them out of every release."
    )
    return render(Page(title=title, sections=sections, private=private))
