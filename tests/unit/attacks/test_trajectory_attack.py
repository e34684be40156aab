"""Linkage attacks are exact: they agree with going through all sets."""

import random
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tacita.arrays.ragged import Ragged
from tacita.attacks.on_trajectories import TrajectoryComposition, on_trajectories
from tacita.attacks.trajectories import attack_trajectories
from tacita.errors import ParameterError
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories import (
    PublishedTrajectories,
    Requirement,
    SensitiveGroup,
    SensitiveGroups,
    Suppression,
    TrajectoryRecords,
)
from trajectory_databases import random_database


def by_going_through(database, size):
    """Smallest crowd, share of unique sets and highest confidence of each record."""
    found = []
    flags = database.flags
    for row, person in zip(database.rows, database.persons, strict=True):
        crowds, unique, confidence = [], [], [0.0]
        for some in map(frozenset, combinations(sorted(row), size)):
            people = {who for other, who in zip(database.rows, database.persons, strict=True) if some <= other}
            crowds.append(len(people))
            unique.append(len(people) == 1)
            mine = np.flatnonzero(flags[person]).tolist()
            confidence += [float(np.mean([flags[who, group] for who in people])) for group in mine]
        found.append((min(crowds, default=0), float(np.mean(unique)) if unique else 0.0, max(confidence)))
    return found


def test_random_databases_are_attacked_exactly():
    generator = random.Random(23)
    for _ in range(200):
        database = random_database(generator)
        if not database.columns.pairs.size:
            continue
        for risk in attack_trajectories(database.columns, known_pairs=4).sizes:
            expected = by_going_through(database, risk.size)
            assert risk.smallest.tolist() == [crowd for crowd, _, _ in expected]
            assert risk.unique.tolist() == pytest.approx([share for _, share, _ in expected])
            assert risk.confidence.tolist() == pytest.approx([highest for _, _, highest in expected])


def test_an_attack_on_a_release_finds_the_crowd_that_was_promised():
    generator = np.random.default_rng(4)
    town, day = Universe(["a", "b", "c"]), TimeGrid(start=0, interval=1, intervals=6)
    walks = [[("abc"[generator.integers(3)], int(hour)) for hour in generator.integers(0, 6, 3)] for _ in range(60)]
    records = TrajectoryRecords.from_pairs(walks, universe=town, grid=day)
    release = Suppression(crowd=4, known_pairs=2).publish(records)
    raw, published, *points = on_trajectories(records, [release.data])
    assert raw.risk.sizes[1].below(4) > 0
    assert all(risk.below(4) == 0 for risk in published.risk.sizes[:2])
    assert len(published.risk.sizes) == 3
    assert "owner's eyes only" in str(published)
    assert published.as_json()["against"] == "release 1"
    assert [each.attack for each in points] == ["uniqueness by points"] * 2


def test_two_releases_held_together_leave_fewer_sensitive_values():
    town, day = Universe(["a"]), TimeGrid(start=0, interval=1, intervals=1)
    asked = Requirement(crowd=2, known_pairs=1, groups=(SensitiveGroup(attribute="ill", values=("x",), confidence="1/2"),))
    states = (["x", "y", "y"], ["x", "z", "z"])
    records = TrajectoryRecords.from_pairs([[("a", 0)]] * 3, universe=town, grid=day)
    releases = [
        PublishedTrajectories(
            trajectories=records.trajectories, universe=town, grid=day, requirement=asked, attributes=pl.DataFrame({"ill": each})
        )
        for each in states
    ]
    found = TrajectoryComposition(known=1).assess(records, *releases, attribute="ill")
    assert found["possible values, first release alone"] == 2
    assert found["people whose value is certain, one release"] == 0
    assert found["people whose value is certain, together"] == 1


def few_people(grid):
    return TrajectoryRecords.from_pairs(
        [[("a", 0)], [("a", 1)], [("b", 2)], [("b", 3)]],
        universe=Universe(["a", "b"]),
        grid=grid,
        attributes={"age": ["30", "30", "30", "40"], "ill": ["x", "y", "x", "y"]},
    )


def test_quasi_identifiers_that_a_release_shows_are_known_to_the_attacker_on_both_sides():
    day = TimeGrid(start=0, interval=1, intervals=4)
    published = PublishedTrajectories(
        trajectories=Ragged.from_lists([[0], [0], [0], [0]]),
        universe=Universe(["a", "b"]),
        grid=day,
        attributes=pl.DataFrame({"age": ["30", "30", "30", "40"]}),
        quasi_identifiers=("age",),
        requirement=Requirement(crowd=2, known_pairs=1),
    )
    raw, found, *_ = on_trajectories(few_people(day), [published], known=1)
    assert raw.risk.sizes[0].smallest.tolist() == [1, 1, 1, 1]
    assert found.risk.sizes[0].smallest.tolist() == [3, 3, 3, 1]


def test_each_of_two_releases_is_attacked_at_its_own_grain():
    day = TimeGrid(start=0, interval=1, intervals=4)
    records = few_people(day)
    asked = SensitiveGroups.parse("ill=x<=1")
    tree = Taxonomy.from_edges([("a", "town"), ("b", "town")], universe=records.universe)
    releases = [
        Suppression(crowd=2, known_pairs=1, sensitive=asked, join_intervals=2).publish(records).data,
        Suppression(crowd=4, known_pairs=1, sensitive=asked, join_intervals=4, place_depth=0, taxonomy=tree)
        .publish(records)
        .data,
    ]
    *_, half, whole, both = on_trajectories(records, releases)
    assert (half["mean number of matching records"], whole["mean number of matching records"]) == (2, 4)
    assert both["people who are found in both"] == 4
    assert both["possible values, together"] == 2


def test_a_release_of_other_places_is_not_attacked_with_this_file():
    records = few_people(TimeGrid(start=0, interval=1, intervals=4))
    release = Suppression(crowd=2, known_pairs=1, join_intervals=2).publish(records).data
    other = TrajectoryRecords.from_pairs([[("c", 0)]], universe=Universe(["c", "d"]), grid=records.grid)
    with pytest.raises(ParameterError, match="those of the private records, or groups of them"):
        list(on_trajectories(other, [release]))
    shifted = TrajectoryRecords.from_pairs(
        [[("a", 0)]], universe=records.universe, grid=TimeGrid(start=1, interval=1, intervals=4)
    )
    with pytest.raises(ParameterError, match="those of the private records, or groups of them"):
        list(on_trajectories(shifted, [release]))
