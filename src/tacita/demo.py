"""The main workflow on a made-up transit agency: from a raw file to three releases and their utility, in a few seconds.

The first is what an owner gets who names no method; beside it are the trees of the papers.

The agency is simulated, so its true figures may be shown beside the released ones; with real data that table would be for the
owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import polars as pl

from tacita.kinds import kinds
from tacita.kinds.wanted import choose_method
from tacita.opening import open_release
from tacita.pages.evaluation import report_pages
from tacita.pictures import render
from tacita.privacy.budget import PureDP, decimal_text
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import Progress
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, SequenceRecords, read_published, read_sequences
from tacita.simulate import TransitWorld
from tacita.utility import QueryWorkload, SequenceMeasures, SequenceUtility, report

__all__ = ["CAP", "COLUMNS", "EPSILON", "FILES", "Table", "publish_agency"]

HEIGHT = 4
EPSILON = "1"
CAP = "3"
VARIANTS = ("default", "simple", "hybrid")
COLUMNS = ("simulated", *VARIANTS)
FILES = {
    "taps.parquet": "the raw file of the simulated agency",
    "stations.csv": "its stations and lines; the first column is the public universe, both together are the taxonomy",
    "agency.ledger": "what was spent, and the cap",
    "report.html": "what release-default promises and keeps, as its owner sees it; open it in a browser",
} | {f"release-{variant}": "the data, with manifest.json, README.md and croissant.json" for variant in VARIANTS}
MEASURES = SequenceMeasures(
    set_queries=QueryWorkload(longest=3, subsets=1, queries_each=2_000),
    occurrence_queries=QueryWorkload(longest=3, subsets=1, queries_each=2_000),
    tops=(100,),
)
"""What is measured: less than in the papers, so that it takes only a moment."""

Table = dict[str, list[float | None]]

Watch = Callable[[str], AbstractContextManager[Progress]]
"""From the name of a task to a context that shows its progress."""


def publish_agency(folder: Path, *, watch: Watch, stop_if_asked: Callable[[], None]) -> tuple[Table, str, str]:
    """The table to show, what was spent, and which method was chosen by default."""
    _write_world(TransitWorld(passengers=100_000, stations=60, lines=4, mean_length=4.2, max_length=40), folder)
    universe = Universe.read(folder / "stations.csv")
    taps = read_sequences(folder / "taps.parquet", universe=universe)
    ledger = Ledger.create(folder / "agency.ledger")
    ledger.set_cap(taps.name, PureDP(CAP))
    lines = Taxonomy.read(folder / "stations.csv", child="station", parent="line", universe=universe)
    default = choose_method("sequences", budget=PureDP(EPSILON), public=taps.public)
    methods = (default.method, PrefixTree(height=HEIGHT), PrefixTree(height=HEIGHT, taxonomy=lines))
    found: list[SequenceUtility] = []
    for variant, method in zip(VARIANTS, methods, strict=True):
        with watch(f"publishing, {variant}") as progress:
            release = method.publish(taps, budget=PureDP(EPSILON), ledger=ledger, progress=progress)
        written = release.write(folder / f"release-{variant}")
        found.append(report(taps, read_published(written, universe=universe), measures=MEASURES))
        stop_if_asked()
    _write_report(folder, taps, lines)
    return _table(found), decimal_text(ledger.balance(taps.name).epsilon), default.name


def _write_report(folder: Path, taps: SequenceRecords, lines: Taxonomy) -> None:
    """The owner's page on the default release."""
    name = f"release-{VARIANTS[0]}"
    opened, published = open_release(folder / name), read_published(folder / name)
    kind = kinds()["sequences"]
    page = report_pages(kind, opened.manifest, published, folder=name, read=lambda: taps, groups=lines)["owner"]
    (folder / "report.html").write_text(render(page), encoding="utf-8")


def _write_world(world: TransitWorld, folder: Path) -> None:
    world.tables()["sequences"].write_parquet(folder / "taps.parquet")
    lines = [world.taxonomy.name(parent) for parent in world.taxonomy.parents[: len(world.universe)]]
    pl.DataFrame({"station": world.universe.labels, "line": lines}).write_csv(folder / "stations.csv")


def _table(found: list[SequenceUtility]) -> Table:
    """The figures of the simulated agency and of each release; only a release has an error."""
    raw = found[0]
    return {
        "passengers": [raw.raw_records, *(one.released_records for one in found)],
        "taps per passenger": [raw.raw_mean_length, *(one.released_mean_length for one in found)],
        "error of counting people by stations": [None, *(one.queries[0].average_relative_error for one in found)],
        "distance of round trips": [None, *(one.distributions.round_trips for one in found)],
        "distance of station popularities": [None, *(one.distributions.symbols for one in found)],
        "frequent patterns found, of 100": [None, *(one.patterns[0].tops[0].true_positives for one in found)],
    }
