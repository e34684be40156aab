"""Rows of a table, dealt along a tree of noisy pairs of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.sets.synthesis import ColumnPair, Columns, dealt_rows

BEGINS = np.array([0, 3, 5])


def columns(rows=6000.0):
    return Columns(BEGINS, rows * np.array([0.5, 0.3, 0.2, 0.6, 0.4, 0.1, 0.2, 0.3, 0.4]))


def joint(first, second, away):
    """A pair that departs from independence in its first two values of each column."""
    cells = columns().expected(first, second)
    cells[:2, :2] += away * np.array([[1, -1], [-1, 1]])
    return cells


def pair(first, second, *, away=600.0, deviation=1.0, noise=0.0):
    values = joint(first, second, away) + noise
    return ColumnPair(first=first, second=second, values=values, deviation=deviation)


def test_a_pair_with_little_noise_is_kept_and_agrees_with_its_columns():
    fitted = pair(0, 1).fitted(columns())
    assert fitted == pytest.approx(joint(0, 1, 600.0), abs=5)
    assert fitted.sum(axis=1) == pytest.approx(columns().numbers[:3])
    assert fitted.sum(axis=0) == pytest.approx(columns().numbers[3:5])


def test_a_pair_that_drowns_is_taken_for_independent():
    noise = np.random.default_rng(0).laplace(scale=400.0, size=(3, 2))
    fitted = pair(0, 1, away=0.0, deviation=2**0.5 * 400, noise=noise).fitted(columns())
    assert np.abs(fitted - columns().expected(0, 1)).max() < 0.5 * np.abs(noise).max()


@given(st.integers(0, 10_000), st.floats(0, 500))
def test_rows_have_one_item_of_each_column_and_are_as_many_as_there_are(seed, deviation):
    noise = np.random.default_rng(seed).normal(scale=deviation + 1e-9, size=(2, 4))
    made = dealt_rows(columns(300.0), [pair(1, 2, away=0.0, deviation=deviation + 1.0, noise=noise)], symbols=900.0).to_lists()
    assert len(made) == 300
    assert all([int(np.searchsorted(BEGINS, item, side="right")) for item in row] == [1, 2, 3] for row in made)


def test_what_columns_and_pairs_say_comes_out_and_columns_without_a_pair_are_independent():
    rows = np.array(dealt_rows(columns(), [pair(2, 0, away=150.0)], symbols=18_000.0).to_lists())
    assert np.bincount(rows.ravel(), minlength=9) == pytest.approx(columns().numbers, abs=12)
    together = np.array([[np.sum((rows[:, 0] == first) & (rows[:, 2] == 5 + last)) for first in range(3)] for last in range(4)])
    assert together == pytest.approx(joint(2, 0, 150.0), abs=15)
    alone = np.array([[np.sum((rows[:, 0] == first) & (rows[:, 1] == 3 + second)) for second in range(2)] for first in range(3)])
    assert alone == pytest.approx(columns().expected(0, 1), abs=150)
