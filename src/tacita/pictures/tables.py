"""Tables of figures: what a screen reader reads, what `--json` prints, and what stands behind every picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Cell", "Table", "html_facts", "html_table", "shown"]

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
    """A table of names and what they stand for; what is None is left out."""
    return html_table(title, [], ((name, fact) for name, fact in facts if fact is not None))
