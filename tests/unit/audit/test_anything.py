"""Any mechanism can be audited by a few lines: functions, arrays, dictionaries, classes with a publish."""

from fractions import Fraction

import numpy as np
import pytest

from tacita.audit import audit_any
from tacita.audit.anything import plain
from tacita.errors import ParameterError
from tacita.privacy.noise import discrete_laplace
from tacita.privacy.randomness import SecureSource

PAIR = ([], [1])


def noisy(number, *, rate=1):
    return number + int(discrete_laplace(1, rate=Fraction(rate), source=SecureSource())[0])


class Publisher:
    """Publishes a noisy count and takes neither a budget nor a ledger."""

    def __init__(self, rate):
        self.rate = rate

    def publish(self, people):
        return {"people": noisy(len(people), rate=self.rate)}


class Odd:
    """Something that cannot be counted."""

    __hash__ = None


@pytest.mark.parametrize("rate", [1, 3])
def test_a_function_is_caught_if_its_noise_is_too_small_and_only_then(rate):
    report = audit_any(lambda people: noisy(len(people), rate=rate), [PAIR], epsilon=1, runs=2000)
    assert report.passed == (rate == 1), str(report)


@pytest.mark.parametrize("rate", [1, 3])
def test_a_class_that_publishes_a_dictionary_is_audited_from_outside(rate):
    report = audit_any(Publisher(rate), [PAIR], epsilon=1, runs=2000)
    assert [check.test for check in report.checks] == ["black box"]
    assert report.passed == (rate == 1), str(report)


def test_one_number_of_several_that_tells_is_found():
    report = audit_any(lambda people: np.array([noisy(0), noisy(0), len(people)]), [PAIR], epsilon=1, runs=1000)
    assert not report.passed


@pytest.mark.parametrize(
    "tells",
    [
        lambda people: -0.0 if people else 0.0,
        lambda people: np.array([1.0, -0.0 if people else 0.0]),
        lambda people: float("nan") if people and noisy(0) > 0 else 0.0,
        lambda people: np.zeros((1, 4) if people else (2, 2)),
    ],
    ids=["the sign of zero", "the sign of one zero of several", "no number", "a shape"],
)
def test_values_that_only_seem_equal_are_told_apart(tells):
    assert not audit_any(tells, [PAIR], epsilon=1, runs=2000).passed


def test_a_claim_with_a_delta_is_held_to_it():
    def rarely(people):
        return "somebody" if people and noisy(0) > 0 else "nobody"

    assert audit_any(rarely, [PAIR], epsilon=1, delta="1/2", runs=2000).passed
    assert not audit_any(rarely, [PAIR], epsilon=1, delta="1e-6", runs=2000).passed


def test_of_several_pairs_the_worst_is_told():
    report = audit_any(lambda people: noisy(len(people) // 2 * 9), [PAIR, ([1], [1, 2])], epsilon=1, runs=2000)
    assert not report.passed
    assert report.checks[0].summary.startswith("pair 2:")


def test_what_comes_back_is_made_one_value_whatever_it_is():
    assert plain({"b": [1, 2.5], "a": {3}}) == (("a", frozenset({3})), ("b", (1, 2.5)))
    assert plain(np.float64(2)) == 2.0
    assert plain(np.array([1, 2])) == (1, 2)
    assert plain(np.array([[1, 2], [3, 4]])) != plain(np.array([[1, 2, 3, 4]]))
    with pytest.raises(ParameterError, match="cannot be counted; give an outcome"):
        plain(Odd())


def test_nothing_to_try_it_on_and_nothing_to_call_are_refused():
    with pytest.raises(ParameterError, match="one pair"):
        audit_any(len, [], epsilon=1)
    with pytest.raises(ParameterError, match="must be callable"):
        audit_any(3, [PAIR], epsilon=1)
