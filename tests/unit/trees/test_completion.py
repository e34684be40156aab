"""Sequences whose continuation was lost go on as the tree knows that others do."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.trees import NoisyTree, TreeLevel, completed_sequences
from tacita.trees.completion import ContextModel

END = 3


def tree_of(rows, height, lose=()):
    """The tree of sequences over 0, 1, 2 with their ends, without the prefixes in `lose` and all below them."""
    paths = Counter()
    for row in rows:
        with_end = (*row, END)
        for length in range(1, min(len(with_end), height) + 1):
            prefix = with_end[:length]
            if prefix != (END,) and not any(prefix[: len(gone)] == gone for gone in lose):
                paths[prefix] += 1
    levels, places = [], {(): 0}
    for length in range(1, height + 1):
        found = sorted(path for path in paths if len(path) == length)
        columns = [places[path[:-1]] for path in found], [path[-1] for path in found], [paths[path] for path in found]
        levels.append(TreeLevel(*(np.array(column, dtype=np.int64) for column in columns)))
        places = {path: place for place, path in enumerate(found)}
    return NoisyTree(tuple(levels))


def completed(tree, places=END):
    return Counter(map(tuple, completed_sequences(tree, symbols=END, places=places).to_lists()))


rows_of_few = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5).map(tuple), max_size=12)


@given(rows_of_few, st.integers(1, 5))
def test_where_nothing_was_lost_the_sequences_come_back_cut_at_the_height(rows, height):
    assert completed(tree_of(rows, height)) == Counter(row[:height] for row in rows)


@given(rows_of_few, st.integers(1, 5), st.data())
def test_whatever_was_lost_there_are_as_many_sequences_and_what_was_kept_is_kept(rows, height, data):
    lose = (
        data.draw(st.lists(st.sampled_from(sorted({(*row, END)[: i + 2] for row in rows for i in range(len(row))})), max_size=3))
        if rows
        else []
    )
    tree = tree_of(rows, height, lose)
    found = completed(tree)
    assert sum(found.values()) == len(rows)
    assert max(map(len, found), default=0) <= height
    for level in range(height):
        for path, count, symbol in zip(
            tree.prefixes(level, np.arange(len(tree.levels[level]))),
            tree.levels[level].counts,
            tree.levels[level].symbols,
            strict=True,
        ):
            begins = sum(
                times
                for row, times in found.items()
                if row[: level + 1] == tuple(path) or (symbol == END and row == tuple(path[:-1]))
            )
            assert begins >= count


def test_a_lost_continuation_is_none_of_the_kept_ones():
    rows = [(0, 1)] * 50 + [(2, 0)] * 30 + [(2, 1)] * 30 + [(2, 2)] * 30 + [(0, 2)] * 10
    found = completed(tree_of(rows, 2, lose=[(0, 2)]))
    assert found[0, 1] == 50
    assert sum(times for row, times in found.items() if row[0] == 0) == 60


def test_those_who_go_on_do_as_those_with_the_same_last_symbols():
    """After 0 1, whose continuations are lost, they go on as after 2 0 1: three in four by 0, one in four by 2."""
    rows = [(2, 0, 1, 0)] * 300 + [(2, 0, 1, 2)] * 100 + [(0, 1, 0)] * 40
    found = completed(tree_of(rows, 4, lose=[(0, 1, 0)]))
    third = Counter({symbol: sum(found[row] for row in found if row[:3] == (0, 1, symbol)) for symbol in range(3)})
    assert third == {0: 30, 1: 0, 2: 10}


def test_nobody_goes_back_in_time():
    rows = [(1, 2)] * 50 + [(2, 2)] * 20 + [(0, 0)] * 900
    found = completed(tree_of(rows, 3, lose=[(1, 2), (2, 2)]), places=1)
    assert all(all(np.diff(row) >= 0) for row in found)


def test_an_empty_tree_has_no_sequences():
    assert completed(tree_of([], 3)) == {}


@pytest.mark.parametrize("symbol", [0, 1, 2])
def test_evenly_spread_numbers_give_the_frequencies_of_the_context(symbol):
    rows = [(1, 0, 0)] * 50 + [(1, 0, 1)] * 30 + [(1, 0, 2)] * 20
    model = ContextModel.of(tree_of(rows, 3), symbols=END)
    recent = np.tile([0, 1, -1, -1], (1000, 1))
    drawn = model.next_symbols(recent, (np.arange(1000) + 0.5) / 1000)
    assert np.count_nonzero(drawn == symbol) == [500, 300, 200][symbol]
