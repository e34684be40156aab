import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from forging import fit
from strategies import sequence_records
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError, UniverseError
from tacita.io import LongColumns
from tacita.privacy.budget import PureDP
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, SequenceRecords, read_published
from tacita.testing import seeded_ledger

UNIVERSE = Universe("ABCD")
TEXTS = ["csv", "jsonl", "wide", "dat", "seq"]
FORMATS = ["parquet", *TEXTS, *(f"{name}.{packing}" for name in TEXTS for packing in ("gz", "zst"))]
NUMBERS = TimeGrid(start=-60, interval=60, intervals=4)
DATES = TimeGrid(start=datetime(2026, 5, 4, 6, tzinfo=UTC), interval=timedelta(days=1, minutes=15), intervals=4)


def published(records, budget="4"):
    return PrefixTree(height=2).publish(records, budget=PureDP(budget), ledger=seeded_ledger(1))


@pytest.fixture
def release():
    return published(sequence_records(["AB"] * 200 + ["C"] * 100))


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_release_reads_back_as_it_was_written(release, tmp_path, file_format):
    again = read_published(release.write(tmp_path / "out", file_format=file_format), universe=UNIVERSE)
    assert again.sequences.to_lists() == release.data.sequences.to_lists()
    assert again.file_format == file_format.partition(".")[0]
    assert again.universe == UNIVERSE


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_release_of_nothing_reads_back_as_nothing(tmp_path, file_format):
    release = published(sequence_records([]))
    assert len(release.data) == 0
    again = read_published(release.write(tmp_path / "out", file_format=file_format), universe=UNIVERSE)
    assert len(again) == 0


def test_columns_of_any_name_are_found(tmp_path):
    columns = LongColumns(person="card", label="stop", time="when")
    plain = sequence_records(["AB"] * 50)
    records = SequenceRecords(sequences=plain.sequences, universe=UNIVERSE, columns=columns)
    release = published(records)
    again = read_published(release.write(tmp_path / "out"), universe=UNIVERSE)
    assert again.sequences.to_lists() == release.data.sequences.to_lists()
    assert (again.columns.person, again.columns.label) == ("card", "stop")


def test_another_universe_is_refused(release, tmp_path):
    folder = release.write(tmp_path / "out")
    with pytest.raises(UniverseError, match="made with a different universe"):
        read_published(folder, universe=Universe("ABDC"))


def test_data_that_was_changed_is_refused(release, tmp_path):
    folder = release.write(tmp_path / "out")
    with (folder / "sequences.csv").open("a", encoding="utf-8") as file:
        file.write("9999,A,1\n")
    with pytest.raises(InputError, match="it was changed after"):
        read_published(folder, universe=UNIVERSE)


def test_a_folder_that_is_no_release_is_refused(release, tmp_path):
    with pytest.raises(InputError, match="must hold a readable manifest"):
        read_published(tmp_path / "nowhere", universe=UNIVERSE)
    folder = release.write(tmp_path / "out")
    (folder / "sequences.csv").unlink()
    with pytest.raises(InputError, match="does not exist"):
        read_published(folder, universe=UNIVERSE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "no JSON", "damaged, or not what it says it is"),
        (lambda _: "[1]", "does not follow the schema tacita-manifest-1"),
        (lambda found: json.dumps(found | {"schema": "tacita-manifest-99"}), "does not follow the schema tacita-manifest-1"),
        (lambda found: json.dumps(found | {"public_inputs": []}), "does not follow the schema tacita-manifest-1"),
        (lambda found: json.dumps(found | {"kind": "sets"}), "one file of sequences, but its manifest says 1 of sets"),
        (lambda found: json.dumps(found | {"files": []}), "does not follow the schema tacita-manifest-1: files"),
    ],
)
def test_a_manifest_of_something_else_is_refused(release, tmp_path, change, message):
    folder = release.write(tmp_path / "out")
    path = folder / "manifest.json"
    path.write_text(change(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_published(folder, universe=UNIVERSE)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"id": [1], "label": ["A"]}, "does not have three columns"),
        ({"id": [1], "label": ["Z"], "position": [1]}, "must belong to the universe, but some do not"),
    ],
)
def test_data_that_fits_no_release_is_refused_even_if_its_manifest_was_made_to_fit(release, tmp_path, frame, message):
    folder = release.write(tmp_path / "out")
    pl.DataFrame(frame).write_csv(folder / "sequences.csv")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    fit(manifest["files"][0], folder / "sequences.csv")
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_published(folder, universe=UNIVERSE)


def with_times(grid, rows):
    records = SequenceRecords(sequences=Ragged.from_lists(rows), universe=UNIVERSE, grid=grid)
    return PrefixTree(height=3).publish(records, budget=PureDP("6"), ledger=seeded_ledger(1))


@pytest.mark.parametrize("grid", [NUMBERS, DATES], ids=["numbers", "dates"])
@pytest.mark.parametrize("file_format", ["csv", "csv.gz", "parquet", "jsonl", "jsonl.zst"])
def test_a_release_with_times_reads_back_with_its_grid_and_in_its_order(tmp_path, grid, file_format):
    in_one_interval = [[3, 1, 13]] * 100  # D and then B in interval 0, which no time orders
    for number, rows in enumerate(([[0, 5]] * 200 + in_one_interval, [])):
        release = with_times(grid, rows)
        again = read_published(release.write(tmp_path / str(number), file_format=file_format), universe=UNIVERSE)
        assert again.sequences.to_lists() == release.data.sequences.to_lists()
        assert again.grid == grid
        assert ([3, 1, 13] in again.sequences.to_lists()) == bool(rows)


def test_a_grid_that_is_given_must_be_that_of_the_release(release, tmp_path):
    folder = with_times(NUMBERS, [[0, 5]] * 200).write(tmp_path / "timed")
    assert read_published(folder, universe=UNIVERSE, grid=NUMBERS).grid == NUMBERS
    with pytest.raises(ParameterError, match="a different time grid"):
        read_published(folder, universe=UNIVERSE, grid=DATES)
    with pytest.raises(ParameterError, match="or without times"):
        read_published(release.write(tmp_path / "untimed"), universe=UNIVERSE, grid=NUMBERS)


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "0"},
        {"intervals": 5},
        {"start": "soon"},
        {"interval": "an hour"},
        {"interval": 0},
        {"start": None},
        {"intervals": "4"},
    ],
)
def test_a_manifest_whose_grid_does_not_fit_its_hash_is_refused(tmp_path, change):
    folder = with_times(NUMBERS, [[0, 5]] * 200).write(tmp_path / "out")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["public_inputs"]["time_grid"] |= change
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(InputError, match=r"does not describe its time grid|does not follow the schema"):
        read_published(folder, universe=UNIVERSE)
