"""JSON schemas of what the commands of this package print, one file per version; a published version never changes."""

from __future__ import annotations

import json
from importlib.resources import files

__all__ = ["output_schema"]


def output_schema(name: str) -> dict[str, object]:
    """The schema of what a command prints with `--json`, by the name that the output carries, such as `tacita-reproduce-1`."""
    text = files("tacita_papers.schemas").joinpath(f"{name.removeprefix('tacita-')}.json").read_text(encoding="utf-8")
    loaded: dict[str, object] = json.loads(text)
    return loaded
