"""One pass over the vertices that chooses blocks costs e, by enumeration of all graphs of five vertices and two blocks.

Nothing in the library asks this yet; the decision record that proves it refers to this test.
"""

from itertools import combinations, product
from math import exp, log

import pytest

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
