"""Counting grams: what a walker at every place reads, and how much one record can change."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.counting.local import GramCounter

END, CUT = 2, 3


def counted(rows, *, length, max_length, cut=None, only_beginnings=False):
    """All grams of a length with their counts, each of them followed."""
    counter = GramCounter(Ragged.from_lists(rows), symbols=2, max_length=max_length, cut=cut)
    counter = counter.beginnings() if only_beginnings else counter
    grams = [()]
    for _ in range(length - 1):
        groups, cells, _ = counter.counts()
        inside = cells < END
        counter.follow(groups[inside], cells[inside])
        grams = [(*grams[group], cell) for group, cell in zip(groups[inside].tolist(), cells[inside].tolist(), strict=True)]
    groups, cells, counts = counter.counts()
    return Counter(
        {
            (*grams[group], cell): count
            for group, cell, count in zip(*map(np.ndarray.tolist, (groups, cells, counts)), strict=True)
        }
    )


def expected(rows, *, length, max_length, cut=None, only_beginnings=False):
    found = Counter()
    for row in rows:
        kept = (*row[:max_length], CUT if cut is not None and len(row) > max_length else END) if row else ()
        starts = range(min(1, len(kept))) if only_beginnings else range(len(kept) - 1)
        found.update(kept[start : start + length] for start in starts if start + length <= len(kept))
    return found


rows_of_codes = st.lists(st.lists(st.integers(0, 1), max_size=6), max_size=6)


@given(
    rows=rows_of_codes,
    length=st.integers(1, 4),
    max_length=st.integers(1, 6),
    cut=st.sampled_from([None, CUT]),
    first=st.booleans(),
)
def test_every_gram_is_counted_as_often_as_it_starts_somewhere(rows, length, max_length, cut, first):
    options = {"length": length, "max_length": max_length, "cut": cut, "only_beginnings": first}
    assert counted(rows, **options) == expected(rows, **options)


@given(rows=rows_of_codes, times=st.integers(1, 4))
def test_repeats_are_counted_as_the_grams_that_they_are(rows, times):
    counter = GramCounter(Ragged.from_lists(rows), symbols=2, max_length=6)
    groups, cells, _ = counter.counts()
    counter.follow(groups, cells)
    groups, counts = counter.repeated(cells, times)
    every = expected(rows, length=times + 1, max_length=6)
    assert {(int(cells[group]),) * (times + 1): count for group, count in zip(groups, counts.tolist(), strict=True)} == {
        gram: count for gram, count in every.items() if len(set(gram)) == 1
    }


@pytest.mark.parametrize(("length", "most"), [(1, 5), (2, 5), (3, 4), (4, 3)])
def test_one_record_adds_at_most_what_section_6_4_says_on_each_level(length, most):
    added = [counted([row], length=length, max_length=5).total() for size in range(1, 8) for row in product((0, 1), repeat=size)]
    assert max(added) == most  # the end is never a gram of its own, so level 1 has no more than max_length


@pytest.mark.parametrize("only_beginnings", [True, False])
def test_no_record_starts_more_paths_than_it_has_places(only_beginnings):
    for size in range(8):
        for row in product((0, 1), repeat=size):
            starts = counted([row], length=1, max_length=5, only_beginnings=only_beginnings).total()
            assert starts <= (1 if only_beginnings else 5)
            for length in range(2, 7):
                below = counted([row], length=length, max_length=5, only_beginnings=only_beginnings)
                above = counted([row], length=length - 1, max_length=5, only_beginnings=only_beginnings)
                sums = Counter()
                for gram, count in below.items():
                    sums[gram[:-1]] += count
                assert all(sums[gram] <= above[gram] for gram in sums)
