"""The model behind marginals: bins that cover a column, codes that stand out, a tree of cliques, and rows dealt evenly."""

from itertools import combinations, pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.public.taxonomy import Taxonomy
from tacita.tables.synthesis.columns import (
    Leaf,
    cut_leaf,
    equal_parts,
    groups_of,
    joined_leaves,
    levels_of,
    merged,
    single_places,
    split_further,
    widths_of,
)
from tacita.tables.synthesis.estimates import Measured, freedom, single_counts, targets_of
from tacita.tables.synthesis.junction import Junction, cells_needed, cliques_of
from tacita.tables.synthesis.views import Marginal, Views, grouped, views_of_nodes, views_of_order
from tacita.testing import public_generator


def counted(columns, chosen, sizes):
    keys = np.zeros(columns[0].size, dtype=np.int64)
    for column in chosen:
        keys = keys * sizes[column] + columns[column]
    shape = [sizes[column] for column in chosen]
    return np.bincount(keys, minlength=prod(shape)).reshape(shape).astype(np.float64)


def chain(rows, sizes, seed=0):
    """Rows in which every column follows the one before."""
    generator = public_generator(seed)
    columns = [generator.choice(sizes[0], rows, p=generator.dirichlet(np.ones(sizes[0])))]
    for size in sizes[1:]:
        follows = generator.random(rows) < 0.7
        columns.append(np.where(follows, columns[-1] % size, generator.integers(0, size, rows)))
    return columns


@given(st.data())
@settings(max_examples=150)
def test_cliques_hold_every_set_and_neighbours_in_the_tree_share_what_they_have_in_common(data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=7))
    sets = [pair for pair in combinations(range(len(sizes)), 2) if data.draw(st.booleans())]
    cliques = cliques_of(sets, sizes)
    assert {column for clique in cliques for column in clique} == set(range(len(sizes)))
    assert all(any({*chosen} <= {*clique} for clique in cliques) for chosen in sets)
    assert not any({*one} < {*other} for one in cliques for other in cliques)
    assert cells_needed(sets, sizes) == sum(prod(sizes[column] for column in clique) for clique in cliques)
    tree = Junction([np.ones(size) for size in sizes], {chosen: np.ones([sizes[c] for c in chosen]) for chosen in sets})
    for column in range(len(sizes)):
        inside = [place for place, clique in enumerate(tree.cliques) if column in clique]
        links = [link for link in tree._links if column in link[2]]
        assert len(links) == len(inside) - 1, "the cliques of a column are connected"


def test_a_tree_fitted_to_exact_pairs_has_them_and_deals_rows_that_have_them_up_to_rounding():
    sizes, rows = [3, 4, 2, 5, 3], 5000
    columns = chain(rows, sizes)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    targets = {pair: counted(columns, pair, sizes) for pair in pairs}
    model = Junction([counted(columns, (column,), sizes) for column in range(5)], targets)
    for pair, target in targets.items():
        assert np.abs(model.marginal(pair) - target / rows).sum() / 2 < 0.002
    made = model.dealt(rows, salt=3)
    for pair, target in targets.items():
        assert np.abs(counted(made, pair, sizes) - target).sum() / 2 / rows < 0.02
    for column in range(5):
        assert np.abs(counted(made, (column,), sizes) - counted(columns, (column,), sizes)).max() <= 3 * max(sizes)
    assert model.marginal((0, 2)) is not None or not any({0, 2} <= {*clique} for clique in model.cliques)


def test_rows_are_dealt_the_same_for_the_same_model_and_independent_columns_stay_independent():
    ones = [np.array([3.0, 1.0]), np.array([1.0, 1.0, 2.0])]
    model = Junction(ones, {})
    made, again = model.dealt(4000, salt=1), model.dealt(4000, salt=1)
    assert all((one == other).all() for one, other in zip(made, again, strict=True))
    together = counted(made, (0, 1), [2, 3]) / 4000
    assert np.abs(together - np.outer(ones[0] / 4, ones[1] / 4)).max() < 0.02
    assert counted(made, (0,), [2, 3]).tolist() == [3000, 1000]


@given(count=st.integers(65, 200_000), missing=st.booleans())
@settings(max_examples=60)
def test_equal_parts_cover_a_column_and_every_level_cuts_into_parts_that_do(count, missing):
    bins = equal_parts(count, count + missing)
    widths = widths_of(count)
    assert widths[-1] == 1
    assert bins.begins[0] == 0
    assert bins.size - missing <= 64
    assert set(np.diff(bins.begins[: bins.size - missing])) <= {widths[0]}
    assert bins.begins[-1] == count or not missing
    leaf = Leaf(begin=3, end=3 + widths[0], count=1.0, deviation=1.0)
    if len(widths) > 1:
        parts = split_further(leaf, width=widths[1])
        assert parts[0][0] == leaf.begin
        assert parts[-1][1] == leaf.end
        assert all(one[1] == other[0] for one, other in pairwise(parts))


def test_parts_that_stand_out_are_cut_off_and_what_is_between_shares_the_rest():
    leaf = Leaf(begin=0, end=10, count=100.0, deviation=5.0)
    parts = [Leaf(begin=place, end=place + 1, count=60.0 if place == 3 else 4.0, deviation=2.0) for place in range(10)]
    standing, between = cut_leaf(leaf, parts)
    assert [(each.begin, each.end, each.count) for each in standing] == [(3, 4, 60.0)]
    assert [(each.begin, each.end) for each in between] == [(0, 3), (4, 10)]
    assert sum(each.count for each in between) == pytest.approx(40)
    assert cut_leaf(leaf, [Leaf(begin=0, end=10, count=1.0, deviation=2.0)]) == ([], [leaf])


def test_leaves_with_few_rows_are_joined_and_a_heavy_single_place_stays_alone():
    leaves = [Leaf(begin=place, end=place + 1, count=900.0 if place == 40 else 10.0, deviation=1.0) for place in range(100)]
    bins = joined_leaves(leaves, rows=2000.0, places=101)
    assert bins.begins[-1] == 100, "missing values have a bin of their own"
    alone = [run for run in bins.leaves if run[0].begin == 40]
    assert len(alone[0]) == 1
    assert sorted(leaf.begin for run in bins.leaves[:-1] for leaf in run) == list(range(100))
    made = bins.placed(np.repeat(np.arange(bins.size), 50), salt=0)
    assert (np.searchsorted(bins.begins, made, side="right") - 1 == np.repeat(np.arange(bins.size), 50)).all()


def test_values_that_do_not_stand_out_share_codes_by_the_lowest_node_in_which_they_do():
    tree = Taxonomy.from_edges([("a", "x"), ("b", "x"), ("c", "x"), ("d", "y"), ("e", "y"), ("x", "*"), ("y", "*"), ("f", "*")])
    labels = tree.universe.labels
    numbers = {"a": 100.0, "b": 8.0, "c": 8.0, "d": 1.0, "e": 0.0, "f": 2.0}
    counts = np.array([numbers[label] for label in labels])
    codes = merged(0, single_places(6), counts, np.full(6, 9.0), groups=groups_of(tree, np.arange(6)))
    of = dict(zip(labels, codes.of_bin.tolist(), strict=True))
    assert of["b"] == of["c"] != of["a"]
    assert of["d"] == of["e"] == of["f"]
    assert of["d"] not in {of["a"], of["b"]}
    assert codes.noisy.sum() == pytest.approx(counts.sum())
    assert codes.variances.sum() == pytest.approx(54)
    made = codes.placed(np.repeat(np.arange(codes.size), 20), counts, salt=0)
    assert (codes.of_bin[made] == np.repeat(np.arange(codes.size), 20)).all()


def measured_pair(noisy, *, variance, expected=25.0):
    """A noisy answer about two yes/no columns."""
    table = np.array(noisy, dtype=np.float64)
    codes = (np.arange(2), np.arange(2))
    return Measured(columns=(0, 1), groups=codes, noisy=table, variance=variance, expected=np.full((2, 2), expected))


def test_answers_are_combined_by_their_variances_and_marginals_agree_with_single_columns():
    ones = single_counts(
        [np.array([80.0, 20.0]), np.array([50.0, 50.0])],
        [np.full(2, 1e-6), np.full(2, 1e6)],
        [measured_pair([[60.0, 10.0], [5.0, 25.0]], variance=1.0)],
        rows=100.0,
    )
    assert ones[0] == pytest.approx([80, 20], abs=0.1)
    assert ones[1] == pytest.approx([65, 35], abs=0.1)
    measured = measured_pair([[60.0, 10.0], [5.0, 25.0]], variance=1e9)
    (target,) = targets_of([measured], ones)
    assert target == pytest.approx(np.outer(ones[0], ones[1]) / 100, abs=0.5), "noise alone moves nothing"
    assert measured.again(np.zeros((2, 2)), 1e9).variance == pytest.approx(5e8)


@pytest.mark.parametrize(("sizes", "left"), [((2, 2), 1 / 4), ((5, 8), 28 / 40), ((2, 2, 2), 4 / 8), ((1, 7), 0)])
def test_what_single_columns_leave_of_noise_is_the_part_that_is_not_in_their_counts(sizes, left):
    assert freedom(sizes) == pytest.approx(left)
    noise = public_generator(5).normal(size=(4000, *sizes))
    for axis in range(1, noise.ndim):
        others = tuple(other for other in range(1, noise.ndim) if other != axis)
        noise = noise - noise.mean(axis=others, keepdims=True) + noise.mean(axis=tuple(range(1, noise.ndim)), keepdims=True)
    inside = noise - noise.mean(axis=tuple(range(1, noise.ndim)), keepdims=True)
    assert float((inside**2).mean()) == pytest.approx(left, abs=0.03)


def test_noise_that_single_columns_explain_does_not_hide_how_two_columns_hang_together():
    """Two yes/no columns whose link is as large as the noise: only a quarter of its variance speaks of the link."""
    generator, found = public_generator(2), []
    ones = [np.array([500.0, 500.0])] * 2
    link = np.array([[1.0, -1.0], [-1.0, 1.0]]) * 30
    for _ in range(200):
        noisy = 250 + link + generator.normal(scale=30, size=(2, 2))
        measured = measured_pair(noisy, variance=30.0**2, expected=250.0)
        found.append(targets_of([measured], ones)[0][0, 0] - 250)
    assert 20 < np.mean(found) < 30, "shrinking by the whole noise would leave half of the link"


# Views: codes in ever larger groups.


def ordered_codes(counts, *, missing=False):
    """The codes of a column of numbers with these noisy counts; a deviation of 10 hides what is below 30."""
    known = np.array(counts, dtype=np.float64)
    places = single_places(known.size)
    return merged(0, places, known, np.full(known.size, 100.0)), missing


def is_nested(views):
    """Whether codes that share a group still do so in every coarser view."""
    return all(np.unique(np.stack([one, other]), axis=1).shape[1] == one.max() + 1 for one, other in pairwise(views))


@given(st.lists(st.integers(0, 500), min_size=2, max_size=60), st.booleans())
@settings(max_examples=100)
def test_views_of_an_order_join_neighbours_and_each_is_nested_in_the_one_before(counts, missing):
    codes, missing = ordered_codes(counts, missing=missing)
    views = views_of_order(codes, missing=missing)
    assert views[0].tolist() == list(range(codes.size)), "the first is by all codes"
    assert is_nested(views)
    assert all(one.max() > other.max() for one, other in pairwise(views))
    ordered = [code for code in codes.of_bin[: -1 if missing else None] if (codes.of_bin == code).sum() == 1]
    for view in views[1:]:
        assert set(np.diff(view[ordered])) <= {0, 1}, "neighbours"
        alone = [code for code in range(codes.size) if code not in set(ordered)]
        assert all((view == view[code]).sum() == 1 for code in alone), "what is no number in the order is alone"


def test_groups_of_an_order_hold_a_part_of_the_rows_that_doubles_from_view_to_view():
    codes, _ = ordered_codes([100.0] * 32)
    sizes = [int(view.max()) + 1 for view in views_of_order(codes, missing=False)]
    assert sizes == [32, 16, 8, 4]
    heavy, _ = ordered_codes([100.0] * 16 + [1600.0])
    assert all((view == view[16]).sum() == 1 for view in views_of_order(heavy, missing=False)[:3]), "a heavy value stays alone"


def test_views_of_a_taxonomy_are_its_depths():
    edges = [(leaf, leaf[0]) for leaf in ("ax", "ay", "bx", "by", "cx", "cy")]
    tree = Taxonomy.from_edges([*edges, ("a", "ab"), ("b", "ab"), ("c", "c'"), ("ab", "*"), ("c'", "*")])
    labels = list(tree.universe.labels)
    codes = merged(0, single_places(6), np.full(6, 100.0), np.full(6, 1.0))
    views = views_of_nodes(codes, levels_of(tree, np.arange(6)))
    assert [int(view.max()) + 1 for view in views] == [6, 3, 2]
    by = {label: view.tolist()[labels.index(label)] for view in views[1:2] for label in labels}
    assert by["ax"] == by["ay"] != by["bx"] == by["by"]
    assert views[2][labels.index("ax")] == views[2][labels.index("by")] != views[2][labels.index("cx")]
    assert is_nested(views)


def test_a_model_of_coarse_views_keeps_them_and_leaves_codes_within_a_group_as_they_were():
    """Two columns of 8 codes that hang together by halves only."""
    halves, quarters = np.arange(8) // 4, np.arange(8) // 2
    views = Views([[np.arange(8), quarters, halves], [np.arange(8), quarters, halves]])
    asked = [Marginal((0, 1), 2), Marginal((0, 1), 1)]
    target = np.array([[400.0, 100.0], [100.0, 400.0]])
    finer = np.kron(target, np.full((2, 2), 0.25))
    ones = [np.array([200.0, 100.0, 100.0, 100.0] + [125.0] * 4), np.full(8, 125.0)]
    nodes = views.nodes(asked)
    model = Junction(
        [grouped(ones[node.column], [node.group]) for node in nodes.every],
        {nodes.of(asked[0]): target, nodes.of(asked[1]): finer},
        nodes=nodes,
    )
    assert model.marginal(nodes.of(asked[0])) * 1000 == pytest.approx(target, rel=1e-6)
    made = model.dealt(8000, salt=1)
    whole = [made[number] for number in nodes.whole]
    together = counted(whole, (0, 1), [8, 8]) / 8
    assert grouped(together, [halves, halves]) == pytest.approx(target, abs=2)
    assert together.sum(axis=1)[1] == pytest.approx(together.sum(axis=1)[0] / 2, abs=2), "as single columns say"
    for number, node in enumerate(nodes.every):
        assert (made[number] == node.group[whole[node.column]]).all(), "a row is in the groups of its codes"


def test_an_answer_by_groups_moves_the_counts_of_their_codes_by_what_it_knows():
    groups = (np.array([0, 0, 1]), np.array([0, 1]))
    sure = Measured(
        columns=(0, 1), groups=groups, noisy=np.array([[40.0, 40.0], [10.0, 10.0]]), variance=1e-9, expected=np.full((2, 2), 25.0)
    )
    noisy, variances = [np.array([50.0, 20.0, 30.0]), np.array([50.0, 50.0])], [np.full(3, 4.0), np.full(2, 4.0)]
    ones = single_counts(noisy, variances, [sure], rows=100.0)
    assert ones[0] == pytest.approx([55, 25, 20], abs=0.01)
    vague = Measured(columns=(0, 1), groups=groups, noisy=sure.noisy, variance=1e9, expected=sure.expected)
    assert single_counts(noisy, variances, [vague], rows=100.0)[0] == pytest.approx([50, 20, 30], abs=0.01)
