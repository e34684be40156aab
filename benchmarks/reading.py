"""How fast files are read and written, compared with a floor that is pinned here: plain Polars, nothing of ours.

The floor reads the same columns into the same types and casts the labels to a fixed enumeration, which anybody who needs codes
must do. Ids in CSV are strings for the floor too, because by our rule 007 and 7 are two people. Do not change the floor: ratios
are only comparable against the same one. Only we group the rows of unsorted files by person.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import polars as pl

from data import TransitFiles
from run import best, line
from tacita.io import (
    Compression,
    FileFormat,
    LongColumns,
    declared_universe,
    read_lists,
    read_long,
    read_seq,
    write_long,
    write_seq,
)
from tacita.public.universe import Universe
from tacita.sets import read_baskets

PASSENGERS = 1_200_000
COLUMNS = ["id", "label", "time"]


def reading_floor(source: Path, labels: list[str]) -> pl.DataFrame:
    """Read long rows of (id, label, time) in the format given by the extension, with labels as an enumeration."""
    match source.suffix:
        case ".parquet":
            frame = pl.read_parquet(source, columns=COLUMNS)
        case ".csv":
            frame = pl.read_csv(source, schema={"id": pl.String, "label": pl.String, "time": pl.Int64})
        case _:
            frame = pl.read_ndjson(source, schema={"id": pl.Int64, "label": pl.String, "time": pl.Int64})
    return frame.with_columns(pl.col("label").cast(pl.Enum(labels)))


def long_rows(folder: Path) -> None:
    """Long rows of 1.2 million passengers."""
    files = TransitFiles(folder=folder, passengers=PASSENGERS)
    files.make(".parquet", ".csv", "-by-time.parquet")
    pl.read_parquet(files.path(".parquet")).write_ndjson(files.path(".jsonl"))
    labels, universe = files.labels, Universe(files.labels)
    for ending, bound in ((".csv", "at most 1.3"), (".parquet", "at most 1.3"), (".jsonl", ""), ("-by-time.parquet", "")):
        source = files.path(ending)
        ours_s, floor_s = best(
            7,
            lambda source=source: read_long(source, universe=universe),
            lambda source=source: reading_floor(source, labels),
        )
        what = f"read {PASSENGERS:,} sequences from {ending.lstrip('.-')}: ours over the floor"
        line(what, ours_s / floor_s, bound, f"{ours_s:.2f} s, floor {floor_s:.2f} s")
    for ending in (".parquet", "-by-time.parquet"):
        source = files.path(ending)
        sets_s, sequences_s = best(
            3,
            lambda source=source: read_baskets(source, universe=universe),
            lambda source=source: read_long(source, universe=universe),
        )
        what = f"read {PASSENGERS:,} sets from {ending.lstrip('.-')}: over reading sequences"
        line(what, sets_s / sequences_s, "", f"{sets_s:.2f} s, sequences {sequences_s:.2f} s")
    lists, _ = read_long(files.path(".parquet"), universe=universe)
    frame = reading_floor(files.path(".parquet"), labels)
    for file_format in (FileFormat.CSV, FileFormat.PARQUET):
        target = folder / f"written{file_format.ending}"
        ours_s, floor_s = best(
            3,
            lambda target=target, kind=file_format: write_long(
                target, lists, universe=universe, columns=LongColumns(), file_format=kind
            ),
            lambda target=target: frame.write_parquet(target) if target.suffix == ".parquet" else frame.write_csv(target),
        )
        line(
            f"write them as {file_format}: ours over Polars writing",
            ours_s / floor_s,
            "",
            f"{ours_s:.2f} s, floor {floor_s:.2f} s",
        )


def lines_of_msnbc(data: Path, folder: Path) -> None:
    """The real `.seq` file: read, written and read again in every compression."""
    source = data / "msnbc" / "msnbc990928.seq.gz"
    universe = declared_universe(source)
    lists, _ = read_seq(source, universe=universe)
    (seconds,) = best(7, lambda: read_seq(source, universe=universe))
    line(f"read {len(lists):,} sequences from .seq.gz: over 0.5 s", seconds / 0.5, "below 1", f"{seconds:.3f} s")
    (seconds,) = best(7, lambda: read_baskets(source, universe=universe))
    line(f"read {len(lists):,} sets from .seq.gz: over 0.35 s", seconds / 0.35, "below 1", f"{seconds:.3f} s")
    for packing in (None, *Compression):
        target = folder / f"out.seq{'.' + packing if packing else ''}"
        written_s, read_s = best(
            3,
            lambda target=target, packing=packing: write_seq(target, lists, universe=universe, compression=packing),
            lambda target=target: read_lists(target, universe=universe),
        )
        line(f"write and read again {target.name}: write over read", written_s / read_s, "", f"{written_s:.3f} s, {read_s:.3f} s")


def main() -> None:
    """Run all of them; the real file only if TACITA_DATA names its folder."""
    print(f"{'what':<84} {'ratio':>8}  {'bound':<14} seconds (Polars threads: {pl.thread_pool_size()})")
    with tempfile.TemporaryDirectory() as folder:
        if os.environ.get("TACITA_DATA"):
            lines_of_msnbc(Path(os.environ["TACITA_DATA"]), Path(folder))
        else:
            print("TACITA_DATA is not set: the real .seq file is left out", file=sys.stderr)
        long_rows(Path(folder))


if __name__ == "__main__":
    main()
