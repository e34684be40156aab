"""Self-contained pages: one HTML file that loads nothing, made from Jinja2 templates that escape everything by default.

The policy of a page allows nothing but the style that it holds, by its hash: no script, no image, no font, no request, no form.
Templates of other pages may extend `skeleton.html` (blocks `head`, `header`, `content`, `footer`).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from tacita.pictures.picture import Picture, Table
from tacita.pictures.ranked import icon
from tacita.pictures.svg import PAGE_STYLE

if TYPE_CHECKING:
    import jinja2

__all__ = ["Page", "Section", "content_hash", "environment", "policy", "render", "standalone"]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page: paragraphs, points, tables, pictures and text as it was printed, in this order."""

    title: str
    paragraphs: Sequence[str] = ()
    points: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    printed: str = ""
    commands: Sequence[str] = ()
    menu: str = ""
    """What a menu calls it; nothing if it is not in one."""

    @property
    def anchor(self) -> str:
        """The name by which the page's contents refer to it."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.title.lower())

    def as_json(self) -> dict[str, object]:
        """The same for scripts."""
        return {
            "title": self.title,
            "paragraphs": list(self.paragraphs),
            "points": list(self.points),
            "tables": [table.as_json() for table in self.tables],
            "pictures": [picture.as_json() for picture in self.pictures],
            "commands": list(self.commands),
        }


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page: its title, what is said first, whether it is private, and its sections."""

    title: str
    sections: Sequence[Section]
    lead: str = ""
    verdict: str = ""
    is_bad: bool = False
    private: str = ""
    """Why nobody but the owner may see it; nothing if the page may be handed out."""
    footer: str = "Made by Tacita. This page is one file and loads nothing from elsewhere."

    template: ClassVar[str] = "page.html"

    def as_json(self) -> dict[str, object]:
        """The same figures for scripts."""
        return {
            "title": self.title,
            "lead": self.lead,
            "verdict": self.verdict,
            "owner_only": self.private or None,
            "sections": [section.as_json() for section in self.sections],
        }


@cache
def environment() -> jinja2.Environment:
    """The templates, with `style`, `style_hash` and `policy` at hand; what they are given is escaped unless it is markup."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - not paid for by help or by publishing

    made = Environment(loader=PackageLoader("tacita.pictures"), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.globals.update(style=PAGE_STYLE, policy=policy(), icons={grade: icon(grade) for grade in ("good", "care", "bad")})
    made.filters["slice_halves"] = _rows_of
    return made


def _rows_of(pictures: Sequence[Picture]) -> list[list[tuple[int, Picture]]]:
    """Pictures with their numbers, two in a row where two that are half as wide follow each other."""
    rows: list[list[tuple[int, Picture]]] = []
    for number, picture in enumerate(pictures, start=1):
        if rows and picture.is_half and len(rows[-1]) == 1 and rows[-1][0][1].is_half:
            rows[-1].append((number, picture))
        else:
            rows.append([(number, picture)])
    return rows


def content_hash(text: str) -> str:
    """The hash by which a content security policy allows an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def policy(*, script: str | None = None) -> str:
    """The content security policy of a page that holds our style and perhaps one script, and nothing else."""
    allowed = f"'{content_hash(script)}'" if script else "'none'"
    return (
        f"default-src 'none'; style-src '{content_hash(PAGE_STYLE)}'; script-src {allowed}; base-uri 'none'; form-action 'none'"
    )


def render(page: Page) -> str:
    """The page as one HTML file."""
    return standalone(page.template, page=page)


def standalone(template: str, **values: object) -> str:
    """Any template of this folder, such as one that extends `skeleton.html`."""
    return environment().get_template(template).render(**values)
