"""How much one record changes what is counted of symbols, steps, ends and shapes: every short record, and boundaries."""

from itertools import product

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.counting.blocks import SequenceCountsOfBlocks
from tacita.counting.blocks.counters import LocalBlocks
from tacita.counting.local import LocalSequenceCounts
from tacita.public.steps import ROOT_UNIT, UNIT, StepCodes, length_edges, record_weights, repeat_shares, root_weights, squares_of
from tacita.sequences.raked.synthesis import Cap

LABELS, LONGEST, MAX_LENGTH = 3, 6, 5
EVERYBODY = [list(row) for length in range(LONGEST + 1) for row in product(range(LABELS), repeat=length)]
CODES = [StepCodes(symbols=LABELS, kept=np.array(kept)) for kept in ([0, 1, 2], [1], [0, 2])]
EDGES = length_edges(MAX_LENGTH)
MEMBERS = np.array([0, 2])


def counted(*rows, max_length=MAX_LENGTH):
    """Counts add up over records, so the counter of one record tells what that record changes."""
    return LocalSequenceCounts(Ragged.from_lists(rows)).steps(max_length=max_length)


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_no_record_changes_symbols_or_steps_by_more_than_its_cap(most):
    reached = {"symbols": 0, "steps": 0}
    for row in EVERYBODY:
        counter = counted(row)
        reached["symbols"] = max(reached["symbols"], int(counter.symbols(labels=LABELS, most=most)[1].sum()))
        for codes in CODES:
            reached["steps"] = max(reached["steps"], int(counter.steps(codes, most=most)[1].sum()))
    assert reached == {
        "symbols": UNIT * min(most, MAX_LENGTH),
        "steps": UNIT * min(most, MAX_LENGTH + 1),
    }  # and the bound is reached


@pytest.mark.parametrize("most", [1, 2, 3, 5, 8, 40])
def test_no_record_changes_symbols_or_steps_by_more_than_its_cap_in_the_sense_of_squares(most):
    cap, reached = Cap(most=most, squared=True), {"symbols": 0, "steps": 0}
    for row in EVERYBODY:
        counter, parts = counted(row), min(len(row), MAX_LENGTH)
        asked = [("symbols", parts, counter.symbols(labels=LABELS, most=most, squared=True)[1])]
        asked += [("steps", parts + 1, counter.steps(codes, most=most, squared=True)[1]) for codes in CODES]
        for name, number, weights in asked:
            squares = int((weights**2).sum())
            reached[name] = max(reached[name], squares)
            assert int(weights.sum()) <= cap.changes(number)[0]
    most_symbols = MAX_LENGTH**2  # all symbols alike; with one code for all of them, four of six steps are
    least = {"symbols": min(most, most_symbols), "steps": min(most, 18)}
    for name, squares in reached.items():
        assert 0.99 * least[name] * ROOT_UNIT**2 < squares <= cap.changes(MAX_LENGTH)[1] == most * ROOT_UNIT**2


def test_what_many_weigh_is_the_sum_of_what_each_weighs_alone():
    rows = [*EVERYBODY[::7], *[[0, 0, 0, 0]] * 5]
    for ask in (
        lambda counter: counter.steps(CODES[1], most=4, squared=True),
        lambda counter: counter.symbols(labels=LABELS, most=2, squared=True),
        lambda counter: counter.repeats(labels=LABELS),
    ):
        sums = np.zeros(16, dtype=np.int64)
        for row in rows:
            keys, weights = ask(counted(row))
            sums[keys] += weights
        keys, weights = ask(counted(*rows))
        assert sums[keys].tolist() == weights.tolist()
        assert keys.tolist() == np.flatnonzero(sums).tolist()


@pytest.mark.parametrize("most", [1, 2, 3, 7, 100, 1_002_001])
def test_roots_of_weights_are_exact(most):
    """For every sum of squares, w^2 S <= V^2 M, and no unit more would fit unless it weighs in full."""
    squares = np.unique(np.concatenate([np.arange(1, 3_000), np.arange(1, 1_002) ** 2, np.arange(2, 1_002) ** 2 - 1]))
    for weight, each in zip(root_weights(squares, most).tolist(), squares.tolist(), strict=True):
        assert weight**2 * each <= ROOT_UNIT**2 * most
        assert weight == ROOT_UNIT or (weight + 1) ** 2 * each > ROOT_UNIT**2 * most


def test_squares_are_those_of_each_record_however_many_cells_there_are():
    cells, parts = np.array([4, 4, 2, 4, 9, 9, 9]), np.array([3, 0, 1, 3])
    assert squares_of(cells, parts).tolist() == [5, 0, 1, 9]
    assert squares_of(cells + 2**61, parts).tolist() == [5, 0, 1, 9]
    assert squares_of(cells[:0], parts[:0]).tolist() == []


def test_which_share_of_pairs_repeats_is_between_nothing_and_one_for_every_record():
    for row in EVERYBODY:
        keys, sums = counted(row).repeats(labels=LABELS)
        found = dict(zip(keys.tolist(), sums.tolist(), strict=True))
        kept = row[:MAX_LENGTH]
        for key, parts in ((0, kept), (1, list(zip([None, *kept], [*kept, None], strict=True)))):
            pairs = [(one, other) for place, one in enumerate(parts) for other in parts[:place]]
            equal = sum(one == other for one, other in pairs)
            assert found.get(key, 0) == (ROOT_UNIT * equal // len(pairs) if pairs and kept else 0) <= ROOT_UNIT
    assert repeat_shares(np.array([9]), np.array([3])).tolist() == [ROOT_UNIT]


@pytest.mark.parametrize("cap", [2, 3, 12, 13, 50])
@pytest.mark.parametrize("further", [-2, -1, 0, 1, 2, 17, 388])
def test_weights_add_up_to_the_cap_at_the_most_below_at_and_above_it(cap, further):
    """In floating point, 13 times 12 / 13 is more than 12."""
    length = max(1, cap + further)
    (weight,) = record_weights(np.array([length]), cap).tolist()
    assert length * weight <= UNIT * cap
    assert (weight == UNIT) is (length <= cap)
    assert (length * (weight + 1) > UNIT * cap) or weight == UNIT  # no weight is lost


def test_a_record_has_one_shape_one_company_and_one_pair_of_ends():
    for row in EVERYBODY:
        counter, is_there = counted(row), min(len(row), 1)
        assert int(counter.shapes(EDGES, labels=LABELS)[1].sum()) == is_there
        assert int(counter.company(MEMBERS)[1].sum()) == is_there
        for codes in CODES:
            assert int(counter.ends(codes, together=True)[1].sum()) == is_there
            assert int(counter.ends(codes, together=False)[1].sum()) == 2 * is_there


def test_steps_are_what_follows_what_with_start_and_end():
    """Codes 0, 1, 2; the start and the end are 3."""
    codes = StepCodes(symbols=3, kept=np.array([0, 1, 2]))
    keys, weights = counted([2, 0], [2], max_length=9).steps(codes, most=2)
    found = {divmod(key, 4): weight for key, weight in zip(keys.tolist(), weights.tolist(), strict=True)}
    two_thirds = UNIT * 2 // 3
    assert found == {(3, 2): two_thirds + UNIT, (2, 0): two_thirds, (0, 3): two_thirds, (2, 3): UNIT}


def test_rare_symbols_are_new_or_back_within_their_own_record():
    codes = StepCodes(symbols=5, kept=np.array([3]))
    assert codes.coded(Ragged.from_lists([[0, 3, 0, 1], [0], [1, 1]])).tolist() == [1, 0, 2, 1, 1, 1, 2]


def test_shapes_are_numbers_of_different_symbols_round_trips_and_stays():
    keys, counts = counted([0, 1, 0], [0, 0], [0, 1, 1, 2], [0, 1], [2, 2, 2], [1, 1]).shapes(EDGES, labels=LABELS)
    found = {divmod(key, EDGES.size): count for key, count in zip(keys.tolist(), counts.tolist(), strict=True)}
    assert found == {(1, 1): 1, (2, 0): 2, (2, 2): 1, (0, 1): 1, (3, 0): 1}  # (round trip + 2 * stays, different symbols - 1)


def test_company_is_who_has_exactly_which_of_some_symbols():
    keys, counts = counted([0, 1, 0], [2], [1, 1, 2], [2, 2], [0], []).company(np.array([0, 2]))
    assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == {0b01: 2, 0b10: 3}


def test_what_is_cut_off_and_empty_records_change_nothing():
    codes = CODES[1]
    for row in EVERYBODY[:: len(EVERYBODY) // 50]:
        whole, cut = counted([], row, []), counted(row[:MAX_LENGTH])
        for question in (
            lambda counter: counter.steps(codes, most=2),
            lambda counter: counter.ends(codes, together=True),
            lambda counter: counter.symbols(labels=LABELS, most=2),
            lambda counter: counter.shapes(EDGES, labels=LABELS),
            lambda counter: counter.company(MEMBERS),
        ):
            for first, second in zip(question(whole), question(cut), strict=True):
                assert first.tolist() == second.tolist()


def test_blocks_count_as_one_process_does():
    parts = [EVERYBODY[::3], EVERYBODY[1::3], [[]], EVERYBODY[2::3]]
    blocks = LocalBlocks(blocks=4, load=lambda number: Ragged.from_lists(parts[number]), counted=LocalSequenceCounts)
    together = LocalSequenceCounts(Ragged.from_lists(EVERYBODY)).steps(max_length=MAX_LENGTH)
    apart = SequenceCountsOfBlocks(blocks).steps(max_length=MAX_LENGTH)
    for question in (
        lambda counter: counter.steps(CODES[1], most=3),
        lambda counter: counter.ends(CODES[2], together=False),
        lambda counter: counter.symbols(labels=LABELS, most=2),
        lambda counter: counter.shapes(EDGES, labels=LABELS),
        lambda counter: counter.company(MEMBERS),
        lambda counter: counter.steps(CODES[1], most=3, squared=True),
        lambda counter: counter.symbols(labels=LABELS, most=4, squared=True),
        lambda counter: counter.repeats(labels=LABELS),
    ):
        for first, second in zip(question(together), question(apart), strict=True):
            assert first.tolist() == second.tolist()
