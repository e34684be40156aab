"""GPS points released as sequences of cells: density, trips, lengths, diameters and patterns, as PrivTrace reports them.

    TACITA_DATA=folder python benchmarks/places.py [--runs 3] [--data NAME ...] [--cells 16 32] [--epsilon 0.5 1 2]

Prints a Markdown table, means over runs with fresh noise. PrivTrace (Wang, Zhang, Wang, He, Backes, Chen, Zhang: USENIX Security
2023) is not on PyPI, and its printed figures are of other parts of these data on a grid of its own, so nothing here is theirs.
`chain` is what its first-order model does, in a few lines: transitions with a virtual start and end, each trajectory weighing 1,
Laplace noise in floats, negative counts set to 0, walks. It is a baseline, and not private. `half` is one half of the
trajectories beside the other: how far two samples of the same people are apart without any noise.

Measures, each 0 if nothing differs and at most 1. The first four are Jensen-Shannon divergences in bits: density of visits by
cell; trips, first and last cell together; lengths in kilometres along the centres of cells; diameters, the largest distance
between two cells of a trajectory. Lengths and diameters are in 20 bins from 0 to the longest true one. Patterns: the share of the
100 most frequent runs of 2 to 5 cells that is not among the 100 most frequent ones of the release.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.ragged import Ragged, chosen
from tacita.io import LongColumns, ReadOptions
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.cells import KM_PER_DEGREE, CellGrid
from tacita.sequences import NGram, Raked, SequenceRecords, read_sequences
from tacita_papers.reproduce.data.files import data_file
from tacita_papers.reproduce.data.movements import DAY, EAST, NORTH, SOUTH, WEST

MEASURES = ("density", "trips", "lengths", "diameters", "patterns")
BINS, TOP, SHORTEST, LONGEST = 20, 100, 2, 5
CUT = 100

Table = npt.NDArray[np.float64]


def tdrive() -> pl.DataFrame:
    """One trajectory a taxi and day."""
    frame = pl.read_csv(data_file("tdrive", "tdrive_600taxis.csv.gz"))
    return frame.select(id=pl.format("{} {}", "taxi", pl.col("unix_time") // DAY), time="unix_time", lat="lat", lon="lon")


def geolife() -> pl.DataFrame:
    """One trajectory as its person recorded it."""
    frame = pl.read_csv(data_file("geolife", "geolife_beijing_1min.csv.gz"))
    return frame.select(id=pl.format("{} {}", "user", "traj"), time="unix_time", lat="lat", lon="lon")


DATA: Mapping[str, Callable[[], pl.DataFrame]] = {"T-Drive": tdrive, "GeoLife": geolife}


def jensen_shannon(one: Table, other: Table) -> float:
    """The divergence of two histograms, in bits."""
    if not one.sum() or not other.sum():
        return 1.0
    first, second = one / one.sum(), other / other.sum()
    middle = (first + second) / 2
    parts = (float((share[share > 0] * np.log2(share[share > 0] / middle[share > 0])).sum() / 2) for share in (first, second))
    return max(sum(parts), 0.0)


class Measured:
    """One side of the comparison."""

    def __init__(self, lists: Ragged, cells: CellGrid) -> None:
        """Everything that is compared."""
        lists = chosen(lists, np.flatnonzero(lists.lengths > 0))
        size = cells.rows * cells.columns
        codes = lists.codes.astype(np.int64)
        first, last = codes[lists.offsets[:-1]], codes[lists.offsets[1:] - 1]
        north, east = kilometres(cells)
        self.density = np.bincount(codes, minlength=size).astype(float)
        self.trips = np.bincount(first * size + last, minlength=size * size).astype(float)
        steps = np.hypot(np.diff(north[codes]), np.diff(east[codes]))
        steps[lists.offsets[1:-1] - 1] = 0.0
        self.lengths = np.add.reduceat(np.append(steps, 0.0), lists.offsets[:-1])
        self.diameters = np.array([diameter(np.unique(row), north, east) for row in lists.to_lists()])
        counted: Counter[tuple[int, ...]] = Counter()
        for row in lists.to_lists():
            for wide in range(SHORTEST, LONGEST + 1):
                counted.update(zip(*(row[start:] for start in range(wide)), strict=False))
        order = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        self.patterns = {pattern for pattern, _ in order[:TOP]}

    def against(self, raw: Measured) -> dict[str, float]:
        """How far this is from the truth."""
        found = {name: jensen_shannon(getattr(raw, name), getattr(self, name)) for name in ("density", "trips")}
        for name in ("lengths", "diameters"):
            most = max(float(getattr(raw, name).max()), 1e-9)
            sides = (np.histogram(np.minimum(getattr(side, name), most), BINS, (0.0, most))[0] for side in (raw, self))
            found[name] = jensen_shannon(*(side.astype(float) for side in sides))
        found["patterns"] = 1 - len(raw.patterns & self.patterns) / max(len(raw.patterns), 1)
        return found


def kilometres(cells: CellGrid) -> tuple[Table, Table]:
    """Where the centre of each cell is, in kilometres to the north and to the east."""
    latitudes, longitudes = cells.centres()
    return latitudes * KM_PER_DEGREE, longitudes * KM_PER_DEGREE * np.cos(np.radians((cells.north + cells.south) / 2))


def diameter(places: npt.NDArray[np.int64], north: Table, east: Table) -> float:
    """The largest distance between two of these cells."""
    up, right = north[places], east[places]
    return float(np.hypot(up[:, None] - up, right[:, None] - right).max())


def chain(records: SequenceRecords, epsilon: float, generator: np.random.Generator) -> Ragged:
    """Walks of a first-order chain from noisy transitions; each trajectory weighs 1 in all of them together."""
    size = len(records.universe)
    lists = chosen(records.sequences, np.flatnonzero(records.sequences.lengths > 0))
    codes = lists.codes.astype(np.int64)
    before, after = np.insert(codes, lists.offsets[:-1], size), np.insert(codes, lists.offsets[1:], size)
    weights = np.repeat(1 / (lists.lengths + 1), lists.lengths + 1)
    counts = np.bincount(before * (size + 1) + after, weights=weights, minlength=(size + 1) ** 2).reshape(size + 1, size + 1)
    counts = np.maximum(counts + generator.laplace(0, 1 / epsilon, counts.shape), 0)
    counts[size, size] = 0
    shares = np.cumsum(counts, axis=1)
    walks = []
    for _ in range(len(lists)):
        walk: list[int] = []
        place = size
        while len(walk) < CUT:
            place = int(np.searchsorted(shares[place], generator.random() * shares[place, -1], side="right"))
            if place >= size:
                break
            walk.append(place)
        walks.append(walk)
    return Ragged.from_lists(walks)


def released(method: str, records: SequenceRecords, epsilon: str, run: int) -> Ragged:
    """The sequences that a method releases, with fresh noise."""
    if method == "chain":
        return chain(records, float(epsilon), np.random.default_rng(run))
    made = Raked() if method == "raked" else NGram(max_length=20, max_gram=3)
    release = made.publish(records, budget=PureDP(epsilon), ledger=Ledger())
    return release.data.sequences


def rows(data: str, side: int, options: argparse.Namespace) -> Iterator[tuple[object, ...]]:
    """The lines of the table for one data set and grid."""
    cells = CellGrid(south=SOUTH, west=WEST, north=NORTH, east=EAST, rows=side, columns=side)
    reading = ReadOptions(columns=LongColumns(latitude="lat", longitude="lon"))
    records = read_sequences(DATA[data](), universe=cells.universe, options=reading, name=data)
    raw, people = Measured(records.sequences, cells), len(records.sequences)
    name = f"{data} {side} x {side} ({people:,}; {records.sequences.codes.size / people:.1f})"
    halves = np.random.default_rng(0).permutation(people)
    parts = [Measured(chosen(records.sequences, np.sort(part)), cells) for part in np.array_split(halves, 2)]
    yield (name, "", "half", *parts[1].against(parts[0]).values(), 1.0, "")
    for epsilon in options.epsilon:
        for method in options.method:
            found, sizes, spent = [], [], []
            for run in range(options.runs):
                begun = time.process_time()
                lists = released(method, records, epsilon, run)
                spent.append(time.process_time() - begun)
                sizes.append(len(lists) / people)
                found.append(list(Measured(lists, cells).against(raw).values()))
            yield (name, epsilon, method, *np.mean(found, axis=0).tolist(), float(np.mean(sizes)), f"{np.mean(spent):.1f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--cells", nargs="+", type=int, default=[16, 32])
    parser.add_argument("--epsilon", nargs="+", default=["0.5", "1", "2"])
    parser.add_argument("--method", nargs="+", choices=("raked", "ngram", "chain"), default=["raked", "ngram", "chain"])
    options = parser.parse_args()
    print("| data (trajectories; visits each) | epsilon | method |", " | ".join(MEASURES), "| trajectories | CPU s |")
    print("|---" * (5 + len(MEASURES)) + "|")
    for data in options.data:
        for side in options.cells:
            for row in rows(data, side, options):
                print("|", " | ".join(f"{part:.3f}" if isinstance(part, float) else str(part) for part in row), "|", flush=True)


if __name__ == "__main__":
    main()
