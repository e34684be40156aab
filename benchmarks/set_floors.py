"""Publishers of baskets beside floors of thirty lines, on real baskets (`TACITA_DATA`) and on simulated ones of six shapes.

For each collection and epsilon: the share of the true top 100 itemsets (of up to 3 items) that a release lists among its own top
100, the average relative error of 10,000 queries of up to 3 random items, the distance of sizes, and the number of released
baskets per true one. The floors are *nothing*, *independent* and, over at most 300 items, *chain*; see
`tacita.utility.sets`.
Constants of `itemset-counts` were chosen on the collections marked `choosing`; the others were run to judge only.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import hypot, nan, sqrt
from pathlib import Path
from statistics import mean, stdev

import numpy as np

from set_worlds import CHOOSING, JUDGING
from sets import COLLECTIONS
from tacita.arrays.ragged import Ragged
from tacita.mining import Patterns, top_itemsets
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.sets import BasketRecords, ItemsetCounts, StableHistogram
from tacita.utility import QueryKind, QueryWorkload, measure_queries
from tacita.utility.preservation import compare_tops
from tacita.utility.sets import LARGEST_CHAIN, chain_baskets, independent_baskets

TOP, LONGEST = 100, 3
REAL = {"MSNBC": "choosing", "groceries": "choosing", "retail": "choosing", "BMS-WebView-1": "", "shop": "", "agency": ""}


@dataclass(frozen=True)
class Figure:
    """The mean of several runs, and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, runs: list[float]) -> Figure:
        """The mean of these runs."""
        return cls(mean(runs), stdev(runs) / sqrt(len(runs)) if len(runs) > 1 else nan)

    def over(self, other: Figure) -> str:
        """The ratio of two means with its standard error."""
        if not other.mean:
            return "-"
        ratio = self.mean / other.mean
        return f"{ratio:.3f} ± {ratio * hypot(self.error / max(self.mean, 1e-9), other.error / other.mean):.3f}"


def collections(folder: Path) -> dict[str, Callable[[], BasketRecords]]:
    """Every collection by its name, with what it was used for."""
    real = {f"{name} {use}".strip(): (lambda name=name: COLLECTIONS[name](folder)) for name, use in REAL.items()}
    worlds = {"choosing": CHOOSING, "": JUDGING}
    return real | {f"like {name} {use}".strip(): make for use, part in worlds.items() for name, make in part.items()}


def top(baskets: Ragged, items: int) -> Patterns:
    """The most frequent itemsets."""
    return top_itemsets(baskets, count=TOP, symbols=items, max_patterns=200 * TOP, min_length=1, max_length=LONGEST)


def measured(raw: Ragged, released: Ragged, truth: Patterns, *, items: int) -> tuple[float, float, float, float]:
    """The share of the top that is found, the error of queries, the distance of sizes, and released baskets per true one."""
    (queries,) = measure_queries(
        raw, released, symbols=items, kind=QueryKind.ITEMSET, workload=QueryWorkload(longest=LONGEST, subsets=1)
    )
    found = compare_tops(truth, top(released, items), count=TOP).true_positive_ratio if len(released) else 0.0
    largest = int(max(raw.lengths.max(), released.lengths.max(initial=0))) + 1
    shares = [np.bincount(side.lengths, minlength=largest) / max(len(side), 1) for side in (raw, released)]
    return found, queries.average_relative_error, float(np.abs(shares[0] - shares[1]).sum() / 2), len(released) / len(raw)


def made(title: str, records: BasketRecords, epsilon: str, seed: int) -> Ragged:
    """One release, or a floor in its place; the noise of releases is fresh, whatever the seed."""
    method, _, delta = title.partition(", delta ")
    if method == "itemset-counts":
        budget = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
        return ItemsetCounts().publish(records, budget=budget).data.baskets
    if method == "stable-histogram":
        return StableHistogram().publish(records, budget=ApproxDP(epsilon, delta)).data.baskets
    make = independent_baskets if title == "independent" else chain_baskets
    return make(records.baskets, items=len(records.universe), epsilon=float(epsilon), seed=seed)


def compare(name: str, records: BasketRecords, options: argparse.Namespace) -> None:
    """The table rows of one collection."""
    raw, items = records.baskets, len(records.universe)
    truth = top(raw, items)
    about = f"{name} ({len(raw):,} x {items:,}, {raw.lengths.mean():.1f})"
    for epsilon in options.epsilons:
        titles = ["itemset-counts", "independent"] + ["chain"] * (items <= LARGEST_CHAIN)
        if options.delta:
            rival = "itemset-counts" if options.rival is None else f"{options.rival}, delta {options.delta}"
            titles = [f"itemset-counts, delta {options.delta}", rival]
        rows = {}
        begin = time.process_time()
        for title in titles:
            runs = [measured(raw, made(title, records, epsilon, seed), truth, items=items) for seed in range(options.runs)]
            rows[title] = [Figure.of(list(figure)) for figure in zip(*runs, strict=True)]
        cells = [f"{row[0].mean:.3f} {row[1].mean:.4f} {row[2].mean:.2f} {row[3].mean:.2f}" for row in rows.values()]
        ours, *floors = rows.values()
        ratios = [
            ours[0].over(max((floor[0] for floor in floors), key=lambda figure: figure.mean)),
            ours[1].over(min((floor[1] for floor in floors), key=lambda figure: figure.mean)),
        ]
        print(f"| {about} | {epsilon} | {' | '.join([*cells, *ratios])} | {time.process_time() - begin:.0f}", flush=True)


def main() -> None:
    """Print the rows of the chosen collections."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = collections(Path(os.environ.get("TACITA_DATA", "")))
    parser.add_argument("--only", nargs="*", choices=known, default=list(known))
    parser.add_argument("--epsilons", nargs="*", default=["0.1", "0.5", "1"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--delta", help="compare releases with this delta with those without, in place of floors")
    parser.add_argument("--rival", choices=["stable-histogram"], help="compare with this method with the same delta instead")
    options = parser.parse_args()
    print("top 100 found, error of queries, distance of sizes, baskets per true one; of itemset-counts, independent, chain;")
    print("then found and error as ratios to the better floor, each with its standard error; CPU seconds")
    for name in options.only:
        compare(name, known[name](), options)


if __name__ == "__main__":
    main()
