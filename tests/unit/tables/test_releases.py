"""Releases of tables: what they promise, what they hold, and that they can be opened again."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import polars as pl
import pytest

from tacita import ApproxDP, PureDP
from tacita.attacks.linkage import raw_candidates
from tacita.errors import InputError, ParameterError, VerificationError
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PerPerson, PublicInputs
from tacita.schemas import manifest_schema
from tacita.simulate.census import CensusWorld
from tacita.tables import (
    Bucketize,
    CellSuppression,
    FullDomain,
    Independent,
    Mondrian,
    PublishedBuckets,
    TableRecords,
    TopDown,
    declared,
    read_published_table,
    violations,
)
from tacita.tables.verifying import verify_release, verify_table

METHODS = [
    Mondrian(models="k=6, l=2"),
    FullDomain(models="k=6"),
    CellSuppression(models="k=6"),
    Bucketize(l=4),
    TopDown(splits=12),
]


@pytest.fixture(scope="module")
def records():
    world = CensusWorld.adult(people=800, seed=4)
    return TableRecords.from_frame(world.frame, schema=declared(world.declaration()), name="census")


def published(method, records):
    return method.publish(records, budget=PureDP("2")) if isinstance(method, TopDown) else method.publish(records)


every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)


@every_method
@pytest.mark.parametrize("separator", [";", "\t", "~"])
def test_a_release_has_the_separator_of_the_file_and_is_read_and_verified_by_it(method, records, separator, tmp_path):
    release = published(method, replace(records, separator=separator))
    folder = release.write(tmp_path / "out")
    opened = read_published_table(folder)
    assert opened.separator == separator
    assert opened.frame().equals(release.data.frame())
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for file in manifest["files"]:
        header = (folder / file["name"]).read_text(encoding="utf-8").splitlines()[0]
        assert separator in header or "," not in header
    if not isinstance(method, TopDown):
        assert verify_release(folder, manifest) == ([], []), "whoever receives it can check it"
    assert "recordSet" not in json.loads((folder / "croissant.json").read_text(encoding="utf-8"))


@every_method
@pytest.mark.parametrize("file_format", [None, "parquet", "jsonl", "csv.gz"])
def test_a_written_release_fits_the_schema_and_is_opened_again(method, records, file_format, tmp_path):
    release = published(method, records)
    folder = release.write(tmp_path / "out", file_format=file_format)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    jsonschema.validate(manifest, manifest_schema(), format_checker=jsonschema.FormatChecker())
    again = read_published_table(folder)
    assert again.frame().equals(release.data.frame())
    if isinstance(again, PublishedBuckets):
        assert again.sensitive_frame().equals(release.data.sensitive_frame())


@every_method
def test_the_guarantee_says_what_holds_and_a_verified_one_what_does_not(method, records):
    guarantee = published(method, records).guarantee
    assert guarantee.holds
    text = guarantee.statement()
    if isinstance(method, TopDown):
        assert "2-differential privacy" in text
    else:
        assert "no differential privacy" in text
        assert guarantee.as_json()["evidence"]["by"] == "tacita.tables.verifying"


@every_method
def test_nothing_that_was_counted_without_noise_is_in_the_manifest(method, records):
    half = TableRecords(
        schema=records.schema,
        quasi=tuple(np.repeat(codes[:400], 2) for codes in records.quasi),
        sensitive=np.repeat(records.sensitive[:400], 2),
        name="census",
        dropped_rows=77,
    )

    def told(side):
        manifest = dict(published(method, side).manifest)
        return json.dumps({name: value for name, value in manifest.items() if name != "ledger"})

    if not isinstance(method, TopDown):  # its draws name thresholds, which follow from noisy answers
        assert told(records) == told(half)
    assert "800" not in told(records).replace(records.schema.digest(), "")
    assert "77" not in told(half).replace(records.schema.digest(), "")


@every_method
def test_records_are_left_as_they_were(method, records):
    before = [codes.tobytes() for codes in (*records.quasi, records.sensitive)]
    published(method, records)
    assert [codes.tobytes() for codes in (*records.quasi, records.sensitive)] == before
    with pytest.raises(ValueError, match="read-only"):
        records.quasi[0][0] = 1


def test_a_release_that_was_changed_or_is_of_other_columns_is_refused(records, tmp_path):
    folder = Mondrian(models="k=50").publish(records).write(tmp_path / "out")
    world = CensusWorld.adult(people=10)
    columns = world.declaration()
    columns["quasi"][0]["high"] = 99
    from tacita.opening import open_release

    with pytest.raises(ParameterError, match="other columns"):
        open_release(folder, public=PublicInputs(others={"columns": declared(columns)}))
    with (folder / "table.csv").open("a", encoding="utf-8") as file:
        file.write("changed\n")
    with pytest.raises(InputError, match="was changed after"):
        read_published_table(folder)


def test_a_bound_without_k_comes_with_a_warning():
    assert "minimality" in str(Mondrian(models="confidence=0.5").explain())
    assert "minimality" not in str(Mondrian(models="k=2, confidence=0.5").explain())


def test_a_table_of_nobody_is_refused_by_verified_methods_and_published_empty_by_the_private_one():
    from tacita.errors import VerificationError
    from tacita.tables import TableReading, no_table

    world = CensusWorld.adult(people=10)
    public = PublicInputs(others={"columns": declared(world.declaration())})
    nobody = no_table(public=public, options=TableReading(), name="nobody")
    for method in METHODS[:-1]:
        with pytest.raises(VerificationError, match="nothing is published"):
            method.publish(nobody)
    release = TopDown(splits=3).publish(nobody, budget=PureDP("1"))
    assert isinstance(release.data.frame(), pl.DataFrame)


WHO = pl.DataFrame(
    {"who": ["p"] * 50 + ["q", "r", None], "age": ["30"] * 50 + ["31", "32", "33"], "ill": ["yes"] * 50 + ["no"] * 3},
)
ONE_COLUMN = declared(
    {
        "quasi": [{"name": "age", "type": "numeric", "low": 0, "high": 99}],
        "sensitive": {"name": "ill", "values": ["yes", "no"]},
    }
)


def test_rows_of_a_person_beyond_the_cap_are_cut_and_the_ledger_is_charged_for_those_that_are_kept():
    records = TableRecords.from_frame(WHO, schema=ONE_COLUMN, name="who", person="who", per_person=PerPerson.cap(3))
    assert len(records) == 5
    ledger = Ledger()
    release = TopDown(splits=2).publish(records, budget=PureDP("1"), ledger=ledger)
    assert ledger.balance("who").epsilon == 3
    assert "at most 3 of each person (a whole person is protected at 3 times epsilon)" in release.guarantee.statement()
    assert (
        "of each person at most 3 rows were kept, the first by a fixed hash of the person and the row"
        in release.manifest["rules"]
    )


def test_under_gaussian_noise_several_rows_of_a_person_cost_the_square_and_the_release_says_so():
    records = TableRecords.from_frame(WHO, schema=ONE_COLUMN, person="who", per_person=PerPerson.cap(3), name="who")
    ledger, budget = Ledger(), ApproxDP("1", "1e-9")
    release = Independent().publish(records, budget=budget, ledger=ledger)
    assert ledger.balance("who").rho == 9 * budget.rho
    assert "at most 3 of each person (a whole person is protected at 9 times rho)" in release.guarantee.statement()
    undeclared = Independent().publish(TableRecords.from_frame(WHO, schema=ONE_COLUMN), budget=budget)
    assert "for a person with several rows, rho is multiplied by the square of their number" in undeclared.guarantee.statement()


def test_without_a_column_of_persons_a_release_says_that_rows_are_protected():
    records = TableRecords.from_frame(WHO, schema=ONE_COLUMN)
    release = TopDown(splits=2).publish(records, budget=PureDP("1"))
    assert "one row (for a person with several rows, epsilon is multiplied by their number)" in release.guarantee.statement()
    assert any("each row was treated as a different person's" in rule for rule in release.manifest["rules"])


def test_one_person_more_or_less_changes_no_more_rows_than_the_cap():
    capped = {"schema": ONE_COLUMN, "person": "who", "per_person": PerPerson.cap(2)}
    with_p = TableRecords.from_frame(WHO, **capped)
    without = TableRecords.from_frame(WHO.filter(pl.col("who") != "p"), **capped)
    assert (len(with_p), len(without)) == (4, 2)


@pytest.mark.parametrize("method", [Mondrian(models="k=2"), Bucketize(l=2), CellSuppression(models="k=2")])
def test_a_group_that_could_be_one_persons_rows_is_refused(method):
    several = TableRecords.from_frame(WHO, schema=ONE_COLUMN, person="who", per_person=PerPerson.cap(2))
    with pytest.raises(ParameterError, match="every person may have one"):
        method.publish(several)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"per_person": PerPerson.cap(2)}, "needs the column that says whose row it is"),
        ({"person": "who", "per_person": PerPerson.JOIN}, "cannot be joined into one"),
    ],
)
def test_a_cap_without_persons_and_persons_that_are_joined_are_refused(words, message):
    with pytest.raises(ParameterError, match=message):
        TableRecords.from_frame(WHO, schema=ONE_COLUMN, **words)


TWO = declared(
    {
        "quasi": [{"name": "age", "type": "numeric", "low": 0, "high": 9}],
        "sensitive": [
            {"name": "ill", "values": ["flu", "HIV", "none"]},
            {"name": "pay", "values": ["low", "mid", "high"], "ordered": True},
        ],
    }
)


def two_sensitive(rows=60, seed=3):
    generator = np.random.default_rng(seed)
    ill, pay = (np.array(column.universe.labels)[generator.integers(0, 3, rows)] for column in TWO.hidden)
    frame = pl.DataFrame({"age": generator.integers(0, 10, rows).astype(str), "ill": ill, "pay": pay})
    return TableRecords.from_frame(frame, schema=TWO)


@pytest.mark.parametrize("method", [Mondrian, FullDomain, CellSuppression])
def test_a_model_holds_for_each_of_several_sensitive_columns(method, tmp_path):
    release = method(models="k=2, l=2, t=0.6, confidence=HIV:0.6").publish(two_sensitive())
    groups = (
        release.data.frame().group_by("age").agg(pl.col("ill", "pay").n_unique(), (pl.col("ill") == "HIV").mean().alias("HIV"))
    )
    assert groups["ill"].min() >= 2
    assert groups["pay"].min() >= 2
    assert groups["HIV"].max() <= 0.6
    back = read_published_table(release.write(tmp_path / "out"))
    assert back.frame().equals(release.data.frame())


@pytest.mark.parametrize(("ill", "pay"), [(["HIV", "HIV"], ["low", "high"]), (["HIV", "flu"], ["low", "low"])])
def test_different_combinations_do_not_make_up_for_one_value_in_a_column(ill, pay):
    frame = pl.DataFrame({"age": ["1", "1"], "ill": ill, "pay": pay})
    records = TableRecords.from_frame(frame, schema=TWO)
    assert len(violations(records, "l=2")) == 1
    with pytest.raises(VerificationError, match="violates the model"):
        verify_table(frame, records, [{"model": "distinct-l-diversity", "l": 2}])


def test_a_bound_for_a_value_that_no_sensitive_column_has_is_refused():
    with pytest.raises(ParameterError, match="must be for a value of a sensitive column, 'hiv' is none"):
        Mondrian(models="confidence=hiv:0.5").publish(two_sensitive())


def test_top_down_counts_combinations_and_buckets_take_one_sensitive_column():
    release = TopDown(splits=1).publish(two_sensitive(rows=3000), budget=PureDP("8"))
    assert release.data.frame().columns == ["age", "ill", "pay"]
    assert abs(len(release.data) - 3000) < 100
    with pytest.raises(ParameterError, match="takes one sensitive column, 2 are declared"):
        Bucketize(l=2).publish(two_sensitive())


def test_an_attack_takes_the_sensitive_column_of_which_most_is_known():
    frame = pl.DataFrame({"age": ["1", "1"], "ill": ["HIV", "HIV"], "pay": ["low", "high"]})
    assert raw_candidates(TableRecords.from_frame(frame, schema=TWO), (0,)).confidence.tolist() == [1.0]
