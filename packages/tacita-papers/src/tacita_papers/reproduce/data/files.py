"""Where real data are found."""

from __future__ import annotations

import os
from pathlib import Path

from tacita.errors import MissingDataError

__all__ = ["data_file"]


def data_file(*parts: str) -> Path:
    """A file of the folder that TACITA_DATA names."""
    folder = os.environ.get("TACITA_DATA", "")
    path = Path(folder, *parts)
    if not folder or not path.is_file():
        message = f"the real data set {'/'.join(parts)} is looked for in the folder that TACITA_DATA names; it is not there"
        raise MissingDataError(message)
    return path
