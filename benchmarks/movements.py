"""What raked sequences keep of real and simulated movements, beside n-grams and a prefix tree.

    TACITA_DATA=folder python benchmarks/movements.py [--runs 5] [--data NAME ...] [--epsilon 0.1 1] [--method NAME ...]
    TACITA_DATA=folder python benchmarks/movements.py --speed

Prints a Markdown table, then in which rows and measures the method that is chosen from public facts is not within 10 % of the
best; or, with `--speed`, the CPU time from file to file over that of the pinned floor.

Sequences are cut after 20 symbols. Constants were chosen on Foursquare weeks, the demo's agency, GeoLife days and T-Drive; the
others (MSNBC, Metro, Bus, Oyster, Foursquare days) were looked at afterwards.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from floor import long_rows_floor
from ngrams import _write_long_rows
from tacita.arrays.ragged import Ragged, chosen, offsets_of
from tacita.arrays.recency import NEW, recencies
from tacita.kinds import Facts, methods
from tacita.kinds.sequences import choose_for_sequences
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrefixTree, Raked, SequenceRecords, read_sequences
from tacita.simulate import TransitWorld
from tacita.utility import PatternKind, count_location_sets, measure_patterns, relative_errors, total_variation
from tacita_papers.reproduce.data.files import data_file
from tacita_papers.reproduce.data.movements import CELLS, DAY, EAST, MOVEMENTS, NORTH, SOUTH, WEST, cut

LENGTH, QUERIES, SANITY_SHARE = 20, 2000, 0.001
COLUMNS = ("sets", "pairs", "distinct", "round trips", "transitions", "contiguous", "gapped")


def cells(frame: pl.DataFrame, box: tuple[float, float, float, float], owner: list[str], *, entered: bool) -> SequenceRecords:
    """Cells of a public grid in the order of time; one record per owner. With `entered`, staying in a cell counts once."""
    west, east, south, north = box
    inside = pl.col("lon").is_between(west, east, closed="left") & pl.col("lat").is_between(south, north, closed="left")
    frame = frame.filter(inside).with_columns(
        column=((pl.col("lon") - west) / (east - west) * CELLS).floor().cast(pl.Int32).clip(0, CELLS - 1),
        row=((pl.col("lat") - south) / (north - south) * CELLS).floor().cast(pl.Int32).clip(0, CELLS - 1),
    )
    codes = (frame["row"] * CELLS + frame["column"]).to_numpy()
    begins = np.zeros(codes.size, dtype=np.bool_)
    begins[0] = True
    for name in owner:
        column = frame[name].to_numpy()
        begins[1:] |= column[1:] != column[:-1]
    kept = begins | np.concatenate([[True], codes[1:] != codes[:-1]]) if entered else np.ones(codes.size, dtype=np.bool_)
    lengths = np.bincount(np.cumsum(begins)[kept] - 1)
    universe = Universe([f"r{row:02d}c{column:02d}" for row in range(CELLS) for column in range(CELLS)])
    return SequenceRecords(sequences=Ragged(codes[kept].astype(np.int32), offsets_of(lengths)), universe=universe)


def foursquare(days: int) -> SequenceRecords:
    """Check-ins of a person within this number of days."""
    places = pl.read_csv(data_file("foursquare_nyc", "nyc_pois.csv.gz"))
    frame = pl.read_csv(data_file("foursquare_nyc", "nyc_checkins.csv.gz")).join(
        places, on="poi", how="inner", maintain_order="left"
    )
    frame = frame.with_columns(time=pl.col("minute") // (days * 24 * 60)).sort("user", "minute", maintain_order=True)
    return cells(frame, (-74.05, -73.85, 40.65, 40.85), ["user", "time"], entered=False)


def geolife() -> SequenceRecords:
    """Cells of Beijing that a person entered on one day."""
    frame = pl.read_csv(data_file("geolife", "geolife_beijing_1min.csv.gz")).with_columns(day=pl.col("unix_time") // DAY)
    return cells(frame.sort("user", "unix_time", maintain_order=True), (WEST, EAST, SOUTH, NORTH), ["user", "day"], entered=True)


def simulated(world: TransitWorld) -> SequenceRecords:
    """What passengers of a made-up agency do."""
    return SequenceRecords(sequences=world.sequences(), universe=world.universe)


def every(records: SequenceRecords, step: int) -> SequenceRecords:
    """Every n-th record."""
    lists = chosen(records.sequences, np.arange(0, len(records.sequences), step))
    return SequenceRecords(sequences=lists, universe=records.universe, grid=records.grid)


DATA: dict[str, Callable[[], SequenceRecords]] = {
    "Foursquare weeks": lambda: foursquare(7),
    "demo agency": lambda: simulated(TransitWorld(passengers=100_000, stations=60, lines=4, mean_length=4.2, max_length=40)),
    "GeoLife days": geolife,
    "T-Drive": lambda: MOVEMENTS["T-Drive"]().records,
    "MSNBC (a sixth)": lambda: every(MOVEMENTS["MSNBC"]().records, 6),
    "Metro": lambda: simulated(TransitWorld.metro(passengers=200_000)),
    "Bus": lambda: simulated(TransitWorld.bus(passengers=200_000)),
    "Oyster": lambda: MOVEMENTS["Oyster"]().records,
    "Foursquare days": lambda: foursquare(1),
}
CHOSEN_ON = ("Foursquare weeks", "demo agency", "GeoLife days", "T-Drive")


class Judge:
    """The columns of the table for one data set."""

    def __init__(self, raw: Ragged, symbols: int) -> None:
        """Draw the queries and answer them on raw data."""
        self.raw, self.symbols = raw, symbols
        generator = np.random.default_rng(1)
        sets = [np.unique(generator.integers(0, symbols, generator.integers(2, 4))) for _ in range(QUERIES)]
        for _ in range(QUERIES):
            row = int(generator.integers(len(raw)))
            different = np.unique(raw.codes[raw.offsets[row] : raw.offsets[row + 1]])
            if different.size >= 2:
                sets.append(np.sort(generator.choice(different, 2, replace=False)))
        self.queries = Ragged.from_lists([one.tolist() for one in sets])
        self.true = count_location_sets(raw, self.queries, symbols=symbols)
        self.values = _values(raw, symbols)

    def figures(self, released: Ragged) -> dict[str, float]:
        """What a release keeps."""
        told = count_location_sets(released, self.queries, symbols=self.symbols)
        errors = relative_errors(self.true, told, sanity_bound=SANITY_SHARE * len(self.raw))
        values = _values(released, self.symbols)
        tops = {}
        for name, kind, longest in (("contiguous", PatternKind.CONTIGUOUS, 4), ("gapped", PatternKind.GAPPED, 2)):
            found = measure_patterns(
                self.raw, released, symbols=self.symbols, kind=kind, counts=(100,), min_length=2, max_length=longest
            )
            tops[name] = 100 * found.tops[0].true_positive_ratio if found.tops else float("nan")
        return {
            "sets": float(errors[:QUERIES].mean()),
            "pairs": float(errors[QUERIES:].mean()),
            "distinct": total_variation(self.values["distinct"], values["distinct"]),
            "round trips": float(values["round trips"].sum() / max(1, len(released))),
            "transitions": total_variation(self.values["transitions"], values["transitions"]),
            **tops,
            "lengths": total_variation(self.values["lengths"], values["lengths"]),
            "OD": total_variation(self.values["OD"], values["OD"]),
        }


def _values(lists: Ragged, symbols: int) -> dict[str, npt.NDArray[np.int64]]:
    codes, lengths = lists.codes.astype(np.int64), lists.lengths
    filled = np.flatnonzero(lengths > 0)
    first, last = lists.offsets[filled], lists.offsets[filled + 1] - 1
    owners = np.repeat(np.arange(len(lists)), lengths)
    inner = np.flatnonzero(owners[1:] == owners[:-1])
    new = recencies(lists) == NEW
    return {
        "distinct": np.bincount(owners[new], minlength=len(lists))[filled],
        "round trips": ((lengths[filled] > 2) & (codes[first] == codes[last])).astype(np.int64),
        "transitions": codes[inner] * symbols + codes[inner + 1],
        "lengths": lengths[filled],
        "OD": codes[first] * symbols + codes[last],
    }


def ngrams(records: SequenceRecords, epsilon: str) -> Ragged:
    """The landed method."""
    released: Ragged = NGram(max_length=LENGTH).publish(records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences
    return released


def raked(records: SequenceRecords, epsilon: str) -> Ragged:
    """Raked sequences."""
    released: Ragged = Raked(max_length=LENGTH).publish(records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences
    return released


def trees(records: SequenceRecords, epsilon: str) -> Ragged:
    """A prefix tree, as it would be chosen."""
    height = min(12, int(records.sequences.lengths.max()))
    released: Ragged = PrefixTree(height=height).publish(records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences
    return released


METHODS: dict[str, Callable[[SequenceRecords, str], Ragged]] = {
    "n-grams": ngrams,
    "prefix tree": trees,
    "raked": raked,
}
NAMES = {"n-grams": "ngram", "prefix tree": "prefix-tree", "raked": "raked"}


def rows(names: list[str], epsilons: list[str], runs: int, misses: list[str]) -> Iterator[list[str]]:
    """One line per data set, epsilon and method; what the choice misses is added to the list."""
    for name in names:
        records = DATA[name]()
        raw = cut(records.sequences, LENGTH)
        judge = Judge(raw, len(records.universe))
        true = judge.figures(raw)
        title = f"{name} ({len(raw):,} x {len(records.universe)})"
        yield [title, "", "raw", *(f"{true[column]:.3f}" for column in true)]
        for epsilon in epsilons:
            found = {}
            for method, publish in METHODS.items():
                tried = [judge.figures(publish(records, epsilon)) for _ in range(runs)]
                found[method] = {column: float(np.mean([one[column] for one in tried])) for column in true}
                yield [title, epsilon, method, *(f"{found[method][column]:.3f}" for column in true)]
            if set(NAMES) <= set(METHODS):
                longest = int(records.sequences.lengths.max())
                facts = {"records": len(raw), "labels": len(records.universe), "longest": longest if longest <= LENGTH else None}
                misses += [f"{name}, epsilon {epsilon}, {miss}" for miss in _misses(found, true, facts, epsilon)]


def losses(figures: Mapping[str, float], true: Mapping[str, float]) -> dict[str | None, float]:
    """What is lost in each measure that an owner may name, and in the mean of all columns."""
    lost = {**figures, "round trips": abs(figures["round trips"] - true["round trips"])}
    lost |= {column: 1 - figures[column] / 100 for column in ("contiguous", "gapped")}
    return {
        None: float(np.mean(list(lost.values()))),
        "people": (lost["sets"] + lost["pairs"]) / 2,
        "returns": (lost["distinct"] + lost["round trips"]) / 2,
        "orders": lost["transitions"],
        "patterns": (lost["contiguous"] + lost["gapped"]) / 2,
        "lengths": lost["lengths"],
        "ends": lost["OD"],
    }


def _misses(found: Mapping[str, Mapping[str, float]], true: Mapping[str, float], facts: Any, epsilon: str) -> Iterator[str]:  # noqa: ANN401
    """Where the chosen method loses more than 1.1 times what the best one does, and 0.002."""
    lost = {NAMES[method]: losses(found[method], true) for method in NAMES}
    among = [methods()[name] for name in lost]
    for measure in lost["raked"]:
        picked = choose_for_sequences(Facts(**facts, epsilon=float(epsilon), measure=measure), among).method
        best = min(lost, key=lambda name, measure=measure: lost[name][measure])
        if lost[picked][measure] > 1.1 * lost[best][measure] + 0.002:
            yield f"{measure or 'everything'}: {picked} {lost[picked][measure]:.3f}, {best} {lost[best][measure]:.3f}"


FILE_TO_FILE = {"raked": Raked()}


def speed() -> None:
    """CPU seconds of MSNBC from long rows to synthetic long rows, over the floor; and of Bus, published."""
    records = MOVEMENTS["MSNBC"]().records
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_long_rows(records, folder)
        for ending in (".parquet", ".csv"):
            source, labels = folder / f"msnbc{ending}", list(records.universe.labels)
            whole = {
                title: [
                    _cpu(lambda source=source, method=method: _file_to_file(source, records.universe, folder / "out", method))
                    for _ in range(3)
                ]
                for title, method in FILE_TO_FILE.items()
            }
            floor = [
                _cpu(lambda source=source, labels=labels: long_rows_floor(source, folder / f"floor{source.suffix}", labels))
                for _ in range(3)
            ]
            for title, seconds in whole.items():
                ratio = min(seconds) / min(floor)
                print(f"MSNBC {ending}, {title}: {ratio:.2f} times the floor ({min(seconds):.2f} s, floor {min(floor):.2f} s)")
    for title, method in (("raked", Raked()), ("n-grams", NGram())):
        bus = MOVEMENTS["Bus (simulated)"]().records
        taken = [_cpu(lambda method=method, bus=bus: method.publish(bus, budget=PureDP("1"), ledger=Ledger())) for _ in range(2)]
        print(f"Bus ({len(bus.sequences):,} records), {title}: {min(taken):.2f} s")


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _file_to_file(source: Path, universe: Universe, out: Path, method: Raked) -> None:
    shutil.rmtree(out, ignore_errors=True)
    method.publish(read_sequences(source, universe=universe), budget=PureDP("1"), ledger=Ledger()).write(out)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", nargs="*", default=list(DATA))
    parser.add_argument("--epsilon", nargs="*", default=["0.1", "1"])
    parser.add_argument("--method", nargs="*", default=list(METHODS))
    parser.add_argument("--speed", action="store_true")
    asked = parser.parse_args()
    if asked.speed:
        speed()
        return
    for name in set(METHODS) - set(asked.method):
        del METHODS[name]
    head = ["data (records x places)", "epsilon", "method", *COLUMNS, "lengths", "OD"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    misses: list[str] = []
    for row in rows(asked.data, asked.epsilon, asked.runs, misses):
        print(f"| {' | '.join(row)} |", flush=True)
    print("\n".join(["", "not within 10 % of the best where chosen:", *(misses or ["nothing"])]))


if __name__ == "__main__":
    main()
