from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources import ScriptedSource
from tacita.errors import BudgetError
from tacita.privacy import noise
from tacita.privacy.questions.cells import skip_taken
from tacita.testing import SeededSource


@pytest.mark.parametrize("rate", [Fraction(10, 3), Fraction(1), Fraction(2, 5), Fraction(1, 12), Fraction(1, 1000)])
def test_the_digits_and_the_carry_spell_the_geometric_law_exactly(rate):
    places = noise._places(rate)
    table, carries = noise._exponential_law((rate,), places)
    with mpmath.workprec(400):
        ratio = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator)

        def chance(event):
            low, high = event.probability(300)
            return mpmath.mpf(low + high) / mpmath.mpf(2) ** 301

        digits = [chance(row[0]) for row in table._rows[:-1]]
        carry = chance(carries[0])
        for value in [0, 1, 2, 3, 5, 2**places - 1, 2**places, 2**places + 1, 5 * 2**places + 1]:
            times, low = divmod(value, 2**places)
            law = carry**times * (1 - carry)
            for place, digit in enumerate(digits):
                law *= digit if low >> place & 1 else 1 - digit
            truth = (1 - ratio) * ratio**value
            assert abs(law / truth - 1) < mpmath.mpf(2) ** -200


@given(st.fractions(min_value=Fraction(1, 2**40), max_value=50))
def test_enough_digits_are_drawn_and_not_one_more(rate):
    places = noise._places(rate)
    assert rate * 2**places >= noise._CARRY_EXPONENT
    assert places == 0 or rate * 2 ** (places - 1) < noise._CARRY_EXPONENT


@pytest.mark.slow  # eight million carries, one by one
def test_a_value_past_64_bits_is_neither_dropped_nor_wrapped_and_only_the_noisy_sum_is_clipped():
    rate = noise.SMALLEST_RATE
    places = noise._places(rate)
    rounds = 2 ** (63 - places)
    zero, full = bytes(8), bytes([255]) * 8

    class AlwaysCarries:
        """Says yes to every event, until it has said yes to `rounds` carries."""

        def __init__(self):
            self.left = rounds

        def take(self, size):
            if size != 8:
                return bytes(size)
            self.left -= 1
            return zero if self.left > 0 else full

    values = noise.geometric(1, rate=rate, source=AlwaysCarries())
    assert values.dtype == object
    assert values[0] >= 2**63
    assert noise.saturate(values).tolist() == [2**62]
    assert noise.saturate(values * -1).tolist() == [-(2**62)]
    assert noise.saturate(np.array([2**62 + 5, 7, -(2**62) - 5])).tolist() == [2**62, 7, -(2**62)], "whatever the sum is made of"


def test_a_rate_below_the_smallest_is_refused():
    with pytest.raises(BudgetError, match="at least 2\\*\\*-40"):
        noise.discrete_laplace(1, rate=noise.SMALLEST_RATE / 2, source=SeededSource(0))


@pytest.mark.parametrize("draw", [noise.tail_above, noise.passing_ranks])
def test_a_threshold_below_one_is_refused(draw):
    with pytest.raises(BudgetError, match="at least 1, got 0"):
        draw(3, rate=Fraction(1), threshold=0, source=SeededSource(0))


@pytest.mark.parametrize("size", [0, 1, 7, 100_000])
def test_as_many_values_come_back_as_were_asked_for(size):
    assert noise.discrete_laplace(size, rate=Fraction(1, 12), source=SeededSource(0)).shape == (size,)


def test_elements_of_different_scales_have_the_spread_of_their_own_scale():
    rates = [Fraction(2), Fraction(1, 10), Fraction(1, 500)]
    which = np.repeat(np.arange(3), 50_000)
    values = noise.discrete_laplace_each(which, rates=rates, source=SeededSource(3))
    for law, rate in enumerate(rates):
        ratio = np.exp(-float(rate))
        assert values[which == law].var() == pytest.approx(2 * ratio / (1 - ratio) ** 2, rel=0.05)


def test_no_cell_of_an_empty_domain_passes():
    assert noise.passing_ranks(0, rate=Fraction(1), threshold=1, source=ScriptedSource(b"")).size == 0


@pytest.mark.parametrize("empties", [1, 2, 3, 1000, 10**9, 2**61])
def test_passing_cells_are_distinct_in_order_and_inside_the_domain(empties):
    threshold = max(1, int(np.log(max(empties, 2)) - 4))
    ranks = noise.passing_ranks(empties, rate=Fraction(1), threshold=threshold, source=SeededSource(4))
    assert np.all(np.diff(ranks) > 0)
    assert ranks.size == 0 or (ranks[0] >= 0 and ranks[-1] < empties)


def test_a_domain_past_62_bits_is_refused():
    with pytest.raises(BudgetError, match="fewer than 2\\*\\*62"):
        noise.passing_ranks(2**62, rate=Fraction(1), threshold=1, source=SeededSource(0))


def test_a_threshold_that_nothing_passes_costs_no_time():
    assert noise.passing_ranks(10**15, rate=Fraction(1), threshold=10**5, source=SeededSource(0)).size == 0


@given(st.integers(1, 12), st.data())
@settings(max_examples=60)
def test_ranks_of_free_cells_skip_the_taken_ones(domain, data):
    taken = sorted(data.draw(st.sets(st.integers(0, domain - 1))))
    free = [cell for cell in range(domain) if cell not in taken]
    for size in range(len(free) + 1):
        for ranks in list(combinations(range(len(free)), size))[:5]:
            cells = skip_taken(np.array(ranks, dtype=np.int64), np.array(taken, dtype=np.int64))
            assert cells.tolist() == [free[rank] for rank in ranks]
