"""How fast pattern hiding is: one long sequence of few categories, and a thousand persons on one process and on two.

Times are set against what they may take, so that a ratio below 1 is within the bound. Searches are CPU times of problems that
nothing was counted for before. The thousand persons are wall time, checked and with progress, so other processes show in it; the
CPU time of all processes stands beside it.
"""

from __future__ import annotations

import os
import time

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.personal.bounds import AnyBound, BeliefBound, InformationBound
from tacita.personal.pattern_hiding import Task, sanitize_everybody
from tacita.personal.patterns import CostKind, SensitivePatterns, cost_rows
from tacita.personal.records import PersonalRecords
from tacita.personal.searches import Algorithm, Infeasible, Scope, sanitize
from tacita.simulate.phones import PhoneWorld
from tacita_papers.reproduce.data.people import PAGES, Person, frequent_patterns
from tacita_papers.reproduce.runners.hiding_runs import WINDOW, Prices, Run
from timing import line

SYMBOLS, ONE_BOUND, ONE_AIM = 15_000, 0.050, 0.010
PEOPLE, ALL_BOUND, ALL_AIM = 1_000, 10.0, 3.0


def one_long_sequence() -> None:
    """15,000 symbols of 17 categories, half of them like the one before, and four patterns."""
    generator = np.random.default_rng(5)
    weights = 1 / np.arange(1, 18) ** 1.1
    sequence = generator.choice(17, SYMBOLS, p=weights / weights.sum())
    for place in np.flatnonzero(generator.random(SYMBOLS) < 0.5)[1:].tolist():
        sequence[place] = sequence[place - 1]
    pool, _ = frequent_patterns(sequence, length=2, window=WINDOW, least=10)
    person, universe = Person(sequence, PAGES), PAGES.universe
    runs = [
        Run(person, SensitivePatterns(codes=tuple(pool[at] for at in chosen), window=WINDOW, universe=universe))
        for chosen in (generator.choice(len(pool), 4, replace=False) for _ in range(10))
    ]
    bounds: tuple[AnyBound, ...] = (*(InformationBound(limit=limit) for limit in ("0.1", "0.5", "0.9")), BeliefBound(limit="0.3"))
    for search in (Algorithm.TOP_DOWN, Algorithm.BOTTOM_UP, Algorithm.BEST):
        for bound in bounds:
            seconds = _median(runs, bound, search)
            what = f"15,000 symbols, 17 categories, 4 patterns, {bound}: {search}"
            line(what, seconds / ONE_BOUND, "<= 1", f"{1e3 * seconds:.1f} ms, aim {1e3 * ONE_AIM:.0f}")


def _median(runs: list[Run], bound: AnyBound, search: Algorithm) -> float:
    prices, times = Prices(), []
    for run in (runs[0], *runs):
        start = time.process_time()
        sanitize(run.problem(prices), bound, algorithm=search)
        times.append(time.process_time() - start)
    return float(np.median(times[1:]))


def a_thousand_persons() -> None:
    """Phones of a thousand symbols on average; hidden are the four pairs of areas that are most frequent over everybody."""
    world = PhoneWorld(people=PEOPLE, mean_length=1_000, seed=1)
    sequences = world.sequences()
    records = PersonalRecords(sequences=Ragged(sequences.codes, sequences.offsets), universe=world.universe)
    pool, counts = frequent_patterns(sequences.codes.astype(np.int64), length=2, window=WINDOW, least=10)
    often = [pool[at] for at in np.argsort(-counts).tolist() if pool[at][0] != pool[at][1]][:4]
    for search in (Algorithm.TOP_DOWN, Algorithm.BEST):
        task = Task(
            patterns=SensitivePatterns(codes=tuple(often), window=WINDOW, universe=world.universe),
            taxonomy=world.taxonomy,
            costs=cost_rows(world.taxonomy, CostKind.LINEAR),
            bound=BeliefBound(limit="0.3"),
            algorithm=search,
            scope=Scope.GLOBAL,
        )
        for workers in (1, 2):
            told: list[int] = []
            start, used = time.perf_counter(), sum(os.times()[:4])
            found = sanitize_everybody(task, records, workers=workers, progress=lambda done, _, told=told: told.append(done))
            seconds, cpu = time.perf_counter() - start, sum(os.times()[:4]) - used
            idle = sum(not isinstance(each.outcome, Infeasible) and each.outcome.loss_per_symbol == 0 for each in found)
            what = f"1,000 persons, belief 0.3, {search}, {workers} processes, {idle} with nothing to hide, {len(told)} steps"
            line(what, seconds / ALL_BOUND, "<= 1", f"{seconds:.1f} s, CPU {cpu:.1f} s, aim {ALL_AIM:.0f}")


if __name__ == "__main__":
    one_long_sequence()
    a_thousand_persons()
