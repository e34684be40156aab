import gzip
from datetime import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io import FileFormat, LongColumns, read_lists, read_long, write_long
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

UNIVERSE = Universe(["a", "b", "c"])
COLUMNS = LongColumns()
SECRET = "zzsecretzz"


def write(folder, text, name="taps.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lists(path, **rest):
    sequences, dropped = read_long(path, universe=UNIVERSE, columns=COLUMNS, **rest)
    return sorted(sequences.to_lists()), dropped


def test_rows_of_one_id_make_one_sequence_in_the_order_of_time(tmp_path):
    path = write(tmp_path, "id,label,time\n2,b,5\n1,c,9\n1,a,1\n2,a,4\n1,b,3\n")
    assert lists(path) == ([[0, 1], [0, 1, 2]], 0)


@pytest.mark.parametrize("long", ["", "0" * 17], ids=["short", "long"])
def test_rows_of_one_time_are_ordered_by_label(tmp_path, long):
    path = write(tmp_path, f"id,label,time\n9,a,5{long}\n1,c,9{long}\n1,a,9{long}\n1,b,9{long}\n9,b,5{long}\n1,c,1\n")
    assert lists(path) == ([[0, 1], [2, 0, 1, 2]], 0)


def test_rows_that_are_in_order_except_for_labels_are_ordered_by_label(tmp_path):
    assert lists(write(tmp_path, "id,label,time\n1,c,9\n1,a,9\n")) == ([[0, 2]], 0)


@pytest.mark.parametrize(
    "times",
    [
        ["2024-01-02", "2024-01-01", "2024-01-03"],
        ["2024-01-01T10:00:00", "2024-01-01T09:00:00", "2024-01-02T00:00:00"],
        ["2.5", "-1.25", "1e3"],
        ["-5", "-9", str(2**61)],
    ],
)
def test_time_may_be_a_date_a_moment_or_any_number(tmp_path, times):
    rows = "".join(f"x,{label},{time}\n" for label, time in zip("bac", times, strict=True))
    assert lists(write(tmp_path, "id,label,time\n" + rows)) == ([[0, 1, 2]], 0)


@pytest.mark.parametrize("ids", [["1", "A7", "1"], ["x", "y", "x"], [str(2**63 + 1), "7", str(2**63 + 1)], ["-4", "0", "-4"]])
def test_ids_may_be_numbers_or_texts(tmp_path, ids):
    rows = "".join(f"{person},{label},{9 - place}\n" for place, (person, label) in enumerate(zip(ids, "abc", strict=True)))
    assert lists(write(tmp_path, "id,label,time\n" + rows)) == ([[1], [2, 0]], 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [("007", "7"), ("1.0", "1.00"), ("true", "True"), ("9007199254740993.0", "9007199254740992.0"), ("2020-01-01", "2020/01/01")],
)
def test_ids_that_only_look_alike_are_two_people(tmp_path, one, other):
    assert lists(write(tmp_path, f"id,label,time\n{one},a,1\n{other},b,2\n"))[0] == [[0], [1]]


def test_a_file_name_is_no_pattern(tmp_path):
    for name, label in (("v[1].csv", "a"), ("v1.csv", "b"), ("v*.csv", "c")):
        write(tmp_path, f"id,label,time\n1,{label},1\n", name)
    assert lists(tmp_path / "v[1].csv")[0] == [[0]]
    assert lists(tmp_path / "v*.csv")[0] == [[2]]
    for name in ("v[1].csv", "v1.csv"):
        pl.read_csv(tmp_path / name, glob=False).write_parquet(tmp_path / name.replace("csv", "parquet"))
    assert lists(tmp_path / "v[1].parquet")[0] == [[0]]


@pytest.mark.parametrize(
    "columns", [{"person": "x", "label": "x"}, {"person": "position"}, {"label": "position"}, {"time": "id"}]
)
def test_columns_that_would_overwrite_each_other_are_refused(columns):
    with pytest.raises(ParameterError, match="three different columns"):
        LongColumns(**columns)


def test_a_column_that_is_there_twice_is_refused(tmp_path):
    with pytest.raises(InputError, match="'label' twice"):
        lists(write(tmp_path, "id,label,time,label\n1,a,1,b\n"))


@pytest.mark.parametrize("column", ["id", "label"])
@pytest.mark.parametrize("values", [[b"x"], [["x"]], [float("nan")], [2.0**53]])
def test_values_without_a_text_are_no_ids_and_no_labels(tmp_path, column, values):
    frame = {"id": [1], "label": ["a"], "time": [1]} | {column: values}
    pl.DataFrame(frame).write_parquet(tmp_path / "taps.parquet")
    with pytest.raises(InputError, match=rf"no row of .* fits \('{column}': no value"):
        lists(tmp_path / "taps.parquet")


@pytest.mark.parametrize("ids", [[7, 7, 8], [7.0, 7.0, 8.0], ["7", "7", "8"], [7.0, 7.0, None]])
def test_an_id_is_the_same_whatever_type_its_column_has(tmp_path, ids):
    frame = pl.DataFrame({"id": ids, "label": ["a", "b", "c"], "time": [1, 2, 3]}, strict=False)
    frame.write_parquet(tmp_path / "taps.parquet")
    assert [0, 1] in lists(tmp_path / "taps.parquet")[0]


def test_ids_that_stop_looking_like_numbers_late_are_read_as_texts(tmp_path):
    rows = "".join(f"{person},a,1\n" for person in range(2000)) + "late,b,1\n"
    assert len(lists(write(tmp_path, "id,label,time\n" + rows))[0]) == 2001


def test_columns_are_chosen_by_name_and_others_are_ignored(tmp_path):
    path = write(tmp_path, "when,card,fare,stop\n2,7,x,b\n1,7,y,a\n")
    sequences, _ = read_long(path, universe=UNIVERSE, columns=LongColumns(person="card", label="stop", time="when"))
    assert sequences.to_lists() == [[0, 1]]


def test_labels_that_look_like_numbers_are_texts(tmp_path):
    path = write(tmp_path, "id,label,time\n1,01,1\n1,1,2\n")
    sequences, dropped = read_long(path, universe=Universe(["1", "01"]), columns=COLUMNS)
    assert (sequences.to_lists(), dropped) == ([[1, 0]], 0)


def test_labels_outside_the_universe_are_dropped_and_counted(tmp_path):
    path = write(tmp_path, "id,label,time\n1,a,1\n1,x,2\n1,b,3\n2,y,1\n")
    assert lists(path) == ([[0, 1]], 2)


def test_no_label_inside_the_universe_leaves_nobody(tmp_path):
    assert lists(write(tmp_path, "id,label,time\n1,x,1\n2,y,2\n")) == ([], 2)


def test_a_compressed_file_is_read(tmp_path):
    path = tmp_path / "taps.csv.gz"
    path.write_bytes(gzip.compress(b"id,label,time\n1,b,2\n1,a,1\n"))
    assert lists(path) == ([[0, 1]], 0)


@pytest.mark.parametrize("label_type", [pl.String, pl.Categorical, pl.Int32])
def test_parquet_with_any_type_of_label_is_read(tmp_path, label_type):
    labels = [2, 1] if label_type == pl.Int32 else ["2", "1"]
    moments = [datetime(2024, 1, 2), datetime(2024, 1, 1)]  # noqa: DTZ001 - files hold times without a zone
    frame = pl.DataFrame({"id": ["p", "p"], "label": pl.Series(labels, dtype=label_type), "time": moments})
    frame.write_parquet(tmp_path / "taps.parquet")
    sequences, _ = read_long(tmp_path / "taps.parquet", universe=Universe(["1", "2"]), columns=COLUMNS)
    assert sequences.to_lists() == [[0, 1]]


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("id", [2**100, 7, 2**100], pl.Int128),
        ("id", [1, 2, 1], pl.Int128),
        ("id", ["x", "y", "x"], pl.Categorical),
        ("id", ["x", "y", "x"], pl.Enum(["y", "x"])),
        ("time", [2, 1, 1], pl.Int128),
        ("time", ["2", "1", "1"], pl.Decimal(10, 2)),
        ("time", ["2", "1", "1"], pl.Categorical),
        ("time", [2, 1, 1], pl.Float32),
        ("time", [2, 1, 1], pl.Time),
        ("time", [2, 1, 1], pl.Duration("ms")),
        ("time", [2, 1, 1], pl.Datetime("ns", "Europe/Paris")),
        ("time", ["2024-01-02", "2024-01-01", "2023-01-01"], pl.String),
    ],
)
def test_parquet_with_any_type_of_id_and_time_is_read(tmp_path, column, values, kind):
    frame = {"id": [1, 2, 1], "label": ["b", "c", "a"], "time": [2, 1, 1]} | {column: pl.Series(values).cast(kind)}
    pl.DataFrame(frame).write_parquet(tmp_path / "taps.parquet")
    assert lists(tmp_path / "taps.parquet") == ([[0, 1], [2]], 0)


ROW = st.tuples(st.integers(-3, 3), st.sampled_from("abc"), st.integers(-5, 5))


@given(st.lists(ROW, min_size=1, max_size=40), st.booleans())
@settings(max_examples=60)
def test_reading_agrees_with_grouping_by_hand(tmp_path_factory, rows, huge):
    """Far times do not fit one packed key and take the other way through the sorting."""
    scale = 2**59 if huge else 1
    people = {}
    for person, label, time in rows:
        people.setdefault(person, []).append((time, label))
    expected = sorted([UNIVERSE.code(label) for _, label in sorted(events)] for events in people.values())
    path = tmp_path_factory.mktemp("rows") / "taps.parquet"
    frame = pl.DataFrame(rows, schema=["id", "label", "time"], orient="row")
    frame.with_columns(pl.col("time").cast(pl.Int64) * scale).write_parquet(path)
    assert lists(path) == (expected, 0)


@pytest.mark.parametrize("file_format", [FileFormat.CSV, FileFormat.PARQUET])
@given(rows=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=10))
@settings(max_examples=25)
def test_what_is_written_reads_back(tmp_path_factory, file_format, rows):
    path = tmp_path_factory.mktemp("written") / f"out{file_format.ending}"
    write_long(path, Ragged.from_lists(rows), universe=UNIVERSE, columns=COLUMNS, file_format=file_format)
    sequences, dropped = read_long(path, universe=UNIVERSE, columns=LongColumns(time="position"))
    assert sequences.to_lists() == rows
    assert dropped == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("id,label,time\n", "has no rows"),
        ("id,place,time\n1,a,1\n", "must have the columns id, label, time"),
        (f"id,label,time\n,{SECRET},2\n", "'id': no value"),
        (f"id,label,time\n{SECRET},,1\n", "'label': no value"),
        (f"id,label,time\n1,{SECRET},\n", "'time': not a time"),
        (f"id,label,time\n1,a,{SECRET}\n", "'time': not a time"),
        (f"id,label,time\n1,a,1,{SECRET}\n", "fields or quotation marks"),
        ("id,label,time\n1,b,NaN\n", "'time': not a time"),
    ],
)
def test_bad_files_are_refused_without_a_value_of_a_record(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as caught:
        lists(write(tmp_path, text))
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_wrong_encoding_is_refused(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_bytes("id,label,time\n1,Montréal,1\n".encode("latin-1"))
    with pytest.raises(InputError, match="not text in the encoding"):
        lists(path)


def test_a_missing_file_a_folder_and_an_unknown_ending_are_refused(tmp_path):
    for path in (tmp_path / "nowhere.csv", tmp_path):
        with pytest.raises(InputError, match="does not exist or is not a file"):
            lists(path)
    with pytest.raises(InputError, match="is a workbook"):
        lists(write(tmp_path, "x", "taps.xls"))


def test_a_parquet_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        lists(write(tmp_path, "not parquet at all", "taps.parquet"))


def test_codes_are_as_small_as_the_universe_allows(tmp_path):
    sequences, _ = read_long(write(tmp_path, "id,label,time\n1,a,1\n"), universe=UNIVERSE, columns=COLUMNS)
    assert sequences.codes.dtype.itemsize <= np.dtype(np.uint32).itemsize


def test_without_a_time_rows_of_a_person_are_one_list_in_any_order(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,label\n2,b\n1,a\n2,a\n1,b\n1,b\n", encoding="utf-8")
    for ids in ("1", "x"):
        path.write_text(path.read_text(encoding="utf-8").replace("\n1,", f"\n{ids},"), encoding="utf-8")
        lists, dropped = read_long(path, universe=Universe(["a", "b"]), columns=LongColumns(time=None))
        assert (sorted(sorted(row) for row in lists.to_lists()), dropped) == ([[0, 1], [0, 1, 1]], 0)


def test_a_grid_needs_a_column_of_times(tmp_path):
    grid, universe = TimeGrid(start=0, interval=1, intervals=2), Universe(["a"])
    (tmp_path / "rows.csv").write_text("id,label\n1,a\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="a time grid needs the column that holds the times"):
        read_long(tmp_path / "rows.csv", universe=universe, columns=LongColumns(time=None), grid=grid)
    with pytest.raises(ParameterError, match="times can only be written to a column"):
        write_long(
            tmp_path / "out.csv",
            Ragged.from_lists([[0]]),
            universe=universe,
            columns=LongColumns(time=None),
            file_format=FileFormat.CSV,
            grid=grid,
        )


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", "id,label,time\n1,x,0\n2,a,0\n2,x,1\n3,x,1\n3,x,1\n"), ("a.dat", "x\na x\n\nx x\n")]
)
def test_records_of_which_nothing_is_left_are_counted(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_lists(tmp_path / name, universe=Universe(["a"]))
    assert (found.dropped_labels, found.emptied_records) == (4, 2)
