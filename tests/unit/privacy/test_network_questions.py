"""The ladder, arrangements, and many selections: exact laws, bounded losses, and draws that follow them."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, exp, isclose, log

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.privacy.noise import Bounds, weighted_index
from tacita.privacy.questions import ArrangementQuestion, EveryCount, LadderCount, ManySelections, ShareDifferences, Spread
from tacita.privacy.questions.arrangement import right_places
from tacita.testing import SeededSource

PAIRS = list(combinations(range(5), 2))


def spread_of(mask):
    """Triangles and the largest number of common neighbours of a graph of five vertices."""
    around = [set() for _ in range(5)]
    for place, (u, v) in enumerate(PAIRS):
        if mask >> place & 1:
            around[u].add(v)
            around[v].add(u)
    triangles = sum(b in around[a] and c in around[a] and c in around[b] for a, b, c in combinations(range(5), 3))
    return Spread(count=triangles, spread=max(len(around[u] & around[v]) for u, v in PAIRS))


@pytest.mark.parametrize(("epsilon", "worst"), [(Fraction(1), 0.743), (Fraction(1, 5), 0.817), (Fraction(3), 0.592)])
def test_the_ladder_of_triangles_loses_less_than_epsilon_on_all_graphs_of_five_vertices(epsilon, worst):
    truths = [spread_of(mask) for mask in range(1024)]
    pairs = {(truths[mask], truths[mask | 1 << bit]) for mask in range(1024) for bit in range(10) if not mask >> bit & 1}
    assert all(
        abs(one.spread - two.spread) <= 1 and abs(one.count - two.count) <= min(one.spread, two.spread) for one, two in pairs
    )
    question = LadderCount(step="triangles", epsilon=epsilon, most=3)
    loss = max(abs(question.log_ratio(answer, one, two)) for one, two in pairs for answer in range(-60, 70))
    assert loss <= float(epsilon) * worst


def test_a_ladder_that_counts_the_edge_itself_would_lose_more_than_epsilon():
    question = LadderCount(step="triangles", epsilon=Fraction(1), most=3)
    one, two = Spread(count=0, spread=0), Spread(count=3, spread=0)  # a spread that does not bound the change
    assert max(abs(question.log_ratio(answer, one, two)) for answer in range(-30, 30)) > 1


@pytest.mark.parametrize("truth", [Spread(count=3, spread=0), Spread(count=0, spread=2), Spread(count=9, spread=4)])
def test_the_ladder_draws_from_its_law(truth):
    question, source, runs = LadderCount(step="t", epsilon=Fraction(3, 2), most=4), SeededSource(5), 3000
    chances = {answer: exp(question.log_probability(answer, truth)) for answer in range(-400, 400)}
    assert isclose(sum(chances.values()), 1, abs_tol=1e-9)
    seen = Counter(question.draw(truth, source) for _ in range(runs))
    expected = {answer: runs * chance for answer, chance in chances.items() if runs * chance > 8}
    statistic = sum((seen[answer] - number) ** 2 / number for answer, number in expected.items())
    assert statistic < len(expected) + 6 * (2 * len(expected)) ** 0.5  # seeded, so it never flakes


def test_groups_of_edges_make_the_ladder_wider():
    one, group = (LadderCount(step="t", epsilon=Fraction(1), most=9, group=size) for size in (1, 5))
    assert group.rate == one.rate / 5
    with pytest.raises(ParameterError, match="size of a group"):
        LadderCount(step="t", epsilon=Fraction(1), most=9, group=0)


@pytest.mark.parametrize("sizes", [(12, 4, 5), (12, 10, 9), (40, 12, 15), (7, 0, 3), (7, 7, 3)])
def test_right_places_follow_fishers_noncentral_law(sizes):
    (size, true, ones), epsilon, runs, source = sizes, Fraction(4, 3), 4000, SeededSource(9)
    weights = {
        right: comb(true, right) * comb(size - true, ones - right) * exp(float(epsilon) * right)
        for right in range(max(0, ones - size + true), min(true, ones) + 1)
    }
    total = sum(weights.values())
    seen = Counter(right_places(size, true, ones, epsilon, source) for _ in range(runs))
    assert set(seen) <= set(weights)
    expected = {right: runs * weight / total for right, weight in weights.items() if runs * weight / total > 8}
    statistic = sum((seen[right] - number) ** 2 / number for right, number in expected.items())
    assert statistic < len(expected) + 6 * (2 * len(expected)) ** 0.5


def test_right_places_of_a_large_region_are_drawn_at_once():
    assert 0 <= right_places(2 * 10**8, 180_000, 180_500, Fraction(2, 5), SeededSource(1)) <= 180_000


def test_an_arrangement_loses_at_most_epsilon_and_has_its_number_of_ones():
    question = ArrangementQuestion(step="a", epsilon=Fraction(1), sizes=np.array([4, 3]), ones=np.array([2, 1]))
    worst = 0.0
    for mask in range(16):
        truth = np.array([bit for bit in range(4) if mask >> bit & 1] + [5], dtype=np.int64)
        law = question.outcomes(truth, span=0)
        assert all(isclose(sum(choice.chances), 1, abs_tol=1e-9) for choice in law.choices)
        for bit in range(4):
            if not mask >> bit & 1:
                other = np.sort(np.append(truth, bit))
                for first in law.choices[0].values:
                    worst = max(worst, abs(question.log_ratio(np.append(first, 5), truth, other)))
        drawn = question.draw(truth, SeededSource(mask))
        assert question.covers(drawn, span=0)
    assert 0.5 < worst <= 1
    assert question.covers(question.nothing(), span=0)


def test_choosing_a_group_and_rejecting_inside_it_is_not_private():
    """The arrangement step of the thesis on a diagonal region: one edge is two cells, and the diagonal may hold no one."""
    cells, diagonal, epsilon = 16, 4, 0.5

    def chance(true, ones, right):
        if right > ones:
            return None
        weights = {
            w: comb(true, w) * comb(cells - true, ones - w) * exp(epsilon / 4 * 2 * w)
            for w in range(max(0, ones - cells + true), min(true, ones) + 1)
        }
        valid = comb(true, right) * comb(cells - diagonal - true, ones - right)
        return weights[right] / sum(weights.values()) / valid if right in weights and valid else None

    losses = [
        abs(log(chance(true, ones, right) / chance(true + 2, ones, right + more)))
        for true in range(0, 10, 2)
        for ones in range(1, 10)
        for right in range(true + 1)
        for more in range(3)
        if chance(true, ones, right) and chance(true + 2, ones, right + more)
    ]
    assert max(losses) > 3 * epsilon


def test_many_selections_follow_permute_and_flip_in_each_part():
    scores = ShareDifferences(*(np.array(column) for column in ([3, 1, 1, 2], [4, 4, 2, 2], [0, 0, 0, 1], [4, 4, 2, 2])))
    question = ManySelections(step="s", epsilon=Fraction(2), sensitivity=Fraction(1, 4), sizes=(2, 2))
    law, source, runs = question.outcomes(scores, span=0), SeededSource(3), 3000
    seen = Counter(question.draw(scores, source) for _ in range(runs))
    for part in range(2):
        for index in range(2):
            share = sum(times for answer, times in seen.items() if answer[part] == index) / runs
            assert abs(share - law.choices[part].chances[index]) < 0.04
    assert question.log_ratio((0, 0), scores, scores) == 0


def test_every_count_is_answered_and_none_is_left_out():
    question = EveryCount(step="c", epsilon=Fraction(2), sensitivity=2, cells=3)
    answer = question.draw(np.array([5, 0, 7]), SeededSource(1))
    assert answer.shape == (3,)
    assert question.log_ratio(answer, np.array([5, 0, 7]), np.array([6, 1, 7])) <= 2
    with pytest.raises(ParameterError, match="3 counts"):
        question.check(np.array([1, 2]))


def test_an_index_is_drawn_by_weights_that_are_only_enclosed():
    def thirds(bits):
        return Bounds([(1 << bits) // 3, 2 * (1 << bits) // 3], [(1 << bits) // 3 + 1, 2 * (1 << bits) // 3 + 1])

    source = SeededSource(2)
    assert abs(sum(weighted_index(thirds, source) for _ in range(3000)) / 3000 - 2 / 3) < 0.05


def test_a_ladder_without_rungs_answers_at_once_however_small_epsilon_is():
    """Two vertices have no triangle: nothing can change the count, so nothing is hidden and nothing is drawn."""
    question = LadderCount(step="triangles", epsilon=Fraction(1, 10**6), most=0)
    assert question.draw(Spread(count=0, spread=0), SeededSource(1)) == 0
