"""Raked sequences with times: what is kept, what is left where noise covers it, and what is asked."""

from fractions import Fraction

import numpy as np
import pytest

from tacita.arrays.ragged import Ragged
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.funds import Funds
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import Raked, SequenceRecords
from tacita.sequences.raked.questions import SHARES
from tacita.sequences.raked.synthesis import single_lengths
from tacita.sequences.raked.synthesis.timing import NoisyTable, NoisyTimes, likely_day
from tacita.sequences.raked.times import LEAST, single_timed_shares, timed_shares
from tacita.synthesis import posterior_means
from tacita.testing import SeededSource, public_generator

PLACES, INTERVALS = 12, 48
UNIVERSE = Universe([f"place {number:02}" for number in range(PLACES)])
GRID = TimeGrid(start=0, interval=3600, intervals=INTERVALS)


def records(rows, *, grid=GRID):
    return SequenceRecords(sequences=Ragged.from_lists(rows), universe=UNIVERSE, grid=grid)


def released(rows, *, epsilon="1", seed=1, **parameters):
    ledger = Ledger(source=SeededSource(seed))
    return Raked(**parameters).publish(records(rows), budget=PureDP(epsilon), ledger=ledger)


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
@pytest.mark.parametrize("parameters", [{"max_length": 1}, {"max_length": 4}])
def test_data_that_noise_covers_gives_a_release_all_the_same(rows, parameters):
    release = released(rows, epsilon="0.5", **parameters)
    codes = release.data.sequences.codes
    assert codes.size == 0 or 0 <= codes.min() <= codes.max() < PLACES * INTERVALS


@pytest.mark.parametrize("method", [Raked(), Raked(max_length=1)])
def test_the_plan_costs_exactly_the_rho_of_a_delta_and_so_does_what_is_spent(method):
    public, budget = PublicInputs(universe=UNIVERSE, grid=GRID), ApproxDP("3", "1e-9")
    assert method.plan(budget, public).rho == budget.rho
    ledger = Ledger(source=SeededSource(2))
    release = method.publish(records(commutes(300)), budget=budget, ledger=ledger)
    assert sum(Fraction(draw["rho"]) for draw in release.manifest["budget"]["draws"]) == budget.rho
    assert len(release.data)
    singles = Ledger(source=SeededSource(2))
    once = method.publish(records([row[:1] for row in commutes(4_000)]), budget=ApproxDP("9", "1e-9"), ledger=singles)
    assert set(once.data.sequences.lengths.tolist()) == {1}


@pytest.mark.parametrize("method", [Raked(), Raked(max_length=1)])
def test_the_plan_costs_exactly_epsilon_and_so_does_what_is_spent(method):
    public = PublicInputs(universe=UNIVERSE, grid=GRID)
    assert method.plan(PureDP("0.3"), public).epsilon == Fraction(3, 10)
    ledger = Ledger(source=SeededSource(2))
    method.publish(records(commutes(300)), budget=PureDP("0.3"), ledger=ledger)
    assert ledger.balance("unnamed").epsilon == Fraction(3, 10)
    assert "divided among" in str(method.explain(PureDP("1"), public))


def test_shares_add_up_to_one_and_none_is_below_the_least():
    others = {name: share for name, share in SHARES.items() if name not in {"people", "lengths"}}
    for people in (1.0, 1e3, 1e5, 1e7):
        for funds in (Funds(amount=Fraction(1, 2)), Funds(amount=Fraction(1, 50), in_rho=True)):
            facts = {"symbols": 200, "intervals": 168, "funds": funds}
            shares = timed_shares(others, lengths=single_lengths(people, 1.0), **facts)
            assert sum(share for share, _ in shares.values()) == 1
            assert min(share for share, _ in shares.values()) >= (LEAST / 2 if funds.in_rho else LEAST)
            assert ("repeats in time" in shares) == funds.in_rho
            assert sum(share for share, _ in single_timed_shares(people=people, **facts).values()) == 1


def test_nobody_is_anywhere_in_hours_that_noise_explains():
    generator = public_generator(8)
    hours = np.arange(168) % 24
    counts = np.where(hours < 5, 0.0, 200.0) + generator.laplace(0, 10, 168)
    noisy = NoisyTimes(
        symbols=1, intervals=168, day=24, times=NoisyTable(counts=counts, scale=10.0), first_times=None, gaps=None, places=None
    )
    assert (noisy.hours[hours >= 5] > 0).all()
    assert not noisy.hours[hours < 5].any()


def test_means_given_noisy_counts_are_nearer_to_the_truth_than_cutting_at_zero():
    generator = public_generator(6)
    truth = 20_000 / np.arange(1, 301)
    noise = generator.laplace(0, 150, (20, 300))
    means = [posterior_means(row, 150.0) for row in truth + noise]
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
