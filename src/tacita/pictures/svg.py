"""Elements of SVG, escaped by construction: nothing enters a drawing but through these functions."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["CHARACTER", "Points", "clipped", "element", "path", "polyline", "rect", "rule", "text"]

CHARACTER = 8.0
"""About how wide a character is at the size of a label, in units of the drawing; fonts differ, and this is a wide one."""

Points = Iterable[tuple[float, float]]


def element(name: str, content: str = "", **attributes: str | float | None) -> str:
    """One element around content that is already markup; `class_` is the class, `_` in other names is a dash."""
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{words}>{content}</{name}>" if content else f"<{name}{words}/>"


def text(x: float, y: float, words: str, *, anchor: str | None = None, class_: str | None = None, turned: bool = False) -> str:
    """A label; `anchor` is middle or end; turned ones read upward."""
    if turned:
        return element(
            "text", escape(words), transform=f"translate({x:.0f} {y:.0f}) rotate(-90)", text_anchor=anchor, class_=class_
        )
    return element("text", escape(words), x=x, y=y, text_anchor=anchor, class_=class_)


def rect(x: float, y: float, width: float, height: float, *, class_: str) -> str:
    """A rectangle."""
    return element("rect", class_=class_, x=x, y=y, width=max(width, 0.0), height=max(height, 0.0))


def rule(x1: float, y1: float, x2: float, y2: float, *, class_: str) -> str:
    """A straight line."""
    return element("line", class_=class_, x1=x1, y1=y1, x2=x2, y2=y2)


def polyline(points: Points, *, class_: str, closed: bool = False) -> str:
    """A line through points, or the area that they enclose."""
    return element("polygon" if closed else "polyline", class_=class_, points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))


def path(steps: str, *, class_: str) -> str:
    """Any outline, by its steps."""
    return element("path", class_=class_, d=steps)


def clipped(words: str, most: int) -> str:
    """Words that fit, with an ellipsis where some are cut off; tables hold them whole.

    >>> clipped("Guy-Concordia", 8)
    'Guy-Con…'
    """
    return words if len(words) <= most else words[: most - 1] + "…"


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
