"""What hiding patterns costs, and how long it takes: the figures of Bonomi, Fan and Jin (WSDM 2016), and the bounds by belief.

TACITA_DATA=folder python benchmarks/pattern_hiding.py --collection msnbc --runs 25

Patterns are drawn evenly from those that occur at least ten times within the window. A run is one person with one set of
patterns. Losses are means over all runs of all persons that have enough patterns; times are CPU times.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from personal_data import COLLECTIONS, Person, frequent_patterns, people_of
from tacita.arrays.ragged import Ragged
from tacita.personal.best import Algorithm, Infeasible, Sanitized, sanitize
from tacita.personal.bounds import BeliefBound, Bound, InformationBound, Judge, PaperBound
from tacita.personal.costs import CostKind, Costs, cost_rows
from tacita.personal.exhaustive import Space, optimum
from tacita.personal.local import Scope
from tacita.personal.patterns import SensitivePatterns
from tacita.personal.people import Task, sanitize_everybody
from tacita.personal.problem import Problem
from tacita.personal.records import PersonalRecords
from tacita.personal.verification import evidence
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.phones import PhoneWorld
from tacita.utility.personal import frequent_pairs

WINDOW, LEAST = 10, 10
LIMITS = ("0.1", "0.3", "0.5", "0.7", "0.9")
TABLES = ("limit", "belief", "stays", "frequency", "shape", "case")
SHOWN = (Algorithm.TOP_DOWN, Algorithm.TOP_DOWN_LEAVES, Algorithm.BOTTOM_UP, Algorithm.BEST)


@dataclass(frozen=True, eq=False)
class Run:
    """One person with the patterns to hide."""

    person: Person
    patterns: SensitivePatterns

    def problem(self, costs: dict[tuple[int, CostKind], Costs], kind: CostKind) -> Problem:
        """The problem anew, so that nothing is remembered from another one."""
        tree = self.person.taxonomy
        if (id(tree), kind) not in costs:
            costs[id(tree), kind] = cost_rows(tree, kind)
        return Problem(self.person.sequence, patterns=self.patterns, taxonomy=tree, costs=costs[id(tree), kind])


def runs_of(people: list[Person], *, runs: int, length: int = 2, count: int = 4, seed: int = 1) -> list[Run]:
    """Draw patterns; persons with too few of them are left out."""
    generator, found = np.random.default_rng([seed, length, count]), []
    for person in people:
        pool = frequent_patterns(person.sequence, length=length, window=WINDOW, least=LEAST)
        if len(pool) < count:
            continue
        for _ in range(runs):
            chosen = generator.choice(len(pool), count, replace=False)
            codes = tuple(pool[place] for place in chosen)
            found.append(Run(person, SensitivePatterns(codes=codes, window=WINDOW, universe=person.taxonomy.universe)))
    return found


def measured(
    runs: list[Run], bound: Bound, algorithm: Algorithm, *, kind: CostKind = CostKind.LINEAR, scope: Scope = Scope.GLOBAL
) -> tuple[float, float, float, list[tuple[Run, Sanitized]]]:
    """Mean loss, mean milliseconds, share of infeasible runs, and what was found."""
    costs: dict[tuple[int, CostKind], Costs] = {}
    losses, times, found = [], [], []
    for run in runs:
        problem = run.problem(costs, kind)
        start = time.process_time()
        problem = run.problem(costs, kind)
        outcome = sanitize(problem, bound, algorithm=algorithm, scope=scope)
        times.append(time.process_time() - start)
        if not isinstance(outcome, Infeasible):
            losses.append(outcome.loss_per_symbol)
            found.append((run, outcome))
    loss = float(np.mean(losses)) if losses else float("nan")
    return loss, 1e3 * float(np.mean(times)), 1 - len(losses) / len(runs), found


def table(head: Iterable[object], rows: Iterator[list[object]]) -> None:
    """Print rows as they come."""
    names = [str(name) for name in head]
    print("\n| " + " | ".join(names) + " |\n|" + "---|" * len(names))
    for row in rows:
        print("| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) + " |", flush=True)


def by_limit(runs: list[Run], kinds: Iterable[CostKind]) -> Iterator[list[object]]:
    """Figures 4 and 5: loss and time against the limit, for each cost and search."""
    for kind in kinds:
        for algorithm in SHOWN:
            cells = [measured(runs, InformationBound(limit=limit), algorithm, kind=kind) for limit in LIMITS]
            yield [kind, algorithm, *(cell[0] for cell in cells), *(f"{cell[1]:.1f}" for cell in cells)]


def by_shape(people: list[Person], count: int, shapes: list[tuple[int, int]]) -> Iterator[list[object]]:
    """Figures 6 and 7: loss and time against the length and the number of patterns."""
    for length, number in shapes:
        runs = runs_of(people, runs=count, length=length, count=number)
        for kind in (CostKind.LINEAR, CostKind.INFORMATION_LOSS):
            cells = [measured(runs, InformationBound(limit="0.5"), algorithm, kind=kind) for algorithm in SHOWN if runs]
            if cells:
                yield [length, number, kind, len(runs), *(cell[0] for cell in cells), *(f"{cell[1]:.1f}" for cell in cells)]


def by_belief(runs: list[Run]) -> Iterator[list[object]]:
    """Loss and infeasible runs against the belief, global and local, with all forms and with two of them."""
    two = ("tuples-any", "starts-single")
    for limit in ("0.05", "0.1", "0.2", "0.3", "0.5"):
        every = [measured(runs, BeliefBound(limit=limit), Algorithm.BEST, scope=scope) for scope in Scope]
        some = measured(runs, BeliefBound(limit=limit, forms=two), Algorithm.BEST)
        plain = measured(runs, BeliefBound(limit=limit, forms=two), Algorithm.TOP_DOWN)
        yield [limit, every[0][2], every[0][0], every[1][0], f"{every[0][1]:.1f}", some[2], some[0], plain[0]]


def what_stays(runs: list[Run]) -> Iterator[list[object]]:
    """What a bound on information leaves: beliefs of single patterns, and runs in which every pattern changed."""
    for algorithm in (Algorithm.TOP_DOWN, Algorithm.BEST):
        for limit in LIMITS:
            beliefs, every = [], []
            for run, outcome in measured(runs, InformationBound(limit=limit), algorithm)[3]:
                seen = evidence(run.person.sequence, outcome.nodes, patterns=run.patterns.codes, window=WINDOW)
                beliefs.append(float(seen.beliefs["tuples-single"]))
                every.append(seen.unchanged == 0)
            known = np.array(beliefs)
            yield [
                algorithm,
                limit,
                float(np.mean(known == 1)),
                float(np.mean(known > 0.5)),
                float(np.median(known)),
                float(np.mean(every)),
            ]


def by_frequency(person: Person, count: int) -> Iterator[list[object]]:
    """Figure 8: two patterns, one of them at least so many times as frequent, under the paper's absolute bound and ours."""
    pool = frequent_patterns(person.sequence, length=2, window=WINDOW, least=LEAST)
    universe, tree = person.taxonomy.universe, person.taxonomy
    hidden = SensitivePatterns(codes=tuple(pool), window=WINDOW, universe=universe)
    whole = Problem(person.sequence, patterns=hidden, taxonomy=tree, costs=cost_rows(tree, CostKind.LINEAR))
    counts = [whole.tuples_of[tuple(np.searchsorted(whole.labels, pattern).tolist())] for pattern in pool]
    generator = np.random.default_rng(8)
    for ratio in (2, 4, 8, 16, 32):
        pairs = [(a, b) for a in range(len(pool)) for b in range(len(pool)) if counts[a] >= ratio * counts[b]]
        chosen = generator.choice(len(pairs), min(count, len(pairs)), replace=False)
        runs = [
            Run(person, SensitivePatterns(codes=tuple(pool[place] for place in pairs[pair]), window=WINDOW, universe=universe))
            for pair in chosen
        ]
        bounds = (
            PaperBound(limit="0.1", reading="printed", absolute=True),
            InformationBound(limit="0.5"),
            BeliefBound(limit="0.1"),
        )
        cells = [measured(runs, bound, algorithm) for bound in bounds for algorithm in (Algorithm.TOP_DOWN, Algorithm.BEST)]
        yield [ratio, len(runs), *(cell[0] for cell in cells), f"{cells[0][1]:.1f}"]


def case_study(person: Person) -> Iterator[list[object]]:
    """Figure 9: the most frequent patterns of one person before and after, where four of those above ten are hidden."""
    (run,) = runs_of([person], runs=1)
    outcome = measured([run], InformationBound(limit="0.5"), Algorithm.TOP_DOWN)[3][0][1]
    sides = [
        frequent_pairs(Ragged.from_lists([codes.tolist()]), person.taxonomy, top=10, window=WINDOW)
        for codes in (person.sequence, outcome.nodes)
    ]
    for before, after in zip(*sides, strict=True):
        yield [", ".join(before.names), before.count, ", ".join(after.names), after.count]
    hidden = "; ".join(", ".join(labels) for labels in run.patterns.labels)
    yield [f"hidden: {hidden}", "", f"loss {outcome.loss_per_symbol:.3f}", ""]


def against_the_optimum(count: int) -> Iterator[list[object]]:
    """Searches on random sequences of up to nine symbols, as ratios of mean losses to the optimum."""
    generator = np.random.default_rng(9)
    losses: dict[str, list[list[float]]] = {}
    for _ in range(count):
        symbols = int(generator.integers(5, 10))
        weights = generator.permutation(1 / np.arange(1, symbols + 1) ** generator.uniform(0, 1.5))
        weights /= weights.sum()
        tree = Taxonomy.balanced(Universe("abcdefghi"[:symbols]), fan_out=3)
        sequence = generator.choice(symbols, int(generator.integers(100, 400)), p=weights)
        codes = {tuple(generator.choice(symbols, 2, p=weights).tolist()) for _ in range(int(generator.integers(1, 5)))}
        hidden = SensitivePatterns(codes=tuple(sorted(codes)), window=WINDOW, universe=tree.universe)
        problem = Problem(sequence, patterns=hidden, taxonomy=tree, costs=cost_rows(tree, CostKind.LINEAR))
        for bound in (*(InformationBound(limit=limit) for limit in LIMITS), BeliefBound(limit="0.3"), BeliefBound(limit="0.5")):
            judge = Judge(problem, bound)
            if judge.keeps(problem.everything_shown) or not judge.keeps(problem.nothing_shown):
                continue
            best = [problem.loss_per_symbol(optimum(judge, space=space)) for space in Space]
            searched = [sanitize(problem, bound, algorithm=algorithm).loss_per_symbol for algorithm in SHOWN]
            losses.setdefault(f"{type(bound).__name__} {float(bound.limit)}", []).append([*best, *searched])
    for name, rows in (*losses.items(), ("all", list(chain.from_iterable(losses.values())))):
        mean = np.mean(rows, axis=0)
        yield [
            name,
            len(rows),
            float(mean[0]),
            float(mean[1]),
            *(float(loss / mean[0]) for loss in mean[2:]),
            float(mean[5] / mean[1]),
        ]


def speed() -> Iterator[list[object]]:
    """15,000 symbols of 17 categories; and a thousand phones on one process and on two."""
    generator = np.random.default_rng(5)
    weights = 1 / np.arange(1, 18) ** 1.1
    sequence = generator.choice(17, 15_000, p=weights / weights.sum())
    for place in np.flatnonzero(generator.random(15_000) < 0.5)[1:].tolist():
        sequence[place] = sequence[place - 1]
    people = [Person(sequence, people_of("msnbc")[0].taxonomy)]
    runs = runs_of(people, runs=15)
    for bound in (*(InformationBound(limit=limit) for limit in ("0.1", "0.5", "0.9")), BeliefBound(limit="0.3")):
        for algorithm in (Algorithm.TOP_DOWN, Algorithm.BOTTOM_UP, Algorithm.BEST):
            milliseconds = measured(runs, bound, algorithm)[1]
            yield [f"15,000 symbols, {type(bound).__name__} {float(bound.limit)}, {algorithm}", f"{milliseconds / 1e3:.4f}"]
    world = PhoneWorld(people=1_000, mean_length=1_000, seed=1)
    records = PersonalRecords(sequences=Ragged(world.sequences().codes, world.sequences().offsets), universe=world.universe)
    hidden = SensitivePatterns(codes=((0, 1), (20, 30), (5, 60), (44, 45)), window=WINDOW, universe=world.universe)
    for algorithm in (Algorithm.TOP_DOWN, Algorithm.BEST):
        task = Task(
            patterns=hidden,
            taxonomy=world.taxonomy,
            costs=cost_rows(world.taxonomy, CostKind.LINEAR),
            bound=BeliefBound(limit="0.3"),
            algorithm=algorithm,
            scope=Scope.GLOBAL,
        )
        for workers in (1, 2):
            start = time.perf_counter()
            sanitize_everybody(task, records, workers=workers)
            yield [
                f"1,000 persons, 1,000 symbols on average, {algorithm}, {workers} processes",
                f"{time.perf_counter() - start:.2f}",
            ]


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=[*COLLECTIONS, "optimum", "speed"], default="msnbc")
    parser.add_argument(
        "--runs", type=int, default=25, help="per person; a fifth of them where lengths and numbers of patterns vary"
    )
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--costs", nargs="+", choices=list(CostKind), default=list(CostKind))
    options = parser.parse_args()
    if options.collection == "speed":
        table(["what", "seconds"], speed())
    elif options.collection == "optimum":
        names = ["bound", "runs", "optimum of subtrees", "optimum of paths", *SHOWN, "best / paths"]
        table(names, against_the_optimum(options.runs))
    else:
        collection(options)


def collection(options: argparse.Namespace) -> None:
    """Print the tables of one collection."""
    people = people_of(options.collection)
    runs = runs_of(people, runs=options.runs)
    symbols = np.mean([len(set(person.sequence.tolist())) for person in people])
    longest = max(person.sequence.size for person in people)
    print(f"\n{options.collection}: {len(people)} persons, up to {longest:,} symbols, {symbols:.0f} different ones on average")
    print(f"{len(runs)} runs of {len({id(run.person) for run in runs})} persons", flush=True)
    if "limit" in options.tables:
        head = ["cost", "search", *(f"loss at {limit}" for limit in LIMITS), *(f"ms at {limit}" for limit in LIMITS)]
        table(head, by_limit(runs, [CostKind(cost) for cost in options.costs]))
    if "belief" in options.tables:
        head = ["belief", "infeasible", "loss", "local", "ms", "two forms: infeasible", "loss", "top-down"]
        table(head, by_belief(runs))
    if "stays" in options.tables:
        table(["search", "I/H", "a pattern certain", "above 0.5", "median belief", "every pattern changed"], what_stays(runs))
    one = max(people, key=lambda person: (len(set(person.sequence.tolist())), person.sequence.size))
    if "case" in options.tables:
        table(["before", "tuples", "after", "tuples"], case_study(one))
    if "frequency" in options.tables:
        head = ["ratio", "runs", "printed 0.1 td", "best", "I/H 0.5 td", "best", "belief 0.1 td", "best", "ms"]
        table(head, by_frequency(one, options.runs))
    if "shape" in options.tables:
        shapes = [(2, 4), (3, 4), (4, 4), (2, 2), (2, 6), (2, 8), (2, 10)]
        head = ["length", "patterns", "cost", "runs", *SHOWN, *(f"ms {algorithm}" for algorithm in SHOWN)]
        table(head, by_shape(people, max(1, options.runs // 5), shapes))


if __name__ == "__main__":
    main()
