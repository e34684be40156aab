"""Compiled choices are those of plain packing."""

import random

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.trajectories import PairColumns, Requirement, SensitiveGroup, occurrences, pack, packing
from trajectory_databases import random_database


def kept_both_ways(columns, asked, monkeypatch):
    """What packing keeps without and with compiled code."""
    kept = []
    for least in (10**9, 0):
        monkeypatch.setattr(packing, "WORTH_COMPILING", least)
        monkeypatch.setattr(occurrences, "WORTH_COMPILING", least)
        kept.append(pack(columns, asked).tolist())
    return kept


@pytest.mark.parametrize("one_each", [True, False])
def test_compiled_choices_keep_what_plain_ones_do(one_each, monkeypatch):
    pytest.importorskip("numba")
    generator, suppressed = random.Random(17), 0
    for _ in range(80):
        database = random_database(generator, one_each=one_each)
        plain, compiled = kept_both_ways(database.columns, database.requirement, monkeypatch)
        assert plain == compiled
        suppressed += plain.count(False)
    assert suppressed > 300


@pytest.mark.parametrize(("places", "length"), [(40, 24), (300, 6)])
def test_compiled_choices_keep_what_plain_ones_do_in_longer_records(places, length, monkeypatch):
    pytest.importorskip("numba")
    generator = np.random.default_rng(places)
    rows = [sorted(generator.choice(places, size=generator.integers(1, length + 1), replace=False)) for _ in range(400)]
    groups = (SensitiveGroup(attribute="ill", values=("x",), confidence="1/3"),)
    columns = PairColumns.of(Ragged.from_lists(rows), sensitive=generator.random((400, 1)) < 0.2)
    for known in (2, 3):
        plain, compiled = kept_both_ways(columns, Requirement(crowd=6, known_pairs=known, groups=groups), monkeypatch)
        assert plain == compiled
        assert 0 < sum(plain) < len(plain)


def test_without_the_extra_the_plain_choices_are_made(monkeypatch):
    for module in (packing, occurrences):
        monkeypatch.setattr(module, "WORTH_COMPILING", 0)
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    monkeypatch.setattr(packing.Packing, "_choose_compiled", lambda *_: pytest.fail("these need the extra"))
    monkeypatch.setattr(occurrences, "_together_compiled", lambda *_, **__: pytest.fail("these need the extra"))
    database = random_database(random.Random(2))
    assert pack(database.columns, database.requirement).size == database.columns.pairs.size


def test_compiled_choices_of_nobody_keep_nothing(monkeypatch):
    pytest.importorskip("numba")
    nobody = PairColumns.of(Ragged.from_lists([[], []]))
    assert kept_both_ways(nobody, Requirement(crowd=2, known_pairs=2), monkeypatch) == [[], []]
