"""Compiled steps are the steps of the plain greedy."""

import random

import numpy as np
import pytest

from tacita.trajectories import Scope, Score, greedy, suppress_greedily
from trajectory_databases import random_database


@pytest.mark.parametrize("one_each", [True, False])
def test_compiled_steps_suppress_what_plain_steps_do(one_each, monkeypatch):
    pytest.importorskip("numba")
    generator, suppressed = random.Random(31), 0
    for turn in range(60):
        database = random_database(generator, one_each=one_each)
        columns, asked, score, scope = database.columns, database.requirement, list(Score)[turn % 3], list(Scope)[turn % 4 == 3]
        kept, weights = [], np.random.default_rng(turn).integers(1, 4, columns.codes.size) / 2
        for least in (10**9, 0):
            monkeypatch.setattr(greedy, "WORTH_COMPILING", least)
            kept.append(suppress_greedily(columns, asked, score=score, scope=scope, weights=weights).tolist())
        assert kept[0] == kept[1]
        suppressed += kept[0].count(False)
    assert suppressed > 300


def test_without_the_extra_the_plain_steps_are_taken(monkeypatch):
    monkeypatch.setattr(greedy, "WORTH_COMPILING", 0)
    monkeypatch.setattr(greedy, "find_spec", lambda _: None)
    monkeypatch.setattr(greedy, "_take_compiled_steps", lambda *_: pytest.fail("these need the extra"))
    database = random_database(random.Random(2))
    assert suppress_greedily(database.columns, database.requirement).size == database.columns.pairs.size
