"""Whatever the noise answers, tiny neighbours lose at most what is charged, ask the same and leave the same, in every branch."""

from fractions import Fraction

import pytest

from tacita.auditing.foreign_answers import audit_foreign_answers
from tacita.kinds import methods

PRIVATE = [name for name, method in methods().items() if method.promise.takes_epsilon]

MANY = {"itemset-counts": 100, "itinerary": 60, "prefix-tree": 80, "pace": 60, "republish": 80}
USUAL = 25
"""How many transcripts the default suite replays: more where a method has many branches, fewer where it is slow."""

TRANSCRIPTS_OF_ALL = 11_000


@pytest.mark.parametrize("method", PRIVATE)
def test_foreign_answers_cost_tiny_neighbours_no_more_than_is_charged(method):
    check = audit_foreign_answers(method, transcripts=MANY.get(method, USUAL))
    assert check.passed, check.summary
    assert check.figures["share"] > 0.7
    assert check.figures["published"] > check.figures["refused"]


@pytest.mark.slow
@pytest.mark.parametrize("method", PRIVATE)
def test_ten_thousand_foreign_transcripts_lose_no_more_than_is_charged(method):
    check = audit_foreign_answers(method, transcripts=-(-TRANSCRIPTS_OF_ALL // len(PRIVATE)), seed=1)
    assert check.passed, check.summary
    assert Fraction(check.figures["share"]) <= 1
