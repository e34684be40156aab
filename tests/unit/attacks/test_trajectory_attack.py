"""Linkage attacks are exact: they agree with going through all sets."""

import random
from itertools import combinations

import numpy as np
import pytest

from tacita.attacks.trajectories import attack_trajectories
from trajectory_databases import random_database


def by_going_through(database, size):
    """Smallest crowd, share of unique sets and highest confidence of each record."""
    found = []
    flags = database.flags
    for row, person in zip(database.rows, database.persons, strict=True):
        crowds, unique, confidence = [], [], [0.0]
        for some in map(frozenset, combinations(sorted(row), size)):
            people = {who for other, who in zip(database.rows, database.persons, strict=True) if some <= other}
            crowds.append(len(people))
            unique.append(len(people) == 1)
            mine = np.flatnonzero(flags[person]).tolist()
            confidence += [float(np.mean([flags[who, group] for who in people])) for group in mine]
        found.append((min(crowds, default=0), float(np.mean(unique)) if unique else 0.0, max(confidence)))
    return found


def test_random_databases_are_attacked_exactly():
    generator = random.Random(23)
    for _ in range(200):
        database = random_database(generator)
        if not database.columns.pairs.size:
            continue
        for risk in attack_trajectories(database.columns, known_pairs=4).sizes:
            expected = by_going_through(database, risk.size)
            assert risk.smallest.tolist() == [crowd for crowd, _, _ in expected]
            assert risk.unique.tolist() == pytest.approx([share for _, share, _ in expected])
            assert risk.confidence.tolist() == pytest.approx([highest for _, _, highest in expected])
