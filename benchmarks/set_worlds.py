"""Simulated baskets of six shapes on which publishers of sets are compared with floors.

Each shape has two worlds: `choosing` ones may be looked at while constants are chosen, `judging` ones have other parameters and
are run only to judge (that of the choosing shop is in `sets.py`). The shapes differ in what makes a method fail: long tails, long
baskets, fixed sizes, few records per item.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.public.universe import Universe
from tacita.seeded import public_generator
from tacita.sets import BasketRecords
from tacita.simulate import BasketWorld

__all__ = ["CHOOSING", "JUDGING", "table_baskets", "trip_baskets"]


def _shop(**fields: float) -> Callable[[], BasketRecords]:
    def make() -> BasketRecords:
        world = BasketWorld(**fields)  # type: ignore[arg-type] # numbers of the right types
        return BasketRecords(baskets=world.baskets_of_codes(), universe=world.universe)

    return make


def table_baskets(*, rows: int, classes: int, values: tuple[int, ...], skew: float, seed: int) -> BasketRecords:
    """A table as baskets: one item for each column; rows come from hidden classes, in which columns are independent."""
    generator = public_generator(seed)
    kind = generator.choice(classes, size=rows, p=generator.dirichlet(np.full(classes, 1.0)))
    columns, first = [], 0
    for number in values:
        chances = np.stack([generator.dirichlet(np.full(number, skew)) for _ in range(classes)])
        drawn = (np.cumsum(chances, axis=1)[kind] < generator.random(rows)[:, np.newaxis]).sum(axis=1)
        columns.append(first + np.minimum(drawn, number - 1))
        first += number
    codes = np.stack(columns, axis=1).astype(np.int32)
    baskets = Ragged(codes.ravel(), offsets_of(np.full(rows, len(values), dtype=np.int64)))
    return BasketRecords(baskets=baskets, universe=Universe([str(code) for code in range(first)]))


def trip_baskets(*, people: int, side: int, reach: float, mean: float, seed: int) -> BasketRecords:
    """Zones of a square city that people's trips touch: each has a home, and zones nearby are more likely than far ones."""
    generator = public_generator(seed)
    places = np.stack(np.divmod(np.arange(side * side), side), axis=1).astype(np.float64)
    weight = generator.pareto(1.2, side * side) + 0.05
    far = np.sqrt(((places[:, np.newaxis] - places) ** 2).sum(axis=2))
    running = np.cumsum(weight * np.exp(-far / reach), axis=1)
    home = generator.choice(side * side, size=people, p=weight / weight.sum())
    visits = 1 + generator.poisson(mean - 1, people)
    who = np.repeat(np.arange(people), visits)
    wanted = generator.random(who.size) * running[home[who], -1]
    drawn = np.zeros(who.size, dtype=np.int64)
    for begin in range(0, who.size, 2**16):
        part = slice(begin, begin + 2**16)
        drawn[part] = (running[home[who[part]]] < wanted[part, np.newaxis]).sum(axis=1)
    order = np.lexsort((drawn, who))
    whole = distinct(Ragged(drawn[order].astype(np.int32), offsets_of(visits)), symbols=side * side)
    return BasketRecords(baskets=whole, universe=Universe([str(zone) for zone in range(side * side)]))


MUSHROOM_LIKE = (2, 6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 1, 4, 3, 5, 9, 6, 7)

CHOOSING: dict[str, Callable[[], BasketRecords]] = {
    "clicks": _shop(baskets=77_512, items=3_340, categories=150, shopper_types=40, mean_length=4.6, max_length=161, spread=1.0),
    "places": _shop(
        baskets=29_858,
        items=40_981,
        categories=400,
        shopper_types=200,
        favourites=2,
        loyalty=0.8,
        exponent=0.75,
        mean_length=30,
        max_length=811,
        spread=1.1,
    ),
    "films": _shop(
        baskets=6_039,
        items=3_614,
        categories=18,
        shopper_types=30,
        favourites=4,
        loyalty=0.3,
        exponent=0.7,
        mean_length=165,
        max_length=2_000,
        spread=1.0,
    ),
    "table": lambda: table_baskets(rows=8_124, classes=9, values=MUSHROOM_LIKE, skew=0.3, seed=0),
    "boardings": _shop(
        baskets=1_770_000,
        items=800,
        categories=70,
        shopper_types=60,
        favourites=2,
        loyalty=0.7,
        mean_length=2.2,
        max_length=20,
        spread=0.6,
    ),
    "trips": lambda: trip_baskets(people=428_464, side=16, reach=1.5, mean=2.2, seed=0),
    "shop": _shop(
        baskets=150_000,
        items=1_500,
        categories=60,
        shopper_types=12,
        mean_length=6,
        max_length=40,
        spread=0.7,
        exponent=0.9,
        seed=7,
    ),
}

JUDGING: dict[str, Callable[[], BasketRecords]] = {
    "clicks": _shop(
        baskets=77_512,
        items=3_340,
        categories=60,
        shopper_types=25,
        loyalty=0.75,
        exponent=0.95,
        mean_length=4.6,
        max_length=161,
        spread=1.2,
        seed=1,
    ),
    "places": _shop(
        baskets=29_858,
        items=40_981,
        categories=900,
        shopper_types=300,
        favourites=4,
        loyalty=0.7,
        exponent=0.9,
        mean_length=32,
        max_length=811,
        spread=1.0,
        seed=1,
    ),
    "films": _shop(
        baskets=6_039,
        items=3_614,
        categories=40,
        shopper_types=15,
        favourites=6,
        loyalty=0.5,
        exponent=0.6,
        mean_length=165,
        max_length=2_300,
        spread=0.9,
        seed=1,
    ),
    "table": lambda: table_baskets(rows=8_124, classes=5, values=MUSHROOM_LIKE[::-1], skew=0.5, seed=1),
    "boardings": _shop(
        baskets=1_770_000,
        items=800,
        categories=40,
        shopper_types=25,
        favourites=3,
        loyalty=0.6,
        exponent=1.0,
        mean_length=1.9,
        max_length=12,
        spread=0.7,
        seed=1,
    ),
    "trips": lambda: trip_baskets(people=428_464, side=16, reach=3.0, mean=2.8, seed=1),
}
