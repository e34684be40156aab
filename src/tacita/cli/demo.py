"""`tacita demo`: the main job on a made-up transit agency, from raw file to release, in a few seconds.

The agency is simulated, so its true counts may be shown beside the released ones; with real data that table is for the owner's
eyes.
"""

from __future__ import annotations

import argparse
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.cli.screen import progress_bar, say
from tacita.core.budget import PureDP, decimal_text
from tacita.core.ledger import Ledger
from tacita.core.ragged import Ragged
from tacita.core.release import require_new_folder
from tacita.core.universe import Universe
from tacita.sequences import PrefixTree, read_sequences
from tacita.simulate import TransitWorld

__all__ = ["run"]

HEIGHTS = (3, 8)
EPSILON = "1"
CAP = "2"


def run(options: argparse.Namespace) -> None:
    """Simulate, publish twice with different heights, and compare."""
    folder = require_new_folder(_free_name() if options.out is None else options.out)
    folder.mkdir()
    world = TransitWorld(passengers=100_000, stations=60, lines=4, mean_length=4.2, max_length=40)
    _write_world(world, folder)
    universe = Universe.read(folder / "stations.csv")
    taps = read_sequences(folder / "taps.parquet", universe=universe)
    ledger = Ledger(folder / "agency.ledger")
    ledger.set_cap(taps.name, PureDP(CAP))
    released: dict[int, Ragged] = {}
    for height in HEIGHTS:
        with progress_bar(f"publishing with height {height}") as progress:
            release = PrefixTree(height=height).publish(taps, budget=PureDP(EPSILON), ledger=ledger, progress=progress)
        release.write(folder / f"release-height-{height}")
        released[height] = release.data.sequences
    say(_table(taps.sequences, released, universe))
    spent = decimal_text(ledger.balance(taps.name).epsilon)
    say(f"\nEach release satisfies {EPSILON}-differential privacy; the ledger holds epsilon {spent} of a cap of {CAP}.")
    say(f"In {folder}: the simulated taps.parquet and stations.csv, agency.ledger, and")
    say("\n".join(f"  release-height-{height}/: sequences.parquet, manifest.json, README.md" for height in HEIGHTS))


def _free_name() -> str:
    names = ("tacita-demo" if number == 1 else f"tacita-demo-{number}" for number in count(1))
    return next(name for name in names if not Path(name).exists())


def _write_world(world: TransitWorld, folder: Path) -> None:
    world.tables()["sequences"].write_parquet(folder / "taps.parquet")
    lines = [world.taxonomy.name(parent) for parent in world.taxonomy.parents[: len(world.universe)]]
    pl.DataFrame({"station": world.universe.labels, "line": lines}).write_csv(folder / "stations.csv")


def _table(raw: Ragged, released: dict[int, Ragged], universe: Universe) -> str:
    """How often people begin with the most frequent pairs of stations, in the simulated data and in each release."""
    columns = {"simulated": raw} | {f"height {height}": sequences for height, sequences in released.items()}
    pairs = [_first_pairs(sequences, len(universe)) for sequences in columns.values()]
    rows = [["journeys that begin with", *columns]]
    for pair in np.argsort(-pairs[0], kind="stable")[:5]:
        stations = " to ".join(universe.labels[code] for code in divmod(int(pair), len(universe)))
        rows.append([stations, *(f"{int(counts[pair]):,}" for counts in pairs)])
    rows.append(["all passengers", *(f"{len(sequences):,}" for sequences in columns.values())])
    rows.append(["all taps", *(f"{sequences.codes.size:,}" for sequences in columns.values())])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )


def _first_pairs(sequences: Ragged, symbols: int) -> npt.NDArray[np.int64]:
    starts = sequences.offsets[:-1][sequences.lengths > 1]
    pairs = sequences.codes[starts].astype(np.int64) * symbols + sequences.codes[starts + 1]
    return np.bincount(pairs, minlength=symbols**2).astype(np.int64)
