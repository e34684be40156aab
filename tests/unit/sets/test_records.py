import io

import pytest

from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io import FileFormat, IsoTime, LongColumns, ReadOptions, TextDialect
from tacita.public.inputs import PerPerson
from tacita.public.universe import Universe
from tacita.sequences import read_sequences
from tacita.sets import BasketRecords, read_baskets

UNIVERSE = Universe("ABC")
VISITS = "id,visit,label\n1,x,B\n1,x,A\n2,x,C\n1,y,B\n1,z,C\n1,x,B\n"


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text(VISITS, encoding="utf-8")
    return path


def test_doubles_collapse_and_items_stand_in_the_order_of_the_universe():
    records = BasketRecords.from_labels(["CAC", "B"], universe=UNIVERSE)
    assert records.baskets.to_lists() == [[0, 2], [1]]
    assert (records.dropped_labels, records.dropped_baskets) == (0, 0)


def test_unknown_items_and_baskets_that_hold_nothing_are_dropped_and_counted():
    records = BasketRecords.from_labels([["A", "X"], ["Y", "Y"], [], ["C"]], universe=UNIVERSE)
    assert records.baskets.to_lists() == [[0], [2]]
    assert (records.dropped_labels, records.dropped_baskets) == (3, 2)
    assert "3" not in repr(records)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 3]], "the index of a label in the universe"),
        ([[-1, 0]], "the index of a label in the universe"),
        ([[1, 0]], "must strictly increase"),
        ([[0, 0]], "must strictly increase"),
        ([[0], []], "no basket may be empty"),
    ],
)
def test_codes_that_are_no_baskets_are_refused(rows, message):
    with pytest.raises(ParameterError, match=message):
        BasketRecords(baskets=Ragged.from_lists(rows), universe=UNIVERSE)


def test_all_rows_of_a_person_are_one_basket(visits):
    records = read_baskets(visits, universe=UNIVERSE)
    assert records.baskets.to_lists() == [[0, 1, 2], [2]]
    assert (records.name, records.unit, records.records_per_person) == ("visits", "one person's basket", 1)


def test_joining_records_unites_them(visits):
    joined = ReadOptions(columns=LongColumns(record="visit"))
    assert read_baskets(visits, universe=UNIVERSE, options=joined).baskets.to_lists() == [[0, 1, 2], [2]]


def test_a_cap_keeps_the_first_baskets_in_the_order_of_their_names(visits):
    capped = ReadOptions(columns=LongColumns(record="visit"), per_person=PerPerson.cap(2))
    records = read_baskets(visits, universe=UNIVERSE, options=capped)
    assert records.baskets.to_lists() == [[0, 1], [1], [2]]
    assert records.records_per_person == 2
    assert records.unit == ("one of the baskets kept, at most 2 of each person (a whole person is protected at 2 times epsilon)")
    assert "at most 2 baskets of each person were kept, the first in the order of the names of their records" in records.rules
    first = ReadOptions(columns=LongColumns(record="visit"), per_person=PerPerson.cap(1))
    assert read_baskets(visits, universe=UNIVERSE, options=first).unit == (
        "one person's basket, the first of theirs in the order of the names of their records"
    )


def test_a_cap_counts_baskets_after_unknown_items_were_dropped(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("id,visit,label\n1,x,unknown\n1,y,B\n1,z,C\n2,x,unknown\n", encoding="utf-8")
    capped = ReadOptions(columns=LongColumns(record="visit"), per_person=PerPerson.cap(1))
    records = read_baskets(path, universe=UNIVERSE, options=capped)
    assert records.baskets.to_lists() == [[1]]
    assert (records.dropped_labels, records.dropped_baskets) == (2, 2)
    joined = read_baskets(path, universe=UNIVERSE)
    assert (joined.baskets.to_lists(), joined.dropped_labels, joined.dropped_baskets) == ([[1, 2]], 2, 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,label\n1,C\n1,A\n1,C\n2,X\n3,B\n"),
        ("a.tsv", "id\tlabel\tprice\n1\tC\t1\n1\tA\t2\n1\tC\t3\n2\tX\t4\n3\tB\t5\n"),
        (
            "a.jsonl",
            '{"id":1,"label":"C"}\n{"id":1,"label":"A"}\n{"id":1,"label":"C"}\n{"id":2,"label":"X"}\n{"id":3,"label":"B"}\n',
        ),
        ("a.lines", "C,A,,C\n\nX\nB\n"),
        ("a.dat", "C A C\n\nX\nB\n"),
        ("a.seq", "% names\nA B X C\n% baskets\n4 1 4 \n\n3 \n2 \n"),
    ],
)
def test_baskets_are_read_from_every_format_and_their_lines_may_be_empty(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    records = read_baskets(path, universe=UNIVERSE)
    assert records.baskets.to_lists() == [[0, 2], [1]]
    assert (records.dropped_labels, records.dropped_baskets) == (1, 1)
    assert records.file_format == name[2:].replace("lines", "wide").replace("tsv", "csv")
    with pytest.raises(InputError, match="must belong to the universe, but some do not"):
        read_baskets(path, universe=UNIVERSE, strict=True)


def test_the_rows_of_a_person_need_not_stand_together(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text("id,label\nx,B\ny,C\nx,A\n07,A\ny,C\n7,B\n", encoding="utf-8")
    assert sorted(read_baskets(path, universe=UNIVERSE).baskets.to_lists()) == [[0], [0, 1], [1], [2]]


def test_a_column_of_times_is_not_read_even_if_it_holds_nonsense(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text("id,label,time\n1,B,soon\n1,A,\n", encoding="utf-8")
    assert read_baskets(path, universe=UNIVERSE).baskets.to_lists() == [[0, 1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ReadOptions(columns=LongColumns(time="when")), "no time is read; leave the column out, got 'when'"),
        (ReadOptions(time_format=IsoTime()), "no time is read; leave out the time format, got IsoTime"),
    ],
)
def test_times_that_are_named_are_refused_because_they_would_do_nothing(visits, options, message):
    with pytest.raises(ParameterError, match=message):
        read_baskets(visits, universe=UNIVERSE, options=options)


def test_columns_without_a_time_are_told_apart():
    columns = LongColumns(person="position", label="time", time=None)
    assert columns.names == ["position", "time"]
    assert columns.without_time() == columns
    with pytest.raises(ParameterError, match="two different columns, got 'id' for both"):
        LongColumns(label="id", time=None)
    with pytest.raises(ParameterError, match="a column of its own"):
        LongColumns(record="id", time=None)


def test_sequences_cannot_do_without_times(visits):
    with pytest.raises(ParameterError, match="sequences are ordered by time"):
        read_sequences(visits, universe=UNIVERSE, columns=LongColumns(time=None))


def test_the_short_forms_stand_for_fields_of_the_options(tmp_path):
    path = tmp_path / "baskets.txt"
    path.write_text("7;B\n7;A\n", encoding="utf-8")
    options = ReadOptions(dialect=TextDialect(separator=";", header=False))
    columns = LongColumns(person="1", label="2", time=None)
    records = read_baskets(path, universe=UNIVERSE, columns=columns, file_format=FileFormat.CSV, options=options)
    assert records.baskets.to_lists() == [[0, 1]]
    assert records.columns == LongColumns(time=None)  # numbers are no names for the columns of a release


def test_what_comes_from_standard_input_needs_a_name(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"B A\nB B\n")))
    with pytest.raises(ParameterError, match="needs a name for the ledger"):
        read_baskets("-", universe=UNIVERSE, file_format=FileFormat.DAT)
    records = read_baskets("-", universe=UNIVERSE, file_format=FileFormat.DAT, name="shop")
    assert (records.name, records.baskets.to_lists()) == ("shop", [[0, 1], [1]])


def test_the_rules_of_a_manifest_tell_what_is_done_to_any_basket(tmp_path):
    (tmp_path / "a.dat").write_text("A\n", encoding="utf-8")
    records = read_baskets(tmp_path / "a.dat", universe=UNIVERSE)
    assert "each line was taken as one person's basket" in records.rules
    nobody = BasketRecords.from_labels([], universe=UNIVERSE)
    somebody = BasketRecords.from_labels([["A", "A", "Z"], []], universe=UNIVERSE)
    assert nobody.rules == somebody.rules


def test_msnbc_as_sets_has_the_figures_that_are_published(data_folder):
    """Chen's thesis, Table 4.2: 989,818 records, 17 items, at most 17 of them in a record, 1.72 on average."""
    from tacita.io import declared_universe

    path = data_folder / "msnbc" / "msnbc990928.seq.gz"
    records = read_baskets(path, universe=declared_universe(path), strict=True)
    assert (len(records.baskets), records.baskets.codes.size) == (989_818, 1_699_303)
    assert int(records.baskets.lengths.max()) == 17
    assert records.baskets.codes.size / len(records.baskets) == pytest.approx(1.72, abs=0.005)


@pytest.mark.parametrize(
    ("name", "baskets", "items"),
    [("BMS-WebView-1.dat.gz", 59_602, 497), ("retail.dat.gz", 88_162, 16_470), ("groceries.csv.gz", 9_835, 169)],
)
def test_real_baskets_are_read_whole(data_folder, name, baskets, items):
    from tacita.io import observed_labels

    path = data_folder / "baskets" / name
    options = ReadOptions(file_format=FileFormat.WIDE if "csv" in name else None)
    labels = observed_labels(path, options=options)
    records = read_baskets(path, universe=Universe(sorted(labels)), options=options, strict=True)
    assert (len(labels), len(records.baskets)) == (items, baskets)
