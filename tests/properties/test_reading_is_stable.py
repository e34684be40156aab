"""One person's rows never change what is read of another person."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.io import FileFormat, LongColumns, ReadOptions, read_long
from tacita.public.inputs import PerPerson
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

UNIVERSE = Universe("abc")
numbers = st.one_of(
    st.integers(0, 30).map(str),
    st.sampled_from(["1.5", "0.25", "2e3", "638500000000000000", "638500000000000001", "1700000000000000001", "9e18", "-4"]),
)
rows = st.lists(st.tuples(st.sampled_from("abcd"), numbers, st.sampled_from("xyz")), min_size=1, max_size=5)


def first_person(tmp_path, mine, others, file_format, per_person, grid):
    """What is read of the person p, whose rows come between those of others; None if the file is refused."""
    people = [*(("p", *row) for row in mine), *(("q", *row) for row in others)]
    path = tmp_path / f"rows{file_format.ending}"
    if file_format is FileFormat.CSV:
        text = "id,label,time,trip\n" + "".join(f"{','.join(row)}\n" for row in people)
    else:
        text = "".join(
            f'{{"id": "{who}", "label": "{label}", "time": {time}, "trip": {json.dumps(trip)}}}\n'
            for who, label, time, trip in people
        )
    path.write_text(text, encoding="utf-8")
    options = ReadOptions(columns=LongColumns(record="trip"), per_person=per_person)
    try:
        lists = read_long(path, universe=UNIVERSE, options=options, grid=grid)[0].to_lists()
    except InputError:
        return None
    of_others = read_others(tmp_path, others, options, grid, file_format)
    return lists[: len(lists) - of_others]


def read_others(tmp_path, others, options, grid, file_format):
    if not others:
        return 0
    path = tmp_path / f"others{file_format.ending}"
    if file_format is FileFormat.CSV:
        text = "id,label,time,trip\n" + "".join(f"q,{','.join(row)}\n" for row in others)
    else:
        text = "".join(f'{{"id": "q", "label": "{row[0]}", "time": {row[1]}, "trip": "{row[2]}"}}\n' for row in others)
    path.write_text(text, encoding="utf-8")
    return len(read_long(path, universe=UNIVERSE, options=options, grid=grid)[0])


@pytest.mark.parametrize("file_format", [FileFormat.CSV, FileFormat.JSONL])
@pytest.mark.parametrize("grid", [None, TimeGrid(start=0, interval=10, intervals=3)], ids=["order", "grid"])
@given(mine=rows, others=rows, per_person=st.sampled_from([PerPerson.JOIN, PerPerson.cap(2)]))
@settings(max_examples=150)
def test_another_person_changes_nothing_unless_the_file_is_refused(tmp_path_factory, file_format, grid, mine, others, per_person):
    folder = tmp_path_factory.mktemp("stable")
    alone = first_person(folder, mine, [], file_format, per_person, grid)
    together = first_person(folder, mine, others, file_format, per_person, grid)
    assert alone is None or together is None or alone == together


def test_large_times_beside_a_fraction_are_refused_and_no_value_is_told(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,label,time\np,a,638500000000000001\nq,b,1.5\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"must be below 2\*\*53, row 1 is not") as caught:
        read_long(path, universe=UNIVERSE)
    assert "6385" not in str(caught.value)


def test_a_time_far_outside_the_grid_is_dropped_like_any_other(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,label,time\np,a,1\np,b,12.5\nq,c,4.0e15\n", encoding="utf-8")
    lists, dropped = read_long(path, universe=UNIVERSE, grid=TimeGrid(start=0, interval=10, intervals=5))
    assert (lists.to_lists(), dropped) == ([[0, 4]], 1)
