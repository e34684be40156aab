"""A graph from noisy answers: degrees that a graph can have, and wiring that keeps what it was given."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.arrays.corners import matched_corners
from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, ShapeNetwork
from tacita.networks.synthesis import triangles
from tacita.networks.synthesis.classes import (
    Chance,
    Classes,
    degree_classes,
    predicted_edges,
    sharpened,
    shrunk_blocks,
    whole_stubs,
)
from tacita.networks.synthesis.degrees import NoisyDegrees, estimated_degrees, excess, falling, made_graphic
from tacita.networks.synthesis.rewiring import Effort, rewired
from tacita.networks.synthesis.triangles import (
    NoisyCorners,
    NoisyTriangles,
    believed_triangles,
    closed_at_small_vertices,
    estimated_triangles,
    triangles_by_corners,
    with_triangles,
)
from tacita.networks.synthesis.wiring import dealt_stubs, wired
from tacita.privacy.budget import PureDP
from tacita.privacy.questions import LadderCount, Spread
from tacita.public.universe import Universe
from tacita.testing import SeededSource, seeded_ledger
from tacita.utility.networks import degree_divergence


def degrees_of_a_graph(size, edges, seed):
    generator = np.random.default_rng(seed)
    weights = 1 / np.sqrt(1 + np.arange(size))
    ends = generator.choice(size, (edges, 2), p=weights / weights.sum())
    keys = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1) @ [size, 1])
    return Graph(size, keys).degrees


def dealt_of(degrees, chance):
    of = degree_classes(degrees)
    sums = np.bincount(of, weights=degrees)
    made = Classes(of=of, stubs=np.outer(sums, sums) / degrees.sum())
    return of, dealt_stubs(degrees, of, whole_stubs(made, degrees, chance), chance)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12))
def test_repaired_degrees_are_graphic_and_graphic_ones_stay(degrees):
    made = made_graphic(np.array(degrees))
    assert made.sum() % 2 == 0
    assert excess(made).max() <= 0
    assert np.all(made <= np.maximum(degrees, 0))
    assert made_graphic(made).tolist() == made.tolist()


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30))
def test_pooled_counts_fall_and_keep_their_sum(counts):
    pooled = falling(np.array(counts))
    assert np.all(np.diff(pooled) <= 1e-9)
    assert abs(pooled.sum() - sum(counts)) < 1e-6


@pytest.mark.parametrize("near", [0.0, 0.6, 1.0])
def test_wiring_keeps_degrees_and_classes_and_makes_a_simple_graph(near):
    degrees, chance = degrees_of_a_graph(600, 2500, 1), Chance(np.arange(3))
    of, dealt = dealt_of(degrees, chance)
    graph = wired(dealt, near=near, chance=chance)
    assert np.all(graph.sources < graph.targets)
    assert np.all(graph.keys[1:] > graph.keys[:-1])
    assert np.abs(graph.degrees - degrees).sum() <= 0.01 * degrees.sum()
    assert of.size == graph.vertices


def test_near_pairs_close_triangles():
    degrees, chance = degrees_of_a_graph(600, 2500, 2), Chance(np.arange(3))
    _, dealt = dealt_of(degrees, chance)
    far, near = (wired(dealt, near=share, chance=chance).triangles() for share in (0.0, 1.0))
    assert near > 1.3 * far


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_rewiring_reaches_its_goal_and_keeps_degrees_and_edges_between_classes(factor):
    degrees, chance = degrees_of_a_graph(600, 2500, 3), Chance(np.arange(3))
    of, dealt = dealt_of(degrees, chance)
    before = wired(dealt, near=0.0, chance=chance)
    goal = round(factor * before.triangles())
    after = rewired(before, of, goal, chance=chance)
    assert abs(after.triangles() - goal) <= 0.02 * goal
    assert after.degrees.tolist() == before.degrees.tolist()
    assert np.all(after.keys[1:] > after.keys[:-1])


def test_large_vertices_give_up_no_more_edges_in_a_round_than_others():
    """Else triangles would gather at them, and small vertices would have none."""
    degrees, chance = degrees_of_a_graph(600, 9000, 6), Chance(np.arange(3))
    _, dealt = dealt_of(degrees, chance)
    before = wired(dealt, near=0.0, chance=chance)
    one_class, goal = np.zeros(600, dtype=np.int64), 10 * before.triangles()
    after = rewired(before, one_class, goal, chance=chance, along_edges=True, effort=Effort(rounds=2))
    gone = np.setdiff1d(before.keys, after.keys)
    lost = np.bincount(np.concatenate([gone // 600, gone % 600]), minlength=600)
    assert 0 < lost[np.argsort(-degrees)[:30]].mean() < lost.mean()


def test_triangles_are_closed_although_communities_make_classes_narrow():
    degrees, chance, inside = degrees_of_a_graph(600, 2000, 5), Chance(np.arange(3)), np.arange(600) % 8
    ranges = degree_classes(degrees)
    names, of = np.unique(inside * 100 + ranges, return_inverse=True)
    sums = np.bincount(of, weights=degrees)
    stubs = np.outer(sums, sums) * np.where(np.equal.outer(names // 100, names // 100), 6.0, 1.0)
    made = Classes(of=of, stubs=stubs * degrees.sum() / stubs.sum())
    dealt = dealt_stubs(degrees, of, whole_stubs(made, degrees, chance), chance, inside=inside)
    question = LadderCount(step="triangles", epsilon=Fraction(20), most=598)
    noisy = NoisyTriangles(number=2756, question=question, spread=10)
    assert abs(with_triangles(dealt, of, noisy, chance=chance).triangles() - 2756) < 0.08 * 2756


def test_a_large_graph_is_near_enough_to_its_goal_where_a_sample_could_not_tell_them_apart():
    small, large = (Graph(size, np.arange(1, size)) for size in (1000, 20_000))  # stars
    wedges = 19_999 * 19_998 // 2
    near_enough = triangles._near_enough
    assert near_enough(small, 10) == near_enough(small, 1000) < near_enough(large, wedges)
    rare = 2**-10  # of a sample of 2**19 wedges, 512 are closed at this goal, give or take 22.6
    assert near_enough(large, round(rare * wedges / 3)) == pytest.approx(2 / 512**0.5, rel=1e-3)


def test_triangles_that_noise_could_explain_are_not_followed():
    degrees, chance = degrees_of_a_graph(300, 600, 4), Chance(np.arange(3))
    of, dealt = dealt_of(degrees, chance)
    plain = estimated_triangles(wired(dealt, near=0.0, chance=Chance(np.arange(3))), chance)
    question = LadderCount(step="triangles", epsilon=Fraction(1, 20), most=298)
    noisy = NoisyTriangles(number=plain + 500, question=question, spread=10)
    assert with_triangles(dealt, of, noisy, chance=chance).triangles() <= plain + 60


def test_a_number_of_triangles_is_followed_by_the_law_of_its_noise_not_by_its_deviation():
    """At an epsilon of 0.03 the deviation of the ladder is 25,000, but most answers are much nearer than that."""
    question = LadderCount(step="triangles", epsilon=Fraction(3, 100), most=5_000)
    noisy = NoisyTriangles(number=50_000, question=question, spread=47)
    assert noisy.number < 2 * question.deviation(noisy.spread)
    found = believed_triangles(noisy, by_chance=600, most=60_000)
    assert found is not None
    assert abs(found - 50_000) < 10_000
    assert believed_triangles(replace(noisy, number=5_000), by_chance=600, most=60_000) is None
    assert believed_triangles(replace(noisy, number=-30_000), by_chance=600, most=60_000) is None


def test_few_triangles_are_found_by_their_corners():
    """A ladder over 404 of them has a deviation of 1,000."""
    degrees, chance = degrees_of_a_graph(3000, 4200, 4), Chance(np.arange(3))
    of, dealt = dealt_of(degrees, chance)
    plain = wired(dealt, near=0.0, chance=chance)
    by_chance = plain.triangles()
    raw = rewired(plain, of, by_chance + 400, chance=chance)
    noisy = NoisyCorners(number=matched_corners(raw), rate=0.02)
    goal = triangles_by_corners(plain, of, noisy, by_chance=by_chance, chance=chance)
    assert abs(goal - raw.triangles()) < 60
    question = LadderCount(step="triangles", epsilon=Fraction(3, 20), most=2998)
    answer = NoisyTriangles(number=raw.triangles() + 300, question=question, spread=10)
    assert with_triangles(dealt, of, answer, chance=chance).triangles() <= by_chance + 60
    found = with_triangles(dealt, of, replace(answer, corners=noisy), chance=chance).triangles()
    assert abs(found - raw.triangles()) < 100


def test_corners_that_noise_could_explain_are_not_followed_and_none_are_made_where_there_are_none():
    degrees, chance = degrees_of_a_graph(3000, 9000, 4), Chance(np.arange(3))
    of, dealt = dealt_of(degrees, chance)
    plain = wired(dealt, near=0.0, chance=chance)
    by_chance, corners = plain.triangles(), matched_corners(plain)
    near = NoisyCorners(number=corners + 100, rate=0.04)
    assert triangles_by_corners(plain, of, near, by_chance=by_chance, chance=chance) is None
    question = LadderCount(step="triangles", epsilon=Fraction(3, 20), most=2998)
    none = NoisyTriangles(number=40, question=question, spread=10, corners=NoisyCorners(number=30, rate=0.04))
    assert with_triangles(dealt, of, none, chance=chance).triangles() <= 0.05 * by_chance


@given(st.integers(-10_000, 60_000), st.integers(0, 2_000), st.integers(0, 9_000), st.integers(0, 60))
def test_what_is_believed_lies_within_what_degrees_allow(number, by_chance, most, spread):
    question = LadderCount(step="triangles", epsilon=Fraction(1, 2), most=60)
    found = believed_triangles(NoisyTriangles(number=number, question=question, spread=spread), by_chance=by_chance, most=most)
    assert found is None or 0 <= found <= max(most, by_chance)


def test_noise_between_classes_does_not_decide_who_meets_whom():
    """In a network whose classes have a few edges, noisy numbers are drawn to what degrees predict; large ones are kept."""
    degrees = np.repeat([1, 4], [200, 50])
    ranges, noise = degree_classes(degrees), np.array([[60.0, -40.0], [0.0, 50.0]])
    few, many = predicted_edges(np.array([200.0, 200.0])), 100 * predicted_edges(np.array([200.0, 200.0]))
    drawn = sharpened(few + noise, degrees, ranges, rate=50.0, variance=2000.0, chance=Chance(np.arange(2)))
    assert np.abs(drawn - few).max() < 0.5 * np.abs(noise).max()
    kept = sharpened(many + noise, 100 * degrees, ranges, rate=50.0, variance=20.0, chance=Chance(np.arange(2)))
    assert np.abs(kept - many - noise).max() < 5


def test_exact_answers_give_the_degrees_back():
    degrees = degrees_of_a_graph(2000, 9000, 5)
    at_least = np.cumsum(np.bincount(degrees, minlength=2000)[::-1])[::-1][1:]
    noisy = NoisyDegrees(
        edges=int(degrees.sum()) // 2,
        edges_rate=20.0,
        at_least=at_least,
        at_least_rate=20.0,
        degrees=degrees,
        degrees_rate=20.0,
    )
    found = estimated_degrees(noisy)
    assert np.mean(found.whole == degrees) > 0.95
    assert np.abs(found.means - degrees).max() < 1
    assert found.errors.max() < 1


@settings(max_examples=20)
@given(st.integers(0, 2**31), st.sampled_from([0.02, 0.1, 0.5]))
def test_degrees_from_noise_add_up_to_the_noisy_number_of_edges(seed, rate):
    generator = np.random.default_rng(seed)
    degrees = degrees_of_a_graph(400, 1500, seed)
    noise = [(generator.geometric(1 - np.exp(-rate), 400) - generator.geometric(1 - np.exp(-rate), 400)) for _ in range(2)]
    at_least = np.cumsum(np.bincount(degrees, minlength=400)[::-1])[::-1][1:] + noise[0][1:]
    noisy = NoisyDegrees(
        edges=int(degrees.sum()) // 2,
        edges_rate=5.0,
        at_least=at_least,
        at_least_rate=rate,
        degrees=degrees + noise[1],
        degrees_rate=rate,
    )
    found = estimated_degrees(noisy).whole
    assert found.sum() % 2 == 0
    assert abs(found.sum() - degrees.sum()) <= 0.1 * degrees.sum() + 20
    assert found.min() >= 0


def noisy_degrees(degrees, seed, *, larger=1):
    """The answers to `shape` at about epsilon 1, or at a larger one."""
    generator = np.random.default_rng(seed)
    rates = {name: larger * rate for name, rate in (("edges", 0.02), ("at_least", 0.03), ("degrees", 0.385))}
    at_least = np.cumsum(np.bincount(degrees, minlength=degrees.size)[::-1])[::-1][1:]
    truth = {"edges": np.array([degrees.sum() // 2]), "at_least": at_least, "degrees": degrees}
    noisy = {name: value + generator.laplace(0, 1 / rates[name], value.size).astype(np.int64) for name, value in truth.items()}
    return NoisyDegrees(**{**noisy, "edges": int(noisy["edges"][0])}, **{f"{name}_rate": rate for name, rate in rates.items()})


def test_behind_a_cliff_the_distribution_does_not_go_on_as_before():
    degrees = np.concatenate([np.full(2900, 2), np.random.default_rng(1).integers(60, 120, 100)])
    found = estimated_degrees(noisy_degrees(degrees, 2)).whole
    assert np.mean(found == 2) > 0.9
    assert np.sort(found)[-100:].mean() == pytest.approx(degrees[-100:].mean(), rel=0.05)


def test_where_counts_are_level_and_then_fall_they_are_not_spread_out_in_between():
    """A dense network at a large epsilon: no vertex has a few neighbours only."""
    degrees = np.random.default_rng(1).binomial(200, 0.3, 200)
    found = estimated_degrees(noisy_degrees(degrees, 3, larger=20)).whole
    assert found.min() > 0.7 * degrees.min()
    assert degree_divergence(degrees, found) < 0.6


def test_a_light_tail_is_not_taken_for_a_power_law():
    """Most vertices have no edge, and the others a few: no hubs come out of noise."""
    degrees = np.concatenate([np.zeros(2700, dtype=np.int64), np.random.default_rng(1).poisson(6, 300)])
    found = [estimated_degrees(noisy_degrees(degrees, seed)).whole.max() for seed in range(6)]
    assert np.median(found) < 3 * degrees.max()


def test_a_network_too_small_for_counts_has_degrees_as_wide_as_the_noisy_ones_say():
    degrees = np.random.default_rng(1).binomial(80, 0.1, 80)
    spreads = [estimated_degrees(noisy_degrees(degrees, seed)).whole for seed in range(20)]
    assert np.mean([found.std() for found in spreads]) == pytest.approx(degrees.std(), rel=0.3)
    assert max(found.max() for found in spreads) < 3 * degrees.max()


def test_where_everybody_has_a_neighbour_a_small_budget_does_not_leave_a_third_alone():
    """Most have one neighbour and some very many, and a tenth of epsilon is left: the noise hides nearly all else."""
    degrees = 1 + np.random.default_rng(1).negative_binomial(0.25, 0.25 / 27, 7000)
    for seed in range(6):
        found = estimated_degrees(noisy_degrees(degrees, seed, larger=0.1)).whole
        assert np.mean(found == 0) < 0.1
        assert np.mean(found == 1) == pytest.approx(np.mean(degrees == 1), abs=0.1)


def test_a_random_graph_of_which_noise_hides_all_but_the_edges_stays_one():
    degrees = np.random.default_rng(1).binomial(200, 0.3, 200)
    found = [estimated_degrees(noisy_degrees(degrees, seed, larger=0.1)).whole.std() for seed in range(20)]
    assert np.quantile(found, 0.9) < 1.5 * degrees.std()


def test_degrees_that_vary_no_more_than_their_noise_have_tails_on_both_sides():
    degrees = np.random.default_rng(1).binomial(200, 0.3, 200)
    found = [degree_divergence(degrees, estimated_degrees(noisy_degrees(degrees, seed, larger=0.4)).whole) for seed in range(8)]
    assert np.mean(found) < 0.3


def test_labels_that_say_nothing_switch_themselves_off():
    expected = np.triu(np.full((4, 4), 100.0))
    assert shrunk_blocks(expected + np.triu(np.random.default_rng(1).normal(0, 5, (4, 4))), expected, variance=25.0) is None
    told = expected + np.diag([200.0] * 4)
    assert shrunk_blocks(told, expected, variance=25.0) is not None


def test_sharpening_restores_what_noise_has_blurred():
    degrees = np.repeat([2, 12], [500, 100])
    ranges = degree_classes(degrees)
    blurred = np.array([[400.0, 250.0], [0.0, 450.0]])
    sharp = sharpened(blurred, degrees, ranges, rate=0.3, variance=2.0, chance=Chance(np.arange(2)))
    assert sharp[0, 1] < blurred[0, 1]  # fewer edges between the classes than it seems


def test_choices_are_a_function_of_the_answers():
    first, second = Chance(np.arange(5)), Chance(np.arange(5))
    assert first.words(9).tolist() == second.words(9).tolist()
    assert Chance(np.arange(1, 6)).words(9).tolist() != Chance(np.arange(5)).words(9).tolist()
    assert len(list(combinations(first.order(6).tolist(), 2))) == 15


def test_the_ladder_knows_its_deviation():
    """600 draws of a fixed seed; a deviation that is off by a third, or by the factor of a short tail, is noticed."""
    question = LadderCount(step="triangles", epsilon=Fraction(1, 10), most=10_000)
    source = SeededSource(3)
    drawn = np.array([question.draw(Spread(count=0, spread=30), source) for _ in range(600)])
    assert abs(drawn.std() - question.deviation(30)) < 0.25 * drawn.std()
    narrow = LadderCount(step="triangles", epsilon=Fraction(1, 100), most=3)
    assert narrow.deviation(3) < 3 * 200 * 1.5


def cliques(number, size):
    """Vertices in cliques, each of which knows two members of the next one."""
    rows, columns = np.triu_indices(size, 1)
    base = np.arange(number)[:, np.newaxis] * size
    first = np.concatenate([(base + rows).ravel(), base.ravel()])
    second = np.concatenate([(base + columns).ravel(), ((base + size + 1) % (number * size)).ravel()])
    return Graph(number * size, np.unique(np.minimum(first, second) * number * size + np.maximum(first, second)))


def test_small_vertices_close_as_many_triangles_as_larger_ones_lead_to_expect():
    base = cliques(150, 6)
    pendants = 300
    size = base.vertices + pendants
    generator = np.random.default_rng(1)
    new = np.repeat(np.arange(base.vertices, size), 2)
    old = generator.integers(0, base.vertices, new.size)
    graph = Graph(size, np.unique(np.concatenate([base.sources * size + base.targets, old * size + new])))
    one = np.zeros(size, dtype=np.int64)
    after = closed_at_small_vertices(graph, one, by_chance=0.0, chance=Chance(np.arange(3)))
    shares = []
    for made in (graph, after):
        small = made.degrees == 2
        shares.append(made.triangles_at()[small].mean())
    assert shares[0] < 0.05
    assert shares[1] > 0.3
    assert after.degrees.tolist() == graph.degrees.tolist()
    assert np.all(after.keys[1:] > after.keys[:-1])


def test_where_degrees_explain_the_triangles_small_vertices_get_no_more_of_them():
    degrees, chance = degrees_of_a_graph(600, 2500, 3), Chance(np.arange(3))
    _, dealt = dealt_of(degrees, chance)
    graph = wired(dealt, near=0.0, chance=chance)
    after = closed_at_small_vertices(graph, np.zeros(600, dtype=np.int64), by_chance=1.0, chance=chance)
    assert after.triangles() <= 1.15 * graph.triangles()


def test_roads_and_networks_without_triangles_come_out_as_without_the_triangle_step():
    """What the ladder's noise explains is not followed, so nothing is gained or lost; three draws that noise explains well."""
    grid = np.arange(900).reshape(30, 30)
    first = np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()])
    second = np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()])
    universe = Universe([str(number) for number in range(900)])
    halves = np.random.default_rng(2).integers(0, 450, (2, 2500))
    for ends in ((first, second), (halves[0], halves[1] + 450)):
        records = NetworkRecords.from_codes(*ends, universe=universe)
        for seed in (1, 4, 5):
            made, without = (
                ShapeNetwork(triangles=triangles).publish(records, budget=PureDP(1), ledger=seeded_ledger(seed)).data.graph
                for triangles in (True, False)
            )
            assert made.triangles() <= without.triangles() + 100
            errors = [degree_divergence(records.graph.degrees, graph.degrees) for graph in (made, without)]
            assert errors[0] < 1.25 * errors[1] + 0.2  # a share of epsilon was spent on triangles


@pytest.mark.parametrize(("spread", "assumed", "by_chance", "most"), [(2, 4, 5, 1600), (4, 8, 25, 3500), (2, 3, 5, 6000)])
def test_noise_alone_is_followed_in_one_network_of_twenty_at_most(spread, assumed, by_chance, most):
    """At epsilon 1, on roads and between two halves, which have no triangle; 150 draws of a fixed seed."""
    question, source = LadderCount(step="triangles", epsilon=Fraction(15, 100), most=900), SeededSource(8)
    drawn = [question.draw(Spread(count=0, spread=spread), source) for _ in range(150)]
    noisy = [NoisyTriangles(number=number, question=question, spread=assumed) for number in drawn]
    followed = [believed_triangles(each, by_chance=by_chance, most=most) for each in noisy]
    assert sum(goal is not None and goal > by_chance for goal in followed) <= 0.05 * 150
