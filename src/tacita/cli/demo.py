"""`tacita demo`: the main job on a made-up transit agency, from raw file to release, in a few seconds.

The agency is simulated, so its true counts may be shown beside the released ones; with real data that table is for the owner's
eyes.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.cli.interrupts import one_at_a_time, stop_if_asked
from tacita.cli.screen import progress_bar, say, say_json
from tacita.core.budget import PureDP, decimal_text
from tacita.core.errors import OutputError
from tacita.core.ledger import Ledger
from tacita.core.ragged import Ragged
from tacita.core.randomness import token
from tacita.core.release import require_new_folder
from tacita.core.universe import Universe
from tacita.sequences import PrefixTree, read_sequences
from tacita.simulate import TransitWorld

__all__ = ["run"]

HEIGHTS = (3, 8)
EPSILON = "1"
CAP = "2"
COLUMNS = ("simulated", *(f"height {height}" for height in HEIGHTS))
FILES = {
    "taps.parquet": "the raw file of the simulated agency",
    "stations.csv": "its stations and lines; the first column is the public universe",
    "agency.ledger": "what was spent, and the cap",
} | {f"release-height-{height}": "sequences.parquet, manifest.json, README.md" for height in HEIGHTS}


def run(options: argparse.Namespace) -> None:
    """Simulate, publish twice with different heights, and compare."""
    folder = require_new_folder(_free_name() if options.out is None else options.out)
    with _appearing_whole(folder) as draft:
        table, spent = _publish_twice(draft)
    if options.json:
        say_json("tacita-demo-1", _as_json(folder, table, spent))
        return
    say(f"Each release satisfies {EPSILON}-differential privacy; the ledger holds epsilon {spent} of a cap of {CAP}.\n")
    say(_aligned(table))
    say(f"\nIn {folder}:")
    width = max(map(len, FILES)) + 2
    say("\n".join(f"  {name.ljust(width)}{what}" for name, what in FILES.items()))


def _as_json(folder: Path, table: dict[str, list[int]], spent: str) -> dict[str, object]:
    return {
        "folder": str(folder),
        "files": {name: str(folder / name) for name in FILES},
        "epsilon": EPSILON,
        "spent": spent,
        "cap": CAP,
        "columns": list(COLUMNS),
        "table": [{"name": name, "counts": counts} for name, counts in table.items()],
    }


def _free_name() -> str:
    names = ("tacita-demo" if number == 1 else f"tacita-demo-{number}" for number in count(1))
    return next(name for name in names if not Path(name).exists())


@contextmanager
def _appearing_whole(folder: Path) -> Iterator[Path]:
    """A draft that becomes the folder when everything in it is done, and is gone otherwise."""
    draft = folder.with_name(f".{folder.name}.{token()}.partial")
    try:
        draft.mkdir()
        yield draft
        stop_if_asked()
        draft.rename(folder)
    except (OSError, pl.exceptions.PolarsError) as error:
        message = f"the demo cannot be written to {str(folder)!r}: {error}; nothing was left there"
        raise OutputError(message) from None
    finally:
        with one_at_a_time():
            shutil.rmtree(draft, ignore_errors=True)


def _publish_twice(folder: Path) -> tuple[dict[str, list[int]], str]:
    """The table to be shown, and what was spent."""
    _write_world(TransitWorld(passengers=100_000, stations=60, lines=4, mean_length=4.2, max_length=40), folder)
    universe = Universe.read(folder / "stations.csv")
    taps = read_sequences(folder / "taps.parquet", universe=universe)
    ledger = Ledger(folder / "agency.ledger")
    ledger.set_cap(taps.name, PureDP(CAP))
    compared = [taps.sequences]
    for height in HEIGHTS:
        with progress_bar(f"publishing with height {height}") as progress:
            release = PrefixTree(height=height).publish(taps, budget=PureDP(EPSILON), ledger=ledger, progress=progress)
        release.write(folder / f"release-height-{height}")
        compared.append(release.data.sequences)
    return _table(compared, universe), decimal_text(ledger.balance(taps.name).epsilon)


def _write_world(world: TransitWorld, folder: Path) -> None:
    world.tables()["sequences"].write_parquet(folder / "taps.parquet")
    lines = [world.taxonomy.name(parent) for parent in world.taxonomy.parents[: len(world.universe)]]
    pl.DataFrame({"station": world.universe.labels, "line": lines}).write_csv(folder / "stations.csv")


def _table(compared: list[Ragged], universe: Universe) -> dict[str, list[int]]:
    """How often people begin with the most frequent pairs of stations, in the simulated data and in each release."""
    pairs = [_first_pairs(sequences, len(universe)) for sequences in compared]
    rows: dict[str, list[int]] = {}
    for pair in np.argsort(-pairs[0], kind="stable")[:5]:
        stations = " to ".join(universe.labels[code] for code in divmod(int(pair), len(universe)))
        rows[stations] = [int(counts[pair]) for counts in pairs]
    rows["all passengers"] = [len(sequences) for sequences in compared]
    rows["all taps"] = [sequences.codes.size for sequences in compared]
    return rows


def _aligned(table: dict[str, list[int]]) -> str:
    rows = [["journeys that begin with", *COLUMNS], *([name, *(f"{number:,}" for number in row)] for name, row in table.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )


def _first_pairs(sequences: Ragged, symbols: int) -> npt.NDArray[np.int64]:
    starts = sequences.offsets[:-1][sequences.lengths > 1]
    pairs = sequences.codes[starts].astype(np.int64) * symbols + sequences.codes[starts + 1]
    return np.bincount(pairs, minlength=symbols**2).astype(np.int64)
