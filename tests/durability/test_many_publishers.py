"""Sixteen publishers at once on a ledger with a long history: nobody is refused, nothing is lost."""

import multiprocessing
from fractions import Fraction

import pytest

from tacita.privacy.account import Charge
from tacita.privacy.budget import PureDP, Step
from tacita.privacy.ledger import Entry, EntryKind, Ledger
from tacita.privacy.ledger.store import FileStore
from tacita.privacy.questions import select

PUBLISHERS, EACH = 16, 10


def filled(path, entries):
    """Finished charges, as many as it takes, two hundred of them to a commit."""
    store = FileStore(path)
    store.create()
    kinds = (EntryKind.CHARGE, EntryKind.DRAW, EntryKind.FINISHED)
    for first in range(0, entries, 600):
        numbers = range(first, min(first + 600, entries))
        several = [Entry(kind=kinds[number % 3], dataset="old", at="now", charge=f"{number // 3:x}") for number in numbers]
        store.transact(lambda _, several=several: several)


def publish(path, wait_seconds):
    for _ in range(EACH):
        plan = Step(name="only", epsilon=Fraction(1, 100))
        with Ledger(path, wait_seconds=wait_seconds).open(Charge(dataset="taps", mechanism="test", plan=plan)) as account:
            select(account, "only", scores=[1, 2])
    return EACH


def publish_at_once(path, wait_seconds):
    pool = multiprocessing.get_context("fork").Pool(PUBLISHERS)
    done = sum(pool.starmap(publish, [(path, wait_seconds)] * PUBLISHERS, chunksize=1))
    pool.close()
    pool.join()
    return done


@pytest.mark.parametrize(
    ("entries", "wait_seconds"),
    [
        (300, 3000),
        pytest.param(100_000, 30, marks=pytest.mark.slow),
    ],  # a ledger waits for 30, which a busy disk may exceed
    ids=["short", "long"],
)
def test_sixteen_publishers_at_once_are_all_served(tmp_path, entries, wait_seconds):
    path = tmp_path / "owner.ledger"
    filled(path, entries)
    Ledger(path).set_cap("taps", PureDP(100))
    assert publish_at_once(path, wait_seconds) == PUBLISHERS * EACH
    assert Ledger(path).balance("taps").epsilon == Fraction(PUBLISHERS * EACH, 100)
    assert Ledger(path).verify().entries > entries + 3 * PUBLISHERS * EACH
