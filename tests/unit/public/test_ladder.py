import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import taxonomies
from tacita.errors import ParameterError
from tacita.public.ladder import CellLayout, Ladder
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe

UNEQUAL = Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "CD"), ("D", "CD"), ("CD", "BCD"), ("BCD", "*")])


def walk(ladder, symbol):
    """From the root to a symbol by ranks and numbers alone."""
    node = 0
    for depth in range(1, ladder.depth + 1):
        for rung in ladder.rungs:
            if rung.depth == depth and rung.rank[symbol] >= 0:
                assert rung.rank[symbol] < rung.fan_out[node]
                number = int(rung.first[node] + rung.rank[symbol])
                if rung.is_final:
                    return int(rung.symbols[number])
                node = number
                break
    return None


@given(taxonomies(), st.integers(1, 4))
def test_every_symbol_is_reached_by_its_ranks(taxonomy, intervals):
    for ladder in (Ladder.along(taxonomy, intervals=intervals), Ladder.simple(len(taxonomy.universe), intervals=intervals)):
        assert ladder.symbols == len(taxonomy.universe) * intervals
        assert [walk(ladder, symbol) for symbol in range(ladder.symbols)] == list(range(ladder.symbols))


@given(taxonomies())
def test_a_symbol_is_final_once_and_no_node_has_one_child_only(taxonomy):
    ladder = Ladder.along(taxonomy)
    finals = [rung for rung in ladder.rungs if rung.is_final]
    assert (sum((rung.rank >= 0).astype(int) for rung in finals) == 1).all()
    for depth in range(ladder.depth):
        families = sum(rung.fan_out for rung in ladder.rungs if rung.depth == depth + 1)
        assert len(taxonomy.universe) == 1 or (families >= 2).all()


def test_labels_and_groups_that_hang_side_by_side_are_rungs_of_their_own():
    rungs = [(rung.name, rung.rank.tolist()) for rung in Ladder.along(UNEQUAL).rungs]
    assert rungs == [
        ("symbols at depth 1", [0, -1, -1, -1]),
        ("groups at depth 1", [-1, 0, 0, 0]),
        ("symbols at depth 2", [-1, 0, -1, -1]),
        ("groups at depth 2", [-1, -1, 0, 0]),
        ("symbols at depth 3", [-1, -1, 0, 1]),
    ]


def test_a_layout_leaves_out_what_is_earlier():
    ladder = Ladder.simple(2, intervals=3)
    layout = CellLayout.of(ladder.rungs[0], np.zeros(3, dtype=np.int64), ladder.skipped(np.array([1, 2, 5])))
    assert layout.domain == 6 + 4 + 2
    groups, symbols = layout.places(np.arange(12))
    assert groups.tolist() == [0] * 6 + [1] * 4 + [2] * 2
    assert symbols.tolist() == [0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 4, 5]
    assert (layout.base[groups] + ladder.rungs[0].rank[symbols]).tolist() == list(range(12))


@given(taxonomies(), st.integers(1, 3), st.data())
def test_cells_and_places_are_each_others_inverse(taxonomy, intervals, data):
    ladder = Ladder.along(taxonomy, intervals=intervals)
    rung = data.draw(st.sampled_from(ladder.rungs))
    nodes = np.array(data.draw(st.lists(st.integers(0, rung.fan_out.size - 1), max_size=4)), dtype=np.int64)
    layout = CellLayout.of(rung, nodes)
    assert layout.domain == rung.fan_out[nodes].sum()
    groups, numbers = layout.places(np.arange(layout.domain))
    assert (numbers - rung.first[nodes[groups]] + layout.base[groups]).tolist() == list(range(layout.domain))


def test_one_label_is_one_question_with_one_cell():
    ladder = Ladder.along(Taxonomy.flat(Universe("A")))
    assert [(rung.is_final, rung.widest) for rung in ladder.rungs] == [(True, 1)]


def test_there_is_nothing_below_the_last_rung():
    assert Ladder.along(UNEQUAL).widest_below(2) == 2
    with pytest.raises(ParameterError, match="has nothing below depth 3"):
        Ladder.along(UNEQUAL).widest_below(3)
