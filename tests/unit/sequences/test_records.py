import io

import polars as pl
import pytest

from strategies import sequence_records
from tacita.errors import LedgerExhaustedError, ParameterError
from tacita.io import AutoTime, FileFormat, LongColumns, ReadOptions, TextDialect, writable_format
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.inputs import PerPerson
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, read_sequences

UNIVERSE = Universe(["A", "B"])
CAPPED = ReadOptions(columns=LongColumns(record="trip"), per_person=PerPerson.cap(2))


@pytest.fixture
def trips(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text("id,trip,label,time\n1,x,A,1\n1,x,B,2\n1,y,B,3\n1,z,A,4\n2,x,A,1\n", encoding="utf-8")
    return path


def test_a_person_has_one_sequence_unless_the_owner_says_otherwise(trips):
    records = read_sequences(trips, universe=UNIVERSE)
    assert records.sequences.to_lists() == [[0, 1, 1, 0], [0]]
    assert (records.unit, records.records_per_person) == ("one person's sequence", 1)


def test_a_ledger_charges_what_a_person_with_several_records_can_lose(trips):
    records = read_sequences(trips, universe=UNIVERSE, options=CAPPED)
    ledger = Ledger()
    ledger.set_cap(records.name, PureDP("3"))
    PrefixTree(height=2).publish(records, budget=PureDP("1"), ledger=ledger)
    assert ledger.balance(records.name).epsilon == 2
    with pytest.raises(LedgerExhaustedError):
        PrefixTree(height=2).publish(records, budget=PureDP("1"), ledger=ledger)


def test_a_cap_keeps_sequences_apart_and_stands_in_the_guarantee(trips, tmp_path):
    records = read_sequences(trips, universe=UNIVERSE, options=CAPPED)
    assert records.sequences.to_lists() == [[0, 1], [1], [0]]
    assert records.records_per_person == 2
    release = PrefixTree(height=2).publish(records, budget=PureDP("1"))
    promise = "one of the sequences kept, at most 2 of each person (a whole person is protected at 2 times epsilon)"
    assert release.guarantee.statement() == f"This release satisfies 1-differential privacy for adding or removing {promise}."
    assert promise in (release.write(tmp_path / "out") / "README.md").read_text(encoding="utf-8")


def test_the_short_forms_stand_for_fields_of_the_options(tmp_path):
    path = tmp_path / "events.txt"
    path.write_text("7;B;2024-01-02\n7;A;2024-01-01\n", encoding="utf-8")
    columns = LongColumns(person="1", label="2", time="3")
    options = ReadOptions(dialect=TextDialect(separator=";", header=False), time_format=AutoTime(zone="Europe/London"))
    records = read_sequences(path, universe=UNIVERSE, columns=columns, file_format=FileFormat.CSV, options=options)
    assert records.sequences.to_lists() == [[0, 1]]
    assert records.columns == LongColumns()  # numbers are no names for the columns of a release


def test_what_comes_from_standard_input_needs_a_name(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"A B\nB\n")))
    with pytest.raises(ParameterError, match="needs a name for the ledger"):
        read_sequences("-", universe=UNIVERSE, file_format=FileFormat.DAT)
    records = read_sequences("-", universe=UNIVERSE, file_format=FileFormat.DAT, name="taps")
    assert (records.name, records.sequences.to_lists()) == ("taps", [[0, 1], [1]])


@pytest.mark.parametrize("name", ["jsonl", "wide", "dat", "csv.gz", "seq.zst", "jsonl.zst", "wide.gz"])
def test_a_release_reads_back_in_every_format(tmp_path, name):
    release = PrefixTree(height=2).publish(sequence_records(["AB"] * 200 + ["C"] * 100), budget=PureDP("4"))
    folder = release.write(tmp_path / "out", file_format=name)
    (data,) = (file for file in folder.iterdir() if file.name.startswith("sequences."))
    again = read_sequences(data, universe=Universe("ABCD"), columns=LongColumns(time="position"))
    assert sorted(again.sequences.to_lists()) == sorted(release.data.sequences.to_lists())
    assert data.name == "sequences." + name.replace("wide", "lines")


def test_the_format_that_came_in_goes_out_unpacked(tmp_path):
    pl.DataFrame({"id": [1] * 50, "label": ["A"] * 50, "time": range(50)}).write_ndjson(tmp_path / "taps.jsonl")
    records = read_sequences(tmp_path / "taps.jsonl", universe=UNIVERSE)
    folder = PrefixTree(height=1).publish(records, budget=PureDP("1")).write(tmp_path / "out")
    assert (folder / "sequences.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "label"), [("dat", "a b"), ("seq.gz", "a b"), ("wide", " a"), ("csv", "a\0b"), ("jsonl.zst", "a\0b")]
)
def test_a_format_that_cannot_hold_the_labels_is_refused_before_anything_is_spent(name, label):
    assert writable_format("parquet", Universe([label])) == "parquet"
    with pytest.raises(ParameterError, match="choose another format"):
        writable_format(name, Universe([label]))
