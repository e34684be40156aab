"""Attacks on tables find what a search through all rows finds, and what the thesis and the literature tell."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import tables
from tacita.attacks import OWNER_ONLY, Composition, Linkage, Minimality
from tacita.attacks.minimality import confidence_after_minimality
from tacita.errors import ParameterError, VerificationError
from tacita.public.universe import Universe
from tacita.tables import Bucketize, CellSuppression, Mondrian, Numeric, Schema, Sensitive, TableRecords
from tacita.tables.published import table_of_groups


def candidates(records, published, person, columns):
    """The published rows that a person could be behind, by looking at each of them."""
    found = []
    for row, group in enumerate(published.groups):
        inside = [published.lows[group, j] <= records.quasi[j][person] < published.highs[group, j] for j in columns]
        if all(inside):
            found.append(int(published.sensitive[row]))
    return found


def slow_linkage(records, published, known):
    """The figures of the attack by brute force."""
    sets = [columns for size in range(1, known + 1) for columns in combinations(range(len(records.quasi)), size)]
    smallest, confidence, alone = [], [], 0
    for person in range(len(records)):
        found = [candidates(records, published, person, columns) for columns in sets]
        supports = [len(rows) for rows in found if rows]
        smallest.append(min(supports, default=10**9))
        alone += sum(len(rows) == 1 for rows in found)
        confidence.append(max(max(map(rows.count, rows)) / len(rows) if rows else 0.0 for rows in found))
    return {
        "people singled out, worst set": sum(size == 1 for size in smallest) / len(records),
        "people singled out, random set": alone / (len(records) * len(sets)),
        "highest confidence in a sensitive value": max(confidence),
        "mean over people of their highest confidence": sum(confidence) / len(records),
    }


def raw_table(records):
    places = np.stack(records.quasi, axis=1)
    return table_of_groups(records.schema, places, places + 1, np.arange(len(records)), records.sensitive)


@given(records=tables(most=20), known=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_linkage_in_the_raw_table_is_that_of_a_search_through_all_rows(records, known):
    found, expected = Linkage(known=known).assess(records), slow_linkage(records, raw_table(records), known)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@given(records=tables(most=20), known=st.integers(1, 3), kind=st.sampled_from([Mondrian, CellSuppression]))
@settings(max_examples=60, deadline=None)
def test_linkage_in_a_published_table_is_that_of_a_search_through_all_rows(records, known, kind):
    try:
        published = kind(models="k=3").anonymized(records)
    except VerificationError:
        return
    found, expected = Linkage(known=known).assess(records, published), slow_linkage(records, published, known)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@given(records=tables(least=6, most=40))
@settings(max_examples=60, deadline=None)
def test_nobody_has_fewer_candidates_than_k_after_mondrian(records):
    found = Linkage().assess(records, Mondrian(models="k=4").anonymized(records))
    assert found["smallest number of candidate rows"] >= 4


def table_of(codes, values, *, symbols):
    schema = Schema(
        quasi=(Numeric(name="a", low=0, high=99),), sensitive=Sensitive(name="s", universe=Universe("abcdefgh"[:symbols]))
    )
    return TableRecords(schema=schema, quasi=(np.array(codes),), sensitive=np.array(values))


def test_in_buckets_people_are_singled_out_but_no_value_passes_its_share():
    records = table_of(range(12), [0, 1, 2] * 4, symbols=3)
    found = Linkage().assess(records, Bucketize(l=3).anonymized(records))
    assert found["people singled out, worst set"] == 1
    assert found["highest confidence in a sensitive value"] == pytest.approx(1 / 3)


def test_two_releases_that_are_diverse_alone_give_everybody_away_together():
    records = table_of([0, 1, 2, 3], [0, 1, 1, 2], symbols=3)
    lows, highs = (np.array(side)[:, np.newaxis] for side in ([0, 2], [2, 4]))
    first = table_of_groups(records.schema, lows, highs, np.array([0, 0, 1, 1]), records.sensitive)
    lows, highs = (np.array(side)[:, np.newaxis] for side in ([0, 1, 3], [1, 3, 4]))
    second = table_of_groups(records.schema, lows, highs, np.array([0, 1, 1, 2]), records.sensitive)
    found = Composition().assess(records, first, second)
    assert found["people whose value is certain, together"] == 1
    assert found["mean confidence in the true value, together"] == 1
    assert found["possible values, first release alone"] == 2


@given(
    parts=st.lists(st.integers(1, 4), min_size=2, max_size=3),
    bound=st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)]),
    data=st.data(),
)
@settings(max_examples=80, deadline=None)
def test_confidence_after_minimality_is_that_of_all_ways_to_deal_the_values(parts, bound, data):
    total = sum(parts)
    count = data.draw(st.integers(0, total))
    ends = np.cumsum([0, *parts])
    broken = [
        [sum(dealt[ends[place] : ends[place + 1]]) for place in range(len(parts))]
        for dealt in product([0, 1], repeat=total)
        if sum(dealt) == count
        and any(sum(dealt[ends[place] : ends[place + 1]]) > bound * size for place, size in enumerate(parts))
    ]
    found = confidence_after_minimality(parts, count, bound=bound)
    if not broken:
        assert found == [Fraction(count, total)] * len(parts)
    else:
        expected = [Fraction(sum(ways[place] for ways in broken), len(broken) * size) for place, size in enumerate(parts)]
        assert found == expected


def test_a_group_that_was_put_together_for_its_values_tells_who_has_them():
    """Two people of one kind who both have the value, and four of another who have not: Wong et al.'s example."""
    records = table_of([0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1], symbols=2)
    published = table_of_groups(records.schema, np.array([[0]]), np.array([[2]]), np.zeros(6, dtype=np.int64), records.sensitive)
    found = Minimality(k=2, bound="2/3").assess(records, published)
    assert found["highest confidence, taken at face value"] == pytest.approx(2 / 3)
    assert found["highest confidence, knowing that it is minimal"] == 1
    assert found["people in groups that tell something"] == 1


def test_a_group_that_was_put_together_for_its_size_tells_nothing():
    records = table_of([0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1], symbols=2)
    published = table_of_groups(records.schema, np.array([[0]]), np.array([[2]]), np.zeros(6, dtype=np.int64), records.sensitive)
    found = Minimality(k=3, bound="2/3").assess(records, published)
    assert found["people in groups that tell something"] == 0


def test_every_result_says_that_it_is_for_the_owner_only():
    records = table_of([0, 1], [0, 1], symbols=2)
    found = Linkage().assess(records)
    assert OWNER_ONLY in str(found)
    assert found.as_json()["warning"] == OWNER_ONLY
    assert len(found.as_json()["figures"]) == len(found.figures)


def test_parameters_that_mean_nothing_are_refused():
    with pytest.raises(ParameterError, match="known must be"):
        Linkage(known=0)
    with pytest.raises(ParameterError, match="bound must be"):
        Minimality(k=2, bound="0")
    wide = Schema(quasi=tuple(Numeric(name=f"c{place}", low=0, high=1) for place in range(24)))
    records = TableRecords(schema=wide, quasi=tuple(np.array([0, 1]) for _ in range(24)))
    with pytest.raises(ParameterError, match="; lower known"):
        Linkage(known=12).assess(records)
