"""Declared columns: places, names, levels, and what happens to values that do not fit."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import taxonomies
from tables import schemas
from tacita.errors import InputError, ParameterError
from tacita.public.universe import Universe
from tacita.tables import Categorical, Numeric, Schema, Sensitive, TableRecords, declared, read_schema, read_table
from tacita.tables.declarations import schema_as_json


@given(taxonomies(), st.data())
@settings(max_examples=200)
def test_the_node_of_a_range_is_the_smallest_that_holds_it_in_the_binary_tree(taxonomy, data):
    column = Categorical(name="c", taxonomy=taxonomy)
    tree = taxonomy.narrowed(2)
    first = data.draw(st.integers(0, column.size - 1))
    last = data.draw(st.integers(first, column.size - 1))
    wanted = {int(label) for label in column.tree.label_at[first : last + 1]}
    smallest = min((set(tree.leaves(node)) for node in range(len(tree.parents)) if wanted <= set(tree.leaves(node))), key=len)
    low, high = column.spanned(np.array([first]), np.array([last]))
    assert {int(label) for label in column.tree.label_at[low[0] : high[0]]} == smallest


@given(taxonomies())
@settings(max_examples=100)
def test_every_node_of_a_taxonomy_has_its_name_and_the_levels_nest(taxonomy):
    column = Categorical(name="c", taxonomy=taxonomy)
    for node in range(len(taxonomy.parents)):
        places = sorted(int(column.tree.place_of[label]) for label in taxonomy.leaves(node))
        assert places == list(range(places[0], places[-1] + 1))
        if len(taxonomy.children(node)) != 1:  # a node with one child shares its range and gives way to it
            assert column.range_name(places[0], places[-1] + 1) == taxonomy.name(node)
    for (low, high), (low_above, high_above) in zip(column.levels, column.levels[1:], strict=False):
        assert (low_above <= low).all()
        assert (high <= high_above).all()
    assert (column.levels[0][1] - column.levels[0][0] == 1).all()
    assert (column.levels[-1][1] - column.levels[-1][0] == column.size).all()


@given(schemas())
@settings(max_examples=100)
def test_a_declaration_that_is_written_is_read_back(schema):
    again = declared(json.loads(json.dumps(schema_as_json(schema))))
    assert again.names == schema.names
    for one, other in zip(schema.quasi, again.quasi, strict=True):
        if isinstance(one, Categorical):
            names = [[side.range_name(place, place + 1) for place in range(side.size)] for side in (one, other)]
            assert sorted(names[0]) == sorted(names[1])


AGES = Schema(
    quasi=(Numeric(name="age", low=20, high=29),), sensitive=Sensitive(name="disease", universe=Universe(["flu", "HIV"]))
)


def test_numbers_outside_the_bounds_are_moved_and_rows_that_do_not_fit_are_left_out(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,name,disease\n25,Ann,flu\n7,Bob,HIV\n99,Cy,flu\n22,Di,plague\n,Ed,flu\n21.9,Flo,HIV\n")
    records = read_table(path, schema=AGES)
    assert records.quasi[0].tolist() == [5, 0, 9, 1]
    assert records.sensitive.tolist() == [0, 1, 0, 1]
    assert (len(records.misfits), records.dropped_rows) == (2, 0)
    assert "1 in 'age'" in records.owner_note
    assert "1 in 'disease'" in records.owner_note
    shown = repr(replace(records, dropped_rows=777))
    assert "777" not in shown
    assert str(records.quasi[0].tolist()) not in shown
    with pytest.raises(InputError, match="must fit, but some do not") as refusal:
        read_table(path, schema=AGES, strict=True)
    assert "plague" not in str(refusal.value)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "csv.gz"])
def test_a_table_is_read_from_every_format(tmp_path, ending):
    frame = pl.DataFrame({"age": [25, 21], "disease": ["flu", "HIV"]})
    path = tmp_path / f"people.{ending}"
    match ending:
        case "csv":
            frame.write_csv(path)
        case "csv.gz":
            import gzip

            path.write_bytes(gzip.compress(frame.write_csv().encode()))
        case "parquet":
            frame.write_parquet(path)
        case _:
            frame.write_ndjson(path)
    assert read_table(path, schema=AGES).quasi[0].tolist() == [5, 1]


def test_a_missing_column_and_rows_of_another_length_are_told_without_their_values(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("years,disease\n25,flu\n")
    with pytest.raises(InputError, match="must have the columns age, disease"):
        read_table(path, schema=AGES)
    path.write_text("age,disease\n25,flu,secret\n")
    records = read_table(path, schema=AGES)
    assert (len(records), len(records.misfits)) == (0, 1)
    assert "secret" not in records.why_empty


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be JSON"),
        ("[]", "must be an object"),
        ('{"quasi": 3}', "list 'quasi'"),
        ('{"quasi": []}', "a quasi-identifier at least"),
        ('{"quasi": [{"type": "numeric"}]}', "must have a name"),
        ('{"quasi": [{"name": "a", "type": "text"}]}', "one of the types numeric, categorical"),
        ('{"quasi": [{"name": "a", "type": "numeric", "low": 5, "high": 1}]}', "the lower one first"),
        ('{"quasi": [{"name": "a", "type": "numeric", "low": 0, "high": 9, "widths": [3, 5]}]}', "multiple"),
        ('{"quasi": [{"name": "a", "type": "categorical"}]}', "'edges'"),
        ('{"quasi": [{"name": "a", "type": "categorical", "values": ["x", "x"]}]}', "distinct"),
        ('{"quasi": [{"name": "a", "type": "categorical", "values": ["x"]}], "sensitive": {"name": "s"}}', "'values'"),
        ('{"quasi": [{"name": "a", "type": "categorical", "values": ["x"]}], "hidden": 1}', "no others"),
    ],
)
def test_a_declaration_that_cannot_be_meant_is_refused(tmp_path, text, message):
    path = tmp_path / "columns.json"
    path.write_text(text)
    with pytest.raises(ParameterError, match=message):
        read_schema(path)


def test_columns_with_codes_outside_their_places_are_refused():
    with pytest.raises(ParameterError, match="within the declared values"):
        TableRecords(schema=Schema(quasi=(Numeric(name="a", low=0, high=1),)), quasi=(np.array([2]),))
