"""Whatever the noise answers, tiny neighbours lose at most what is charged, ask the same and leave the same, in every branch."""

from fractions import Fraction
from itertools import product

import pytest

from tacita.arrays.ragged import Ragged
from tacita.auditing.cases.worlds import World
from tacita.auditing.foreign_answers import audit_foreign_answers, lost_between
from tacita.kinds import methods
from tacita.privacy.budget import PureDP
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, ItemsetCounts
from tacita.testing import public_generator

PRIVATE = [name for name, method in methods().items() if method.promise.takes_epsilon]

MANY = {
    "by-class": 8,
    "diffpart": 60,
    "itemset-counts": 100,
    "itinerary": 120,
    "pace": 40,
    "prefix-tree": 80,
    "raked": 60,
    "republish": 80,
}
USUAL = 25
"""How many transcripts the default suite replays: more where a method has many branches, fewer where it is slow."""

TRANSCRIPTS_OF_ALL = 11_000


@pytest.mark.parametrize("method", PRIVATE)
def test_foreign_answers_cost_tiny_neighbours_no_more_than_is_charged(method):
    check = audit_foreign_answers(method, transcripts=MANY.get(method, USUAL))
    assert check.passed, check.summary
    assert check.figures["share"] > 0.7
    assert check.figures["published"] > check.figures["refused"]


def test_no_rule_of_itemset_counts_looks_at_the_true_number_of_baskets():
    """Answers of six thousand baskets, replayed on two neighbours of a few, and on thirty thousand."""
    universe, generator = Universe("abcde"), public_generator(1)
    rows = [sorted(generator.permutation(5)[: 1 + place % 5].tolist()) for place in range(60)]

    def records(baskets):
        return BasketRecords(baskets=Ragged.from_lists(baskets), universe=universe)

    for epsilon, seed in product(("1", "10", "1000"), (1, 2)):  # the seeds enlarge the answers 10 and 100 times
        world = World(
            mechanism=ItemsetCounts(),
            budget=PureDP(epsilon),
            foreign=records(rows),
            steps=(records(rows[:3]), records(rows[:4])),
            unrelated=(records(rows * 500),),
        )
        lost = lost_between(world, seed=seed)
        assert lost.refusal is None
        assert lost.loss <= lost.charged == Fraction(epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("method", PRIVATE)
def test_ten_thousand_foreign_transcripts_lose_no_more_than_is_charged(method):
    check = audit_foreign_answers(method, transcripts=-(-TRANSCRIPTS_OF_ALL // len(PRIVATE)), seed=1)
    assert check.passed, check.summary
    assert Fraction(check.figures["share"]) <= 1
