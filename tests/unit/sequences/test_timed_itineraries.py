"""Itineraries with times: what is kept, what is left where noise covers it, and what is asked."""

from fractions import Fraction

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import Itineraries, PrivateLength, SequenceRecords
from tacita.sequences.itineraries.shares import LENGTHS, least_shares, single_timed_shares, timed_shares
from tacita.sequences.itineraries.synthesis.noisy_times import NoisyTable, likely_day
from tacita.sequences.itineraries.synthesis.popularity import visited_as_wanted
from tacita.sequences.itineraries.synthesis.posterior import posterior_means
from tacita.testing import SeededSource, public_generator

PLACES, INTERVALS = 12, 48
UNIVERSE = Universe([f"place {number:02}" for number in range(PLACES)])
GRID = TimeGrid(start=0, interval=3600, intervals=INTERVALS)


def records(rows, *, grid=GRID):
    return SequenceRecords(sequences=Ragged.from_lists(rows), universe=UNIVERSE, grid=grid)


def released(rows, *, epsilon="1", seed=1, **parameters):
    ledger = Ledger(source=SeededSource(seed))
    return Itineraries(**parameters).publish(records(rows), budget=PureDP(epsilon), ledger=ledger)


def events(number):
    """One event each: even places in the mornings, odd ones in the evenings."""
    generator = public_generator(3)
    place = generator.integers(0, PLACES, number)
    hour = np.where(place % 2, 18, 8) + generator.integers(-2, 3, number) + 24 * generator.integers(0, 2, number)
    return (hour * PLACES + place)[:, np.newaxis].tolist()


def commutes(number):
    """From home to work and back, nine hours later."""
    generator = public_generator(4)
    home, work = generator.integers(0, 6, number), generator.integers(6, 12, number)
    leaves = 7 + generator.integers(0, 3, number)
    return np.stack([leaves * PLACES + home, (leaves + 1) * PLACES + work, (leaves + 10) * PLACES + home], axis=1).tolist()


def distance(mine, other, size):
    one, two = (np.bincount(codes, minlength=size) / max(codes.size, 1) for codes in (mine, other))
    return abs(one - two).sum() / 2


def test_hours_of_places_are_kept_where_there_are_enough_events():
    rows = events(20_000)
    raw = records(rows).sequences.codes
    codes = released(rows, max_length=1).data.sequences.codes
    assert distance(raw, codes, PLACES * INTERVALS) < 0.08
    assert codes.size == pytest.approx(20_000, rel=0.02)


def test_where_noise_covers_hours_of_places_the_two_marginals_are_kept_and_all_records():
    rows = events(20_000)
    raw = records(rows).sequences.codes
    codes = released(rows, epsilon="0.02", max_length=1).data.sequences.codes
    assert codes.size == pytest.approx(20_000, rel=0.2)
    assert distance(raw % PLACES, codes % PLACES, PLACES) < 0.1
    assert distance(raw // PLACES, codes // PLACES, INTERVALS) < 0.25


def test_single_visits_are_noticed_by_noisy_lengths():
    release = released(events(20_000), max_length=20)
    assert set(release.data.sequences.lengths.tolist()) == {1}
    assert {step["step"] for step in release.manifest["budget"]["draws"]} >= {"times by place"}


def test_times_never_go_back_and_gaps_are_kept():
    rows = commutes(5_000)
    published = released(rows, epsilon="2", max_length=4).data
    lists = published.sequences.to_lists()
    hours = [[code // PLACES for code in row] for row in lists]
    assert all(row == sorted(row) for row in hours)
    assert len(lists) == pytest.approx(5_000, rel=0.03)
    whole = [row for row in hours if len(row) == 3]
    assert len(whole) > 4_500
    assert np.mean([abs(row[1] - row[0] - 1) <= 1 for row in whole]) > 0.7
    assert np.mean([abs(row[2] - row[1] - 9) <= 1 for row in whole]) > 0.6
    raw = records(rows).sequences.codes
    assert distance(raw, published.sequences.codes, PLACES * INTERVALS) < 0.2


@pytest.mark.parametrize("rows", [[], [[]], [[0]], [[0, 13, 575], [2]]])
@pytest.mark.parametrize("parameters", [{"max_length": 1}, {"max_length": 4}, {"max_length": PrivateLength(longest=4)}])
def test_data_that_noise_covers_gives_a_release_all_the_same(rows, parameters):
    release = released(rows, epsilon="0.5", **parameters)
    codes = release.data.sequences.codes
    assert codes.size == 0 or 0 <= codes.min() <= codes.max() < PLACES * INTERVALS


@pytest.mark.parametrize("method", [Itineraries(), Itineraries(max_length=1), Itineraries(max_length=PrivateLength(longest=5))])
def test_the_plan_costs_exactly_epsilon_and_so_does_what_is_spent(method):
    public = PublicInputs(universe=UNIVERSE, grid=GRID)
    assert method.plan(PureDP("0.3"), public).epsilon == Fraction(3, 10)
    ledger = Ledger(source=SeededSource(2))
    method.publish(records(commutes(300)), budget=PureDP("0.3"), ledger=ledger)
    assert ledger.balance("unnamed").epsilon == Fraction(3, 10)
    assert "divided among" in str(method.explain(PureDP("1"), public))


def test_shares_add_up_to_one_and_none_is_below_the_least():
    least = least_shares()
    for visits in (1.0, 1e3, 1e5, 1e7):
        shares = timed_shares(visits=visits, mean_length=4.0, symbols=200, intervals=168, epsilon=Fraction(1, 2))
        assert sum(share for share, _ in shares.values()) == 1
        assert all(share >= least[name][0] > 0 for name, (share, _) in shares.items())
        singly = single_timed_shares(records=visits, symbols=200, intervals=168, epsilon=Fraction(1, 2))
        assert sum(share for share, _ in singly.values()) == 1
    assert 0 < LENGTHS < 1


def test_renaming_keeps_returns_and_meets_what_is_wanted():
    generator = public_generator(5)
    lists = Ragged.from_lists([generator.integers(0, 4, 5).tolist() for _ in range(400)])
    wanted = np.array([100.0, 300.0, 400.0, 500.0, 400.0, 300.0])
    renamed = visited_as_wanted(lists, wanted)
    aim = np.repeat(np.arange(6), wanted.astype(int))
    assert distance(lists.codes, aim, 6) > 0.3
    assert distance(renamed.codes, aim, 6) < 0.06  # not all can be renamed
    for before, after in zip(lists.to_lists(), renamed.to_lists(), strict=True):
        assert [before.index(code) for code in before] == [after.index(code) for code in after]


def test_means_given_noisy_counts_are_nearer_to_the_truth_than_cutting_at_zero():
    generator = public_generator(6)
    truth = 20_000 / np.arange(1, 301)
    noise = generator.laplace(0, 150, (20, 300))
    means = [posterior_means(row, np.full(300, 150.0)) for row in truth + noise]
    cut = np.maximum(truth + noise, 0)
    assert all(one.sum() == pytest.approx(row.sum()) for one, row in zip(means, truth + noise, strict=True))
    errors = [abs(one / one.sum() - truth / truth.sum()).sum() for one in (*means, *cut)]
    assert np.mean(errors[:20]) < 0.8 * np.mean(errors[20:])


def test_a_day_is_seen_in_noisy_times_or_not_at_all():
    generator = public_generator(7)
    daily = 100 + 80 * np.sin(np.arange(168) * 2 * np.pi / 24)
    noise = generator.laplace(0, 20, 168)
    assert likely_day(NoisyTable(counts=daily + noise, scale=20.0), (24,)) == 24
    assert likely_day(NoisyTable(counts=100 + noise, scale=20.0), (24,)) is None


def test_noisy_counts_are_not_published_with_times():
    with pytest.raises(ParameterError, match="noisy counts are published without times only"):
        Itineraries(with_counts=True).plan(PureDP("1"), PublicInputs(universe=UNIVERSE, grid=GRID))
