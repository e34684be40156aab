"""What hiding patterns costs, and how long it takes: the figures of Bonomi, Fan and Jin (WSDM 2016), and the bounds by belief.

TACITA_DATA=folder python benchmarks/pattern_hiding.py

measures everything and writes the page of tables and its pictures into `docs/reference`. A run is one person with one set of
patterns, 25 runs per person. Four patterns of two symbols that occur at least ten times within ten places, unless a table says
otherwise, drawn by how often they occur: the frequent ones, which are hard to hide, come often. Losses are means over all runs of
all persons that have enough patterns: everybody of MSNBC and of the phones, the first ten of Foursquare and five of GeoLife, and
fewer where lengths and numbers of patterns vary, unless `--everybody` is given. Times are CPU times of the first runs of each
person.

With `--results FILE` each part is kept there when it is done, and parts that are there are not measured again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hiding_optimum import against_the_optimum
from hiding_page import write_page
from tacita.arrays.ragged import Ragged
from tacita.personal.bounds import AnyBound, BeliefBound, InformationBound, Judge, PaperBound
from tacita.personal.patterns import CostKind, SensitivePatterns
from tacita.personal.searches import Algorithm, Infeasible, sanitize
from tacita.utility.personal import frequent_pairs
from tacita_papers.reproduce.data.people import COLLECTIONS, PAGES, Person, frequent_patterns, people_of
from tacita_papers.reproduce.runners.hiding_runs import LEAST, SHOWN, WINDOW, Found, Prices, Run, found_in, milliseconds, runs_of

LIMITS = ("0.1", "0.3", "0.5", "0.7", "0.9")
BELIEFS = ("0.05", "0.1", "0.2", "0.3", "0.5")
SHAPES = {"length": [(2, 4), (3, 4), (4, 4)], "number": [(2, 2), (2, 4), (2, 6), (2, 8), (2, 10)]}
RATIOS = (2, 4, 8, 16, 32)
TWO_FORMS = ("tuples-any", "starts-single")
FIRST = {"msnbc": (None, None), "phones": (None, 5), "foursquare": (10, 3), "geolife": (5, 3)}
"""How many persons are taken, and how many where lengths and numbers of patterns vary."""
COSTS = {"msnbc": tuple(CostKind), "phones": (CostKind.LINEAR, CostKind.INFORMATION_LOSS)}
Part = dict[str, Any]


def by_limit(people: list[Person], runs: int, timed: int, most: int | None, costs: Iterable[CostKind]) -> Part:
    """Figures 4 and 5: loss and time against the limit, for each cost and search; and what a share of the entropy leaves."""
    drawn, prices = runs_of(people[:most], runs=runs), Prices()
    first = [run for own in drawn for run in own[:timed]]
    found: dict[str, list[list[Found]]] = {kind: [[] for _ in LIMITS] for kind in costs}
    for run in (run for own in drawn for run in own):
        problem = run.problem(prices)
        for place, limit in enumerate(LIMITS):
            judge = Judge(problem, InformationBound(limit=limit))
            for kind in found:
                problem.costs = prices.of(run.person.taxonomy, CostKind(kind))[problem.labels]
                found[kind][place].append(_feasible(judge))
    rows = []
    for kind, by in found.items():
        for search in SHOWN:
            losses = [float(np.mean([each.losses[search] for each in cell])) for cell in by]
            times = [milliseconds(first, InformationBound(limit=limit), search, CostKind(kind)) for limit in LIMITS]
            rows.append({"cost": kind, "search": search, "loss": losses, "ms": times})
    return {"runs": sum(map(len, drawn)), "people": len(drawn), "rows": rows, "stays": _stays(found[CostKind.LINEAR])}


def _feasible(judge: Judge) -> Found:
    found = found_in(judge)
    if found is None:
        message = "a share of the entropy can always be kept"
        raise ValueError(message)
    return found


def _stays(cells: list[list[Found]]) -> list[Part]:
    """Beliefs in single patterns that a share of the entropy leaves, and runs in which every pattern changed."""
    rows = []
    for search in (Algorithm.TOP_DOWN, Algorithm.BEST):
        for limit, cell in zip(LIMITS, cells, strict=True):
            known = np.array([each.beliefs[search] for each in cell])
            changed = float(np.mean([each.changed[search] for each in cell]))
            shares = [float(np.mean(known == 1)), float(np.mean(known > 0.5)), float(np.median(known)), changed]
            rows.append({"search": search, "limit": limit, "shares": shares})
    return rows


def by_belief(people: list[Person], runs: int, timed: int, most: int | None) -> Part:
    """Loss and infeasible runs against the belief: all four forms, global and local; two of the forms, best and top-down."""
    drawn, prices = runs_of(people[:most], runs=runs), Prices()
    first = [run for own in drawn for run in own[:timed]]
    cells: list[list[tuple[Found | None, Found | None]]] = [[] for _ in BELIEFS]
    for run in (run for own in drawn for run in own):
        problem = run.problem(prices)
        for place, limit in enumerate(BELIEFS):
            bounds = BeliefBound(limit=limit), BeliefBound(limit=limit, forms=TWO_FORMS)
            cells[place].append((found_in(Judge(problem, bounds[0])), found_in(Judge(problem, bounds[1]))))
    rows = []
    for limit, cell in zip(BELIEFS, cells, strict=True):
        every, two = ([pair[side] for pair in cell if pair[side] is not None] for side in (0, 1))
        rows.append(
            {
                "belief": limit,
                "infeasible": [1 - len(every) / len(cell), 1 - len(two) / len(cell)],
                "loss": _mean(each.losses[Algorithm.BEST] for each in every),
                "local": _mean(each.local for each in every),
                "top-down": _mean(each.losses[Algorithm.TOP_DOWN] for each in every),
                "two": [_mean(each.losses[search] for each in two) for search in (Algorithm.BEST, Algorithm.TOP_DOWN)],
                "ms": milliseconds(first, BeliefBound(limit=limit), Algorithm.BEST),
            }
        )
    return {"runs": sum(map(len, drawn)), "people": len(drawn), "rows": rows}


def _mean(losses: Iterable[float]) -> float:
    found = list(losses)
    return float(np.mean(found)) if found else float("nan")


def by_shape(people: list[Person], runs: int, timed: int, most: int | None, shapes: list[tuple[int, int]]) -> Part:
    """Figures 6 and 7: loss and time at half the entropy against the length and the number of patterns."""
    rows, prices = [], Prices()
    for length, count in shapes:
        drawn = runs_of(people[:most], runs=runs, length=length, count=count)
        found = [_feasible(Judge(run.problem(prices), InformationBound(limit="0.5"))) for own in drawn for run in own]
        first = [run for own in drawn for run in own[:timed]]
        rows.append(
            {
                "shape": [length, count],
                "runs": len(found),
                "people": len(drawn),
                "loss": [_mean(each.losses[search] for each in found) for search in SHOWN],
                "ms": [milliseconds(first, InformationBound(limit="0.5"), search) for search in SHOWN],
            }
        )
    return {"rows": rows}


def by_frequency(people: list[Person], runs: int, _timed: int) -> Part:
    """Figure 8: two patterns of one person, one of them at least so many times as frequent as the other."""
    person = _richest(people)
    pool, counts = frequent_patterns(person.sequence, length=2, window=WINDOW, least=LEAST)
    generator, rows = np.random.default_rng(8), []
    bounds = (
        PaperBound(limit="0.1", reading="printed", absolute=True),
        InformationBound(limit="0.5"),
        BeliefBound(limit="0.1"),
    )
    for ratio in RATIOS:
        pairs = np.argwhere(counts[:, None] >= ratio * counts[None, :])
        if not len(pairs):
            continue
        chosen = pairs[generator.choice(len(pairs), min(runs, len(pairs)), replace=False)].tolist()
        drawn = [_pair(person, pool[one], pool[other]) for one, other in chosen]
        cells = [_losses(drawn, bound, search) for bound in bounds for search in (Algorithm.TOP_DOWN, Algorithm.BEST)]
        times = [milliseconds(drawn, bounds[1], search) for search in (Algorithm.TOP_DOWN, Algorithm.BOTTOM_UP)]
        rows.append({"ratio": ratio, "runs": len(drawn), "loss": cells, "ms": times})
    return {"rows": rows}


def _pair(person: Person, *codes: tuple[int, ...]) -> Run:
    return Run(person, SensitivePatterns(codes=codes, window=WINDOW, universe=person.taxonomy.universe))


def _losses(runs: list[Run], bound: AnyBound, search: Algorithm) -> float:
    prices = Prices()
    outcomes = [sanitize(run.problem(prices), bound, algorithm=search) for run in runs]
    return _mean(each.loss_per_symbol for each in outcomes if not isinstance(each, Infeasible))


def _richest(people: list[Person]) -> Person:
    return max(people, key=lambda person: (len(set(person.sequence.tolist())), person.sequence.size))


def case_study(people: list[Person]) -> Part:
    """Figure 9: the most frequent patterns of one person before and after, where four are hidden by top-down."""
    person = _richest(people)
    ((run,),) = runs_of([person], runs=1, evenly=True)
    outcome = sanitize(run.problem(Prices()), InformationBound(limit="0.5"), algorithm=Algorithm.TOP_DOWN)
    if isinstance(outcome, Infeasible):
        raise TypeError(outcome.reason)
    sides = [
        [
            [", ".join(pattern.names), pattern.count]
            for pattern in frequent_pairs(Ragged.from_lists([codes.tolist()]), person.taxonomy, top=10, window=WINDOW)
        ]
        for codes in (person.sequence, outcome.nodes)
    ]
    hidden = [", ".join(labels) for labels in run.patterns.labels]
    return {"before": sides[0], "after": sides[1], "hidden": hidden, "loss": outcome.loss_per_symbol}


def by_draw(people: list[Person], runs: int) -> Part:
    """How much depends on the draw of patterns and on the tree: losses on MSNBC for two of each."""
    rows, prices, limits = [], Prices(), ("0.1", "0.5", "0.9")
    trees = {"four groups": None, "four groups in two": PAGES}
    for name, tree in trees.items():
        placed = people if tree is None else [Person(person.sequence, tree) for person in people]
        for evenly in (False, True):
            drawn = [run for own in runs_of(placed, runs=runs, evenly=evenly) for run in own]
            cells: list[list[Found]] = [[] for _ in limits]
            for run in drawn:
                problem = run.problem(prices)
                for cell, limit in zip(cells, limits, strict=True):
                    cell.append(_feasible(Judge(problem, InformationBound(limit=limit))))
            losses = {search: [_mean(each.losses[search] for each in cell) for cell in cells] for search in SHOWN}
            rows.append({"tree": name, "draw": "evenly" if evenly else "by occurrence", "runs": len(drawn), "loss": losses})
    return {"rows": rows}


def about(people: list[Person]) -> Part:
    """How many persons there are, and how long and rich their sequences."""
    return {
        "people": len(people),
        "longest": max(person.sequence.size for person in people),
        "symbols": float(np.mean([len(set(person.sequence.tolist())) for person in people])),
    }


def parts_of(world: str, runs: int, timed: int, *, everybody: bool) -> dict[str, Callable[[list[Person]], Part]]:
    """What is measured on one world."""
    most, fewer = (None, None) if everybody else FIRST[world]
    parts: dict[str, Callable[[list[Person]], Part]] = {
        "about": about,
        "limit": partial(by_limit, runs=runs, timed=timed, most=most, costs=COSTS.get(world, (CostKind.LINEAR,))),
        "belief": partial(by_belief, runs=runs, timed=timed, most=most),
        "number": partial(by_shape, runs=runs, timed=timed, most=fewer, shapes=SHAPES["number"]),
        "length": partial(by_shape, runs=runs, timed=timed, most=fewer, shapes=SHAPES["length"]),
        "frequency": partial(by_frequency, runs=runs, _timed=timed),
    }
    if world == "msnbc":
        parts |= {"draw": partial(by_draw, runs=runs), "case": case_study}
    return parts


def main() -> None:
    """Measure what is missing, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", choices=list(COLLECTIONS), default=list(COLLECTIONS))
    parser.add_argument("--parts", nargs="+", help="only these parts, such as limit or belief")
    parser.add_argument("--runs", type=int, default=25, help="per person (25)")
    parser.add_argument("--timed", type=int, default=2, help="how many of them are timed (2)")
    parser.add_argument(
        "--everybody", action="store_true", help="take all persons of every world, which takes three times as long"
    )
    parser.add_argument("--results", type=Path, help="where parts are kept when they are done")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "docs" / "reference")
    options = parser.parse_args()
    kept = options.results is not None and options.results.exists()
    results: Part = json.loads(options.results.read_text(encoding="utf-8")) if kept else {"runs": options.runs}
    jobs = [
        (world, name, part)
        for world in options.worlds
        for name, part in parts_of(world, options.runs, options.timed, everybody=options.everybody).items()
    ]
    people: dict[str, list[Person]] = {}
    for world, name, part in jobs:
        if name in results.setdefault(world, {}) or (options.parts and name not in options.parts):
            continue
        people.setdefault(world, people_of(world))
        start = time.process_time()
        results[world][name] = part(people[world])
        print(f"{world}, {name}: {time.process_time() - start:.0f} CPU seconds", flush=True)
        _keep(results, options.results)
    if "optimum" not in results and not options.parts:
        results["optimum"] = against_the_optimum(options.runs)
        _keep(results, options.results)
    write_page(results, options.out)


def _keep(results: Part, path: Path | None) -> None:
    if path is not None:
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
