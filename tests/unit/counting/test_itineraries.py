"""How much one record changes what itineraries count."""

from itertools import product

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.counting.local import LocalSequenceCounts
from tacita.public.letters import UNIT, Alphabet, shape_cell

LABELS, LONGEST, MAX_LENGTH = 3, 5, 4
EVERYBODY = [list(row) for length in range(LONGEST + 1) for row in product(range(LABELS), repeat=length)]


def counted(row):
    """The counter of one record alone: counts add up over records, so this is what the record changes."""
    return LocalSequenceCounts(Ragged.from_lists([row])).itineraries(max_length=MAX_LENGTH)


def change_by_length(counter, levels, symbols=LABELS):
    """By how much the counts of grams of each length change, if everything but ends is followed."""
    changes = []
    for _ in range(levels):
        groups, cells, counts = counter.counts()
        changes.append(int(counts.sum()))
        counter.follow(groups[cells < symbols], cells[cells < symbols])
    return changes


def both(row, *, most):
    """Counters of letters and of places, each with the number of its symbols."""
    alphabet = Alphabet(recent=2)
    return (
        (counted(row).letters(alphabet, most=most), len(alphabet)),
        (counted(row).places(symbols=LABELS, most=most), LABELS),
    )


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_record_changes_the_grams_of_a_length_by_more_than_its_cap(most):
    worst = 0
    for row in EVERYBODY:
        for counter, size in both(row, most=most):
            changes = change_by_length(counter, 3, size)
            assert max(changes) <= UNIT * most
            worst = max(worst, *changes)
    assert worst == UNIT * most  # the bound is reached


def test_without_a_cap_no_record_starts_more_grams_than_the_longest_length():
    changes = [change_by_length(counted(row).places(symbols=LABELS, most=None), 1)[0] for row in EVERYBODY]
    assert max(changes) == MAX_LENGTH


def test_a_record_begins_once():
    for row in EVERYBODY:
        for counter, size in both(row, most=None):
            assert max(change_by_length(counter.beginnings(), 3, size)) <= 1


def test_a_record_has_one_shape_and_none_if_it_is_cut():
    for row in EVERYBODY:
        cells, counts = counted(row).shapes()
        if 0 < len(row) <= MAX_LENGTH:
            whole = shape_cell(
                np.array([len(row)]), np.array([len(set(row))]), np.array([row[0] == row[-1]]), max_length=MAX_LENGTH
            )
            assert (cells.tolist(), counts.tolist()) == (whole.tolist(), [1])
        else:
            assert not cells.size


def test_what_is_cut_off_changes_nothing_but_that_something_was():
    for row in EVERYBODY:
        if len(row) == LONGEST:
            short = counted([*row[:MAX_LENGTH], (row[-1] + 1) % LABELS]).places(symbols=LABELS, most=2)
            whole = counted(row).places(symbols=LABELS, most=2)
            for first, second in zip(whole.counts(), short.counts(), strict=True):
                assert first.tolist() == second.tolist()


def test_letters_cannot_follow_where_the_alphabet_says_so():
    alphabet = Alphabet(recent=2)
    possible = alphabet.possible()
    for row in EVERYBODY:
        letters = alphabet.rewritten(Ragged.from_lists([row])).tolist()
        for before, after in zip([-1, *letters], letters, strict=False):
            assert possible[before, after]


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_the_grams_of_one_record_weigh_its_cap_at_the_most_at_every_boundary(most, length):
    """Lengths below, at and above the cap, and below, at and above the longest length that is counted, which is five."""
    row = ([0, 1] * length)[:length]
    counter = LocalSequenceCounts(Ragged.from_lists([row])).itineraries(max_length=5)
    kept = min(length, 5)
    weights = counter.places(symbols=2, most=most).counts()[2]
    assert int(weights.sum()) == kept * min(UNIT, UNIT * most // kept) <= UNIT * most
