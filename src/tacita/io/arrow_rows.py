"""Arrow files, also called Feather: the columns of edges."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tacita.errors import InputError
from tacita.formats import Compression
from tacita.io.columns import POLARS_FAILURES, picked
from tacita.io.formats import Chosen
from tacita.io.misfits import Misfits
from tacita.io.options import TextDialect
from tacita.io.sources import input_bytes, input_name

__all__ = ["ARROW"]


class Arrow:
    """Reads and writes Arrow files."""

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect, misfits: Misfits) -> pl.DataFrame:  # noqa: ARG002 - no text
        """The columns that `chosen` names."""
        try:
            frame = pl.read_ipc(io.BytesIO(input_bytes(path)))
        except POLARS_FAILURES:
            message = f"{input_name(path)} cannot be read as arrow: it is not a complete file of that format"
            raise InputError(message) from None
        return picked(frame, chosen, input_name(path))

    def write(self, path: Path, frame: pl.DataFrame, compression: Compression | None) -> None:  # noqa: ARG002 - no text
        """Write rows."""
        frame.write_ipc(path)

    def fields(self, path: Path) -> Mapping[str, pl.DataType]:  # noqa: ARG002 - nothing is described
        """Croissant does not know such files."""
        return {}


ARROW = Arrow()
