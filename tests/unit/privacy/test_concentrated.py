"""Costs in rho, and what they mean as (epsilon, delta): on the safe side, and hardly more than that."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest

from tacita.errors import BudgetError
from tacita.privacy.concentrated import delta_of, epsilon_of, rho_for, rho_of_gaussian, rho_of_pure, rho_of_selection

CASES = [
    (Fraction(rho), Fraction(epsilon))
    for rho in ("1/100000", "3/1000", "1/50", "1/2", "3")
    for epsilon in ("1/10", "1", "7/2", "30")
]


def by_hand(rho, epsilon, alpha):
    """The logarithm of the bound for one alpha with 200 digits, in the form in which it is published."""
    with localcontext(Context(prec=200)):
        rho, epsilon = (Decimal(value.numerator) / Decimal(value.denominator) for value in (rho, epsilon))
        return (alpha - 1) * (alpha * rho - epsilon) - (alpha - 1).ln() + alpha * (1 - 1 / alpha).ln()


def smallest(rho, epsilon):
    """The logarithm of the smallest bound over all alpha, by a search of its own."""
    low, high = Decimal("1e-9"), Decimal(10) ** 9
    with localcontext(Context(prec=200)):
        for _ in range(160):
            ratio = (high / low) ** (Decimal(1) / 3)
            first, second = low * ratio, high / ratio
            if by_hand(rho, epsilon, 1 + first) <= by_hand(rho, epsilon, 1 + second):
                high = second
            else:
                low = first
        return by_hand(rho, epsilon, 1 + (low * high).sqrt())


@pytest.mark.parametrize(("rho", "epsilon"), CASES, ids=str)
def test_a_delta_is_never_below_the_bound_and_hardly_above(rho, epsilon):
    found, truth = delta_of(rho, epsilon), smallest(rho, epsilon)
    if truth >= 0:
        assert found == 1
        return
    with localcontext(Context(prec=200)):
        value = Decimal(found.numerator).ln() - Decimal(found.denominator).ln()
        assert truth <= value <= max(truth, Decimal("1e-800").ln()) + Decimal("0.000001")


@pytest.mark.parametrize("epsilon", ["1/1000", "1/10", "1", "4", "10000"])
@pytest.mark.parametrize("delta", ["1/1000", "1/1000000000", "1/1000000000000"])
def test_a_budget_becomes_the_largest_rho_that_keeps_it(epsilon, delta):
    epsilon, delta = Fraction(epsilon), Fraction(delta)
    rho = rho_for(epsilon, delta)
    assert delta_of(rho, epsilon) <= delta
    assert delta_of(rho * Fraction(101, 100), epsilon) > delta
    assert epsilon * Fraction(99, 100) <= epsilon_of(rho, delta) <= epsilon + Fraction(1, 2**40)


def test_known_figures():
    """(1, 1e-9) is rho 0.01497; the classical bound epsilon = rho + 2 sqrt(rho log(1 / delta)) is never better."""
    assert float(rho_for(Fraction(1), Fraction(1, 10**9))) == pytest.approx(0.014973, abs=1e-6)
    for rho in (Fraction(1, 1000), Fraction(1, 10), Fraction(2)):
        classical = float(rho) + 2 * (float(rho) * 13.815510557964274) ** 0.5
        assert float(epsilon_of(rho, Fraction(1, 10**6))) < classical


def test_costs_of_mechanisms():
    assert rho_of_gaussian(Fraction(3), Fraction(6)) == Fraction(1, 4)
    assert rho_of_pure(Fraction(1, 2)) == Fraction(1, 8)
    assert rho_of_selection(Fraction(1, 2)) == Fraction(1, 32)


def test_a_thousand_costs_add_up_exactly():
    assert sum((rho_of_gaussian(Fraction(1), Fraction(number)) for number in range(1, 1001)), Fraction(0)) == sum(
        (Fraction(1, 2 * number) for number in range(1, 1001)), Fraction(0)
    )


def test_odd_budgets_are_refused():
    with pytest.raises(BudgetError, match="delta must be"):
        rho_for(Fraction(1), Fraction(0))
    with pytest.raises(BudgetError, match="delta must be"):
        epsilon_of(Fraction(1), Fraction(1))
    assert delta_of(Fraction(0), Fraction(1)) == 0
    assert epsilon_of(Fraction(0), Fraction(1, 10)) == 0
