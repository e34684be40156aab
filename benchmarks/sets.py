"""What publishers of baskets keep of real baskets (`TACITA_DATA`) and of a made-up agency as sets.

Prints the tables of `docs/reference/measured-sets.md`: for each collection, method and epsilon, means over runs with fresh noise
of the average relative errors of counting queries (five subsets by length) and of the utility of the top 100 itemsets, with the
shortest time of a run. An empty release is shown for comparison. `--only` chooses collections, `--methods` and `--epsilons` the
rest.
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
from collections.abc import Callable, Iterator
from csv import reader
from pathlib import Path
from statistics import mean

from tacita.arrays.ragged import Ragged, distinct
from tacita.io import declared_universe
from tacita.privacy.budget import PureDP
from tacita.privacy.publishing import Mechanism
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts, diffpart, read_baskets
from tacita.simulate import BasketWorld, TransitWorld
from tacita.utility.sets import SetMeasures, SetUtility, report

EPSILONS = ("0.1", "0.5", "0.75", "1", "1.25")
MEASURES = SetMeasures(tops=(100,))
LARGEST_HISTOGRAM = 61


def msnbc(folder: Path) -> BasketRecords:
    """Page categories of users, as sets."""
    path = folder / "msnbc" / "msnbc990928.seq.gz"
    return read_baskets(path, universe=declared_universe(path))


def fimi(name: str) -> Callable[[Path], BasketRecords]:
    """Baskets of numbers; the universe is taken from the data, as in the papers."""

    def read(folder: Path) -> BasketRecords:
        path = folder / "baskets" / f"{name}.dat.gz"
        return read_baskets(path, universe=Universe.observed(gzip.decompress(path.read_bytes()).decode().split()))

    return read


def groceries(folder: Path) -> BasketRecords:
    """Baskets of names, with commas between them."""
    with gzip.open(folder / "baskets" / "groceries.csv.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in reader(lines) if row]
    return BasketRecords.from_labels(rows, universe=Universe.observed(label for row in rows for label in row))


def agency() -> BasketRecords:
    """The stations that passengers of a simulated agency were at."""
    world = TransitWorld.stm()
    return BasketRecords(baskets=distinct(world.sequences(), symbols=len(world.universe)), universe=world.universe)


def shop() -> BasketRecords:
    """A made-up shop of medium size."""
    world = BasketWorld(baskets=200_000, items=2_000, categories=50, mean_length=5, max_length=40)
    return BasketRecords(baskets=world.baskets_of_codes(), universe=world.universe)


COLLECTIONS: dict[str, Callable[[Path], BasketRecords]] = {
    "MSNBC": msnbc,
    "groceries": groceries,
    "BMS-WebView-1": fimi("BMS-WebView-1"),
    "retail": fimi("retail"),
    "shop": lambda _: shop(),
    "agency": lambda _: agency(),
}


def methods(records: BasketRecords) -> Iterator[tuple[str, Mechanism]]:
    """The publishers that accept such records; the histogram is given their number, as if it were public."""
    yield "itemset-counts", ItemsetCounts()
    yield "diffpart", DiffPart()
    if len(records.universe) <= LARGEST_HISTOGRAM:
        yield "histogram", FlatHistogram(expected_records=len(records.baskets))


def figures(found: list[SetUtility]) -> str:
    """The means over runs, as cells of a table."""
    errors = [
        mean(values) for values in zip(*([query.average_relative_error for query in run.queries] for run in found), strict=True)
    ]
    measured = [run.patterns[0].tops[0].utility for run in found if run.patterns[0].tops]  # without one, too many itemsets tie
    utility = f"{mean(measured):.3f}" if measured else "ties"
    size = mean(run.released_mean_length for run in found)
    return " | ".join([*(f"{error:.4f}" for error in errors), utility, f"{size:.2f}"])


def table(name: str, records: BasketRecords, options: argparse.Namespace) -> None:
    """One collection."""
    empty = report(records, Ragged.from_lists([]), symbols=len(records.universe), measures=MEASURES)
    lengths = " | ".join(f"up to {query.max_length}" for query in empty.queries)
    sizes = f"{len(records.baskets):,} baskets over {len(records.universe):,} items, mean size {empty.raw_mean_length:.2f}"
    print(f"\n### {name}: {sizes}\n")
    print(f"| method | epsilon | {lengths} | top 100 | mean size | seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    print(f"| nothing | | {figures([empty])} | |")
    for method, mechanism in methods(records):
        for epsilon in options.epsilons if method in options.methods else ():
            found: list[SetUtility] = []
            seconds: list[float] = []
            for _ in range(options.runs):
                start = time.perf_counter()
                release = mechanism.publish(records, budget=PureDP(epsilon))
                seconds.append(time.perf_counter() - start)
                found.append(report(records, release, measures=MEASURES))
            print(f"| {method} | {epsilon} | {figures(found)} | {min(seconds):.2f} |", flush=True)


def main() -> None:
    """Print the requested tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=COLLECTIONS, default=list(COLLECTIONS))
    parser.add_argument("--methods", nargs="*", default=["itemset-counts", "diffpart", "histogram"])
    parser.add_argument("--epsilons", nargs="*", default=EPSILONS)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--false-leaves", type=float, default=diffpart.FALSE_LEAVES, help="of DiffPart, instead of its constant")
    options = parser.parse_args()
    diffpart.FALSE_LEAVES = options.false_leaves
    folder = Path(os.environ.get("TACITA_DATA", ""))
    for name in options.only:
        try:
            records = COLLECTIONS[name](folder)
        except FileNotFoundError as error:
            print(f"\n{name} is left out: {error}")
            continue
        table(name, records, options)


if __name__ == "__main__":
    main()
