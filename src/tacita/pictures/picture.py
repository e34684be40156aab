"""What a picture is: a drawing, a title that says what to see, a sentence for those who cannot see it, and the figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from itertools import count

from tacita.pictures.style import PICTURE_STYLE
from tacita.pictures.tables import Table

__all__ = ["WIDTH", "Picture", "notebook"]

WIDTH = 640
"""How wide drawings are, in their own units: a few words less than a column of text, a little more than a phone."""

_NUMBERS = count(1)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A drawing with its tables; `title` says what to see, `about` what is drawn."""

    title: str
    about: str
    drawing: str = field(repr=False)
    height: float
    tables: tuple[Table, ...] = field(repr=False)
    width: float = WIDTH

    def svg(self) -> str:
        """The picture as a file of its own, with its title in it."""
        top = 30
        name = f'<text class="title" x="4" y="19">{escape(self.title)}</text>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tacita" viewBox="0 0 {self.width:.0f} {self.height + top:.0f}" '
            f'role="img"><title>{escape(self.title)}</title><desc>{escape(self.about)}</desc><style>{PICTURE_STYLE}</style>'
            f'<rect class="paper" width="100%" height="100%"/>{name}<g transform="translate(0 {top})">{self.drawing}</g></svg>\n'
        )

    def figure(self, key: str) -> str:
        """The picture in a page that has the style: caption, drawing, tables folded below; `key` is unique on the page."""
        size = f"0 0 {self.width:.0f} {self.height:.0f}"
        named = f'role="img" aria-labelledby="{key}" aria-describedby="{key}-about"'
        folded = "".join(_folded(table) for table in self.tables)
        return (
            f'<figure><figcaption><strong id="{key}">{escape(self.title)}</strong> <span id="{key}-about">{escape(self.about)}'
            f'</span></figcaption><div class="plot" tabindex="0" role="group" aria-label="Picture: {escape(self.title)}">'
            f'<svg viewBox="{size}" {named}>{self.drawing}</svg></div>{folded}</figure>'
        )

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {"title": self.title, "about": self.about, "tables": [table.as_json() for table in self.tables]}

    def _repr_html_(self) -> str:
        """The picture in a notebook."""
        return notebook([self])


def _folded(table: Table) -> str:
    size = ' class="large"' if table.is_large else ""
    name = escape(table.caption)
    return (
        f"<details{size}><summary>Figures: {name}</summary>"
        f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {name}">{table.html()}</div></details>'
    )


def notebook(pictures: Iterable[Picture], *, before: str = "") -> str:
    """Pictures in a notebook, with their style, which touches nothing else there; `before` is markup."""
    figures = "".join(picture.figure(f"picture-{next(_NUMBERS)}") for picture in pictures)
    return f'<div class="tacita"><style>{PICTURE_STYLE}</style>{before}{figures}</div>'
