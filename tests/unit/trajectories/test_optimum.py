"""Packing against the optimum of an integer program, on small instances."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

from tacita.arrays.ragged import Ragged
from tacita.trajectories import PairColumns, Requirement, pack, suppress_greedily

HOW_MUCH_WORSE = 1.2


class Program:
    """Variables that are 0 or 1, and linear constraints on them."""

    def __init__(self):
        self.names = {}
        self.rows, self.least, self.most = [], [], []

    def variable(self, name):
        return self.names.setdefault(name, len(self.names))

    def add(self, terms, least, most):
        self.rows.append(terms)
        self.least.append(least)
        self.most.append(most)

    def largest(self, wanted):
        cells = [(place, column, factor) for place, row in enumerate(self.rows) for column, factor in row]
        places, columns, factors = zip(*cells, strict=True)
        matrix = coo_matrix((factors, (places, columns)), shape=(len(self.rows), len(self.names))).tocsr()
        worth = np.zeros(len(self.names))
        worth[[self.names[name] for name in wanted]] = -1
        found = milp(
            worth,
            constraints=LinearConstraint(matrix, self.least, self.most),
            integrality=np.ones(len(self.names)),
            bounds=Bounds(0, 1),
            options={"time_limit": 30},
        )
        return -found.mip_dual_bound


def most_instances(rows, crowd, known):
    """How many instances can be kept at most: a set is kept by nobody or by a crowd."""
    program, having = Program(), {}
    for number, row in enumerate(rows):
        for size in range(1, known + 1):
            for some in combinations(sorted(row), size):
                having.setdefault(some, []).append(number)
    wanted = [(number, pair) for number, row in enumerate(rows) for pair in row]
    for name in wanted:
        program.variable(name)
    for some, numbers in having.items():
        if len(numbers) < crowd:
            for number in numbers:
                program.add([(program.variable((number, pair)), 1) for pair in some], 0, len(some) - 1)
        else:
            by_a_crowd_or_nobody(program, some, numbers, crowd)
    return program.largest(wanted)


def by_a_crowd_or_nobody(program, some, numbers, crowd):
    kept = program.variable(("kept", some))
    whole = []
    for number in numbers:
        parts = [program.variable((number, pair)) for pair in some]
        both = parts[0] if len(some) == 1 else program.variable((number, some))
        if len(some) > 1:
            program.add([(both, -1), *((part, 1) for part in parts)], -np.inf, len(some) - 1)
            for part in parts:
                program.add([(both, 1), (part, -1)], -np.inf, 0)
        program.add([(both, 1), (kept, -1)], -np.inf, 0)
        whole.append(both)
    program.add([*((each, 1) for each in whole), (kept, -crowd)], 0, np.inf)


def random_rows(generator, *, number, places, hours):
    popular = 1 / np.arange(1, places + 1)
    rows = []
    for _ in range(number):
        here = int(generator.choice(places, p=popular / popular.sum()))
        row = set()
        for hour in np.flatnonzero(generator.random(hours) < 0.7).tolist():
            row.add(hour * places + here)
            here = int(generator.integers(places)) if generator.random() < 0.5 else here
        rows.append(frozenset(row or {here}))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(("number", "crowd", "known"), [(60, 3, 2), (60, 3, 3), (100, 5, 2), (100, 4, 2)])
def test_packing_loses_little_more_than_the_optimum(number, crowd, known):
    generator = np.random.default_rng(number + crowd + known)
    lost, least, greedy = 0, 0.0, 0
    for _ in range(4):
        rows = random_rows(generator, number=number, places=4, hours=4)
        columns = PairColumns.of(Ragged.from_lists([sorted(row) for row in rows]))
        requirement = Requirement(crowd=crowd, known_pairs=known)
        lost += int(np.count_nonzero(~pack(columns, requirement)))
        greedy += int(np.count_nonzero(~suppress_greedily(columns, requirement)))
        least += columns.pairs.size - most_instances(rows, crowd, known)
    assert lost <= HOW_MUCH_WORSE * least
    assert lost <= greedy
