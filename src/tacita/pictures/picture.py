"""What a picture is: a drawing, a title that says what to see, a sentence for those who cannot see it, and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import count

from tacita.pictures.svg import PICTURE_STYLE

__all__ = [
    "HALF",
    "NARROW",
    "WIDTH",
    "Cell",
    "Pane",
    "Picture",
    "Table",
    "drawn_twice",
    "html_facts",
    "html_table",
    "notebook",
    "percent",
    "shown",
    "side_by_side",
]


# Tables of figures: what a screen reader reads, what `--json` prints, and the figures behind every picture.

Cell = str | int | float | None
_HASH = 64
LARGE = 60
"""A table with more rows than this stays folded when a page is printed."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under named columns; the first column names its row.

    >>> Table(caption="Two & two", columns=("sum", "value"), rows=(("2 + 2", 4),)).as_json()["rows"]
    [['2 + 2', 4]]
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def is_large(self) -> bool:
        """Whether it is too long or too wide to be printed."""
        return len(self.rows) > LARGE or len(self.columns) > 12

    def html(self) -> str:
        """The table; everything is escaped, numbers are right-aligned by the page's style."""
        texts = [all(isinstance(row[place], str) for row in self.rows) for place in range(len(self.columns))]
        kinds = [" class=t" if is_text else "" for is_text in texts]
        head = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(self.columns, kinds, strict=True))
        body = "".join(f"<tr>{_row(row)}</tr>" for row in self.rows)
        return f"<table><caption>{escape(self.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def as_json(self) -> dict[str, object]:
        """The same figures for scripts, unrounded."""
        return {"caption": self.caption, "columns": list(self.columns), "rows": [list(row) for row in self.rows]}


def shown(value: Cell) -> str:
    """A cell as people read it.

    >>> [shown(each) for each in (1234567, 1234.5678, 0.000123456, None, "a")]
    ['1,234,567', '1,235', '0.0001235', '', 'a']
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def percent(share: float) -> str:
    """A share in two digits.

    >>> [percent(each) for each in (1e-16, 0.0005, 0.0094, 0.061, 0.55, 1.71, 23.0)]
    ['0 %', '0.05 %', '0.9 %', '6.1 %', '55 %', '171 %', '2,300 %']
    """
    value = 100 * share
    if value >= 9.95:
        return f"{value:,.0f} %"
    if value < 1e-4:
        return "0 %"
    return f"{value:.1f} %" if value >= 0.1 else f"{value:.1g} %"


def _row(row: Sequence[Cell]) -> str:
    first, *others = row
    cells = "".join(f"<td{' class=t' if isinstance(cell, str) else ''}>{_words(cell)}</td>" for cell in others)
    return f'<th scope="row">{escape(shown(first))}</th>{cells}'


def _words(cell: Cell) -> str:
    """A cell as HTML; a hash may be broken in the middle."""
    words = escape(shown(cell))
    return f"{words[: _HASH // 2]}<wbr>{words[_HASH // 2 :]}" if len(words) == _HASH and " " not in words else words


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A small table for notebooks.

    >>> html_table("a & b", ["x"], [[1]])
    '<table><caption>a &amp; b</caption><thead><tr><th>x</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(str(name))}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<table><caption>{escape(title)}</caption>{top}<tbody>{body}</tbody></table>"


def html_facts(title: str, facts: Iterable[tuple[str, object]]) -> str:
    """A table of names and what they represent; what is None is left out."""
    return html_table(title, [], ((name, fact) for name, fact in facts if fact is not None))


WIDTH = 1080
"""How wide drawings are, in their own units: a page of a desktop."""

HALF = 520
"""How wide drawings are of which two stand side by side."""

NARROW = 340
"""How wide the same picture is on a phone, drawn anew, so that its words stay as large."""

_NUMBERS = count(1)


@dataclass(frozen=True, kw_only=True)
class Pane:
    """One of several drawings that stand side by side, and below each other on a phone; `name` says what it is of."""

    name: str
    drawing: str = field(repr=False)
    height: float
    width: float = NARROW
    grade: str = ""
    """Good, care or bad, if it was judged; `words` stand beside its icon."""
    words: str = ""

    def svg(self, title: str) -> str:
        """The drawing with its name, for a page."""
        size = f"0 0 {self.width:.0f} {self.height:.0f}"
        chip = ""
        if self.grade:
            from tacita.pictures.ranked import icon  # noqa: PLC0415 - which imports this module

            chip = f' <span class="chip {self.grade}">{icon(self.grade)} {escape(self.words)}</span>'
        head = f"<h3>{escape(self.name)}{chip}</h3>" if self.name else ""
        label = escape(f"{title}: {self.name}" if self.name else title)
        return f'<div class="pane">{head}<svg viewBox="{size}" role="img" aria-label="{label}">{self.drawing}</svg></div>'


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A drawing with its tables; `title` says what to see, `about` what is drawn, `key` is markup that explains colours.

    A page shows the `panes` if there are any, else the drawing, or on a phone the `narrow` one and its height. `is_half` says
    that two such pictures stand side by side.
    """

    title: str
    about: str
    drawing: str = field(repr=False)
    height: float
    tables: tuple[Table, ...] = field(repr=False)
    width: float = WIDTH
    narrow: tuple[str, float] | None = field(default=None, repr=False)
    panes: tuple[Pane, ...] = field(default=(), repr=False)
    key: str = field(default="", repr=False)
    is_half: bool = False
    layout: str = ""
    """The class of what holds the panes; as many columns as there are panes if it is not given."""

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
        """The picture in a page that has the style: caption, drawing, key, tables folded below; `key` is unique on the page."""
        folded = "".join(_folded(table, self.title) for table in self.tables)
        return (
            f'<figure class="pic"><figcaption><b id="{key}">{escape(self.title)}</b> <span id="{key}-about">{escape(self.about)}'
            f"</span></figcaption>{self._drawn(key)}{self.key}{folded}</figure>"
        )

    def _drawn(self, key: str) -> str:
        if self.panes:
            layout = self.layout or f"panes c{len(self.panes)}"
            return f'<div class="{layout}">{"".join(pane.svg(self.title) for pane in self.panes)}</div>'
        named = f'role="img" aria-labelledby="{key}" aria-describedby="{key}-about"'
        wide = f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" {named}>{self.drawing}</svg>'
        if self.narrow is None:
            return f"<svg {wide}"
        drawing, height = self.narrow
        return f'<svg class="only-l" {wide}<svg class="only-s" viewBox="0 0 {NARROW} {height:.0f}" {named}>{drawing}</svg>'

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {"title": self.title, "about": self.about, "tables": [table.as_json() for table in self.tables]}

    def _repr_html_(self) -> str:
        """The picture in a notebook."""
        return notebook([self])


def drawn_twice(
    title: str,
    draw: Callable[[float], tuple[str, float]],
    tables: Iterable[Table],
    *,
    about: str,
    is_half: bool = False,
    key: str = "",
) -> Picture:
    """A picture from what draws it at any width, for a desktop and for a phone."""
    width = HALF if is_half else WIDTH
    drawing, height = draw(width)
    return Picture(
        title=title,
        about=about,
        drawing=drawing,
        height=height,
        width=width,
        narrow=draw(NARROW),
        tables=tuple(tables),
        is_half=is_half,
        key=key,
    )


def side_by_side(title: str, panes: Sequence[Pane], tables: Iterable[Table], *, about: str, key: str = "") -> Picture:
    """A picture of several panes; as a file of its own they are one drawing."""
    parts, at = [], 0.0
    for pane in panes:
        parts.append(f'<g transform="translate({at:.0f} 20)"><text x="0" y="-6">{escape(pane.name)}</text>{pane.drawing}</g>')
        at += pane.width + 20
    height = max((pane.height for pane in panes), default=0.0) + 20
    return Picture(
        title=title,
        about=about,
        drawing="".join(parts),
        height=height,
        width=max(at - 20, 1.0),
        panes=tuple(panes),
        tables=tuple(tables),
        key=key,
    )


def _folded(table: Table, title: str) -> str:
    """A table behind a click; its caption says what it is of, where that is not the title of the picture."""
    size = "fold large" if table.is_large else "fold"
    name = escape(table.caption)
    words = escape(table.caption.removeprefix(title).lstrip(",: "))
    return (
        f'<details class="{size}"><summary>Figures{": " + words if words else ""}</summary>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {name}">{table.html()}</div></details>'
    )


def notebook(pictures: Iterable[Picture], *, before: str = "") -> str:
    """Pictures in a notebook, with their style, which touches nothing else there; `before` is markup."""
    figures = "".join(picture.figure(f"picture-{next(_NUMBERS)}") for picture in pictures)
    return f'<div class="tacita"><style>{PICTURE_STYLE}</style>{before}{figures}</div>'
