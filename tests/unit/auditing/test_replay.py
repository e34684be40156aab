"""The replay itself: it must see what it is there to see."""

import dataclasses
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest

from strategies import sequence_records
from tacita.auditing import record, replay, transcript_loss
from tacita.errors import ReplayError, UnplannedDrawError
from tacita.privacy.account import Charge
from tacita.privacy.answers import Transcript
from tacita.privacy.budget import PureDP, Sequential, Step
from tacita.privacy.ledger import Ledger
from tacita.privacy.questions import noisy_cells, select
from tacita.privacy.questions.cells import log_below
from tacita.sequences import PrefixTree
from tacita.testing import seeded_ledger


class Asks:
    """A mechanism that asks what a function tells it to, given the records and the account."""

    def __init__(self, ask, steps=2):
        self.ask, self.steps = ask, steps

    def publish(self, records, /, *, budget, ledger):
        steps = tuple(Step(name=f"step {place}", epsilon=budget.epsilon / self.steps) for place in range(self.steps))
        with ledger.open(Charge(dataset="d", mechanism="asks", plan=Sequential(name="all", parts=steps))) as account:
            self.ask(records, account)


def count_of(account, step, count, *, domain=1, threshold=1, sensitivity=1):
    keys = np.arange(1 if count else 0, dtype=np.int64)
    counts = np.full(keys.size, count, dtype=np.int64)
    return noisy_cells(account, step, keys=keys, counts=counts, domain=domain, threshold=threshold, sensitivity=sensitivity)


def loss(mechanism, first, second):
    budget = PureDP("1")
    transcript = record(mechanism, first, budget=budget)
    return transcript_loss(
        transcript, *(replay(mechanism, side, budget=budget, transcript=transcript) for side in (first, second))
    )


def test_the_loss_of_one_count_is_the_shift_times_the_rate_or_the_ratio_of_failing():
    mechanism = Asks(lambda count, account: count_of(account, "step 0", count), steps=1)
    ratio = exp(-1)
    fail = log((1 - ratio / (1 + ratio)) / (1 - 1 / (1 + ratio)))
    seen = {round(loss(mechanism, 0, 1), 9) for _ in range(200)}
    assert seen == {-1.0, round(fail, 9)}
    assert fail <= 1


def test_a_count_asked_twice_at_full_price_is_refused():
    def ask(count, account):
        count_of(account, "step 0", count)
        count_of(account, "step 0", count)

    with pytest.raises(UnplannedDrawError):
        loss(Asks(ask), 0, 1)


def test_a_sensitivity_that_was_forgotten_shows_as_a_loss_past_epsilon():
    """One person changes the count by 3; noise for a change of 1 loses three times the budget."""
    forgotten = Asks(lambda count, account: count_of(account, "step 0", 3 * count), steps=1)
    assert max(abs(loss(forgotten, 5, 6)) for _ in range(50)) > 2.9
    remembered = Asks(lambda count, account: count_of(account, "step 0", 3 * count, sensitivity=3), steps=1)
    assert max(abs(loss(remembered, 5, 6)) for _ in range(50)) <= 1 + 1e-9


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda count, account: count_of(account, "step 0", count, domain=5 + count), id="a domain read from data"),
        pytest.param(
            lambda count, account: count_of(account, "step 0", count, threshold=1 + count), id="a threshold read from data"
        ),
        pytest.param(lambda count, account: count_of(account, f"step {count % 2}", count), id="a step chosen by data"),
    ],
)
def test_a_question_that_depends_on_raw_data_stops_the_replay(ask):
    with pytest.raises(ReplayError, match="raw data"):
        loss(Asks(ask), 6, 7)


def test_a_run_that_stops_early_because_of_raw_data_is_noticed_either_way():
    def ask(count, account):
        count_of(account, "step 0", count)
        if count > 6:
            count_of(account, "step 1", count)

    with pytest.raises(ReplayError, match="no further question"):
        loss(Asks(ask), 6, 7)
    with pytest.raises(ReplayError, match="fewer questions"):
        loss(Asks(ask), 7, 6)


def test_a_selection_is_replayed_and_its_loss_is_bounded():
    mechanism = Asks(lambda count, account: select(account, "step 0", scores=[count, Fraction(1, 2), 3]), steps=1)
    losses = [abs(loss(mechanism, 3, 4)) for _ in range(100)]
    assert 0 < max(losses) <= 1 + 1e-9
    wrong = Asks(lambda count, account: select(account, "step 0", scores=[40 * count, 2, 3]), steps=1)
    assert max(abs(loss(wrong, 0, 1)) for _ in range(50)) > 1


def test_a_step_that_changes_its_kind_is_noticed():
    def ask(count, account):
        if count > 6:
            select(account, "step 0", scores=[1])
        else:
            count_of(account, "step 0", count)

    for sides in ((6, 7), (7, 6)):
        with pytest.raises(ReplayError):
            loss(Asks(ask), *sides)


def test_traces_of_another_transcript_are_refused():
    mechanism = Asks(lambda count, account: count_of(account, "step 0", count), steps=1)
    transcript = record(mechanism, 1, budget=PureDP("1"))
    trace = replay(mechanism, 1, budget=PureDP("1"), transcript=transcript)
    transcript.entries.append(transcript.entries[0])
    with pytest.raises(ReplayError, match="replays of this transcript"):
        transcript_loss(transcript, trace, trace)


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1), Fraction(5)])
def test_the_probability_of_failing_is_computed_without_cancelling(rate):
    thresholds = np.arange(-30, 31)
    ratio = exp(-float(rate))
    law = np.cumsum([(1 - ratio) / (1 + ratio) * ratio ** abs(value) for value in range(-4000, 31)])
    expected = [log(law[threshold - 1 + 4000]) for threshold in thresholds]
    assert log_below(thresholds, rate) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def every_sequence(labels, longest):
    return ["".join(row) for length in range(longest + 1) for row in product(labels, repeat=length)]


@pytest.mark.parametrize("epsilon", ["2", "20"])
def test_all_neighbours_of_small_data_stay_within_epsilon_and_some_come_close(epsilon):
    """Every sequence of up to 4 symbols over 4 locations added to, and every one removed from, random data."""
    generator = np.random.default_rng(11)
    domain = every_sequence("ABCD", 4)
    tree, budget, worst = PrefixTree(height=3), PureDP(epsilon), 0.0
    for _ in range(4):
        rows = [domain[place] for place in generator.integers(0, len(domain), generator.integers(0, 40))]
        rows += ["ABC"] * int(generator.integers(0, 30))
        base = sequence_records(rows)
        transcript = record(tree, base, budget=budget)
        trace = replay(tree, base, budget=budget, transcript=transcript)
        changed = [[*rows, extra] for extra in domain] + [rows[:place] + rows[place + 1 :] for place in range(len(rows))]
        for neighbour in changed:
            other = replay(tree, sequence_records(neighbour), budget=budget, transcript=transcript)
            worst = max(worst, abs(transcript_loss(transcript, trace, other)))
    assert worst <= float(epsilon) + 1e-9
    assert worst > 0.5 * float(epsilon)


def test_the_loss_reaches_epsilon_for_a_person_on_a_path_that_is_kept():
    tree, budget = PrefixTree(height=3), PureDP("2")
    base, neighbour = sequence_records(["ABC"] * 60), sequence_records(["ABC"] * 61)
    worst = 0.0
    for _ in range(60):
        transcript = record(tree, base, budget=budget)
        traces = [replay(tree, side, budget=budget, transcript=transcript) for side in (base, neighbour)]
        worst = max(worst, abs(transcript_loss(transcript, *traces)))
    assert worst == pytest.approx(2.0)


def test_a_transcript_holds_what_is_public_or_noisy_and_nothing_else():
    """The same seed on neighbours that differ in what is below the threshold records the same transcript."""

    def recorded(rows):
        transcript = Transcript()
        PrefixTree(height=1).publish(sequence_records(rows), budget=PureDP("1"), ledger=seeded_ledger(5, transcript=transcript))
        return [(question, answer.keys.tolist()) for question, answer in transcript.entries]

    assert recorded(["A"] * 1000) == recorded(["A"] * 1001)
    fields = {
        field.name
        for entry in record(PrefixTree(height=1), sequence_records(["A"]), budget=PureDP("1")).entries
        for field in dataclasses.fields(entry[0])
    }
    assert fields == {"step", "epsilon", "sensitivity", "domain", "threshold"}


def test_a_recording_is_charged_like_any_other_run():
    ledger = Ledger(transcript=Transcript())
    PrefixTree(height=2).publish(sequence_records(["AB"]), budget=PureDP("1"), ledger=ledger)
    assert ledger.balance("unnamed").epsilon == 1


def test_scores_so_far_apart_that_their_probability_underflows_still_have_a_loss():
    mechanism = Asks(lambda scores, account: select(account, "step 0", scores=scores), steps=1)
    transcript = record(mechanism, [0, 4000], budget=PureDP("1"))
    transcript.entries[0] = (transcript.entries[0][0], 0)
    traces = [replay(mechanism, side, budget=PureDP("1"), transcript=transcript) for side in ([0, 4000], [0, 4100])]
    assert transcript_loss(transcript, *traces) == pytest.approx(50)


def test_an_answer_of_another_kind_is_refused_not_skipped():
    mechanism = Asks(lambda count, account: count_of(account, "step 0", count), steps=1)
    transcript = record(mechanism, 1, budget=PureDP("1"))
    trace = replay(mechanism, 1, budget=PureDP("1"), transcript=transcript)
    transcript.entries[0] = (transcript.entries[0][0], 3)
    with pytest.raises(ReplayError, match="a different kind"):
        transcript_loss(transcript, trace, trace)
