"""Windows are held to the budget exactly; an independent ledger in fractions agrees."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import UnplannedDrawError
from tacita.privacy.windows import QUANTA, CommonWindow, EvenShares, OwnWindows, coarse, price


@st.composite
def streams(draw):
    people = draw(st.integers(1, 5))
    contexts = draw(st.integers(1, 5))
    own = draw(st.dictionaries(st.integers(0, people - 1), st.integers(1, 7), max_size=2))
    moments = draw(
        st.lists(
            st.tuples(st.lists(st.integers(0, people - 1), unique=True, max_size=people), st.integers(0, 4), st.integers(0, 31)),
            max_size=40,
        )
    )
    return contexts, own, moments


def worst_window(spends, contexts):
    return max((sum(own[start : start + contexts[user]]) for user, own in spends.items() for start in range(len(own))), default=0)


@given(streams())
def test_no_window_of_anybody_ever_holds_more_than_the_budget(stream):
    contexts, own, moments = stream
    windows, spends = OwnWindows(contexts=contexts, longer=own), defaultdict(list)
    for users, part, left_out in moments:
        who = np.array(sorted(users), dtype=np.intp)
        windows.begin(who)
        included = (left_out >> who) & 1 == 0
        quanta = int(windows.room()[included].min(initial=QUANTA)) * part // 4
        windows.charge(quanta, included)
        windows.end()
        for user, paid in zip(who.tolist(), included.tolist(), strict=True):
            spends[user].append(Fraction(quanta, QUANTA) if paid else Fraction(0))
    assert worst_window(spends, defaultdict(lambda: contexts, own)) <= 1


@given(streams())
def test_the_room_is_what_an_independent_ledger_says(stream):
    contexts, own, moments = stream
    windows, spends = OwnWindows(contexts=contexts, longer=own), defaultdict(list)
    for users, part, _ in moments:
        who = np.array(sorted(users), dtype=np.intp)
        windows.begin(who)
        for user, room in zip(who.tolist(), windows.room().tolist(), strict=True):
            length = own.get(user, contexts)
            assert room == QUANTA - sum(spends[user][max(0, len(spends[user]) - length + 1) :])
        quanta = int(windows.room().min(initial=QUANTA)) * part // 4
        windows.charge(quanta)
        windows.end()
        for user in who.tolist():
            spends[user].append(quanta)


@given(st.integers(1, 6), st.lists(st.integers(0, 4), max_size=40))
def test_no_window_of_timestamps_holds_more_than_the_budget(contexts, parts):
    window, spent = CommonWindow(contexts=contexts), []
    for part in parts:
        window.begin(np.zeros(0, dtype=np.intp))
        quanta = int(window.room()[0]) * part // 4
        window.charge(quanta)
        window.end()
        spent.append(quanta)
    assert all(sum(spent[start : start + contexts]) <= QUANTA for start in range(len(spent)))


@given(st.integers(1, 1000))
def test_even_shares_never_add_up_to_more_than_the_budget(contexts):
    shares = EvenShares(contexts=contexts)
    shares.begin(np.zeros(0, dtype=np.intp))
    assert int(shares.room()[0]) * contexts <= QUANTA


@pytest.mark.parametrize("windows", [OwnWindows(contexts=3), CommonWindow(contexts=3), EvenShares(contexts=3)])
def test_a_charge_that_does_not_fit_is_refused_as_a_whole(windows):
    windows.begin(np.array([0, 1]))
    room = int(windows.room()[0])
    with pytest.raises(UnplannedDrawError, match="must fit into the window"):
        windows.charge(room + 1)
    with pytest.raises(UnplannedDrawError, match="must fit into the window"):
        windows.charge(-1)
    windows.charge(room)


def test_one_charge_too_large_for_one_person_charges_nobody():
    windows = OwnWindows(contexts=2)
    windows.begin(np.array([0]))
    windows.charge(QUANTA)
    windows.end()
    windows.begin(np.array([0, 1]))
    with pytest.raises(UnplannedDrawError):
        windows.charge(1)
    assert windows.room().tolist() == [0, QUANTA]


def test_nobody_can_be_left_out_where_presence_is_private():
    window = CommonWindow(contexts=2)
    window.begin(np.array([0]))
    with pytest.raises(UnplannedDrawError, match="nobody can be left out"):
        window.charge(1, np.array([True]))


def test_a_spend_is_never_forgotten_by_time_but_an_empty_window_may_be():
    windows = OwnWindows(contexts=3)
    windows.begin(np.array([0, 1]))
    windows.charge(QUANTA, np.array([True, False]))
    windows.end()
    for _ in range(1000):
        windows.begin(np.array([2]))
        windows.end()
    assert 0 not in windows.forgettable()
    assert 1 in windows.forgettable()
    windows.forget(np.array([1]))
    with pytest.raises(UnplannedDrawError, match="must be remembered"):
        windows.forget(np.array([0]))


@pytest.mark.parametrize("kind", [OwnWindows, CommonWindow])
def test_windows_that_are_restored_go_on_as_if_nothing_had_happened(kind):
    generator = np.random.default_rng(1)
    whole = kind(contexts=4)
    for _ in range(30):
        users = np.flatnonzero(generator.random(6) < 0.6)
        whole.begin(users)
        whole.charge(int(whole.room().min(initial=QUANTA)) // 3)
        whole.end()
        again = kind(contexts=4)
        again.restore(whole.state())
        for windows in (whole, again):
            windows.begin(np.arange(6))
        assert np.array_equal(whole.room(), again.room())
        whole.begin(np.zeros(0, dtype=np.intp))


def test_prices_are_exact_and_coarse_quanta_lose_less_than_a_thousandth():
    assert price(QUANTA, Fraction(1, 3)) == Fraction(1, 3)
    for quanta in (1, 1000, 12345678901, QUANTA - 1):
        assert quanta * 0.998 <= coarse(quanta) <= quanta
