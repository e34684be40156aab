"""Simulated tables with known dependence, on which publishers of tables are judged.

Each world has five versions: `choosing` ones may be looked at while constants are chosen; `judging`, `new`, `last` and `fresh`
ones have other parameters and seeds and are run only to judge, each since a rule was changed after a look at the ones before.
`small` ones are for peers that take minutes a run. The worlds differ in what makes a method fail: chains of dependence, many
yes/no columns, long tails, mixed types with missing values, many columns, categories of many values. The last column of each is
what is predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.simulate import CensusWorld
from tacita.tables import Categorical, Moment, Numeric, Schema, TableRecords, declared

__all__ = ["CHOOSING", "FRESH", "JUDGING", "LAST", "NEW", "SMALL", "WORLDS", "World"]


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """Rows to publish, and other rows of the same law to judge a classifier by."""

    records: TableRecords
    others: TableRecords


def _halves(schema: Schema, columns: list[Integers], rows: int) -> World:
    """The first rows are published, the others judge."""
    return World(
        records=TableRecords(schema=schema, quasi=tuple(column[:rows].copy() for column in columns), name="world"),
        others=TableRecords(schema=schema, quasi=tuple(column[rows:].copy() for column in columns), name="others"),
    )


def _category(number: int, size: int) -> Categorical:
    return Categorical(name=f"c{number}", taxonomy=Taxonomy.flat(Universe(f"v{value}" for value in range(size))))


def _net(generator: PublicGenerator, rows: int, sizes: list[int], *, keep: float, skew: float) -> list[Integers]:
    """A Bayesian network: each column copies a permutation of one or two earlier ones, or is drawn anew."""
    columns: list[Integers] = []
    for number, size in enumerate(sizes):
        drawn = generator.choice(size, rows, p=generator.dirichlet(np.full(size, skew)))
        if number:
            parents = generator.choice(number, min(number, 1 + int(generator.integers(2))), replace=False)
            joint = sum((place + 1) * columns[parent] for place, parent in enumerate(parents))
            copied = generator.permutation(size)[np.asarray(joint) % size]
            drawn = np.where(generator.random(rows) < keep, copied, drawn)
        columns.append(drawn.astype(np.int64))
    return columns


def _network(*, rows: int, sizes: list[int], keep: float, skew: float, seed: int) -> World:
    columns = _net(public_generator(seed), 2 * rows, sizes, keep=keep, skew=skew)
    return _halves(Schema(quasi=tuple(_category(number, size) for number, size in enumerate(sizes))), columns, rows)


def _survey(*, rows: int, questions: int, classes: int, seed: int) -> World:
    """Yes/no columns of people from hidden classes."""
    generator = public_generator(seed)
    kind = generator.choice(classes, 2 * rows, p=generator.dirichlet(np.full(classes, 2.0)))
    chances = generator.beta(0.5, 0.7, (classes, questions))
    columns = [(generator.random(2 * rows) < chances[kind, number]).astype(np.int64) for number in range(questions)]
    return _halves(Schema(quasi=tuple(_category(number, 2) for number in range(questions))), columns, rows)


def _census(*, rows: int, seed: int) -> World:
    """The simulated census; its columns are declared without a sensitive one, so that all are alike."""
    schema = declared(CensusWorld.adult(people=10, seed=seed).declaration())
    made = [
        TableRecords.from_frame(CensusWorld.adult(people=rows, seed=own).frame, schema=schema, name="census")
        for own in (seed, seed + 1000)
    ]
    plain = Schema(
        quasi=(
            *schema.quasi,
            *(Categorical(name=part.name, taxonomy=Taxonomy.flat(part.universe)) for part in schema.hidden),
        )
    )
    both = [(*each.quasi, *schema.hidden_codes(each.sensitive_codes("a judge"))) for each in made]
    income = [column.name for column in plain.quasi].index("sex")
    order = [place for place in range(len(plain.quasi)) if place != income] + [income]
    plain = Schema(quasi=tuple(plain.quasi[place] for place in order))
    first, second = (TableRecords(schema=plain, quasi=tuple(each[place] for place in order), name="census") for each in both)
    return World(records=first, others=second)


def _mixed(*, rows: int, seed: int, noise: float) -> World:
    """Ages, incomes with decimals, dates and categories, with missing values; all lean on two hidden numbers."""
    generator = public_generator(seed)
    number = 2 * rows
    hidden = generator.standard_normal((2, number))

    def leaning(weight: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return weight * hidden[0] + (1 - weight) * hidden[1] + noise * generator.standard_normal(number)

    age = np.clip(45 + 15 * leaning(0.9), 18, 99) - 18
    income = np.clip(np.exp(7.5 + 0.6 * leaning(0.7)) * 10, 0, 99_999)
    income = np.where(generator.random(number) < 0.1, 0, income)
    visit = np.clip(900 + 400 * leaning(0.2), 0, 1825)
    dose = np.clip(5 + 2 * leaning(0.5), 0, 20) * 4
    parts = [np.searchsorted([-1, -0.3, 0.3, 1.2], leaning(weight)) for weight in (0.1, 0.6, 0.9)]
    ill = (leaning(0.5) + 0.5 * leaning(0.9) > 0.8).astype(np.int64)
    schema = Schema(
        quasi=(
            Numeric(name="age", low=18, high=99),
            Numeric(name="income", low=0, high="9999.9", step="0.1", missing=True),
            Moment(name="visit", first="2019-01-01", last="2023-12-31"),
            Numeric(name="dose", low=0, high=20, step="0.25", missing=True),
            *(_category(place, 5) for place in range(3)),
            _category(9, 2),
        )
    )
    columns = [column.astype(np.int64) for column in (age, income, visit, dose, *parts, ill)]
    for place in (1, 3):
        gone = generator.random(number) < 0.07
        columns[place] = np.where(gone, schema.quasi[place].count, np.minimum(columns[place], schema.quasi[place].count - 1))
    return _halves(schema, columns, rows)


def _long(*, rows: int, size: int, seed: int) -> World:
    """Three categories of many values in groups, which other columns know of, beside small ones."""
    generator = public_generator(seed)
    group = generator.choice(8, 2 * rows, p=generator.dirichlet(np.full(8, 1.0)))
    tree = Taxonomy.balanced(Universe(f"v{value:04}" for value in range(size)), fan_out=8)
    columns, kinds = [], []
    for place in range(3):
        tail = np.minimum((size // 8 - 1) * generator.random(2 * rows) ** 4, size // 8 - 1).astype(np.int64)
        mixed = np.where(generator.random(2 * rows) < 0.3, generator.integers(0, 8, 2 * rows), (group + place) % 8)
        columns.append(mixed * (size // 8) + tail)
        kinds.append(Categorical(name=f"l{place}", taxonomy=tree))
    for place, values in enumerate((6, 4, 3, 2)):
        same = generator.random(2 * rows) < 0.6
        columns.append(np.where(same, group % values, generator.integers(0, values, 2 * rows)))
        kinds.append(_category(place, values))
    return _halves(Schema(quasi=tuple(kinds)), columns, rows)


CHOOSING: dict[str, Callable[[], World]] = {
    "network": lambda: _network(rows=20_000, sizes=[6, 3, 9, 4, 12, 5, 2, 7, 2], keep=0.6, skew=0.8, seed=101),
    "survey": lambda: _survey(rows=8_000, questions=14, classes=5, seed=102),
    "census": lambda: _census(rows=20_000, seed=103),
    "mixed": lambda: _mixed(rows=15_000, seed=104, noise=0.6),
    "wide": lambda: _network(rows=20_000, sizes=[3, 5, 2, 4] * 5 + [2], keep=0.5, skew=1.0, seed=105),
    "long": lambda: _long(rows=20_000, size=240, seed=106),
}

JUDGING: dict[str, Callable[[], World]] = {
    "network": lambda: _network(rows=30_000, sizes=[4, 8, 5, 15, 3, 6, 10, 2, 4, 2], keep=0.5, skew=0.6, seed=201),
    "survey": lambda: _survey(rows=12_000, questions=16, classes=7, seed=202),
    "census": lambda: _census(rows=30_162, seed=203),
    "mixed": lambda: _mixed(rows=25_000, seed=204, noise=0.8),
    "wide": lambda: _network(rows=40_000, sizes=[2, 6, 3, 4, 8] * 5 + [2], keep=0.6, skew=0.7, seed=205),
    "long": lambda: _long(rows=30_000, size=400, seed=206),
}

NEW: dict[str, Callable[[], World]] = {
    "network": lambda: _network(rows=25_000, sizes=[3, 7, 4, 11, 2, 8, 6, 5, 9, 2], keep=0.55, skew=0.7, seed=301),
    "survey": lambda: _survey(rows=10_000, questions=15, classes=6, seed=302),
    "census": lambda: _census(rows=24_000, seed=303),
    "mixed": lambda: _mixed(rows=20_000, seed=304, noise=0.7),
    "wide": lambda: _network(rows=30_000, sizes=[2, 5, 3, 6, 4] * 4 + [3, 2, 2], keep=0.55, skew=0.9, seed=305),
    "long": lambda: _long(rows=25_000, size=320, seed=306),
}

LAST: dict[str, Callable[[], World]] = {
    "network": lambda: _network(rows=28_000, sizes=[5, 3, 10, 6, 2, 4, 7, 13, 3, 5, 2], keep=0.55, skew=0.8, seed=501),
    "survey": lambda: _survey(rows=11_000, questions=17, classes=6, seed=502),
    "census": lambda: _census(rows=27_000, seed=503),
    "mixed": lambda: _mixed(rows=22_000, seed=504, noise=0.75),
    "wide": lambda: _network(rows=35_000, sizes=[4, 2, 5, 3, 7] * 4 + [6, 2, 2], keep=0.6, skew=0.8, seed=505),
    "long": lambda: _long(rows=27_000, size=360, seed=506),
}

FRESH: dict[str, Callable[[], World]] = {
    "network": lambda: _network(rows=26_000, sizes=[4, 9, 3, 6, 12, 5, 2, 8, 4, 7, 2], keep=0.5, skew=0.7, seed=601),
    "survey": lambda: _survey(rows=9_500, questions=16, classes=5, seed=602),
    "census": lambda: _census(rows=28_000, seed=603),
    "mixed": lambda: _mixed(rows=21_000, seed=604, noise=0.65),
    "wide": lambda: _network(rows=33_000, sizes=[3, 6, 2, 5, 4] * 4 + [7, 3, 2], keep=0.5, skew=0.8, seed=605),
    "long": lambda: _long(rows=26_000, size=280, seed=606),
}

SMALL: dict[str, Callable[[], World]] = {
    "small network": lambda: _network(rows=6_000, sizes=[3, 5, 2, 4, 6, 2], keep=0.5, skew=0.8, seed=401),
    "small survey": lambda: _survey(rows=4_000, questions=8, classes=4, seed=402),
}

WORLDS = {"choosing": CHOOSING, "judging": JUDGING, "new": NEW, "last": LAST, "fresh": FRESH, "small": SMALL}
