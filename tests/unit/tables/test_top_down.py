"""Top-down partitioning: scores of bounded sensitivity, budgets that add up, releases that hold what was counted."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import tables
from tacita import ApproxDP, Ledger, PureDP
from tacita.auditing.cases.tables import TopDowns
from tacita.auditing.exact_replay import audit_replay
from tacita.auditing.output_test import audit_output
from tacita.errors import BudgetError, ParameterError
from tacita.privacy.account import StandIn
from tacita.privacy.questions.cells import Cells
from tacita.tables import Numeric, Schema, SplitScore, TableRecords, TopDown
from tacita.tables.top_down import _candidates, _score, possible_splits


def with_row(records, row):
    columns = [*records.quasi, records.sensitive]
    more = [np.append(codes, value) for codes, value in zip(columns, row, strict=True)]
    return TableRecords(schema=records.schema, quasi=tuple(more[:-1]), sensitive=more[-1])


@given(records=tables(most=25), data=st.data())
@settings(max_examples=80, deadline=None)
@pytest.mark.parametrize("score", SplitScore)
def test_one_more_row_changes_every_score_by_one_at_the_most(score, records, data):
    schema = records.schema
    row = [data.draw(st.integers(0, size - 1)) for size in (*schema.sizes, schema.sensitive.size)]
    starts = [
        sorted({0, *data.draw(st.sets(st.integers(0, size - 1), max_size=2))}) if isinstance(column, Numeric) else [0]
        for column, size in zip(schema.quasi, schema.sizes, strict=True)
    ]
    fewer, more = records.counts(), with_row(records, row).counts()
    for candidate in _candidates(schema, starts):
        assert abs(_score(fewer, score, *candidate) - _score(more, score, *candidate)) <= 1


class Truth:
    """Answers without noise: the best candidate, and every cell that somebody is in."""

    def answer(self, _question, truth):
        if isinstance(truth, Cells):
            return Cells(truth.keys, truth.values)
        return max(range(len(truth)), key=lambda place: truth[place])


@given(records=tables(), splits=st.integers(1, 40), score=st.sampled_from(SplitScore))
@settings(max_examples=80, deadline=None)
def test_without_noise_every_row_is_published_with_ranges_that_hold_it(records, splits, score):
    method = TopDown(splits=splits, score=score)
    release = method.publish(records, budget=PureDP("1"), ledger=StandIn(Truth()))
    table = release.data
    assert len(table) == len(records)
    lows, highs = table.lows[table.groups], table.highs[table.groups]
    for row, value in zip(zip(*records.quasi, strict=True), records.sensitive.tolist(), strict=True):
        inside = ((lows <= np.array(row)) & (np.array(row) < highs)).all(axis=1) & (table.sensitive == value)
        assert inside.any()
    if splits >= possible_splits(records.schema):
        assert (highs - lows == 1).all()


@given(records=tables(), splits=st.integers(1, 12), share=st.sampled_from(["0.1", "1/3", "0.9"]))
@settings(max_examples=60, deadline=None)
def test_what_is_drawn_is_what_explain_says_and_adds_up_to_the_budget(records, splits, share):
    method, ledger = TopDown(splits=splits, share=share), Ledger()
    release = method.publish(records, budget=PureDP("3/7"), ledger=ledger)
    promised = method.explain(PureDP("3/7"), records.public).plan
    assert promised.epsilon == Fraction(3, 7)
    assert [(draw["step"], Fraction(draw["epsilon"])) for draw in release.manifest["budget"]["draws"]] == [
        (step.name, step.epsilon) for step in promised.steps()
    ]
    assert ledger.balance(records.name).epsilon == Fraction(3, 7)


def test_a_replay_on_all_neighbours_of_small_tables_costs_at_most_epsilon():
    subject = TopDowns()
    check = audit_replay(subject.replay_case(subject.variants[0], PureDP("2")), data_sets=2, seed=3)
    assert check.passed, check.summary


@pytest.mark.slow
def test_a_replay_by_every_score_costs_at_most_epsilon():
    subject = TopDowns()
    for variant in subject.variants:
        check = audit_replay(subject.replay_case(variant, PureDP("2")), data_sets=20, seed=4)
        assert check.passed, check.summary


@pytest.mark.slow
def test_the_outputs_follow_the_exact_law():
    """A correct mechanism fails this about 6 times in 100,000 runs for each of three variants."""
    subject = TopDowns()
    for variant in subject.variants:
        check = audit_output(subject.output_case(variant), runs=20_000)
        assert check.passed, check.summary


def test_a_score_of_twenty_times_the_sensitivity_is_caught(monkeypatch):
    from tacita.tables import top_down

    honest = top_down._score
    monkeypatch.setattr(top_down, "_score", lambda *candidate: 20 * honest(*candidate))
    subject = TopDowns()
    case = subject.replay_case(subject.variants[0], PureDP("2"))
    assert not audit_replay(case, data_sets=4, seed=1).passed


def test_what_top_down_cannot_use_is_refused():
    with pytest.raises(BudgetError, match="pure differential privacy"):
        TopDown().plan(ApproxDP("1", "1e-6"))
    with pytest.raises(ParameterError, match="share must be above 0"):
        TopDown(share="1")
    with pytest.raises(ParameterError, match="splits must be"):
        TopDown(splits=0)
    with pytest.raises(ParameterError, match="score must be one of"):
        TopDown(score="best")
    records = TableRecords(schema=Schema(quasi=(Numeric(name="a", low=0, high=9),)), quasi=(np.arange(10),))
    with pytest.raises(ParameterError, match="needs a sensitive column"):
        TopDown(score="gain").publish(records, budget=PureDP("1"))
