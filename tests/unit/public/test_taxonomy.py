import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import taxonomies
from tacita.errors import TaxonomyError
from tacita.public.taxonomy import ROOT, Taxonomy
from tacita.public.universe import Universe


def names(taxonomy, nodes):
    return [taxonomy.name(node) for node in nodes]


def test_groups_hang_below_one_root():
    taxonomy = Taxonomy.from_edges([("a", "x"), ("b", "x"), ("c", "y")])
    assert taxonomy.universe.labels == ("a", "b", "c")
    assert taxonomy.name(taxonomy.root) == ROOT
    assert names(taxonomy, taxonomy.children(taxonomy.root)) == ["x", "y"]
    assert taxonomy.leaves(taxonomy.root) == [0, 1, 2]
    assert taxonomy.height == 2


def test_levels_may_differ_in_depth():
    taxonomy = Taxonomy.from_edges([("a", "x"), ("x", "z"), ("b", "z")])
    assert [taxonomy.depth(label) for label in range(2)] == [2, 1] or taxonomy.universe.labels == ("a", "b")
    assert taxonomy.name(taxonomy.root) == "z"
    assert taxonomy.depth(taxonomy.universe.code("a")) == 2
    assert taxonomy.depth(taxonomy.universe.code("b")) == 1


def test_a_cycle_is_refused():
    with pytest.raises(TaxonomyError, match="cycle"):
        Taxonomy.from_edges([("a", "x"), ("x", "y"), ("y", "x")])
    with pytest.raises(TaxonomyError, match="cycle"):
        Taxonomy.from_edges([("x", "y"), ("y", "x")])
    with pytest.raises(TaxonomyError, match="above itself"):
        Taxonomy.from_edges([("a", "x"), ("b", "y"), ("y", "z"), ("z", "y"), ("c", "x")], universe=Universe("abc"))


def test_an_orphan_is_refused_by_name():
    with pytest.raises(TaxonomyError, match="'b' has no parent"):
        Taxonomy.from_edges([("a", "x")], universe=Universe(["a", "b"]))


def test_a_second_parent_is_refused_by_name():
    with pytest.raises(TaxonomyError, match="'Berri' has two: 'green' and 'orange'"):
        Taxonomy.from_edges([("Berri", "green"), ("Berri", "orange")])


def test_a_repeated_edge_is_no_second_parent():
    assert len(Taxonomy.from_edges([("a", "x"), ("a", "x"), ("b", "x")]).universe) == 2


def test_a_leaf_outside_the_universe_is_refused():
    with pytest.raises(TaxonomyError, match="the leaf 'b' is not"):
        Taxonomy.from_edges([("a", "x"), ("b", "x")], universe=Universe(["a"]))


def test_a_label_with_something_below_it_is_refused():
    with pytest.raises(TaxonomyError, match="'a' has 'b' below it"):
        Taxonomy.from_edges([("a", "x"), ("b", "a")], universe=Universe(["a", "b"]))


def test_the_name_of_the_root_cannot_be_taken_twice():
    with pytest.raises(TaxonomyError, match="reserved for the root"):
        Taxonomy.from_edges([("a", ROOT), ("b", "x")])


def test_columns_from_fine_to_coarse_make_as_many_levels():
    taxonomy = Taxonomy.from_columns([["a", "x", "north"], ["b", "y", "north"], ["c", "z", "south"]])
    assert taxonomy.height == 3
    assert names(taxonomy, taxonomy.children(taxonomy.root)) == ["north", "south"]


def test_columns_that_contradict_each_other_are_refused():
    with pytest.raises(TaxonomyError, match="'x' has two"):
        Taxonomy.from_columns([["a", "x", "north"], ["b", "x", "south"]])


def test_a_taxonomy_is_read_from_named_columns(tmp_path):
    file = tmp_path / "stations.csv"
    file.write_text("station,zone,line\nBerri,1,green\nPeel,1,green\nSnowdon,2,orange\n", encoding="utf-8")
    taxonomy = Taxonomy.read(file, child="station", parent="line")
    assert taxonomy.universe.labels == ("Berri", "Peel", "Snowdon")
    assert names(taxonomy, taxonomy.children(taxonomy.root)) == ["green", "orange"]
    assert Taxonomy.read_columns(file, columns=["station", "line", "zone"]).height == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("station,zone\na,1\n", "line is missing"),
        ("station,line\na,\n", "line 2 lacks one"),
        ("station,line\na\n", "line 2 lacks one"),
    ],
)
def test_a_file_without_a_column_or_a_name_is_refused(tmp_path, text, message):
    file = tmp_path / "stations.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TaxonomyError, match=message):
        Taxonomy.read(file, child="station", parent="line")


def test_a_missing_taxonomy_file_is_refused(tmp_path):
    with pytest.raises(TaxonomyError, match="does not exist"):
        Taxonomy.read(tmp_path / "nowhere.csv", child="a", parent="b")


@given(st.integers(1, 200), st.integers(2, 12))
def test_a_balanced_taxonomy_has_no_node_with_one_child_and_none_with_too_many(size, fan_out):
    taxonomy = Taxonomy.balanced(Universe([f"item {place}" for place in range(size)]), fan_out=fan_out)
    inner = range(size, len(taxonomy.parents))
    assert all(2 <= len(taxonomy.children(node)) <= fan_out for node in inner)
    assert taxonomy.leaves(taxonomy.root) == list(range(size))
    for node in inner:
        leaves = taxonomy.leaves(node)
        assert leaves == list(range(leaves[0], leaves[-1] + 1)), "groups are consecutive in the public order"


@pytest.mark.parametrize("fan_out", [1, 0, -3, True, 2.0])
def test_a_fan_out_that_does_not_branch_is_refused(fan_out):
    with pytest.raises(TaxonomyError, match="at least 2"):
        Taxonomy.balanced(Universe("ab"), fan_out=fan_out)


def test_a_taxonomy_of_one_label_is_its_own_root():
    assert Taxonomy.balanced(Universe("a"), fan_out=2).root == 0


def test_the_digest_tells_taxonomies_apart():
    first = Taxonomy.from_edges([("a", "x"), ("b", "x"), ("c", "y")])
    second = Taxonomy.from_edges([("a", "x"), ("b", "y"), ("c", "y")])
    assert first.digest() != second.digest()


@given(taxonomies(), st.integers(2, 5))
def test_a_narrowed_taxonomy_has_the_same_groups_and_no_node_of_one_child_or_of_too_many(taxonomy, fan_out):
    narrow = taxonomy.narrowed(fan_out)
    assert narrow.universe == taxonomy.universe
    widths = [len(narrow.children(node)) for node in range(len(taxonomy.universe), len(narrow.parents))]
    assert all(2 <= width <= fan_out for width in widths)

    def groups(tree):
        return {tuple(tree.leaves(node)) for node in range(len(tree.parents))}

    assert groups(taxonomy) <= groups(narrow)
    assert groups(narrow.narrowed(fan_out)) == groups(narrow)
