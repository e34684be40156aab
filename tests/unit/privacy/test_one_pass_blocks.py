"""One pass over the vertices that chooses blocks costs e, by enumeration of all graphs of five vertices and two blocks.

The decision record that proves it refers to the formula below; the question of the library is enumerated on four vertices.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import exp, isclose, log

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.privacy.questions import PlacementQuestion, in_one_pass
from tacita.testing import SeededSource

ORDER = range(5)
PAIRS = list(combinations(ORDER, 2))


def pair_of(one, other):
    return min(one, other), max(one, other)


def losses(epsilon, expected, *, both_ends):
    """The largest loss between two graphs that differ by an edge, over all graphs, edges and choices of blocks.

    `both_ends` is a second pass, in which a vertex sees its neighbours that are placed after it too.
    """

    def log_probability(edges, blocks):
        total = 0.0
        for vertex in ORDER:
            seen = [other for other in ORDER if other < vertex or (both_ends and other != vertex)]
            scores = [
                sum((pair_of(vertex, other) in edges) - expected(vertex, other) for other in seen if blocks[other] == block)
                for block in (0, 1)
            ]
            total += epsilon * scores[blocks[vertex]] - log(sum(exp(epsilon * score) for score in scores))
        return total

    outputs = list(product((0, 1), repeat=5))
    laws = []
    for number in range(1 << len(PAIRS)):
        edges = {pair for place, pair in enumerate(PAIRS) if number >> place & 1}
        laws.append([log_probability(edges, blocks) for blocks in outputs])
    return max(
        abs(one - other)
        for number in range(len(laws))
        for place in range(len(PAIRS))
        if not number >> place & 1
        for one, other in zip(laws[number], laws[number | 1 << place], strict=True)
    )


@pytest.mark.parametrize("expected", [lambda _, __: 0.0, lambda v, u: 0.05 * (5 - v) * (4 - u)], ids=["no edges", "by degrees"])
def test_one_pass_over_the_vertices_loses_at_most_epsilon(expected):
    assert 0.9 < losses(1.0, expected, both_ends=False) <= 1.0


def test_a_pass_in_which_both_ends_see_an_edge_loses_more():
    assert losses(1.0, lambda _, __: 0.0, both_ends=True) > 1.5


DEGREES = np.array([1, 3, 0, 2])
KEYS = np.array([4 * i + j for i, j in combinations(range(4), 2)], dtype=np.int64)
GRAPHS = [KEYS[[mask >> bit & 1 > 0 for bit in range(6)]] for mask in range(64)]


def placing(epsilon=Fraction(1), **changed):
    asked = {"step": "p", "order": np.array([1, 3, 0, 2]), "degrees": DEGREES, "blocks": 2} | changed
    return PlacementQuestion(epsilon=epsilon, **asked)


@pytest.mark.parametrize("start", [None, np.array([0, 1, 1, 0])], ids=["placed", "adjusted"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_the_question_loses_at_most_epsilon_on_all_graphs_of_four_vertices(epsilon, start):
    question = placing(epsilon, start=start)
    ways = [np.array(way, dtype=np.int64) for way in product((0, 1), repeat=4)]
    laws = np.array([[question.log_probability(way, keys) for way in ways] for keys in GRAPHS])
    assert np.allclose(np.exp(laws).sum(axis=1), 1)
    pairs = [(mask, mask | 1 << bit) for mask in range(64) for bit in range(6) if not mask >> bit & 1]
    worst = max(float(np.abs(laws[one] - laws[other]).max()) for one, other in pairs)
    assert epsilon / 2 < worst <= epsilon
    group = placing(epsilon, group=2, start=start)
    assert abs(group.log_ratio(ways[3], GRAPHS[0], GRAPHS[1])) <= epsilon / 2
    assert group.largest_loss(GRAPHS[0], GRAPHS[3]) == epsilon


def test_the_question_draws_from_its_law():
    question, source, runs = placing(Fraction(3, 2), blocks=3), SeededSource(4), 2000
    (law,) = question.outcomes(GRAPHS[45], span=0).choices
    assert isclose(sum(law.chances), 1, abs_tol=1e-9)
    seen = Counter(tuple(question.draw(GRAPHS[45], source).tolist()) for _ in range(runs))
    expected = {tuple(way.tolist()): runs * chance for way, chance in zip(law.values, law.chances, strict=True)}
    statistic = sum((seen[way] - number) ** 2 / number for way, number in expected.items())
    assert statistic < len(expected) + 6 * (2 * len(expected)) ** 0.5  # seeded, so it never flakes


def test_a_vertex_sees_its_edges_to_those_before_it_and_what_their_degrees_predict():
    seen = []
    in_one_pass(KEYS, np.array([1, 3, 0, 2]), DEGREES, 2, lambda counts, loads: seen.append((counts, loads)) or len(seen) % 2)
    counts, loads = zip(*seen, strict=True)
    assert list(map(list, counts)) == [[0, 0], [0, 1], [1, 1], [1, 2]]
    assert loads[2] == pytest.approx([2 / 6, 3 / 6])


@pytest.mark.parametrize("epsilon", [Fraction(1, 2**40), Fraction(10_000)])
def test_a_pass_is_drawn_at_any_budget(epsilon):
    keys = np.arange(1, 40, dtype=np.int64)  # a star of which all know the centre
    star = PlacementQuestion(step="p", epsilon=epsilon, order=np.arange(40), degrees=np.full(40, 900), blocks=2)
    assert star.covers(star.draw(keys, SeededSource(1)), span=0)


def test_an_order_that_leaves_a_vertex_out_is_refused():
    with pytest.raises(ParameterError, match="in the order once"):
        placing(order=np.array([1, 3, 0, 0]))
    with pytest.raises(ParameterError, match="strictly increase"):
        placing().check(KEYS[::-1])
    with pytest.raises(ParameterError, match="to a later one"):
        placing().check(np.array([4], dtype=np.int64))
    with pytest.raises(ParameterError, match="at the start"):
        placing(start=np.array([0, 2, 0, 0]))
