"""Any mechanism can be audited by a few lines: functions, arrays, dictionaries, classes with a publish."""

from fractions import Fraction

import numpy as np
import pytest

from tacita.auditing import audit_any
from tacita.errors import ParameterError
from tacita.privacy.noise import discrete_laplace
from tacita.privacy.randomness import SecureSource
from tacita.testing import public_generator

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


def seeded(seed=1):
    """A generator of the test's own, so that nothing here depends on chance."""
    return public_generator(seed)


def one_of_twelve(people, generator):
    """Eleven numbers with noise; the eleventh place is exact."""
    numbers = generator.laplace(0, 1, 12)
    numbers[10] = len(people)
    return tuple(numbers.tolist())


def in_order_of_truth(people, generator):
    numbers = {name: int(generator.integers(-5, 6)) for name in "abc"}
    return {name: numbers[name] for name in ("abc" if people else "cba")}


def refuses_sometimes(people, generator):
    if people and generator.random() < 0.5:
        message = "too few people"
        raise ValueError(message)
    return 1


def keeps_the_total(people, generator):
    numbers = np.maximum(generator.laplace(3, 1, 3), 1e-3)
    return tuple((numbers * (10 + len(people)) / numbers.sum()).tolist())


def refuses_in_other_words(people, _generator):
    message = f"{len(people)} people are too few"
    raise ValueError(message)


@pytest.mark.parametrize(
    ("tells", "how"),
    [
        (one_of_twelve, "place 11"),
        (in_order_of_truth, "order"),
        (lambda people, generator: bool(generator.integers(0, 2)) if people else int(generator.integers(0, 2)), "types"),
        (lambda people, _: 3 if people else 3.0, "types"),
        (lambda people, _: np.array([1, 2], dtype=np.int32 if people else np.int64), "types"),
        (lambda people, _: [1] if people else (1,), "types"),
        (refuses_sometimes, "refused"),
        (refuses_in_other_words, ""),
        (keeps_the_total, "sum"),
    ],
    ids=["11th of 12", "order", "True and 1", "3 and 3.0", "dtype", "list or tuple", "refusal", "words of a refusal", "total"],
)
def test_everything_that_can_be_seen_of_a_return_value_is_examined(tells, how):
    generator = seeded()
    report = audit_any(lambda people: tells(people, generator), [PAIR], epsilon=1, runs=2000)
    assert not report.passed, str(report)
    assert how in " ".join(report.checks[0].evidence)


def test_many_places_are_all_compared_and_the_report_says_what_was_not_examined():
    generator = seeded()

    def last_of_many(people):
        return np.append(generator.integers(0, 2, 199), len(people))

    report = audit_any(last_of_many, [PAIR], epsilon=1, runs=400)
    assert not report.passed
    assert "64 of 200 places" in report.checks[0].evidence[1]
    assert "136 that differ least were not examined further" in report.checks[0].evidence[1]
    assert "not examined: other functions of several numbers" in report.checks[0].evidence[1]


def test_a_mechanism_that_shows_nothing_proves_nothing_and_is_never_called_ok():
    report = audit_any(lambda _people: 0, [PAIR], epsilon=1, runs=400)
    assert report.passed
    assert report.checks[0].proves_nothing
    assert report.checks[0].text(evidence=False).startswith("none ")
    assert report.verdict == "0 of 1 checks passed, 1 proved nothing"
    assert report.as_json()["checks"][0]["proves_nothing"]


def test_a_mechanism_that_always_refuses_has_not_passed():
    def never(_people):
        message = "not today"
        raise ValueError(message)

    report = audit_any(never, [PAIR], epsilon=1, runs=400)
    assert not report.passed
    assert "every run was refused" in report.checks[0].summary


def test_what_cannot_be_counted_is_refused_with_what_to_do():
    with pytest.raises(ParameterError, match="cannot be counted; give an outcome"):
        audit_any(lambda _people: Odd(), [PAIR], epsilon=1, runs=400)


def test_nothing_to_try_it_on_and_nothing_to_call_are_refused():
    with pytest.raises(ParameterError, match="one pair"):
        audit_any(len, [], epsilon=1)
    with pytest.raises(ParameterError, match="must be callable"):
        audit_any(3, [PAIR], epsilon=1)
