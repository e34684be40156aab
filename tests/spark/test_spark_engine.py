"""Releases from Spark are those from memory; what Spark gets wrong is refused.

Starting Spark takes most of the time, so few of these tests are in the default run.
"""

import os
import random
import sys

import polars as pl
import pytest

from engines import COUNTED, NAMES, UNIVERSE, opened, random_file, released
from mechanisms import Case
from reading_rows import LABELS, NAMED, NUMBERED, csv_file, csv_rows, json_file, json_rows
from tacita import utility
from tacita.arrays import parts
from tacita.counting.spark.ingest import spark_blocks
from tacita.errors import EngineError, InputError, ParameterError
from tacita.io import Engine, LongColumns, ReadOptions, declared_universe, long_frame, read_lists
from tacita.io.spark import passing_on_errors, spark_session, written_by_spark
from tacita.kinds import methods
from tacita.opening import open_release
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrefixTree, Raked, open_sequences, read_sequences
from tacita.sets import DiffPart, ItemsetCounts, open_baskets, read_baskets
from tacita.testing import seeded_ledger
from tacita.verifying import verify

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of Spark's own sockets
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

QUICK = "1-prefix-tree"


def marked(name):
    return () if name == QUICK else pytest.mark.slow


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=name, marks=marked(name)) for case, name in zip(COUNTED, NAMES, strict=True)]
)
def test_a_release_from_spark_is_the_one_from_memory(tmp_path, case):
    path = random_file(tmp_path / "events.csv", 5)
    assert released(case, opened(case, str(path), Engine.SPARK), 5) == released(case, opened(case, path, Engine.LOCAL), 5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sequences", "sets"])
@pytest.mark.parametrize("seeds", [range(first, first + 10) for first in range(0, 50, 10)], ids=str)
def test_many_random_data_sets_give_the_same_releases_on_spark(spark, tmp_path, seeds, kind):
    cases = [case for case in COUNTED if methods()[case.name].kind == kind]
    for seed in seeds:
        path = random_file(tmp_path / f"{seed}.csv", seed, most=30)
        there, here = (opened(cases[0], str(path), engine) for engine in (Engine.SPARK, Engine.LOCAL))
        for case in cases:
            assert released(case, there, seed) == released(case, here, seed)
        spark.catalog.clearCache()


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_sequences_with_a_delta_are_the_same_on_every_engine(tmp_path):
    case = Case(name="raked", mechanism=Raked(max_length=4), budget=ApproxDP("20", "1e-9"))
    for seed in range(5):
        path = random_file(tmp_path / f"{seed}.csv", seed, most=200)
        here = released(case, opened(case, path, Engine.LOCAL), seed)
        assert released(case, opened(case, str(path), Engine.SPARK), seed) == here
        assert released(case, opened(case, path, Engine.BLOCKS), seed) == here


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_msnbc_is_released_from_spark_as_from_memory(data_folder, tmp_path):
    path = next(iter(sorted(data_folder.glob("msnbc/*.seq*"))))
    universe = declared_universe(path)
    records = read_sequences(path, universe=universe)
    long_frame(records.sequences, universe=universe, columns=LongColumns()).write_parquet(tmp_path / "msnbc.parquet")
    options = ReadOptions(engine=Engine.SPARK, columns=LongColumns(time="position"))
    there = open_sequences(str(tmp_path / "msnbc.parquet"), universe=universe, options=options)
    for method in (PrefixTree(height=6), NGram(), Raked()):
        assert_same_release(method, records, there)
    baskets = read_baskets(path, universe=universe)
    options = ReadOptions(engine=Engine.SPARK, columns=LongColumns(time=None))
    there = open_baskets(str(tmp_path / "msnbc.parquet"), universe=universe, options=options)
    for method in (DiffPart(), ItemsetCounts()):
        assert_same_release(method, baskets, there)


def assert_same_release(method, *held):
    here, there = (method.publish(each, budget=PureDP("1"), ledger=seeded_ledger(3)).to_polars() for each in held)
    assert here.equals(there)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("case", COUNTED, ids=NAMES)
def test_what_spark_writes_in_parts_is_what_one_process_writes(tmp_path, monkeypatch, case):
    monkeypatch.setattr(parts, "RECORDS", 20)
    monkeypatch.setattr(parts, "AT_ONCE", 40)
    path = random_file(tmp_path / "events.csv", 5, most=100)
    release = case.mechanism.publish(opened(case, str(path), Engine.SPARK), budget=case.budget, ledger=seeded_ledger(5))
    for file_format in ("parquet", "csv.gz"):
        here = release.write(tmp_path / f"here.{file_format}", file_format=file_format)
        there = release.write(
            tmp_path / f"there.{file_format}", file_format=file_format, spark_folder=(tmp_path / f"data.{file_format}").as_uri()
        )
        (data,) = (tmp_path / f"data.{file_format}").iterdir()
        data.rename(there / data.name)
        assert all(finding.passed for finding in verify(there))
        one, other = (open_release(folder).data for folder in (here, there))
        assert one.frame().equals(other.frame())
        assert rows_of(release.to_spark()) == [tuple(row) for row in release.to_polars().rows()]


def rows_of(frame):
    return sorted((tuple(row) for row in frame.collect()), key=lambda row: (row[0], row[2] if len(row) > 2 else 0))


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_records_on_spark_are_judged_as_in_memory(tmp_path):
    path = random_file(tmp_path / "events.csv", 5, most=100)
    held = [
        open_sequences(str(path), universe=UNIVERSE, options=ReadOptions(engine=engine))
        for engine in (Engine.SPARK, Engine.LOCAL)
    ]
    release = PrefixTree(height=3).publish(held[1], budget=PureDP("4"), ledger=seeded_ledger(5))
    found = [utility.report(records, release) for records in held]
    assert found[0] == found[1]


def test_a_folder_of_spark_names_its_file_system():
    with pytest.raises(ParameterError, match="with its scheme"):
        written_by_spark(None, "releases", "sequences", file_format="parquet")
    with pytest.raises(ParameterError, match="got wide"):
        written_by_spark(None, "file:///releases", "sequences", file_format="wide")


@pytest.mark.slow
def test_a_data_frame_of_spark_is_counted_where_it_is(spark):
    frame = spark.createDataFrame([(2, "B", 2), (1, "A", 1), (2, "A", 2), (1, "x", 0)], "id long, label string, time long")
    records = open_sequences(frame, universe=Universe("AB"), name="taps")
    assert sorted(records.sequences.to_lists()) == [[0], [0, 1]]
    assert records.dropped_labels == 1


@pytest.mark.slow
def test_a_row_that_cannot_be_read_is_left_out_alone(spark):
    frame = spark.createDataFrame([(1, "A", "soon"), (2, "B", "3")], "id long, label string, time string")
    records = open_sequences(frame, universe=Universe("AB"), name="taps")
    assert (records.sequences.to_lists(), len(records.misfits)) == ([[1]], 1)
    with pytest.raises(InputError, match="must fit, but some do not") as caught:
        open_sequences(frame, universe=Universe("AB"), name="taps", strict=True)
    assert "soon" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "file"), [(csv_rows, csv_file), (json_rows, json_file)], ids=["csv", "jsonl"])
def test_spoilt_lines_are_read_on_spark_as_in_memory(spark, tmp_path, rows, file):  # noqa: ARG001 - the session
    people = [text for group in NAMED + NUMBERED for text in group]
    for seed in range(4):
        (tmp_path / str(seed)).mkdir()
        path = file(rows(random.Random(seed), people), tmp_path / str(seed), random.Random(seed))
        grid = TimeGrid(start=0, interval=10, intervals=3) if seed % 2 else None
        expected = read_lists(path, universe=LABELS, grid=grid)
        found = spark_blocks(str(path), universe=LABELS, options=ReadOptions(), grid=grid, buckets=4)
        lists = [row for number in range(4) for row in found.lists(number).to_lists()]
        assert sorted(lists) == sorted(expected.lists.to_lists())
        assert found.misfits.note == expected.misfits.note
        assert len(found.misfits)


@pytest.mark.slow
def test_a_missing_column_is_refused(spark):
    frame = spark.createDataFrame([(1, "A")], "id long, label string")
    with pytest.raises(EngineError, match="a column of it"):
        open_sequences(frame, universe=Universe("AB"), name="taps")


def test_frames_of_other_libraries_are_refused():
    frame = pl.DataFrame({"id": [1], "label": ["A"], "time": [1]})
    with pytest.raises(ParameterError, match="its own data frames"):
        open_sequences(frame, universe=Universe("AB"), name="taps", options=ReadOptions(engine=Engine.SPARK))


@pytest.mark.slow
def test_a_block_that_changed_underneath_is_refused(spark):
    from dataclasses import replace

    frame = spark.createDataFrame([(1, "A", 1)], "id long, label string, time long")
    blocks = spark_blocks(frame, universe=Universe("AB"), options=ReadOptions())
    records = open_sequences(frame, universe=Universe("AB"), name="taps")
    wrong = replace(records, blocks=replace(blocks, checksums=tuple(number + 1 for number in blocks.checksums)))
    with pytest.raises(EngineError, match="changed while it was counted"):
        wrong.counts().lengths(longest=2)


def test_columns_with_dots_are_read(spark):
    rows = [(person, label, time) for person in range(20) for time, label in enumerate("AB")]
    frame = spark.createDataFrame(rows, ["card.id", "stop.name", "a`b"])
    options = ReadOptions(columns=LongColumns(person="card.id", label="stop.name", time="a`b"))
    blocks = spark_blocks(frame, universe=Universe(["A", "B"]), options=options)
    assert (blocks.codes, sum(blocks.people)) == (40, 20)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Traceback\nModuleNotFoundError: No module named 'tacita'\n", "a Python without the module tacita"),
        ('java.io.IOException: Cannot run program "python3": error=2', "cannot start python3"),
        ("java.lang.OutOfMemoryError: Java heap space", "ran out of memory"),
        ("OSError: [Errno 28] No space left on device", "disk of the cluster is full"),
        ("Traceback\nValueError: the row of Ann\n", "a worker stopped with ValueError"),
        ("something else of Ann", "its log says why"),
    ],
)
def test_the_cause_of_a_workers_error_is_told_and_no_row_is_quoted(said, words):
    pyspark = pytest.importorskip("pyspark")
    with pytest.raises(EngineError, match=words) as refused, passing_on_errors():
        raise pyspark.errors.PythonException(said)
    assert "Ann" not in str(refused.value)


def test_workers_take_the_interpreter_that_runs_unless_another_is_named(monkeypatch):
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr("tacita.io.spark._has_java", lambda: True)

    class Builder:
        def appName(self, _name):  # noqa: N802 - as Spark calls it
            return self

        def getOrCreate(self):  # noqa: N802 - as Spark calls it
            return os.environ["PYSPARK_PYTHON"]

    monkeypatch.setattr("pyspark.sql.SparkSession.builder", Builder())
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    assert spark_session() == sys.executable
    monkeypatch.setenv("PYSPARK_PYTHON", "another")
    assert spark_session() == "another"
