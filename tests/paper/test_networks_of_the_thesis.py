"""Chapter 7 of Chen's thesis: what it says of small examples, and what is wrong with it."""

from itertools import combinations, pairwise
from math import comb, exp, isclose, log

import numpy as np
import pytest

from tacita.arrays.graphs import Graph, edge_keys
from tacita.networks import DenseRegions, NetworkRecords
from tacita.networks.dense_regions.exploration import Regions, Schedule, quarters
from tacita.privacy.budget import Parallel, PureDP, Sequential
from tacita.privacy.guarantee import EdgeGroup
from tacita.public.universe import Universe
from tacita.utility.networks import communities
from tacita_papers import RandomNetwork


def arrangement_law(size, true, ones, epsilon):
    """How likely one arrangement with w ones in the right place is, for each w."""
    rights = range(max(0, ones - size + true), min(true, ones) + 1)
    total = sum(comb(true, w) * comb(size - true, ones - w) * exp(epsilon * w) for w in rights)
    return {w: exp(epsilon * w) / total for w in rights}


def clipped_count_law(true, size, epsilon):
    """The law of a noisy count that is clipped to what the region can hold."""
    ratio = exp(-epsilon)
    law = dict.fromkeys(range(size + 1), 0.0)
    for noise in range(-200, 201):
        law[min(max(true + noise, 0), size)] += (1 - ratio) / (1 + ratio) * ratio ** abs(noise)
    return law


def region_law(bits, size, for_count, for_arrangement):
    """The law of a reconstructed region of a few cells, as masks."""
    true = bits.bit_count()
    counts = clipped_count_law(true, size, for_count)
    law = {}
    for mask in range(1 << size):
        ones = mask.bit_count()
        law[mask] = counts[ones] * arrangement_law(size, true, ones, for_arrangement)[(mask & bits).bit_count()]
    return law


def worst_ratio(laws, cells):
    return max(
        abs(log(laws[bits][mask] / laws[bits | 1 << cell][mask]))
        for bits in laws
        for cell in range(cells)
        if not bits >> cell & 1
        for mask in laws[bits]
    )


def test_two_mirrored_copies_of_a_block_lose_more_than_they_claim_and_one_copy_does_not():
    for_count, for_arrangement = 0.9, 0.1
    one = {bits: region_law(bits, 4, for_count, for_arrangement) for bits in range(16)}
    assert all(isclose(sum(law.values()), 1, abs_tol=1e-9) for law in one.values())
    assert worst_ratio(one, 4) <= 1
    mirrored = {}
    for bits, law in one.items():
        published = dict.fromkeys(range(16), 0.0)
        for first, chance in law.items():
            for second, other in law.items():
                differing = [1 << cell for cell in range(4) if (first ^ second) >> cell & 1]
                for size in range(len(differing) + 1):  # each cell in which both differ is an edge with probability 1/2
                    for chosen in combinations(differing, size):
                        published[(first & second) | sum(chosen)] += chance * other / 2 ** len(differing)
        mirrored[bits] = published
    assert worst_ratio(mirrored, 4) > 1.3  # claimed: 1


def test_all_graphs_of_four_vertices_are_within_epsilon_of_their_neighbours_where_nothing_is_split():
    laws = {bits: region_law(bits, 6, 0.5, 0.5) for bits in range(64)}
    assert worst_ratio(laws, 6) <= 1


def test_the_degree_frequencies_and_the_cut_of_the_sample_graph():
    """What is stated of Figure 7.2, on a graph that has it: the picture itself is not in the text."""
    edges = [(0, 5), (0, 6), (0, 7), (1, 5), (1, 6), (1, 7), (2, 3), (3, 4), (5, 3), (2, 6)]
    ends = np.array(edges)
    graph = Graph(8, edge_keys(ends[:, 0], ends[:, 1], vertices=8))
    inside = np.isin(graph.sources, [0, 1]) & np.isin(graph.targets, [5, 6, 7])
    assert int(inside.sum()) == 6
    assert (np.bincount(graph.degrees, minlength=8) / 8).tolist() == [0, 0.125, 0.25, 0.625, 0, 0, 0, 0]


def test_the_example_of_a_tree_of_regions_has_seven_leaves_and_every_cell_in_one():
    """Example 7.4.1: four regions of which one is split again, on the upper triangle."""
    whole = Regions.whole(8)
    first = quarters(whole, np.array([2]), np.array([4]))
    sizes = [int(part.cells[0]) for part in first]
    assert sum(sizes) == 28
    again = quarters(first[3], np.array([5]), np.array([6]))
    assert sum(int(part.cells[0]) for part in again) == sizes[3]


def test_the_height_formula_is_monotone():
    """Theorem 7.5."""
    values = [2 ** (1 / 3) * 4**height - 2 ** (5 * height / 3) for height in np.linspace(0, 12, 200)]
    assert all(later > earlier for earlier, later in pairwise(values))


@pytest.mark.parametrize("vertices", [5, 40, 400, 20_000])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "6"])
def test_no_path_spends_more_than_epsilon_and_arrangements_have_what_is_left(vertices, epsilon):
    """Theorem 7.4 and the early leaves of section 7.4.1, in fractions."""
    schedule = DenseRegions().schedule(PureDP(epsilon), vertices)
    assert schedule.plan().epsilon == schedule.epsilon
    for level in range(1, schedule.height + 1):
        counts = sum(schedule.count_share(each) for each in range(1, level + 1))
        assert counts <= schedule.epsilon * schedule.counts
        assert schedule.arrangement_share(level) >= schedule.epsilon * (1 - schedule.counts - schedule.splits)


def test_counts_joined_by_their_variances_are_better_than_the_weights_of_the_theorem():
    """Theorem 7.6 and its correction."""
    height, level = 5, 1
    unit = (2 ** (1 / 3) - 1) / (2 ** ((height + 1) / 3) - 1)
    first, second = 2 ** (level / 3) * unit, (2 ** (height / 3) + 1) * unit
    gamma = 2 ** ((height - level) / 3)
    weight = (gamma * second) ** 2 / (first**2 + (gamma * second) ** 2)
    theirs = (1 - weight) ** 2 * 2 / first**2 + weight**2 * 2 / second**2
    ours = 2 / (first**2 + second**2)
    assert ours < theirs < 2 / second**2


def test_the_number_of_possible_scores_is_one_more_than_the_theorem_says():
    """Theorems 7.8 and 7.9: scores and sizes of groups by enumeration, for all regions of up to 8 cells."""
    for size in range(1, 9):
        for true in range(size + 1):
            for ones in range(size + 1):
                bits = (1 << true) - 1
                groups = {}
                for mask in range(1 << size):
                    if mask.bit_count() == ones:
                        score = size - (mask ^ bits).bit_count()
                        groups[score] = groups.get(score, 0) + 1
                low = max(ones + true - size, size - true - ones)
                high = min(size + true - ones, size + ones - true)
                assert (min(groups), max(groups)) == (low, high)
                assert len(groups) == (high - low) // 2 + 1
                for score, number in groups.items():
                    right = (score + true + ones - size) // 2
                    assert number == comb(true, right) * comb(size - true, ones - right)


def test_the_expected_score_lies_between_the_bounds_of_the_theorem():
    """Theorem 7.10: no arrangement agrees in fewer cells than the lower bound of Theorem 7.8, nor in more than the upper."""
    for true in range(5):
        for ones in range(5):
            law = arrangement_law(4, true, ones, 1.0)
            scores = [4 - true - ones + 2 * right for right in law]
            assert min(scores) == max(ones + true - 4, 4 - true - ones)


def test_releases_add_up_and_disjoint_parts_count_once():
    """Theorems 7.13 and 7.14."""
    parts = tuple(RandomNetwork().plan(PureDP(epsilon)) for epsilon in ("0.5", "1.5"))
    assert Sequential(name="both", parts=parts).epsilon == 2
    assert Parallel(name="either", parts=parts).epsilon == parts[1].epsilon


FAMILY = Universe(["Bob", "Clinic", *(f"relative {number}" for number in range(1, 10))])


def family(infected):
    """Bob and nine relatives; an edge to the clinic is an infection, and they come together."""
    edges = [(person, "Clinic") for person in FAMILY.labels if person != "Clinic"] if infected else []
    return NetworkRecords.from_labels(edges, universe=FAMILY)


def test_bobs_family_is_protected_as_one_if_ten_edges_are_correlated():
    """Example 7.3.1: an answer of 12 makes the infection of all ten e^10 times as likely if edges are protected one by one."""
    records = {infected: family(infected) for infected in (False, True)}
    assert len(records[True].graph) - len(records[False].graph) == 10
    for correlated, factor in ((1, exp(10)), (10, exp(1))):
        method = RandomNetwork(correlated_edges=correlated)
        rate = float(method.plan(PureDP(1)).epsilon) / correlated
        odds = exp(rate * (abs(12 - 0) - abs(12 - 10)))
        assert isclose(odds, factor)
        release = method.publish(records[True], budget=PureDP(1))
        assert release.guarantee.neighbours == EdgeGroup(edges=correlated)
    assert "any group of up to 10 edges" in release.guarantee.statement()


def test_what_holds_for_k_edges_holds_for_fewer_and_not_for_more():
    """Theorem 7.2."""
    records, method = family(infected=True), RandomNetwork(correlated_edges=5)
    method.publish(records, budget=PureDP(1), neighbours=EdgeGroup(edges=3))
    with pytest.raises(Exception, match="not of 6"):
        method.publish(records, budget=PureDP(1), neighbours=EdgeGroup(edges=6))


def test_a_common_friend_shows_the_subgraph_in_an_isomorphic_release():
    """Example 7.1.1: in a graph of three equal parts, a common friend puts Bob and Ann into one part, where they are joined."""
    triangles = np.array([(0, 3), (3, 6), (0, 6), (1, 4), (4, 7), (1, 7), (2, 5), (5, 8), (2, 8)])
    graph = Graph(9, edge_keys(triangles[:, 0], triangles[:, 1], vertices=9))
    parts = communities(graph)
    together = [(bob, ann) for bob in (0, 1, 2) for ann in (3, 4, 5) if parts[bob] == parts[ann]]
    assert len(together) == 3
    assert all(graph.edges.contains(np.array([bob * 9 + ann]))[0] for bob, ann in together)


def test_the_height_grows_with_the_matrix_and_the_budget():
    heights = [
        Schedule(
            epsilon=PureDP(1).epsilon,
            counts=DenseRegions().schedule(PureDP(1), 9).counts,
            splits=PureDP("0.1").epsilon,
            cells=cells,
            correlated_edges=1,
        ).height
        for cells in (10, 10**4, 10**8)
    ]
    assert heights == sorted(heights)
    assert heights[0] == 0 < heights[-1]
