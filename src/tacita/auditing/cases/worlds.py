"""Worlds for foreign answers: a method with drawn parameters, somebody else's records, and tiny neighbours.

Each world has public inputs of its own: a universe of one to seventy labels, a grid, a schema, blocks of vertices, windows of
single people. The records whose answers are taken are anything, from one person to a crowd. The neighbours are tiny, and what
they differ in lies at the boundaries: a record one shorter, as long as and one longer than what is counted, a basket with
everything, an edge between two hubs, a whole window of statuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.arrays.ragged import Ragged
from tacita.auditing.cases.case import DELTA, Subject, Variant
from tacita.errors import ParameterError
from tacita.io import LongColumns
from tacita.kinds import kind_of, load, method_named
from tacita.networks import NetworkRecords
from tacita.networks.blocks import VertexBlocks
from tacita.people import PeopleRecords
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.privacy.guarantee import StatusContexts
from tacita.public.inputs import PerPerson, PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator
from tacita.sequences import PrivateLength, SequenceRecords
from tacita.sets import BasketRecords
from tacita.streams import Presence, StreamRecords
from tacita.tables import Categorical, Independent, Marginals, Numeric, Schema, Sensitive, SensitiveColumns, TableRecords

__all__ = ["EPSILONS", "World", "world_of"]

EPSILONS = ("0.001", "0.03", "0.3", "1", "3", "50", "1000", "10000")


PARAMETERS: Mapping[str, tuple[Any, ...]] = {
    "class_column": (None, "class"),
    "contexts": (1, 2, 3, 3, 4, "event", "user"),
    "correlated_edges": (1, 1, 2, 3),
    "density": (Fraction(3, 4), Fraction(4, 5)),
    "expected_people": (None, 2),
    "expected_records": (None, 10, 1000),
    "fan_out": (2, 3, 10),
    "grid": (2, 4, 16),
    "max_core": (2, 3, 6, 9, 14),
    "max_gram": (1, 2, 5),
    "max_nodes": (30, 20_000, 20_000),
    "max_partitions": (30, 20_000, 20_000),
    "past": (None, 1, 3),
    "recent": (1, 2, 4),
    "share": (Fraction(1, 10), Fraction(9, 10)),
    "span": (2, 4),
    "splits": (1, 4, 50),
    "target": (None, "letter", "value"),
}
"""What is drawn for parameters that are numbers, by their names; those that have named values or a truth value take any."""

ATTEMPTS = 20

CROWD = 30_000

FEW_SYMBOLS = 500
"""Of a hundred people; only those who have no more are multiplied to a crowd, so that it stays quick."""


@dataclass(frozen=True, kw_only=True)
class World:
    """A mechanism, its budget, the records whose answers are taken, and records of which each is a neighbour of the one before.

    Records that are `unrelated` to all of these must lead to the same output with the same answers too.
    """

    mechanism: Any
    budget: Budget
    foreign: Any
    steps: tuple[Any, ...]
    unrelated: tuple[Any, ...] = ()


class Draws:
    """Choices of a public generator."""

    def __init__(self, generator: PublicGenerator) -> None:
        """Choose by this generator."""
        self.generator = generator

    def below(self, bound: int) -> int:
        """A whole number from 0."""
        return int(self.generator.integers(0, bound))

    def one(self, values: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the values
        """One of them."""
        return values[self.below(len(values))]

    def some(self, values: Sequence[Any], number: int) -> list[Any]:
        """This number of different ones, in any order; all of them if there are fewer."""
        return [values[place] for place in self.generator.permutation(len(values))[:number]]

    def chance(self, probability: float) -> bool:
        """Whether something happens."""
        return bool(self.generator.random() < probability)

    def mechanism(self, variant: Any, *, fixed: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any mechanism
        """The variant with drawn parameters; `fixed` are those that the world has decided, where the variant has them."""
        names = {each.name for each in fields(variant) if each.init}
        given = {name: value for name, value in fixed.items() if name in names}
        for _ in range(ATTEMPTS):
            drawn: dict[str, Any] = {}
            for name in sorted(names - given.keys()):
                value = getattr(variant, name)
                if name in PARAMETERS:
                    drawn[name] = self.one(PARAMETERS[name])
                elif isinstance(value, bool):
                    drawn[name] = self.chance(0.5)
                elif isinstance(value, Enum):
                    drawn[name] = self.one(list(type(value)))
            try:
                return replace(variant, **given, **drawn)
            except ParameterError:
                continue  # not every combination makes sense
        return replace(variant, **given)


@cache
def _subject(method: str) -> Subject | None:
    registered = method_named(method)
    subject: Subject | None = None if registered.audited is None else load(registered.audited)()
    return subject


def world_of(method: str, generator: PublicGenerator) -> World:
    """A world of a method."""
    registered, draws = method_named(method), Draws(generator)
    subject = _subject(method)
    variants: Sequence[Variant] = () if subject is None else subject.variants
    variant = draws.one(variants).mechanism if variants else registered.load()()
    epsilon = Fraction(draws.one(EPSILONS))
    is_approximate = registered.promise.takes_delta or (registered.has_gaussian and draws.chance(0.5))
    budget: Budget = ApproxDP(epsilon, DELTA) if is_approximate else PureDP(epsilon)
    make = WORLDS.get(registered.kind)
    if make is None:
        kind = kind_of(registered)
        if kind.case is None:
            message = f"the kind {kind.name} registers no small data sets, so {method} cannot be audited"
            raise ParameterError(message)
        case = load(kind.case)(name=method, mechanism=variant, budget=budget)
        foreign, mine = case.random_rows(generator), case.random_rows(generator)
        steps = (mine, draws.one(list(case.neighbours(mine))))
        return World(mechanism=variant, budget=budget, foreign=case.records(foreign), steps=tuple(map(case.records, steps)))
    return make(draws, variant, budget)


def _taxonomy(draws: Draws, universe: Universe) -> Taxonomy | None:
    is_any = len(universe) > 1 and draws.chance(0.4)
    return Taxonomy.balanced(universe, fan_out=draws.one((2, 3))) if is_any else None


def _cap(draws: Draws) -> PerPerson:
    most = draws.one((None, None, 2, 3))
    return PerPerson(most)


def _labels(number: int) -> Universe:
    return Universe([f"s{place:02}" for place in range(number)])


def _crowd(draws: Draws, row: Callable[[], Any]) -> list[list[Any]]:
    """Now and then a crowd of many different people, or of very many: a rule that looks at true numbers shows there."""
    if draws.chance(0.7):
        return []
    rows = [row() for _ in range(100)]
    is_huge = sum(map(len, rows)) < FEW_SYMBOLS and draws.chance(0.3)
    return [rows * (CROWD // 100 if is_huge else 5)]


# Sets.


Ranges = Sequence[tuple[int, int]]


def _ranges(draws: Draws, items: int) -> Ranges:
    """Columns of a table whose values are items: consecutive ranges, most of them of two items or more."""
    cuts = sorted(draws.some(range(2, items - 1, 2), 1 + draws.below(min(5, items // 3))))
    return list(zip([0, *cuts], [*cuts, items], strict=True))


def _row(draws: Draws, ranges: Ranges) -> list[int]:
    """One item of each column, the first one more often."""
    return [low + (draws.below(high - low) if draws.chance(0.7) else 0) for low, high in ranges]


def _basket(draws: Draws, items: int, ranges: Ranges = ()) -> list[int]:
    if ranges and draws.chance(0.7):
        return _row(draws, ranges)
    size = draws.one((1, 1, 2, 3, 5, items - 1, items, 1 + draws.below(items)))
    return sorted(draws.some(range(items), max(1, size)))


def _foreign_baskets(draws: Draws, items: int, ranges: Ranges) -> list[list[int]]:
    """Baskets of one sort or another; those with one item of each column look like rows of a table."""
    if ranges:
        return [_row(draws, ranges) for _ in range(60)]
    sort, number = draws.one(("sparse", "dense", "one", "full", "mixed")), draws.one((1, 5, 30, 60))
    if sort == "dense":
        share = draws.generator.random((number, items)) < 0.7
        return [np.flatnonzero(row).tolist() or [0] for row in share]
    if sort == "one":
        return [[draws.below(items)] for _ in range(number)]
    if sort == "full":
        return [list(range(items))] * number
    if sort == "mixed":
        return [_basket(draws, items) for _ in range(number)]
    return [sorted(draws.some(range(items), 1 + draws.below(4))) for _ in range(number)]


def _sets(draws: Draws, variant: Any, budget: Budget) -> World:  # noqa: ANN401 - any mechanism
    items = draws.one((1, 2, 3, 5, 8, 9, 14, 20, 25, 40, 70))
    universe, per_person = _labels(items), _cap(draws)
    ranges = _ranges(draws, items) if items > 5 and draws.chance(0.5) else ()

    def records(rows: list[list[int]]) -> BasketRecords:
        return BasketRecords(baskets=Ragged.from_lists(rows), universe=universe, per_person=per_person)

    foreign = _foreign_baskets(draws, items, ranges)
    crowd = _crowd(draws, lambda: _basket(draws, items, ranges))
    mine = [_basket(draws, items, ranges) for _ in range(draws.one((0, 1, 3, 10)))]
    more = [_basket(draws, items, ranges) for _ in range(per_person.records)]
    mechanism = draws.mechanism(variant, fixed={"taxonomy": _taxonomy(draws, universe)})
    return World(
        mechanism=mechanism,
        budget=budget,
        foreign=records(foreign),
        steps=(records(mine), records([*mine, *more])),
        unrelated=tuple(map(records, crowd)),
    )


# Sequences.


def _sequence(draws: Draws, symbols: int, intervals: int, length: int) -> list[int]:
    """Shorter, as long as, or longer than is looked at; often one symbol again and again, or two in turn."""
    size = max(0, draws.one((0, 1, 2, length - 1, length, length + 1, length + 5, 3 * length, 1 + draws.below(10))))
    places = [draws.below(symbols) for _ in range(size)]
    if draws.chance(0.25):
        places = places[:1] * size
    elif draws.chance(0.2):
        places = [turn % 2 % symbols for turn in range(size)]
    if intervals == 1:
        return places
    times = sorted(draws.below(intervals) for _ in range(size))
    times = times[:1] * size if draws.chance(0.3) else times
    return [time * symbols + place for time, place in zip(times, places, strict=True)]


def _takes(variant: Any, **parameters: Any) -> bool:  # noqa: ANN401 - any mechanism
    """Whether a mechanism can have these parameters."""
    try:
        replace(variant, **parameters)
    except (ParameterError, TypeError):
        return False
    return True


def _sequences(draws: Draws, variant: Any, budget: Budget) -> World:  # noqa: ANN401 - any mechanism
    symbols, length, intervals = draws.one((1, 2, 4, 7)), draws.one((1, 2, 3, 5, 9)), draws.one((1, 1, 1, 2, 3, 24))
    universe, per_person = _labels(symbols), _cap(draws)
    private = PrivateLength(longest=length, share=draws.one(("1/10", "1/2")), quantile=draws.one(("9/10", "1/2", "1/20")))
    fixed: dict[str, Any] = {"height": draws.one((length, private)), "max_length": draws.one((length, private)), "length": length}
    if fixed["max_length"] is private and not _takes(variant, max_length=private):
        fixed["max_length"] = length
    mechanism = draws.mechanism(variant, fixed={**fixed, "taxonomy": _taxonomy(draws, universe)})
    grid = None if intervals == 1 else TimeGrid(start=0, interval=1, intervals=intervals)

    def records(rows: list[list[int]]) -> SequenceRecords:
        return SequenceRecords(sequences=Ragged.from_lists(rows), universe=universe, grid=grid, per_person=per_person)

    foreign = [_sequence(draws, symbols, intervals, length) for _ in range(draws.one((1, 5, 40)))]
    crowd = _crowd(draws, lambda: _sequence(draws, symbols, intervals, length))
    mine = [_sequence(draws, symbols, intervals, length) for _ in range(draws.one((0, 1, 5)))]
    more = [_sequence(draws, symbols, intervals, length) for _ in range(per_person.records)]
    return World(
        mechanism=mechanism,
        budget=budget,
        foreign=records(foreign),
        steps=(records(mine), records([*mine, *more])),
        unrelated=tuple(map(records, crowd)),
    )


# Tables.


def _tables(draws: Draws, variant: Any, budget: Budget) -> World:  # noqa: ANN401 - any mechanism
    is_typed = isinstance(variant, Marginals | Independent)  # the others generalize: few numbers, and none missing
    letters, high = _labels(draws.one((1, 2, 5, 6))), draws.one((0, 7, 40, 99, 5000) if is_typed else (0, 1, 7, 40))
    gaps = is_typed and draws.chance(0.5)
    hidden = Sensitive(name="value", universe=_labels(draws.one((1, 2, 3))))
    two = SensitiveColumns(parts=(hidden, Sensitive(name="more", universe=_labels(2))))
    schema = Schema(
        quasi=(
            Categorical(
                name="letter",
                taxonomy=_taxonomy(draws, letters) or Taxonomy.flat(letters),
                missing=is_typed and draws.chance(0.5),
            ),
            Numeric(name="number", low=0, high=high, missing=gaps),
        ),
        sensitive=draws.one((hidden, hidden, two)),
    )
    sizes = [*schema.sizes, schema.required_sensitive("an audit").size]
    per_person = draws.one((None, None, PerPerson.cap(2)))

    def rows(number: int) -> list[list[int]]:
        return [[draws.one((0, size - 1, draws.below(size))) for size in sizes] for _ in range(number)]

    def records(codes: list[list[int]]) -> TableRecords:
        letter, number, value = np.array(codes, dtype=np.int64).reshape(-1, 3).T.copy()
        return TableRecords(schema=schema, quasi=(letter, number), sensitive=value, per_person=per_person)

    foreign, mine = rows(draws.one((1, 5, 50))), rows(draws.one((0, 1, 5)))
    crowd = _crowd(draws, lambda: rows(1)[0])
    more = rows(1 if per_person is None else per_person.records)
    mechanism = draws.mechanism(variant, fixed={})
    return World(
        mechanism=mechanism,
        budget=budget,
        foreign=records(foreign),
        steps=(records(mine), records([*mine, *more])),
        unrelated=tuple(map(records, crowd)),
    )


# People: a table, and a list of events for each row.


def _people(draws: Draws, variant: Any, budget: Budget) -> World:  # noqa: ANN401 - any mechanism
    classes, labels = _labels(draws.one((2, 3, 5))), _labels(draws.one((1, 2, 5)))
    letter = Categorical(name="class", taxonomy=Taxonomy.flat(classes), missing=draws.chance(0.5))
    schema = Schema(quasi=(letter, Numeric(name="number", low=0, high=draws.one((0, 7, 99)))))
    columns = draws.one((LongColumns(), LongColumns(time=None)))
    longest = draws.one((0, 1, 3, 40))

    def row() -> list[int]:
        own = [draws.one((0, size - 1, draws.below(size))) for size in schema.sizes]
        events = [draws.below(len(labels)) for _ in range(draws.one((0, longest, draws.below(longest + 1))))]
        return [*own, *(events if columns.time is not None else sorted(set(events)))]

    def records(rows: list[list[int]]) -> PeopleRecords:
        quasi = np.array([own[:2] for own in rows], dtype=np.int64).reshape(-1, 2).T.copy()
        table = TableRecords(schema=schema, quasi=(quasi[0], quasi[1]))
        return PeopleRecords(table=table, events=Ragged.from_lists([own[2:] for own in rows]), universe=labels, columns=columns)

    foreign, mine = ([row() for _ in range(number)] for number in (draws.one((1, 5, 50)), draws.one((0, 1, 5))))
    mechanism = draws.mechanism(variant, fixed={})
    return World(
        mechanism=mechanism,
        budget=budget,
        foreign=records(foreign),
        steps=(records(mine), records([*mine, row()])),
        unrelated=tuple(map(records, _crowd(draws, row))),
    )


# Networks.


def _edges(draws: Draws, vertices: int) -> set[int]:
    """Nothing, everything, a star, two hubs with common neighbours, or any edges, by their keys."""
    pairs = list(combinations(range(vertices), 2))
    sort = draws.one(("none", "all", "star", "hubs", "any", "any", "any"))
    if sort == "any":
        pairs = draws.some(pairs, draws.below(min(len(pairs), 4 * vertices) + 1))
    elif sort == "none" or (sort == "all" and vertices > 20):
        pairs = []
    elif sort == "star":
        pairs = [(0, other) for other in range(1, vertices)]
    elif sort == "hubs":
        pairs = [(hub, other) for hub in (0, 1) for other in range(2, vertices)]
    return {first * vertices + second for first, second in pairs}


def _networks(draws: Draws, variant: Any, budget: Budget) -> World:  # noqa: ANN401 - any mechanism
    vertices = draws.one((2, 3, 4, 5, 8, 12, 70))
    universe = _labels(vertices)
    blocks = draws.one((None, VertexBlocks.ranges(vertices, blocks=1 + draws.below(min(4, vertices)))))
    sides = VertexBlocks.ranges(vertices, blocks=2) if blocks is None and draws.chance(0.5) else None
    mechanism = draws.mechanism(variant, fixed={})

    def records(keys: set[int]) -> NetworkRecords:
        graph = Graph(vertices=vertices, keys=np.array(sorted(keys), dtype=np.int64))
        return NetworkRecords(graph=graph, universe=universe, blocks=blocks).across(sides)

    steps = [_edges(draws, vertices)]
    pairs = list(combinations(range(vertices), 2))
    changed = draws.some(pairs, mechanism.correlated_edges)
    if draws.chance(0.5) and (0, 1) not in changed:
        changed[0] = (0, 1)  # between the hubs
    for first, second in changed:
        steps.append(steps[-1] ^ {first * vertices + second})
    return World(
        mechanism=mechanism, budget=budget, foreign=records(_edges(draws, vertices)), steps=tuple(records(keys) for keys in steps)
    )


# Streams: a row is a person, with a cell for each timestamp, and a dot where the person is absent.

ABSENT = "."

BACK_AT = 20

OFTEN: tuple[Callable[[int], float], ...] = (
    lambda _: 0.8,
    lambda _: 1.0,
    lambda _: 0.15,
    lambda time: 1.0 if time < 3 else 0.0 if time < BACK_AT else 0.5,
)
"""How likely a person is to be there: often, always, seldom, or at first and then again after a long time.

Those who are seldom there are counted over blocks of timestamps, and some of them have no room when a block begins.
"""


def _streams(draws: Draws, variant: Any, budget: Budget) -> World:  # noqa: ANN401 - any mechanism
    length, cells, people = draws.one((2, 4, 6, 9, 30, 30)), draws.one((1, 2, 3)), draws.one((1, 1, 2, 3, 5))
    often = draws.one(OFTEN)
    mechanism, grid = draws.mechanism(variant, fixed={}), TimeGrid(start=0, interval=1, intervals=length)
    statuses = "ABC"[:cells] + "x"
    is_public = mechanism.presence is Presence.PUBLIC
    relation = mechanism.relation(PublicInputs(grid=grid))
    window = relation.contexts if isinstance(relation, StatusContexts) else relation.timestamps
    longer = {"p0": window + 1 + draws.below(4)} if is_public and draws.chance(0.4) else {}
    marks = [[draws.one(statuses if draws.chance(often(time)) else ABSENT) for time in range(length)] for _ in range(people)]

    def any_of(mark: str) -> str:
        return ABSENT if is_public and mark == ABSENT else draws.one(statuses if is_public else statuses + ABSENT)

    def records(rows: list[list[str]]) -> StreamRecords:
        events = [
            (time, f"p{person}", rows[person][time])
            for time in range(length)
            for person in range(people)
            if rows[person][time] != ABSENT
        ]
        made = StreamRecords.from_events(events, cells=Universe(list(statuses[:-1])), grid=grid)
        return replace(made, longer_windows=longer)

    changed, person = [list(row) for row in marks], draws.below(people)
    own = longer.get(f"p{person}", window)
    places = [place for place, mark in enumerate(marks[person]) if not is_public or mark != ABSENT]
    start = draws.below(max(len(places) - own + 1, 1))
    for place in places[start : start + own]:
        mark = marks[person][place]
        if mechanism.presence is Presence.ADDED:
            changed[person][place] = ABSENT  # in the other direction it is the same pair
        elif draws.chance(0.8):
            changed[person][place] = any_of(mark)
    foreign = [[any_of(mark) for mark in row] for row in marks]
    return World(mechanism=mechanism, budget=budget, foreign=records(foreign), steps=(records(marks), records(changed)))


WORLDS: Mapping[str, Callable[[Draws, Any, Budget], World]] = {
    "sets": _sets,
    "sequences": _sequences,
    "tables": _tables,
    "people": _people,
    "networks": _networks,
    "streams": _streams,
}
"""The worlds of each kind; a kind that is not here has those of its registered small data sets."""
