"""How much one record changes what is counted about times, and that blocks count as memory does."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.counting.blocks import LocalBlocks, SequenceCountsOfBlocks
from tacita.counting.local import LocalSequenceCounts
from tacita.public.steps import ROOT_UNIT, UNIT, StepCodes
from tacita.public.time_grid import GapCells, TimeGrid, VisitCells, day_lengths, evenly_divided, gap_bins
from tacita.sequences.raked.synthesis import Cap

LABELS, INTERVALS, LONGEST, MAX_LENGTH = 2, 3, 5, 4
EVERYBODY = [
    list(row) for length in range(LONGEST + 1) for row in combinations_with_replacement(range(LABELS * INTERVALS), length)
]
CLASSES = np.array([0, 0, 1, 1, 2])
VISITS = VisitCells.of(np.array([0, 1]), np.stack([np.zeros(INTERVALS, dtype=np.int64), np.arange(INTERVALS)]))
GAPS = GapCells(by_left=np.array([0, 0, 1, 1]), blocks=np.array([0, 0, 1]), bins=np.array([0, 1, 1]))


def counted(*rows):
    return LocalSequenceCounts(Ragged.from_lists(rows)).times(labels=LABELS, max_length=MAX_LENGTH)


@pytest.mark.parametrize("most", [1, 2, 3, MAX_LENGTH])
def test_no_record_changes_visits_and_gaps_by_more_than_its_cap(most):
    visits = max(int(counted(row).visits(VISITS, most=most)[1].sum()) for row in EVERYBODY)
    gaps = max(int(counted(row).gaps(GAPS, most=most)[1].sum()) for row in EVERYBODY)
    assert visits == UNIT * most
    assert gaps == UNIT * min(most, MAX_LENGTH - 1)


@pytest.mark.parametrize("most", [1, 2, 5, 16])
def test_no_record_changes_visits_and_gaps_by_more_than_its_cap_in_the_sense_of_squares(most):
    cap, reached = Cap(most=most, squared=True), {"visits": 0, "gaps": 0}
    for row in EVERYBODY:
        parts = min(len(row), MAX_LENGTH)
        for name, number, weights in (
            ("visits", parts, counted(row).visits(VISITS, most=most, squared=True)[1]),
            ("gaps", parts - 1, counted(row).gaps(GAPS, most=most, squared=True)[1]),
        ):
            reached[name] = max(reached[name], int((weights**2).sum()))
            assert int(weights.sum()) <= cap.changes(max(number, 0))[0]
    least = {"visits": min(most, 16), "gaps": min(most, 5)}  # of three gaps, one has another class of what is left
    for name, squares in reached.items():
        assert 0.99 * least[name] * ROOT_UNIT**2 < squares <= most * ROOT_UNIT**2


def test_which_share_of_pairs_of_visits_is_in_one_interval():
    for row in EVERYBODY:
        times = [code // LABELS for code in row[:MAX_LENGTH]]
        pairs = [one == other for place, one in enumerate(times) for other in times[:place]]
        assert counted(row).repeats()[1].tolist() == [ROOT_UNIT * sum(pairs) // max(len(pairs), 1)] * any(pairs)


def test_a_record_begins_once_whatever_its_length():
    assert not counted([]).beginnings(CLASSES, intervals=INTERVALS)[1].size
    for row in EVERYBODY[1:]:
        cells, counts = counted(row).beginnings(CLASSES, intervals=INTERVALS)
        assert counts.tolist() == [1]
        assert cells.tolist() == [CLASSES[min(len(row), MAX_LENGTH)] * INTERVALS + row[0] // LABELS]


def test_visits_and_gaps_are_counted_where_they_are():
    row = [0, 1, 3, 5]  # place 0 and 1 in the first interval, 1 in the second, 1 in the third
    keys, counts = counted(row).visits(VISITS, most=4)
    assert dict(zip(keys.tolist(), (counts // UNIT).tolist(), strict=True)) == {0: 1, 1: 1, 2: 1, 3: 1}
    keys, counts = counted(row).gaps(GAPS, most=4)
    assert dict(zip(keys.tolist(), (counts // UNIT).tolist(), strict=True)) == {
        (1 * 2 + 0) * 2 + 0: 1,  # three left, in the first block, no time passes
        (1 * 2 + 0) * 2 + 1: 1,  # two left, one interval passes
        (0 * 2 + 0) * 2 + 1: 1,  # one left
    }


def test_blocks_count_times_as_memory_does():
    lists = [Ragged.from_lists(EVERYBODY[start::3]) for start in range(3)]
    blocks = SequenceCountsOfBlocks(LocalBlocks(blocks=3, load=lists.__getitem__, counted=LocalSequenceCounts))
    times, whole = blocks.times(labels=LABELS, max_length=MAX_LENGTH), counted(*EVERYBODY)
    for ask in (
        lambda counter: counter.beginnings(CLASSES, intervals=INTERVALS),
        lambda counter: counter.visits(VISITS, most=2),
        lambda counter: counter.gaps(GAPS, most=2),
        lambda counter: counter.visits(VISITS, most=2, squared=True),
        lambda counter: counter.gaps(GAPS, most=2, squared=True),
        lambda counter: counter.repeats(),
    ):
        assert all(np.array_equal(one, other) for one, other in zip(ask(times), ask(whole), strict=True))
    untimed = LocalSequenceCounts(Ragged.from_lists([[code % LABELS for code in row] for row in EVERYBODY]))
    asked = blocks.untimed(labels=LABELS)
    assert asked.lengths(longest=5) == untimed.lengths(longest=5)
    found, expected = (
        one.steps(max_length=4).ends(StepCodes(symbols=LABELS, kept=np.arange(LABELS)), together=True) for one in (asked, untimed)
    )
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


def test_every_interval_is_in_one_block_and_every_gap_in_one_bin():
    for intervals in (1, 2, 5, 24, 168, 173):
        for blocks in (1, 4, 8):
            block_of = evenly_divided(intervals, blocks)
            assert block_of[0] == 0
            assert set(np.diff(block_of).tolist()) <= {0, 1}
            assert block_of.max() == min(blocks, intervals) - 1
        bins = gap_bins(intervals, exact=4, widening=4)
        assert bins[0] == 0
        assert set(np.diff(bins).tolist()) <= {0, 1}


def test_a_day_is_known_from_dates_and_guessed_from_numbers():
    from datetime import UTC, datetime, timedelta

    dated = TimeGrid(start=datetime(2026, 5, 4, tzinfo=UTC), interval=timedelta(hours=1), intervals=168)
    assert day_lengths(dated) == (24,)
    assert day_lengths(TimeGrid(start=0, interval=3600, intervals=168)) == (24,)
    assert day_lengths(TimeGrid(start=0, interval=60, intervals=26)) == ()
    assert day_lengths(TimeGrid(start=0, interval=1, intervals=72)) == (24,)
