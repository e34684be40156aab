"""Every format is read into blocks as it is read into memory."""

import gzip

import numpy as np
import polars as pl
import pytest

from engines import random_file
from tacita.errors import EngineError, InputError
from tacita.formats import FileFormat
from tacita.io import LongColumns, Misfits, ReadOptions, read_lists, sources
from tacita.io.blocks import BlockRules, assembled, cut_into_pieces, fits_memory, lists_in_memory, spill, spilled
from tacita.io.blocks.pieces import bucket_of_numbers
from tacita.io.long_rows import EventColumns
from tacita.public.inputs import PerPerson
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

UNIVERSE = Universe("ABCD")


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(sources, "ROWS", 7)
    monkeypatch.setattr(sources, "BYTES", 64)


def both(path, options=None, **more):
    """What is read in blocks, and what is read into memory, in one order."""
    options = ReadOptions() if options is None else options
    files = spilled(path, universe=UNIVERSE, options=options, buckets=4, **more)
    found = sorted(row for number in range(len(files)) for row in files.lists(number).to_lists())
    read = read_lists(path, universe=UNIVERSE, options=options, **more)
    if read.file_format.is_long:
        lists, dropped, emptied = lists_in_memory(path, Misfits(), universe=UNIVERSE, options=options, grid=more.get("grid"))
        assert (sorted(lists.to_lists()), dropped, emptied) == (found, files.dropped, files.emptied)
    assert files.misfits.note == read.misfits.note
    return (found, files.dropped, files.emptied), (sorted(read.lists.to_lists()), read.dropped_labels, read.emptied_records)


@pytest.mark.parametrize("seed", range(6))
def test_csv_is_read_in_blocks_as_in_memory(tmp_path, seed):
    found, expected = both(random_file(tmp_path / "events.csv", seed))
    assert found == expected


@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv.gz", "quoted", "latin-1", "capped", "grid", "floats", "dates"])
def test_other_formats_and_options_are_read_in_blocks_as_in_memory(tmp_path, form):
    path = random_file(tmp_path / "events.csv", 4)
    frame, options, grid = pl.read_csv(path, schema_overrides={"id": pl.String}), ReadOptions(), None
    match form:
        case "parquet":
            path = tmp_path / "events.parquet"
            frame.write_parquet(path)
        case "jsonl":
            path = tmp_path / "events.jsonl"
            frame.write_ndjson(path)
        case "csv.gz":
            (tmp_path / "events.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
            path = tmp_path / "events.csv.gz"
        case "quoted":
            path.write_text("id,label,time\n" + '"a, b",A,1\n"a, b",B,0\n' * 5 + '"c ""d""",C,3\n')
        case "latin-1":
            path.write_bytes("id,label,time\né,A,1\nü,B,2\né,C,0\n".encode("latin-1"))
            options = ReadOptions(dialect=options.dialect.__class__(encoding="latin-1"))
        case "capped":
            frame.with_columns(trip=pl.col("time") % 3).write_csv(path)
            options = ReadOptions(columns=LongColumns(record="trip"), per_person=PerPerson.cap(2))
        case "grid":
            grid = TimeGrid(start=1, interval=1, intervals=2)
        case "floats":
            frame.with_columns(pl.when(pl.col("label") == "A").then(0.5).otherwise(pl.col("time"))).write_csv(path)
        case "dates":
            frame.with_columns(time=pl.date(2024, 1, pl.col("time") + 1)).write_csv(path)
    found, expected = both(path, options, **({} if grid is None else {"grid": grid}))
    assert found == expected


@pytest.mark.parametrize("form", ["dat", "seq", "lines"])
def test_lines_are_read_in_blocks_as_in_memory(tmp_path, form):
    path = tmp_path / f"events.{form}"
    lines = {"dat": "A B\n\nC x\nx\n", "seq": "1 2\n4\n9\n", "lines": 'A,B\n"C",x\n'}[form] * 20
    path.write_text(("% these\n\nA B C D\n\n% Sequences:\n\n" if form == "seq" else "") + lines)
    found, expected = both(path)
    assert found == expected


def test_the_packed_form_and_frames_give_the_same_block():
    ids, times, codes = np.array([5, -3, 5, 5]), np.array([2, 1, 2, 0]), np.array([3, 1, 0, 4])
    rules = BlockRules(symbols=4, are_sets=False, per_person=PerPerson.JOIN, buckets=1)
    blocks = []
    for kind in (pl.Int64, pl.Float64):
        series = [pl.Series(codes), pl.Series(ids), pl.Series(times).cast(kind)]
        rows = EventColumns(codes=series[0].set(series[0] == 4, None), ids=series[1], times=series[2], records=None)
        pieces = [piece for _, piece in cut_into_pieces(rows, symbols=4, buckets=1)]
        blocks.append(assembled(pieces, number=0, rules=rules))
    assert [sorted(block.lists.to_lists()) for block in blocks] == [[[0, 3], [1]]] * 2
    assert [(block.dropped, block.emptied) for block in blocks] == [(1, 0)] * 2


@pytest.mark.parametrize("name", ["7", "seven"])
def test_nobody_is_counted_in_a_wrong_block(name):
    rows = EventColumns(codes=pl.Series([0]), ids=pl.Series([name]), times=pl.Series([1]), records=None)
    rules = BlockRules(symbols=4, are_sets=False, per_person=PerPerson.JOIN, buckets=4)
    [(number, piece)] = cut_into_pieces(rows, symbols=4, buckets=4)
    assert assembled([piece], number=number, rules=rules).lists.to_lists() == [[0]]
    with pytest.raises(EngineError, match="found in two blocks"):
        assembled([piece], number=(number + 1) % 4, rules=rules)


def test_ids_are_spread_evenly_over_blocks():
    sizes = np.bincount(bucket_of_numbers(np.arange(80_000), 8))
    assert sizes.min() > 9_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,label,time\n3,,4\n", r"no row of .* fits \('label': no value"),
        ("id,label,time\n3,B,soon\n", r"no row of .* fits \('time': not a time"),
        ("id,label\n1,A\n", "must have the columns"),
        ("id,label,time\n", "has no rows"),
        ("", "is empty"),
    ],
)
def test_a_file_without_a_row_that_fits_is_refused(tmp_path, text, message):
    path = tmp_path / "events.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        spilled(path, universe=UNIVERSE, options=ReadOptions(), buckets=4)
    assert "soon" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "misfits"),
    [
        ("1,A,1\n" + "2,B,2\n" * 30 + "3,,4\n", 1),
        ("1,A,1\n" + "2,B,2\n" * 30 + "3,B,soon\n" + '4,"A,1\n', 2),
        ("1,A,2024-01-01\n" + "2,B,2024-01-01\n" * 30 + "2,A,7\n" * 3, 0),
        ("1,A,0.5\n" + "2,A,9007199254740993\n2,B,9007199254740992\n" * 15, 0),
        ("1,A,1\n2,B\0,1\n" + "3,C,1,1\n" * 12, 13),
    ],
)
def test_rows_that_do_not_fit_are_the_same_in_blocks(tmp_path, rows, misfits):
    path = tmp_path / "events.csv"
    path.write_text("id,label,time\n" + rows)
    found, expected = both(path)
    assert found == expected
    assert len(read_lists(path, universe=UNIVERSE).misfits) == misfits
    if misfits:
        with pytest.raises(InputError, match="must fit, but some do not"):
            spilled(path, universe=UNIVERSE, options=ReadOptions(), strict=True)


def test_a_large_file_is_read_into_memory_in_blocks(tmp_path, monkeypatch):
    path = random_file(tmp_path / "events.csv", 3, most=200)
    usual = read_lists(path, universe=UNIVERSE)
    monkeypatch.setattr(spill, "LARGE", 10)
    read = read_lists(path, universe=UNIVERSE)
    assert read.lists.to_lists() != usual.lists.to_lists()
    assert sorted(read.lists.to_lists()) == sorted(usual.lists.to_lists())
    assert (read.dropped_labels, read.emptied_records) == (usual.dropped_labels, usual.emptied_records)
    with pytest.raises(InputError, match="must belong to the universe"):
        read_lists(path, universe=UNIVERSE, strict=True)


def test_strict_refuses_labels_outside_the_universe(tmp_path):
    with pytest.raises(InputError, match="every label"):
        spilled(random_file(tmp_path / "events.csv", 4), universe=UNIVERSE, options=ReadOptions(), strict=True)


def test_nothing_private_has_a_name_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "spill"))
    (tmp_path / "spill").mkdir()
    files = spilled(random_file(tmp_path / "events.csv", 4), universe=UNIVERSE, options=ReadOptions())
    assert files.codes
    assert not any((tmp_path / "spill").iterdir())


def test_a_file_fits_if_it_needs_no_more_than_half_of_what_is_free(tmp_path):
    path = tmp_path / "events.parquet"
    pl.DataFrame({"id": range(1000)}).write_parquet(path)
    assert fits_memory(path, FileFormat.PARQUET, available=128_000)
    assert not fits_memory(path, FileFormat.PARQUET, available=127_000)
