"""Writing tables and lines, compressed if the format says so.

Polars does the writing and compressing: lines are passed to it as large pieces of text, which it writes unchanged.
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
_COMPRESSORS = {Compression.GZ: "gzip", Compression.ZST: "zstd"}


def write_frame(path: Path, frame: pl.DataFrame, *, stored: StoredFormat) -> None:
    """Write rows as Parquet, CSV or JSON lines."""
    try:
        if stored.file_format is FileFormat.PARQUET:
            frame.write_parquet(path)
        elif stored.file_format is FileFormat.JSONL:
            frame.write_ndjson(path, **_compressed(stored.compression))
        else:
            frame.write_csv(path, **_compressed(stored.compression))
    except pl.exceptions.PolarsError as error:
        message = f"the data cannot be written: {error}"
        raise OutputError(message) from None


def write_pieces(path: Path, pieces: Iterator[str], *, compression: Compression | None) -> None:
    """Write pieces of text one after the other; each holds at least one line; the final line end of each is added here."""
    frame = pl.DataFrame({"piece": list(pieces)}, schema={"piece": pl.String})
    try:
        frame.write_csv(path, include_header=False, quote_style="never", **_compressed(compression))
    except pl.exceptions.PolarsError as error:
        message = f"the data cannot be written: {error}"
        raise OutputError(message) from None


def joined_lines(sequences: Ragged, words: list[str], *, separator: str) -> Iterator[str]:
    """The lines of all non-empty lists, in large pieces without a final line end."""
    codes, offsets = sequences.codes, sequences.offsets[np.append(True, sequences.lengths > 0)]
    table = pl.Series([word + separator for word in words] + [word + "\n" for word in words], dtype=pl.String)
    cuts = np.unique(np.append(np.searchsorted(offsets, np.arange(0, codes.size, _PIECE)), offsets.size - 1))
    for start, end in pairwise(cuts.tolist()):
        first, last = int(offsets[start]), int(offsets[end])
        places = codes[first:last].astype(np.uint32)
        places[offsets[start + 1 : end + 1] - first - 1] += len(words)
        yield str(table.gather(pl.Series(places)).str.join("").item())[:-1]


def _compressed(compression: Compression | None) -> dict[str, Any]:
    """The compression arguments for Polars."""
    return {} if compression is None else {"compression": _COMPRESSORS[compression], "check_extension": False}
