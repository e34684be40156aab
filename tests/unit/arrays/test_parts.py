"""Lists that are made in parts are the lists, however they are cut and whoever makes them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arrays import parts
from tacita.arrays.parts import RaggedInParts, copied, in_parts, numbered_parts, part_of, part_of_each
from tacita.arrays.ragged import Ragged, repeated

LISTS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), max_size=6)


@given(LISTS, st.data())
def test_copies_are_the_same_however_they_are_cut(rows, data):
    times = np.array(data.draw(st.lists(st.integers(0, 7), min_size=len(rows), max_size=len(rows))), dtype=np.int64)
    lists = Ragged.from_lists(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "AT_ONCE", data.draw(st.integers(1, 12)))
        made = copied(lists, times)
    assert made.to_lists() == repeated(lists, times).to_lists()
    assert len(made) == times.sum() == sum(made.most)
    assert [first for first, _ in made.numbered()] == np.cumsum([0, *made.most[:-1]]).tolist()


def test_a_list_with_many_copies_is_cut_too(monkeypatch):
    monkeypatch.setattr(parts, "AT_ONCE", 100)
    made = copied(Ragged.from_lists([[1, 2]]), np.array([1000]))
    assert max(made.most) <= 51
    assert len(made.most) >= 20


@given(LISTS)
def test_lists_in_memory_are_gone_through_in_parts(rows):
    lists = Ragged.from_lists(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "AT_ONCE", 3)
        found = list(numbered_parts(lists))
    assert [row for _, part in found for row in part.to_lists()] == rows
    assert [first for first, _ in found] == np.cumsum([0, *(len(part) for _, part in found[:-1])]).tolist()


@given(st.lists(st.integers(0, 9), max_size=6), st.integers(1, 5))
def test_shares_add_up(wholes, number):
    shares = [part_of_each(np.array(wholes, dtype=np.int64), part, number) for part in range(number)]
    assert np.sum(shares, axis=0).tolist() == wholes if wholes else True
    assert all(abs(int(share[place]) - whole / number) < 1 for share in shares for place, whole in enumerate(wholes))
    assert sum(part_of(7, part, number) for part in range(number)) == 7


def test_small_shares_take_turns():
    sums = [int(part_of_each(np.ones(100, dtype=np.int64), part, 4).sum()) for part in range(4)]
    assert sums == [25] * 4


def test_one_part_is_made_once_and_many_are_made_when_they_are_needed(monkeypatch):
    made = []

    def make(part, of):
        made.append(part)
        return Ragged.from_lists([[part]] * part_of(5, part, of))

    few = in_parts(5, make, longest=1)
    assert few.to_lists() == [[0]] * 5
    assert [len(lists) for _, lists in few.numbered()] == [5]
    assert made == [0]
    monkeypatch.setattr(parts, "RECORDS", 2)
    many = in_parts(5, make, longest=1)
    assert len(many) == 5
    assert made == [0]
    assert many.to_lists() == [[0], [1], [1], [2], [2]]


def lengths(lists):
    return [len(lists), int(lists.codes.size)]


def test_questions_are_asked_of_each_part_or_of_whoever_holds_them():
    here = RaggedInParts([1, 2], [Ragged.from_lists([[1]]), Ragged.from_lists([[2, 3], [4]])].__getitem__, symbols=4)
    assert list(here.answers(lengths)) == [[1, 1], [2, 3]]
    there = RaggedInParts([1], here.maker, symbols=4, asks=lambda question: question(Ragged.from_lists([[7]])))
    assert list(there.answers(lengths)) == [[1, 1]]
    longer = there.mapped(lambda lists: Ragged(np.append(lists.codes, 1), np.append(lists.offsets, lists.offsets[-1] + 1)))
    assert list(longer.answers(lengths)) == [[2, 2]]


def test_what_makes_a_part_can_be_sent_to_another_process():
    made = copied(Ragged.from_lists([[1, 2], [3]]), np.array([2, 1]))
    assert pickle.loads(pickle.dumps(made.maker))(0).to_lists() == made.to_lists()
