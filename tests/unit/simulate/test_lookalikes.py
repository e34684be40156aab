from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate import Behaviour, Lookalike, PublicFacts, lookalikes

FACTS = PublicFacts(records=20_000, labels=50)


def steps(sequences):
    """Every label and the one after it, of all sequences."""
    inner = ~np.isin(np.arange(sequences.codes.size), sequences.offsets[:-1])[1:]
    return sequences.codes[:-1][inner], sequences.codes[1:][inner]


def world(behaviour, exponent=0.8, **facts):
    return Lookalike(facts=replace(FACTS, **facts), behaviour=behaviour, exponent=exponent)


@st.composite
def facts(draw):
    mean = draw(st.one_of(st.none(), st.floats(1, 20)))
    longest = draw(st.one_of(st.none(), st.integers(int(np.ceil(mean or 1)), 40)))
    return PublicFacts(records=draw(st.integers(0, 30)), labels=draw(st.integers(1, 20)), mean_length=mean, max_length=longest)


@given(facts(), st.integers(0, 99))
def test_every_member_of_the_family_agrees_with_the_facts(facts, seed):
    family = lookalikes(facts, seed=seed)
    assert len({member.name for member in family}) == len(family) >= 9
    for member in family:
        sequences = member.sequences()
        assert len(sequences) == facts.records
        assert member.sequences().codes.tobytes() == sequences.codes.tobytes()
        if facts.records:
            assert sequences.lengths.min() >= 1
            assert 0 <= sequences.codes.min() <= sequences.codes.max() < facts.labels
            assert facts.max_length is None or sequences.lengths.max() <= facts.max_length


@pytest.mark.parametrize("member", lookalikes(replace(FACTS, mean_length=5.5, max_length=60)), ids=lambda member: member.name)
def test_known_lengths_are_kept_to(member):
    assert member.sequences().lengths.mean() == pytest.approx(5.5, rel=0.04)
    assert member.description.endswith(".")


def test_another_seed_gives_another_world():
    one, other = (lookalikes(FACTS, seed=seed)[0].sequences() for seed in (0, 1))
    assert one.codes.tobytes() != other.codes.tobytes()


def test_exponents_tell_how_concentrated_popularity_is():
    shares = [
        np.bincount(world(Behaviour.SESSION, exponent).sequences().codes, minlength=50).max() for exponent in (0.3, 0.8, 1.3)
    ]
    assert shares[0] < shares[1] < shares[2]


def test_sessions_stay_and_have_a_heavy_tail():
    sequences = world(Behaviour.SESSION, exponent=0, labels=1000).sequences()
    before, after = steps(sequences)
    assert (before == after).mean() == pytest.approx(0.65, abs=0.01)
    assert np.percentile(sequences.lengths, 99) > 5 * sequences.lengths.mean()


def test_commuters_come_back_after_two_steps():
    sequences = world(Behaviour.COMMUTER, exponent=0, labels=1000, mean_length=12).sequences()
    third = np.flatnonzero(sequences.lengths > 2)
    starts = sequences.offsets[third]
    assert (sequences.codes[starts] == sequences.codes[starts + 2]).mean() == pytest.approx(0.64, abs=0.02)
    assert (sequences.codes[starts] != sequences.codes[starts + 1]).mean() > 0.98


def test_journeys_are_two_different_labels_and_left_out_where_lengths_are_others():
    sequences = world(Behaviour.JOURNEY).sequences()
    assert set(sequences.lengths.tolist()) == {2}
    before, after = steps(sequences)
    assert (before != after).all()
    assert Behaviour.JOURNEY in {member.behaviour for member in lookalikes(replace(FACTS, mean_length=2, max_length=2))}
    assert Behaviour.JOURNEY not in {member.behaviour for member in lookalikes(replace(FACTS, mean_length=3))}
    with pytest.raises(ParameterError, match="a journey needs two labels"):
        world(Behaviour.JOURNEY, labels=1)


def test_wanderers_go_to_labels_that_are_near_in_the_taxonomy():
    labels = [str(label) for label in range(50)]
    taxonomy = Taxonomy.from_edges([(label, f"rest {int(label) % 5}") for label in labels], universe=Universe(labels))
    before, after = steps(world(Behaviour.WANDERER, taxonomy=taxonomy).sequences())
    assert (before % 5 == after % 5).mean() > 0.8
    before, after = steps(world(Behaviour.WANDERER).sequences())
    assert (np.minimum((before - after) % 50, (after - before) % 50) <= 2).all()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"records": -1}, "no negative number of records"),
        ({"labels": 0}, "at least one label"),
        ({"mean_length": 5, "max_length": 4}, "1 <= mean_length <= max_length"),
        ({"mean_length": float("nan")}, "1 <= mean_length <= max_length"),
        ({"taxonomy": Taxonomy.balanced(Universe("abc"), fan_out=2)}, "as many labels as the universe"),
    ],
)
def test_facts_that_cannot_be_are_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        replace(FACTS, **fields)


def test_an_exponent_that_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="between 0 and 10"):
        world(Behaviour.SESSION, exponent=-1)
