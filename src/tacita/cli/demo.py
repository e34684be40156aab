"""`tacita demo`: the main job on a made-up transit agency, from raw file to two releases and their utility, in a few seconds.

The agency is simulated, so its true figures may be shown beside the released ones; with real data that table is for the owner's
eyes.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import polars as pl

from tacita.cli.interrupts import one_at_a_time, stop_if_asked
from tacita.cli.screen import progress_bar, say, say_json
from tacita.errors import OutputError
from tacita.privacy.budget import PureDP, decimal_text
from tacita.privacy.ledger import Ledger
from tacita.privacy.randomness import token
from tacita.privacy.release import require_new_folder
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, read_published, read_sequences
from tacita.simulate import TransitWorld
from tacita.utility import QueryWorkload, SequenceMeasures, SequenceUtility, report

__all__ = ["run"]

HEIGHT = 4
EPSILON = "1"
CAP = "2"
VARIANTS = ("simple", "hybrid")
COLUMNS = ("simulated", *VARIANTS)
FILES = {
    "taps.parquet": "the raw file of the simulated agency",
    "stations.csv": "its stations and lines; the first column is the public universe, both are the taxonomy",
    "agency.ledger": "what was spent, and the cap",
} | {f"release-{variant}": "sequences.parquet, manifest.json, README.md" for variant in VARIANTS}
MEASURES = SequenceMeasures(
    set_queries=QueryWorkload(longest=3, subsets=1, queries_each=2_000),
    occurrence_queries=QueryWorkload(longest=3, subsets=1, queries_each=2_000),
    tops=(100,),
)
"""What is measured: less than the papers do, so that it takes a moment."""

Table = dict[str, list[float | None]]


def run(options: argparse.Namespace) -> None:
    """Simulate, publish by a simple and by a hybrid tree, and compare."""
    folder = require_new_folder(_free_name() if options.out is None else options.out)
    with _appearing_whole(folder) as draft:
        table, spent = _publish_twice(draft)
    if options.json:
        say_json("tacita-demo-1", _as_json(folder, table, spent))
        return
    say(f"Each release satisfies {EPSILON}-differential privacy; the ledger holds epsilon {spent} of a cap of {CAP}.")
    say("The simple tree asks for the next station at once, the hybrid one for its line first.\n")
    say(_aligned(table))
    say(f"\nIn {folder}:")
    width = max(map(len, FILES)) + 2
    say("\n".join(f"  {name.ljust(width)}{what}" for name, what in FILES.items()))


def _as_json(folder: Path, table: Table, spent: str) -> dict[str, object]:
    return {
        "folder": str(folder),
        "files": {name: str(folder / name) for name in FILES},
        "epsilon": EPSILON,
        "spent": spent,
        "cap": CAP,
        "columns": list(COLUMNS),
        "table": [{"name": name, "values": values} for name, values in table.items()],
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


def _publish_twice(folder: Path) -> tuple[Table, str]:
    """The table to be shown, and what was spent."""
    _write_world(TransitWorld(passengers=100_000, stations=60, lines=4, mean_length=4.2, max_length=40), folder)
    universe = Universe.read(folder / "stations.csv")
    taps = read_sequences(folder / "taps.parquet", universe=universe)
    ledger = Ledger.create(folder / "agency.ledger")
    ledger.set_cap(taps.name, PureDP(CAP))
    lines = Taxonomy.read(folder / "stations.csv", child="station", parent="line", universe=universe)
    methods = (PrefixTree(height=HEIGHT), PrefixTree(height=HEIGHT, taxonomy=lines))
    found: list[SequenceUtility] = []
    for variant, method in zip(VARIANTS, methods, strict=True):
        with progress_bar(f"publishing by a {variant} tree") as progress:
            release = method.publish(taps, budget=PureDP(EPSILON), ledger=ledger, progress=progress)
        written = release.write(folder / f"release-{variant}")
        found.append(report(taps, read_published(written, universe=universe), measures=MEASURES))
        stop_if_asked()
    return _table(found), decimal_text(ledger.balance(taps.name).epsilon)


def _write_world(world: TransitWorld, folder: Path) -> None:
    world.tables()["sequences"].write_parquet(folder / "taps.parquet")
    lines = [world.taxonomy.name(parent) for parent in world.taxonomy.parents[: len(world.universe)]]
    pl.DataFrame({"station": world.universe.labels, "line": lines}).write_csv(folder / "stations.csv")


def _table(found: list[SequenceUtility]) -> Table:
    """Figures of the simulated agency and of each release; an error is one of a release only."""
    raw = found[0]
    return {
        "passengers": [raw.raw_records, *(one.released_records for one in found)],
        "taps a passenger": [raw.raw_mean_length, *(one.released_mean_length for one in found)],
        "error of counts of people by stations": [None, *(one.queries[0].average_relative_error for one in found)],
        "distance of station popularities": [None, *(one.distributions.symbols for one in found)],
        "frequent patterns found, of 100": [None, *(one.patterns[0].tops[0].true_positives for one in found)],
    }


def _aligned(table: Table) -> str:
    rows = [["", *COLUMNS], *([name, *map(_cell, row)] for name, row in table.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
