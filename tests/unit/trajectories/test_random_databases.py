"""Random small databases: violations are exact, every strategy ends without one, and the published check is caught as broken."""

import random
from itertools import combinations

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.trajectories import (
    Scope,
    Score,
    find_violations,
    first_pairs,
    least_loss,
    occurrences,
    pack,
    packing,
    suppress_greedily,
    verify,
)
from tacita.trajectories.loss import FrequentSets
from trajectory_databases import kept_rows, minimal_violating, random_database, violating

STRATEGIES = {
    "packing": pack,
    "published": suppress_greedily,
    "by gain": lambda columns, asked: suppress_greedily(columns, asked, score=Score.GAIN),
    "by loss": lambda columns, asked: suppress_greedily(columns, asked, score=Score.LOSS),
    "global": lambda columns, asked: suppress_greedily(columns, asked, scope=Scope.GLOBAL),
    "by frequent sets": lambda columns, asked: suppress_greedily(columns, asked, frequent=FrequentSets(columns, support=2)),
    "weighted": lambda columns, asked: pack(columns, asked, weights=np.arange(1.0, columns.codes.size + 1)),
}


def check_database(generator, strategies):
    database = random_database(generator)
    columns = database.columns
    found = {frozenset(codes) for codes in find_violations(columns, database.requirement)}
    assert found == minimal_violating(database)
    for name, suppress in strategies.items():
        rows = kept_rows(columns, suppress(columns, database.requirement))
        assert not violating(database, rows), name
        assert all(kept <= row for kept, row in zip(rows, database.rows, strict=True)), name


def test_a_hundred_random_databases_end_without_a_violation():
    generator = random.Random(5)
    for _ in range(100):
        check_database(generator, STRATEGIES)


@pytest.mark.parametrize(("chunk", "dense", "room"), [(1, 8, 1 << 20), (1 << 19, -(1 << 30), 1 << 20), (1 << 19, 8, 1)])
def test_violations_are_exact_however_pairs_are_cut_into_blocks(chunk, dense, room, monkeypatch):
    monkeypatch.setattr(first_pairs, "CHUNK", chunk)
    monkeypatch.setattr(first_pairs, "DENSE", dense)
    monkeypatch.setattr(first_pairs, "_room", lambda _: room)
    generator = random.Random(29)
    for _ in range(30):
        check_database(generator, {})


@pytest.mark.slow
def test_ten_thousand_random_databases_end_without_a_violation(monkeypatch):
    """Half of them by compiled code, where it is installed."""
    generator = random.Random(11)
    for turn in range(10_000):
        for module in (packing, occurrences):
            monkeypatch.setattr(module, "WORTH_COMPILING", turn % 2 * 10**9)
        name = list(STRATEGIES)[turn % len(STRATEGIES)]
        check_database(generator, {name: STRATEGIES[name], "packing": pack})


def test_the_verifier_agrees_with_the_definition():
    generator = random.Random(7)
    verdicts = []
    for _ in range(300):
        database = random_database(generator)
        lists = Ragged.from_lists([sorted(row) for row in database.rows])
        verdict = verify(lists, database.requirement, persons=np.array(database.persons), sensitive=database.flags)
        assert verdict.violating == len(violating(database))
        verdicts.append(verdict.holds)
    assert any(verdicts)
    assert not all(verdicts)


def published_check(rows, asked, minimal, pair, whole):
    """Algorithm 5.2 as it is printed, for databases without sensitive values."""
    with_whole = [row for row in rows if whole <= row]
    rest = [row for row in rows if pair in row and not whole <= row]
    common = frozenset().union(*with_whole) & frozenset().union(*rest)
    removed = frozenset().union(*(part for part in minimal if pair in part or len(part) == 1))
    common = {other for other in common if other == pair or other not in removed}
    others = [part for part in minimal if pair not in part]
    for size in range(1, asked.known_pairs + 1):
        for part in map(frozenset, combinations(sorted(common), size)):
            number = sum(part <= row for row in rest)
            if not any(other <= part for other in others) and 0 < number < asked.crowd:
                return False
    return True


def test_the_published_check_lets_a_violation_through_and_ours_does_not():
    database = random_database(random.Random(1), one_each=True)
    rows = tuple(map(frozenset, ({1, 2}, {0, 1}, {0, 2}, {0, 1, 2})))
    asked = type(database.requirement)(crowd=2, known_pairs=3)
    broken = type(database)(rows, (0, 1, 2, 3), ((0, 0),) * 4, asked)
    assert minimal_violating(broken) == {frozenset({0, 1, 2})}
    assert published_check(rows, asked, minimal_violating(broken), 0, frozenset({0, 1, 2}))
    assert violating(broken, (*rows[:3], rows[3] - {0})) == {frozenset({0, 1}), frozenset({0, 2})}
    for suppress in STRATEGIES.values():
        assert not violating(broken, kept_rows(broken.columns, suppress(broken.columns, asked)))


def test_stale_scores_let_no_violation_through():
    rows = tuple(map(frozenset, ({1, 4}, {2, 3}, {0, 1}, {0, 2}, {0, 1, 2}, {0, 2, 3})))
    template = random_database(random.Random(1), one_each=True)
    asked = type(template.requirement)(crowd=2, known_pairs=2)
    database = type(template)(rows, tuple(range(6)), ((0, 0),) * 6, asked)
    assert minimal_violating(database) == {frozenset({4}), frozenset({0, 3}), frozenset({1, 2})}
    for suppress in STRATEGIES.values():
        assert not violating(database, kept_rows(database.columns, suppress(database.columns, asked)))


def test_no_suppression_loses_less_than_the_lower_bound():
    generator = random.Random(3)
    for _ in range(200):
        database = random_database(generator)
        columns = database.columns
        if not columns.pairs.size:
            continue
        bound = least_loss(columns, database.requirement)
        for suppress in (pack, suppress_greedily):
            assert 1 - suppress(columns, database.requirement).mean() >= bound - 1e-12


def test_no_violation_is_left_means_private_and_the_other_way_round():
    generator = random.Random(13)
    for _ in range(200):
        database = random_database(generator)
        assert (len(find_violations(database.columns, database.requirement)) == 0) == (not violating(database))


def test_global_suppression_makes_no_new_violation():
    generator = random.Random(17)
    for _ in range(100):
        database = random_database(generator)
        columns = database.columns
        for pair in range(columns.codes.size):
            after = {frozenset(codes) for codes in find_violations(columns.where(columns.pairs != pair), database.requirement)}
            assert after <= minimal_violating(database)
