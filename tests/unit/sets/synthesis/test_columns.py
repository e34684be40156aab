"""Baskets that are rows of a table: columns are found in noisy numbers, and rows have one item of each."""

from math import sqrt

import numpy as np
import pytest

from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, ItemsetCounts
from tacita.sets.synthesis import CountedRows, columns_of
from tacita.sets.synthesis.columns import Columns
from tacita.sets.synthesis.item_law import NoisyWeights
from tacita.sets.synthesis.saturation import Sizes
from tacita.sets.synthesis.sizes import SizeGroups
from tacita.testing import seeded_ledger

WIDTHS = (2, 6, 4, 10, 2, 9, 3, 12, 5, 4)
ROWS = 8_000


def begins_of(widths):
    return np.concatenate([[0], np.cumsum(widths)[:-1]])


def table(*, rows=ROWS, seed=0):
    """Rows of two kinds, with one value in each column."""
    generator = np.random.default_rng(seed)
    kind = generator.random(rows) < 0.4
    columns = []
    for begin, width in zip(begins_of(WIDTHS), WIDTHS, strict=True):
        first, second = (generator.choice(width, rows, p=generator.dirichlet(np.full(width, 0.5))) for _ in range(2))
        columns.append(begin + np.where(kind, first, second))
    return np.stack(columns, axis=1)


def favourites(*, items=60, size=10, rows=ROWS, seed=0):
    """Rows of as many items as a table has, any of them."""
    generator = np.random.default_rng(seed)
    rates = generator.permutation(1 / np.arange(1, items + 1) ** 0.6)
    return np.argsort(generator.exponential(size=(rows, items)) / rates, axis=1)[:, :size]


def noisy(baskets, items, *, epsilon, seed=0):
    """What single items are asked for, with noise of a seed, and the number of baskets by size."""
    rows, size = baskets.shape
    weights = np.bincount(baskets.ravel(), minlength=items) / size
    by_size = np.zeros(items + 1)
    by_size[size] = rows
    sizes = np.arange(items + 1)
    return NoisyWeights(
        classes=SizeGroups.starting([1], largest=items),
        values=(weights + np.random.default_rng(seed).laplace(0, 1 / epsilon, items))[np.newaxis],
        wholes=np.array([float(rows)]),
        deviation=sqrt(2) / epsilon,
        sizes=(Sizes(sizes=sizes[1:].astype(np.float64), numbers=by_size[1:], weights=1 / np.maximum(sizes[1:], size)),),
    ), by_size


def test_the_columns_of_a_table_are_found():
    found = columns_of(*noisy(table(), sum(WIDTHS), epsilon=5))
    assert found is not None
    assert found.begins.tolist() == begins_of(WIDTHS).tolist()
    assert found.rows == pytest.approx(ROWS, rel=0.01)


def test_numbers_of_a_column_add_up_and_are_closer_than_the_noise():
    baskets, items = table(), sum(WIDTHS)
    truth = np.bincount(baskets.ravel(), minlength=items)
    errors = []
    for seed in range(10):
        asked, by_size = noisy(baskets, items, epsilon=0.1, seed=seed)
        found = columns_of(asked, by_size)
        if found is not None:
            assert [part.sum() for part in np.split(found.numbers, found.begins[1:])] == pytest.approx([found.rows] * len(WIDTHS))
            errors.append((np.abs(found.numbers - truth).mean(), np.abs(asked.values[0] * len(WIDTHS) - truth).mean()))
    assert len(errors) >= 5
    ours, raw = np.mean(errors, axis=0)
    assert ours < raw


def test_other_baskets_of_a_fixed_size_are_seldom_taken_for_a_table():
    trials = 60
    taken = sum(columns_of(*noisy(favourites(seed=seed), 60, epsilon=1, seed=seed)) is not None for seed in range(trials))
    assert taken <= 8, "expected is one in 20"


def test_a_table_whose_values_are_mixed_up_is_none():
    mixed = np.random.default_rng(5).permutation(sum(WIDTHS))
    assert columns_of(*noisy(mixed[table()], sum(WIDTHS), epsilon=1)) is None


@pytest.mark.parametrize("sizes", [{3: 500.0, 4: 500.0}, {1: 1000.0}, {}])
def test_without_one_size_there_are_no_columns(sizes):
    asked, by_size = noisy(table(rows=1_000), sum(WIDTHS), epsilon=1)
    by_size[:] = 0
    for size, number in sizes.items():
        by_size[size] = number
    assert columns_of(asked, by_size) is None


def test_core_items_of_one_column_do_not_come_together_and_nobody_is_lost():
    columns = Columns(np.array([0, 2]), np.array([60.0, 40.0, 30.0, 70.0]))
    rows = CountedRows(np.array([[0, 1], [0, 2], [1, 3]]), np.array([10, 20, 70]))
    kept = columns.allowed(rows)
    assert kept.rows.tolist() == [[0, 2], [1, 3]]
    assert kept.copies.tolist() == [22, 78]
    assert columns.allowed(CountedRows(rows.rows[:1], rows.copies[:1])).copies.size == 0


def test_rows_are_completed_by_the_numbers_of_each_column():
    columns = Columns(np.array([0, 2]), np.array([60.0, 40.0, 30.0, 70.0]))
    core = [CountedRows(np.zeros((1, 0), dtype=np.int64), np.array([80])), CountedRows(np.array([[1]]), np.array([20]))]
    made = columns.completed(core, np.array([0, 2, 3]), symbols=200)
    rows = np.array(made.to_lists())
    assert rows.shape == (100, 2)
    assert np.bincount(rows.ravel()).tolist() == [80, 20, 30, 70]  # item 1 was counted together with others: 20 rows have it


def test_columns_are_independent_of_each_other():
    columns = Columns(np.array([0, 2, 4]), np.full(6, 500.0))
    made = columns.completed([CountedRows(np.zeros((1, 0), dtype=np.int64), np.array([1000]))], np.arange(6), symbols=3000)
    rows = np.array(made.to_lists())
    for first, second in ((0, 2), (0, 4), (2, 4)):
        together = (rows == first).any(axis=1) & (rows == second).any(axis=1)
        assert together.sum() == pytest.approx(250, abs=60)


def test_a_column_of_core_items_alone_is_completed_from_them():
    columns = Columns(np.array([0, 2]), np.array([60.0, 40.0, 100.0]))
    made = columns.completed([CountedRows(np.zeros((1, 0), dtype=np.int64), np.array([10]))], np.array([2]), symbols=20)
    assert np.bincount(np.array(made.to_lists()).ravel()).tolist() == [6, 4, 10]


@pytest.mark.parametrize("epsilon", ["0.5", "5"])
def test_a_release_of_a_table_has_one_item_of_every_column(epsilon):
    labels = [f"value {code:02}" for code in range(sum(WIDTHS))]
    rows = [[labels[code] for code in row] for row in table().tolist()]
    records = BasketRecords.from_labels(rows, universe=Universe(labels))
    release = ItemsetCounts().publish(records, budget=PureDP(epsilon), ledger=seeded_ledger(11))
    rows = np.array(release.data.baskets.to_lists())
    column = np.searchsorted(begins_of(WIDTHS), rows, side="right") - 1
    assert rows.shape[1] == len(WIDTHS)
    assert (column == np.arange(len(WIDTHS))).mean() > 0.97
    assert len(rows) == pytest.approx(ROWS, rel=0.05)
