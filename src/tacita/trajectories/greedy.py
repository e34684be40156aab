"""Suppression as published, made sound: minimal violating sequences are removed one by one, by the best score.

Chen's thesis, 2012, Algorithm 5.3. A step takes a pair p out of the records that have a minimal violating set m ("local"), or
out of all records ("global"). Its score is gain / (loss + 1): how many violating sets vanish, over how much is lost. By gain or
by loss alone is possible too.

We depart where the published algorithm is wrong. Its check of a local step (Algorithm 5.2) leaves out sets that can become
violating, and scores go stale, so that a quarter of small random databases end in a violation at L = 3. Here a local step is
valid only if every set with p that occurs in those records, and contains no minimal violating set, has afterwards nobody or
still satisfies the requirement; this is checked on the current state right before the step. Violating sets that vanish from
those records altogether are gone too (line 7 asks for exactly the same records, which leaves phantoms that cost more
suppressions).

Steps depend on each other, so they are taken one after another; scores are bounded from above at first and computed when their
turn comes. Where there are many, and the extra `fast` is installed, `compiled_greedy` takes the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from heapq import heapify, heappop, heappush
from importlib.util import find_spec
from typing import TypeVar

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.arrays.ragged import offsets_of
from tacita.trajectories.indexed_sets import IndexedSets, PairColumns, widened
from tacita.trajectories.loss import FrequentSets
from tacita.trajectories.occurrences import Level, levels
from tacita.trajectories.requirement import Requirement

__all__ = ["Scope", "Score", "suppress_greedily"]

Number = TypeVar("Number", float, Reals)

WORTH_COMPILING = 5000
"""From this many violating sets on, compiled steps are quicker, loading them included."""


class Score(StrEnum):
    """By what the next step is chosen."""

    RATIO = "ratio"
    GAIN = "gain"
    LOSS = "loss"

    def of(self, gain: Number, loss: Number) -> Number:
        """The score of a step, or of many; the highest is taken."""
        if self is Score.RATIO:
            return gain / (loss + 1)
        return gain if self is Score.GAIN else 1 / (loss + 1)


class Scope(StrEnum):
    """Whether a pair may be taken out of some records only."""

    LOCAL = "local"
    GLOBAL = "global"


def suppress_greedily(
    columns: PairColumns,
    requirement: Requirement,
    *,
    score: Score = Score.RATIO,
    scope: Scope = Scope.LOCAL,
    frequent: FrequentSets | None = None,
    weights: Reals | None = None,
) -> Booleans:
    """Which rows are kept; the loss is in instances, each worth the weight of its pair, or in frequent sets if they are given."""
    state = _State(columns, requirement, frequent, np.ones(columns.codes.size) if weights is None else weights)
    if frequent is None and state.left >= WORTH_COMPILING and find_spec("numba") is not None:
        _take_compiled_steps(state, score, scope)
        return state.keep
    waiting = _Queue(state, score, scope)
    while state.left:
        step = waiting.best()
        if step is None:
            break
        violation, pair = step
        touched = state.take_everywhere(pair) if violation < 0 else state.take_locally(violation, pair)
        waiting.note(touched, pair)
    return state.keep


class _State:
    """What is still there: rows, violating sets, and how many persons have each set that does not violate."""

    def __init__(
        self,
        columns: PairColumns,
        requirement: Requirement,
        frequent: FrequentSets | None,
        weights: Reals,
    ) -> None:
        self.columns, self.requirement, self.frequent, self.weights = columns, requirement, frequent, weights
        self.keep = np.ones(columns.pairs.size, dtype=np.bool_)
        found = list(levels(columns, requirement))
        self.bad = _sets(found, columns, violating=True)
        self.good = _sets(found, columns, violating=False)
        everything = np.arange(self.good.sets.size)
        self.persons, self.sensitive = self.good.losses(everything, np.arange(len(self.good)), self.keep)
        self.alive = np.ones(len(self.bad), dtype=np.bool_)
        self.current = np.diff(self.bad.starts)  # in how many records each violating set still is
        self.left = len(self.bad)
        self.supports = np.bincount(columns.pairs, minlength=columns.codes.size)
        self.by_pair = np.argsort(columns.pairs, kind="stable")
        self.pair_starts = offsets_of(self.supports)
        self.per_pair = np.bincount(self.bad.members[self.bad.members >= 0], minlength=columns.codes.size)

    def where(self, violation: int) -> Numbers:
        """The occurrences of a violating set that are still there."""
        those = self.bad.by_set[self.bad.starts[violation] : self.bad.starts[violation + 1]]
        return those[self.bad.stands(those, self.keep)]

    def rows_of(self, violation: int, pair: int) -> Integers:
        """The rows with the pair in the records that have the violating set."""
        those = self.where(violation)
        place = int(np.flatnonzero(self.bad.members[violation] == pair)[0])
        return np.asarray(self.bad.rows[those, place], dtype=np.int64)

    def vanishing(self, rows: Integers) -> tuple[Integers, Integers]:
        """The violating sets that have one of these rows, and from how many records they vanish with them."""
        those = self.bad.with_rows(rows)
        sets = self.bad.sets[those]
        there = self.alive[sets] & self.bad.stands(those, self.keep)
        found, numbers = np.unique(sets[there], return_counts=True)
        return found.astype(np.int64), numbers.astype(np.int64)

    def gain(self, rows: Integers) -> int:
        """How many violating sets are nowhere once these rows are gone."""
        sets, numbers = self.vanishing(rows)
        return int(np.count_nonzero(numbers == self.current[sets]))

    def is_valid(self, rows: Integers) -> bool:
        """Whether no set that does not violate does so once these rows are gone."""
        persons, sensitive, _ = self._afterwards(rows)
        return not self.requirement.broken(persons, sensitive).any()

    def _afterwards(self, rows: Integers) -> tuple[Integers, Integers, Integers]:
        """Persons and sensitive counts, after these rows, of all sets that have one and do not violate; and their numbers."""
        those = self.good.with_rows(rows)
        those = those[self.good.stands(those, self.keep)]
        sets = np.unique(self.good.sets[those])
        lost, lost_sensitive = self.good.losses(those, sets, self.keep)
        return self.persons[sets] - lost, self.sensitive[sets] - lost_sensitive, sets.astype(np.int64)

    def take_locally(self, violation: int, pair: int) -> Integers:
        """Take a pair out of the records that have a violating set; give back which violating sets were touched."""
        rows = self.rows_of(violation, pair)
        sets, numbers = self.vanishing(rows)
        self._take(rows, pair)
        self.current[sets] -= numbers
        self._gone(sets[self.current[sets] == 0])
        return np.asarray(sets[self.current[sets] > 0], dtype=np.int64)

    def take_everywhere(self, pair: int) -> Integers:
        """Take a pair out of all records."""
        rows = self.by_pair[self.pair_starts[pair] : self.pair_starts[pair + 1]]
        rows = rows[self.keep[rows]]
        sets, _ = self.vanishing(rows)
        self._take(rows, pair)
        self.current[sets] = 0
        self._gone(sets)
        return np.zeros(0, dtype=np.int64)

    def _take(self, rows: Integers, pair: int) -> None:
        persons, sensitive, sets = self._afterwards(rows)
        self.persons[sets], self.sensitive[sets] = persons, sensitive
        if self.frequent is not None:
            self.frequent.take(rows, self.keep)
        self.keep[rows] = False
        self.supports[pair] -= rows.size

    def _gone(self, sets: Integers) -> None:
        self.alive[sets] = False
        self.left -= sets.size
        members = self.bad.members[sets]
        np.subtract.at(self.per_pair, members[members >= 0], 1)

    def loss(self, rows: Integers, pair: int) -> float:
        """What is lost with these rows, which hold one pair."""
        return self.worth(pair, rows.size) if self.frequent is None else float(self.frequent.lost(rows, self.keep))

    def worth(self, pair: int, rows: float) -> float:
        """What that many rows with a pair are worth."""
        return float(self.weights[pair]) * rows


class _Queue:
    """Steps by their scores, the best first; what stands here may be too high, and is computed when its turn comes."""

    def __init__(self, state: _State, score: Score, scope: Scope) -> None:
        self._state, self._score, self._scope = state, score, scope
        self._heap: list[tuple[float, int, int, int]] = []
        for scores, violations, pairs in _first_steps(state, score, scope, everywhere=self._everywhere):
            self._heap += [
                (-value, int(violation < 0), violation, pair)
                for value, violation, pair in zip(scores.tolist(), violations.tolist(), pairs.tolist(), strict=True)
            ]
        heapify(self._heap)

    def _everywhere(self, pair: int) -> float:
        state = self._state
        if state.frequent is None:
            return self._score.of(float(state.per_pair[pair]), state.worth(pair, float(state.supports[pair])))
        return self._score.of(float(state.per_pair[pair]), float(state.frequent.with_pair(pair)))

    def best(self) -> tuple[int, int] | None:
        """The step with the highest score that is valid now: a violating set (-1 for everywhere) and a pair."""
        state = self._state
        while self._heap:
            promised, kind, violation, pair = heappop(self._heap)
            if violation < 0:
                if not state.per_pair[pair]:
                    continue
                score = self._everywhere(pair)
                if score < -promised:
                    heappush(self._heap, (-score, kind, violation, pair))
                    continue
                return violation, pair
            if not state.alive[violation]:
                continue
            rows = state.rows_of(violation, pair)
            score = self._score.of(state.gain(rows), state.loss(rows, pair))
            if score < -promised:
                heappush(self._heap, (-score, kind, violation, pair))
            elif state.is_valid(rows):
                return violation, pair
        return None

    def note(self, touched: Integers, pair: int) -> None:
        """Let violating sets that changed have their turns again."""
        state = self._state
        if state.per_pair[pair]:
            heappush(self._heap, (-self._everywhere(pair), 1, -1, pair))
        if self._scope is Scope.GLOBAL:
            return
        for violation in touched.tolist():
            rows = self._state.bad.members[violation]
            gain = float(state.per_pair[rows[rows >= 0]].max())
            for member in rows[rows >= 0].tolist():
                loss = 0.0 if state.frequent is not None else state.worth(member, float(state.current[violation]))
                heappush(self._heap, (-self._score.of(gain, loss), 0, violation, member))


def _first_steps(
    state: _State, score: Score, scope: Scope, *, everywhere: Callable[[int], float]
) -> Iterator[tuple[Reals, Integers, Integers]]:
    """All steps with a bound on the score of each: violating sets (-1 for everywhere) and pairs."""
    if scope is Scope.LOCAL:
        highest = state.bad.highest_gains()
        least = np.zeros(len(state.bad)) if state.frequent is not None else np.diff(state.bad.starts)
        for place, members in enumerate(state.bad.members.T):
            mine = np.flatnonzero(members >= 0)
            worth = state.weights[members[mine]] * least[mine]
            scores = score.of(highest[mine, place].astype(np.float64), worth)
            yield scores, mine, members[mine].astype(np.int64)
    pairs = np.flatnonzero(state.per_pair)
    yield np.array([everywhere(pair) for pair in pairs.tolist()], dtype=np.float64), np.full(pairs.size, -1), pairs


def _take_compiled_steps(state: _State, score: Score, scope: Scope) -> None:
    """Take all steps by compiled code; only the loss by instances is compiled."""
    from tacita.trajectories.compiled_greedy import Good, Violating, taken_steps  # noqa: PLC0415 - an extra, slow to import

    def everywhere(pair: int) -> float:
        return score.of(float(state.per_pair[pair]), state.worth(pair, float(state.supports[pair])))

    bad, good, columns = state.bad, state.good, state.columns
    shares, copies = good.shares()
    scores, violations, pairs = map(np.concatenate, zip(*_first_steps(state, score, scope, everywhere=everywhere), strict=True))
    bounds = state.requirement.bounds
    taken_steps(
        Violating(
            rows=bad.rows,
            sets=bad.sets,
            members=bad.members,
            by_set=bad.by_set,
            starts=bad.starts,
            by_row=bad.by_row,
            row_starts=bad.row_starts,
            current=state.current,
            alive=state.alive,
        ),
        Good(
            rows=good.rows,
            sets=good.sets,
            by_row=good.by_row,
            row_starts=good.row_starts,
            persons=state.persons,
            sensitive=state.sensitive,
            shares=shares,
            copies=copies,
            record_of=good.records,
            flags=columns.sensitive[columns.person_of(np.arange(len(columns), dtype=np.int32))],
        ),
        state.keep,
        (state.by_pair, state.pair_starts, state.supports, state.per_pair, state.weights),
        (scores, violations, pairs),
        (
            state.requirement.crowd,
            np.array([bound.numerator for bound in bounds], dtype=np.int64),
            np.array([bound.denominator for bound in bounds], dtype=np.int64),
            list(Score).index(score),
            scope is Scope.LOCAL,
        ),
    )


def _sets(found: list[Level], columns: PairColumns, *, violating: bool) -> IndexedSets:
    """The sets of all sizes that do, or do not, violate, with where they occur and how many persons have them."""
    widest = max((level.size for level in found), default=1)
    rows, sets, members, before = [], [], [], 0
    for level in found:
        chosen = np.flatnonzero(level.violating == violating)
        number = np.full(len(level), -1, dtype=np.int32)
        number[chosen] = np.arange(chosen.size, dtype=np.int32) + before
        mine = np.flatnonzero(number[level.sets] >= 0)
        rows.append(widened(level.rows.of(mine).T, widest))
        sets.append(number[level.sets[mine]])
        members.append(widened(level.pairs(columns, chosen), widest))
        before += chosen.size
    nothing = np.zeros((0, widest), dtype=np.int32)
    return IndexedSets(
        columns,
        rows=np.concatenate([nothing, *rows]),
        sets=np.concatenate([nothing[:, 0], *sets]),
        members=np.concatenate([nothing, *members]),
    )
