"""The simulated census: single columns as published, seeded, with declared columns that fit."""

import json

import polars as pl
import pytest

from tacita.errors import ParameterError
from tacita.simulate import CensusWorld, make_world, write_world
from tacita.simulate.census import COUNTRIES, EDUCATION, MARITAL, OCCUPATION, RACE, SEX, WORK_CLASS
from tacita.tables import TableRecords, declared, read_schema, read_table

COLUMNS = {
    "workclass": WORK_CLASS,
    "education": EDUCATION,
    "marital-status": MARITAL,
    "race": RACE,
    "sex": SEX,
    "native-country": COUNTRIES,
    "occupation": OCCUPATION,
}


def test_the_counts_are_those_of_the_file_without_its_unknown_values():
    """32,561 people; 1,836, 1,843 and 583 of them have no known work class, occupation or country."""
    unknown = {"workclass": 1836, "occupation": 1843, "native-country": 583}
    for name, counts in COLUMNS.items():
        assert sum(count for count, _ in counts.values()) == 32_561 - unknown.get(name, 0)


@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_is_distributed_as_published(name):
    """With 100,000 people a share is off by 0.01 less than once in a billion worlds; the seed is fixed anyway."""
    frame = CensusWorld(people=100_000, seed=3).frame
    found = dict(frame[name].value_counts(normalize=True).iter_rows())
    total = sum(count for count, _ in COLUMNS[name].values())
    for value, (count, _) in COLUMNS[name].items():
        assert found.get(value, 0.0) == pytest.approx(count / total, abs=0.01)


def test_age_and_income_have_the_published_quartiles_and_share():
    frame = CensusWorld(people=50_000, seed=5).frame
    assert [frame["age"].quantile(share) for share in (0.25, 0.5, 0.75)] == pytest.approx([28, 37, 48], abs=1)
    assert (frame["age"].min(), frame["age"].max()) == (17, 90)
    assert (frame["income"] == ">50K").mean() == pytest.approx(7841 / 32561, abs=0.01)


def test_columns_depend_on_each_other():
    frame = CensusWorld(people=20_000, seed=1).frame
    age = dict(frame.group_by("marital-status").agg(pl.col("age").mean()).iter_rows())
    assert age["Widowed"] > age["Married-civ-spouse"] > age["Never-married"]


def test_the_same_seed_gives_the_same_people_and_another_one_others():
    assert CensusWorld(people=100, seed=1).frame.equals(CensusWorld(people=100, seed=1).frame)
    assert not CensusWorld(people=100, seed=1).frame.equals(CensusWorld(people=100, seed=2).frame)


def test_every_person_fits_the_declared_columns(tmp_path):
    world = make_world("census", records=2000, seed=2)
    assert TableRecords.from_frame(world.frame, schema=declared(world.declaration())).dropped_rows == 0
    folder = write_world(world, tmp_path / "census")
    schema = read_schema(folder / "columns.json")
    assert len(read_table(folder / "tables.csv", schema=schema, strict=True)) == 2000
    assert json.loads((folder / "columns.json").read_text())["sensitive"]["name"] == "occupation"
    assert "columns.json" in (folder / "README.md").read_text()


def test_a_census_of_nobody_is_refused():
    with pytest.raises(ParameterError, match="at least one person"):
        CensusWorld(people=0)
