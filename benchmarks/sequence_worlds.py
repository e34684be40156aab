"""Simulated sequences of ten shapes on which publishers of sequences are compared with the simplest releases.

Each shape has worlds for `CHOOSING`, which may be looked at while constants are chosen, and worlds for `JUDGING`, with other
parameters, seeds and sizes, which are run only to judge. The shapes differ in what makes a method fail: logs of a process have
few labels and a rigid order, patients return to the same codes, tourists see many places once, readers click through pages,
commuters go to and fro, passengers have one origin and one destination of very many pairs, baskets have no order at all,
lists of favourites name nothing twice, nurses go round the same few wards, and riders stay on one of a few lines for some stops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.sequences import SequenceRecords

__all__ = [
    "CHOOSING",
    "JUDGING",
    "LONG",
    "baskets",
    "clicks",
    "commuters",
    "favourites",
    "journeys",
    "pathways",
    "process_log",
    "rides",
    "shifts",
    "tours",
]

Table = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


def _pick(running: Table, rows: Codes, generator: PublicGenerator) -> Codes:
    """A column for each row, by the running sums of that row."""
    wanted = generator.random(rows.size) * running[rows, -1]
    found = np.empty(rows.size, dtype=np.int64)
    for begin in range(0, rows.size, 2**14):
        part = slice(begin, begin + 2**14)
        found[part] = (running[rows[part]] <= wanted[part, np.newaxis]).sum(axis=1)
    return np.minimum(found, running.shape[1] - 1)


def _records(columns: list[Codes], lengths: Codes, labels: int) -> SequenceRecords:
    table = np.stack(columns, axis=1)
    codes = table[np.arange(table.shape[1])[np.newaxis] < lengths[:, np.newaxis]]
    return SequenceRecords(
        sequences=Ragged(codes.astype(np.int32), offsets_of(lengths)), universe=Universe([str(code) for code in range(labels)])
    )


def process_log(people: int, *, activities: int, variants: int, rework: float, skips: float, seed: int) -> SequenceRecords:
    """Cases of a process: all begin and end alike; a case follows one of a few orders, skips steps, and repeats some."""
    generator = public_generator(seed)
    orders = np.stack(
        [np.concatenate([[0], 1 + generator.permutation(activities - 2), [activities - 1]]) for _ in range(variants)]
    )
    orders[:, 1:-1] = np.where(generator.random((variants, activities - 2)) < 0.6, np.arange(1, activities - 1), orders[:, 1:-1])
    variant = generator.choice(variants, size=people, p=generator.dirichlet(np.full(variants, 0.7)))
    place, going, columns, lengths = (
        np.zeros(people, dtype=np.int64),
        np.ones(people, dtype=bool),
        [],
        np.zeros(people, dtype=int),
    )
    for _ in range(6 * activities):
        columns.append(orders[variant, place])
        lengths += going
        going &= place < activities - 1
        chance = generator.random(people)
        step = np.where(chance < rework, -1, np.where(chance < rework + skips, 2, 1))
        place = np.clip(np.where(going, place + step, place), 0, activities - 1)
        if not going.any():
            break
    return _records(columns, lengths, activities)


def pathways(people: int, *, codes: int, conditions: int, stays: float, mean: float, seed: int) -> SequenceRecords:
    """Patients with one of several conditions: each has its codes, which come again; lengths have a long tail."""
    generator = public_generator(seed)
    popular = generator.pareto(1.1, codes) + 0.02
    running = np.cumsum(np.stack([generator.gamma(0.15, 1.0, codes) * popular + 1e-9 for _ in range(conditions)]), axis=1)
    condition = generator.choice(conditions, size=people, p=generator.dirichlet(np.full(conditions, 0.8)))
    lengths = np.clip(np.round(generator.lognormal(np.log(mean) - 0.4, 0.9, people)), 1, 120).astype(np.int64)
    columns = [_pick(running, condition, generator)]
    for _ in range(int(lengths.max()) - 1):
        new = _pick(running, condition, generator)
        earlier = np.stack(columns, axis=1)[np.arange(people), (generator.random(people) * len(columns)).astype(np.int64)]
        chance = generator.random(people)
        columns.append(np.where(chance < stays, columns[-1], np.where(chance < stays + 0.2, earlier, new)))
    return _records(columns, lengths, codes)


def tours(  # noqa: PLR0913 - what tourists do
    people: int, *, places: int, cities: int, reach: float, home: float, mean: float, seed: int
) -> SequenceRecords:
    """Photographs of tourists, who stay in one city, go to places nearby, and often end where they began."""
    generator = public_generator(seed)
    weight = generator.pareto(1.0, places) + 0.05
    city = generator.integers(0, cities, places)
    spot = generator.random((places, 2))
    far = np.sqrt(((spot[:, np.newaxis] - spot) ** 2).sum(axis=2))
    running = np.cumsum(np.where(city[:, np.newaxis] == city, weight * np.exp(-far / reach), 1e-6 * weight), axis=1)
    first = generator.choice(places, size=people, p=weight / weight.sum())
    lengths = np.minimum(generator.geometric(1 / mean, people), 60)
    columns = [first]
    for _ in range(int(lengths.max()) - 1):
        columns.append(_pick(running, columns[-1], generator))
    comes_home = (generator.random(people) < home) & (lengths > 2)
    table = np.stack(columns, axis=1)
    table[comes_home, lengths[comes_home] - 1] = first[comes_home]
    return _records(list(table.T), lengths, places)


def clicks(people: int, *, pages: int, stays: float, tail: float, seed: int) -> SequenceRecords:
    """Readers of a site: many leave at once, some click on for long; the next page is often the same or a related one."""
    generator = public_generator(seed)
    popular = generator.pareto(0.9, pages) + 0.03
    related = generator.gamma(0.3, 1.0, (pages, pages)) * popular
    chances = related / related.sum(axis=1, keepdims=True) * (1 - stays)
    chances[np.arange(pages), np.arange(pages)] += stays
    running = np.cumsum(chances, axis=1)
    lengths = np.minimum(1 + np.floor(generator.pareto(tail, people) * 1.5), 300).astype(np.int64)
    columns = [generator.choice(pages, size=people, p=popular / popular.sum())]
    for _ in range(int(lengths.max()) - 1):
        columns.append(_pick(running, columns[-1], generator))
    return _records(columns, lengths, pages)


def commuters(people: int, *, places: int, reach: float, errands: float, seed: int) -> SequenceRecords:
    """Taps of a day: from home to work nearby and back, some by way of a third place, some one way only."""
    generator = public_generator(seed)
    weight = generator.pareto(1.2, (2, places)) + 0.1
    spot = generator.random((places, 2))
    far = np.sqrt(((spot[:, np.newaxis] - spot) ** 2).sum(axis=2))
    near = np.cumsum(weight[1] * np.exp(-far / reach) * (1 - np.eye(places)), axis=1)
    home = generator.choice(places, size=people, p=weight[0] / weight[0].sum())
    work = _pick(near, home, generator)
    third = _pick(near, work, generator)
    chance = generator.random(people)
    kind = np.where(chance < errands, 2, np.where(chance < errands + 0.3, 0, 1))  # by way of an errand, one way, to and fro
    table = np.stack([home, work, np.where(kind == 2, third, home), home, third, home], axis=1)
    back = kind == 1
    table[back, 3], table[back, 4] = third[back], home[back]
    again = (kind > 0) & (generator.random(people) < errands)
    return _records(list(table.T), kind + 2 + 2 * again, places)


def journeys(people: int, *, stations: int, reach: float, seed: int) -> SequenceRecords:
    """One origin and one destination each, between stations that draw passengers by their size and nearness."""
    generator = public_generator(seed)
    weight = generator.pareto(1.0, stations) + 0.05
    spot = generator.random((stations, 2))
    far = np.sqrt(((spot[:, np.newaxis] - spot) ** 2).sum(axis=2))
    running = np.cumsum(weight * np.exp(-far / reach) * generator.gamma(0.4, 1.0, far.shape) * (1 - np.eye(stations)), axis=1)
    first = generator.choice(stations, size=people, p=weight / weight.sum())
    return _records([first, _pick(running, first, generator)], np.full(people, 2, dtype=np.int64), stations)


def baskets(people: int, *, labels: int, tail: float, mean: float, seed: int) -> SequenceRecords:
    """Symbols that do not depend on each other."""
    generator = public_generator(seed)
    popular = generator.pareto(tail, labels) + 0.05
    lengths = np.minimum(1 + generator.poisson(mean - 1, people), 40)
    columns = [generator.choice(labels, size=people, p=popular / popular.sum()) for _ in range(int(lengths.max()))]
    return _records(columns, lengths, labels)


def favourites(people: int, *, labels: int, tastes: int, mean: float, seed: int) -> SequenceRecords:
    """What people of one of several tastes like best, the best first; nobody names a thing twice."""
    generator = public_generator(seed)
    popular = generator.pareto(1.2, labels) + 0.05
    liked = np.log(np.stack([generator.gamma(0.5, 1.0, labels) * popular + 1e-9 for _ in range(tastes)]))
    taste = generator.choice(tastes, size=people, p=generator.dirichlet(np.full(tastes, 1.0)))
    lengths = np.minimum(1 + generator.poisson(mean - 1, people), labels)
    order = np.argsort(-(liked[taste] + generator.gumbel(size=(people, labels))), axis=1)[:, : int(lengths.max())]
    return _records(list(order.T.astype(np.int64)), lengths, labels)


def shifts(people: int, *, wards: int, cycle: int, swaps: float, mean: float, seed: int) -> SequenceRecords:
    """Wards of nurses, shift by shift: everybody goes round a cycle of their own few wards, and sometimes swaps a shift."""
    generator = public_generator(seed)
    popular = generator.pareto(1.5, wards) + 0.2
    rotas = np.stack([generator.choice(wards, cycle, replace=False, p=popular / popular.sum()) for _ in range(2 * wards)])
    rota, begin = generator.integers(0, 2 * wards, people), generator.integers(0, cycle, people)
    lengths = np.clip(generator.poisson(mean, people), 1, 40)
    columns = []
    for place in range(int(lengths.max())):
        swapped = generator.choice(wards, people, p=popular / popular.sum())
        columns.append(np.where(generator.random(people) < swaps, swapped, rotas[rota, (begin + place) % cycle]))
    return _records(columns, lengths, wards)


def rides(people: int, *, stops: int, lines: int, changes: float, seed: int) -> SequenceRecords:
    """Stops of a ride: some in a row on one of a few lines, either way; some riders go on along another line that is there."""
    generator = public_generator(seed)
    orders = np.stack([generator.permutation(stops) for _ in range(lines)])[:, : max(4, stops // 2)]
    long = orders.shape[1]
    line, place = generator.integers(0, lines, people), np.minimum(generator.geometric(2 / long, people) - 1, long - 1)
    way = np.where(generator.random(people) < 0.5, 1, -1)
    lengths, columns = np.minimum(1 + generator.poisson(3.0, people), 15), []
    for _ in range(int(lengths.max())):
        here = orders[line, place]
        columns.append(here)
        other = generator.integers(0, lines, people)
        there = orders[other] == here[:, np.newaxis]
        is_change = there.any(axis=1) & (generator.random(people) < changes)
        line, place = np.where(is_change, other, line), np.where(is_change, there.argmax(axis=1), place)
        way = np.where((place + way < 0) | (place + way >= long), -way, way)
        place = place + way
    return _records(columns, lengths, stops)


Worlds = dict[str, Callable[[int], SequenceRecords]]

CHOOSING: Worlds = {
    "log": partial(process_log, activities=9, variants=3, rework=0.05, skips=0.1, seed=1),
    "pathways": partial(pathways, codes=80, conditions=12, stays=0.3, mean=6, seed=2),
    "tours": partial(tours, places=600, cities=8, reach=0.2, home=0.2, mean=4, seed=3),
    "clicks": partial(clicks, pages=17, stays=0.4, tail=1.3, seed=4),
    "commuters": partial(commuters, places=50, reach=0.3, errands=0.2, seed=5),
    "journeys": partial(journeys, stations=300, reach=0.3, seed=6),
    "baskets": partial(baskets, labels=40, tail=1.1, mean=4, seed=7),
    "long log": partial(process_log, activities=20, variants=8, rework=0.08, skips=0.15, seed=8),
    "few pathways": partial(pathways, codes=150, conditions=40, stays=0.1, mean=4, seed=9),
    "log of ten": partial(process_log, activities=10, variants=5, rework=0.07, skips=0.12, seed=301),
    "wide log": partial(process_log, activities=26, variants=6, rework=0.02, skips=0.05, seed=302),
    "nine pathways": partial(pathways, codes=100, conditions=9, stays=0.25, mean=5, seed=303),
    "five cities": partial(tours, places=400, cities=5, reach=0.25, home=0.1, mean=5, seed=304),
    "clicks of 24": partial(clicks, pages=24, stays=0.2, tail=1.5, seed=305),
    "65 places": partial(commuters, places=65, reach=0.4, errands=0.1, seed=306),
    "120 stations": partial(journeys, stations=120, reach=0.4, seed=307),
    "90 labels": partial(baskets, labels=90, tail=1.0, mean=3.5, seed=308),
    "favourites": partial(favourites, labels=35, tastes=4, mean=5, seed=309),
    "shifts": partial(shifts, wards=12, cycle=5, swaps=0.1, mean=9, seed=310),
}
JUDGING: Worlds = {
    "log": partial(process_log, activities=12, variants=4, rework=0.04, skips=0.08, seed=401),
    "loose log": partial(process_log, activities=18, variants=12, rework=0.12, skips=0.2, seed=402),
    "pathways": partial(pathways, codes=60, conditions=15, stays=0.2, mean=4.5, seed=403),
    "tours": partial(tours, places=250, cities=4, reach=0.3, home=0.15, mean=3.5, seed=404),
    "clicks": partial(clicks, pages=40, stays=0.3, tail=1.8, seed=405),
    "commuters": partial(commuters, places=35, reach=0.25, errands=0.15, seed=406),
    "journeys": partial(journeys, stations=70, reach=0.25, seed=407),
    "baskets": partial(baskets, labels=60, tail=1.2, mean=5, seed=408),
    "favourites": partial(favourites, labels=20, tastes=6, mean=4, seed=409),
    "shifts": partial(shifts, wards=16, cycle=4, swaps=0.2, mean=7, seed=410),
    "rides": partial(rides, stops=30, lines=4, changes=0.1, seed=411),
}

LONG: Worlds = {
    "long cases": partial(process_log, activities=32, variants=5, rework=0.03, skips=0.04, seed=501),
    "long loops": partial(process_log, activities=24, variants=10, rework=0.15, skips=0.1, seed=502),
}
"""Logs with long records, which judge where a delta should pay."""
