"""Runs of pattern hiding: one person with one drawn set of patterns, what each search loses on it, and how long it takes.

Searches of one run share what was counted, which changes no loss. Times are taken apart, each on a problem of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from tacita.arrays import Integers, Reals
from tacita.personal.bounds import Bound, Form, Judge, beliefs
from tacita.personal.patterns import CostKind, SensitivePatterns, cost_rows
from tacita.personal.problem import Problem
from tacita.personal.searches import (
    Algorithm,
    Scope,
    bottom_up,
    nodes_shown,
    place_loss,
    refined,
    sanitize,
    top_down,
    top_down_leaves,
    top_down_sensitive,
)
from tacita.public.taxonomy import Taxonomy
from tacita.seeded import public_generator
from tacita_papers.reproduce.data.people import Person, frequent_patterns

__all__ = ["LEAST", "SHOWN", "WINDOW", "Found", "Prices", "Run", "found_in", "milliseconds", "runs_of"]

WINDOW, LEAST = 10, 10
SHOWN = (Algorithm.TOP_DOWN, Algorithm.TOP_DOWN_LEAVES, Algorithm.BOTTOM_UP, Algorithm.BEST)


class Prices:
    """The costs of each tree, computed once."""

    def __init__(self) -> None:
        """None yet."""
        self._rows: dict[tuple[int, CostKind], tuple[Taxonomy, Reals]] = {}

    def of(self, tree: Taxonomy, kind: CostKind) -> Reals:
        """The costs of a tree."""
        if (id(tree), kind) not in self._rows:
            self._rows[id(tree), kind] = tree, cost_rows(tree, kind)
        return self._rows[id(tree), kind][1]


@dataclass(frozen=True, eq=False)
class Run:
    """One person with the patterns to hide."""

    person: Person
    patterns: SensitivePatterns

    def problem(self, prices: Prices, kind: CostKind = CostKind.LINEAR) -> Problem:
        """The problem anew, so that nothing is remembered from another one."""
        tree = self.person.taxonomy
        return Problem(self.person.sequence, patterns=self.patterns, taxonomy=tree, costs=prices.of(tree, kind))


def runs_of(
    people: list[Person], *, runs: int, length: int = 2, count: int = 4, evenly: bool = False, least: int = LEAST
) -> list[list[Run]]:
    """For each person some sets of patterns, drawn by how often they occur, or evenly; persons with too few are left out."""
    generator, found = public_generator(100 * length + count), []
    for person in people:
        pool, counts = frequent_patterns(person.sequence, length=length, window=WINDOW, least=least)
        if len(pool) < count:
            continue
        weights = None if evenly else counts / counts.sum()
        own = []
        for _ in range(runs):
            codes = tuple(pool[place] for place in generator.choice(len(pool), count, replace=False, p=weights))
            own.append(Run(person, SensitivePatterns(codes=codes, window=WINDOW, universe=person.taxonomy.universe)))
        found.append(own)
    return found


@dataclass(frozen=True, eq=False)
class Found:
    """What the searches found in one run: losses by search, the best one shown locally, and what top-down and best give away."""

    losses: dict[Algorithm, float]
    local: float
    beliefs: dict[Algorithm, float]
    changed: dict[Algorithm, bool]


def found_in(judge: Judge) -> Found | None:
    """Run all searches; nothing if no showing keeps the bound."""
    problem = judge.problem
    if not judge.keeps(problem.nothing_shown):
        return None
    raw = _searched(judge)
    subtrees = {Algorithm.TOP_DOWN, Algorithm.TOP_DOWN_SENSITIVE}
    polished = {name: refined(judge, showing) if name in subtrees else showing for name, showing in raw.items()}
    best = min(polished.values(), key=problem.loss)
    shown = {Algorithm.TOP_DOWN: raw[Algorithm.TOP_DOWN], Algorithm.BEST: best}
    losses = {name: problem.loss_per_symbol(showing) for name, showing in raw.items()}
    return Found(
        losses={**losses, Algorithm.BEST: problem.loss_per_symbol(best)},
        local=min(place_loss(problem, nodes_shown(problem, each, scope=Scope.LOCAL)) for each in polished.values()),
        beliefs={name: _belief(problem, showing) for name, showing in shown.items()},
        changed={name: _all_changed(problem, showing) for name, showing in shown.items()},
    )


def _searched(judge: Judge) -> dict[Algorithm, Integers]:
    if judge.keeps(judge.problem.everything_shown):
        return dict.fromkeys(SHOWN[:-1], judge.problem.everything_shown)
    searches = {
        Algorithm.TOP_DOWN: top_down,
        Algorithm.TOP_DOWN_SENSITIVE: top_down_sensitive,
        Algorithm.TOP_DOWN_LEAVES: top_down_leaves,
        Algorithm.BOTTOM_UP: bottom_up,
    }
    found = {name: search(judge) for name, search in searches.items()}
    return {name: showing for name, showing in found.items() if showing is not None}


def _belief(problem: Problem, showing: Integers) -> float:
    return float(max(beliefs(problem, problem.blocks(showing), Form.TUPLES_SINGLE), default=0))


def _all_changed(problem: Problem, showing: Integers) -> bool:
    same = showing == problem.labels
    return not any(all(same[symbol] for symbol in pattern) for pattern in problem.patterns)


def milliseconds(runs: Iterable[Run], bound: Bound, algorithm: Algorithm, kind: CostKind = CostKind.LINEAR) -> list[float]:
    """CPU time of one search on a new problem, for each run."""
    prices, times = Prices(), []
    for run in runs:
        run.problem(prices, kind)  # the costs are made once per tree, and not timed
        start = time.process_time()
        sanitize(run.problem(prices, kind), bound, algorithm=algorithm)
        times.append(1e3 * (time.process_time() - start))
    return times
