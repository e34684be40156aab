"""Releases of tables: what they promise, what they hold, and that they can be opened again."""

import json

import jsonschema
import numpy as np
import polars as pl
import pytest

from tacita import PureDP
from tacita.errors import InputError, ParameterError
from tacita.public.inputs import PublicInputs
from tacita.schemas import manifest_schema
from tacita.simulate.census import CensusWorld
from tacita.tables import (
    Bucketize,
    CellSuppression,
    FullDomain,
    Mondrian,
    PublishedBuckets,
    TableRecords,
    TopDown,
    declared,
    read_published_table,
)

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
    with pytest.raises(InputError, match="changed since"):
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
