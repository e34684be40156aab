"""Which rows make one record, for one record a person and for several."""

from collections import defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.io import LongColumns, ReadOptions, read_lists
from tacita.public.inputs import PerPerson
from tacita.public.universe import Universe

UNIVERSE = Universe("abcdef")
TRIPS = LongColumns(record="trip")


def read(folder, rows, per_person, *, columns=TRIPS):
    path = folder / "taps.parquet"
    pl.DataFrame(rows, schema=["id", "trip", "label", "time"], orient="row").write_parquet(path)
    options = ReadOptions(columns=columns, per_person=per_person)
    return sorted(read_lists(path, universe=UNIVERSE, options=options).lists.to_lists())


ROWS = [(1, "x", "a", 5), (1, "y", "b", 1), (1, "y", "c", 9), (1, "x", "d", 6), (1, "z", "e", 1), (2, "x", "f", 0)]


def test_records_that_are_joined_are_one_list_by_time(tmp_path):
    assert read(tmp_path, ROWS, PerPerson.JOIN) == [[1, 4, 0, 3, 2], [5]]


def test_without_a_record_column_all_rows_are_joined_by_time(tmp_path):
    assert read(tmp_path, ROWS, PerPerson.JOIN, columns=LongColumns()) == [[1, 4, 0, 3, 2], [5]]


@pytest.mark.parametrize(
    ("most", "expected"),
    [(1, [[1, 2], [5]]), (2, [[1, 2], [4], [5]]), (3, [[0, 3], [1, 2], [4], [5]]), (9, [[0, 3], [1, 2], [4], [5]])],
)
def test_a_cap_keeps_the_first_records_by_time_then_by_name(tmp_path, most, expected):
    assert read(tmp_path, ROWS, PerPerson.cap(most)) == expected


ROW = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("abcdefg"), st.integers(0, 4))


def by_hand(rows, most):
    people = defaultdict(lambda: defaultdict(list))
    for person, trip, label, time in rows:
        if label in UNIVERSE:
            people[person][trip].append((time, UNIVERSE.code(label)))
    kept = []
    for trips in people.values():
        ordered = [trips[trip] for trip in sorted(trips, key=lambda trip: (min(event[0] for event in trips[trip]), trip))]
        if most is None:
            ordered = [[event for events in ordered for event in events]]
        kept += [[code for _, code in sorted(events)] for events in ordered[:most]]
    return sorted(kept)


@given(st.lists(ROW, min_size=1, max_size=30), st.sampled_from([None, 1, 2, 3]))
@settings(max_examples=60)
def test_reading_agrees_with_grouping_by_hand(tmp_path_factory, rows, most):
    assert read(tmp_path_factory.mktemp("rows"), rows, PerPerson(most)) == by_hand(rows, most)


@given(st.lists(ROW, min_size=1, max_size=20), st.lists(ROW, min_size=1, max_size=8), st.data(), st.integers(1, 3))
@settings(max_examples=40)
def test_a_person_more_changes_nobody_elses_records_and_adds_no_more_than_the_cap(tmp_path_factory, rows, more, data, most):
    folder = tmp_path_factory.mktemp("rows")
    together = list(rows)
    for _, trip, label, time in more:
        together.insert(data.draw(st.integers(0, len(together))), (99, trip, label, time))
    before, after = (read(folder, part, PerPerson.cap(most)) for part in (rows, together))
    left = list(after)
    for record in before:
        left.remove(record)
    assert len(left) <= most


def test_a_cap_needs_a_column_and_a_column_of_its_own():
    with pytest.raises(ParameterError, match="cap=2 needs the column"):
        ReadOptions(per_person=PerPerson.cap(2))
    with pytest.raises(ParameterError, match="a column of its own, got 'id'"):
        LongColumns(record="id")


def test_a_row_without_a_record_is_left_out(tmp_path):
    assert read(tmp_path, [(1, "x", "a", 5), (1, None, "b", 1)], PerPerson.JOIN) == [[0]]


@pytest.mark.parametrize("ids", [["p", "q"], [1, 2], [2**63 + 5, 7], [-(2**62), 2**62]])
@pytest.mark.parametrize("times", [[3, 1, 2, 1], [2**62, -(2**62), 5, 5], [0.5, -1.0, 2.0, 2.0]])
def test_every_way_of_sorting_gives_the_same_lists(tmp_path, ids, times):
    """Small numbers are packed into integers, large and broken ones are sorted as rows."""
    rows = [
        (ids[0], "x", "a", times[0]),
        (ids[1], "x", "b", times[1]),
        (ids[0], "x", "c", times[2]),
        (ids[0], "x", "d", times[3]),
    ]
    expected = sorted(
        [[1], [code for _, code in sorted(zip((times[0], times[2], times[3]), (0, 2, 3), strict=True), key=lambda e: e[0])]]
    )
    path = tmp_path / "taps.parquet"
    frame = pl.DataFrame(rows, schema=["id", "trip", "label", "time"], orient="row", infer_schema_length=None)
    frame.with_columns(
        pl.Series("id", [row[0] for row in rows], dtype=pl.UInt64) if ids[0] == 2**63 + 5 else pl.col("id")
    ).write_parquet(path)
    assert sorted(read_lists(path, universe=UNIVERSE).lists.to_lists()) == expected
