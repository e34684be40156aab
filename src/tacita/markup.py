"""Small tables in HTML, for notebooks: everything that is shown is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_facts", "html_table"]


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption.

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
