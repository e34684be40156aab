"""The best subset of each record."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.trajectories.choices import EXACT, Conflicts, best_subsets


def conflicts_of(size, sets, weights=None):
    by_size = {}
    for some in sorted(sets):
        by_size.setdefault(len(some), []).append(some)
    lines = tuple(np.array(part, dtype=np.int32).T for _, part in sorted(by_size.items()))
    return Conflicts(offsets=np.array([0, size]), forbidden=lines, weights=weights)


def best_by_trying(size, sets, worth):
    best = 0.0
    for mask in range(1 << size):
        kept = {place for place in range(size) if mask >> place & 1}
        if not any(set(some) <= kept for some in sets):
            best = max(best, sum(worth[place] for place in kept))
    return best


problems = st.integers(1, 9).flatmap(
    lambda size: st.tuples(
        st.just(size), st.sets(st.sets(st.integers(0, size - 1), min_size=1, max_size=3).map(lambda some: tuple(sorted(some))))
    )
)


@given(problems)
@settings(max_examples=300, deadline=None)
def test_the_largest_subset_is_found(problem):
    size, sets = problem
    keep, exact = best_subsets(conflicts_of(size, sets))
    kept = set(np.flatnonzero(keep).tolist())
    assert exact.all()
    assert not any(set(some) <= kept for some in sets)
    assert len(kept) == best_by_trying(size, sets, [1.0] * size)


@given(problems, st.lists(st.integers(1, 50), min_size=9, max_size=9))
@settings(max_examples=200, deadline=None)
def test_the_heaviest_subset_is_found(problem, numbers):
    size, sets = problem
    worth = [float(number) for number in numbers[:size]]
    keep, _ = best_subsets(conflicts_of(size, sets, np.array(worth)))
    kept = set(np.flatnonzero(keep).tolist())
    assert not any(set(some) <= kept for some in sets)
    assert sum(worth[place] for place in kept) == best_by_trying(size, sets, worth)


def test_of_equally_large_subsets_the_one_with_the_first_rows_is_kept():
    keep, _ = best_subsets(conflicts_of(3, {(0, 2)}))
    assert keep.tolist() == [True, True, False]


def test_a_record_that_is_too_long_for_a_table_keeps_no_forbidden_set_and_nothing_can_be_added():
    size = 3 * EXACT
    generator = np.random.default_rng(3)
    sets = {tuple(sorted(generator.choice(size, 2, replace=False).tolist())) for _ in range(150)}
    sets |= {tuple(sorted(generator.choice(size, 3, replace=False).tolist())) for _ in range(80)}
    keep, exact = best_subsets(conflicts_of(size, sets))
    kept = set(np.flatnonzero(keep).tolist())
    assert not exact.any()
    assert not any(set(some) <= kept for some in sets)
    for place in set(range(size)) - kept:
        assert any(set(some) <= kept | {place} for some in sets)


def test_records_choose_independently():
    lines = np.array([[0, 1], [2, 3], [2, 4]], dtype=np.int32).T
    keep, _ = best_subsets(Conflicts(offsets=np.array([0, 2, 5, 6]), forbidden=(lines,)))
    assert keep.tolist() == [True, False, False, True, True, True]


def test_all_pairs_of_a_large_record_in_conflict_leave_one():
    size = EXACT
    keep, _ = best_subsets(conflicts_of(size, set(combinations(range(size), 2))))
    assert keep.tolist() == [True] + [False] * (size - 1)
