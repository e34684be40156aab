"""Itemset counts beside a modern peer: MST (McKenna, Miklau and Sheldon, JPC 2021) on the graphical models of private-pgm.

`pip install mbi` brings the models; MST itself is written here from the paper, because the package has no mechanisms: a third of
the budget for single columns, a third to choose a tree of pairs by the exponential mechanism, a third for these pairs. It is run
twice: with Laplace noise, so that it promises what we promise (pure epsilon), and with Gaussian noise and zero-concentrated
accounting, as published, which promises less: (epsilon, 1e-6), converted by Bun and Steinke's bound. Neighbours differ by one
record that is added or removed, in both.

The collections: a table of 23 columns as baskets, of which the peer is told the columns and we are not, and the 16 most frequent
items of groceries, each a column of two values for the peer. The same measures as `set_floors.py`, CPU seconds, and the peak
memory of a process that does nothing else.

    python benchmarks/sets_peer.py [--epsilons E ...] [--runs N]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from importlib.util import find_spec
from math import log, sqrt
from pathlib import Path
from statistics import mean

import numpy as np
import numpy.typing as npt

from set_floors import measured, top
from set_worlds import CHOOSING, JUDGING, MUSHROOM_LIKE
from sets import COLLECTIONS
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, ItemsetCounts
from tacita.utility.sets import independent_baskets

DELTA, ROUNDS, FEW = 1e-6, 400, 16
WITHOUT = "mbi is not installed (pip install mbi), so the rows of the peer are left out"
METHODS = ("itemset-counts", "independent", "MST, pure", "MST, (epsilon, 1e-6)")
Integers = npt.NDArray[np.int64]


class Columns:
    """Baskets as a table: which items are the values of which column; an item alone is a column of two values."""

    def __init__(self, records: BasketRecords, sizes: tuple[int, ...]) -> None:
        """One column per size; a size of 0 stands for an item that is there or not."""
        self.records, self.sizes = records, sizes
        widths = [max(size, 1) for size in sizes]
        self.firsts = np.concatenate([[0], np.cumsum(widths)[:-1]])
        self.values = np.array([size or 2 for size in sizes])

    def table(self) -> Integers:
        """One row per basket."""
        raw, items = self.records.baskets, len(self.records.universe)
        dense = np.zeros((len(raw), items), dtype=np.bool_)
        dense[np.repeat(np.arange(len(raw)), raw.lengths), raw.codes] = True
        parts = [
            dense[:, first].astype(np.int64) if not size else dense[:, first : first + size].argmax(axis=1)
            for first, size in zip(self.firsts.tolist(), self.sizes, strict=True)
        ]
        return np.stack(parts, axis=1)

    def baskets(self, table: Integers) -> Ragged:
        """The rows of a table as baskets again, without empty ones."""
        alone = np.array(self.sizes) == 0
        there = ~alone | (table > 0)
        codes = np.where(alone, self.firsts, self.firsts + table)
        lengths = there.sum(axis=1)
        return Ragged(codes[there].astype(np.int32), offsets_of(lengths[lengths > 0]))


def collection(name: str) -> Columns:
    """A table, the one on which constants were chosen, or a few items of groceries."""
    if name == "table":
        return Columns(JUDGING["table"](), MUSHROOM_LIKE[::-1])
    if name == "choosing table":
        return Columns(CHOOSING["table"](), MUSHROOM_LIKE)
    whole = COLLECTIONS["groceries"](Path(os.environ.get("TACITA_DATA", "")))
    counts = np.bincount(whole.baskets.codes, minlength=len(whole.universe))
    kept = np.sort(np.argsort(-counts, kind="stable")[:FEW])
    place = np.full(counts.size, -1)
    place[kept] = np.arange(FEW)
    codes = place[whole.baskets.codes]
    lengths = np.bincount(np.repeat(np.arange(len(whole.baskets)), whole.baskets.lengths)[codes >= 0])
    baskets = Ragged(codes[codes >= 0].astype(np.int32), offsets_of(lengths[lengths > 0]))
    records = BasketRecords(baskets=baskets, universe=Universe([whole.universe.labels[code] for code in kept.tolist()]))
    return Columns(records, (0,) * FEW)


def mst(data: Columns, epsilon: float, *, is_pure: bool) -> Ragged:
    """A tree of noisy pairs of columns, fitted by private-pgm, and as many rows as its noisy total says."""
    import mbi  # noqa: PLC0415 - a peer that may be missing
    from mbi import estimation, marginal_loss  # noqa: PLC0415

    generator, table, values = np.random.default_rng(), data.table(), data.values
    number = values.size
    third = (epsilon if is_pure else _zero_concentrated(epsilon, DELTA)) / 3

    def noisy(columns: tuple[int, ...], questions: int) -> tuple[npt.NDArray[np.float64], float]:
        sizes = values[list(columns)]
        cells = np.ravel_multi_index(tuple(table[:, column] for column in columns), tuple(sizes))
        counts = np.bincount(cells, minlength=int(sizes.prod())).astype(np.float64)
        if is_pure:
            scale = questions / third
            return counts + generator.laplace(0, scale, counts.size), sqrt(2) * scale
        deviation = sqrt(questions / (2 * third))
        return counts + generator.normal(0, deviation, counts.size), deviation

    names = [f"c{column}" for column in range(number)]
    domain = mbi.Domain(names, values.tolist())
    singles = [noisy((column,), number) for column in range(number)]
    measurements = [
        marginal_loss.LinearMeasurement(counts, (names[column],), deviation) for column, (counts, deviation) in enumerate(singles)
    ]
    chosen = _tree(table, values, [counts for counts, _ in singles], third, generator, is_pure=is_pure)
    for pair in chosen:
        counts, deviation = noisy(pair, number - 1)
        measurements.append(marginal_loss.LinearMeasurement(counts, tuple(names[column] for column in pair), deviation))
    model = estimation.MirrorDescent().estimate(domain, measurements, iters=ROUNDS)
    made = model.synthetic_data()
    rows = made.to_dict() if hasattr(made, "to_dict") else {name: made.df[name].to_numpy() for name in names}
    return data.baskets(np.stack([np.asarray(rows[name]) for name in names], axis=1).astype(np.int64))


def _tree(
    table: Integers,
    values: Integers,
    singles: list[npt.NDArray[np.float64]],
    budget: float,
    generator: np.random.Generator,
    *,
    is_pure: bool,
) -> list[tuple[int, int]]:
    """A tree over the columns, edge by edge by the exponential mechanism; the score is the error of independence."""
    shares = [np.maximum(counts, 0) / max(np.maximum(counts, 0).sum(), 1e-9) for counts in singles]
    total = float(np.mean([counts.sum() for counts in singles]))
    scores = {}
    for one in range(values.size):
        for other in range(one + 1, values.size):
            cells = np.bincount(table[:, one] * values[other] + table[:, other], minlength=int(values[one] * values[other]))
            scores[one, other] = float(np.abs(cells - total * np.outer(shares[one], shares[other]).ravel()).sum())
    each = budget / (values.size - 1) if is_pure else sqrt(8 * budget / (values.size - 1))
    part, tree = list(range(values.size)), []
    for _ in range(values.size - 1):
        allowed = [pair for pair in scores if part[pair[0]] != part[pair[1]]]
        weights = np.array([scores[pair] for pair in allowed]) * each / 2 + generator.gumbel(size=len(allowed))
        one, other = allowed[int(np.argmax(weights))]
        tree.append((one, other))
        part = [part[one] if each_part == part[other] else each_part for each_part in part]
    return tree


def _zero_concentrated(epsilon: float, delta: float) -> float:
    """The rho whose zero-concentrated privacy implies (epsilon, delta): epsilon = rho + 2 sqrt(rho log(1 / delta))."""
    root = sqrt(log(1 / delta) + epsilon) - sqrt(log(1 / delta))
    return root**2


def released(name: str, data: Columns, epsilon: str, seed: int) -> Ragged:
    """One release by one of the methods."""
    if name == "itemset-counts":
        return ItemsetCounts().publish(data.records, budget=PureDP(epsilon)).data.baskets
    if name == "independent":
        return independent_baskets(data.records.baskets, items=len(data.records.universe), epsilon=float(epsilon), seed=seed)
    return mst(data, float(epsilon), is_pure="pure" in name)


def one(name: str, method: str, epsilon: str, runs: int) -> None:
    """Print what one method keeps, as JSON; in a process of its own."""
    data = collection(name)
    raw, items = data.records.baskets, len(data.records.universe)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    made = [released(method, data, epsilon, seed) for seed in range(runs)]
    seconds = (time.process_time() - start) / runs
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    truth = top(raw, items)
    figures = [mean(part) for part in zip(*(measured(raw, each, truth, items=items) for each in made), strict=True)]
    print(json.dumps([*figures, seconds, peak / 1024, (peak - before) / 1024]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilons", nargs="*", default=["0.1", "1"])
    parser.add_argument("--collections", nargs="*", default=["table", "groceries"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(*options.one, options.epsilons[0], options.runs)
        return
    methods = METHODS if find_spec("mbi") else METHODS[:2]
    if not find_spec("mbi"):
        print(WITHOUT)
    print("| baskets | epsilon | method | top 100 found | error | sizes | baskets | CPU s | peak MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in options.collections:
        for epsilon in options.epsilons:
            for method in methods:
                words = [sys.executable, __file__, "--one", name, method, "--epsilons", epsilon, "--runs", str(options.runs)]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"| {name} | {epsilon} | {method} | failed: {done.stderr.strip().splitlines()[-1]} |", flush=True)
                    continue
                found, error, sizes, number, seconds, peak, _ = json.loads(done.stdout.splitlines()[-1])
                cells = f"{found:.2f} | {error:.4f} | {sizes:.2f} | {number:.2f} | {seconds:.1f} | {peak:,.0f}"
                print(f"| {name} | {epsilon} | {method} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
