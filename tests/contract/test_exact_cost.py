"""What one person can cost, summed exactly over large and odd records, for every method and variant.

Replays of small data sets reach few symbols and items. Here a person is long, wide, repetitive or has several records. All counts
are enlarged before they are answered, so that everything that the person is in is kept and asked about further, and the sum of
rate times change of count over all questions, in fractions, must be at most epsilon. No logarithm, no rounding, no chance.
"""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tacita.arrays.graphs import Graph
from tacita.arrays.ragged import Ragged
from tacita.auditing.exact_laws import exact_costs
from tacita.networks import DegreeNetwork, DenseRegions, NetworkRecords, ShapeNetwork, VertexBlocks
from tacita.privacy.account import Replay, StandIn
from tacita.privacy.answers import Recording, Trace, Transcript
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.randomness import Source
from tacita.public.inputs import PerPerson
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrefixTree, PrivateLength, Raked, SequenceRecords
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts, StableHistogram
from tacita.tables import (
    Categorical,
    Independent,
    Marginals,
    Numeric,
    Schema,
    Sensitive,
    SensitiveColumns,
    SplitScore,
    TableRecords,
    TopDown,
)
from tacita.testing import SeededSource, public_generator
from tacita_papers import DegreeGenerator, LaplaceNetwork, PrivGraph, RandomNetwork, TopFilter

SYMBOLS = 7
AROUND_CAPS = (3, 4, 5, 6, 7, 24, 25, 26, 29, 30, 31)
"""One below, at and one above what the methods here count of a record; 1, 20 and their neighbours are among the odd ones."""
LABELS = [f"s{place}" for place in range(SYMBOLS)]
ITEMS = 40
BUDGET = PureDP("1000")
GROUPS = Taxonomy.from_edges(
    [
        ("s0", "*"),
        *((label, "low") for label in LABELS[1:4]),
        *((label, "high") for label in LABELS[4:]),
        ("low", "*"),
        ("high", "*"),
    ]
)


def odd_sequences(symbols, *, timed=False):
    """Sequences that are long, short, empty, repetitive, cut, or random."""
    generator = public_generator(5)
    rows = [[], [0], [symbols - 1], [0] * 7, [0] * 8, [0] * 9, [0] * 20, [0] * 21, [0] * 60, [0, 1] * 30, [0, 0, 1] * 20]
    rows += [list(range(symbols)) * 4, [symbols - 1] * 19 + [0], [0] * 19 + [symbols - 1]]
    rows += [generator.integers(0, symbols, size).tolist() for size in (2, 5, 19, 20, 21, 22, 100, 300)]
    rows += [generator.integers(0, 2, size).tolist() for size in (20, 40)]
    for size in AROUND_CAPS:
        rows += [generator.integers(0, symbols, size).tolist(), [symbols - 1] * size]
    return [sorted(row) for row in rows] if timed else rows


def odd_baskets():
    """Baskets of every size, some of them at both ends of the universe."""
    generator = public_generator(6)
    sizes = [*range(1, ITEMS + 1), *range(1, ITEMS + 1, 3)]
    rows = [np.sort(generator.permutation(ITEMS)[:size]).tolist() for size in sizes]
    return [*rows, [0], [ITEMS - 1], [0, ITEMS - 1], list(range(ITEMS))]


def sequences(rows, *, intervals=1, most=None):
    grid = None if intervals == 1 else TimeGrid(start=0, interval=1, intervals=intervals)
    per_person = PerPerson.JOIN if most is None else PerPerson.cap(most)
    return SequenceRecords(sequences=Ragged.from_lists(rows), universe=Universe(LABELS), grid=grid, per_person=per_person)


def baskets(rows, *, items=ITEMS, most=None):
    per_person = PerPerson.JOIN if most is None else PerPerson.cap(most)
    universe = Universe([f"i{place:02}" for place in range(items)])
    return BasketRecords(baskets=Ragged.from_lists(rows), universe=universe, per_person=per_person)


def very_few_items(rows, **rest):
    """The same baskets with their items folded into nine, all of which can be counted together."""
    return baskets([sorted({item % 9 for item in row}) for row in rows], items=9, **rest)


def few_items(rows, **rest):
    """The same baskets without the items past the first twenty, so that masks are counted."""
    return baskets([[item for item in row if item < 20] or [0] for row in rows], items=20, **rest)


def timed(rows, **rest):
    return sequences([sorted(row) for row in rows], intervals=3, **rest)


def in_many_intervals(rows, **rest):
    """The same symbols spread over the whole of three intervals, in order of time."""
    return sequences([sorted(3 * code for code in row) for row in rows], intervals=3, **rest)


TREES = [
    PrefixTree(height=height, **rest)
    for height, rest in product(
        (1, 4, 25), ({}, {"lost": "continue", "inference": "corrected"}, {"taxonomy": GROUPS}, {"threshold": "published"})
    )
]
GRAMS = [
    NGram(max_length=length, max_gram=gram, max_nodes=200_000_000, **rest)
    for length, gram in ((1, 1), (3, 2), (4, 2), (20, 5), (20, 2), (30, 8), (5, 9))
    for rest in ({}, {"synthesis": "joined", "threshold": "published"}, {"allocation": "uniform"})
    if not (rest.get("synthesis") and length > 20)
]
SEQUENCE_METHODS = [
    *((tree, sequences) for tree in TREES),
    (PrefixTree(height=PrivateLength(longest=30, share="1/10")), sequences),
    (PrefixTree(height=5), timed),
    (PrefixTree(height=5, granularity="hybrid"), timed),
    *((gram, sequences) for gram in GRAMS),
    (NGram(max_length=PrivateLength(longest=30, share="1/10"), max_gram=3), sequences),
    (NGram(), sequences),
    *((Raked(max_length=length), sequences) for length in (1, 8)),
    *((Raked(max_length=length), in_many_intervals) for length in (1, 4, 20)),
]
SET_METHODS = [
    *(
        (DiffPart(fan_out=fan_out, threshold=rule), make)
        for fan_out in (2, 5, 10)
        for rule in ("default", "authors")
        for make in (baskets, few_items)
    ),
    *((ItemsetCounts(max_core=core), make) for core in (2, 5, 8) for make in (baskets, few_items)),
    (ItemsetCounts(), very_few_items),
    (FlatHistogram(), baskets),
    (FlatHistogram(expected_records=1000), few_items),
    (StableHistogram(), baskets),
]


TABLE = Schema(
    quasi=(
        Categorical(name="place", taxonomy=GROUPS),
        Numeric(name="age", low=0, high=99),
    ),
    sensitive=SensitiveColumns(
        parts=(Sensitive(name="ill", universe=Universe("abc")), Sensitive(name="pay", universe=Universe("xy")))
    ),
)


def odd_rows():
    """Rows at the ends of all columns, a crowd of one kind, and random ones."""
    generator = public_generator(7)
    random = [(int(a), int(b), int(c)) for a, b, c in generator.integers(0, (SYMBOLS, 100, 6), (30, 3))]
    return [(0, 0, 0), (SYMBOLS - 1, 99, 5), *[(2, 50, 3)] * 20, *random]


def tables(rows, *, most=None):
    place, age, hidden = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
    return TableRecords(
        schema=TABLE, quasi=(place, age), sensitive=hidden, per_person=None if most is None else PerPerson.cap(most)
    )


TABLE_METHODS = [TopDown(splits=splits, score=score) for splits in (1, 8, 200) for score in SplitScore]
TABLE_METHODS += [Marginals(), Marginals(target="place"), Independent()]


NETWORK_METHODS = [
    ShapeNetwork(),
    ShapeNetwork(correlated_edges=3),
    ShapeNetwork(correlated_edges=3, communities=True),
    DegreeNetwork(),
    DenseRegions(),
    DenseRegions(correlated_edges=3, grid=4),
    RandomNetwork(),
    LaplaceNetwork(correlated_edges=3),
    TopFilter(),
    DegreeGenerator(correlated_edges=3),
    PrivGraph(correlated_edges=3),
]
VERTICES = 60


def odd_networks():
    """No edge at all, a star, a clique, two hubs that share all their neighbours, and a random graph; each lacks the edge 0-1."""
    pairs = np.stack(np.triu_indices(VERTICES, 1), axis=1)[1:]
    random = pairs[public_generator(7).random(len(pairs)) < 0.1]
    hubs = [(hub, other) for hub in (0, 1) for other in range(2, VERTICES)]
    return [[], [(0, place) for place in range(2, VERTICES)], [*map(tuple, pairs)], hubs, [*map(tuple, random)]]


def network(edges):
    keys = np.sort(np.array([first * VERTICES + second for first, second in edges], dtype=np.int64))
    return NetworkRecords(
        graph=Graph(vertices=VERTICES, keys=keys), universe=Universe([f"v{place:02}" for place in range(VERTICES)])
    )


@dataclass(frozen=True)
class Enlarging:
    """Answers as if everybody were there `factor` times, so that every cell with anybody in it is far above its threshold.

    The trace keeps the true counts of the data at hand.
    """

    source: Source
    factor: int
    trace: Trace = field(default_factory=Trace)

    def answer(self, question, truth, /):
        """Enlarge the counts, then draw; questions without counts, such as scores, are drawn unchanged."""
        self.trace.entries.append((question, deepcopy(truth)))
        larger = truth
        if hasattr(truth, "values") and isinstance(truth.values, np.ndarray):
            larger = replace(larger, values=truth.values * self.factor)
        return question.draw(larger, self.source)


def worst_cost(mechanism, make, rows, extra, *, budget, most=None):
    """What is claimed of one person, and what adding them costs at the most, when everybody is there ten times."""
    rest = {} if most is None else {"most": most}
    transcript = Transcript()
    enlarging, other = Enlarging(SeededSource(0), factor=10), Replay(transcript)
    mechanism.publish(make(rows, **rest), budget=budget, ledger=StandIn(Recording(enlarging, transcript)))
    mechanism.publish(make([*rows, *extra], **rest), budget=budget, ledger=other)
    costs = exact_costs(transcript, enlarging.trace, other.trace)
    for step in other.charge.plan.steps():  # one that costs too much must not hide behind another that costs less than it may
        assert costs.get(step.name, 0) <= step.epsilon * (most or 1), step.name
    return other.charge.epsilon, sum(costs.values())


def name_of(value):
    """What a parameter is called in the name of a test."""
    return getattr(value, "__name__", None) or repr(value).replace(" ", "").replace("=", "_")[:90]


@pytest.mark.parametrize(("mechanism", "make"), SEQUENCE_METHODS, ids=name_of)
def test_no_sequence_costs_more_than_epsilon_however_odd_it_is(mechanism, make):
    rows = odd_sequences(SYMBOLS)
    together = worst_cost(mechanism, make, rows, rows[-4:-3], budget=BUDGET)
    assert together[1] <= together[0] == BUDGET.epsilon
    costs = [worst_cost(mechanism, make, [row], [row], budget=BUDGET)[1] for row in ([0] * 60, [0, 1] * 30, rows[-3])]
    assert 0 < max(costs) <= BUDGET.epsilon


@pytest.mark.parametrize(("mechanism", "make"), SET_METHODS, ids=name_of)
def test_no_basket_costs_more_than_epsilon_however_large_it_is(mechanism, make):
    budget = ApproxDP("1000", "1e-6") if isinstance(mechanism, StableHistogram) else BUDGET
    rows = odd_baskets()
    costs = [worst_cost(mechanism, make, rows * 3, [row], budget=budget)[1] for row in (rows[2], rows[ITEMS // 2], rows[-1])]
    assert 0 < max(costs) <= budget.epsilon


@pytest.mark.parametrize("mechanism", TABLE_METHODS, ids=name_of)
def test_no_row_costs_more_than_epsilon_wherever_it_lies(mechanism):
    rows = odd_rows()
    costs = [worst_cost(mechanism, tables, rows, [row], budget=BUDGET) for row in (rows[0], rows[1], rows[2], (0, 99, 5))]
    assert all(claimed == BUDGET.epsilon for claimed, _ in costs)
    assert BUDGET.epsilon / 2 < max(cost for _, cost in costs) <= BUDGET.epsilon


@pytest.mark.parametrize("mechanism", NETWORK_METHODS, ids=name_of)
def test_no_edge_costs_more_than_its_share_wherever_it_is(mechanism):
    costs = [worst_cost(mechanism, network, edges, [(0, 1)], budget=PureDP("30"))[1] for edges in odd_networks()]
    assert 0 < max(costs) <= Fraction(30, mechanism.correlated_edges)


@pytest.mark.parametrize("mechanism", [ShapeNetwork(), DegreeNetwork(correlated_edges=3), DenseRegions()], ids=name_of)
def test_no_edge_across_costs_more_than_its_share_and_one_inside_a_side_costs_nothing(mechanism):
    sides = VertexBlocks(np.arange(VERTICES) % 2)
    costs = [
        [worst_cost(mechanism, lambda rows: network(rows).across(sides), edges, [pair], budget=PureDP("30"))[1] for pair in pairs]
        for edges, pairs in ((edges, [(0, 1), (0, 58)]) for edges in odd_networks() if (0, 58) not in edges)
    ]
    assert 0 < max(across for across, _ in costs) <= Fraction(30, mechanism.correlated_edges)
    assert {inside for _, inside in costs} == {0}


@pytest.mark.parametrize("epsilon", ["1", "4", "20"])
@pytest.mark.parametrize(
    ("mechanism", "make"), [(ItemsetCounts(max_core=8), few_items), (ItemsetCounts(), very_few_items)], ids=name_of
)
def test_no_basket_costs_more_than_epsilon_where_itemsets_are_smaller_than_baskets(mechanism, make, epsilon):
    """At a small budget pairs or triples of large baskets are counted, of which each has many."""
    rows = odd_baskets()
    costs = [
        worst_cost(mechanism, make, rows * 3, [row], budget=PureDP(epsilon))[1] for row in (rows[2], *rows[4:ITEMS:5], rows[-1])
    ]
    assert 0 < max(costs) <= Fraction(epsilon)


@pytest.mark.parametrize(
    ("mechanism", "make", "rows"),
    [
        (PrefixTree(height=4), sequences, odd_sequences(SYMBOLS)),
        (NGram(max_length=20, max_gram=3), sequences, odd_sequences(SYMBOLS)),
        (DiffPart(fan_out=3), baskets, odd_baskets()),
        (ItemsetCounts(), very_few_items, odd_baskets()),
        (FlatHistogram(), few_items, odd_baskets()),
        (TopDown(splits=8), tables, odd_rows()),
        (Marginals(), tables, odd_rows()),
    ],
    ids=name_of,
)
def test_all_records_of_a_person_cost_no_more_than_the_ledger_is_charged_for_them(mechanism, make, rows):
    claimed, cost = worst_cost(mechanism, make, rows, rows[-3:], budget=BUDGET, most=3)
    assert claimed == 3 * BUDGET.epsilon
    assert cost <= claimed
    assert cost > BUDGET.epsilon * Fraction(3, 2)
