"""What the auditor does with baskets, and with a budget that has a delta."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import exp, inf, log, nan

import pytest

from tacita.auditing import (
    BasketCase,
    Variant,
    audit_output,
    audit_replay,
    exact_law,
    output_case,
    replay_case,
    subject_of,
)
from tacita.auditing.broken_mechanisms import Counting, whole_baskets
from tacita.auditing.exact_laws import certain_excess, exact_excess
from tacita.auditing.exact_replay import _check, _Worst
from tacita.auditing.verdict import at_least
from tacita.errors import ParameterError
from tacita.kinds import methods
from tacita.privacy.account import StandIn
from tacita.privacy.answers import Drawing, Recording
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.noise import passing_probability, stable_threshold
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sets import DiffPart, StableHistogram
from tacita.testing import SeededSource, public_generator

TWENTIETH = ApproxDP(1, "1/20")


def case_of(mechanism, budget=TWENTIETH, **rest):
    return BasketCase(name="shop", mechanism=mechanism, budget=budget, **{"labels": "AB", **rest})


def test_the_domain_is_every_basket_and_the_neighbours_are_all_that_there_are():
    case = case_of(DiffPart(), labels="ABCDE")
    assert len(set(case.domain)) == 31
    rows = ("AB", "C", "AB")
    near = list(case.neighbours(rows))
    assert len(near) == 31 + 2
    assert [len(other) - len(rows) for other in near] == [1] * 31 + [-1] * 2
    for other in near:
        difference = (Counter(other) - Counter(rows)) + (Counter(rows) - Counter(other))
        assert difference.total() == 1


def test_tight_pairs_differ_by_one_basket_and_begin_with_the_one_that_takes_the_longest_path():
    pairs = case_of(DiffPart(), labels="ABC", crowd=9).tight_pairs()
    assert pairs[0] == (("ABC",) * 9, ("ABC",) * 10)
    assert {more[-1] for _, more in pairs} == {"ABC", "AB", "AC", "BC", "A", "B", "C"}
    assert len(case_of(DiffPart(), labels="A", crowd=9).tight_pairs()) == 1


def test_random_rows_are_baskets_of_the_domain():
    case, generator = case_of(DiffPart(), labels="ABC", crowd=5), public_generator(1)
    drawn = [case.random_rows(generator) for _ in range(40)]
    assert {row for rows in drawn for row in rows} <= set(case.domain)
    assert max(map(len, drawn)) > 8 > min(map(len, drawn))


def test_sampled_neighbours_differ_by_one_basket_and_are_sets():
    case = case_of(DiffPart(), labels="ABCDE")
    records = case.records(("ABE", "C", "ABC", "D") * 3)
    seen = set()
    for what, neighbour in case.sampled_neighbours(records, number=30, seed=1):
        seen.add(what.split(" ")[-1])
        rows, others = (Counter(map(tuple, side.baskets.to_lists())) for side in (records, neighbour))
        assert ((rows - others) + (others - rows)).total() == 1
        assert (others - rows).total() == (0 if "removed" in what else 1)
    assert seen == {"removed", "added"}


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 5), Fraction(1)])
@pytest.mark.parametrize(("labels", "span"), [("A", 30), ("AB", 3), ("ABC", 0)])
def test_one_person_changes_the_exact_law_of_partitioning_by_epsilon_and_no_more(alpha, labels, span):
    """With one empty cell too many, as published, the ratio for one or two items would be e^0.596 at an epsilon of 0.05."""
    case = case_of(DiffPart(fan_out=2), PureDP(alpha), labels=labels)
    laws = [exact_law(case, case.records(rows), span=span) for rows in ((), (labels,))]
    assert laws[0].keys() == laws[1].keys()
    ratios = [abs(log(laws[0][outcome] / laws[1][outcome])) for outcome in laws[0]]
    assert max(ratios) <= float(alpha) * (1 + 1e-9)
    assert max(ratios) > 0.99 * float(alpha)
    for basket in {row for outcome in laws[0] for row, _ in outcome}:
        passes = [sum(chance for outcome, chance in law.items() if basket in dict(outcome)) for law in laws]
        assert abs(log(passes[0] / passes[1])) <= float(alpha) * (1 + 1e-9)


def test_a_wide_fan_out_is_narrowed_so_that_the_few_labels_of_an_audit_have_several_levels():
    case = replay_case(Variant(name="wide", mechanism=DiffPart(fan_out=10)), PureDP(1))
    assert len(case.mechanism.order(Universe(case.labels)).splits) > 1


def test_a_taxonomy_of_the_owner_is_replaced_by_a_small_one():
    mine = Taxonomy.balanced(Universe(["milk", "rolls", "soda"]), fan_out=2)
    variant = Variant(name="mine", mechanism=DiffPart(taxonomy=mine))
    for case in (replay_case(variant, PureDP(1)), output_case(variant)):
        assert set(case.mechanism.taxonomy.universe.labels) == set(case.labels)


def test_the_auditor_names_the_methods_that_it_knows():
    with pytest.raises(ParameterError, match=f"knows {', '.join(methods())}, got Counting"):
        subject_of(Variant(name="other", mechanism=Counting(whole_baskets)))


def test_the_excess_of_two_laws_is_what_an_exponential_of_epsilon_does_not_explain():
    """Randomised response with a leak of a tenth, by hand."""
    first, second = {"yes": 0.6, "no": 0.3, "told": 0.1}, {"yes": 0.3, "no": 0.7}
    assert exact_excess(first, second, epsilon=log(2)) == pytest.approx((0.1, 0.1))
    assert exact_excess(second, first, epsilon=log(2)) == pytest.approx((0.1, 0.1))
    assert exact_excess(first, second, epsilon=0) == pytest.approx((0.4, 0.4))
    assert exact_excess(first, first, epsilon=0) == pytest.approx((0, 0))


def test_the_excess_of_laws_with_a_rest_is_bounded_from_both_sides():
    low, high = exact_excess({"a": 0.5}, {"a": 0.9}, epsilon=0)
    assert (low, high) == pytest.approx((0.4, 0.5))
    assert exact_excess({"a": 0.5}, {"a": 0.5}, epsilon=0) == pytest.approx((0, 0.5))


def test_frequencies_prove_an_excess_only_where_there_is_one():
    def seen(leaks):
        return Counter(told=leaks, nothing=2000 - leaks), Counter(nothing=2000)

    many, event = certain_excess(seen(200), seen(200), epsilon=1, risk=1e-5)
    assert 0.05 < many < 0.1
    assert event == "one of 1 releases came 200 against 0 times"
    assert certain_excess(seen(0), seen(200), epsilon=1, risk=1e-5)[0] == 0  # what was not learnt is not proved
    assert certain_excess(seen(3), seen(3), epsilon=1, risk=1e-5)[0] == 0


@pytest.mark.parametrize("delta", ["1/20", "1/100", "1/3"])
def test_the_exact_excess_of_a_stable_histogram_is_the_chance_that_a_single_basket_comes_out(delta):
    budget = ApproxDP(1, delta)
    case = case_of(StableHistogram(), budget)
    laws = [exact_law(case, case.records(rows), span=30) for rows in ((), ("A",))]
    low, high = exact_excess(*laws, epsilon=1)
    alone = passing_probability(Fraction(1), stable_threshold(budget.epsilon, budget.delta) - 1)
    assert low == pytest.approx(alone)
    assert low <= high <= budget.delta
    assert high == pytest.approx(low, abs=1e-9)


class LowThreshold(Drawing):
    """Keeps lists from one below the threshold on."""

    def answer(self, question, counts):
        return super().answer(replace(question, threshold=question.threshold - 1), counts)


def test_a_sampler_that_keeps_too_much_is_seen_in_the_frequencies():
    case = case_of(StableHistogram(), small_pairs=(((), ("A",)),), span=10)

    def ledger(number, transcript):
        return StandIn(Recording(LowThreshold(SeededSource(number)), transcript))

    check = audit_output(case, runs=6_000, ledger=ledger, processes=1)
    assert not check.passed
    assert any("do not follow the exact law" in line for line in check.evidence)
    assert any("the excess over e^epsilon is at least" in line for line in check.evidence)
    assert check.figures["certain_excess"] > check.figures["delta"] > check.figures["exact_excess_at_most"]


def test_a_loss_that_only_delta_allows_is_no_failure_by_itself():
    check = audit_replay(case_of(StableHistogram(), ApproxDP(1, "1/5"), crowd=20), data_sets=40)
    assert check.passed, check.summary
    assert check.figures["trials"] == 40
    assert 0 < check.figures["infinite"] < 20
    assert check.figures["worst_loss"] == pytest.approx(1)


@pytest.mark.slow
def test_more_of_them_than_delta_allows_is_a_failure():
    leaky = Counting(partial(whole_baskets, hidden=-1))
    check = audit_replay(case_of(leaky, crowd=20, labels="ABCD"), data_sets=300)
    assert not check.passed
    assert "more than delta 0.05 allows" in check.summary


def test_without_a_delta_an_infinite_loss_is_a_failure_and_with_one_a_loss_that_is_no_number_is():
    for loss, budget in ((inf, PureDP(1)), (nan, TWENTIETH)):
        worst = _Worst(1.0)
        worst.take(loss, "a pair", has_delta=budget.delta > 0)
        assert not _check(case_of(None, budget), worst, "exact replay", "", "").passed
    worst = _Worst(1.0)
    worst.take(inf, "a pair", has_delta=True)
    assert _check(case_of(None), worst, "exact replay", "", "").passed


def test_the_tail_of_the_binomial_law_is_exact():
    assert at_least(0, 10, probability=0.1) == 1
    assert at_least(1, 2, probability=0.5) == pytest.approx(0.75)
    assert at_least(3, 3, probability=exp(-1)) == pytest.approx(exp(-3))
