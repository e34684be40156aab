"""Pages of results."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_pages"]


def write_pages(folder: Path) -> None:
    """Write."""
    del folder
