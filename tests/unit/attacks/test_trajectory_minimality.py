"""What vanished from a release of trajectories tells, to somebody who takes the publisher to be minimal."""

import random
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tacita.attacks.on_trajectories import TrajectoryMinimality, on_trajectories
from tacita.errors import ParameterError
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories import Requirement, SensitiveGroup, SensitiveGroups, Suppression, TrajectoryRecords

TOWN, DAY = Universe(["a", "b", "c", "d"]), TimeGrid(start=0, interval=1, intervals=2)


def records_of(walks, ills, persons=None):
    made = TrajectoryRecords.from_pairs(walks, universe=TOWN, grid=DAY)
    who = None if persons is None else np.array(persons, dtype=np.int32)
    return TrajectoryRecords(
        trajectories=made.trajectories, universe=TOWN, grid=DAY, persons=who, attributes=pl.DataFrame({"ill": ills})
    )


def both_places(crowd):
    """Two ill people were at a and b, three healthy ones at either: only together do the places give the illness away."""
    records = records_of([[("a", 0), ("b", 0)]] * 2 + [[("a", 0)], [("b", 0)]] * 3, ["x", "x", *"yyyyyy"])
    method = Suppression(crowd=crowd, known_pairs=2, sensitive=SensitiveGroups.parse("ill=x<=2/3"), accept_minimality=True)
    return records, method.publish(records).data


def test_with_a_crowd_of_one_a_vanished_set_proves_the_illness():
    records, release = both_places(crowd=1)
    found = TrajectoryMinimality(requirement=release.requirement).assess(records, release)
    assert found["people with a set that vanished"] == 0.25
    assert found["claims"] == 1
    assert found["claims that are true"] == 1
    assert found["highest confidence behind a claim"] == 1
    assert found["people whose confidence passes the bound"] == 0.25


def test_a_set_of_fewer_than_the_crowd_tells_nothing_by_vanishing():
    records, release = both_places(crowd=3)
    found = TrajectoryMinimality(requirement=release.requirement).assess(records, release)
    assert found["people with a set that vanished"] > 0
    assert found["claims"] == 0
    assert found["claims that are true"] == 0
    assert found["people whose confidence passes the bound"] == 0


def test_the_attack_command_tries_it_where_a_confidence_is_bounded():
    records, release = both_places(crowd=1)
    assert [each.attack for each in on_trajectories(records, [release])].count("minimality") == 1
    unbounded = Suppression(crowd=2, known_pairs=2, sensitive=SensitiveGroups.parse("ill=x<=1")).publish(records).data
    assert "minimality" not in [each.attack for each in on_trajectories(records, [unbounded])]
    with pytest.raises(ParameterError, match="only where a confidence is bounded"):
        TrajectoryMinimality(requirement=Requirement(crowd=2, known_pairs=1))


def by_definition(records, release, asked):
    """Vanished sets, claims, true claims and the people whom each concerns, from the definitions."""
    raw, shown = ([frozenset(row) for row in lists.to_lists()] for lists in (records.trajectories, release.trajectories))
    persons = list(range(len(raw))) if records.persons is None else records.persons.tolist()
    ill = records.attributes["ill"].to_list()
    occurring = {frozenset(some) for row in raw for size in (1, 2) for some in combinations(row, size)}
    gone = {some for some in occurring if not any(some <= row for row in shown)}
    gone = {some for some in gone if not any(part < some for part in gone)}
    people = {some: {who for row, who in zip(raw, persons, strict=True) if some <= row} for some in gone}
    claims = {some for some in gone if len(people[some]) >= asked.crowd}
    bound = asked.groups[0].confidence
    true = {some for some in claims if sum(ill[who] == "x" for who in people[some]) > bound * len(people[some])}
    share = [len(set().union(*(people[some] for some in sets))) / records.people for sets in (gone, claims, true)]
    return len(claims), len(true), *share


@pytest.mark.parametrize("several", [False, True])
def test_claims_agree_with_the_definition(several):
    generator, claimed = random.Random(3), 0
    for turn in range(40):
        size = generator.randint(4, 12)
        walks = [
            [(generator.choice("abcd"), generator.randrange(2)) for _ in range(generator.randint(1, 4))] for _ in range(size)
        ]
        persons = [place // 2 for place in range(size)] if several else None
        ills = [generator.choice("xyy") for _ in range(size if persons is None else (size + 1) // 2)]
        if "x" not in ills:
            continue
        records = records_of(walks, ills, persons)
        groups = (SensitiveGroup(attribute="ill", values=("x",), confidence="1/2"),)
        asked = Requirement(crowd=1 + turn % 2, known_pairs=2, groups=groups)
        method = Suppression(crowd=asked.crowd, known_pairs=2, sensitive=SensitiveGroups(groups), accept_minimality=True)
        release = method.publish(records).data
        found = TrajectoryMinimality(requirement=asked).assess(records, release)
        claims, true, *shares = by_definition(records, release, asked)
        assert found["claims"] == claims
        assert found["claims that are true"] == true / max(claims, 1)
        names = (
            "people with a set that vanished",
            "people with a claim against them",
            "people whose confidence passes the bound",
        )
        assert [found[name] for name in names] == shares
        claimed += claims
    assert claimed > 20


def test_a_suppression_that_is_not_minimal_makes_wrong_claims():
    """Both who were at a and b keep a, so that too few keep b, which vanishes although nothing was wrong with it."""
    records = records_of([[("a", 0), ("b", 0)]] * 2 + [[("a", 0)], [("b", 0)]] * 2, ["x", "x", *"yyyy"])
    release = Suppression(crowd=3, known_pairs=2, sensitive=SensitiveGroups.parse("ill=x<=2/3")).publish(records).data
    found = TrajectoryMinimality(requirement=release.requirement).assess(records, release)
    assert (found["claims"], found["claims that are true"]) == (1, 0)
    assert found["highest confidence behind a claim"] == 0.5
    assert found["people whose confidence passes the bound"] == 0
