"""The machine of contexts: what it expects, what it is fitted to, and what it writes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged, by_length
from tacita.arrays.scatter import on_simplex
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree, Repeats, consistent, contexts_of, fit, fitted, walked
from tacita.sequences.ngrams.synthesis.tree import find, mode_shares, shared_out


def level(parents, symbols, counts, asked=None):
    """One level of grams with noise of scale 1."""
    flags = np.zeros(len(counts), dtype=np.bool_) if asked is None else np.array(asked, dtype=np.bool_)
    columns = (np.array(part, dtype=np.int64) for part in (parents, symbols, counts))
    return GramLevel(*columns, flags, np.ones(len(counts)))


def tree(*levels, symbols=2, repeats=None):
    return GramTree(levels=levels, symbols=symbols, repeats=Repeats.none() if repeats is None else repeats)


A, B, END, CUT = range(4)
STARTS = tree(level([0, 0], [A, B], [600, 400], asked=[True, True]), level([0, 0, 1], [A, END, END], [300, 300, 400]))
GRAMS = tree(
    level([0, 0], [A, B], [1200, 400], asked=[True, True]),
    level([0, 0, 1], [A, END, END], [600, 600, 400], asked=[True, False, False]),
    level([0, 0], [A, END], [300, 300]),
)
LENGTHS = np.array([0.0, 700.0, 100.0, 100.0, 100.0, 0.0])


def machine(grams=GRAMS, starts=STARTS, lengths=LENGTHS, *, shares_missing=True, max_cells=2**20):
    max_length = lengths.size - 2
    return contexts_of(grams, starts, max_length=max_length, lengths=lengths, shares_missing=shares_missing, max_cells=max_cells)


def test_every_state_has_a_whole_distribution_and_leads_to_states():
    contexts = machine()
    assert np.allclose(contexts.shares.sum(axis=1), 1)
    assert contexts.following.min() >= 0
    assert contexts.following.max() < len(contexts)


def test_a_sequence_is_always_in_the_longest_context_that_is_known():
    contexts = machine()
    state = contexts.first
    depths = []
    for symbol in (A, A, A, B, A):
        state = contexts.following[state, symbol]
        depths.append((int(contexts.depths[state]), bool(state > contexts.first)))
    assert depths == [(1, True), (2, False), (2, False), (1, False), (1, False)]


def test_lengths_are_met_exactly_and_starts_nearly():
    result = fitted(machine(), lengths=LENGTHS)
    found = walked(result, records=1000, max_length=4)
    assert np.bincount(found.lengths, minlength=5).tolist() == pytest.approx([0, 700, 100, 100, 100], abs=2)
    assert int((found.codes[found.offsets[:-1]] == A).sum()) == pytest.approx(600, abs=2)


def test_a_table_computed_in_pieces_is_the_same_to_the_last_digit(monkeypatch):
    """Long rows of large universes are computed some columns at a time."""
    symbols = 40
    counts = np.arange(1, symbols + 1) ** 2
    roots = np.zeros(symbols, dtype=np.int64)
    starts = tree(level(roots, np.arange(symbols), counts, asked=counts > 1400), symbols=symbols)
    pairs = level([38, 38, 39, 39], [5, 38, 6, 38], [300, 250, 400, 200])
    grams = tree(level(roots, np.arange(symbols), 3 * counts, asked=counts > 1400), pairs, symbols=symbols)
    contexts = machine(grams, starts)
    whole = fitted(contexts, lengths=LENGTHS)
    monkeypatch.setattr(fit, "PIECE", 4)
    monkeypatch.setattr(fit, "NARROWEST", 3)
    pieces = fitted(contexts, lengths=LENGTHS)
    for name in ("ends", "expected", "stopped"):
        assert getattr(whole, name).tobytes() == getattr(pieces, name).tobytes(), name
    assert whole.contexts.shares.tobytes() == pieces.contexts.shares.tobytes()


def test_what_is_written_has_the_expected_counts():
    result = fitted(machine(), lengths=LENGTHS)
    found = walked(result, records=100_000, max_length=4)
    expected = 100 * result.expected[:, :2].sum(axis=0)
    assert np.bincount(found.codes, minlength=2) == pytest.approx(expected, rel=0.002)


def test_contexts_are_left_out_where_there_are_too_many_of_them():
    contexts = machine(max_cells=2 * 2 * (2 + 2))
    assert len(contexts) < len(machine())
    assert np.allclose(contexts.shares.sum(axis=1), 1)


def test_nothing_known_gives_nothing():
    empty = tree(level([], [], []))
    result = fitted(machine(empty, empty, np.zeros(6)), lengths=np.zeros(6))
    assert len(walked(result, records=0, max_length=4)) == 0


def test_modes_are_shares_of_a_grams_own_count():
    shares = mode_shares(GRAMS.levels, (np.array([0, 1, 1]), np.array([0, 0, 1])), symbols=2)
    assert shares.tolist() == [0.75, 0.5, 1.0]


def test_grams_are_found_by_their_symbols():
    assert find(GRAMS.levels[:2], np.array([[A, A], [A, B], [B, END]]), bins=4).tolist() == [0, -1, 2]


NUMBERS = st.integers(-50, 1000)


@given(singles=st.lists(NUMBERS, min_size=2, max_size=2), below=st.lists(NUMBERS, min_size=6, max_size=6), told=st.booleans())
def test_consistent_continuations_are_whole_and_add_up_to_their_gram(singles, below, told):
    grams = tree(level([0, 0], [A, B], singles, asked=[True, True]), level([0] * 3 + [1] * 3, [A, B, END] * 2, below))
    found = consistent(grams, shares_missing=told)
    first, second = found.levels
    assert first.counts.tolist() == [count for count in singles if count > 0]
    sums = np.bincount(second.parents, second.counts, len(first)).astype(int)
    for place, symbol in enumerate(first.symbols.tolist()):
        parts = below[3 * symbol : 3 * symbol + 3]
        assert sums[place] == (first.counts[place] if max(parts) > 0 else 0)
    assert second.counts.dtype == np.int64
    assert np.all(second.counts > 0)


@given(total=st.integers(0, 10**9), weights=st.lists(st.floats(0.001, 1e6), min_size=1, max_size=20))
def test_a_total_is_shared_out_whole_and_each_part_moves_by_less_than_one(total, weights):
    parts = shared_out(np.array([total]), np.zeros(len(weights), dtype=np.int64), np.array(weights))
    exact = total * np.array(weights) / sum(weights)
    assert parts.sum() == total
    assert np.all(np.abs(parts - exact) < 1 + 1e-6 * total)


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), total=st.floats(0, 1e6))
def test_the_nearest_point_of_a_simplex_adds_up_and_keeps_the_order(values, total):
    found = on_simplex(np.array(values), total)
    assert found.sum() == pytest.approx(total, abs=1e-3)
    assert np.all(found >= 0)
    assert np.all(np.diff(found[np.argsort(values, kind="stable")]) >= 0)


@given(rows=st.lists(st.lists(st.integers(0, 2), max_size=4), max_size=8))
def test_sequences_are_released_by_length_and_then_by_their_symbols(rows):
    found = by_length(Ragged.from_lists(rows), symbols=3).to_lists()
    assert found == sorted(rows, key=lambda row: (len(row), row))
