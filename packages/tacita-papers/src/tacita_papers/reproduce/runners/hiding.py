"""Loss and time of hiding patterns in one person's sequence: the figures of Bonomi, Fan and Jin.

A run is one person with one set of patterns, drawn by how often they occur. *top-down* and *bottom-up* are the paper's searches,
*best* the product's. A bound on information is a share of the entropy, measured on tuples; *as printed* it is measured by the
printed formula, which is no mutual information (see the errata). There is no noise, so errors are those of persons and draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.errors import MissingDataError
from tacita.personal.bounds import Bound, InformationBound, Judge, PaperBound
from tacita.personal.patterns import CostKind, SensitivePatterns
from tacita.personal.searches import Algorithm, Infeasible, sanitize
from tacita.seeded import public_generator
from tacita.utility.personal import frequent_pairs
from tacita_papers.reproduce.data.people import Person, frequent_patterns, people_of
from tacita_papers.reproduce.experiment import Line, Row, Scale
from tacita_papers.reproduce.runners.hiding_runs import LEAST, WINDOW, Found, Prices, Run, found_in, milliseconds, runs_of

__all__ = ["by_frequency", "by_limit", "by_shape", "case_study", "parameters", "sanitised"]

NAMES = {"MSNBC": "msnbc", "phones": "phones"}
SHOWN = (Algorithm.TOP_DOWN, Algorithm.BOTTOM_UP, Algorithm.BEST)


@lru_cache(maxsize=2)
def _people(data: str, most: int) -> tuple[Person, ...]:
    return tuple(people_of(NAMES[data])[:most])


def _available(data: Sequence[str], scale: Scale, most: int) -> Iterator[tuple[str, list[Person]]]:
    for name in data:
        try:
            yield name, list(_people(name, 4 if scale.quick else most))
        except MissingDataError:
            continue


def parameters(_: Scale, /) -> Iterator[Row]:
    """The defaults that all figures use."""
    for name, value in {"m": 2, "w": WINDOW, "f_min": LEAST, "patterns": 4, "share of the entropy": 0.5}.items():
        yield Row(data="defaults", series=name, x=name, value=float(value), panel="statistics")


def _searched(run: Run, prices: Prices, bound: Bound, kind: CostKind) -> Found | None:
    problem = run.problem(prices)
    problem.costs = prices.of(run.person.taxonomy, kind)[problem.labels]
    return found_in(Judge(problem, bound))


def _bounds(limit: str) -> dict[Line, Bound]:
    """The bound of our runs, and that of the print."""
    return {Line.OURS: InformationBound(limit=limit), Line.PRINTED: PaperBound(limit=limit, reading="printed")}


def _losses(runs: list[Run], prices: Prices, limit: str, kind: CostKind, **where: str) -> Iterator[Row]:
    """The losses of each search in each version; a run in which nothing keeps the printed bound is left out of that."""
    for line, bound in _bounds(limit).items():
        found = [each for run in runs if (each := _searched(run, prices, bound, kind)) is not None]
        for search in SHOWN if found else ():
            yield Row.of((each.losses[search] for each in found), series=search, line=line, **where)


def by_limit(
    scale: Scale, /, *, data: Sequence[str], costs: Sequence[str], limits: Sequence[str], runs: int = 5, most: int = 36
) -> Iterator[Row]:
    """Loss per symbol and time against the limit, for each search and cost; panels name what is measured and the cost."""
    for name, people in _available(data, scale, most):
        drawn, prices = runs_of(people, runs=scale.runs(runs)), Prices()
        every, first = [run for own in drawn for run in own], [own[0] for own in drawn]
        for kind in map(CostKind, costs):
            for limit in scale.few(limits):
                yield from _losses(every, prices, limit, kind, data=name, x=limit, panel=f"loss, {kind}")
                for search in SHOWN:
                    taken = milliseconds(first, InformationBound(limit=limit), search, kind)
                    yield Row.of(taken, data=name, series=search, x=limit, panel=f"milliseconds, {kind}")


def by_shape(
    scale: Scale, /, *, data: Sequence[str], shapes: Sequence[tuple[int, int]], vary: str, runs: int = 3, most: int = 8
) -> Iterator[Row]:
    """Loss and time at half the entropy against the length or the number of patterns."""
    for name, people in _available(data, scale, most):
        for length, count in shapes:
            drawn, prices = runs_of(people, runs=scale.runs(runs), length=length, count=count), Prices()
            every, first = [run for own in drawn for run in own], [own[0] for own in drawn]
            if not every:
                continue
            x = str(length if vary == "length" else count)
            yield from _losses(every, prices, "0.5", CostKind.LINEAR, data=name, x=x, panel="loss")
            for search in SHOWN:
                taken = milliseconds(first, InformationBound(limit="0.5"), search)
                yield Row.of(taken, data=name, series=search, x=x, panel="milliseconds")


def _richest(people: list[Person]) -> Person:
    return max(people, key=lambda person: (len(set(person.sequence.tolist())), person.sequence.size))


def by_frequency(scale: Scale, /, *, ratios: Sequence[str], runs: int = 10) -> Iterator[Row]:
    """Loss and time against how many times as frequent one of two patterns is as the other, of one person of MSNBC."""
    for name, people in _available(["MSNBC"], Scale(), 36):
        person = _richest(people)
        pool, counts = frequent_patterns(person.sequence, length=2, window=WINDOW, least=LEAST)
        generator, bound = public_generator(8), PaperBound(limit="0.1", reading="printed", absolute=True)
        for ratio in scale.few(ratios):
            pairs = np.argwhere(counts[:, None] >= int(ratio) * counts[None, :])
            if not len(pairs):
                continue
            chosen = pairs[generator.choice(len(pairs), min(scale.runs(runs) * 2, len(pairs)), replace=False)].tolist()
            drawn = [
                Run(person, SensitivePatterns(codes=(pool[one], pool[other]), window=WINDOW, universe=person.taxonomy.universe))
                for one, other in chosen
            ]
            for search in SHOWN[:2]:
                outcomes = [sanitize(run.problem(Prices()), bound, algorithm=search) for run in drawn]
                losses = [each.loss_per_symbol for each in outcomes if not isinstance(each, Infeasible)]
                taken = milliseconds(drawn, bound, search)
                if losses:
                    yield Row.of(losses, data=name, series=search, x=ratio, panel="loss")
                yield Row.of(taken, data=name, series=search, x=ratio, panel="milliseconds")


def case_study(_: Scale, /) -> Iterator[Row]:
    """The ten most frequent pairs of one person of MSNBC before and after, where four patterns are hidden by top-down."""
    for name, people in _available(["MSNBC"], Scale(), 36):
        person = _richest(people)
        ((run,),) = runs_of([person], runs=1, evenly=True)
        outcome = sanitize(run.problem(Prices()), InformationBound(limit="0.5"), algorithm=Algorithm.TOP_DOWN)
        if isinstance(outcome, Infeasible):
            continue
        sides = {
            series: {
                ", ".join(pattern.names): pattern.count
                for pattern in frequent_pairs(Ragged.from_lists([codes.tolist()]), person.taxonomy, top=10, window=WINDOW)
            }
            for series, codes in (("before", person.sequence), ("after", outcome.nodes))
        }
        for series, patterns in sides.items():
            for pattern, count in patterns.items():
                yield Row(data=name, series=series, x=pattern, value=float(count), panel="occurrences")
        same = sum(1 for pattern in sides["before"] if pattern in sides["after"])
        yield Row(data=name, series="preserved", x="preserved", value=float(same), panel="statistics")


def sanitised(scale: Scale, /, *, limits: Sequence[str], runs: int = 5) -> Iterator[Row]:
    """The share of runs on MSNBC in which every sensitive pattern was changed, against the share of the entropy."""
    for name, people in _available(["MSNBC"], scale, 36):
        drawn, prices = runs_of(people, runs=scale.runs(runs)), Prices()
        every = [run for own in drawn for run in own]
        for limit in limits:
            for line, bound in _bounds(limit).items():
                found = [each for run in every if (each := _searched(run, prices, bound, CostKind.LINEAR)) is not None]
                for search in (Algorithm.TOP_DOWN, Algorithm.BEST) if found else ():
                    changed = (float(each.changed[search]) for each in found)
                    yield Row.of(changed, data=name, series=search, x=limit, panel="all changed", line=line)
