"""Itineraries: what is kept, and what is left where noise covers everything."""

from fractions import Fraction

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.errors import BudgetError
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sequences import Itineraries, SequenceRecords
from tacita.sequences.itineraries.shares import SHARES, SINGLE_SHARES, Caps
from tacita.testing import SeededSource, public_generator
from tacita.utility import count_location_sets, relative_errors

UNIVERSE = Universe([f"place {number}" for number in range(6)])


def published(rows, *, epsilon="1", seed=1, **parameters):
    records = SequenceRecords(sequences=Ragged.from_lists(rows), universe=UNIVERSE)
    ledger = Ledger(source=SeededSource(seed))
    return Itineraries(**parameters).publish(records, budget=PureDP(epsilon), ledger=ledger).data.sequences


def commuters(number):
    """From home to work and back; some go elsewhere and come home."""
    rows = []
    for person in range(number):
        home, work, other = person % 3, 3 + person % 2, 5
        rows.append([home, work, home] if person % 4 else [home, work, home, other, home])
    return rows


def test_shares_add_up_to_the_whole_budget():
    assert sum(share for share, _ in SHARES.values()) == sum(share for share, _ in SINGLE_SHARES.values()) == 1
    for method in (Itineraries(), Itineraries(max_length=1)):
        assert method.plan(PureDP("0.3")).epsilon == Fraction(3, 10)


def test_counts_that_nobody_asked_for_are_not_written_out(monkeypatch):
    """Over a large universe that would take most of the time."""
    written = []
    monkeypatch.setattr("tacita.sequences.itineraries.method.itinerary_counts", lambda **_: written.append(1))
    for wanted in (False, True):
        assert len(published(commuters(400), epsilon="5", with_counts=wanted)) > 0
        assert bool(written) is wanted


def test_returns_are_kept():
    released = published(commuters(4000), epsilon="5")
    rows = released.to_lists()
    assert abs(len(rows) - 4000) < 100
    assert np.mean([row[0] == row[-1] for row in rows]) > 0.95
    assert np.mean([len(row) == 5 for row in rows]) == pytest.approx(0.25, abs=0.03)
    assert np.mean([len(set(row)) == 2 for row in rows]) == pytest.approx(0.75, abs=0.05)


def test_places_are_visited_together_as_they_were():
    rows = published(commuters(4000), epsilon="5").to_lists()
    together = np.mean([{0, 3} <= set(row) for row in rows])
    assert together == pytest.approx(np.mean([{0, 3} <= set(row) for row in commuters(4000)]), abs=0.04)


@pytest.mark.parametrize("rows", [[], [[]], [[0]], [[0, 1, 0], [2]]])
def test_data_that_noise_covers_gives_a_release_all_the_same(rows):
    for seed in range(5):
        released = published(rows, epsilon="0.5", seed=seed)
        assert not len(released) or 0 <= int(released.codes.min()) <= int(released.codes.max()) < len(UNIVERSE)
        assert int(released.lengths.max(initial=0)) <= 20
        assert int(released.lengths.min(initial=1)) >= 1


def test_a_few_records_are_never_made_many():
    """Where their number is covered by noise, it is taken for less; on average over seeds, not each time."""
    numbers = [len(published(commuters(20), epsilon="0.1", seed=seed)) for seed in range(8)]
    assert np.median(numbers) < 5000


def test_where_noise_covers_which_places_are_popular_no_more_is_said_of_places_than_by_an_empty_release():
    """Error of counts of people by two places, with the usual sanity bound; made up places would double it."""
    generator = public_generator(7)
    universe = Universe([f"place {number}" for number in range(100)])
    rows = [generator.integers(0, 100, 10).tolist() for _ in range(1000)]
    records = SequenceRecords(sequences=Ragged.from_lists(rows), universe=universe)
    queries = Ragged.from_lists([[place, (place * 7 + 1) % 100] for place in range(1, 90)])
    true = count_location_sets(records.sequences, queries, symbols=100)
    release = Itineraries().publish(records, budget=PureDP("0.1"), ledger=Ledger(source=SeededSource(1)))
    told = count_location_sets(release.data.sequences, queries, symbols=100)
    errors = [relative_errors(true, answers, sanity_bound=1.0).mean() for answers in (told, 0 * told)]
    assert errors[0] <= errors[1] + 0.02
    assert len(release.data.sequences) < 100


def test_places_that_are_equally_popular_are_no_reason_to_write_fewer_sequences():
    rows = [[person % 6, (person + 1) % 6] for person in range(600)]
    assert len(published(rows, epsilon="5")) == pytest.approx(600, abs=100)


def test_sequences_are_cut():
    released = published([[0, 1, 2, 3, 4, 5, 0, 1]] * 500, epsilon="5", max_length=4)
    assert int(released.lengths.max()) == 4


def test_sequences_of_one_symbol_keep_their_symbols():
    released = published([[0, 1]] * 300 + [[2]] * 100, epsilon="5", max_length=1)
    assert set(released.lengths.tolist()) == {1}
    assert np.bincount(released.codes, minlength=6)[[0, 2]] == pytest.approx([300, 100], abs=30)


def test_one_place_is_enough():
    universe = Universe(["only"])
    records = SequenceRecords(sequences=Ragged.from_lists([[0, 0], [0]] * 200), universe=universe)
    released = Itineraries().publish(records, budget=PureDP("5"), ledger=Ledger(source=SeededSource(3))).data.sequences
    assert set(released.codes.tolist()) == {0}


def test_caps_fall_where_noise_is_large():
    lengths = np.zeros(22)
    lengths[2], lengths[20] = 1000, 100
    caps = Caps(lengths=lengths, max_length=20)
    assert caps.best(symbols=900, epsilon=Fraction(1, 10)) < caps.best(symbols=2, epsilon=Fraction(10)) == 20
    assert caps.cover(20) == 1


def test_a_delta_is_refused():
    with pytest.raises(BudgetError, match="itineraries prove pure differential privacy"):
        Itineraries().plan(ApproxDP(1, "1/1000"))


def test_explain_says_what_is_left_of_small_data():
    text = str(Itineraries().explain(PureDP("0.1")))
    assert "below about 8,101 records, noise covers how many there are" in text
    assert "popular places" in text
