"""What n-grams keep of real and simulated movements, how fast they are, and how much memory they take.

    TACITA_DATA=folder python benchmarks/ngrams.py [--quick] [--only NAME ...]

Prints Markdown tables. NAME is `patterns`, `queries`, `shapes`, `movements` or `speed`; `--quick` makes one run of everything.
Figures come from raw data, so they are for the owner's eyes only; those of public and simulated data may be seen by anybody.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from floor import long_rows_floor
from tacita.arrays.ragged import Ragged
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrefixTree, SequenceRecords, read_sequences
from tacita.utility import (
    PatternKind,
    QueryWorkload,
    count_occurrences,
    location_sequences,
    measure_distributions,
    measure_patterns,
    noiseless_sequences,
    relative_errors,
)
from tacita_papers.reproduce.data.movements import MOVEMENTS, Movements, cut, msnbc
from timing import best

LENGTH, TOPS, EPSILONS, RUNS, QUERY_RUNS = 20, (20, 40, 60, 80, 100), ("0.1", "1"), 10, 3
PUBLISHED = {"0.1": (100, 90, 93, 96, 94), "1": (100, 93, 97, 99, 97)}
SANITY_SHARE = 0.001
METHODS: dict[str, Any] = {
    "n-grams": NGram(),
    "n-grams, uniform": NGram(allocation="uniform"),
    "n-grams, missing as 0": NGram(missing="zero"),
    "n-grams, published threshold": NGram(threshold="published"),
    "n-grams, joined as published": NGram(threshold="published", synthesis="joined"),
    "prefix tree": PrefixTree(height=LENGTH),
    "prefix tree, continued": PrefixTree(height=LENGTH, lost="continue", inference="corrected"),
}
SLOW = ("n-grams, joined as published",)


def published(records: SequenceRecords, method: Any, epsilon: str) -> Ragged:  # noqa: ANN401 - any mechanism for sequences
    """One release, with its own noise."""
    sequences: Ragged = method.publish(records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences
    return sequences


def table(title: str, head: list[str], rows: Iterator[list[str]]) -> None:
    """Print a Markdown table, row by row as they come."""
    print(f"\n**{title}**\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def patterns(runs: int) -> None:
    """The true positive ratio of the most frequent contiguous patterns of MSNBC, as in Table 6.10 of the thesis."""
    records, raw = msnbc().records, cut(msnbc().records.sequences, LENGTH)

    def ratios(released: Ragged) -> list[float]:
        found = measure_patterns(raw, released, symbols=17, kind=PatternKind.CONTIGUOUS, counts=TOPS, min_length=2)
        return [100 * top.true_positive_ratio for top in found.tops]

    def rows() -> Iterator[list[str]]:
        yield ["no noise", "n-grams", "1", *(f"{ratio:.1f}" for ratio in ratios(noiseless_sequences(records, NGram())))]
        for epsilon in EPSILONS:
            yield [epsilon, "thesis, n-grams", "?", *(str(figure) for figure in PUBLISHED[epsilon])]
            for name, method in METHODS.items():
                turns = min(runs, 2) if name in SLOW else runs
                found = np.array([ratios(published(records, method, epsilon)) for _ in range(turns)])
                yield [epsilon, name, str(turns), *(f"{ratio:.1f}" for ratio in found.mean(axis=0))]

    head = ["epsilon", "method", "runs", *(f"top {count}" for count in TOPS)]
    table("MSNBC: true positive ratio of contiguous patterns, in percent", head, rows())


def queries(runs: int) -> None:
    """Count queries by occurrence on MSNBC, as in Figures 6.7 and 6.11 of the thesis."""
    records, raw = msnbc().records, cut(msnbc().records.sequences, LENGTH)
    workload = QueryWorkload(longest=LENGTH, subsets=5)
    subsets = location_sequences(workload, symbols=17)
    true = [count_occurrences(raw, subset, symbols=17) for subset in subsets]

    def errors(released: Ragged) -> list[tuple[float, float]]:
        found = []
        for subset, answers in zip(subsets, true, strict=True):
            told = count_occurrences(released, subset, symbols=17)
            relative = relative_errors(answers, told, sanity_bound=SANITY_SHARE * len(raw))
            found.append((float(np.abs(told - answers).mean()), float(relative.mean())))
        return found

    def row(epsilon: str, name: str, releases: list[Ragged]) -> list[str]:
        mean = np.array([errors(released) for released in releases]).mean(axis=0)
        return [epsilon, name, *(f"{absolute:,.1f} ({relative:.4f})" for absolute, relative in mean)]

    def rows() -> Iterator[list[str]]:
        yield row("no noise", "n-grams", [noiseless_sequences(records, NGram())])
        yield row("no noise", "n-grams, joined as published", [noiseless_sequences(records, NGram(synthesis="joined"))])
        for epsilon in EPSILONS:
            for name, method in METHODS.items():
                turns = 1 if name in SLOW else runs
                yield row(epsilon, name, [published(records, method, epsilon) for _ in range(turns)])

    head = ["epsilon", "method", *(f"up to {longest}" for longest in workload.max_lengths)]
    table("MSNBC: mean absolute error of 10,000 queries by occurrence each (average relative error)", head, rows())


def shapes(runs: int) -> None:
    """How far lengths, starts and ends are from those of the data, by total variation."""
    records, raw = msnbc().records, cut(msnbc().records.sequences, LENGTH)

    def rows() -> Iterator[list[str]]:
        for epsilon in EPSILONS:
            for name, method in METHODS.items():
                turns = 1 if name in SLOW else runs
                found = [
                    measure_distributions(raw, published(records, method, epsilon), symbols=17).as_json() for _ in range(turns)
                ]
                yield [epsilon, name, *(f"{np.mean([each[key] for each in found]):.4f}" for key in found[0])]

    head = ["epsilon", "method", "lengths", "starts", "ends", "symbols", "transitions"]
    table("MSNBC: total variation distance", head, rows())


def movements(runs: int) -> None:
    """Movements over tens and hundreds of places; sequences cut at 20."""

    def rows() -> Iterator[list[str]]:
        for data, make in MOVEMENTS.items():
            found: Movements = make()
            if found.records.grid is not None or data == "MSNBC":
                continue
            records, symbols = found.records, len(found.records.universe)
            length = 2 if data == "Oyster" else LENGTH
            raw = cut(records.sequences, length)
            for name, method in {
                "n-grams": NGram(max_length=length),
                "n-grams, published threshold": NGram(max_length=length, threshold="published"),
                "n-grams, uniform": NGram(max_length=length, allocation="uniform"),
                "prefix tree": PrefixTree(height=length),
                "prefix tree, continued": PrefixTree(height=length, lost="continue", inference="corrected"),
            }.items():
                figures = np.array([_figures(raw, published(records, method, "1"), symbols) for _ in range(runs)])
                ratios = [f"{100 * ratio:.1f}" for ratio in figures.mean(axis=0)[:2]]
                distances = [f"{distance:.3f}" for distance in figures.mean(axis=0)[2:]]
                yield [f"{data} ({len(raw):,} x {symbols})", name, *ratios, *distances]

    head = ["data (records x places)", "method", "top 20", "top 100", "lengths", "starts", "ends", "symbols", "transitions"]
    table("epsilon 1: contiguous patterns found, in percent, and total variation distances", head, rows())


def _figures(raw: Ragged, released: Ragged, symbols: int) -> list[float]:
    found = measure_patterns(raw, released, symbols=symbols, kind=PatternKind.CONTIGUOUS, counts=(20, 100), min_length=2)
    tops = [top.true_positive_ratio for top in found.tops] + [0.0] * len(found.not_measured)
    return [*tops, *measure_distributions(raw, released, symbols=symbols).as_json().values()]


def speed(runs: int) -> None:
    """MSNBC as long rows, from file to synthetic file, over the pinned floor; and peak memory in a fresh process."""
    records = msnbc().records
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_long_rows(records, folder)
        labels = list(records.universe.labels)

        def rows() -> Iterator[list[str]]:
            for ending in (".parquet", ".csv"):
                source = folder / f"msnbc{ending}"
                _publish(source, records.universe, folder / "out")
                ours, floor = best(
                    max(2, min(runs, 5)),
                    lambda source=source: _publish(source, records.universe, folder / "out"),
                    lambda source=source: long_rows_floor(source, folder / f"floor{source.suffix}", labels),
                )
                yield [ending, f"{ours / floor:.2f}", f"{ours:.2f} s", f"{floor:.2f} s", _peak(source, labels)]

        head = ["file", "ours over the floor", "ours", "floor", "peak memory beyond the libraries"]
        table("MSNBC from long rows to synthetic long rows, epsilon 1, warm", head, rows())


def _write_long_rows(records: SequenceRecords, folder: Path) -> None:
    sequences = records.sequences
    owners = np.repeat(np.arange(len(sequences)), sequences.lengths)
    labels = pl.Series(records.universe.labels)[sequences.codes]
    places = np.arange(sequences.codes.size) - np.repeat(sequences.offsets[:-1], sequences.lengths)
    frame = pl.DataFrame({"id": owners, "label": labels, "time": places})
    frame.write_parquet(folder / "msnbc.parquet")
    frame.write_csv(folder / "msnbc.csv")
    frame.head(100).write_parquet(folder / "few.parquet")


def _publish(source: Path, universe: Universe, out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    NGram().publish(read_sequences(source, universe=universe), budget=PureDP("1"), ledger=Ledger()).write(out)


def _peak(source: Path, labels: list[str]) -> str:
    """In a process of its own, warmed up on a few rows."""
    program = (
        "import json, sys\nsys.path.insert(0, sys.argv[4])\nfrom pathlib import Path\n"
        "from ngrams import _publish\nfrom peak_memory import peak_bytes\nfrom tacita.public.universe import Universe\n"
        "universe = Universe(json.loads(sys.argv[3]))\nfolder = Path(sys.argv[1])\n"
        "_publish(folder / 'few.parquet', universe, folder / 'warm')\nbefore = peak_bytes()\n"
        "_publish(folder / sys.argv[2], universe, folder / 'warm')\nprint(peak_bytes() - before)\n"
    )
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", program, str(source.parent), source.name, json.dumps(labels), here]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"{int(done.stdout) / 1e6:.0f} MB"


PARTS: dict[str, tuple[Callable[[int], None], int]] = {
    "patterns": (patterns, RUNS),
    "queries": (queries, QUERY_RUNS),
    "shapes": (shapes, QUERY_RUNS),
    "movements": (movements, QUERY_RUNS),
    "speed": (speed, 5),
}


def main() -> None:
    """Run what was requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="*", choices=tuple(PARTS), default=tuple(PARTS))
    chosen = parser.parse_args()
    for name in chosen.only:
        part, runs = PARTS[name]
        part(1 if chosen.quick else runs)


if __name__ == "__main__":
    main()
