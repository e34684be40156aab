"""What attacks found, as a picture in SVG: one row per share, with a bar for the private file and for each release.

Only shares are drawn, no numbers of people or values. Text is text, every bar has its value beside it, and
colours follow the page, light or dark. For the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from tacita.attacks.result import Figure

__all__ = ["attack_picture"]

WIDTH, LEFT, RIGHT, TOP, BAR, GAP = 940, 470, 64, 84, 14, 12
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7")
STYLE = """
  svg { font: 13px system-ui, sans-serif; color: #1b1b1b; background: #fff; }
  @media (prefers-color-scheme: dark) { svg { color: #eee; background: #1b1b1b; } }
  text { fill: currentColor; } .grid { stroke: currentColor; opacity: .2; } .bound { stroke: currentColor; stroke-width: 2; }
"""


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
    def figures(self) -> Sequence[Figure]:
        """The figures."""
        ...


def attack_picture(title: str, found: Sequence[Assessed]) -> str:
    """Bars for all shares, those of one attack and name together."""
    sides = list(dict.fromkeys(each.against for each in found))
    rows: dict[tuple[str, str], list[tuple[str, Figure]]] = {}
    for each in found:
        for figure in each.figures:
            if figure.is_share:
                rows.setdefault((each.attack, figure.name), []).append((each.against, figure))
    wide, y, parts = WIDTH - LEFT - RIGHT, float(TOP), []
    for (attack, name), bars in rows.items():
        middle = y + BAR * len(bars) / 2 + 4
        parts.append(f'<text x="{LEFT - 8}" y="{middle:.1f}" text-anchor="end">{escape(f"{attack}: {name}")}</text>')
        for side, figure in bars:
            colour = COLOURS[sides.index(side) % len(COLOURS)]
            long = wide * max(0.0, figure.value)
            parts.append(f'<rect fill="{colour}" x="{LEFT}" y="{y:.1f}" width="{long:.1f}" height="{BAR - 2}"/>')
            parts.append(f'<text x="{LEFT + long + 4:.1f}" y="{y + BAR - 3:.1f}" font-size="11">{figure.value:.1%}</text>')
            if figure.bound is not None and figure.bound <= 1:
                x = LEFT + wide * figure.bound
                parts.append(f'<line class="bound" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 2:.1f}" y2="{y + BAR:.1f}"/>')
            y += BAR
        y += GAP
    head = [f'<text x="16" y="24" font-weight="600">{escape(title)}</text>']
    x = 16.0
    for place, side in enumerate(sides):
        head.append(f'<rect fill="{COLOURS[place % len(COLOURS)]}" x="{x:.1f}" y="38" width="12" height="12"/>')
        head.append(f'<text x="{x + 18:.1f}" y="49">{escape(side)}</text>')
        x += 44 + 7.5 * len(side)
    for percent in (0, 25, 50, 75, 100):
        x = LEFT + wide * percent / 100
        head.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{y:.1f}"/>')
        head.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle" font-size="11">{percent} %</text>')
    size = f'viewBox="0 0 {WIDTH} {y + 28:.0f}"'
    bounded = any(figure.bound is not None for bars in rows.values() for _, figure in bars)
    note = "Shares of people or records" + ("; a thick mark is what is allowed at most" if bounded else "")
    foot = f'<text x="16" y="{y + 16:.1f}" font-size="11">{note}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(title)}</title><style>{STYLE}</style>'
        + "".join([*head, *parts, foot])
        + "</svg>\n"
    )
