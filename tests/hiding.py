"""Small problems of hiding patterns, and an oracle that goes through all tuples of places one by one."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from tacita.personal.patterns import CostKind, SensitivePatterns, cost_rows
from tacita.personal.problem import Problem
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe

SHOP = Taxonomy.from_edges(
    [
        ("Wine", "Alcohol"),
        ("Beer", "Alcohol"),
        ("Cookies", "Snack"),
        ("Chips", "Snack"),
        ("Milk", "Dairy"),
        ("Cheese", "Dairy"),
        ("Alcohol", "All"),
        ("Snack", "All"),
        ("Dairy", "All"),
    ]
)
"""Figure 2 of the paper."""

UNEVEN = Taxonomy.from_edges(
    [("a", "X"), ("b", "X"), ("c", "Y"), ("d", "Y"), ("f", "Z"), ("X", "R"), ("Y", "R"), ("e", "R"), ("Z", "W"), ("W", "R")],
    universe=Universe("abcdef"),
)
"""Leaves at three depths, and a chain of nodes with one child."""

NINE = Taxonomy.balanced(Universe("abcdefghi"), fan_out=3)


def problem_of(sequence, patterns, *, taxonomy=UNEVEN, window=3, cost=CostKind.LINEAR, weights=None):
    codes = tuple(tuple(pattern) for pattern in patterns)
    hidden = SensitivePatterns(codes=codes, window=window, universe=taxonomy.universe)
    return Problem(
        np.asarray(sequence, dtype=np.int64), patterns=hidden, taxonomy=taxonomy, costs=cost_rows(taxonomy, cost), weights=weights
    )


@st.composite
def problems(draw, *, taxonomy=UNEVEN, longest=30, cost=None):
    few = draw(st.permutations(range(len(taxonomy.universe))))[: draw(st.integers(2, len(taxonomy.universe)))]
    symbols = st.sampled_from(few)
    sequence = draw(st.lists(symbols, min_size=2, max_size=longest))
    window = draw(st.integers(2, 5))
    patterns = draw(st.sets(st.lists(symbols, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4))
    kind = draw(st.sampled_from(list(CostKind))) if cost is None else cost
    return problem_of(sequence, sorted(patterns), taxonomy=taxonomy, window=window, cost=kind)


def tuples_of_places(size, length, window):
    return (places for places in combinations(range(size), length) if places[-1] - places[0] <= window)


def oracle(problem, nodes):
    """Beliefs by form and information by length, from all tuples one by one."""
    window, sensitive = problem.occurrences.window, set(problem.patterns)
    beliefs = Counter()
    shown_starts, held_starts, all_shown, all_held, information = {}, {}, set(), set(), {}
    for length in problem.by_length:
        shown, held = Counter(), Counter()
        for places in tuples_of_places(problem.sequence.size, length, window):
            string = tuple(int(nodes[place]) for place in places)
            truth = tuple(int(problem.sequence[place]) for place in places)
            shown[string] += 1
            shown_starts.setdefault(string, set()).add(places[0])
            if truth in sensitive:
                held[truth, string] += 1
                held_starts.setdefault((truth, string), set()).add(places[0])
                all_held.add(places[0])
        strings = {string for _, string in held}
        for string in strings:
            together = sum(number for (_, other), number in held.items() if other == string)
            beliefs["tuples-any"] = max(beliefs["tuples-any"], Fraction(together, shown[string]))
            all_shown |= shown_starts[string]
        for (_, string), number in held.items():
            beliefs["tuples-single"] = max(beliefs["tuples-single"], Fraction(number, shown[string]))
        information[length] = _mutual(shown, held)
    for (_, string), places in held_starts.items():
        beliefs["starts-single"] = max(beliefs["starts-single"], Fraction(len(places), len(shown_starts[string])))
    if all_shown:
        beliefs["starts-any"] = Fraction(len(all_held), len(all_shown))
    return beliefs, information


def _mutual(shown, held):
    joint, total = Counter(held), sum(shown.values())
    for string, number in shown.items():
        joint[None, string] = number - sum(count for (_, other), count in held.items() if other == string)
    truths = Counter()
    for (truth, _), number in joint.items():
        truths[truth] += number
    return sum(
        number / total * math.log(number * total / (truths[truth] * shown[string]))
        for (truth, string), number in joint.items()
        if number
    )
