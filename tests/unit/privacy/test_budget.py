from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import BudgetError
from tacita.privacy.budget import ApproxDP, Parallel, PureDP, Sequential, Step, decimal_text, split


@pytest.mark.parametrize("written", ["0.1", 0.1, Decimal("0.1"), Fraction(1, 10), "1/10", "1e-1"])
def test_a_budget_is_the_fraction_that_was_written(written):
    assert PureDP(written).epsilon == Fraction(1, 10)


@pytest.mark.parametrize("wrong", ["nan", float("nan"), Decimal("NaN"), "inf", float("inf"), float("-inf"), Decimal("Infinity")])
def test_a_budget_that_is_not_finite_is_refused(wrong):
    with pytest.raises(BudgetError, match=r"epsilon must be (a )?finite"):
        PureDP(wrong)


@pytest.mark.parametrize("wrong", [0, "0", -1, "-0.5", 0.0, -0.0])
def test_a_budget_of_zero_or_less_is_refused_with_its_value(wrong):
    with pytest.raises(BudgetError, match=rf"epsilon must be above 0, got {wrong}"):
        PureDP(wrong)


@pytest.mark.parametrize("wrong", [True, None, "one", "", "1/0", [1], b"1"])
def test_a_budget_that_is_no_number_is_refused(wrong):
    with pytest.raises(BudgetError, match="epsilon must be a"):
        PureDP(wrong)


HUGE = ["1e-999999999", "1E999999999", "1e-9_99_999_999", Decimal("1e-999999999"), "0." + "1" * 2000]


@pytest.mark.parametrize("wrong", HUGE)
def test_a_number_that_would_take_for_ever_to_write_out_is_refused(wrong):
    with pytest.raises(BudgetError, match="fewer than 1,000 digits"):
        PureDP(wrong)


@pytest.mark.parametrize("delta", [0, "1", "1.5", "-0.1", "nan"])
def test_a_delta_outside_the_open_unit_interval_is_refused(delta):
    with pytest.raises(BudgetError, match="delta must be"):
        ApproxDP("1", delta)


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**6), st.lists(st.integers(1, 10**6), min_size=1, max_size=50))
def test_shares_add_up_to_exactly_the_whole(whole, weights):
    assert sum(split(whole, weights)) == whole


@pytest.mark.parametrize("weights", [[], [1, 0], [-1, 2]])
def test_a_split_by_no_weight_or_by_weights_that_are_not_positive_is_refused(weights):
    with pytest.raises(BudgetError, match="positive weights"):
        split(Fraction(1), weights)


def test_sequential_costs_add_up_and_of_parallel_costs_the_largest_counts():
    third, half = (Step(name=name, epsilon=Fraction(1, cost), delta=Fraction(1, 100)) for name, cost in (("a", 3), ("b", 2)))
    assert Sequential(name="s", parts=(third, half)).epsilon == Fraction(5, 6)
    assert Sequential(name="s", parts=(third, half)).delta == Fraction(1, 50)
    assert Parallel(name="p", parts=(third, half)).epsilon == Fraction(1, 2)
    assert Parallel(name="p", parts=(third, Sequential(name="s", parts=(third, half)))).epsilon == Fraction(5, 6)


def test_a_step_that_costs_nothing_is_refused():
    with pytest.raises(BudgetError, match="'free' must cost a positive epsilon"):
        Step(name="free", epsilon=Fraction(0))


@given(st.fractions())
def test_decimal_text_is_exact(value):
    assert Fraction(decimal_text(value)) == value


@pytest.mark.parametrize(("value", "text"), [("2", "2"), ("0.05", "0.05"), ("1/12", "1/12"), ("10", "10"), ("-1.5", "-1.5")])
def test_decimal_text_reads_well(value, text):
    assert decimal_text(Fraction(value)) == text
