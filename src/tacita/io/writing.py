"""Writing tables and lines, packed where the format says so.

Polars writes, also the packed files: lines are handed over as large pieces of text that it passes on as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import OutputError
from tacita.io.formats import Compression, FileFormat, StoredFormat

__all__ = ["joined_lines", "write_frame", "write_pieces"]

_PIECE = 1 << 22
_PACKING = {Compression.GZ: "gzip", Compression.ZST: "zstd"}


def write_frame(path: Path, frame: pl.DataFrame, *, stored: StoredFormat) -> None:
    """Write rows as Parquet, CSV or JSON lines."""
    try:
        if stored.file_format is FileFormat.PARQUET:
            frame.write_parquet(path)
        elif stored.file_format is FileFormat.JSONL:
            frame.write_ndjson(path, **_packed(stored.compression))
        else:
            frame.write_csv(path, **_packed(stored.compression))
    except pl.exceptions.PolarsError as error:
        message = f"the data cannot be written: {error}"
        raise OutputError(message) from None


def write_pieces(path: Path, pieces: Iterator[str], *, compression: Compression | None) -> None:
    """Write pieces of text one after the other; each is a line at least, and the end of its last line is added here."""
    frame = pl.DataFrame({"piece": list(pieces)}, schema={"piece": pl.String})
    try:
        frame.write_csv(path, include_header=False, quote_style="never", **_packed(compression))
    except pl.exceptions.PolarsError as error:
        message = f"the data cannot be written: {error}"
        raise OutputError(message) from None


def joined_lines(sequences: Ragged, texts: list[str], *, separator: str) -> Iterator[str]:
    """The lines of all lists that hold anything, in large pieces without a line end at the end of a piece."""
    codes, offsets = sequences.codes, sequences.offsets[np.append(True, sequences.lengths > 0)]
    table = pl.Series([text + separator for text in texts] + [text + "\n" for text in texts], dtype=pl.String)
    cuts = np.unique(np.append(np.searchsorted(offsets, np.arange(0, codes.size, _PIECE)), offsets.size - 1))
    for start, end in pairwise(cuts.tolist()):
        first, last = int(offsets[start]), int(offsets[end])
        places = codes[first:last].astype(np.uint32)
        places[offsets[start + 1 : end + 1] - first - 1] += len(texts)
        yield str(table.gather(pl.Series(places)).str.join("").item())[:-1]


def _packed(compression: Compression | None) -> dict[str, Any]:
    """What Polars is to be told of packing."""
    return {} if compression is None else {"compression": _PACKING[compression], "check_extension": False}
