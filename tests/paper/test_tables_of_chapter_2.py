"""Tables 2.1 to 2.4 of the thesis and Examples 2.1.1 to 2.1.4, with the misprint of the last one."""

from fractions import Fraction
from math import exp, log

import numpy as np
import polars as pl
import pytest

from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.tables import (
    Categorical,
    CellSuppression,
    ConfidenceBound,
    EntropyDiversity,
    FullDomain,
    Mondrian,
    Numeric,
    PublishedBuckets,
    RecursiveDiversity,
    Schema,
    Sensitive,
    TableRecords,
    TCloseness,
    measure_table,
    violations,
)
from tacita.tables.checking import groups_of

JOBS = Taxonomy.from_edges(
    [("Engineer", "Professional"), ("Lawyer", "Professional"), ("Writer", "Artist"), ("Dancer", "Artist")]  # below *, any job
)
SCHEMA = Schema(
    quasi=(
        Categorical(name="Job", taxonomy=JOBS),
        Categorical(name="Sex", taxonomy=Taxonomy.flat(Universe(["Male", "Female"]))),
        Numeric(name="Age", low=30, high=39, widths=(5,)),
    ),
    sensitive=Sensitive(name="Disease", universe=Universe(["Hepatitis", "HIV", "Flu"])),
)
ROWS = [
    ("Engineer", "Male", 35, "Hepatitis"),
    ("Engineer", "Male", 38, "Hepatitis"),
    ("Lawyer", "Male", 38, "HIV"),
    ("Writer", "Female", 30, "Flu"),
    ("Writer", "Female", 30, "HIV"),
    ("Dancer", "Female", 30, "HIV"),
    ("Dancer", "Female", 30, "HIV"),
]
TABLE_2_2 = [
    *[("Professional", "Male", "[35-40)", disease) for disease in ("Hepatitis", "Hepatitis", "HIV")],
    *[("Artist", "Female", "[30-35)", disease) for disease in ("Flu", "HIV", "HIV", "HIV")],
]
TABLE_2_3 = [
    *[("*", "Male", "*", disease) for disease in ("Hepatitis", "Hepatitis", "HIV")],
    ("Writer", "Female", "30", "Flu"),
    ("Writer", "Female", "30", "HIV"),
    *[("Dancer", "Female", "30", "HIV")] * 2,
]


@pytest.fixture
def table_2_1():
    return TableRecords.from_frame(pl.DataFrame(ROWS, schema=["Job", "Sex", "Age", "Disease"], orient="row"), schema=SCHEMA)


@pytest.fixture
def table_2_2(table_2_1):
    return FullDomain(models="k=3", suppression=0).anonymized(table_2_1)


def rows_of(published):
    return sorted(published.frame().iter_rows())


def test_the_lawyer_of_example_2_1_1_is_alone_with_hiv(table_2_1):
    found = [row for row in ROWS if row[:3] == ("Lawyer", "Male", 38)]
    assert [row[3] for row in found] == ["HIV"]
    assert len(violations(table_2_1, "k=2")) == 3  # the lawyer and both engineers


def test_the_dancers_of_example_2_1_2_have_hiv_for_certain(table_2_1):
    assert len(violations(table_2_1, "l=2")) == 4
    assert len(violations(table_2_1, ConfidenceBound(templates=(("HIV", "0.99"),)))) == 2  # the lawyer and the dancers


def test_table_2_2_comes_out_of_table_2_1_by_full_domain_generalization(table_2_2):
    assert rows_of(table_2_2) == sorted(TABLE_2_2)


def test_table_2_2_is_3_anonymous_with_two_groups_and_not_4_anonymous(table_2_2):
    assert (violations(table_2_2, "k=3").groups, len(violations(table_2_2, "k=3"))) == (2, 0)
    assert len(violations(table_2_2, "k=4")) == 1


def test_example_2_1_4_holds_with_its_misprint_corrected(table_2_2):
    found, _ = groups_of(table_2_2)
    entropies = []
    for group in range(2):
        shares = found.counts[found.groups == group] / found.sizes[group]
        entropies.append(exp(-sum(share * log(share) for share in shares)))
    assert sorted(entropies) == pytest.approx([1.7548, 1.8899], abs=1e-4)
    printed = exp(-2 * (1 / 3) * log(1 / 3))
    assert printed == pytest.approx(2.08, abs=0.01)  # what the formula in the thesis gives, not the 1.9 beside it
    assert len(violations(table_2_2, EntropyDiversity(l="1.75"))) == 0
    assert len(violations(table_2_2, EntropyDiversity(l="1.8"))) == 1  # the thesis says 0
    assert len(violations(table_2_2, EntropyDiversity(l="1.89"))) == 2


def test_recursive_diversity_of_table_2_2_is_strict(table_2_2):
    assert len(violations(table_2_2, RecursiveDiversity(c=4, l=2))) == 0
    assert len(violations(table_2_2, RecursiveDiversity(c=3, l=2))) == 1  # 3 < 3 * 1 is false
    assert len(violations(table_2_2, RecursiveDiversity(c=2, l=2))) == 2
    assert len(violations(table_2_2, RecursiveDiversity(c=100, l=3))) == 2  # there are two values only


def test_the_template_hiv_10_percent_is_violated_by_75_percent(table_2_2):
    assert len(violations(table_2_2, "confidence=HIV:0.1")) == 2
    assert len(violations(table_2_2, "confidence=HIV:0.74")) == 1
    assert len(violations(table_2_2, "confidence=HIV:0.75")) == 0


def test_table_2_3_comes_out_of_table_2_1_by_cell_suppression(table_2_1):
    published = CellSuppression(models="k=2").anonymized(table_2_1)
    assert rows_of(published) == sorted(TABLE_2_3)


def test_table_2_4_has_two_buckets_and_hides_who_has_what(table_2_1):
    published = PublishedBuckets(
        schema=SCHEMA,
        quasi=table_2_1.quasi,
        buckets=np.array([0, 0, 0, 1, 1, 1, 1]),
        sensitive=np.array([1, 0, 0, 1, 2, 1, 1]),
        sensitive_buckets=np.array([0, 0, 0, 1, 1, 1, 1]),
    )
    assert published.frame().row(0) == ("Engineer", "Male", "35", 1)
    assert published.sensitive_frame().row(0) == (1, "HIV")
    assert violations(published, "l=2").groups == 2
    assert len(violations(published, "l=2")) == 0
    assert len(violations(published, "confidence=HIV:0.5")) == 1


def test_ten_engineers_cost_ten_units_for_each_step_up():
    engineers = TableRecords.from_frame(
        pl.DataFrame({"Job": ["Engineer"] * 5 + ["Lawyer"] * 5}), schema=Schema(quasi=(Categorical(name="Job", taxonomy=JOBS),))
    )
    assert measure_table(engineers, Mondrian(models="k=5").anonymized(engineers)).steps == 0
    assert measure_table(engineers, Mondrian(models="k=10").anonymized(engineers)).steps == 10
    artist = TableRecords.from_frame(
        pl.DataFrame({"Job": ["Engineer"] * 9 + ["Dancer"]}), schema=Schema(quasi=(Categorical(name="Job", taxonomy=JOBS),))
    )
    assert measure_table(artist, Mondrian(models="k=10").anonymized(artist)).steps == 20


def test_a_group_of_half_flu_and_half_hiv_is_diverse_but_far_from_a_table_of_95_to_5():
    schema = Schema(
        quasi=(Numeric(name="group", low=0, high=1),), sensitive=Sensitive(name="s", universe=Universe(["flu", "HIV"]))
    )
    values = np.array([0] * 93 + [1] * 3 + [0, 0, 1, 1])
    table = TableRecords(schema=schema, quasi=(np.repeat([0, 1], [96, 4]),), sensitive=values)
    assert len(violations(table, "l=2")) == 0
    assert len(violations(table, TCloseness(t=Fraction(45, 100)))) == 0  # 50 % against 5 %
    assert len(violations(table, TCloseness(t=Fraction(449, 1000)))) == 1


def test_identical_records_are_k_anonymous_and_everything_is_known():
    schema = Schema(quasi=(Numeric(name="a", low=0, high=9),), sensitive=Sensitive(name="s", universe=Universe(["x", "y"])))
    table = TableRecords(schema=schema, quasi=(np.full(10, 3),), sensitive=np.zeros(10, dtype=np.int64))
    assert len(violations(table, "k=10")) == 0
    assert len(violations(table, "l=2")) == 1


def test_bounded_confidence_is_sufficient_for_diversity_but_not_necessary():
    schema = Schema(quasi=(Numeric(name="a", low=0, high=9),), sensitive=Sensitive(name="s", universe=Universe(["HIV", "flu"])))
    table = TableRecords(schema=schema, quasi=(np.full(4, 3),), sensitive=np.array([0, 0, 0, 1]))
    assert len(violations(table, "l=2")) == 0
    assert len(violations(table, "confidence=0.5")) == 1
