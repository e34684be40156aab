"""A budget shared along paths: no path can pass it, and every block has the law of its own terms."""

from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from tacita import Ledger
from tacita.auditing.exact_replay import transcript_loss
from tacita.auditing.verdict import chi_square
from tacita.errors import BudgetError, ParameterError, ReplayError, UnplannedDrawError
from tacita.privacy.account import Charge, Replay
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import Sequential, Step
from tacita.privacy.paths import Blocks, Terms
from tacita.privacy.questions import noisy_cells
from tacita.testing import seeded_ledger

CHARGE = Charge(dataset="d", mechanism="m", plan=Step(name="tree", epsilon=Fraction(1)))
NOTHING = np.zeros(0, dtype=np.int64)


def integers(*values):
    return np.array(values, dtype=np.int64)


def blocks(*terms, nodes=None, size=4):
    different = tuple(dict.fromkeys(Terms(epsilon=Fraction(cost), threshold=least) for cost, least in terms))
    places = [different.index(Terms(epsilon=Fraction(cost), threshold=least)) for cost, least in terms]
    return Blocks(
        nodes=integers(*([0] * len(terms) if nodes is None else nodes)),
        sizes=np.full(len(terms), size, dtype=np.int64),
        terms=integers(*places),
        table=different,
    )


def ask(paths, asked, cells=()):
    """Ask with non-empty cells given as (block, cell, count)."""
    columns = integers(*[number for cell in cells for number in cell]).reshape(-1, 3).T
    return paths.ask(asked, places=columns[0].copy(), cells=columns[1].copy(), counts=columns[2].copy())


def test_what_is_left_goes_down_each_path_by_what_was_paid_there():
    with Ledger().open(CHARGE) as account:
        paths = account.paths("tree")
        first = ask(paths, blocks(("1/3", None), ("1/6", None), size=1))
        assert paths.left(first.nodes) == [Fraction(2, 3), Fraction(5, 6)]
        second = ask(paths, blocks(("1/3", None), ("5/6", None), nodes=first.nodes, size=2))
        assert (second.blocks.tolist(), second.cells.tolist()) == ([0, 0, 1, 1], [0, 1, 0, 1])
        assert paths.left(second.nodes) == [Fraction(1, 3)] * 2 + [Fraction(0)] * 2
        codes, table = paths.amounts(second.nodes)
        assert [table[code] for code in codes] == paths.left(second.nodes)


def test_no_path_can_cost_more_than_the_step():
    with Ledger().open(CHARGE) as account:
        paths = account.paths("tree")
        with pytest.raises(UnplannedDrawError, match="more than the budget that is left"):
            ask(paths, blocks(("11/10", None)))
        kept = ask(paths, blocks(("1/2", None), size=2))
        with pytest.raises(UnplannedDrawError, match="more than the budget that is left"):
            ask(paths, blocks(("1/2", None), ("51/100", None), nodes=kept.nodes))
        assert ask(paths, blocks(("1/2", None), ("1/2", None), nodes=kept.nodes)).nodes.size == 8


def test_a_node_is_asked_once_and_only_if_it_was_kept():
    with Ledger().open(CHARGE) as account:
        paths = account.paths("tree")
        ask(paths, blocks(("1/4", 1_000_000)))
        with pytest.raises(UnplannedDrawError, match="already been asked"):
            ask(paths, blocks(("1/4", None)))
        with pytest.raises(UnplannedDrawError, match="cell that was kept"):
            ask(paths, blocks(("1/4", None), nodes=[1]))


def test_a_shared_step_is_opened_once_and_not_drawn_beside():
    with Ledger().open(CHARGE) as account:
        account.paths("tree")
        with pytest.raises(UnplannedDrawError, match="already been drawn"):
            account.paths("tree")
        with pytest.raises(UnplannedDrawError, match="already been drawn"):
            noisy_cells(account, "tree", keys=NOTHING, counts=NOTHING, domain=3, threshold=1)


def test_a_closed_account_answers_no_path():
    with Ledger().open(CHARGE) as account:
        paths = account.paths("tree")
    with pytest.raises(UnplannedDrawError, match="closed"):
        ask(paths, blocks(("1/4", None)))


@pytest.mark.parametrize("starts", [0, True, 1.5])
def test_the_number_of_paths_a_record_starts_is_a_whole_number(starts):
    with Ledger().open(CHARGE) as account, pytest.raises(ParameterError, match="starts"):
        account.paths("tree", starts=starts)


def test_approximate_steps_have_no_paths():
    plan = Step(name="tree", epsilon=Fraction(1), delta=Fraction(1, 10))
    with Ledger().open(Charge(dataset="d", mechanism="m", plan=plan)) as account, pytest.raises(UnplannedDrawError, match="pure"):
        account.paths("tree")


@pytest.mark.parametrize(
    ("asked", "cells", "message"),
    [
        (blocks(), (), "at least one block"),
        (blocks(("1/2", 0)), (), "at least 1"),
        (blocks(("0", 1)), (), "positive epsilon"),
        (blocks(("1/2", 1), size=2**61), (), "2\\*\\*61"),
        (blocks(("1/2", None), size=60_000_000), (), "set one"),
        (blocks(("1/2", 1)), ((0, 4, 1),), "inside their block"),
        (blocks(("1/2", 1)), ((0, -1, 1),), "inside their block"),
        (blocks(("1/2", 1)), ((0, 2, 1), (0, 2, 1)), "increase strictly"),
    ],
)
def test_what_would_be_another_law_is_refused_and_nothing_is_drawn(asked, cells, message):
    with Ledger().open(CHARGE) as account:
        with pytest.raises(ParameterError, match=message):
            ask(account.paths("tree"), asked, cells)
        assert account.draws == []


@pytest.mark.parametrize("column", ["nodes", "sizes", "terms"])
@pytest.mark.parametrize("kind", [np.uint64, np.int32, np.float64, np.bool_])
def test_columns_of_other_numbers_than_64_bit_integers_are_refused(column, kind):
    """Beside 64-bit integers, unsigned ones make floats, which cannot tell neighbouring cells apart."""
    asked = blocks(("1/2", 1_000_000), size=2**60)
    asked = replace(asked, **{column: getattr(asked, column).astype(kind)})
    with Ledger().open(CHARGE) as account:
        with pytest.raises(ParameterError, match="arrays of 64-bit integers"):
            ask(account.paths("tree"), asked, ((0, 2**60 - 1, 3),))
        assert account.draws == []


def test_noise_that_no_machine_can_hold_is_refused():
    with Ledger().open(CHARGE) as account, pytest.raises(BudgetError, match="2\\*\\*-40"):
        ask(account.paths("tree", starts=2**41), blocks(("1/2", 1)))


def test_each_round_is_written_down_before_it_is_drawn():
    ledger = Ledger()
    with ledger.open(CHARGE) as account:
        paths = account.paths("tree", starts=3)
        kept = ask(paths, blocks(("1/2", None), size=1))
        ask(paths, blocks(("1/4", 5), ("1/2", 7), nodes=[kept.nodes[0]] * 2))
        assert [(draw.step, draw.epsilon, draw.noise) for draw in account.draws] == [
            ("tree, round 1", Fraction(1, 2), "discrete Laplace, scale 6, all kept"),
            (
                "tree, round 2",
                Fraction(1, 2),
                "discrete Laplace, scale 6 to 12, kept if the noisy count is at least 5 to 7, depending on the block",
            ),
        ]
    assert [entry.step for entry in ledger.history() if entry.step] == ["tree, round 1", "tree, round 2"]


def test_every_block_has_the_law_of_its_own_terms():
    """Blocks at three terms in turn, with a count in their second cell: each cell must fall as the exact law says."""
    many, size, count = 20_000, 3, 2
    table = (
        Terms(epsilon=Fraction(3, 2), threshold=2),
        Terms(epsilon=Fraction(1, 2), threshold=3),
        Terms(epsilon=Fraction(1), threshold=None),
    )
    plan = Sequential(name="all", parts=(Step(name="tree", epsilon=Fraction(2)),))
    with seeded_ledger(7).open(Charge(dataset="d", mechanism="m", plan=plan)) as account:
        turns = np.arange(many, dtype=np.int64) % 3
        asked = Blocks(nodes=np.zeros(many, dtype=np.int64), sizes=np.full(many, size, dtype=np.int64), terms=turns, table=table)
        which = np.arange(many, dtype=np.int64)
        found = account.paths("tree", starts=2).ask(
            asked, places=which, cells=np.ones(many, dtype=np.int64), counts=np.full(many, count, dtype=np.int64)
        )
    for place, terms in enumerate(table):
        blocks_of_terms = int((turns == place).sum())
        ratio = exp(-float(terms.epsilon) / 2)
        for cell in range(size):
            values = found.values[(turns[found.blocks] == place) & (found.cells == cell)]
            true = count if cell == 1 else 0
            least = -8 if terms.threshold is None else terms.threshold
            span = range(least, least + 17)
            expected = [blocks_of_terms * (1 - ratio) / (1 + ratio) * ratio ** abs(value - true) for value in span]
            observed = [int((values == value).sum()) for value in span]
            rest = [blocks_of_terms - sum(observed)], [blocks_of_terms - sum(expected)]
            assert chi_square([*observed, *rest[0]], [*expected, *rest[1]]) > 1e-5
            if terms.threshold is None:
                assert values.size == blocks_of_terms


def test_a_replay_gives_the_same_answers_and_the_loss_of_each_cell_at_its_own_rate():
    asked = blocks(("1/2", 1), ("1/4", None), size=3)

    def run(ledger, count):
        with ledger.open(CHARGE) as account:
            return ask(account.paths("tree", starts=2), asked, ((0, 1, 50), (1, 2, count)))

    transcript = Transcript()
    first = run(seeded_ledger(3, transcript=transcript), 5)
    mine, other = Replay(transcript), Replay(transcript)
    again = run(mine, 5)
    assert np.array_equal(first.values, again.values)
    run(other, 6)
    assert abs(transcript_loss(transcript, mine.trace, other.trace)) == pytest.approx(1 / 8)


def test_a_replay_with_other_blocks_is_a_decision_on_raw_data():
    transcript = Transcript()
    with seeded_ledger(3, transcript=transcript).open(CHARGE) as account:
        ask(account.paths("tree"), blocks(("1/2", 1), size=3))
    with pytest.raises(ReplayError, match="raw data"), Replay(transcript).open(CHARGE) as account:
        ask(account.paths("tree"), blocks(("1/2", 1), size=4))


@pytest.mark.parametrize("again", [1, 2, 3])
def test_of_nodes_that_were_asked_together_none_is_asked_a_second_time(again):
    with seeded_ledger(1).open(CHARGE) as account:
        paths = account.paths("tree")
        first = ask(paths, blocks(("1/4", None), size=4))
        ask(paths, blocks(*[("1/4", None)] * 3, nodes=first.nodes[:3].tolist()))
        with pytest.raises(UnplannedDrawError, match="already been asked"):
            ask(paths, blocks(("1/4", None), nodes=[int(first.nodes[again - 1])]))
