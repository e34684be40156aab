"""Verdicts are computed: for each of them a row is changed, and the verdict with it."""

from dataclasses import replace

import pytest

from tacita_papers.reproduce import Line, Point, Row, Verdict, experiments
from tacita_papers.reproduce.claims import Below, Bound, Direction, Equals, Gain, Matches, Trend, Untold, Way
from tacita_papers.reproduce.pages import causes_table, headline
from tacita_papers.reproduce.running import Outcome
from tacita_papers.reproduce.verdicts import Judgement, causes, judge, overall

LOWER = Below(text="A is below B", lower="A", higher="B")


def rows(series, *values, data="Metro", panel="", line=Line.OURS):
    return [
        Row(data=data, series=series, x=str(place + 1), value=value, panel=panel, line=line) for place, value in enumerate(values)
    ]


def drawn(series, *values, line=Line.OURS, data="Metro"):
    return Row.of(values, data=data, series=series, x="1", line=line)


def points(series, *values, data="Metro"):
    return [Point(data=data, series=series, x=str(place + 1), value=value) for place, value in enumerate(values)]


def verdict(claim, found, published=()):
    (each,) = judge(claim, found, published)
    return each.verdict


# The rules.


@pytest.mark.parametrize(
    ("ours", "expected"),
    [((90, 95), Verdict.BETTER), ((80, 99), Verdict.HOLDS), ((60, 95), Verdict.WEAKER)],
)
def test_a_table_is_better_if_no_cell_is_worse_and_holds_if_the_mean_is_not(ours, expected):
    claim = Matches(text="finds as many", better=Direction.HIGHER)
    assert verdict(claim, rows("N-gram", *ours), points("N-gram", 85, 95)) is expected


def test_the_series_of_a_table_may_have_another_name_with_us():
    claim = Matches(text="finds as many", better=Direction.LOWER, ours={"DER": "shape"})
    found = [*rows("DER", 9, 9), *rows("shape", 1, 1)]
    assert verdict(claim, found, points("DER", 2, 2)) is Verdict.BETTER


@pytest.mark.parametrize(("most", "expected"), [(0.5, Verdict.BETTER), (0.3, Verdict.HOLDS), (0.2, Verdict.WEAKER)])
def test_a_bound_is_held_against_the_worst_figure(most, expected):
    claim = Bound(text="below", where={"series": "Hybrid"}, most=most)
    assert verdict(claim, [*rows("Hybrid", 0.1, 0.28), *rows("Simple", 9)]) is expected


@pytest.mark.parametrize(("least", "expected"), [(3, Verdict.BETTER), (4, Verdict.HOLDS), (5, Verdict.WEAKER)])
def test_a_lower_bound_is_held_against_the_smallest_figure(least, expected):
    assert verdict(Bound(text="above", where={}, least=least), rows("x", 9, 4)) is expected


@pytest.mark.parametrize(("lower", "expected"), [((5, 5), Verdict.BETTER), ((6, 7), Verdict.HOLDS), ((9, 9), Verdict.WEAKER)])
def test_a_gain_is_compared_with_the_stated_range(lower, expected):
    claim = Gain(text="better by 30 % to 45 %", of="new", over="old", least=0.3, most=0.45)
    assert verdict(claim, [*rows("new", *lower), *rows("old", 10, 10)]) is expected


def test_a_series_is_below_another_if_it_is_so_in_nine_of_ten_places():
    almost, half = [1] * 9 + [3], [1] * 5 + [3] * 5
    assert verdict(LOWER, [*rows("A", *almost), *rows("B", *[2] * 10)]) is Verdict.HOLDS
    assert verdict(LOWER, [*rows("A", *half), *rows("B", *[2] * 10)]) is Verdict.WEAKER


@pytest.mark.parametrize(
    ("way", "values", "holds"),
    [
        (Way.FALLS, (3, 2, 1), True),
        (Way.FALLS, (1, 2, 3), False),
        (Way.RISES, (1, 2, 3), True),
        (Way.STABLE, (10, 11, 10), True),
        (Way.STABLE, (10, 40, 10), False),
        (Way.DIPS, (5, 2, 4), True),
        (Way.DIPS, (1, 2, 3), False),
        (Way.LINEAR, (1, 2, 3), True),
        (Way.LINEAR, (1, 4, 9), False),
        (Way.QUADRATIC, (1, 4, 9), True),
        (Way.QUADRATIC, (1, 8, 27), False),
    ],
)
def test_a_trend_looks_at_every_line(way, values, holds):
    found = verdict(Trend(text="trend", way=way), rows("a", *values))
    assert (found is Verdict.HOLDS) == holds


def test_statistics_are_compared_with_the_printed_ones():
    claim = Equals(text="same sizes")
    assert verdict(claim, rows("records", 100), points("records", 101)) is Verdict.HOLDS
    assert verdict(claim, rows("records", 100), points("records", 120)) is Verdict.WEAKER


def test_what_was_not_measured_or_not_printed_cannot_be_compared():
    claims = [
        Matches(text="t", better=Direction.LOWER),
        Bound(text="t", where={"series": "a"}, most=1),
        Gain(text="t", of="a", over="b", least=0),
        LOWER,
        Trend(text="t", way=Way.FALLS),
        Equals(text="t"),
        Untold(text="t", untold="the picture is lost"),
    ]
    found = [verdict(claim, []) for claim in claims]
    assert {*found} == {Verdict.NOT_COMPARABLE}
    assert overall(each for claim in claims for each in judge(claim, [], [])) is Verdict.NOT_COMPARABLE


# The causes. B is at 2 everywhere; A misses it.

OURS = [drawn("A", 3.0, 3.1, 2.9), drawn("B", 2.0, 2.0, 2.0)]


def printed(*values):
    return drawn("A", *values, line=Line.PRINTED)


def noiseless(value):
    return Row(data="Metro", series="A", x="1", value=value, line=Line.NOISELESS)


def test_a_miss_within_two_standard_errors_is_not_told_apart():
    near = [drawn("A", 2.5, 1.7, 2.1), OURS[1]]
    assert verdict(LOWER, near) is Verdict.NOT_TOLD_APART
    assert verdict(LOWER, OURS) is Verdict.WEAKER


def test_errors_are_those_of_pairs_so_runs_that_vary_together_can_be_told_apart():
    noise = (0.0, 5.0, 10.0)
    pairs = [drawn("A", *(2.5 + each for each in noise)), drawn("B", *(2.0 + each for each in noise))]
    assert verdict(LOWER, pairs) is Verdict.WEAKER
    assert verdict(LOWER, [pairs[0], drawn("B", 12.0, 2.0, 7.0)]) is Verdict.NOT_TOLD_APART


def test_a_single_run_never_says_that_ours_is_weaker():
    (each,) = judge(LOWER, [drawn("A", 30.0), OURS[1]], [])
    assert each.verdict is Verdict.NOT_TOLD_APART
    assert each.reason.endswith("one run")


def test_a_claim_with_an_erratum_that_fails_is_the_prints_own_contradiction():
    claim = replace(LOWER, erratum="Tables 6.3, 6.9, 6.10 and 6.11 (text)")
    assert verdict(claim, OURS) is Verdict.CONTRADICTED
    assert verdict(claim, [drawn("A", 1.0, 1.0), OURS[1]]) is Verdict.HOLDS


def test_a_print_that_misses_the_rule_too_fails_here_too():
    assert verdict(LOWER, [*OURS, printed(4.0, 4.1)]) is Verdict.PRINT_FAILS
    assert verdict(LOWER, [*OURS, printed(1.0, 1.1), noiseless(1.0)]) is Verdict.PRICE


def test_a_print_that_misses_the_rule_by_less_than_its_error_is_taken_to_meet_it():
    assert verdict(LOWER, [*OURS, printed(2.0, 2.2), noiseless(1.0)]) is Verdict.PRICE
    assert verdict(LOWER, [*OURS, printed(5.0), noiseless(1.0)]) is Verdict.PRICE


def test_a_print_that_cannot_be_run_fails_with_its_reason():
    refused = Row.refused("30 false children a node", data="Metro", series="A", x="1")
    (each,) = judge(LOWER, [*OURS, refused], [])
    assert each.verdict is Verdict.PRINT_FAILS
    assert "cannot be run: 30 false children a node" in each.reason


def test_what_only_noise_costs_is_the_price_of_a_true_guarantee():
    assert verdict(LOWER, [*OURS, printed(1.0, 1.1), noiseless(1.5)]) is Verdict.PRICE
    assert verdict(LOWER, [*OURS, printed(1.0, 1.1), noiseless(2.5)]) is Verdict.WEAKER
    assert verdict(LOWER, [*OURS, printed(1.0, 1.1)]) is Verdict.WEAKER


def test_a_product_is_held_beside_the_print_of_the_method_that_the_paper_compares():
    claim = Bound(text="at most 2", where={"series": "raked"}, most=2.0, beside={"raked": "Hybrid"})
    ours = rows("raked", 3.0)
    assert verdict(claim, [*ours, *rows("Hybrid", 4.0, line=Line.PRINTED)]) is Verdict.PRINT_FAILS
    assert verdict(claim, [*ours, *rows("Hybrid", 1.0, line=Line.PRINTED)]) is Verdict.WEAKER


def test_the_other_versions_are_compared_with_those_series_that_have_none():
    found = [*OURS, drawn("B", 9.0, 9.0, line=Line.PRINTED)]
    assert verdict(LOWER, [*found, noiseless(1.0)]) is Verdict.PRICE  # A of ours against B as printed


def test_every_data_set_has_a_verdict_of_its_own_and_real_ones_are_told_apart():
    found = [*rows("A", 1, data="MSNBC"), *rows("B", 2, data="MSNBC"), *rows("A", 3), *rows("B", 2)]
    judgements = judge(LOWER, found, [])
    assert [(each.data, each.is_real, each.verdict) for each in judgements] == [
        ("MSNBC", True, Verdict.HOLDS),
        ("Metro", False, Verdict.WEAKER),
    ]
    counts = causes(judgements)
    assert (counts[Verdict.HOLDS], counts[Verdict.WEAKER]) == ((1, 0), (0, 1))


def test_a_world_in_brackets_is_held_against_the_figures_of_the_data_that_it_stands_for():
    claim = Matches(text="finds as many", better=Direction.HIGHER)
    found = rows("Hybrid", 100, data="Metro (as skewed as Oyster)")
    assert verdict(claim, found, points("Hybrid", 90)) is Verdict.BETTER


def test_the_headline_counts_real_claims_and_names_where_ours_is_weaker(experiment):
    told = [
        Judgement(claim="one", data="MSNBC", verdict=Verdict.HOLDS, reason=""),
        Judgement(claim="two", data="MSNBC", verdict=Verdict.WEAKER, reason=""),
        Judgement(claim="three", data="Metro", verdict=Verdict.WEAKER, reason=""),
    ]
    outcome = Outcome(
        experiment=experiment, rows=(), quick=False, processor_seconds=0.0, commit="", fingerprint="", judgements=tuple(told)
    )
    text = headline([outcome])
    assert text.startswith("**On real data 1 of 2 claims hold.**")
    assert text.endswith(f"Ours is weaker in 1: {experiment.id} (MSNBC: two).")
    assert "| ours is weaker | 1 | 1 |" in causes_table([outcome])
    assert "three" not in text


@pytest.fixture
def experiment():

    return experiments()["003-T1"]
