"""JSON schemas of what Tacita writes and prints, one file per version; a released version never changes."""

from __future__ import annotations

import json
from importlib.resources import files

__all__ = ["manifest_schema", "output_schema"]


def manifest_schema() -> dict[str, object]:
    """The schema of a manifest."""
    return _read("manifest-1.json")


def output_schema(name: str) -> dict[str, object]:
    """The schema of what a command prints with `--json`, by the name that the output carries, such as `tacita-publish-1`."""
    return _read(f"{name.removeprefix('tacita-')}.json")


def _read(file: str) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(files("tacita.schemas").joinpath(file).read_text(encoding="utf-8"))
    return loaded
