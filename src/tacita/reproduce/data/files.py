"""Where real data are found."""

from __future__ import annotations

import os
from pathlib import Path

from tacita.errors import InputError

__all__ = ["MissingDataError", "data_file"]


class MissingDataError(InputError):
    """A real data set is not there; experiments go on without it and say so."""


def data_file(*parts: str) -> Path:
    """A file of the folder that TACITA_DATA names."""
    folder = os.environ.get("TACITA_DATA", "")
    path = Path(folder, *parts)
    if not folder or not path.is_file():
        message = f"the real data set {'/'.join(parts)} is looked for in the folder that TACITA_DATA names; it is not there"
        raise MissingDataError(message)
    return path
