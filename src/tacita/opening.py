"""Opening the release of any kind again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacita.errors import InputError
from tacita.io import read_manifest
from tacita.kinds import kinds, load
from tacita.public.inputs import UNKNOWN, PublicInputs

__all__ = ["open_release"]


def open_release(folder: str | Path, *, public: PublicInputs = UNKNOWN) -> Any:  # noqa: ANN401 - the data of any kind
    """The published data of a release folder, whatever its kind; the folder must be complete.

    Any public inputs given must be those that the release was made with; the others are taken from the folder.
    """
    manifest = read_manifest(folder)
    kind = kinds().get(manifest["kind"])
    if kind is None:
        message = f"the release {str(folder)!r} is of the kind {manifest['kind']}, which no installed package knows"
        raise InputError(message)
    return load(kind.opened)(Path(folder), manifest, public=public)
