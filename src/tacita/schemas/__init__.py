"""JSON schemas of what Tacita writes, one file a version; a published version never changes."""

from __future__ import annotations

import json
from importlib.resources import files

__all__ = ["manifest_schema"]


def manifest_schema(version: int = 1) -> dict[str, object]:
    """The schema of a manifest."""
    text = files("tacita.schemas").joinpath(f"manifest-{version}.json").read_text(encoding="utf-8")
    loaded: dict[str, object] = json.loads(text)
    return loaded
