"""Searches against the optimum by trying everything, on random sequences of up to nine symbols.

The steps of the searches were chosen on trees of fan-out 3 with another seed; fan-out 4 was looked at only to judge them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.personal.bounds import AnyBound, BeliefBound, InformationBound, Judge
from tacita.personal.patterns import CostKind, SensitivePatterns, cost_rows
from tacita.personal.problem import Problem
from tacita.personal.searches import Infeasible, Space, optimum, sanitize
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita_papers.reproduce.runners.hiding_runs import SHOWN, WINDOW

__all__ = ["against_the_optimum"]

BOUNDS: tuple[AnyBound, ...] = (
    *(InformationBound(limit=limit) for limit in ("0.1", "0.3", "0.5", "0.7", "0.9")),
    BeliefBound(limit="0.3"),
    BeliefBound(limit="0.5"),
)


def against_the_optimum(count: int) -> dict[str, Any]:
    """Mean losses of two optima and of the searches, by bound and over all of them, for two trees."""
    return {f"fan-out {fan_out}": _losses(fan_out, count) for fan_out in (3, 4)}


def _losses(fan_out: int, count: int) -> list[dict[str, Any]]:
    generator = np.random.default_rng([9, fan_out])
    losses: dict[str, list[list[float]]] = {str(bound): [] for bound in BOUNDS}
    for _ in range(count):
        problem = _random_problem(generator, fan_out)
        for bound in BOUNDS:
            judge = Judge(problem, bound)
            if judge.keeps(problem.everything_shown) or not judge.keeps(problem.nothing_shown):
                continue
            optima = [optimum(judge, space=space) for space in Space]
            found = [sanitize(problem, bound, algorithm=search) for search in SHOWN]
            row = [problem.loss_per_symbol(showing) for showing in optima if showing is not None]
            losses[str(bound)].append(row + [each.loss_per_symbol for each in found if not isinstance(each, Infeasible)])
    losses["all"] = [row for rows in losses.values() for row in rows]
    return [{"bound": name, "runs": len(rows), "loss": np.mean(rows, axis=0).tolist()} for name, rows in losses.items() if rows]


def _random_problem(generator: np.random.Generator, fan_out: int) -> Problem:
    """100 to 400 symbols of five to nine labels, some far more frequent than others, and one to four patterns."""
    symbols = int(generator.integers(5, 10))
    weights = generator.permutation(1 / np.arange(1, symbols + 1) ** generator.uniform(0, 1.5))
    weights /= weights.sum()
    tree = Taxonomy.balanced(Universe("abcdefghi"[:symbols]), fan_out=fan_out)
    sequence = generator.choice(symbols, int(generator.integers(100, 400)), p=weights)
    codes = {tuple(generator.choice(symbols, 2, p=weights).tolist()) for _ in range(int(generator.integers(1, 5)))}
    hidden = SensitivePatterns(codes=tuple(sorted(codes)), window=WINDOW, universe=tree.universe)
    return Problem(sequence, patterns=hidden, taxonomy=tree, costs=cost_rows(tree, CostKind.LINEAR))
