"""Every variant that the auditor knows keeps its promise on a few small data sets, with all that leaves compared byte by byte."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tacita.auditing import audit_replay, replay_case, subject_named
from tacita.auditing.cases.sequences import SequenceCase
from tacita.auditing.cases.sets import BasketCase
from tacita.kinds import kind_of, methods
from tacita.privacy.budget import PureDP
from tacita.sequences import NGram, PrefixTree
from tacita.sets import DiffPart, FlatHistogram, ItemsetCounts

VARIANTS = [
    (name, variant)
    for name, method in methods().items()
    if method.promise.takes_epsilon and kind_of(method).case is not None
    for variant in subject_named(name).variants
]


@pytest.mark.parametrize(("method", "variant"), VARIANTS, ids=lambda value: getattr(value, "name", value))
def test_a_variant_keeps_its_promise(method, variant, monkeypatch):
    monkeypatch.setattr("tacita.auditing.exact_replay.FEWEST_TIGHT_RUNS", 2)
    case = replay_case(variant, subject_named(method).budget(8))
    check = audit_replay(case, data_sets=1)
    assert check.passed, check.summary
    assert check.figures["share"] > 0.2


@pytest.mark.parametrize(
    "case",
    [
        SequenceCase(name="tree", mechanism=PrefixTree(height=2), budget=PureDP(4), crowd=60, per_person=3),
        SequenceCase(
            name="grams", mechanism=NGram(max_length=3, max_gram=2), budget=PureDP(60), crowd=60, labels="AB", per_person=2
        ),
        BasketCase(name="diffpart", mechanism=DiffPart(fan_out=2), budget=PureDP(8), crowd=60, labels="ABC", per_person=3),
        BasketCase(name="items", mechanism=ItemsetCounts(), budget=PureDP(90), crowd=60, labels="ABC", per_person=2),
        BasketCase(name="histogram", mechanism=FlatHistogram(), budget=PureDP(2), crowd=60, labels="AB", per_person=4),
    ],
    ids=lambda case: case.name,
)
def test_people_with_several_records_lose_no_more_than_they_are_charged(case):
    check = audit_replay(case, data_sets=1)
    assert check.passed, check.summary
    assert check.figures["epsilon"] == float(case.budget.epsilon) * case.per_person
    assert check.figures["worst_loss"] > float(case.budget.epsilon), "one record alone would lose as much"


def test_where_sequences_are_too_many_to_list_neighbours_are_sampled_and_the_check_says_so():
    case = SequenceCase(
        name="long", mechanism=PrefixTree(height=2), budget=PureDP(4), crowd=60, labels="AB", longest=20, depth=20
    )
    assert not case.lists_all
    assert len(case.domain) < 100
    assert {"", "A" * 20, "AB" * 10} <= set(case.domain)
    check = audit_replay(replace(case, depth=2), data_sets=1)
    assert check.passed
    assert "sampled neighbours" in check.summary


def test_a_question_about_repeats_is_asked_in_a_variant():
    variant = next(variant for variant in subject_named("ngram").variants if "repeats" in variant.name)
    assert variant.mechanism.pipeline(variant.mechanism.max_length, symbols=2).grams.leaps
    case = replay_case(variant, PureDP(Fraction(60)))
    assert case.steady
