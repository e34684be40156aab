"""Publishers of tables judged: `marginals` against independent columns, MST and `top-down`, on simulated tables.

For each world and epsilon: the mean total variation between the 1-, 2- and 3-way marginals of the release and the table (numbers
and dates in at most 32 equal bins; at most 150 sets), the AUC of a classifier trained on the release and tried on other rows of
the same law, divided by that of one trained on the table itself, and CPU seconds. Several seeds, with standard errors. Prints the
tables of `docs/reference/measured-tables.md`.

MST is our own small version of McKenna, Miklau and Sheldon's (2021), accounted for pure differential privacy: a third of epsilon
each for single columns, for choosing a spanning tree by the exponential mechanism, and for the pairs of the tree. Its noisy
counts are fitted and dealt by this library's own code, which is kind to it: it has neither mirror descent's tolerance nor
sampling error. It sees numbers and dates in 32 equal bins, since it has no rule for them. `top-down` has rows with missing values
left out. With `--peers PYTHON`, the interpreter of an environment with private-pgm's inference, its MST and AIM run too
(`benchmarks/table_peers.py`); they see the same 32 bins.

    python benchmarks/marginals.py [--worlds SET] [--epsilons .1,1] [--seeds N] [--only WORLD,...] [--peers PYTHON]
    python benchmarks/marginals.py --table RUNS.jsonl ...

The second form prints the table of runs whose standard errors were kept, so that a long judgement can be made in parts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from table_worlds import WORLDS, World
from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import on_simplex
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.seeded import public_generator
from tacita.tables import Categorical, Independent, Marginals, Schema, TableRecords, TopDown
from tacita.tables.synthesis.estimates import single_counts
from tacita.tables.synthesis.junction import Columns, Junction

BINS, MOST_SETS = 32, 150

Codes = list[Integers]


def coarse(schema: Schema) -> tuple[list[int], list[Callable[[Integers], Integers]]]:
    """For each column how many codes it is judged by, and the code of a place; a missing value has the last one."""
    sizes, codes = [], []
    for column in schema.quasi:
        if isinstance(column, Categorical) or column.size <= BINS:
            sizes.append(column.size)
            codes.append(lambda places: places)
        else:
            sizes.append(BINS + column.missing)
            codes.append(lambda places, count=column.count: np.where(places == count, BINS, places * BINS // count))
    return sizes, codes


def coded(records: TableRecords, codes: Sequence[Callable[[Integers], Integers]]) -> Codes:
    """The columns by their codes."""
    return [code(places) for code, places in zip(codes, records.quasi, strict=True)]


# The contestants: each turns a world into codes.


def ours(
    method: Marginals | Independent, *, has_target: bool = False, has_delta: bool = False
) -> Callable[[World, float, int], Codes]:
    """A method of the library, with fresh noise; the target, if any, is the last column."""

    def run(world: World, epsilon: float, _: int) -> Codes:
        chosen = Marginals(target=world.records.schema.names[-1]) if has_target else method
        budget = ApproxDP(str(epsilon), "1e-9") if has_delta else PureDP(str(epsilon))
        data = chosen.publish(world.records, budget=budget).data
        return [data.lows[:, place] for place in range(data.lows.shape[1])]

    return run


def top_down(world: World, epsilon: float, seed: int) -> Codes:
    """Rows of ranges, each value drawn evenly from its range; columns with missing values are declared without them."""
    records, generator = world.records, public_generator(seed)
    kept = np.ones(len(records), dtype=np.bool_)
    for column, places in zip(records.schema.quasi, records.quasi, strict=True):
        kept &= places < column.count
    schema = Schema(quasi=tuple(replace(column, missing=False) if column.missing else column for column in records.schema.quasi))
    whole = TableRecords(schema=schema, quasi=tuple(places[kept] for places in records.quasi), name="whole")
    data = TopDown().publish(whole, budget=PureDP(str(epsilon))).data
    lows, highs = data.lows[data.groups], data.highs[data.groups]
    return [
        (lows[:, place] + generator.random(len(data)) * (highs - lows)[:, place]).astype(np.int64)
        for place in range(lows.shape[1])
    ]


def mst(world: World, epsilon: float, seed: int) -> Codes:
    """A spanning tree of pairs, by the codes that are judged; noise of NumPy, since this is a judge."""
    generator = public_generator(seed)
    sizes, codes = coarse(world.records.schema)
    columns, third, number = coded(world.records, codes), epsilon / 3, len(sizes)
    scale = number / third
    first = [
        np.bincount(own, minlength=size) + generator.laplace(0, scale, size) for own, size in zip(columns, sizes, strict=True)
    ]
    maps = [_compressed(own, 3 * scale * 2**0.5) for own in first]
    small = [int(each.max()) + 1 for each in maps]
    data = [each[own] for each, own in zip(maps, columns, strict=True)]
    noisy = [np.bincount(each, weights=own, minlength=size) for each, own, size in zip(maps, first, small, strict=True)]
    variances = [np.bincount(each, minlength=size) * 2 * scale**2 for each, size in zip(maps, small, strict=True)]
    rows = max(float(np.mean([own.sum() for own in noisy])), 1.0)
    ones = single_counts(noisy, variances, {}, rows=rows)
    tree = _spanning_tree(data, small, ones, rows, third / (number - 1), generator)
    pairs = {}
    for pair in tree:
        shape = [small[column] for column in pair]
        truth = np.bincount(data[pair[0]] * shape[1] + data[pair[1]], minlength=prod(shape))
        answer = truth + generator.laplace(0, (number - 1) / third, truth.size)
        pairs[pair] = np.maximum(on_simplex(answer, rows), 1e-6).reshape(shape)
    model = Junction(ones, {**pairs, **{(column,): own for column, own in enumerate(ones)}})
    dealt = model.dealt(round(rows), salt=seed)
    return [_spread(own, each, count, generator) for own, each, count in zip(dealt, maps, first, strict=True)]


def _compressed(counts: Reals, least: float) -> Integers:
    """Values with fewer rows share a code."""
    stands = counts >= least
    codes = np.where(stands, np.cumsum(stands) - 1, int(stands.sum()))
    return np.asarray(codes, dtype=np.int64)


def _spread(codes: Integers, of_value: Integers, counts: Reals, generator: np.random.Generator) -> Integers:
    """Values of codes; those that share one are drawn by their noisy counts."""
    found = np.zeros_like(codes)
    for code in range(int(of_value.max()) + 1):
        own, rows = np.flatnonzero(of_value == code), np.flatnonzero(codes == code)
        weights = np.maximum(counts[own], 1e-9)
        found[rows] = generator.choice(own, rows.size, p=weights / weights.sum())
    return found


def _spanning_tree(
    data: Codes, sizes: list[int], ones: list[Reals], rows: float, epsilon: float, generator: np.random.Generator
) -> list[Columns]:
    """The exponential mechanism on L1 distances from independent columns, again and again among columns that are not joined."""
    scores = {}
    for one, other in combinations(range(len(sizes)), 2):
        truth = np.bincount(data[one] * sizes[other] + data[other], minlength=sizes[one] * sizes[other])
        scores[one, other] = float(np.abs(truth - np.outer(ones[one], ones[other]).ravel() / rows).sum())
    group, tree = list(range(len(sizes))), []
    for _ in range(len(sizes) - 1):
        open_pairs = [pair for pair in scores if group[pair[0]] != group[pair[1]]]
        weights = np.array([scores[pair] for pair in open_pairs]) * epsilon / 2 + generator.gumbel(size=len(open_pairs))
        best = open_pairs[int(np.argmax(weights))]
        tree.append(best)
        group = [group[best[0]] if own == group[best[1]] else own for own in group]
    return tree


CONTESTANTS: dict[str, Callable[[World, float, int], Codes]] = {
    "marginals": ours(Marginals()),
    "marginals, delta 1e-9": ours(Marginals(), has_delta=True),
    "marginals, target": ours(Marginals(), has_target=True),
    "independent": ours(Independent()),
    "MST": mst,
    "top-down": top_down,
}
OURS = frozenset(CONTESTANTS) - {"MST"}
"""Those that give places; all others give the codes that are judged."""

PEERS = {"MST of private-pgm": "mst", "AIM of private-pgm": "aim", "AIM at default settings": "aim-default"}


PEAKS: dict[str, float] = {}
"""The megabytes of the last process of a peer."""


def peer(python: str, name: str) -> Callable[[World, float, int], Codes]:
    """A mechanism of private-pgm, in a process of its own."""

    def run(world: World, epsilon: float, seed: int) -> Codes:
        sizes, codes = coarse(world.records.schema)
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "in.npz"), Path(folder, "out.npz")
            np.savez(source, columns=np.stack(coded(world.records, codes), axis=1), sizes=np.array(sizes))
            script = str(Path(__file__).with_name("table_peers.py"))
            process = subprocess.Popen([python, script, name, str(source), str(target), str(epsilon), str(seed)])
            _, status, used = os.wait4(process.pid, 0)
            if status:
                message = f"{name} ended with the status {status}"
                raise RuntimeError(message)
            PEAKS[name] = used.ru_maxrss / 1024
            return list(np.load(target)["columns"].T.astype(np.int64))

    return run


# The judges.


def distances(truth: Codes, made: Codes, sizes: list[int], order: int) -> float:
    """The mean total variation over sets of this number of columns."""
    sets = list(combinations(range(len(sizes)), order))
    if len(sets) > MOST_SETS:
        sets = [sets[place] for place in public_generator(order).permutation(len(sets))[:MOST_SETS]]
    found = []
    for columns in sets:
        shares = []
        for side in (truth, made):
            keys = np.zeros(side[0].size, dtype=np.int64)
            for column in columns:
                keys = keys * sizes[column] + side[column]
            shares.append(np.bincount(keys, minlength=prod(sizes[column] for column in columns)) / max(keys.size, 1))
        found.append(float(np.abs(shares[0] - shares[1]).sum()) / 2)
    return float(np.mean(found))


def auc(train: Codes, judged: Codes) -> float:
    """How well the last column is predicted from the others; a half if there is only one class to learn from."""
    if np.unique(train[-1]).size < 2:
        return 0.5
    model = HistGradientBoostingClassifier(max_iter=40, random_state=0).fit(np.stack(train[:-1], axis=1), train[-1] > 0)
    return float(roc_auc_score(judged[-1] > 0, model.predict_proba(np.stack(judged[:-1], axis=1))[:, 1]))


BEST: dict[str, float] = {}
"""The AUC of a classifier trained on the table itself, for each world that was run."""


def judged(name: str, world: World, contestant: str, epsilon: float, seed: int) -> dict[str, float | str]:
    """One run of one contestant."""
    sizes, codes = coarse(world.records.schema)
    truth, others = coded(world.records, codes), coded(world.others, codes)
    start = _cpu()
    made = CONTESTANTS[contestant](world, epsilon, seed)
    cpu = _cpu() - start
    if contestant in OURS:
        made = [code(places) for code, places in zip(codes, made, strict=True)]
    found: dict[str, float | str] = {"world": name, "method": contestant, "epsilon": epsilon, "seed": seed, "cpu": cpu}
    found |= {f"{order}-way": distances(truth, made, sizes, order) for order in (1, 2, 3)}
    if name not in BEST:
        BEST[name] = auc(truth, others)
    found["auc"] = auc(made, others) / BEST[name]
    found["mb"] = PEAKS[PEERS[contestant]] if contestant in PEERS else _peak(contestant, world, epsilon, seed)
    return found


def _peak(contestant: str, world: World, epsilon: float, seed: int) -> float:
    """The megabytes that a contestant of this process allocates, by one more run of its first seed; without the table."""
    if seed:
        return 0.0
    tracemalloc.start()
    CONTESTANTS[contestant](world, epsilon, seed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def _cpu() -> float:
    """CPU seconds of this process and of those that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def table(runs: list[dict[str, float | str]]) -> str:
    """Means with standard errors, as Markdown."""
    lines = ["| world | epsilon | method | runs | 1-way | 2-way | 3-way | AUC ratio | CPU s | MB |", "|" + "---|" * 10]
    for world, epsilon, method in dict.fromkeys((run["world"], run["epsilon"], run["method"]) for run in runs):
        own = [run for run in runs if (run["world"], run["epsilon"], run["method"]) == (world, epsilon, method)]
        cells = []
        for key in ("1-way", "2-way", "3-way", "auc"):
            values = np.array([float(run[key]) for run in own])
            error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
            cells.append(f"{values.mean():.4f} ± {error:.4f}" if key != "auc" else f"{values.mean():.3f} ± {error:.3f}")
        cpu = float(np.mean([float(run["cpu"]) for run in own]))
        mb = max(float(run["mb"]) for run in own)
        lines.append(f"| {world} | {epsilon:g} | {method} | {len(own)} | {' | '.join(cells)} | {cpu:.2f} | {mb:.0f} |")
    return "\n".join(lines)


def _place(run: dict[str, float | str]) -> tuple[int, float, int]:
    """Where a run stands in the table: worlds, then budgets, then methods."""
    worlds, methods = [name for own in WORLDS.values() for name in own], [*CONTESTANTS, *PEERS]
    return worlds.index(str(run["world"])), float(run["epsilon"]), methods.index(str(run["method"]))


def main() -> None:
    """Run what is asked for; every run is also printed as a line of JSON on standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", choices=tuple(WORLDS), default="judging")
    parser.add_argument("--epsilons", default="0.1,0.5,1,3")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--methods", default="")
    parser.add_argument("--peers", default="", metavar="PYTHON")
    parser.add_argument("--table", nargs="+", type=Path, default=[], metavar="RUNS")
    given = parser.parse_args()
    if given.table:
        lines = [line for file in given.table for line in file.read_text().splitlines() if line.startswith("{")]
        print(table(sorted(map(json.loads, lines), key=_place)))
        return
    if given.peers:
        CONTESTANTS.update({name: peer(given.peers, own) for name, own in PEERS.items()})
    worlds = WORLDS[given.worlds]
    runs = []
    for name in given.only.split(",") if given.only else worlds:
        world = worlds[name]()
        for epsilon in map(float, given.epsilons.split(",")):
            for seed in range(given.seeds):
                for method in given.methods.split(";") if given.methods else CONTESTANTS:
                    runs.append(judged(name, world, method, epsilon, seed))
                    print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
    print(table(runs))


if __name__ == "__main__":
    main()
