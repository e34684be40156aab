"""What one sequence changes in what raked asks, in the sense of squares: every short one, and pairs that hypothesis finds."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings

from strategies import neighbouring_sequences
from tacita.arrays.ragged import Ragged
from tacita.auditing import record, replay
from tacita.auditing.exact_laws import exact_rho
from tacita.privacy.account import Replay
from tacita.privacy.budget import ApproxDP, ZeroConcentrated
from tacita.public.steps import ROOT_UNIT
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import Raked, SequenceRecords

PLACES, INTERVALS = 2, 3
LONG, SHORT = [0, 1, 0, 0, 1, 1], [1, 0]
CROWD = [LONG] * 40 + [SHORT] * 40 + [[0, 0, 0, 0, 0]] * 20
TIMED_CROWD = [[0, 3, 5, 5], [1, 2, 4], [0, 0, 2, 3, 5], [2, 2, 2, 2]] * 25

CASES = [(5, 1, "300"), (4, 1, "1/50"), (1, 1, "3"), (4, INTERVALS, "300"), (3, INTERVALS, "1/10"), (1, INTERVALS, "3")]
"""The longest length, intervals, and a rho: with steps and with single symbols, with times and without."""


def records_of(rows, *, intervals):
    grid = TimeGrid(start=0, interval=1, intervals=intervals) if intervals > 1 else None
    return SequenceRecords(sequences=Ragged.from_lists(rows), universe=Universe(["A", "B"]), grid=grid)


def everybody(longest, intervals):
    """Every sequence that does not go back in time; with times, up to four visits, and some longer ones."""
    symbols = range(PLACES * intervals)
    rows = [
        list(row) for length in range(min(longest, 5 if intervals == 1 else 3) + 2) for row in product(symbols, repeat=length)
    ]
    rows = [row for row in rows if all(one // PLACES <= other // PLACES for one, other in pairwise(row))]
    return rows if intervals == 1 else [*rows[:: 1 + len(rows) // 40], [0] * longest, [1, 2, 2, 2, 4, 4, 5, 5][:longest]]


@pytest.mark.parametrize(("longest", "intervals", "rho"), CASES)
def test_every_sequence_costs_rho_at_most_and_changes_what_the_noise_is_for(longest, intervals, rho):
    mechanism, budget, worst = Raked(max_length=longest), ZeroConcentrated(rho), Fraction(0)
    rows = CROWD if intervals == 1 else TIMED_CROWD
    transcript = record(mechanism, records_of(rows, intervals=intervals), budget=budget)

    def run(each):
        ledger = Replay(transcript)
        data = mechanism.publish(records_of(each, intervals=intervals), budget=budget, ledger=ledger).data
        return data.sequences.to_lists(), ledger.trace

    published, trace = run(rows)
    reached = {}
    for neighbour in [*([*rows, extra] for extra in everybody(longest, intervals)), rows[1:], rows[:-1]]:
        made, other = run(neighbour)
        assert made == published
        for (question, mine), (_, theirs) in zip(trace.entries, other.entries, strict=True):
            squares, changed = int(np.square(mine - theirs).sum()), int(np.abs(mine - theirs).sum())
            assert squares <= question.squares
            assert changed <= question.sensitivity
            reached[question.step] = max(reached.get(question.step, Fraction(0)), Fraction(squares, question.squares))
        worst = max(worst, exact_rho(trace, other))
    assert worst <= budget.rho
    assert {step for step, share in reached.items() if share < Fraction(9, 10)} <= {"repeats"}  # of steps, never all repeat
    assert ("repeats" in reached) == (longest > 1)
    assert ("repeats in time" in reached) == (longest > 1 and intervals > 1)


@pytest.mark.parametrize("epsilon", ["3", "90"])
@given(pair=neighbouring_sequences())
@settings(max_examples=15)
def test_no_pair_of_neighbours_loses_more_than_the_rho_of_an_epsilon_with_a_delta(epsilon, pair):
    budget, mechanism = ApproxDP(epsilon, "1e-6"), Raked(max_length=4)
    for recorded_on in pair:
        transcript = record(mechanism, recorded_on, budget=budget)
        traces = [replay(mechanism, side, budget=budget, transcript=transcript) for side in pair]
        assert exact_rho(*traces) <= budget.rho


def test_the_caps_of_the_crowd_follow_the_squares_of_sequences_that_repeat():
    """The mean length is 4.2, so records of five steps that repeat themselves as others do count in full."""
    transcript = record(Raked(max_length=8), records_of(CROWD, intervals=1), budget=ZeroConcentrated(300))
    squares = {question.step: question.squares / ROOT_UNIT**2 for question, _ in transcript.entries}
    assert 5 < squares["steps"] < 8
    assert 6 < squares["glance"] < 13
    assert squares["repeats"] == 2
