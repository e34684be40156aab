"""The models agree with their definitions in whole numbers, and with pyCANON where it is installed."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import MODELS, tables
from tacita.errors import ParameterError
from tacita.public.universe import Universe
from tacita.tables import (
    AlphaK,
    ConfidenceBound,
    EntropyDiversity,
    FullDomain,
    KAnonymity,
    Mondrian,
    Numeric,
    RecursiveDiversity,
    Schema,
    Sensitive,
    TableRecords,
    TCloseness,
    parse_models,
    violations,
)
from tacita.tables.verifying import _check


def groups_of(records):
    groups = {}
    for row, value in zip(zip(*records.quasi, strict=True), records.sensitive.tolist(), strict=True):
        groups.setdefault(tuple(int(code) for code in row), Counter())[records.schema.sensitive.universe.labels[value]] += 1
    return groups


@given(records=tables(most=60), models=st.sampled_from(MODELS))
@settings(max_examples=150, deadline=None)
def test_columns_and_definitions_agree_on_how_many_groups_violate(records, models):
    groups = groups_of(records)
    overall = sum(groups.values(), Counter())
    scale = "abc" if records.schema.sensitive.ordered else ()
    checks = [_check(model.as_json(), overall, scale) for model in parse_models(models)]
    expected = sum(not all(check(group) for check in checks) for group in groups.values())
    assert len(violations(records, models)) == expected


def one_group(*counts):
    schema = Schema(
        quasi=(Numeric(name="a", low=0, high=0),), sensitive=Sensitive(name="s", universe=Universe("abcdefgh"[: len(counts)]))
    )
    values = np.repeat(np.arange(len(counts)), counts)
    return TableRecords(schema=schema, quasi=(np.zeros(values.size, dtype=np.int64),), sensitive=values)


@pytest.mark.parametrize("times", [1, 7, 10**5])
def test_an_entropy_that_ties_exactly_satisfies_the_model(times):
    assert not violations(one_group(times, times, times), EntropyDiversity(l=3))
    assert violations(one_group(times, times, times), EntropyDiversity(l=Fraction(3_000_001, 1_000_000)))


def test_a_share_that_ties_exactly_satisfies_the_bound():
    assert not violations(one_group(1, 9), ConfidenceBound(templates=(("a", "0.1"),)))
    assert violations(one_group(1001, 8999), ConfidenceBound(templates=(("a", "0.1"),)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: KAnonymity(k=0), "k must be a whole number of at least 1"),
        (lambda: EntropyDiversity(l="0.5"), "l must be at least 1"),
        (lambda: TCloseness(t=2), "t must be from 0 to 1"),
        (lambda: AlphaK(alpha="nan", k=2), "alpha must be a share such as"),
        (ConfidenceBound, "needs a template"),
        (lambda: RecursiveDiversity(c="1/3000001", l=2), "denominator"),
        (lambda: parse_models("q=3"), "a model must be one of"),
        (lambda: EntropyDiversity(l="1e999"), "below 1e100"),
        (lambda: parse_models("confidence=HIV:0.25, confidence=HIV:0.9"), "one bound on its confidence, but 'HIV' has 2"),
        (lambda: parse_models("confidence=0.5, confidence =90%"), "one bound on their confidence, got 0.5 and 90%"),
        (lambda: Mondrian(models="k=5, k=3"), "asked for once, got k=5, k=3"),
        (lambda: Mondrian(models="recursive=3:2, recursive=2:2"), "asked for once"),
        (
            lambda: FullDomain(models=[ConfidenceBound(templates=(("a", "1/4"),)), ConfidenceBound(others="1/10")]),
            "put all bounds into one model",
        ),
        (lambda: parse_models("k=many"), "whole numbers"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(make, message):
    from tacita.errors import TacitaError

    with pytest.raises(TacitaError, match=message):
        make()


def test_a_table_must_be_told_what_to_guarantee():
    with pytest.raises(ParameterError, match="must be told what"):
        violations(one_group(1, 1), "")


def test_every_model_survives_being_written_and_read():
    text = "k=5, l=3, entropy-l=1.8, recursive=3:2, alpha=0.5:4, t=0.2, confidence=HIV:0.1, confidence=0.9"
    models = [model.as_json() for model in parse_models(text)]
    assert [model["model"] for model in models] == [
        "k-anonymity",
        "distinct-l-diversity",
        "entropy-l-diversity",
        "recursive-c-l-diversity",
        "alpha-k-anonymity",
        "t-closeness",
        "confidence-bound",
    ]
    assert models[-1]["templates"] == [{"value": "HIV", "bound": "0.1"}]


def largest(records, make, values):
    """The strongest of some parameters, weakest first, that a table satisfies."""
    return max(value for value in values if not violations(records, make(value)))


@pytest.mark.parametrize("seed", range(3))
def test_pycanon_finds_the_same_levels_on_a_census(seed):
    anonymity = pytest.importorskip("pycanon.anonymity")
    import pandas as pd

    from tacita.simulate.census import CensusWorld
    from tacita.tables import Mondrian, declared

    world = CensusWorld.adult(people=2000, seed=seed)
    records = TableRecords.from_frame(world.frame, schema=declared(world.declaration()))
    frame = Mondrian(models="k=6, l=3").anonymized(records)
    table = pd.DataFrame(frame.frame().to_dict(as_series=False))
    quasi, hidden = [column.name for column in records.schema.quasi], ["occupation"]
    k = anonymity.k_anonymity(table, quasi)
    assert k == largest(frame, lambda value: KAnonymity(k=value), range(1, 200))
    assert anonymity.l_diversity(table, quasi, hidden) == largest(frame, lambda value: f"l={value}", range(1, 15))
    entropy = int(anonymity.entropy_l_diversity(table, quasi, hidden))  # rounded down
    assert not violations(frame, EntropyDiversity(l=entropy))
    assert violations(frame, EntropyDiversity(l=entropy + 1))
    t = Fraction(anonymity.t_closeness(table, quasi, hidden)).limit_denominator(10**6)
    assert not violations(frame, TCloseness(t=min(Fraction(1), t + Fraction(1, 10**5))))
    assert violations(frame, TCloseness(t=t - Fraction(1, 10**5)))
    alpha, _ = anonymity.alpha_k_anonymity(table, quasi, hidden)
    share = Fraction(alpha).limit_denominator(10**6)
    assert not violations(frame, AlphaK(alpha=share, k=k))
    assert violations(frame, AlphaK(alpha=share - Fraction(1, 10**5), k=k))


@pytest.mark.parametrize("typed", ["confidence=a:1/3", "confidence= a:1/3", " confidence = a : 1/3 ", "confidence=a:1/3,"])
def test_spaces_around_what_is_typed_change_no_promise(typed):
    assert parse_models(typed) == (ConfidenceBound(templates=(("a", Fraction(1, 3)),)),)


def test_bounds_are_typed_as_percentages_too():
    assert parse_models("confidence=50%, confidence=a:12.5 %, t=20%, alpha=50%:4") == parse_models(
        "confidence=0.5, confidence=a:1/8, t=0.2, alpha=1/2:4"
    )


@pytest.mark.parametrize("factor", ["1e30", "9223372036854775807", "4611686018427387904.5", "1e18"])
def test_a_factor_beyond_64_bits_asks_only_for_a_tail(factor):
    assert not violations(one_group(10**6, 1), RecursiveDiversity(c=factor, l=2))
    assert violations(one_group(10**6), RecursiveDiversity(c=factor, l=2))


@given(
    counts=st.lists(st.integers(1, 30), min_size=1, max_size=5),
    c=st.fractions(0, 40, max_denominator=10**6),
    rank=st.integers(1, 4),
)
@settings(max_examples=200, deadline=None)
def test_the_recursive_model_is_its_definition(counts, c, rank):
    ordered = sorted(counts, reverse=True)
    holds = ordered[0] < c * sum(ordered[rank - 1 :])
    assert len(violations(one_group(*counts), RecursiveDiversity(c=c, l=rank))) == (not holds)
