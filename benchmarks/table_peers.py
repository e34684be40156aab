"""MST and AIM of private-pgm on one table of codes, accounted for pure differential privacy; run in an environment of its own.

`pip install dpmm` (0.1.9) brings the inference of private-pgm (mirror descent, in NumPy). The mechanisms of McKenna, Miklau and
Sheldon (2021, 2022) are written here around it, since theirs are accounted for zCDP: MST has a third of epsilon each for single
columns, for its tree and for the pairs of the tree, and merges values below three deviations; AIM starts with 16 rounds a
column, gives a tenth of each to choosing, and doubles the budget of a round when one changed too little. Noise is Laplace.

    python benchmarks/table_peers.py mst|aim|aim-default IN.npz OUT.npz EPSILON SEED

`IN.npz` holds `columns` (rows x columns, codes) and `sizes`; `OUT.npz` gets `columns`. `benchmarks/marginals.py --peers PYTHON`
calls it. AIM's largest model is 4 MB and its fits have 100 steps (400 at the end); with private-pgm's own 80 MB and 1,000 steps,
`aim-default`, a table of 25 columns would take hours, so that is for small tables.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from dpmm.models.aim import compile_workload, filter_candidates
from dpmm.models.base.mbi import Dataset, Domain, FactoredInference
from scipy import sparse

Codes = np.ndarray[Any, Any]
Columns = tuple[str, ...]

STEPS, LARGEST_PAIR = 400, 10_000
REDUCED, DEFAULT = (100, 400, 4.0), (1000, 1000, 80.0)
"""The steps of AIM's fits, those of the last, and its largest model in megabytes."""


class Table:
    """Codes as private-pgm has them, and noisy measurements of their marginals."""

    def __init__(self, columns: Codes, sizes: list[int], random: np.random.Generator) -> None:
        """Columns are rows x columns of codes."""
        self.names = [f"c{number}" for number in range(len(sizes))]
        self.domain = Domain(self.names, list(sizes))
        self.data = Dataset(pd.DataFrame(columns, columns=self.names), self.domain)
        self.random = random

    def counts(self, columns: Columns) -> Codes:
        """The counts of a marginal."""
        return self.data.project(list(columns)).datavector()

    def measured(self, columns: Columns, scale: float) -> tuple[Any, Codes, float, Columns]:
        """A noisy marginal."""
        truth = self.counts(columns)
        return sparse.eye(truth.size), truth + self.random.laplace(0, scale, truth.size), scale * 2**0.5, tuple(columns)

    def chosen(self, scores: dict[Columns, float], epsilon: float) -> Columns:
        """The exponential mechanism on scores of sensitivity 1, by noise of Gumbel."""
        sets = list(scores)
        noisy = np.array([scores[each] for each in sets]) * epsilon / 2 + self.random.gumbel(size=len(sets))
        return sets[int(np.argmax(noisy))]


def fitted(domain: Domain, measurements: list[Any], steps: int, engine: Any = None) -> Any:  # noqa: ANN401 - private-pgm has no types
    """A graphical model of noisy marginals."""
    engine = FactoredInference(domain, iters=steps, warm_start=True) if engine is None else engine
    return engine.estimate(measurements)


def mst(columns: Codes, sizes: list[int], epsilon: float, random: np.random.Generator) -> Codes:
    """Single columns, a spanning tree of pairs, and rows."""
    third, number = epsilon / 3, len(sizes)
    first = Table(columns, sizes, random)
    scale = number / third
    ones = [first.measured((name,), scale) for name in first.names]
    merged, small = [], []
    for _, noisy, deviation, _ in ones:
        stands = noisy >= 3 * deviation
        merged.append(np.where(stands, np.cumsum(stands) - 1, int(stands.sum())))
        small.append(int(stands.sum()) + (not stands.all()))
    coded = np.stack([codes[columns[:, place]] for place, codes in enumerate(merged)], axis=1)
    table = Table(coded, small, random)
    singles = []
    for name, codes, size, (_, noisy, deviation, _) in zip(table.names, merged, small, ones, strict=True):
        root = np.sqrt(np.bincount(codes, minlength=size))
        singles.append((sparse.diags(1 / root), np.bincount(codes, weights=noisy, minlength=size) / root, deviation, (name,)))
    model = fitted(table.domain, singles, STEPS)
    scores = {pair: np.abs(table.counts(pair) - model.project(pair).datavector()).sum() for pair in combinations(table.names, 2)}
    group, pairs = {name: name for name in table.names}, []
    for _ in range(number - 1):
        pair = table.chosen({each: scores[each] for each in scores if group[each[0]] != group[each[1]]}, third / (number - 1))
        pairs.append(table.measured(pair, (number - 1) / third))
        one, other = group[pair[0]], group[pair[1]]
        group = {name: one if own == other else own for name, own in group.items()}
    made = fitted(table.domain, singles + pairs, STEPS).synthetic_data().df[table.names].to_numpy()
    out = np.zeros_like(made)
    for place, (codes, (_, noisy, _, _)) in enumerate(zip(merged, ones, strict=True)):
        for code in range(small[place]):
            own, rows = np.flatnonzero(codes == code), np.flatnonzero(made[:, place] == code)
            weights = np.maximum(noisy[own], 1e-9)
            out[rows, place] = random.choice(own, rows.size, p=weights / weights.sum())
    return out


def aim(
    columns: Codes, sizes: list[int], epsilon: float, random: np.random.Generator, settings: tuple[int, int, float] = REDUCED
) -> Codes:
    """Marginals one by one, where the model is most wrong."""
    steps, last_steps, megabytes = settings
    table = Table(columns, sizes, random)
    workload = [pair for pair in combinations(table.names, 2) if table.domain.size(pair) <= LARGEST_PAIR]
    candidates = compile_workload(workload)
    truths = {each: table.counts(each) for each in candidates}
    heaviest, rounds = max(candidates.values()), 16 * len(sizes)
    scale, choice = rounds / (0.9 * epsilon), 0.1 * epsilon / rounds
    measured = [table.measured((name,), scale) for name in table.names]
    spent = len(measured) / scale
    engine = FactoredInference(table.domain, iters=steps, warm_start=True)
    model, is_last = fitted(table.domain, measured, steps, engine), False
    while not is_last:
        if epsilon - spent < 2 * (1 / scale + choice):
            left, is_last = epsilon - spent, True
            scale, choice = 1 / (0.9 * left), 0.1 * left
        spent += 1 / scale + choice
        wrong = {}
        for each, weight in filter_candidates(candidates, model, megabytes * spent / epsilon).items():
            distance = np.abs(truths[each] - model.project(each).datavector()).sum()
            wrong[each] = weight / heaviest * (distance - scale * truths[each].size)
        best = table.chosen(wrong, choice)
        before = model.project(best).datavector()
        measured.append(table.measured(best, scale))
        model = fitted(table.domain, measured, steps, engine)
        if np.abs(model.project(best).datavector() - before).sum() <= scale * before.size:
            scale, choice = scale / 2, choice * 2
    engine.iters = last_steps
    return fitted(table.domain, measured, last_steps, engine).synthetic_data().df[table.names].to_numpy()


def main() -> None:
    """Publish one table."""
    name, source, target, epsilon, seed = sys.argv[1:]
    given = np.load(source)
    random = np.random.default_rng(int(seed))
    np.random.seed(int(seed))  # noqa: NPY002 - what private-pgm draws rows with
    runs = {"mst": mst, "aim": aim, "aim-default": partial(aim, settings=DEFAULT)}
    made = runs[name](given["columns"], given["sizes"].tolist(), float(epsilon), random)
    np.savez(target, columns=made)


if __name__ == "__main__":
    main()
