"""Writing tables and lines, compressed if the format says so.

Polars does the writing and compressing: lines are passed to it as large pieces of text, which it writes unchanged. What is too
large to be held at once is passed to it frame by frame, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from tacita.arrays.parts import numbered_parts
from tacita.arrays.ragged import Ragged
from tacita.errors import OutputError
from tacita.formats import Compression, StoredFormat
from tacita.io.formats import rows_of, table_of

__all__ = ["compressed", "joined_lines", "write_frame", "write_frames", "write_pieces"]

_PIECE = 1 << 22
_COMPRESSORS = {Compression.GZ: "gzip", Compression.ZST: "zstd"}


def write_frame(path: Path, frame: pl.DataFrame, *, stored: StoredFormat, separator: str | None = None) -> None:
    """Write rows in a format that has columns; `separator` divides them, where the format leaves that open."""
    try:
        table_of(stored.file_format, separator=separator).write(path, frame, stored.compression)
    except pl.exceptions.PolarsError as error:
        message = f"the data cannot be written: {error}"
        raise OutputError(message) from None


def write_frames(path: Path, frames: Iterable[pl.DataFrame], *, stored: StoredFormat) -> None:
    """Write the rows of several frames, one after the other; all frames have the columns of the first, and there is one."""
    left = iter(frames)
    first, second = next(left), next(left, None)
    if second is None:
        write_frame(path, first, stored=stored)
        return
    with _streamed(chain([first, second], left), first.schema) as rows:
        rows_of(stored.file_format).sink(path, rows, stored.compression)


def write_pieces(path: Path, pieces: Iterable[str], *, compression: Compression | None) -> None:
    """Write pieces of text one after the other; each holds at least one line; the final line end of each is added here."""
    left = iter(pieces)
    few = list(islice(left, 2))
    more = (_text([piece]) for piece in left)
    with _streamed(chain([_text(few)], more), pl.Schema({"piece": pl.String()})) as rows:
        rows.sink_csv(path, include_header=False, quote_style="never", **compressed(compression))


def _text(pieces: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"piece": pieces}, schema={"piece": pl.String})


@contextmanager
def _streamed(frames: Iterable[pl.DataFrame], schema: pl.Schema) -> Iterator[pl.LazyFrame]:
    """Rows that Polars takes frame by frame; what goes wrong while frames are made is raised as it is."""
    failed: list[Exception] = []

    def source(_columns: object, _predicate: object, _rows: object, _size: object) -> Iterator[pl.DataFrame]:
        try:
            yield from frames
        except Exception as error:
            failed.append(error)
            raise

    try:
        yield register_io_source(source, schema=schema)
    except pl.exceptions.PolarsError as error:
        if failed:
            raise failed[0] from None
        message = f"the data cannot be written: {error}"
        raise OutputError(message) from None


def joined_lines(sequences: Ragged, words: list[str], *, separator: str) -> Iterator[str]:
    """The lines of all non-empty lists, in large pieces without a final line end."""
    for _, part in numbered_parts(sequences):
        yield from _pieces(part, words, separator)


def _pieces(sequences: Ragged, words: list[str], separator: str) -> Iterator[str]:
    codes, offsets = sequences.codes, sequences.offsets[np.append(True, sequences.lengths > 0)]
    table = pl.Series([word + separator for word in words] + [word + "\n" for word in words], dtype=pl.String)
    cuts = np.unique(np.append(np.searchsorted(offsets, np.arange(0, codes.size, _PIECE)), offsets.size - 1))
    for start, end in pairwise(cuts.tolist()):
        first, last = int(offsets[start]), int(offsets[end])
        places = codes[first:last].astype(np.uint32)
        places[offsets[start + 1 : end + 1] - first - 1] += len(words)
        yield str(table.gather(pl.Series(places)).str.join("").item())[:-1]


def compressed(compression: Compression | None) -> dict[str, Any]:
    """The compression arguments for Polars."""
    return {} if compression is None else {"compression": _COMPRESSORS[compression], "check_extension": False}
