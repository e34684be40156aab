"""How useful a release is, as sections of a page: figures of any kind as tables, and the pictures of the kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.kinds import Kind
from tacita.pictures import Page, Picture, Section, render
from tacita.report.figures import tables_of

__all__ = ["PRIVATE", "evaluation_page", "evaluation_sections"]

PRIVATE = "For the owner's eyes only: everything here is computed from raw data, without noise. Keep it out of every release."


def evaluation_sections(kind: Kind, found: Mapping[str, Any], drawn: Sequence[Picture]) -> list[Section]:
    """The pictures, then the figures of each section of the kind."""
    measured = {name: part for name, part in found.items() if part is not None}
    sections = [Section(title="What the release keeps", pictures=drawn)] if drawn else []
    for name, part in measured.items():
        words = kind.sections.get(name, name)
        title = "Figures" if len(measured) == 1 else f"Figures: {words}"
        sections.append(Section(title=title, tables=tables_of(words, part.as_json())))
    return sections


def evaluation_page(title: str, kind: Kind, found: Mapping[str, Any], drawn: Sequence[Picture]) -> str:
    """The page of `tacita evaluate`."""
    return render(Page(title=title, sections=evaluation_sections(kind, found, drawn), private=PRIVATE))
