"""Pictures and pages of every command: inline SVG of our own with a table behind it, and self-contained HTML around them.

A picture is drawn in classes and CSS variables, so that one drawing serves a page, a file and a notebook, light, dark and
print. Read `picture` first (what a picture is), then `svg` (elements, scales and style), the shapes (`lines`, `bars`,
`ranked`, `squares`) and `page` (the skeleton). A shape is loaded when it is first used: anyone who publishes draws nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacita.pictures.bars import Bars, Block, bar_plot, strip_plot
    from tacita.pictures.lines import Axis, Line, line_plot
    from tacita.pictures.page import Page, Section, render, standalone
    from tacita.pictures.picture import Cell, Picture, Table, notebook

__all__ = [
    "Axis",
    "Bars",
    "Block",
    "Cell",
    "Line",
    "Page",
    "Picture",
    "Section",
    "Table",
    "bar_plot",
    "line_plot",
    "notebook",
    "render",
    "standalone",
    "strip_plot",
]

_HOMES = {
    "bars": {"Bars", "Block", "bar_plot", "strip_plot"},
    "lines": {"Axis", "Line", "line_plot"},
    "page": {"Page", "Section", "render", "standalone"},
    "picture": {"Cell", "Picture", "Table", "notebook"},
}


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"tacita.pictures.{home}"), name)
    message = f"module 'tacita.pictures' has no attribute {name!r}"
    raise AttributeError(message)
