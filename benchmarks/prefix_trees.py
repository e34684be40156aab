"""What prefix trees keep of real and simulated movements: frequent patterns and count queries, each method on fresh noise.

    TACITA_DATA=folder python benchmarks/prefix_trees.py [--quick] [--only NAME ...]

Prints Markdown tables. NAME is `patterns`, `granularity`, `thresholds`, `continuing` or the beginning of a data set's name;
`--quick` makes one run of everything. Figures come from raw data, so they are for the owner's eyes only; those of public and
simulated data may be seen by anybody.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import TooManyNodesError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.sequences import PrefixTree, SequenceRecords
from tacita.utility import PatternKind, QueryWorkload, count_location_sets, location_sets, measure_patterns, relative_errors
from tacita_papers.reproduce.data.movements import MOVEMENTS, Movements, cut, msnbc

TOPS = (20, 40, 60, 80, 100)
PATTERN_HEIGHT, MANY_RUNS, QUERY_RUNS = 20, 10, 3
PUBLISHED_TOPS = {"0.1": (85, 78, 80, 84, 86), "1": (90, 82.5, 85, 90, 89)}
QUERY_EPSILONS = ("0.5", "1", "1.5")
SANITY_SHARE = 0.001
PATTERN_METHODS = {
    "none": {"inference": "none"},
    "two-phase": {"inference": "two-phase"},
    "exact": {"inference": "exact"},
    "corrected": {"inference": "corrected"},
    "exact, continue": {"inference": "exact", "lost": "continue"},
    "corrected, continue": {"inference": "corrected", "lost": "continue"},
}
QUERY_METHODS = {
    "none": {"inference": "none"},
    "two-phase": {"inference": "two-phase"},
    "exact": {"inference": "exact"},
    "corrected, continue": {"inference": "corrected", "lost": "continue"},
}


def published(records: SequenceRecords, method: PrefixTree, epsilon: str) -> Ragged:
    """One release, with its own noise."""
    return method.publish(records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences


def table(title: str, head: list[str], rows: Iterator[list[str]]) -> None:
    """Print a Markdown table, row by row as they come."""
    print(f"\n**{title}**\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def spread(values: npt.NDArray[np.float64], *, digits: int) -> list[str]:
    """The mean over runs (first axis) of each figure, in percent."""
    return [f"{100 * value:.{digits}f}" for value in values.mean(axis=0)]


def pattern_tables(runs: int) -> None:
    """How many of the most frequent contiguous patterns of MSNBC are found."""
    data = msnbc()
    raw, symbols = cut(data.records.sequences, PATTERN_HEIGHT), len(data.records.universe)
    for epsilon, figures in PUBLISHED_TOPS.items():

        def rows(epsilon: str = epsilon, figures: tuple[float, ...] = figures) -> Iterator[list[str]]:
            yield ["published", *(f"{figure:g}" for figure in figures), "", ""]
            for name, choices in PATTERN_METHODS.items():
                method = PrefixTree(height=PATTERN_HEIGHT, **choices)
                found = []
                for _ in range(runs):
                    released = published(data.records, method, epsilon)
                    tops = measure_patterns(raw, released, symbols=symbols, kind=PatternKind.CONTIGUOUS, counts=TOPS).tops
                    ratios = [top.true_positive_ratio for top in tops]
                    found.append([*ratios, tops[-1].utility_loss, released.lengths.mean() / raw.lengths.mean()])
                yield [name, *spread(np.array(found), digits=1)]

        head = ["method", *(f"K = {count}" for count in TOPS), "utility loss, K = 100", "mean length, of the true one"]
        table(f"MSNBC, height {PATTERN_HEIGHT}, epsilon {epsilon}: true positives, %, mean of {runs} runs", head, rows())


class Queries:
    """A random workload and its true answers, on places or on places at a time."""

    def __init__(self, data: Movements, *, on_times: bool) -> None:
        """Draw the queries and answer them on the raw records."""
        self._data, self._on_times = data, on_times
        intervals = data.records.grid.intervals if on_times and data.records.grid else 1
        self._symbols = len(data.records.universe) * intervals
        workload = QueryWorkload(longest=data.longest_query, subsets=data.subsets)
        self.max_lengths = workload.max_lengths
        parts = location_sets(workload, symbols=self._symbols)
        self._ends = np.cumsum([len(part) for part in parts])
        lengths = np.concatenate([part.lengths for part in parts])
        self._queries = Ragged(np.concatenate([part.codes for part in parts]), offsets_of(lengths))
        self._raw = self._answers(data.records.sequences)
        self._sanity_bound = SANITY_SHARE * len(data.records.sequences)

    def _answers(self, sequences: Ragged) -> npt.NDArray[np.int64]:
        side = sequences if self._on_times else self._data.places(sequences)
        return count_location_sets(side, self._queries, symbols=self._symbols)

    def matched(self) -> str:
        """How many queries of each subset have an answer above 0."""
        parts = np.split(self._raw, self._ends[:-1])
        return ", ".join(f"{np.count_nonzero(part) / part.size:.0%}" for part in parts)

    def of_nothing(self) -> list[float]:
        """The errors of a release without any record: the baseline for every error."""
        return self._errors(np.zeros_like(self._raw))

    def errors(self, released: Ragged) -> list[float]:
        """The average relative error of each subset."""
        return self._errors(self._answers(released))

    def tendencies(self, released: Ragged) -> list[float]:
        """The average relative error with its sign, for sets of one, two and three places."""
        differences = (self._answers(released) - self._raw) / np.maximum(self._raw, self._sanity_bound)
        return [float(differences[self._queries.lengths == length].mean()) for length in (1, 2, 3)]

    def _errors(self, answers: npt.NDArray[np.int64]) -> list[float]:
        errors = relative_errors(self._raw, answers, sanity_bound=self._sanity_bound)
        return [float(part.mean()) for part in np.split(errors, self._ends[:-1])]


def shapes(data: Movements) -> dict[str, dict[str, object]]:
    """The trees that are compared: simple, along the taxonomy, and with times also time first without a taxonomy."""
    found: dict[str, dict[str, object]] = {"simple": {}}
    if data.records.grid is not None:
        found["time first"] = {"granularity": "hybrid"}
    return found | {"hybrid": {"taxonomy": data.taxonomy}}


def query_table(name: str, data: Movements, runs: int) -> None:
    """The errors of every method at every epsilon."""
    workloads = {"places": Queries(data, on_times=False)}
    if data.records.grid is not None:
        workloads["places at times"] = Queries(data, on_times=True)

    def row(shape: str, method: PrefixTree, epsilon: str) -> list[str]:
        figures = []
        for _ in range(runs):
            released = published(data.records, method, epsilon)
            errors = [error for queries in workloads.values() for error in queries.errors(released)]
            figures.append([*errors, len(released) / len(data.records.sequences)])
        return [epsilon, shape, *spread(np.array(figures), digits=2)]

    def rows() -> Iterator[list[str]]:
        nothing = [error for queries in workloads.values() for error in queries.of_nothing()]
        yield ["", "no record at all", *(f"{100 * error:.2f}" for error in nothing), "0"]
        for epsilon in QUERY_EPSILONS:
            for shape, form in shapes(data).items():
                for label, choices in QUERY_METHODS.items():
                    yield row(f"{shape}, {label}", PrefixTree(height=data.height, **form, **choices), epsilon)

    lengths = next(iter(workloads.values())).max_lengths
    head = ["epsilon", "tree, inference", *(f"{what}, up to {most}" for what in workloads for most in lengths), "records"]
    matched = "; ".join(f"{what} {queries.matched()}" for what, queries in workloads.items())
    size = f"{len(data.records.sequences):,} records, {len(data.records.universe)} places"
    table(f"{name}, {size}, height {data.height}: average relative error, %, mean of {runs} runs", head, rows())
    print(f"\nQueries with an answer above 0: {matched}.", flush=True)


def continuing_table(runs: int) -> None:
    """Whether answers are too small or too large, and how long sequences are."""

    def row(data: Movements, queries: Queries, releases: Iterable[Ragged]) -> list[str]:
        length = cut(data.records.sequences, data.height).lengths.mean()
        figures = [[released.lengths.mean() / length, *queries.tendencies(released)] for released in releases]
        return [f"{100 * figure:+.1f}" for figure in np.array(figures).mean(axis=0) - [1, 0, 0, 0]]

    def rows() -> Iterator[list[str]]:
        for name in ("Metro (simulated)", "Bus (simulated)", "MSNBC"):
            data = MOVEMENTS[name]()
            queries = Queries(data, on_times=False)
            yield [name, "", "the records, cut", *row(data, queries, [cut(data.records.sequences, data.height)])]
            for epsilon, (label, choices) in product(QUERY_EPSILONS[::2], PATTERN_METHODS.items()):
                method = PrefixTree(height=data.height, **choices)
                releases = (published(data.records, method, epsilon) for _ in range(runs))
                yield [name, epsilon, label, *row(data, queries, releases)]

    head = ["data", "epsilon", "inference", "mean length", "sets of 1", "sets of 2", "sets of 3"]
    table(f"Too much or too little: relative error with its sign, %, simple, mean of {runs} runs", head, rows())


def granularity_table(runs: int) -> None:
    """Whether a hybrid tree is better than a simple one where the papers say so, with the spread of the runs."""

    def rows() -> Iterator[list[str]]:
        for name in ("Metro (simulated)", "Bus (simulated)"):
            data = MOVEMENTS[name]()
            queries = Queries(data, on_times=False)
            for epsilon in QUERY_EPSILONS:
                simple, hybrid = (
                    np.array([queries.errors(published(data.records, method, epsilon)) for _ in range(runs)])
                    for method in (PrefixTree(height=data.height), PrefixTree(height=data.height, taxonomy=data.taxonomy))
                )
                gains = [f"{100 * gain:+.0f}" for gain in 1 - hybrid.mean(axis=0) / simple.mean(axis=0)]
                ranges = [f"{100 * side[:, 0].min():.2f} to {100 * side[:, 0].max():.2f}" for side in (simple, hybrid)]
                yield [name, epsilon, *ranges, *gains]

    lengths = (3, 6, 9, 12)
    head = ["data", "epsilon", "simple, up to 3", "hybrid, up to 3", *(f"gain, up to {most}" for most in lengths)]
    table(f"Hybrid against simple, exact inference: range of errors and gain of the mean, %, {runs} runs each", head, rows())


def threshold_table(runs: int) -> None:
    """The published thresholds, and how many false children per node they allow."""

    def row(data: Movements, queries: Queries, method: PrefixTree, epsilon: str) -> list[str]:
        false = method.schedules(PureDP(epsilon), universe=data.records.universe)[0].false_children()
        try:
            errors = [queries.errors(published(data.records, method, epsilon)) for _ in range(runs)]
        except TooManyNodesError:
            return [*["too many nodes"] * len(queries.max_lengths), f"{false:.2g}"]
        return [*spread(np.array(errors), digits=2), f"{false:.2g}"]

    def rows() -> Iterator[list[str]]:
        for name in ("Metro (simulated)", "Bus (simulated)"):
            data = MOVEMENTS[name]()
            queries = Queries(data, on_times=False)
            simple = PrefixTree(height=data.height, threshold="published")
            hybrid = replace(simple, granularity="hybrid", taxonomy=data.taxonomy)
            for epsilon in QUERY_EPSILONS:
                for method in (simple, replace(hybrid, inference="two-phase"), hybrid):
                    label = f"{method.granularity}, {method.inference}"
                    yield [name, epsilon, label, *row(data, queries, method, epsilon)]

    head = ["data", "epsilon", "tree, inference", *(f"up to {most}" for most in (3, 6, 9, 12)), "false children of a node"]
    table(f"With the published thresholds: average relative error, %, mean of {runs} runs", head, rows())


def main() -> None:
    """Print the requested tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one run of everything")
    parser.add_argument(
        "--only",
        nargs="+",
        default=["patterns", "granularity", "thresholds", "continuing", *MOVEMENTS],
        metavar="NAME",
        help="which tables",
    )
    asked = parser.parse_args()
    if "patterns" in asked.only:
        pattern_tables(1 if asked.quick else MANY_RUNS)
    if "granularity" in asked.only:
        granularity_table(1 if asked.quick else MANY_RUNS)
    if "thresholds" in asked.only:
        threshold_table(1 if asked.quick else QUERY_RUNS)
    if "continuing" in asked.only:
        continuing_table(1 if asked.quick else QUERY_RUNS)
    for name, data in MOVEMENTS.items():
        if any(name.lower().startswith(part.lower()) for part in asked.only):
            query_table(name, data(), 1 if asked.quick else QUERY_RUNS)


if __name__ == "__main__":
    main()
